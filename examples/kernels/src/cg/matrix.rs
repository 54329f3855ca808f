//! Sparse matrices in rows, which can be divided into blocks of rows.

use std::ops::Range;

/// Consecutive rows of a sparse matrix.
pub struct Matrix {
    /// Where each row starts among the entries; one more at the end.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Matrix {
    /// Makes a matrix of rows in which several entries may name the same column; they are added in order.
    pub(super) fn from_rows(rows: Vec<Vec<(u32, f64)>>) -> Self {
        let mut matrix = Self { starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for mut row in rows {
            row.sort_by_key(|(column, _)| *column);
            for entries in row.chunk_by(|left, right| left.0 == right.0) {
                matrix.columns.push(entries[0].0);
                matrix.values.push(entries.iter().map(|(_, value)| value).sum());
            }
            matrix.starts.push(matrix.columns.len());
        }
        matrix
    }

    /// How many rows there are.
    #[must_use]
    pub fn height(&self) -> usize {
        self.starts.len() - 1
    }

    /// A block of the rows.
    pub(super) fn rows(&self, rows: Range<usize>) -> Self {
        let starts = &self.starts[rows.start..=rows.end];
        let entries = starts[0]..starts[rows.len()];
        Self {
            starts: starts.iter().map(|start| start - entries.start).collect(),
            columns: self.columns[entries.clone()].to_vec(),
            values: self.values[entries].to_vec(),
        }
    }

    /// Writes the product with `vector` into `product`, one number per row.
    pub(super) fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        for (bounds, product) in self.starts.windows(2).zip(product) {
            let entries = bounds[0]..bounds[1];
            *product = sparse_dot(&self.columns[entries.clone()], &self.values[entries], vector);
        }
    }
}

/// Four sums at a time, because one sum would wait for each addition.
fn sparse_dot(columns: &[u32], values: &[f64], vector: &[f64]) -> f64 {
    let (columns, last_columns) = columns.as_chunks::<4>();
    let (values, last_values) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (columns, values) in columns.iter().zip(values) {
        for lane in 0..4 {
            sums[lane] += values[lane] * vector[columns[lane] as usize];
        }
    }
    let rest: f64 = last_columns
        .iter()
        .zip(last_values)
        .map(|(column, value)| value * vector[*column as usize])
        .sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

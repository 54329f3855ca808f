//! Markdown tables with aligned columns, and numbers as people read them.

use std::fmt;

/// Rows of text below a row of headings. Columns other than the first are aligned right.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self { rows: vec![headings.iter().map(ToString::to_string).collect()] }
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.rows[0].len(), "a row of another width");
        self.rows.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths: Vec<usize> = (0..self.rows[0].len())
            .map(|column| self.rows.iter().map(|row| row[column].chars().count()).max())
            .map(|widest| widest.unwrap_or(0).max(3))
            .collect();
        for (position, row) in self.rows.iter().enumerate() {
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => write!(f, "| {cell:<width$} ")?,
                    _ => write!(f, "| {cell:>width$} ")?,
                }
            }
            writeln!(f, "|")?;
            if position == 0 {
                for (column, width) in widths.iter().enumerate() {
                    match column {
                        0 => write!(f, "|{}", "-".repeat(width + 2))?,
                        _ => write!(f, "|{}:", "-".repeat(width + 1))?,
                    }
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// A whole number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number per second, in millions.
pub(crate) fn millions(number: u64, seconds: f64) -> String {
    format!("{:.2} M", number as f64 / seconds / 1e6)
}

#[cfg(test)]
mod tests;

//! Adjacency lists in one vector, with the place where each begins (compressed sparse rows).

/// A list per row, all in one vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Csr<T> {
    /// Where the entries of each row start; one element more than there are rows.
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T> Default for Csr<T> {
    fn default() -> Self {
        Self { starts: vec![0], entries: Vec::new() }
    }
}

impl<T> Csr<T> {
    /// No rows yet, and room for some.
    pub fn with_capacity(n_rows: usize, n_entries: usize) -> Self {
        let mut starts = Vec::with_capacity(n_rows + 1);
        starts.push(0);
        Self { starts, entries: Vec::with_capacity(n_entries) }
    }

    /// Adds a row at the end.
    ///
    /// # Panics
    /// If there are more entries than 32 bits can number.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = T>) {
        self.entries.extend(row);
        self.starts.push(offset(self.entries.len()));
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of entries of all rows.
    pub fn n_entries(&self) -> usize {
        self.entries.len()
    }

    /// The entries of a row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.entries[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// All rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone {
        (0..self.n_rows()).map(|row| self.row(row))
    }

    /// All entries with their rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> + Clone {
        self.rows().enumerate().flat_map(|(row, entries)| entries.iter().map(move |e| (row, e)))
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.entries.capacity() * size_of::<T>()
    }
}

impl<T: Copy> Csr<T> {
    /// Sorts entries by row; the entries of a row keep their order. `entries` is gone through twice,
    /// so that nothing beside the result is allocated.
    ///
    /// # Panics
    /// If a row is not below `n_rows`, or there are more entries than 32 bits can number.
    pub fn group(n_rows: usize, entries: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut starts = vec![0u32; n_rows + 1];
        let mut n_entries = 0;
        for (row, _) in entries.clone() {
            starts[row + 1] += 1;
            n_entries += 1;
        }
        offset(n_entries);
        for row in 0..n_rows {
            starts[row + 1] += starts[row];
        }
        let Some((_, filler)) = entries.clone().next() else {
            return Self { starts, entries: Vec::new() };
        };
        let mut sorted = vec![filler; n_entries];
        let mut next = starts.clone();
        for (row, entry) in entries {
            sorted[next[row] as usize] = entry;
            next[row] += 1;
        }
        Self { starts, entries: sorted }
    }
}

impl<T, R: IntoIterator<Item = T>> FromIterator<R> for Csr<T> {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let mut csr = Self::default();
        for row in rows {
            csr.push_row(row);
        }
        csr
    }
}

fn offset(n_entries: usize) -> u32 {
    u32::try_from(n_entries).expect("entries are numbered with 32 bits")
}

#[cfg(test)]
mod tests;

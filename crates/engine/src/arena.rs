//! Append-only storage of equally long records, in chunks: growing copies nothing and leaves no
//! more slack than one chunk. Knows nothing of what the records mean.

/// Records per chunk, as a power of two: large enough that the list of chunks stays in a cache,
/// small enough that a half-filled last one does not count.
const CHUNK_BITS: u32 = 14;
const CHUNK: usize = 1 << CHUNK_BITS;

/// A growing table of records of `width` words each.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    width: usize,
    len: usize,
    chunks: Vec<Vec<u32>>,
}

impl Arena {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, len: 0, chunks: Vec::new() }
    }

    /// Words per record.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Number of records.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The record at a position.
    #[inline]
    pub(crate) fn get(&self, position: usize) -> &[u32] {
        let start = (position % CHUNK) * self.width;
        &self.chunks[position >> CHUNK_BITS][start..start + self.width]
    }

    /// Appends a record.
    #[inline]
    pub(crate) fn push(&mut self, record: &[u32]) {
        debug_assert_eq!(record.len(), self.width);
        if self.len.is_multiple_of(CHUNK) {
            // The first chunk grows by doubling, so that a small model stays small.
            let capacity = self.chunks.last_mut().map_or(0, |full| {
                full.shrink_to_fit();
                CHUNK * self.width
            });
            self.chunks.push(Vec::with_capacity(capacity));
        }
        let last = self.chunks.len() - 1;
        self.chunks[last].extend_from_slice(record);
        self.len += 1;
    }

    /// All records in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let width = self.width;
        self.chunks.iter().flat_map(move |chunk| chunk.chunks_exact(width))
    }

    /// Bytes allocated, without the slack of the list of chunks.
    pub(crate) fn bytes(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) * CHUNK * self.width;
        let words = full + self.chunks.last().map_or(0, Vec::capacity);
        words * size_of::<u32>() + self.chunks.len() * size_of::<Vec<u32>>()
    }
}

#[cfg(test)]
mod tests;

//! Append-only storage of equally long records, in chunks: growing copies nothing and leaves no
//! more slack than one chunk. Knows nothing of what the records mean.

/// Records per chunk, as a power of two: large enough that the list of chunks stays in a cache,
/// small enough that a half-filled last one does not count.
const CHUNK_BITS: u32 = 14;

/// A growing table of records of `width` words each.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    width: usize,
    /// Records per chunk, as a power of two.
    chunk_bits: u32,
    len: usize,
    chunks: Vec<Vec<u32>>,
}

impl Arena {
    pub(crate) fn new(width: usize) -> Self {
        Self::of_chunks(width, CHUNK_BITS)
    }

    /// Chunks of another length than is right for one large table.
    pub(crate) fn of_chunks(width: usize, chunk_bits: u32) -> Self {
        Self { width, chunk_bits, len: 0, chunks: Vec::new() }
    }

    fn chunk(&self) -> usize {
        1 << self.chunk_bits
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
        let start = (position & ((1 << self.chunk_bits) - 1)) * self.width;
        &self.chunks[position >> self.chunk_bits][start..start + self.width]
    }

    /// Appends a record.
    #[inline]
    pub(crate) fn push(&mut self, record: &[u32]) {
        debug_assert_eq!(record.len(), self.width);
        let chunk = self.chunk();
        if self.len.is_multiple_of(chunk) {
            // The first chunk grows by doubling, so that a small model stays small.
            let capacity = self.chunks.last_mut().map_or(0, |full| {
                full.shrink_to_fit();
                chunk * self.width
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
        let full = self.chunks.len().saturating_sub(1) * self.chunk() * self.width;
        let words = full + self.chunks.last().map_or(0, Vec::capacity);
        words * size_of::<u32>() + self.chunks.len() * size_of::<Vec<u32>>()
    }
}

#[cfg(test)]
mod tests;

//! Sorted states as blocks of coded differences, in memory or in a file, with an index that says where
//! each block begins. Every block has a checksum, which is compared whenever the block is read.

use std::sync::Arc;

use super::code::{Aim, Parameters, decode, decode_tags, encode, encode_tags};
use super::folder::{RunFile, Trouble};
use super::key::Key;
use crate::fingerprint::mixed;

/// States of a block.
pub(super) const BLOCK: usize = 1 << 12;
/// Bytes that are read from a file at a time, unless fewer are wanted.
const READ: u64 = 1 << 20;

/// Where some states lie in a run.
#[derive(Clone, Debug)]
pub(super) struct Block<K> {
    pub first: K,
    /// The bytes of the others in the run.
    pub start: u64,
    pub n_bytes: u32,
    /// How many of these bytes say to which levels the states belong; none if all are of one.
    pub n_tags: u32,
    pub n: u32,
    /// Of the gaps, and of the levels.
    pub parameters: [Parameters; 2],
    pub check: u64,
}

/// Sorted states, each once.
#[derive(Clone)]
pub(super) struct Run<K> {
    pub blocks: Vec<Block<K>>,
    pub n: u64,
    pub data: Data,
}

/// Where the bytes of a run lie.
#[derive(Clone)]
pub(super) enum Data {
    Memory(Vec<u8>),
    /// In a file, from a position on, so many.
    File(Arc<RunFile>, u64, u64),
}

/// A sum of bytes in which every changed bit shows, but with a probability of one in 2^64.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks_exact(8);
    let mut sum = mixed(bytes.len() as u64);
    for chunk in &mut chunks {
        sum = (sum.rotate_left(5) ^ u64::from_le_bytes(chunk.try_into().unwrap_or_default()))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^= sum >> 32;
    }
    chunks.remainder().iter().fold(sum, |sum, &byte| mixed(sum ^ u64::from(byte)))
}

/// A run that is being written.
pub(super) struct Writing<K> {
    blocks: Vec<Block<K>>,
    bytes: Vec<u8>,
    n: u64,
    open: Vec<K>,
    /// The levels of the open states, unless all states are of one.
    tags: Vec<u32>,
    aim: Aim,
}

impl<K: Key> Default for Writing<K> {
    fn default() -> Self {
        Self::with(Aim::Short)
    }
}

impl<K: Key> Writing<K> {
    /// A run that is read once, soon.
    pub fn quick() -> Self {
        Self::with(Aim::Quick)
    }

    fn with(aim: Aim) -> Self {
        let (blocks, bytes) = (Vec::new(), Vec::new());
        Self { blocks, bytes, n: 0, open: Vec::new(), tags: Vec::new(), aim }
    }

    /// Adds keys, all greater than those before.
    pub fn extend(&mut self, mut keys: &[K]) {
        while !keys.is_empty() {
            let (now, later) = keys.split_at(keys.len().min(BLOCK - self.open.len()));
            self.open.extend_from_slice(now);
            if self.open.len() == BLOCK {
                self.close();
            }
            keys = later;
        }
    }

    /// Adds a key that is greater than all before, and says of which level it is.
    #[inline]
    pub fn push_tagged(&mut self, key: K, level: u32) {
        self.open.push(key);
        self.tags.push(level);
        if self.open.len() == BLOCK {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(first) = self.open.first().cloned() else { return };
        let start = self.bytes.len();
        let gaps = encode(&self.open, self.aim, &mut self.bytes);
        let before = self.bytes.len();
        let tags = match self.tags.is_empty() {
            true => Parameters::default(),
            false => encode_tags(&self.tags, self.aim, &mut self.bytes),
        };
        let (n_bytes, n_tags) = (self.bytes.len() - start, self.bytes.len() - before);
        let check = checksum(&self.bytes[start..]);
        let n = self.open.len() as u32;
        self.n += u64::from(n);
        let (start, n_bytes, n_tags) = (start as u64, n_bytes as u32, n_tags as u32);
        let parameters = [gaps, tags];
        self.blocks.push(Block { first, start, n_bytes, n_tags, n, parameters, check });
        self.open.clear();
        self.tags.clear();
    }

    /// The run, in memory.
    pub fn end(mut self) -> Run<K> {
        self.close();
        self.bytes.shrink_to_fit();
        self.blocks.shrink_to_fit();
        Run { blocks: self.blocks, n: self.n, data: Data::Memory(self.bytes) }
    }
}

impl<K: Key> Run<K> {
    pub fn empty() -> Self {
        Self { blocks: Vec::new(), n: 0, data: Data::Memory(Vec::new()) }
    }

    /// One run of several in memory, whose keys follow each other.
    pub fn joined(parts: impl IntoIterator<Item = Run<K>>) -> Self {
        let mut all = Self::empty();
        for part in parts {
            let (Data::Memory(bytes), Data::Memory(more)) = (&mut all.data, part.data) else {
                unreachable!("only runs in memory are joined")
            };
            let shift = bytes.len() as u64;
            if shift == 0 {
                *bytes = more;
            } else {
                bytes.extend_from_slice(&more);
            }
            let moved = part.blocks.into_iter().map(|it| Block { start: it.start + shift, ..it });
            all.blocks.extend(moved);
            all.n += part.n;
        }
        all
    }

    /// Bytes in memory.
    pub fn memory(&self) -> usize {
        let own = match &self.data {
            Data::Memory(bytes) => bytes.capacity(),
            Data::File(..) => 0,
        };
        own + self.blocks.capacity() * size_of::<Block<K>>()
    }

    /// The name of its file, if it lies in one.
    pub fn file(&self) -> Option<String> {
        match &self.data {
            Data::Memory(_) => None,
            Data::File(file, ..) => Some(file.name()),
        }
    }

    /// Bytes of coded states, wherever they are.
    pub fn coded(&self) -> u64 {
        match &self.data {
            Data::Memory(bytes) => bytes.len() as u64,
            Data::File(_, _, length) => *length,
        }
    }

    /// Positions of the blocks that may hold keys from `low` on and below `high`.
    pub fn overlapping(&self, low: Option<&K>, high: Option<&K>) -> std::ops::Range<usize> {
        let start = low.map_or(0, |low| {
            self.blocks.partition_point(|block| block.first <= *low).saturating_sub(1)
        });
        let end = high.map_or(self.blocks.len(), |high| {
            self.blocks.partition_point(|block| block.first < *high)
        });
        start..end.max(start)
    }

    /// A reader of blocks.
    pub fn reader(&self) -> Reader<'_, K> {
        Reader { run: self, bytes: Vec::new(), start: 0 }
    }

    /// Shows all keys, in order, a block at a time.
    pub fn each_block(
        &self,
        mut see: impl FnMut(&[K]) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let (mut reader, mut keys) = (self.reader(), Vec::new());
        for position in 0..self.blocks.len() {
            reader.read(position, self.blocks.len(), &mut keys)?;
            see(&keys)?;
        }
        Ok(())
    }
}

/// Reads blocks of a run, in ascending order.
pub(super) struct Reader<'a, K> {
    run: &'a Run<K>,
    /// Bytes of the file from `start` on.
    bytes: Vec<u8>,
    start: u64,
}

impl<K: Key> Reader<'_, K> {
    /// Decodes a block. Blocks up to `last` are likely to be read next.
    pub fn read(&mut self, position: usize, last: usize, out: &mut Vec<K>) -> Result<(), Trouble> {
        self.read_tagged(position, last, out, None)
    }

    /// The same with the levels of the states; none if all are of one.
    pub fn read_tagged(
        &mut self,
        position: usize,
        last: usize,
        out: &mut Vec<K>,
        tags: Option<&mut Vec<u32>>,
    ) -> Result<(), Trouble> {
        let block = &self.run.blocks[position];
        let (start, n_bytes) = (block.start, block.n_bytes as usize);
        let bytes = match &self.run.data {
            Data::Memory(bytes) => &bytes[start as usize..start as usize + n_bytes],
            Data::File(file, base, _) => {
                let is_here = start >= self.start
                    && start + n_bytes as u64 <= self.start + self.bytes.len() as u64;
                if !is_here {
                    let end = self.run.blocks[position..last.max(position + 1)]
                        .iter()
                        .map(|block| block.start + u64::from(block.n_bytes))
                        .take_while(|&end| end <= start + READ)
                        .last();
                    let end = end.unwrap_or(start + n_bytes as u64);
                    self.bytes.resize((end - start) as usize, 0);
                    file.read(base + start, &mut self.bytes)?;
                    self.start = start;
                }
                let at = (start - self.start) as usize;
                &self.bytes[at..at + n_bytes]
            }
        };
        let [gaps, of_tags] = block.parameters;
        let (keys, coded) = bytes.split_at(n_bytes - block.n_tags as usize);
        let mut is_whole = checksum(bytes) == block.check
            && decode(keys, &block.first, (block.n, gaps), out).is_some();
        if let Some(tags) = tags {
            is_whole &= match block.n_tags {
                0 => {
                    tags.clear();
                    true
                }
                _ => decode_tags(coded, (block.n, of_tags), tags).is_some(),
            };
        }
        match (is_whole, &self.run.data) {
            (true, _) => Ok(()),
            (false, Data::File(file, base, _)) => Err(file.damaged(base + start)),
            (false, Data::Memory(_)) => Err(Trouble::memory()),
        }
    }
}

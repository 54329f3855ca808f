//! Pairs of numbers that have numbers themselves: the inner nodes of trees. Several threads look up and
//! add nodes at the same time; room is made while none does.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;

use crate::store::fold;

/// Nodes of the smallest table.
const LEAST: usize = 1 << 8;
/// Entries per hundred nodes there is room for.
const ROOM: usize = 128;
/// By how many per cent a table grows.
const GROWTH: usize = 10;
/// Nodes between two looks at what may stop growing.
const PIECE: u32 = 1 << 18;
/// Marks an entry whose number is about to be known.
const BUSY: u32 = u32::MAX;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Nodes, numbered from 1.
pub(super) struct Nodes {
    /// By number, the node. As long as there is room for nodes.
    contents: Vec<AtomicU64>,
    /// How many numbers are taken; number 0 is.
    length: AtomicU32,
    /// Open addressing: 0 is free, else a number, and bits of a hash where numbers have none.
    index: Vec<AtomicU32>,
    tag_mask: u32,
}

impl Nodes {
    pub(super) fn new() -> Self {
        let mut nodes = Self {
            contents: Vec::new(),
            length: AtomicU32::new(1),
            index: Vec::new(),
            tag_mask: 0,
        };
        nodes.resize(LEAST, &mut || true);
        nodes
    }

    /// How many bits the numbers have.
    pub(super) fn id_bits(&self) -> u32 {
        u32::BITS - self.length.load(Ordering::Relaxed).leading_zeros()
    }

    /// The node with a number.
    #[inline]
    pub(super) fn get(&self, id: u32) -> u64 {
        self.contents[id as usize].load(Ordering::Relaxed)
    }

    /// Asks for the entries where searches for these nodes start.
    #[inline]
    pub(super) fn touch(&self, nodes: impl Iterator<Item = u64>) {
        let touched = nodes.fold(0, |touched, node| {
            let at = home(fold(node ^ SEED), self.index.len());
            touched | self.index[at].load(Ordering::Relaxed)
        });
        std::hint::black_box(touched);
    }

    /// The number of a node; `None` if there is no room for it.
    #[inline]
    pub(super) fn intern(&self, node: u64) -> Option<u32> {
        let hash = fold(node ^ SEED);
        let tag = hash as u32 & self.tag_mask;
        let mut at = home(hash, self.index.len());
        loop {
            let entry = self.index[at].load(Ordering::Acquire);
            if entry == 0 || entry == BUSY {
                match self.add(at, tag, node)? {
                    Added::Here(id) => return Some(id),
                    Added::Other => continue,
                }
            }
            if entry & self.tag_mask == tag {
                let id = entry & !self.tag_mask;
                // The thread that entered the number had stored the node before.
                if self.get(id) == node {
                    return Some(id);
                }
            }
            at += 1;
            if at == self.index.len() {
                at = 0;
            }
        }
    }

    /// Takes an entry for a node, unless another thread does.
    #[cold]
    fn add(&self, at: usize, tag: u32, node: u64) -> Option<Added> {
        let entry = &self.index[at];
        if entry.compare_exchange(0, BUSY, Ordering::Acquire, Ordering::Relaxed).is_err() {
            while entry.load(Ordering::Relaxed) == BUSY {
                thread::yield_now();
            }
            return Some(Added::Other);
        }
        let id = self.length.fetch_add(1, Ordering::Relaxed);
        let Some(content) = self.contents.get(id as usize) else {
            self.length.fetch_sub(1, Ordering::Relaxed);
            entry.store(0, Ordering::Release);
            return None;
        };
        content.store(node, Ordering::Relaxed);
        entry.store(tag | id, Ordering::Release);
        Some(Added::Here(id))
    }

    /// Makes room for more nodes. What is told to stop finds nothing any more.
    pub(super) fn grow(&mut self, goes_on: &mut dyn FnMut() -> bool) {
        self.resize(self.contents.len() + self.contents.len() * GROWTH / 100, goes_on);
    }

    fn resize(&mut self, room: usize, goes_on: &mut dyn FnMut() -> bool) {
        // A number that is all ones beside a tag would look like a busy entry.
        assert!(room < BUSY as usize / 2, "more nodes than there are numbers");
        self.index = Vec::new();
        self.contents.reserve_exact(room - self.contents.len());
        self.contents.resize_with(room, AtomicU64::default);
        self.index.resize_with(room * ROOM / 100, AtomicU32::default);
        let id_bits = usize::BITS - room.leading_zeros();
        self.tag_mask = u32::MAX.checked_shl(id_bits).unwrap_or(0);
        let length = *self.length.get_mut();
        for id in 1..length {
            if id % PIECE == 0 && !goes_on() {
                return;
            }
            let hash = fold(self.get(id) ^ SEED);
            let mut at = home(hash, self.index.len());
            while *self.index[at].get_mut() != 0 {
                at += 1;
                if at == self.index.len() {
                    at = 0;
                }
            }
            *self.index[at].get_mut() = hash as u32 & self.tag_mask | id;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.contents.capacity() * size_of::<u64>() + self.index.capacity() * size_of::<u32>()
    }
}

/// Who took an entry.
enum Added {
    Here(u32),
    Other,
}

/// Where the search for a hash starts: its upper half, scaled to the length of the index.
#[inline]
fn home(hash: u64, length: usize) -> usize {
    (((hash >> 32) * length as u64) >> 32) as usize
}

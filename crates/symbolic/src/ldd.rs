//! List decision diagrams: sets of vectors of one length as shared, ordered lists (Blom & van de Pol
//! 2008). A node is a list of values, each with the set of what may follow it; equal nodes are one.
//! The list of a node lies in one piece. This file owns the table of nodes, the cache of operations
//! and giving nodes back; it knows no operation.

use hashbrown::HashTable;
use quadrille_model::Value;

use crate::budget::{Ended, Meter};

/// A set of vectors. How long they are follows from the node, but for the empty set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Node(u32);

/// The empty set.
pub(crate) const EMPTY: Node = Node(0);
/// The set of the vector without entries.
pub(crate) const UNIT: Node = Node(1);

/// A value and what follows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub value: Value,
    pub child: Node,
}

/// Where the list of a node lies. Nodes that were given back, and the two constants, have none.
#[derive(Clone, Copy)]
struct Header {
    start: u32,
    len: u32,
}

/// A table of nodes.
pub(crate) struct Ldd {
    headers: Vec<Header>,
    edges: Vec<Edge>,
    table: HashTable<u32>,
    /// Numbers of nodes that were given back.
    free: Vec<u32>,
    pub(crate) cache: Cache,
    /// Lists under construction, one behind the other.
    pub(crate) stack: Vec<Edge>,
    /// Nodes that are needed, besides those of lists under construction.
    pub(crate) needed: Vec<Node>,
    /// How many nodes there may be before some are given back.
    collect_at: usize,
    /// The most nodes that were alive at once.
    peak: usize,
    /// How often nodes were given back.
    collections: u64,
}

impl Ldd {
    pub(crate) fn new(collect_at: usize) -> Self {
        let constant = Header { start: 0, len: 0 };
        Self {
            headers: vec![constant; 2],
            edges: Vec::new(),
            table: HashTable::new(),
            free: Vec::new(),
            cache: Cache::new(),
            stack: Vec::new(),
            needed: Vec::new(),
            collect_at,
            peak: 0,
            collections: 0,
        }
    }

    /// Nodes in the table.
    pub(crate) fn n_nodes(&self) -> usize {
        self.table.len()
    }

    /// The most nodes that were in the table.
    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    /// How often nodes were given back.
    pub(crate) fn collections(&self) -> u64 {
        self.collections
    }

    pub(crate) fn bytes(&self) -> usize {
        self.headers.capacity() * size_of::<Header>()
            + (self.edges.capacity() + self.stack.capacity()) * size_of::<Edge>()
            + self.table.capacity() * 8 / 7 * 5
            + self.cache.entries.capacity() * size_of::<Entry>()
    }

    /// How many values the list of a node has.
    #[inline]
    pub(crate) fn len(&self, node: Node) -> usize {
        self.headers[node.0 as usize].len as usize
    }

    /// An edge of a node, by position.
    #[inline]
    pub(crate) fn edge(&self, node: Node, position: usize) -> Edge {
        self.edges[self.headers[node.0 as usize].start as usize + position]
    }

    /// All edges of a node.
    #[inline]
    pub(crate) fn edges(&self, node: Node) -> &[Edge] {
        let Header { start, len } = self.headers[node.0 as usize];
        &self.edges[start as usize..(start + len) as usize]
    }

    /// What follows a value in a node.
    pub(crate) fn child(&self, node: Node, value: Value) -> Node {
        let edges = self.edges(node);
        let found = edges.binary_search_by_key(&value, |edge| edge.value);
        found.map_or(EMPTY, |position| edges[position].child)
    }

    /// The node whose list is what lies on the stack from `base` on: ascending, no child empty.
    pub(crate) fn make(&mut self, base: usize, meter: &mut Meter<'_>) -> Result<Node, Ended> {
        let list = &self.stack[base..];
        if list.is_empty() {
            return Ok(EMPTY);
        }
        debug_assert!(list.windows(2).all(|pair| pair[0].value < pair[1].value));
        let hash = hash(list);
        let (headers, edges) = (&self.headers, &self.edges);
        let of = |id: u32| {
            let Header { start, len } = headers[id as usize];
            &edges[start as usize..(start + len) as usize]
        };
        if let Some(&known) = self.table.find(hash, |&id| of(id) == list) {
            self.stack.truncate(base);
            return Ok(Node(known));
        }
        meter.allow_nodes(self.table.len() as u64 + 1)?;
        let header = Header { start: self.edges.len() as u32, len: list.len() as u32 };
        assert!(
            self.edges.len() + list.len() < u32::MAX as usize,
            "more edges than 32 bits number"
        );
        self.edges.extend_from_slice(list);
        self.stack.truncate(base);
        let id = match self.free.pop() {
            Some(id) => {
                self.headers[id as usize] = header;
                id
            }
            None => {
                self.headers.push(header);
                self.headers.len() as u32 - 1
            }
        };
        let (headers, edges) = (&self.headers, &self.edges);
        let rehash = |id: &u32| {
            let Header { start, len } = headers[*id as usize];
            self::hash(&edges[start as usize..(start + len) as usize])
        };
        self.table.insert_unique(hash, id, rehash);
        self.peak = self.peak.max(self.table.len());
        Ok(Node(id))
    }

    /// The node with one value.
    pub(crate) fn single(
        &mut self,
        value: Value,
        child: Node,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        let base = self.stack.len();
        self.stack.push(Edge { value, child });
        self.make(base, meter)
    }

    /// Whether nodes should be given back when that is possible.
    pub(crate) fn is_full(&self) -> bool {
        self.table.len() > self.collect_at
    }

    /// Gives back all nodes that nothing needs: mark and sweep. Edges are moved together.
    pub(crate) fn collect(&mut self, roots: impl Iterator<Item = Node>) {
        let mut marked = vec![false; self.headers.len()];
        (marked[0], marked[1]) = (true, true);
        let mut open: Vec<Node> = roots.collect();
        open.extend(self.needed.iter().copied());
        open.extend(self.stack.iter().map(|edge| edge.child));
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut marked[node.0 as usize], true) {
                open.extend(self.edges(node).iter().map(|edge| edge.child));
            }
        }
        let old = std::mem::take(&mut self.edges);
        self.table.clear();
        for (id, header) in self.headers.iter_mut().enumerate().skip(2) {
            let list = header.start as usize..(header.start + header.len) as usize;
            if marked[id] {
                header.start = self.edges.len() as u32;
                self.edges.extend_from_slice(&old[list]);
            } else if header.len > 0 {
                header.len = 0;
                self.free.push(id as u32);
            }
        }
        let (headers, edges) = (&self.headers, &self.edges);
        let rehash = |id: &u32| {
            let Header { start, len } = headers[*id as usize];
            hash(&edges[start as usize..(start + len) as usize])
        };
        for id in (2..headers.len() as u32).filter(|&id| marked[id as usize]) {
            self.table.insert_unique(rehash(&id), id, rehash);
        }
        self.cache.retain(&marked);
        self.collections += 1;
        self.collect_at = self.collect_at.max(2 * self.table.len());
    }
}

fn hash(list: &[Edge]) -> u64 {
    let mut hash = list.len() as u64;
    for edge in list {
        let word = u64::from(edge.value) << 32 | u64::from(edge.child.0);
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash ^ hash >> 29
}

/// What an operation is looked up by: the operation with the number of what it ranges over, and nodes.
pub(crate) type Key = [u32; 4];

/// A key of an operation on up to three nodes.
#[inline]
pub(crate) fn key(operation: u32, over: u32, nodes: [Node; 3]) -> Key {
    [operation | over << 4, nodes[0].0, nodes[1].0, nodes[2].0]
}

#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    result: Option<Node>,
}

const VACANT: Entry = Entry { key: [0; 4], result: None };

/// Results of operations, each at the place that follows from its key: a later one may take the
/// place of an earlier one.
pub(crate) struct Cache {
    entries: Vec<Entry>,
    /// Entries written since it has its present size.
    written: usize,
}

const LEAST_ENTRIES: usize = 1 << 12;
const MOST_ENTRIES: usize = 1 << 22;

impl Cache {
    fn new() -> Self {
        Self { entries: vec![VACANT; LEAST_ENTRIES], written: 0 }
    }

    #[inline]
    fn place(&self, key: &Key) -> usize {
        let one = u64::from(key[0]) << 32 | u64::from(key[1]);
        let other = u64::from(key[2]) << 32 | u64::from(key[3]);
        let mixed = (one.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.rotate_left(19))
            .wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed >> 32) as usize & (self.entries.len() - 1)
    }

    #[inline]
    pub(crate) fn get(&self, key: &Key) -> Option<Node> {
        let entry = &self.entries[self.place(key)];
        if entry.key == *key { entry.result } else { None }
    }

    pub(crate) fn put(&mut self, key: Key, result: Node) {
        if self.written > 2 * self.entries.len() && self.entries.len() < MOST_ENTRIES {
            let larger = vec![VACANT; 4 * self.entries.len()];
            let old = std::mem::replace(&mut self.entries, larger);
            for entry in old.into_iter().filter(|entry| entry.result.is_some()) {
                let place = self.place(&entry.key);
                self.entries[place] = entry;
            }
            self.written = 0;
        }
        self.written += 1;
        let place = self.place(&key);
        self.entries[place] = Entry { key, result: Some(result) };
    }

    /// Forgets what speaks of nodes that are not marked.
    fn retain(&mut self, marked: &[bool]) {
        for entry in &mut self.entries {
            let is_marked = |&id: &u32| marked[id as usize];
            let result = entry.result.is_some_and(|node| marked[node.0 as usize]);
            if !result || !entry.key[1..].iter().all(is_marked) {
                *entry = VACANT;
            }
        }
    }
}

//! The coarsest bisimulation on a labelled graph, by refining a partition with signatures.
//!
//! A round computes for each node the set of (label, block) pairs it can reach in one step of the
//! relation and splits blocks whose members disagree: Kanellakis & Smolka (1983) in the signature
//! form of Blom & Orzan (2003), whose branching and weak signatures are used here. Only nodes
//! whose signature may have changed are looked at, and the largest part of a split block keeps its
//! name, so that a node is renamed at most log n times (Hopcroft's trick for signatures: Jacobs &
//! Wißmann, POPL 2023). All nodes of a round see the partition of the round before; therefore
//! round k separates exactly the nodes that k moves of the bisimulation game tell apart. On the
//! graph of a deterministic automaton, strong bisimulation is equivalence of states (Moore 1956).

mod partition;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::csr::Csr;
use crate::sets::Sets;

use partition::Blocks;
pub use partition::Partition;

/// Which bisimulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bisimulation {
    /// Internal steps count like any other.
    Strong,
    /// An internal step that keeps all options is invisible (van Glabbeek & Weijland 1996).
    Branching,
    /// A step may have internal steps before and after it (Milner 1989).
    Weak,
}

/// A graph with labels on its edges.
pub trait LabelledGraph {
    /// The label of internal steps, where the bisimulation knows any.
    const INTERNAL: u32 = 0;

    /// Number of nodes.
    fn n_nodes(&self) -> usize;

    /// The edges of a node: their labels and where they lead.
    fn edges(&self, node: usize) -> impl Iterator<Item = (u32, usize)> + Clone;
}

impl LabelledGraph for Csr<(u32, u32)> {
    fn n_nodes(&self) -> usize {
        self.n_rows()
    }

    fn edges(&self, node: usize) -> impl Iterator<Item = (u32, usize)> + Clone {
        self.row(node).iter().map(|&(label, to)| (label, to as usize))
    }
}

/// The partition when nothing splits any more, and how it came about.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// The classes of the bisimulation.
    pub partition: Partition,
    initial: Partition,
    /// Per node, the rounds that renamed its block and the new name, ascending.
    renamed: Csr<(u32, u32)>,
    n_rounds: u32,
}

impl Refinement {
    /// How many rounds it took, the last of which changed nothing.
    pub fn n_rounds(&self) -> u32 {
        self.n_rounds
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        8 * self.renamed.n_rows() + self.renamed.bytes()
    }

    /// The block of a node when `round` rounds are over. Names of blocks are not those of the
    /// final partition.
    pub fn block_after(&self, round: u32, node: usize) -> u32 {
        let renamed = self.renamed.row(node);
        let later = renamed.partition_point(|&(when, _)| when <= round);
        later.checked_sub(1).map_or_else(|| self.initial.class(node), |last| renamed[last].1)
    }

    /// The first round that separates two nodes, 0 if they were never together.
    pub fn separated(&self, left: usize, right: usize) -> Option<u32> {
        if self.partition.class(left) == self.partition.class(right) {
            return None;
        }
        // Blocks never join again, so the rounds that separate are an upper segment.
        let (mut from, mut to) = (0, self.n_rounds);
        while from < to {
            let middle = u32::midpoint(from, to);
            if self.block_after(middle, left) == self.block_after(middle, right) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Some(to)
    }
}

/// Refines a partition until it is stable. For branching and weak bisimulation internal steps must
/// lead to lower numbers. `watch` is told now and then how many bytes are in use, and may stop.
///
/// # Errors
/// What `watch` breaks with.
pub fn refine<B>(
    graph: &impl LabelledGraph,
    initial: Partition,
    kind: Bisimulation,
    mut watch: impl FnMut(usize) -> ControlFlow<B>,
) -> Result<Refinement, B> {
    let n_nodes = graph.n_nodes();
    let n_edges: usize = (0..n_nodes).map(|node| graph.edges(node).count()).sum();
    // What follows is allocated at once.
    let at_once = n_edges * size_of::<(u32, u32)>() + n_nodes * BYTES_PER_NODE;
    if let ControlFlow::Break(why) = watch(at_once) {
        return Err(why);
    }
    let mut refiner = Refiner {
        graph,
        kind,
        sources: reversed(graph),
        blocks: Blocks::new(&initial),
        sets: Sets::default(),
        n_live: 0,
        signature: vec![0; n_nodes],
        reach: if kind == Bisimulation::Weak { vec![0; n_nodes] } else { Vec::new() },
        changed: (0..n_nodes as u32).collect(),
        is_changed: vec![true; n_nodes],
        scratch: Vec::new(),
        renamed: Vec::new(),
        watch,
    };
    let mut n_rounds = 0;
    while !refiner.changed.is_empty() {
        n_rounds += 1;
        let moved = match refiner.round() {
            ControlFlow::Continue(moved) => moved,
            ControlFlow::Break(why) => return Err(why),
        };
        let blocks = &refiner.blocks;
        let renamed = moved.iter().map(|&node| (node, n_rounds, blocks.of(node as usize)));
        refiner.renamed.extend(renamed);
        refiner.mark_changed(&moved);
        refiner.compact();
    }
    if let ControlFlow::Break(why) = refiner.look_at_end() {
        return Err(why);
    }
    let partition = Partition::by_key((0..n_nodes).map(|node| refiner.blocks.of(node)));
    let renamed =
        refiner.renamed.iter().map(|&(node, round, block)| (node as usize, (round, block)));
    Ok(Refinement { partition, initial, renamed: Csr::group(n_nodes, renamed), n_rounds })
}

/// The classes of the coarsest bisimulation that refines a partition: [`refine`] without a watch.
pub fn bisimulation_classes(
    graph: &impl LabelledGraph,
    initial: Partition,
    kind: Bisimulation,
) -> Partition {
    let Ok(refinement) = refine(graph, initial, kind, |_| ControlFlow::<Infallible>::Continue(()));
    refinement.partition
}

/// Per node its edges backwards: the label, and where it comes from.
fn reversed(graph: &impl LabelledGraph) -> Csr<(u32, u32)> {
    let edges = (0..graph.n_nodes())
        .flat_map(|from| graph.edges(from).map(move |(label, to)| (to, (label, from as u32))));
    Csr::group(graph.n_nodes(), edges)
}

/// Bytes that each node takes before the first round: a row of edges backwards and where it is filled, the
/// block, the signature, what changed, and a round's list of that.
const BYTES_PER_NODE: usize = 8 + 12 + 4 + 5 + 12;

/// Signatures computed between two calls of the watch.
const SIGNATURES_PER_LOOK: usize = 1024;

/// Fewest members of sets that are worth a compaction.
const MIN_COMPACTED: usize = 1 << 16;

struct Refiner<'a, G, W> {
    graph: &'a G,
    kind: Bisimulation,
    sources: Csr<(u32, u32)>,
    blocks: Blocks,
    /// Signatures: sets of packed (label, block) pairs.
    sets: Sets<u64>,
    /// Members of sets that were in use when it was last counted.
    n_live: usize,
    /// The signature of each node under the current partition, unless `is_changed`.
    signature: Vec<u32>,
    /// Weak bisimulation only: the blocks that internal steps reach.
    reach: Vec<u32>,
    /// Nodes whose signature may have changed.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    scratch: Vec<u64>,
    /// Node, round, new block.
    renamed: Vec<(u32, u32, u32)>,
    watch: W,
}

impl<G: LabelledGraph, B, W: FnMut(usize) -> ControlFlow<B>> Refiner<'_, G, W> {
    /// Computes the changed signatures, splits, and returns the nodes whose block got a new name.
    fn round(&mut self) -> ControlFlow<B, Vec<u32>> {
        // Ascending: targets of internal steps come first.
        self.changed.sort_unstable();
        let changed = std::mem::take(&mut self.changed);
        if self.kind == Bisimulation::Weak {
            for nodes in changed.chunks(SIGNATURES_PER_LOOK) {
                for &node in nodes {
                    self.reach[node as usize] = self.weak_reach(node as usize);
                }
                self.look()?;
            }
        }
        for nodes in changed.chunks(SIGNATURES_PER_LOOK) {
            for &node in nodes {
                self.signature[node as usize] = match self.kind {
                    Bisimulation::Strong => self.strong_signature(node as usize),
                    Bisimulation::Branching => self.branching_signature(node as usize),
                    Bisimulation::Weak => self.weak_signature(node as usize),
                };
            }
            self.look()?;
        }
        let mut by_block: Vec<(u32, u32, u32)> = changed
            .iter()
            .map(|&node| (self.blocks.of(node as usize), self.signature[node as usize], node))
            .collect();
        by_block.sort_unstable();
        let mut moved = Vec::new();
        for members in by_block.chunk_by(|left, right| left.0 == right.0) {
            self.split(members, &mut moved);
        }
        for node in changed {
            self.is_changed[node as usize] = false;
        }
        ControlFlow::Continue(moved)
    }

    fn look(&mut self) -> ControlFlow<B> {
        let bytes = self.bytes();
        (self.watch)(bytes)
    }

    /// Before the result is made of what is there.
    fn look_at_end(&mut self) -> ControlFlow<B> {
        let partition = 4 * self.signature.len();
        let renamed = self.renamed.len() * size_of::<(u32, u32)>() + 8 * self.signature.len();
        let bytes = self.bytes() + partition + renamed;
        (self.watch)(bytes)
    }

    fn bytes(&self) -> usize {
        let n_nodes = self.signature.len();
        // What changed in this round, and the list of it by block, may be all.
        let per_node = 4 * (n_nodes + self.reach.len() + n_nodes + self.changed.capacity());
        let by_block = n_nodes * size_of::<(u32, u32, u32)>();
        self.sources.bytes()
            + self.blocks.bytes()
            + self.sets.bytes()
            + self.renamed.capacity() * size_of::<(u32, u32, u32)>()
            + per_node
            + by_block
            + self.is_changed.len()
    }

    /// Splits a block, given its changed members with their signatures.
    fn split(&mut self, members: &[(u32, u32, u32)], moved: &mut Vec<u32>) {
        let block = members[0].0;
        let all = self.blocks.members(block);
        let n_unchanged = all.len() - members.len();
        let unchanged = (n_unchanged > 0).then(|| {
            let calm = all.iter().find(|&&node| !self.is_changed[node as usize]);
            self.signature[*calm.expect("counted as unchanged") as usize]
        });
        let groups: Vec<_> = members.chunk_by(|left, right| left.1 == right.1).collect();
        // The largest part keeps the name of the block.
        let mut kept = (n_unchanged, unchanged);
        for group in &groups {
            let signature = Some(group[0].1);
            let size = group.len() + if signature == unchanged { n_unchanged } else { 0 };
            if size > kept.0 {
                kept = (size, signature);
            }
        }
        let mut leave = |nodes: &[u32], blocks: &mut Blocks| {
            if !nodes.is_empty() {
                blocks.split_off(block, nodes);
                moved.extend_from_slice(nodes);
            }
        };
        for group in groups {
            if Some(group[0].1) != kept.1 && Some(group[0].1) != unchanged {
                let nodes: Vec<u32> = group.iter().map(|member| member.2).collect();
                leave(&nodes, &mut self.blocks);
            }
        }
        if unchanged.is_some() && unchanged != kept.1 {
            let rest = self.blocks.members(block).iter().copied();
            let differs = |node: &u32| Some(self.signature[*node as usize]) != kept.1;
            let nodes: Vec<u32> = rest.filter(differs).collect();
            leave(&nodes, &mut self.blocks);
        }
    }

    /// Marks the nodes whose signature mentions the block of a node that moved.
    fn mark_changed(&mut self, moved: &[u32]) {
        match self.kind {
            Bisimulation::Strong => self.mark_sources(moved),
            Bisimulation::Branching => {
                self.mark_sources(moved);
                // Steps within its old block are not inert any more.
                moved.iter().for_each(|&node| self.mark(node));
                self.mark_backwards(|blocks, from, to| blocks.of(from) == blocks.of(to));
            }
            Bisimulation::Weak => {
                moved.iter().for_each(|&node| self.mark(node));
                self.mark_backwards(|_, _, _| true);
                let reaching = self.changed.clone();
                self.mark_sources(&reaching);
                self.mark_backwards(|_, _, _| true);
            }
        }
    }

    fn mark(&mut self, node: u32) {
        if !std::mem::replace(&mut self.is_changed[node as usize], true) {
            self.changed.push(node);
        }
    }

    fn mark_sources(&mut self, targets: &[u32]) {
        for &target in targets {
            for position in 0..self.sources.row(target as usize).len() {
                self.mark(self.sources.row(target as usize)[position].1);
            }
        }
    }

    /// Marks the nodes that reach a marked one by internal steps that `follow` admits.
    fn mark_backwards(&mut self, follow: impl Fn(&Blocks, usize, usize) -> bool) {
        let mut position = 0;
        while let Some(&to) = self.changed.get(position) {
            position += 1;
            for edge in 0..self.sources.row(to as usize).len() {
                let (label, from) = self.sources.row(to as usize)[edge];
                if label == G::INTERNAL && follow(&self.blocks, from as usize, to as usize) {
                    self.mark(from);
                }
            }
        }
    }

    fn number(&mut self, mut set: Vec<u64>) -> u32 {
        let (number, _) = self.sets.number(&mut set);
        self.scratch = set;
        number as u32
    }

    fn pair(&self, label: u32, to: usize) -> u64 {
        pack(label, self.blocks.of(to))
    }

    fn strong_signature(&mut self, node: usize) -> u32 {
        let mut set = std::mem::take(&mut self.scratch);
        set.extend(self.graph.edges(node).map(|(label, to)| self.pair(label, to)));
        self.number(set)
    }

    /// What inert internal steps (those within the block) followed by one other step reach.
    fn branching_signature(&mut self, node: usize) -> u32 {
        let own = self.blocks.of(node);
        let mut set = std::mem::take(&mut self.scratch);
        for (label, to) in self.graph.edges(node) {
            if label == G::INTERNAL && self.blocks.of(to) == own {
                set.extend_from_slice(self.sets.members(self.signature[to] as usize));
            } else {
                set.push(self.pair(label, to));
            }
        }
        self.number(set)
    }

    fn weak_reach(&mut self, node: usize) -> u32 {
        let mut set = std::mem::take(&mut self.scratch);
        set.push(self.pair(G::INTERNAL, node));
        for (label, to) in self.graph.edges(node) {
            if label == G::INTERNAL {
                set.extend_from_slice(self.sets.members(self.reach[to] as usize));
            }
        }
        self.number(set)
    }

    /// What internal steps reach, and what they reach before and after one other step.
    fn weak_signature(&mut self, node: usize) -> u32 {
        let mut set = std::mem::take(&mut self.scratch);
        set.extend_from_slice(self.sets.members(self.reach[node] as usize));
        for (label, to) in self.graph.edges(node) {
            if label == G::INTERNAL {
                set.extend_from_slice(self.sets.members(self.signature[to] as usize));
            } else {
                let reached = self.sets.members(self.reach[to] as usize);
                set.extend(reached.iter().map(|&pair| pack(label, pair as u32)));
            }
        }
        self.number(set)
    }

    /// Forgets signatures of earlier rounds once they are more than the current ones.
    fn compact(&mut self) {
        if self.sets.n_members() < MIN_COMPACTED.max(2 * self.n_live) {
            return;
        }
        let old = std::mem::take(&mut self.sets);
        let mut numbers = vec![None; old.len()];
        for id in self.signature.iter_mut().chain(&mut self.reach) {
            let set = *id as usize;
            *id = *numbers[set].get_or_insert_with(|| {
                self.scratch.extend_from_slice(old.members(set));
                self.sets.number(&mut self.scratch).0 as u32
            });
        }
        self.n_live = self.sets.n_members();
    }
}

fn pack(label: u32, block: u32) -> u64 {
    u64::from(label) << 32 | u64::from(block)
}

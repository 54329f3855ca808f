//! The shortest run that keeps all promises: of every place where a loop may begin, the shortest way
//! there and, breadth first, the shortest way round that keeps each promise once.

use rustc_hash::FxHashMap;

use super::lasso::{Node, Product};

/// How many pairs of a node and kept promises are looked at for all loops together.
const PATIENCE: usize = 4_000_000;

/// A state with what is promised and remembered there: what can follow depends on nothing else.
type Place = (usize, u32, u32);

fn place(node: Node) -> Place {
    (node.to, node.promised, node.remembered)
}

/// A place where a loop may begin.
#[derive(Clone)]
struct Entry {
    /// How many nodes lead there, and the last of them; none from the initial state itself.
    before: usize,
    node: Option<usize>,
    place: Place,
    component: usize,
    /// The first nodes of the loop.
    first: Vec<usize>,
}

impl Product<'_> {
    /// The nodes before the loop and in it, the last of which is where the loop begins again, and the
    /// initial state where all of them are in the loop; nothing if that is too much work.
    pub(super) fn shortest(&self, components: &[Vec<usize>]) -> Option<Run> {
        let mut component_of = vec![usize::MAX; self.nodes.len()];
        for (number, component) in components.iter().enumerate() {
            component.iter().for_each(|node| component_of[*node] = number);
        }
        let mut entries = self.entries(components, &component_of);
        entries.sort_by_key(|entry| (entry.before, entry.node, entry.place));
        let (mut best, mut left): (Option<(usize, Entry, Vec<usize>)>, usize) = (None, PATIENCE);
        for entry in entries {
            let most = best.as_ref().map_or(usize::MAX, |(total, ..)| *total - 1);
            if entry.before >= most {
                break;
            }
            let round = self.round(&entry, &component_of, most - entry.before, &mut left);
            if left == 0 {
                return None;
            }
            if let Some(round) = round {
                best = Some((entry.before + round.len(), entry, round));
            }
        }
        best.map(|(_, entry, round)| Run {
            before: entry.node.map_or_else(Vec::new, |node| self.way_to(node)),
            start: entry.place.0,
            round,
        })
    }

    /// Every place of a component once, by its shortest way, and initial states.
    fn entries(&self, components: &[Vec<usize>], component_of: &[usize]) -> Vec<Entry> {
        let mut length: Vec<usize> = Vec::with_capacity(self.nodes.len());
        let mut nearest: FxHashMap<Place, usize> = FxHashMap::default();
        for (node, before) in self.before.iter().enumerate() {
            length.push(before.map_or(1, |before| length[before] + 1));
            let known = nearest.entry(place(self.nodes[node])).or_insert(node);
            if length[node] < length[*known] {
                *known = node;
            }
        }
        let mut entries = Vec::new();
        for &(state, promised, node) in &self.starts {
            let (place, component) = ((state, promised, 0), component_of[node]);
            if component != usize::MAX {
                entries.push(Entry { before: 0, node: None, place, component, first: vec![node] });
            }
        }
        for (number, component) in components.iter().enumerate() {
            let mut seen: FxHashMap<Place, ()> = FxHashMap::default();
            for &node in component {
                let place = place(self.nodes[node]);
                if seen.insert(place, ()).is_none() {
                    let nearest = nearest[&place];
                    let first = self.next[node].clone();
                    let (before, node) = (length[nearest], Some(nearest));
                    entries.push(Entry { before, node, place, component: number, first });
                }
            }
        }
        entries
    }

    /// The shortest way round from a place to itself, of so many nodes at most.
    fn round(
        &self,
        entry: &Entry,
        component_of: &[usize],
        most: usize,
        left: &mut usize,
    ) -> Option<Vec<usize>> {
        type Seen = (usize, u32);
        let all = (1u32 << self.skeleton.fair.len()) - 1;
        let mut before: FxHashMap<Seen, Option<Seen>> = FxHashMap::default();
        let mut layer: Vec<Seen> = Vec::new();
        let mut open: Vec<(Option<Seen>, &[usize])> = vec![(None, &entry.first)];
        for _ in 0..most {
            for (from, next) in open {
                for &node in next.iter().filter(|node| component_of[**node] == entry.component) {
                    let kept = from.map_or(0, |(_, kept)| kept) | self.nodes[node].kept;
                    if before.contains_key(&(node, kept)) {
                        continue;
                    }
                    *left = left.checked_sub(1)?;
                    before.insert((node, kept), from);
                    if kept == all && place(self.nodes[node]) == entry.place {
                        let mut round = vec![node];
                        let mut at = from;
                        while let Some(seen) = at {
                            round.push(seen.0);
                            at = before[&seen];
                        }
                        round.reverse();
                        return Some(round);
                    }
                    layer.push((node, kept));
                }
            }
            if layer.is_empty() {
                return None;
            }
            let last = std::mem::take(&mut layer);
            open = last.into_iter().map(|seen| (Some(seen), &*self.next[seen.0])).collect();
        }
        None
    }

    /// The nodes from the first step to one, in order.
    fn way_to(&self, node: usize) -> Vec<usize> {
        let mut way = vec![node];
        while let Ok(before) = self.before[way[way.len() - 1]] {
            way.push(before);
        }
        way.reverse();
        way
    }
}

/// A run as nodes.
pub(super) struct Run {
    pub(super) before: Vec<usize>,
    /// The state in which the loop begins.
    pub(super) start: usize,
    pub(super) round: Vec<usize>,
}

//! One acceptance set instead of several: a location is copied for each number of sets that a run
//! may have passed, in order, since it last passed them all (Gastin and Oddoux, CAV 2001).

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Edge, Location, Marks};
use crate::reduce;

impl Automaton {
    /// An automaton with exactly one acceptance set that accepts the same words.
    #[must_use]
    pub fn degeneralise(&self) -> Automaton {
        match self.n_sets {
            0 => {
                let mark = |edge: &Edge| Edge { marks: 1, ..*edge };
                let edges = self.edges.iter().map(|edges| edges.iter().map(mark).collect());
                Automaton { initial: self.initial.clone(), edges: edges.collect(), n_sets: 1 }
            }
            1 => self.clone(),
            _ => {
                let mut counted = self.counted();
                reduce::reduce(&mut counted);
                counted.degeneralise()
            }
        }
    }

    fn counted(&self) -> Automaton {
        let components = self.components();
        let mut names: FxHashMap<(Location, u32), Location> = FxHashMap::default();
        let mut order: Vec<(Location, u32)> = Vec::new();
        let mut name = |place: (Location, u32), order: &mut Vec<_>| {
            *names.entry(place).or_insert_with(|| {
                order.push(place);
                Location(order.len() as u32 - 1)
            })
        };
        let initial = self.initial.iter().map(|&start| name((start, 0), &mut order)).collect();
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        while let Some(&(location, level)) = order.get(edges.len()) {
            let mut counted = Vec::new();
            for edge in &self.edges[location.index()] {
                let leaves = components.of[location.index()] != components.of[edge.to.index()];
                let (level, all) =
                    if leaves { (0, false) } else { advance(level, edge.marks, self.n_sets) };
                let to = name((edge.to, level), &mut order);
                counted.push(Edge { label: edge.label, marks: Marks::from(all), to });
            }
            edges.push(counted);
        }
        Automaton { initial, edges, n_sets: 1 }
    }
}

/// How many sets have been passed after an edge with these marks, and whether that made them all.
fn advance(mut level: u32, marks: Marks, n_sets: u32) -> (u32, bool) {
    let passed = |level: u32| level < n_sets && marks >> level & 1 == 1;
    while passed(level) {
        level += 1;
    }
    if level < n_sets {
        return (level, false);
    }
    level = 0;
    while passed(level) {
        level += 1;
    }
    (if level == n_sets { 0 } else { level }, true)
}

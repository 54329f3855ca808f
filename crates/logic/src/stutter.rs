//! Whether repeating a step can change a formula's truth: only formulas on which it cannot may be
//! checked on a model whose independent steps were left out.

use crate::automaton::{Automaton, Edge, Location, Marks};
use crate::formula::Formula;
use crate::translate::{TranslationError, translate};

/// Most edges of an automaton closed under stuttering.
const MAX_EDGES: usize = 20_000;

impl Formula {
    /// Whether the truth of a linear formula is the same on any two runs that differ only in how
    /// often steps with the same letter repeat. Exact; quick where [`Formula::is_next_free`].
    ///
    /// The formula and its negation are translated, both are made to accept what repetitions can be
    /// removed to, and a common word is looked for (Michaud and Duret-Lutz, SPIN 2015).
    pub fn is_stutter_invariant(&self) -> Result<bool, TranslationError> {
        if self.is_next_free() {
            return Ok(true);
        }
        let with = closed(translate(self)?)?;
        let without = closed(translate(&!self.clone())?)?;
        Ok(with.and(&without).is_empty())
    }
}

/// Adds an edge for every two that can read the same letter one after the other.
fn closed(automaton: Automaton) -> Result<Automaton, TranslationError> {
    let mut edges = automaton.edges;
    let mut changed = true;
    while changed {
        changed = false;
        for from in 0..edges.len() {
            let mut at = 0;
            while at < edges[from].len() {
                let first = edges[from][at];
                for second in edges[first.to.index()].clone() {
                    if let Some(label) = first.label.and(second.label) {
                        let marks = first.marks | second.marks;
                        changed |= insert(&mut edges[from], Edge { label, marks, to: second.to });
                    }
                }
                at += 1;
            }
        }
        if edges.iter().map(Vec::len).sum::<usize>() > MAX_EDGES {
            return Err(TranslationError::TooLarge);
        }
    }
    Ok(Automaton { edges, ..automaton })
}

/// Adds an edge unless one that is as good is there.
fn insert(edges: &mut Vec<Edge>, edge: Edge) -> bool {
    let as_good = |known: &Edge| {
        known.to == edge.to && edge.label.implies(known.label) && edge.marks & !known.marks == 0
    };
    let new = !edges.iter().any(as_good);
    if new {
        edges.push(edge);
    }
    new
}

impl Automaton {
    /// The automaton that accepts what both accept.
    #[must_use]
    pub fn and(&self, other: &Automaton) -> Automaton {
        if self.n_sets + other.n_sets > Marks::BITS {
            return self.degeneralise().and(&other.degeneralise());
        }
        let width = other.n_locations();
        let pair = |a: Location, b: Location| Location((a.index() * width + b.index()) as u32);
        let mut edges = Vec::with_capacity(self.n_locations() * width);
        for left in &self.edges {
            for right in &other.edges {
                let both = left.iter().flat_map(|a| {
                    right.iter().filter_map(move |b| {
                        let label = a.label.and(b.label)?;
                        let marks = a.marks | b.marks << self.n_sets.min(Marks::BITS - 1);
                        Some(Edge { label, marks, to: pair(a.to, b.to) })
                    })
                });
                edges.push(both.collect());
            }
        }
        let starts =
            self.initial.iter().flat_map(|&a| other.initial.iter().map(move |&b| pair(a, b)));
        Automaton { initial: starts.collect(), edges, n_sets: self.n_sets + other.n_sets }
    }
}

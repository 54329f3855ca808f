//! Minimal automata by partition refinement (Moore 1956): states are told apart by whether they
//! accept and by where their letters lead. States are numbered anew, breadth-first.

use rustc_hash::FxHashMap;

use super::piece::{Letter, Local, Piece, State, Target};

/// What tells states apart in one round.
type Signature = (u32, Vec<(Letter, Target)>);

/// The smallest piece with the same behaviour.
pub(crate) fn minimise(piece: &Piece) -> Piece {
    let classes = refine(piece);
    let mut numbers: FxHashMap<u32, Local> = FxHashMap::default();
    let mut representatives = vec![Local::START];
    numbers.insert(classes[0], Local::START);
    let mut states = Vec::new();
    while states.len() < representatives.len() {
        let State { edges, accepting } = piece.state(representatives[states.len()]);
        let mut renumbered = Vec::with_capacity(edges.len());
        for &(letter, target) in edges {
            let Target::State(to) = target else {
                renumbered.push((letter, target));
                continue;
            };
            let number = *numbers.entry(classes[to.index()]).or_insert_with(|| {
                representatives.push(to);
                Local(representatives.len() as u32 - 1)
            });
            renumbered.push((letter, Target::State(number)));
        }
        states.push(State { edges: renumbered, accepting: *accepting });
    }
    Piece { states, forks: piece.forks.clone() }
}

/// The class of each state.
fn refine(piece: &Piece) -> Vec<u32> {
    let mut classes: Vec<u32> =
        piece.states.iter().map(|state| u32::from(state.accepting)).collect();
    let mut n_classes = 0;
    loop {
        let mut known: FxHashMap<Signature, u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(classes.len());
        for (state, &class) in piece.states.iter().zip(&classes) {
            let to_class = |&(letter, target): &(Letter, Target)| match target {
                Target::State(to) => (letter, Target::State(Local(classes[to.index()]))),
                Target::Leave(_) => (letter, target),
            };
            let signature = (class, state.edges.iter().map(to_class).collect());
            let fresh = known.len() as u32;
            next.push(*known.entry(signature).or_insert(fresh));
        }
        classes = next;
        if known.len() == n_classes {
            return classes;
        }
        n_classes = known.len();
    }
}

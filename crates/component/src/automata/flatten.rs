//! One automaton for a whole component, forks and all: the minimal deterministic one. For sizes,
//! for comparing languages, and for adjustment; compositions never need it.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_model::Value;
use rustc_hash::FxHashMap;

use super::build::TooLarge;
use super::minimise::minimise;
use super::moves::{ends, moves, slots};
use super::piece::{ExitId, Letter, Local, Piece, State, Target};

/// Most configurations of all sets together.
const BUDGET: usize = 1 << 21;

type Configuration = Vec<Value>;

/// The minimal deterministic automaton with the language of a component; it has no forks.
pub fn flatten(piece: &Piece) -> Result<Piece, TooLarge> {
    if !piece.is_affordable() {
        return Err(TooLarge);
    }
    let (all_moves, ends) = (moves(piece), ends(piece));
    let start: Vec<Configuration> = vec![vec![0; slots(piece).len()]];
    let mut numbers = FxHashMap::from_iter([(start.clone(), Local::START)]);
    let mut sets = vec![start];
    let mut states = Vec::new();
    let mut budget = BUDGET;
    while states.len() < sets.len() {
        let set = sets[states.len()].clone();
        let mut reached: BTreeMap<Letter, (BTreeSet<Configuration>, BTreeSet<ExitId>)> =
            BTreeMap::new();
        for configuration in &set {
            for one in all_moves.iter().filter(|one| one.region.contains(configuration)) {
                let (targets, exits) = reached.entry(Letter::Step(one.step)).or_default();
                if let Some(exit) = one.exit {
                    exits.insert(exit);
                    continue;
                }
                let mut next = configuration.clone();
                for &(slot, value) in &one.effects {
                    next[slot as usize] = value;
                }
                targets.insert(next);
            }
        }
        let mut edges = Vec::new();
        for (letter, (targets, exits)) in reached {
            if !targets.is_empty() {
                let targets: Vec<Configuration> = targets.into_iter().collect();
                let number = match numbers.get(&targets) {
                    Some(&known) => known,
                    None => {
                        budget = budget.checked_sub(targets.len()).ok_or(TooLarge)?;
                        let number = Local(sets.len() as u32);
                        sets.push(targets.clone());
                        numbers.insert(targets, number);
                        number
                    }
                };
                edges.push((letter, Target::State(number)));
            }
            edges.extend(exits.into_iter().map(|exit| (letter, Target::Leave(exit))));
        }
        let accepting = set.iter().any(|c| ends.iter().any(|end| end.contains(c)));
        states.push(State { edges, accepting });
    }
    Ok(minimise(&Piece { states, forks: Vec::new() }))
}

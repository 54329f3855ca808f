//! One automaton for a whole component, forks and all: the minimal deterministic one. For sizes,
//! for comparing languages, and for adjustment; compositions never need it.

use quadrille_model::Value;

use super::build::TooLarge;
use super::determinise::{Rest, state};
use super::forked_dfa::{ForkedDfa, Letter};
use super::minimise::minimise;
use super::moves::{ends, moves, slots};

/// Most configurations of all sets together.
const BUDGET: usize = 1 << 21;

type Configuration = Vec<Value>;

/// The minimal deterministic automaton with the language of a component; it has no forks.
pub fn flatten(dfa: &ForkedDfa) -> Result<ForkedDfa, TooLarge> {
    if !dfa.is_affordable() {
        return Err(TooLarge);
    }
    let (all_moves, ends) = (moves(dfa), ends(dfa));
    let start: Configuration = vec![0; slots(dfa).len()];
    let mut budget = BUDGET;
    let states = quadrille_graph::determinise(vec![start], |set: &[Configuration], edges| {
        budget = budget.checked_sub(set.len()).ok_or(TooLarge)?;
        let mut rest = Rest::default();
        for configuration in set {
            rest.accepting |= ends.iter().any(|end| end.contains(configuration));
            for one in all_moves.iter().filter(|one| one.region.contains(configuration)) {
                let letter = Letter::Step(one.step);
                match one.exit {
                    Some(exit) => rest.leaves.push((letter, exit)),
                    None => edges.push((letter, one.after(configuration))),
                }
            }
        }
        Ok(rest)
    })?;
    Ok(minimise(&ForkedDfa { states: states.into_iter().map(state).collect(), forks: Vec::new() }))
}

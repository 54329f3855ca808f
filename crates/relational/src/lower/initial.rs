//! Initial states by case distinctions: what `init`, the facts and the multiplicities ask for is one
//! condition on all rows, and its pieces are the states.

use super::circuit::{Bit, Circuit, FALSE, TRUE, values};
use super::ground::{Grounder, may_fail};
use super::matrix::MOST_COLUMNS;
use super::split::{Splitting, pieces};
use super::{MOST_GATES, matrices};
use crate::eval::{Bindings, State, fits};
use crate::ground::World;
use crate::system::layout::Layout;
use crate::types::Design;

/// Most pieces; where there are more, states are tried out one by one.
const MOST_PIECES: usize = 1 << 12;

/// Most initial states that are listed.
const MOST_LISTED: usize = 1 << 16;

/// All initial states; `None` where that takes too many cases, or a formula may fail.
pub(crate) fn initial(design: &Design, world: &World, layout: &Layout) -> Option<Vec<State>> {
    let declared = || design.declared.iter().map(|(declared, _)| declared);
    let assumed = || design.invariants.iter().chain(&world.existence);
    let formulas = || std::iter::once(&design.init).chain(declared()).chain(assumed());
    let is_wide = design.relations.iter().any(|relation| relation.arity() > MOST_COLUMNS);
    if is_wide || formulas().any(may_fail) {
        return None;
    }
    let mut circuit = Circuit::new(layout.values());
    let now = matrices(design, layout, &mut circuit);
    let next = now.clone();
    let bound = Bindings::new();
    let failures = Vec::new();
    let mut grounder =
        Grounder { design, world, circuit, now, next, bound, failures, is_too_wide: false };
    let mut parts: Vec<Bit> = formulas().map(|formula| grounder.holds(formula, FALSE)).collect();
    for (relation, rows) in design.relations.iter().zip(&world.rows) {
        // A row that can hold nothing has no slot.
        if rows.values().any(|atoms| *atoms == 0) && !fits(relation.mult, 0) {
            parts.push(FALSE);
        }
    }
    for row in &layout.rows {
        let bits = (0..row.atoms.len()).map(|position| {
            let (slot, value) = row.place(position);
            grounder.circuit.test(slot, 1 << value)
        });
        let bits: Vec<Bit> = bits.collect();
        parts.push(grounder.count(row.mult, bits));
    }
    if grounder.is_too_wide || grounder.circuit.len() > MOST_GATES {
        return None;
    }
    let when = grounder.circuit.and(parts);
    let splitting = Splitting { effects: false, guards: true, most: MOST_PIECES };
    let found = pieces(&mut grounder.circuit, when, Vec::new(), splitting);
    let mut vectors = Vec::new();
    for piece in found {
        let n = piece.known.iter().try_fold(1usize, |n, known| {
            n.checked_mul(known.count_ones() as usize).filter(|n| *n <= MOST_LISTED)
        });
        if n? + vectors.len() > MOST_LISTED || piece.rest.iter().any(|bit| *bit != TRUE) {
            return None;
        }
        let mut open = vec![Vec::new()];
        for known in piece.known {
            let longer = open.iter().flat_map(|vector: &Vec<_>| {
                values(known).map(move |value| [&vector[..], &[value]].concat())
            });
            open = longer.collect();
        }
        vectors.extend(open);
    }
    Some(vectors.iter().map(|vector| layout.decode(vector)).collect())
}

//! Atoms that nothing tells apart. Total orders of such atoms are fixed, and of solutions that differ by
//! an exchange of two atoms only the lexically least is kept (Crawford, Ginsberg, Luks and Roy 1996), by
//! one exchange for all states.

use quadrille_solve::{Circuit, Lit, Tuple, columns, tuple};

use crate::core::{NodeId, Op, RelId, children};
use crate::lower::Lowered;
use crate::names::world::World;
use crate::scope::{Bounds, Role};
use crate::translate::Inputs;

/// How many places of a solution are compared for each exchange.
const COMPARED: usize = 120;

/// Classes of atoms that bounds do not tell apart.
pub(crate) fn classes(bounds: &Bounds) -> Vec<Vec<u16>> {
    let mut keys: Vec<(Vec<u32>, u16)> = Vec::new();
    for atom in 0..bounds.integers.start {
        let mut key = Vec::new();
        for (number, relation) in bounds.relations.iter().enumerate() {
            // Bounds of wider relations are products of those of signatures.
            if relation.arity == 1 {
                let is_in = |tuples: &[Tuple]| tuples.contains(&Tuple::from(atom));
                key.push(number as u32 * 4 + u32::from(is_in(&relation.upper)));
                key.push(number as u32 * 4 + 2 + u32::from(is_in(&relation.lower)));
            }
        }
        for (sig, upper) in bounds.sig_upper.iter().enumerate() {
            if upper.contains(&atom) {
                key.push(1_000_000 + sig as u32);
            }
        }
        keys.push((key, atom));
    }
    keys.sort();
    let mut classes: Vec<Vec<u16>> = Vec::new();
    for same in keys.chunk_by(|a, b| a.0 == b.0) {
        classes.push(same.iter().map(|(_, atom)| *atom).collect());
    }
    classes.retain(|class| class.len() > 1);
    classes.sort();
    classes
}

/// Fixes total orders whose elements nothing tells apart, and those of enumerations as they are
/// written; the atoms of the former are told apart from then on.
pub(crate) fn fix_orders(
    world: &World,
    bounds: &mut Bounds,
    lowered: &Lowered,
    is_on: bool,
    classes: &mut Vec<Vec<u16>>,
) {
    for claim in &lowered.facts {
        for (elements, first, next) in orders(bounds, claim.formula) {
            let Some((atoms, is_enum)) = ordered(world, bounds, elements) else { continue };
            let fixed = |relation: RelId| bounds.relations[relation.0 as usize].lower.len();
            if fixed(first) + fixed(next) > 0 || atoms.is_empty() {
                continue;
            }
            if !is_enum {
                let class = classes.iter().position(|class| *class == atoms);
                match class {
                    Some(class) if is_on => {
                        classes.remove(class);
                    }
                    // One atom, or none, has one order.
                    _ if atoms.len() == 1 => {}
                    _ => continue,
                }
            }
            let chain: Vec<Tuple> = atoms.windows(2).map(tuple).collect();
            for (relation, tuples) in [(first, vec![Tuple::from(atoms[0])]), (next, chain)] {
                let relation = &mut bounds.relations[relation.0 as usize];
                relation.lower.clone_from(&tuples);
                relation.upper = tuples;
            }
        }
    }
}

/// Total orders that a formula demands outright.
fn orders(bounds: &Bounds, formula: NodeId) -> Vec<(NodeId, RelId, RelId)> {
    match bounds.core.op(formula) {
        Op::TotalOrder(elements, first, next) => {
            match (bounds.core.op(*first), bounds.core.op(*next)) {
                (Op::Rel(first), Op::Rel(next)) => vec![(*elements, *first, *next)],
                _ => Vec::new(),
            }
        }
        Op::And(parts) => parts.iter().flat_map(|part| orders(bounds, *part)).collect(),
        _ => Vec::new(),
    }
}

/// The atoms of a set that has exactly those, and whether it is an enumeration.
fn ordered(world: &World, bounds: &Bounds, node: NodeId) -> Option<(Vec<u16>, bool)> {
    let mut certain: Vec<u16> = Vec::new();
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        match bounds.core.op(node) {
            Op::Rel(id) => {
                let relation = &bounds.relations[id.0 as usize];
                if relation.lower != relation.upper {
                    return None;
                }
                certain.extend(relation.lower.iter().map(|tuple| columns(*tuple, 1)[0]));
            }
            op @ Op::Union(..) => todo.extend(children(op)),
            _ => return None,
        }
    }
    let is_enum =
        world.declared().any(|sig| world.sig(sig).is_enum && bounds.sigs[sig.index()] == node);
    certain.sort_unstable();
    Some((certain, is_enum))
}

/// The least of those that differ by an exchange of two atoms of a class.
pub(crate) fn break_symmetry(
    bounds: &Bounds,
    classes: &[Vec<u16>],
    n_states: usize,
    inputs: &mut Inputs,
    circuit: &mut Circuit,
) -> Lit {
    let mut parts = Vec::new();
    for class in classes {
        for pair in class.windows(2) {
            let vector = compared(bounds, (pair[0], pair[1]), n_states, inputs, circuit);
            let mut least = Lit::TRUE;
            for (here, there) in vector.into_iter().rev() {
                let same = circuit.iff(here, there);
                let less = circuit.and(!here, there);
                let stays = circuit.and(same, least);
                least = circuit.or(less, stays);
            }
            parts.push(least);
        }
    }
    circuit.all(parts)
}

/// What the places of a solution hold, before and after an exchange, as far as they differ.
fn compared(
    bounds: &Bounds,
    (a, b): (u16, u16),
    n_states: usize,
    inputs: &mut Inputs,
    circuit: &mut Circuit,
) -> Vec<(Lit, Lit)> {
    let mut vector = Vec::new();
    let mut seen: Vec<(Lit, Lit)> = Vec::new();
    // What is static, then state by state what changes; signatures first.
    let mut order: Vec<usize> = (0..bounds.relations.len()).collect();
    order.retain(|at| !matches!(bounds.relations[*at].role, Role::Skolem(_)));
    order.sort_by_key(|at| (bounds.relations[*at].arity, *at));
    let (changing, fixed): (Vec<usize>, Vec<usize>) =
        order.into_iter().partition(|at| bounds.relations[*at].is_var);
    let fixed = fixed.into_iter().map(|at| (at, 0));
    let changing = (0..n_states).flat_map(|state| changing.iter().map(move |at| (*at, state)));
    for (at, state) in fixed.chain(changing) {
        let matrix = inputs.of(bounds, RelId(at as u32), state, circuit);
        for (cell, here) in matrix.cells() {
            if vector.len() >= COMPARED {
                return vector;
            }
            let mut atoms = columns(*cell, matrix.arity());
            for atom in &mut atoms {
                if *atom == a {
                    *atom = b;
                } else if *atom == b {
                    *atom = a;
                }
            }
            let there = matrix.get(tuple(&atoms));
            // The second of two places that are exchanged says nothing new.
            if there != *here && !seen.contains(&(there, *here)) {
                vector.push((*here, there));
                seen.push((*here, there));
            }
        }
    }
    vector
}

//! The atoms that quantifiers at the outside of a command chose in an instance, for people.

use crate::core::{NodeId, Op};
use crate::evaluate::{Evaluator, Tuples};
use crate::instance::Content;
use crate::names::world::{VarId, World};

/// Of each `some` at the outside of a formula, the variable and the first atom for which the rest holds.
fn chosen(evaluator: &mut Evaluator<'_>, node: NodeId, found: &mut Vec<(VarId, u16)>) {
    let core = evaluator.core();
    match core.op(node) {
        Op::And(parts) => parts.iter().for_each(|part| chosen(evaluator, *part, found)),
        Op::Not(of) => {
            let Op::All(var, set, body) = *core.op(*of) else { return };
            for atom in evaluator.tuples(set, 0) {
                let is_chosen = evaluator.with(var, Tuples::from([atom.clone()]), |it| {
                    if it.holds(body, 0) {
                        return false;
                    }
                    found.push((var, atom[0]));
                    if let Op::Not(rest) = *core.op(body) {
                        chosen(it, rest, found);
                    }
                    true
                });
                if is_chosen {
                    return;
                }
            }
        }
        _ => {}
    }
}

/// The same as what is shown of an instance; of variables with one name the first.
pub(super) fn witnesses(
    world: &World,
    atoms: &[String],
    evaluator: &mut Evaluator<'_>,
    goal: impl Iterator<Item = NodeId>,
) -> Vec<Content> {
    let mut found = Vec::new();
    goal.for_each(|node| chosen(evaluator, node, &mut found));
    let mut shown: Vec<Content> = Vec::new();
    for (var, atom) in found {
        let name = format!("${}", world.var(var).name);
        if shown.iter().all(|it| it.name != name) {
            let states = vec![vec![vec![atoms[usize::from(atom)].clone()]]];
            shown.push(Content { name, is_var: false, states, arity: 1 });
        }
    }
    shown
}

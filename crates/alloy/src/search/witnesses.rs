//! The atoms that quantifiers at the outside of a command chose in an instance, for people.

use crate::core::{NodeId, Op};
use crate::evaluate::{Evaluator, Tuples};
use crate::instance::Content;
use crate::names::world::{VarId, World};

/// Of each `some` at the outside of a formula or its denial, the variable and the first atom for which
/// the rest holds.
fn chosen(
    evaluator: &mut Evaluator<'_>,
    node: NodeId,
    is_denied: bool,
    found: &mut Vec<(VarId, u16)>,
) {
    match *evaluator.core().op(node) {
        Op::And(ref parts) if !is_denied => {
            parts.iter().for_each(|part| chosen(evaluator, *part, false, found));
        }
        Op::Not(of) => chosen(evaluator, of, !is_denied, found),
        Op::All(var, set, body) if is_denied => {
            for atom in evaluator.tuples(set, 0) {
                let is_chosen = evaluator.with(var, Tuples::from([atom.clone()]), |it| {
                    if it.holds(body, 0) {
                        return false;
                    }
                    found.push((var, atom[0]));
                    chosen(it, body, true, found);
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
    goal.for_each(|node| chosen(evaluator, node, false, &mut found));
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

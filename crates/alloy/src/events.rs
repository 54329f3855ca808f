//! What happens between the states of a trace: predicates of the specification that hold of a state and
//! the next one, with their arguments, and signatures of events that are there.

use crate::core::{Op, Tense};
use crate::evaluate::{Evaluator, Tuples, Values};
use crate::induction::is_local;
use crate::lower::{called, lower_predicate};
use crate::names::world::{Belongs, FunctionId, SigId, World};
use crate::scope::Bounds;
use crate::syntax::tree::Mult;

/// Of each state, what happens there.
pub(crate) fn events(world: &World, bounds: &Bounds, values: &Values) -> Vec<Vec<String>> {
    let mut events = vec![Vec::new(); values.length];
    if !bounds.relations.iter().any(|relation| relation.is_var) {
        return events;
    }
    by_signatures(world, bounds, values, &mut events);
    if events.iter().all(Vec::is_empty) {
        by_predicates(world, bounds, values, &mut events);
    }
    events
}

fn names(bounds: &Bounds, tuple: &[u16]) -> Vec<String> {
    tuple.iter().map(|atom| bounds.atoms[usize::from(*atom)].clone()).collect()
}

fn shown(name: &str, arguments: &[String]) -> String {
    match arguments {
        [] => name.to_owned(),
        _ => format!("{name}[{}]", arguments.join(", ")),
    }
}

/// Extensions of `one var abstract sig Event`, with their fields.
fn by_signatures(world: &World, bounds: &Bounds, values: &Values, events: &mut [Vec<String>]) {
    let is_event = |id: SigId| {
        let sig = world.sig(id);
        sig.is_var && sig.is_abstract && sig.mult == Some(Mult::One)
    };
    let mut evaluator = Evaluator::new(bounds, values);
    for id in world.declared() {
        let Belongs::Prim(parent) = world.sig(id).belongs else { continue };
        if parent.is_built_in() || !is_event(parent) {
            continue;
        }
        for (time, events) in events.iter_mut().enumerate() {
            for atom in evaluator.tuples(bounds.sigs[id.index()], time) {
                let mut arguments = Vec::new();
                for field in world.sig(id).decls.iter().flat_map(|decl| &decl.fields) {
                    let tuples = evaluator.tuples(bounds.fields[field.0 as usize], time);
                    let own = tuples.iter().filter(|tuple| tuple[0] == atom[0]);
                    let rest: Vec<String> =
                        own.map(|tuple| names(bounds, &tuple[1..]).join("->")).collect();
                    arguments.push(rest.join(" + "));
                }
                events.push(shown(&world.sig(id).name, &arguments));
            }
        }
    }
}

/// Predicates that speak of a state and the next one, but for those that others call.
fn by_predicates(world: &World, bounds: &Bounds, values: &Values, events: &mut [Vec<String>]) {
    let mut bounds = bounds.clone();
    let mut found = Vec::new();
    for id in world.predicates() {
        let Some(node) = lower_predicate(world, id, &mut bounds) else { continue };
        let about = match bounds.core.op(node) {
            Op::Comprehension(_, body) => *body,
            _ => node,
        };
        if bounds.core.tense(about) == Tense::Temporal && is_local(&bounds.core, about) {
            found.push((id, node));
        }
    }
    let helpers: Vec<FunctionId> = found.iter().flat_map(|(id, _)| called(world, *id)).collect();
    found.retain(|(id, _)| !helpers.contains(id));
    let mut evaluator = Evaluator::new(&bounds, values);
    for (time, events) in events.iter_mut().enumerate() {
        for (id, node) in &found {
            let name = &world.function(*id).name;
            if bounds.core.arity(*node) == 0 {
                events.extend(evaluator.holds(*node, time).then(|| name.clone()));
                continue;
            }
            let tuples: Tuples = evaluator.tuples(*node, time);
            events.extend(tuples.iter().map(|tuple| shown(name, &names(&bounds, tuple))));
        }
    }
}

//! B5: two components that can begin with nothing but one event together. It is taken as done, unless a
//! third could meanwhile emit something that is accepted only afterwards.

use super::automaton::{AutomatonPath, normalise};
use super::facts::Facts;
use super::log::{Entry, Rule, Transition, Undo};
use super::serial::sorted;
use super::system::ComponentSystem;
use crate::automata::{DfaStateId, EventId, ForkedDfa, Letter, Role, StepId, Target};
use crate::composition::UnitId;

/// A component that must begin with a step.
struct Beginning {
    unit: UnitId,
    step: StepId,
    to: DfaStateId,
}

/// Applies the rule once.
pub(super) fn apply(system: &mut ComponentSystem, log: &mut Vec<Entry>) -> bool {
    let found = {
        let facts = Facts::new(system);
        facts.events().find_map(|event| Some((event, find(system, &facts, event)?)))
    };
    let Some((event, beginnings)) = found else { return false };
    let step = sorted(beginnings.iter().map(|one| (one.unit, one.step)).collect());
    let mut entry = Entry {
        rule: Rule::Initial,
        components: Vec::new(),
        events: vec![event],
        removed: Vec::new(),
        undo: Undo::First { step },
    };
    for Beginning { unit, step, to } in beginnings {
        let unit = &mut system.units[unit.index()];
        start_at(&mut unit.dfa, to);
        normalise(&mut unit.dfa);
        entry.components.push(unit.name.clone());
        let component = unit.name.clone();
        entry.removed.push(Transition { component, from: DfaStateId::START, step, to });
    }
    log.push(entry);
    true
}

fn find(system: &ComponentSystem, facts: &Facts<'_>, event: EventId) -> Option<[Beginning; 2]> {
    let first = |role: Role| {
        let mut units = facts.uses(event).iter().filter(|one| one.role == role);
        let unit = units.next()?.place.unit;
        units.all(|one| one.place.unit == unit).then_some(unit)
    };
    let (emitter, acceptor) = (first(Role::Emit)?, first(Role::Accept)?);
    let is_bound =
        facts.is_bound(event, emitter, acceptor) && facts.is_bound(event, acceptor, emitter);
    if !is_bound || facts.uses(event).iter().any(|one| one.is_atomic) {
        return None;
    }
    let beginnings = [
        beginning(system, event, Role::Emit, emitter)?,
        beginning(system, event, Role::Accept, acceptor)?,
    ];
    let whole = |unit| AutomatonPath { unit, way: Vec::new() };
    let held_up = [emitter, acceptor].map(whole);
    let is_safe = |one: &Beginning| {
        let steps = facts.openings(&whole(one.unit), one.to);
        facts.is_harmless(one.unit, &steps, &[&held_up[0], &held_up[1]])
    };
    beginnings.iter().all(is_safe).then_some(beginnings)
}

/// How a component begins, if it can only begin with the event and never begins again.
fn beginning(
    system: &ComponentSystem,
    event: EventId,
    role: Role,
    unit: UnitId,
) -> Option<Beginning> {
    let dfa = &system.units[unit.index()].dfa;
    let start = dfa.state(DfaStateId::START);
    let mut edges = dfa.states.iter().flat_map(|state| &state.edges);
    let returns = edges.any(|edge| edge.1 == Target::State(DfaStateId::START));
    let [(Letter::Step(step), Target::State(to))] = start.edges[..] else { return None };
    let [part] = system.alphabet.step_events(step) else { return None };
    let fits = part.event == event && part.role == role && !start.accepting && !returns;
    fits.then_some(Beginning { unit, step, to })
}

/// Exchanges the initial state with another one.
fn start_at(dfa: &mut ForkedDfa, start: DfaStateId) {
    dfa.states.swap(DfaStateId::START.index(), start.index());
    for (_, target) in dfa.states.iter_mut().flat_map(|state| &mut state.edges) {
        if *target == Target::State(start) {
            *target = Target::State(DfaStateId::START);
        } else if *target == Target::State(DfaStateId::START) {
            *target = Target::State(start);
        }
    }
}

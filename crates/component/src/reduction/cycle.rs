//! B3: a component accepts an event in every state and stays there, so that emitting it is never wrong
//! and of no consequence. The event becomes one of the environment. Exact: the steps are the same.

use std::collections::{BTreeMap, BTreeSet};

use super::automaton::normalise;
use super::facts::Facts;
use super::log::{Entry, Rule, Transition, Undo};
use super::system::ComponentSystem;
use crate::automata::{DfaStateId, EventId, Letter, Role, StepEvent, StepId, Target, is_on};
use crate::composition::UnitId;

/// A method whose events a component always accepts.
struct Cycle {
    path: String,
    acceptor: UnitId,
    steps: Vec<(EventId, StepId)>,
}

/// Applies the rule once.
pub(super) fn apply(system: &mut ComponentSystem, log: &mut Vec<Entry>) -> bool {
    let Some(Cycle { path, acceptor, steps }) = find(system) else { return false };
    let unit = &mut system.units[acceptor.index()];
    let is_gone = |letter: Letter| steps.iter().any(|(_, step)| letter == Letter::Step(*step));
    let mut removed = Vec::new();
    for (from, state) in unit.dfa.states.iter_mut().enumerate() {
        state.edges.retain(|(letter, _)| !is_gone(*letter));
        let from = DfaStateId(from as u32);
        let component = unit.name.clone();
        removed.extend(steps.iter().map(|(_, step)| Transition {
            component: component.clone(),
            from,
            step: *step,
            to: from,
        }));
    }
    normalise(&mut unit.dfa);
    system.wiring.external.push(path);
    log.push(Entry {
        rule: Rule::Cycle,
        components: vec![unit.name.clone()],
        events: steps.iter().map(|(event, _)| *event).collect(),
        removed,
        undo: Undo::Accepted { by: acceptor, steps },
    });
    true
}

fn find(system: &ComponentSystem) -> Option<Cycle> {
    let facts = Facts::new(system);
    let mut paths: BTreeMap<&str, Vec<EventId>> = BTreeMap::new();
    for event in facts.events() {
        paths.entry(&system.alphabet.event_of(event).path).or_default().push(event);
    }
    paths.iter().find_map(|(path, events)| {
        // Names of the environment may stand for a whole interface.
        let is_alone = paths.keys().all(|other| other == path || !is_on(other, path));
        let mut acceptors = BTreeSet::new();
        let mut steps = Vec::new();
        for &event in events {
            let (acceptor, step) = accepted(system, &facts, event)?;
            acceptors.insert(acceptor);
            steps.push((event, step));
        }
        let (Some(&acceptor), 1, true) = (acceptors.first(), acceptors.len(), is_alone) else {
            return None;
        };
        Some(Cycle { path: (*path).to_owned(), acceptor, steps })
    })
}

/// The only component that accepts an event, always and without effect, from all its emitters.
fn accepted(
    system: &ComponentSystem,
    facts: &Facts<'_>,
    event: EventId,
) -> Option<(UnitId, StepId)> {
    let uses = facts.uses(event);
    let one = uses.iter().find(|one| one.role == Role::Accept)?;
    let (acceptor, step) = (one.place.unit, one.step);
    let dfa = &system.units[acceptor.index()].dfa;
    let stays = |from: usize| {
        let edges = &dfa.states[from].edges;
        edges.contains(&(Letter::Step(step), Target::State(DfaStateId(from as u32))))
    };
    let fits = |part: StepEvent, unit: UnitId| match part.role {
        Role::Accept => unit == acceptor,
        Role::Emit => {
            facts.is_bound(event, unit, acceptor) && facts.is_bound(event, acceptor, unit)
        }
        Role::Meet => false,
    };
    let all_fit = uses
        .iter()
        .all(|one| !one.is_atomic && fits(StepEvent { role: one.role, event }, one.place.unit));
    let always = dfa.forks.is_empty() && (0..dfa.states.len()).all(stays);
    (all_fit && always).then_some((acceptor, step))
}

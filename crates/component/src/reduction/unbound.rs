//! C1: accepting an event that no component emits never happens. Emitting one that no component accepts
//! is an error and stays.

use super::automaton::{dfa_at_mut, normalise};
use super::facts::Facts;
use super::log::{Entry, Rule, Transition, Undo};
use super::system::ComponentSystem;
use crate::automata::{Letter, Role, Target};

/// Applies the rule everywhere, one application per component and event.
pub(super) fn apply(system: &mut ComponentSystem, log: &mut Vec<Entry>) {
    let dead = {
        let facts = Facts::new(system);
        let mut dead = Vec::new();
        for event in facts.events() {
            for one in facts.uses(event).iter().filter(|one| one.role == Role::Accept) {
                if !facts.is_live(one.place.unit, event) {
                    dead.push((event, one.clone()));
                }
            }
        }
        dead
    };
    for (event, one) in &dead {
        let unit = &mut system.units[one.place.unit.index()];
        let dfa = dfa_at_mut(&mut unit.dfa, &one.place.way);
        let gone = (Letter::Step(one.step), one.target);
        dfa.states[one.from.index()].edges.retain(|edge| *edge != gone);
        let is_same =
            |entry: &Entry| entry.events == [*event] && entry.components == [unit.name.clone()];
        let known = log.iter().position(|entry| entry.rule == Rule::Unbound && is_same(entry));
        let position = known.unwrap_or_else(|| {
            log.push(Entry {
                rule: Rule::Unbound,
                components: vec![unit.name.clone()],
                events: vec![*event],
                removed: Vec::new(),
                undo: Undo::Same,
            });
            log.len() - 1
        });
        if let Target::State(to) = one.target {
            let component = unit.name.clone();
            let removed = Transition { component, from: one.from, step: one.step, to };
            log[position].removed.push(removed);
        }
    }
    if !dead.is_empty() {
        system.units.iter_mut().for_each(|unit| normalise(&mut unit.dfa));
    }
}

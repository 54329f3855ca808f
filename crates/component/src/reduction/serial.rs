//! B1 and B2: two automata that did one thing together and must at once do another, alone with each
//! other. The second is left out: `!a^ ; ?a$` against `?a^ ; !a$` becomes `!a^` against `?a^`.
//!
//! In between, neither accepts anything from another component. Where what follows does accept something,
//! leaving the second out could hide that it came too early; so every emitter of it must be one of the
//! two, or be forked by one of them: those are held up until the second has happened. This is also what
//! makes the start-up of a system removable.

use std::collections::{BTreeMap, BTreeSet};

use super::automaton::{AutomatonPath, dfa_at, dfa_at_mut, normalise};
use super::facts::{Channel, Facts, TransitionEvent};
use super::log::{ComponentStep, Entry, Rule, Transition, Undo};
use super::system::ComponentSystem;
use crate::automata::{
    DfaStateId, EventId, EventKind, ForkedDfa, Letter, Role, StepEvent, StepId, Target,
};

/// One side of what is left out.
struct Side {
    place: AutomatonPath,
    /// Where the second event starts, and where it leads.
    skipped: BTreeMap<DfaStateId, DfaStateId>,
    step: StepId,
    /// The events that lead to those states, as this side sees them.
    before: BTreeSet<StepEvent>,
}

/// Applies the rules, as far as they are wanted, once.
pub(super) fn apply(system: &mut ComponentSystem, rules: &[Rule], log: &mut Vec<Entry>) -> bool {
    let found = {
        let facts = Facts::new(system);
        facts.events().find_map(|event| {
            let sides = find(system, &facts, event)?;
            let rule = rule(system, event, &sides[0]);
            rules.contains(&rule).then_some((rule, event, sides))
        })
    };
    let Some((rule, event, sides)) = found else { return false };
    let step: Vec<ComponentStep> = sides.iter().map(|side| (side.place.unit, side.step)).collect();
    let mut entry = Entry {
        rule,
        components: Vec::new(),
        events: vec![event],
        removed: Vec::new(),
        undo: Undo::After {
            events: sides[0].before.iter().map(|part| part.event).collect(),
            step: sorted(step),
        },
    };
    for side in sides {
        let unit = &mut system.units[side.place.unit.index()];
        let dfa = dfa_at_mut(&mut unit.dfa, &side.place.way);
        for (_, target) in dfa.states.iter_mut().flat_map(|state| &mut state.edges) {
            if let Target::State(to) = target
                && let Some(behind) = side.skipped.get(to)
            {
                *target = Target::State(*behind);
            }
        }
        normalise(&mut unit.dfa);
        entry.components.push(unit.name.clone());
        entry.removed.extend(side.skipped.iter().map(|(from, to)| Transition {
            component: unit.name.clone(),
            from: *from,
            step: side.step,
            to: *to,
        }));
    }
    log.push(entry);
    true
}

pub(super) fn sorted(mut step: Vec<ComponentStep>) -> Vec<ComponentStep> {
    step.sort_unstable();
    step
}

fn rule(system: &ComponentSystem, event: EventId, side: &Side) -> Rule {
    let second = system.alphabet.event_of(event);
    let is_request = |part: &StepEvent| {
        let first = system.alphabet.event_of(part.event);
        first.kind == EventKind::Request && first.path == second.path
    };
    let is_call = second.kind == EventKind::Response && side.before.iter().all(is_request);
    if is_call { Rule::Call } else { Rule::Serial }
}

/// What leaving an event out means on both sides, if it may be left out.
fn find(system: &ComponentSystem, facts: &Facts<'_>, event: EventId) -> Option<[Side; 2]> {
    let Channel { emitter, acceptor } = facts.channel(event)?;
    if facts.may_be_killed(&emitter) || facts.may_be_killed(&acceptor) {
        return None;
    }
    let one = side(system, facts.uses(event), &emitter)?;
    let other = side(system, facts.uses(event), &acceptor)?;
    let inverse = |part: &StepEvent| StepEvent { role: part.role.inverse(), ..*part };
    if one.before != other.before.iter().map(inverse).collect() || one.before.is_empty() {
        return None;
    }
    let leads_there = |part: &StepEvent| {
        let Some(channel) = facts.channel(part.event) else { return false };
        let (from, to) = match part.role {
            Role::Emit => (&channel.emitter, &channel.acceptor),
            _ => (&channel.acceptor, &channel.emitter),
        };
        let skips = |used: &TransitionEvent| {
            let side = if used.place == one.place { &one } else { &other };
            matches!(used.target, Target::State(to) if side.skipped.contains_key(&to))
        };
        part.event != event
            && (from, to) == (&one.place, &other.place)
            && facts.uses(part.event).iter().all(skips)
    };
    if !one.before.iter().all(leads_there) {
        return None;
    }
    let held_up = [&one.place, &other.place];
    let is_safe = |side: &Side| {
        let mut behind = side.skipped.values();
        behind.all(|state| {
            let steps = facts.openings(&side.place, *state);
            facts.is_harmless(side.place.unit, &steps, &held_up)
        })
    };
    (is_safe(&one) && is_safe(&other)).then_some([one, other])
}

/// The states in which nothing but the event can happen, if all its transitions start in such states.
fn side(system: &ComponentSystem, uses: &[TransitionEvent], place: &AutomatonPath) -> Option<Side> {
    let dfa = dfa_at(&system.units[place.unit.index()].dfa, &place.way);
    let mut skipped = BTreeMap::new();
    let mut step = None;
    for one in uses.iter().filter(|one| one.place == *place) {
        let Target::State(to) = one.target else { return None };
        let state = dfa.state(one.from);
        if state.edges.len() != 1 || state.accepting || one.from == DfaStateId::START {
            return None;
        }
        skipped.insert(one.from, to);
        step = Some(one.step);
    }
    let before = arriving(system, dfa, &skipped)?;
    Some(Side { place: place.clone(), skipped, step: step?, before })
}

/// The events that lead to some states; nothing if something else does as well.
fn arriving(
    system: &ComponentSystem,
    dfa: &ForkedDfa,
    states: &BTreeMap<DfaStateId, DfaStateId>,
) -> Option<BTreeSet<StepEvent>> {
    let mut events = BTreeSet::new();
    for &(letter, target) in dfa.states.iter().flat_map(|state| &state.edges) {
        if matches!(target, Target::State(to) if states.contains_key(&to)) {
            let Letter::Step(step) = letter else { return None };
            let [part] = system.alphabet.step_events(step) else { return None };
            events.insert(*part);
        }
    }
    Some(events)
}

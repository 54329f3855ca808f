//! What the rules ask about a system: where events are used, by whom, and what a step needs of others.
//! Facts may be older than the system as long as transitions were only removed since: they then claim
//! more dependences than there are, never fewer.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::automaton::{AutomatonPath, ForkPath, dfa_at, first, follow, places};
use super::system::ComponentSystem;
use crate::automata::{DfaStateId, EventId, Letter, Role, StepEvent, StepId, Target};
use crate::composition::{Linkage, UnitId};

/// One event of one transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TransitionEvent {
    pub(super) place: AutomatonPath,
    pub(super) from: DfaStateId,
    pub(super) role: Role,
    pub(super) step: StepId,
    pub(super) target: Target,
    /// Whether the transition has other events as well.
    pub(super) is_atomic: bool,
}

pub(super) struct Facts<'a> {
    system: &'a ComponentSystem,
    linkages: FxHashMap<(UnitId, EventId), Linkage>,
    uses: BTreeMap<EventId, Vec<TransitionEvent>>,
}

/// An event that one automaton emits and one other accepts, and that no other automaton mentions.
pub(super) struct Channel {
    pub(super) emitter: AutomatonPath,
    pub(super) acceptor: AutomatonPath,
}

impl<'a> Facts<'a> {
    pub(super) fn new(system: &'a ComponentSystem) -> Self {
        let mut facts = Self { system, linkages: FxHashMap::default(), uses: BTreeMap::new() };
        for unit in (0..system.units.len() as u32).map(UnitId) {
            for place in places(unit, &system.units[unit.index()].dfa) {
                facts.note(&place);
            }
        }
        facts
    }

    fn note(&mut self, place: &AutomatonPath) {
        let Self { system, .. } = *self;
        let unit = place.unit;
        let dfa = dfa_at(&system.units[unit.index()].dfa, &place.way);
        for (from, state) in dfa.states.iter().enumerate() {
            for &(letter, target) in &state.edges {
                let Letter::Step(step) = letter else { continue };
                let parts = system.alphabet.step_events(step);
                for &StepEvent { role, event } in parts {
                    self.linkages.entry((unit, event)).or_insert_with(|| {
                        let what = system.alphabet.event_of(event);
                        system.wiring.linkage(what, unit, system.units.len())
                    });
                    self.uses.entry(event).or_default().push(TransitionEvent {
                        place: place.clone(),
                        from: DfaStateId(from as u32),
                        role,
                        step,
                        target,
                        is_atomic: parts.len() > 1,
                    });
                }
            }
        }
    }

    /// All events in use.
    pub(super) fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        self.uses.keys().copied()
    }

    pub(super) fn uses(&self, event: EventId) -> &[TransitionEvent] {
        self.uses.get(&event).map_or(&[], Vec::as_slice)
    }

    /// Whether the environment alone take part in a part of a step.
    pub(super) fn is_external_event(&self, unit: UnitId, part: StepEvent) -> bool {
        part.role != Role::Meet
            && self.linkages.get(&(unit, part.event)) == Some(&Linkage::External)
    }

    /// Whether a step can always be taken and no other component observes it.
    pub(super) fn is_external(&self, unit: UnitId, step: StepId) -> bool {
        let mut parts = self.system.alphabet.step_events(step).iter();
        parts.all(|part| self.is_external_event(unit, *part))
    }

    /// Whether another component may emit what a component would accept.
    pub(super) fn is_live(&self, unit: UnitId, event: EventId) -> bool {
        match self.linkages.get(&(unit, event)) {
            None | Some(Linkage::Unbound) => false,
            Some(Linkage::External) => true,
            Some(Linkage::BoundTo(partners)) => self
                .uses(event)
                .iter()
                .any(|one| one.role == Role::Emit && partners.contains(&one.place.unit)),
        }
    }

    /// Whether a step waits for an emission that may come: if it came elsewhere, it would be bad.
    pub(super) fn waits(&self, unit: UnitId, step: StepId) -> bool {
        let parts = self.system.alphabet.step_events(step).iter();
        let mut awaited = parts.filter(|part| part.role == Role::Accept);
        awaited.any(|part| !self.is_external_event(unit, *part) && self.is_live(unit, part.event))
    }

    pub(super) fn waiting(&self, unit: UnitId, steps: &BTreeSet<StepId>) -> BTreeSet<StepId> {
        steps.iter().copied().filter(|step| self.waits(unit, *step)).collect()
    }

    /// Whether a step happens or is an error, independently of the other components.
    pub(super) fn is_urgent(&self, unit: UnitId, step: StepId) -> bool {
        let parts = self.system.alphabet.step_events(step);
        matches!(parts, [part] if part.role == Role::Emit) && !self.is_external(unit, step)
    }

    /// Whether no component can emit what these steps accept while some automata, with all that they fork,
    /// are held up.
    pub(super) fn is_harmless(
        &self,
        unit: UnitId,
        steps: &BTreeSet<StepId>,
        held_up: &[&AutomatonPath],
    ) -> bool {
        self.waiting(unit, steps).iter().all(|step| {
            let parts = self.system.alphabet.step_events(*step).iter();
            let mut awaited = parts.filter(|part| part.role == Role::Accept);
            awaited.all(|part| {
                let mut emitters = self.uses(part.event).iter().filter(|u| u.role == Role::Emit);
                emitters.all(|one| held_up.iter().any(|place| one.place.is_within(place)))
            })
        })
    }

    /// The two automata that an event joins, if it joins just two.
    pub(super) fn channel(&self, event: EventId) -> Option<Channel> {
        let uses = self.uses(event);
        let of = |role: Role| uses.iter().find(|one| one.role == role).map(|one| &one.place);
        let (emitter, acceptor) = (of(Role::Emit)?, of(Role::Accept)?);
        let fits = |one: &TransitionEvent| {
            let place = if one.role == Role::Emit { emitter } else { acceptor };
            !one.is_atomic && one.place == *place
        };
        let joined = self.is_bound(event, emitter.unit, acceptor.unit)
            && self.is_bound(event, acceptor.unit, emitter.unit);
        (joined && uses.iter().all(fits))
            .then(|| Channel { emitter: emitter.clone(), acceptor: acceptor.clone() })
    }

    /// Whether a component is bound to another by an event.
    pub(super) fn is_bound(&self, event: EventId, unit: UnitId, to: UnitId) -> bool {
        let linkage = self.linkages.get(&(unit, event));
        matches!(linkage, Some(Linkage::BoundTo(partners)) if partners.contains(&to))
    }

    /// What may happen right after an automaton entered a state, inside it or behind it.
    pub(super) fn openings(&self, place: &AutomatonPath, state: DfaStateId) -> BTreeSet<StepId> {
        let root = &self.system.units[place.unit.index()].dfa;
        let dfa = dfa_at(root, &place.way);
        let mut steps = first(dfa, state);
        if dfa.may_end_from(state) {
            steps.extend(follow(root, &place.way));
        }
        steps
    }

    /// Whether an exception elsewhere may end an automaton at any time.
    pub(super) fn may_be_killed(&self, place: &AutomatonPath) -> bool {
        let root = &self.system.units[place.unit.index()].dfa;
        (0..place.way.len()).any(|depth| {
            let outer: &ForkPath = &place.way[..depth];
            let (fork, _) = place.way[depth];
            let edges = dfa_at(root, outer).states.iter().flat_map(|state| &state.edges);
            let mut aborts =
                edges.filter(|edge| matches!(edge.0, Letter::Abort(f, _) if f == fork));
            aborts.next().is_some()
        })
    }
}

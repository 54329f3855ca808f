//! Bindings between components as data, from architecture files or tables.

use std::collections::{BTreeMap, BTreeSet};

use super::compose::Unit;
use crate::automata::{Alphabet, Event, EventId, ForkedDfa, Letter};

/// A component of the composition: a position in the list given.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UnitId(pub u32);

impl UnitId {
    /// The position in the list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An interface, or a method, that joins components.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// `Card` or `Card.lookUp`.
    pub name: String,
    /// The two components it joins; any two, if not given.
    pub between: Option<[UnitId; 2]>,
}

/// All bindings of a composition, and what becomes of everything else.
///
/// An event on a bound name happens between the components bound by it only. For a component that
/// is not one of them, accepting never happens and emitting is a bad activity.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wiring {
    /// What is bound.
    pub bindings: Vec<Binding>,
    /// Interfaces and methods bound to the environment, also where another binding names them.
    pub external: Vec<String>,
    /// Whether names that are neither bound nor external are unbound: accepting never
    /// happens, emitting is a bad activity. Otherwise they are external.
    pub closed: bool,
}

/// What an event of a component is bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Linkage {
    /// The environment: it may always happen.
    External,
    /// One of these components must take part.
    BoundTo(Vec<UnitId>),
    /// Nothing: it cannot happen.
    Unbound,
}

impl Wiring {
    /// Every interface that two components mention is bound, with all its methods and exceptions; an
    /// event without an interface is bound if two components mention it.
    pub fn shared(alphabet: &Alphabet, units: &[Unit]) -> Self {
        let mut users: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (unit, Unit { dfa, .. }) in units.iter().enumerate() {
            for event in mentioned(alphabet, dfa) {
                users.entry(alphabet.event_of(event).binding_name()).or_default().insert(unit);
            }
        }
        let shared = users.into_iter().filter(|(_, own)| own.len() > 1);
        let bindings = shared.map(|(name, _)| Binding { name: name.to_owned(), between: None });
        Self { bindings: bindings.collect(), ..Self::default() }
    }

    /// Every event is bound, to all components that mention it.
    pub fn all(alphabet: &Alphabet) -> Self {
        let paths: BTreeSet<&str> = alphabet.events().map(|(_, event)| &event.path[..]).collect();
        let bind = |path: &str| Binding { name: path.to_owned(), between: None };
        Self { bindings: paths.into_iter().map(bind).collect(), ..Self::default() }
    }

    /// What an event of a component is bound to, among `n_units` components.
    pub(crate) fn linkage(&self, event: &Event, unit: UnitId, n_units: usize) -> Linkage {
        let on = |name: &String| crate::automata::is_on(&event.path, name);
        if self.external.iter().any(on) {
            return Linkage::External;
        }
        let mut partners = BTreeSet::new();
        let mut is_bound = false;
        for binding in self.bindings.iter().filter(|binding| on(&binding.name)) {
            is_bound = true;
            match binding.between {
                None => partners.extend((0..n_units as u32).map(UnitId)),
                Some(pair) if pair.contains(&unit) => partners.extend(pair),
                Some(_) => {}
            }
        }
        partners.remove(&unit);
        match (is_bound, self.closed) {
            (false, false) => Linkage::External,
            _ if partners.is_empty() => Linkage::Unbound,
            _ => Linkage::BoundTo(partners.into_iter().collect()),
        }
    }
}

/// All events that a component mentions.
pub(crate) fn mentioned(alphabet: &Alphabet, dfa: &ForkedDfa) -> BTreeSet<EventId> {
    let mut events = BTreeSet::new();
    for (letter, _) in dfa.states.iter().flat_map(|state| &state.edges) {
        if let Letter::Step(step) = letter {
            events.extend(alphabet.step_events(*step).iter().map(|part| part.event));
        }
    }
    for branch in dfa.forks.iter().flat_map(|fork| &fork.branches) {
        events.extend(mentioned(alphabet, branch));
    }
    events
}

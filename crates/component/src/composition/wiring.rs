//! Who is bound to whom, as data: what architecture files, or tables, say about interfaces.

use std::collections::{BTreeMap, BTreeSet};

use super::compose::Unit;
use crate::automata::{Alphabet, Event, EventId, EventKind, Letter, Piece};

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
    /// Interfaces and methods whose events the surroundings take part in, whatever is bound.
    pub external: Vec<String>,
    /// Whether names that are neither bound nor external are bound to nobody: accepting never
    /// happens, emitting is a bad activity. Otherwise they are external.
    pub closed: bool,
}

/// What becomes of an event of a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// The surroundings take part: it always may happen.
    Free,
    /// One of these must take part.
    With(Vec<UnitId>),
    /// Nobody can take part.
    Never,
}

impl Wiring {
    /// Every event that two components share is bound: those of methods that two mention, and
    /// exceptions on interfaces that two mention.
    pub fn shared(alphabet: &Alphabet, units: &[Unit]) -> Self {
        let mut users: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        let mut requested: BTreeSet<&str> = BTreeSet::new();
        let mut interfaces: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (unit, Unit { piece, .. }) in units.iter().enumerate() {
            for event in mentioned(alphabet, piece) {
                let Event { path, kind, .. } = alphabet.event_of(event);
                users.entry(path).or_default().insert(unit);
                interfaces.entry(alphabet.event_of(event).interface()).or_default().insert(unit);
                if *kind == EventKind::Request {
                    requested.insert(path);
                }
            }
        }
        let is_shared = |path: &str, own: &BTreeSet<usize>| {
            let interface = path.rsplit_once('.').map_or("", |(interface, _)| interface);
            let is_exception = !requested.contains(path) && !interface.is_empty();
            own.len() > 1 || is_exception && interfaces[interface].len() > 1
        };
        let shared = users.iter().filter(|(path, own)| is_shared(path, own));
        let bindings = shared.map(|(path, _)| Binding { name: (*path).to_owned(), between: None });
        Self { bindings: bindings.collect(), ..Self::default() }
    }

    /// Every event is bound, to whoever mentions it.
    pub fn all(alphabet: &Alphabet) -> Self {
        let paths: BTreeSet<&str> = alphabet.events().map(|(_, event)| &event.path[..]).collect();
        let bind = |path: &str| Binding { name: path.to_owned(), between: None };
        Self { bindings: paths.into_iter().map(bind).collect(), ..Self::default() }
    }

    /// What becomes of an event of a component, of so many.
    pub(crate) fn mode(&self, event: &Event, unit: UnitId, n_units: usize) -> Mode {
        let on = |name: &String| crate::automata::is_on(&event.path, name);
        if self.external.iter().any(on) {
            return Mode::Free;
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
            (false, false) => Mode::Free,
            _ if partners.is_empty() => Mode::Never,
            _ => Mode::With(partners.into_iter().collect()),
        }
    }
}

/// All events that a component mentions.
pub(crate) fn mentioned(alphabet: &Alphabet, piece: &Piece) -> BTreeSet<EventId> {
    let mut events = BTreeSet::new();
    for (letter, _) in piece.states.iter().flat_map(|state| &state.edges) {
        if let Letter::Step(step) = letter {
            events.extend(alphabet.parts(*step).iter().map(|part| part.event));
        }
    }
    for branch in piece.forks.iter().flat_map(|fork| &fork.branches) {
        events.extend(mentioned(alphabet, branch));
    }
    events
}

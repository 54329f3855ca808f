//! The frame of one component as a deterministic automaton without forks, with its events by name.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use quadrille_component::automata::{
    Alphabet, Construction, Event, Letter, Role, Target, Throws, TooLarge, build, flatten,
};
use quadrille_component::lint::uses;
use quadrille_component::syntax::{Component, EnumType};
use quadrille_diagnostic::{Diagnostic, Span};

use crate::codes;

/// A state of a [`Frame`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location(u32);

/// An event as the component takes part in it: `!Card.charge^`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal {
    /// Whether it is emitted or accepted.
    pub role: Role,
    /// What happens.
    pub event: Event,
}

impl Display for Signal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.role.sign(), self.event)
    }
}

/// What one component may do at its boundary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    name: String,
    states: Vec<State>,
    /// Where each method and each exception is mentioned first.
    places: BTreeMap<String, Span>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    edges: Vec<(Signal, Location)>,
    may_end: bool,
}

/// Why a component has no frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FrameError {
    /// Its automaton would have more states than can be right.
    TooLarge,
    /// Several of its events happen in one step, or together with those of other roles: at its
    /// boundary alone that cannot be seen.
    Joint,
}

impl Display for FrameError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FrameError::TooLarge => "the automaton of the component would be too large",
            FrameError::Joint => {
                "atomic actions and meetings cannot be seen at the boundary of one component"
            }
        })
    }
}

impl std::error::Error for FrameError {}

impl FrameError {
    /// Says so about a component.
    pub fn of(self, component: &Component) -> Diagnostic {
        let name = &component.name;
        let message = format!("`{}` has no frame: {self}", name.text);
        Diagnostic::error(&codes::NO_FRAME, message).at(name.span, "")
    }
}

impl From<TooLarge> for FrameError {
    fn from(TooLarge: TooLarge) -> Self {
        FrameError::TooLarge
    }
}

impl Frame {
    /// Where every frame starts.
    pub const START: Location = Location(0);

    /// The frame of a component. Without `throws`, every method may throw what is caught on its
    /// interface.
    pub fn new(
        types: &[EnumType],
        component: &Component,
        throws: Option<&Throws>,
    ) -> Result<Self, FrameError> {
        let mut alphabet = Alphabet::default();
        let dfa = build(&mut alphabet, types, component, throws, Construction::Minimal)?;
        let mut states = Vec::new();
        for state in flatten(&dfa)?.states {
            let mut edges = Vec::new();
            for (letter, target) in state.edges {
                let (Letter::Step(step), Target::State(to)) = (letter, target) else { continue };
                let [part] = alphabet.step_events(step) else { return Err(FrameError::Joint) };
                if part.role == Role::Meet {
                    return Err(FrameError::Joint);
                }
                let event = alphabet.event_of(part.event).clone();
                edges.push((Signal { role: part.role, event }, Location(to.0)));
            }
            edges.sort_unstable();
            states.push(State { edges, may_end: state.accepting });
        }
        Ok(Self { name: component.name.text.clone(), states, places: places(component) })
    }

    /// The name of the component.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of states of the automaton.
    pub fn n_states(&self) -> usize {
        self.states.len()
    }

    /// All states.
    pub fn locations(&self) -> impl Iterator<Item = Location> + use<> {
        (0..self.states.len() as u32).map(Location)
    }

    /// What may happen, in order, and where each leads.
    pub fn signals(&self, at: Location) -> &[(Signal, Location)] {
        &self.states[at.0 as usize].edges
    }

    /// Whether the component may be done here.
    pub fn may_end(&self, at: Location) -> bool {
        self.states[at.0 as usize].may_end
    }

    /// Where a method or an exception is mentioned first.
    pub(crate) fn place_of(&self, path: &str) -> Option<Span> {
        self.places.get(path).copied()
    }
}

fn places(component: &Component) -> BTreeMap<String, Span> {
    let mut places = BTreeMap::new();
    for one in uses(&component.protocol) {
        places.entry(one.path).or_insert(one.span);
    }
    places
}

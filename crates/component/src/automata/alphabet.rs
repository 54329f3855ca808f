//! Events and steps, interned: what the letters of automata stand for. One alphabet serves all
//! components of a system.

use std::fmt::{self, Display, Formatter};

use rustc_hash::FxHashMap;

use crate::syntax::{Direction, Phase};

/// An event, without direction.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Event {
    /// Interface and method, or interface and exception: `Card.lookUp`.
    pub path: String,
    /// The constants that a request carries.
    pub arguments: Vec<String>,
    /// What kind of event it is.
    pub kind: EventKind,
}

/// What kind of event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EventKind {
    /// `^`
    Request,
    /// `$`: a return, or an exception.
    Response,
    /// A joint step of all components that mention it.
    Meeting,
}

impl From<Phase> for EventKind {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Request => EventKind::Request,
            Phase::Response => EventKind::Response,
        }
    }
}

impl Event {
    /// Everything before the last dot; empty without one.
    pub fn interface(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(interface, _)| interface)
    }

    /// What is bound where the event is shared: its interface, or itself if it has none.
    pub fn binding_name(&self) -> &str {
        match self.interface() {
            "" => &self.path,
            interface => interface,
        }
    }
}

impl Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if !self.arguments.is_empty() {
            write!(f, "({})", self.arguments.join(", "))?;
        }
        f.write_str(match self.kind {
            EventKind::Request => "^",
            EventKind::Response => "$",
            EventKind::Meeting => "",
        })
    }
}

/// What a component does in an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// It emits: another component must accept at once.
    Emit,
    /// It accepts: it waits until another component emits.
    Accept,
    /// It takes part in a joint step of all components that mention the event.
    Meet,
}

impl From<Direction> for Role {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Emit => Role::Emit,
            Direction::Accept => Role::Accept,
        }
    }
}

impl Role {
    /// The role of the other side.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Role::Emit => Role::Accept,
            Role::Accept => Role::Emit,
            Role::Meet => Role::Meet,
        }
    }

    /// How the role is written in front of an event.
    pub fn sign(self) -> &'static str {
        match self {
            Role::Emit => "!",
            Role::Accept => "?",
            Role::Meet => "&",
        }
    }
}

/// One event of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StepEvent {
    /// What the component does in it.
    pub role: Role,
    /// Which event.
    pub event: EventId,
}

/// The number of an event in its [`Alphabet`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(u32);

/// The number of a step in its [`Alphabet`]: what one letter of an automaton does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StepId(u32);

/// All events and steps met so far.
#[derive(Clone, Debug, Default)]
pub struct Alphabet {
    events: Vec<Event>,
    event_ids: FxHashMap<Event, EventId>,
    steps: Vec<Vec<StepEvent>>,
    step_ids: FxHashMap<Vec<StepEvent>, StepId>,
}

impl Alphabet {
    /// The id of an event.
    pub fn event(&mut self, event: Event) -> EventId {
        if let Some(&known) = self.event_ids.get(&event) {
            return known;
        }
        let id = EventId(self.events.len() as u32);
        self.events.push(event.clone());
        self.event_ids.insert(event, id);
        id
    }

    /// The id of a step with these parts; their order does not matter.
    pub fn step(&mut self, mut parts: Vec<StepEvent>) -> StepId {
        parts.sort_unstable();
        parts.dedup();
        if let Some(&known) = self.step_ids.get(&parts) {
            return known;
        }
        let id = StepId(self.steps.len() as u32);
        self.steps.push(parts.clone());
        self.step_ids.insert(parts, id);
        id
    }

    /// What an id stands for.
    pub fn event_of(&self, id: EventId) -> &Event {
        &self.events[id.0 as usize]
    }

    /// What happens in a step: one event, or the events of an atomic action.
    pub fn step_events(&self, id: StepId) -> &[StepEvent] {
        &self.steps[id.0 as usize]
    }

    /// All events, in order of their ids.
    pub fn events(&self) -> impl Iterator<Item = (EventId, &Event)> {
        self.events.iter().enumerate().map(|(number, event)| (EventId(number as u32), event))
    }

    /// A step as its component sees it: `!i.m^`, or `[!a^, ?b$]`.
    pub fn show(&self, id: StepId) -> String {
        let show = |part: &StepEvent| format!("{}{}", part.role.sign(), self.event_of(part.event));
        let parts: Vec<String> = self.step_events(id).iter().map(show).collect();
        if parts.len() == 1 { parts.concat() } else { format!("[{}]", parts.join(", ")) }
    }
}

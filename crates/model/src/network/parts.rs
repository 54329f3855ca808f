//! What a network is made of, as plain data: participants, channels, counters, templates.
//! The builder checks them; nothing here does.

use crate::{
    ChannelId, CounterId, Interaction, LocalId, MessageId, Origin, ParticipantId, Places, Value,
    ValueSet,
};

/// A participant with a small space of local states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// Its name.
    pub name: String,
    /// The names of its local states; a [`LocalId`] is a position in this list.
    pub states: Vec<String>,
    /// Where it starts.
    pub initial: LocalId,
    /// Where it may end.
    pub ends: ValueSet,
    /// Whether traces leave its local state out.
    pub hidden: bool,
    /// Where its local states are written; one place for all where they are only counted.
    pub places: Places,
}

impl Automaton {
    /// A participant that starts in the first of its states and may end in none.
    pub fn new<S: Into<String>>(
        name: impl Into<String>,
        states: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            name: name.into(),
            states: states.into_iter().map(Into::into).collect(),
            initial: LocalId::new(0),
            ends: ValueSet::default(),
            hidden: false,
            places: Places::default(),
        }
    }

    /// Starts it in another state.
    #[must_use]
    pub fn initial(mut self, state: LocalId) -> Self {
        self.initial = state;
        self
    }

    /// Says where its states are written.
    #[must_use]
    pub fn written_at(mut self, places: &Places) -> Self {
        self.places = places.clone();
        self
    }

    /// Leaves its local state out of traces.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Lets it end in these states.
    #[must_use]
    pub fn ends(mut self, states: impl IntoIterator<Item = LocalId>) -> Self {
        self.ends = set(states);
        self
    }
}

/// A bounded queue between participants. It starts empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// How many messages it holds at most.
    pub capacity: u32,
    /// The names of its messages; a [`MessageId`] is a position in this list.
    pub messages: Vec<String>,
    /// Who sends and who receives, for diagrams.
    pub ends: Option<(ParticipantId, ParticipantId)>,
    /// Whether the system may end while messages are left in it.
    pub may_keep: bool,
}

impl Channel {
    /// A channel that must be empty in the end.
    pub fn new<S: Into<String>>(
        name: impl Into<String>,
        capacity: u32,
        messages: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            name: name.into(),
            capacity,
            messages: messages.into_iter().map(Into::into).collect(),
            ends: None,
            may_keep: false,
        }
    }

    /// Says who sends and who receives.
    #[must_use]
    pub fn between(mut self, from: ParticipantId, to: ParticipantId) -> Self {
        self.ends = Some((from, to));
        self
    }

    /// Lets the system end while messages are left.
    #[must_use]
    pub fn may_keep(mut self) -> Self {
        self.may_keep = true;
        self
    }
}

/// A number from 0 to a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// The most it can be.
    pub most: Value,
    /// What it is at the start.
    pub initial: Value,
}

impl Counter {
    /// A counter that is 0 at the start.
    pub fn new(name: impl Into<String>, most: Value) -> Self {
        Self { name: name.into(), most, initial: 0 }
    }

    /// Starts it with another number.
    #[must_use]
    pub fn initial(mut self, initial: Value) -> Self {
        self.initial = initial;
        self
    }
}

/// A transition template: enabled where every condition and every test holds, every received message
/// is at its channel's head, every channel sent to has room, and every counter has what is taken from
/// it and room for what is added. It receives, then sends, then counts, then sets the participants
/// that have a result, one successor for each combination of results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// The label of its edges; several templates may share one.
    pub label: String,
    /// Per participant the local states it may be in; who is not listed may be in any.
    pub conditions: Vec<(ParticipantId, ValueSet)>,
    /// Per participant the local states it may be in afterwards; who is not listed stays.
    pub results: Vec<(ParticipantId, ValueSet)>,
    /// Messages taken from the heads of channels, at most one per channel.
    pub receives: Vec<(ChannelId, MessageId)>,
    /// Messages added at the tails of channels, at most one per channel. A channel that is also
    /// received from always has room.
    pub sends: Vec<(ChannelId, MessageId)>,
    /// The numbers that counters may be.
    pub tests: Vec<(CounterId, ValueSet)>,
    /// What is taken from counters, and what is added then, at most once per counter.
    pub counts: Vec<(CounterId, Value, Value)>,
    /// The events of its action, where its label is not its name.
    pub events: Vec<String>,
    /// Who does what to whom; `None` derives it from the channels' ends.
    pub interaction: Option<Interaction<ParticipantId>>,
    /// Where it is written, if it is.
    pub origin: Origin,
}

impl Template {
    /// A template that is always enabled and changes nothing.
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            conditions: Vec::new(),
            results: Vec::new(),
            receives: Vec::new(),
            sends: Vec::new(),
            tests: Vec::new(),
            counts: Vec::new(),
            events: Vec::new(),
            interaction: None,
            origin: Origin::default(),
        }
    }

    /// The participant goes from one local state to another.
    #[must_use]
    pub fn step(self, participant: ParticipantId, from: LocalId, to: LocalId) -> Self {
        self.when(participant, [from]).becomes(participant, [to])
    }

    /// The participant must be in one of these states.
    #[must_use]
    pub fn when(
        mut self,
        participant: ParticipantId,
        states: impl IntoIterator<Item = LocalId>,
    ) -> Self {
        self.conditions.push((participant, set(states)));
        self
    }

    /// The participant goes to one of these states.
    #[must_use]
    pub fn becomes(
        mut self,
        participant: ParticipantId,
        states: impl IntoIterator<Item = LocalId>,
    ) -> Self {
        self.results.push((participant, set(states)));
        self
    }

    /// Takes a message from the head of a channel.
    #[must_use]
    pub fn receive(mut self, channel: ChannelId, message: MessageId) -> Self {
        self.receives.push((channel, message));
        self
    }

    /// Adds a message at the tail of a channel.
    #[must_use]
    pub fn send(mut self, channel: ChannelId, message: MessageId) -> Self {
        self.sends.push((channel, message));
        self
    }

    /// The counter must be one of these.
    #[must_use]
    pub fn test(mut self, counter: CounterId, values: ValueSet) -> Self {
        self.tests.push((counter, values));
        self
    }

    /// Takes from a counter, and adds to it then.
    #[must_use]
    pub fn count(mut self, counter: CounterId, take: Value, put: Value) -> Self {
        self.counts.push((counter, take, put));
        self
    }

    /// Says who does what to whom.
    #[must_use]
    pub fn interaction(mut self, interaction: Interaction<ParticipantId>) -> Self {
        self.interaction = Some(interaction);
        self
    }

    /// Says by which events formulas name it.
    #[must_use]
    pub fn events(mut self, events: Vec<String>) -> Self {
        self.events = events;
        self
    }

    /// Who has a condition or a result, ascending.
    pub(super) fn participants(&self) -> Vec<ParticipantId> {
        let mut all: Vec<_> = self
            .conditions
            .iter()
            .chain(&self.results)
            .map(|(participant, _)| *participant)
            .collect();
        all.sort_unstable();
        all.dedup();
        all.shrink_to_fit();
        all
    }
}

fn set(states: impl IntoIterator<Item = LocalId>) -> ValueSet {
    states.into_iter().map(LocalId::number).collect()
}

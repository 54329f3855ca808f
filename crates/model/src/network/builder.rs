//! Checks the parts of a network one by one and puts them together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::parts::{Automaton, Channel, Counter, Template};
use super::predicate::Layout;
use super::queue::Queue;
use super::tables::{Tables, lead};
use super::{Network, Predicate};
use crate::{
    Action, ActionId, Change, ChannelId, CounterId, Domain, Effect, Group, Guard, GuardId,
    Interaction, LocalId, MessageId, Participant, ParticipantId, Proposition, Signature, Slot,
    SlotId, SlotKind, TaskId, Value, ValueSet,
};

/// Collects the parts of a [`Network`]. Each is checked when it is added, so participants, channels
/// and counters come before the templates and propositions that mention them.
#[derive(Clone, Debug, Default)]
pub struct NetworkBuilder {
    names: BTreeSet<String>,
    participants: Vec<Automaton>,
    channels: Vec<Channel>,
    counters: Vec<Counter>,
    templates: Vec<Template>,
    propositions: Vec<(String, Predicate)>,
    proposition_names: BTreeSet<String>,
}

/// Why a part does not fit into a network.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NetworkError {
    /// There is no participant and no counter at all.
    NoParticipants,
    /// Two things have this name.
    NameTaken(String),
    /// This participant has no local state.
    NoStates(String),
    /// This participant has more local states than [`NetworkBuilder::MAX_STATES`].
    TooManyStates(String),
    /// This channel has no message.
    NoMessages(String),
    /// This channel has more messages than [`NetworkBuilder::MAX_MESSAGES`].
    TooManyMessages(String),
    /// This channel has no room, or more than [`NetworkBuilder::MAX_CAPACITY`].
    Capacity(String),
    /// This counter is bounded by more than [`NetworkBuilder::MAX_COUNT`], or starts beyond its bound.
    CounterBound(String),
    /// No such counter.
    UnknownCounter(CounterId),
    /// A template asks a counter for what it never is.
    NeverCounted(CounterId),
    /// A template counts on one counter twice.
    CounterTwice(CounterId),
    /// No such participant.
    UnknownParticipant(ParticipantId),
    /// The participant has no such local state.
    UnknownState(ParticipantId, LocalId),
    /// No such channel.
    UnknownChannel(ChannelId),
    /// The channel has no such message.
    UnknownMessage(ChannelId, MessageId),
    /// A set of local states is empty.
    EmptySet(ParticipantId),
    /// A template has two conditions on, or two results for, one participant.
    ParticipantTwice(ParticipantId),
    /// A template receives from, or sends to, one channel twice.
    ChannelTwice(ChannelId),
    /// A template has more combinations of results than [`NetworkBuilder::MAX_RESULTS`].
    TooManyResults(String),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoParticipants => write!(f, "a network without participants"),
            Self::NameTaken(name) => write!(f, "the name `{name}` is used twice"),
            Self::NoStates(name) => write!(f, "participant `{name}` has no local state"),
            Self::TooManyStates(name) => {
                let most = NetworkBuilder::MAX_STATES;
                write!(f, "participant `{name}` has more than {most} local states")
            }
            Self::NoMessages(name) => write!(f, "channel `{name}` has no message"),
            Self::TooManyMessages(name) => {
                let most = NetworkBuilder::MAX_MESSAGES;
                write!(f, "channel `{name}` has more than {most} messages")
            }
            Self::Capacity(name) => {
                let most = NetworkBuilder::MAX_CAPACITY;
                write!(f, "the capacity of channel `{name}` is not in 1..={most}")
            }
            Self::CounterBound(name) => {
                let most = NetworkBuilder::MAX_COUNT;
                write!(f, "the bound of counter `{name}` is above {most}, or it starts beyond it")
            }
            Self::UnknownCounter(id) => write!(f, "no counter has number {}", id.number()),
            Self::NeverCounted(id) => {
                write!(f, "counter number {} is never what the template asks for", id.number())
            }
            Self::CounterTwice(id) => {
                write!(f, "counter number {} is changed twice in one template", id.number())
            }
            Self::UnknownParticipant(id) => write!(f, "no participant has number {}", id.number()),
            Self::UnknownState(id, state) => {
                write!(
                    f,
                    "participant number {} has no local state {}",
                    id.number(),
                    state.number()
                )
            }
            Self::UnknownChannel(id) => write!(f, "no channel has number {}", id.number()),
            Self::UnknownMessage(id, message) => {
                write!(f, "channel number {} has no message {}", id.number(), message.number())
            }
            Self::EmptySet(id) => {
                write!(f, "an empty set of local states of participant number {}", id.number())
            }
            Self::ParticipantTwice(id) => {
                write!(f, "participant number {} is used twice in one template", id.number())
            }
            Self::ChannelTwice(id) => {
                write!(f, "channel number {} is used twice in one direction", id.number())
            }
            Self::TooManyResults(label) => {
                let most = NetworkBuilder::MAX_RESULTS;
                write!(f, "template `{label}` has more than {most} combinations of results")
            }
        }
    }
}

impl std::error::Error for NetworkError {}

impl NetworkBuilder {
    /// Most local states of a participant.
    pub const MAX_STATES: usize = 1 << 20;
    /// Most messages of a channel.
    pub const MAX_MESSAGES: usize = u16::MAX as usize;
    /// Most messages that a channel may hold.
    pub const MAX_CAPACITY: u32 = 4096;
    /// Largest bound of a counter.
    pub const MAX_COUNT: Value = (1 << 20) - 1;
    /// Most successors of one template in one state.
    pub const MAX_RESULTS: u32 = 1 << 20;

    /// Adds a participant.
    pub fn participant(&mut self, participant: Automaton) -> Result<ParticipantId, NetworkError> {
        let id = ParticipantId::from_usize(self.participants.len());
        if participant.states.is_empty() {
            return Err(NetworkError::NoStates(participant.name));
        }
        if participant.states.len() > Self::MAX_STATES {
            return Err(NetworkError::TooManyStates(participant.name));
        }
        let states = [participant.initial.number()].into_iter().chain(participant.ends.iter());
        for state in states.map(LocalId::new) {
            if state.index() >= participant.states.len() {
                return Err(NetworkError::UnknownState(id, state));
            }
        }
        distinct(&participant.states)?;
        self.take_name(&participant.name)?;
        self.participants.push(participant);
        Ok(id)
    }

    /// Adds a channel.
    pub fn channel(&mut self, channel: Channel) -> Result<ChannelId, NetworkError> {
        if channel.messages.is_empty() {
            return Err(NetworkError::NoMessages(channel.name));
        }
        if channel.messages.len() > Self::MAX_MESSAGES {
            return Err(NetworkError::TooManyMessages(channel.name));
        }
        if !(1..=Self::MAX_CAPACITY).contains(&channel.capacity) {
            return Err(NetworkError::Capacity(channel.name));
        }
        if let Some((from, to)) = channel.ends {
            self.known(from)?;
            self.known(to)?;
        }
        distinct(&channel.messages)?;
        self.take_name(&channel.name)?;
        self.channels.push(channel);
        Ok(ChannelId::from_usize(self.channels.len() - 1))
    }

    /// Adds a counter.
    pub fn counter(&mut self, counter: Counter) -> Result<CounterId, NetworkError> {
        if counter.most > Self::MAX_COUNT || counter.initial > counter.most {
            return Err(NetworkError::CounterBound(counter.name));
        }
        self.take_name(&counter.name)?;
        self.counters.push(counter);
        Ok(CounterId::from_usize(self.counters.len() - 1))
    }

    /// Joins what a template asks of one counter.
    fn check_counters(&self, template: &mut Template) -> Result<(), NetworkError> {
        let of =
            |id: CounterId| self.counters.get(id.index()).ok_or(NetworkError::UnknownCounter(id));
        template.counts.sort_unstable();
        if let Some(pair) = template.counts.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(NetworkError::CounterTwice(pair[0].0));
        }
        let mut tests: BTreeMap<CounterId, ValueSet> = BTreeMap::new();
        for (id, values) in &template.tests {
            let most = of(*id)?.most;
            let before = tests.get(id);
            let fits = |value: &Value| {
                *value <= most && before.is_none_or(|before| before.contains(*value))
            };
            let joined = values.iter().filter(fits).collect();
            tests.insert(*id, joined);
        }
        for &(id, take, put) in &template.counts {
            let most = of(id)?.most;
            if !allowed(most, tests.get(&id), take, put).any(|_| true) {
                return Err(NetworkError::NeverCounted(id));
            }
        }
        if let Some((id, _)) = tests.iter().find(|(_, values)| values.is_empty()) {
            return Err(NetworkError::NeverCounted(*id));
        }
        tests.retain(|id, values| values.len() <= self.counters[id.index()].most as usize);
        template.tests = tests.into_iter().collect();
        Ok(())
    }

    /// Adds a template. Conditions that any local state meets are left out.
    pub fn template(&mut self, mut template: Template) -> Result<(), NetworkError> {
        let mut n_results = 1u32;
        for list in [&mut template.conditions, &mut template.results] {
            list.sort_unstable_by_key(|(participant, _)| *participant);
            for (participant, set) in list.iter() {
                self.check_set(*participant, set)?;
            }
            if let Some(pair) = list.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(NetworkError::ParticipantTwice(pair[0].0));
            }
        }
        for (_, set) in &template.results {
            n_results = n_results.saturating_mul(set.len() as u32);
        }
        if n_results > Self::MAX_RESULTS {
            return Err(NetworkError::TooManyResults(template.label));
        }
        for list in [&mut template.receives, &mut template.sends] {
            list.sort_unstable();
            for (channel, message) in list.iter() {
                self.check_message(*channel, *message)?;
            }
            if let Some(pair) = list.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(NetworkError::ChannelTwice(pair[0].0));
            }
        }
        self.check_counters(&mut template)?;
        template.conditions.retain(|(participant, set)| {
            set.len() < self.participants[participant.index()].states.len()
        });
        template.conditions.shrink_to_fit();
        template.results.shrink_to_fit();
        template.receives.shrink_to_fit();
        template.sends.shrink_to_fit();
        template.tests.shrink_to_fit();
        template.counts.shrink_to_fit();
        self.templates.push(template);
        Ok(())
    }

    /// Adds a proposition.
    pub fn proposition(
        &mut self,
        name: impl Into<String>,
        predicate: Predicate,
    ) -> Result<(), NetworkError> {
        let name = name.into();
        self.check_predicate(&predicate)?;
        if !self.proposition_names.insert(name.clone()) {
            return Err(NetworkError::NameTaken(name));
        }
        self.propositions.push((name, predicate));
        Ok(())
    }

    /// The finished network. Groups are the templates ordered by the participant (else channel)
    /// they are looked up by, and as they were added for each of those.
    pub fn build(mut self) -> Result<Network, NetworkError> {
        if self.participants.is_empty() && self.counters.is_empty() {
            return Err(NetworkError::NoParticipants);
        }
        let (mut slots, queues) = lay_out(&self.participants, &self.channels);
        let first_counter = slots.len();
        slots.extend(self.counters.iter().map(|counter| {
            Slot::new(&counter.name, Domain::Size(counter.most + 1)).of_kind(SlotKind::Data)
        }));
        self.templates.sort_by_cached_key(|template| lead(template, &self.participants, &queues));
        let mut actions = Actions::default();
        let action_ids: Vec<ActionId> = self
            .templates
            .iter()
            .map(|template| {
                let given = template.interaction.clone();
                actions.intern(Action {
                    label: template.label.clone(),
                    events: template.events.clone(),
                    interaction: given.unwrap_or_else(|| interaction(template, &self.channels)),
                })
            })
            .collect();
        let names = self.participants.iter().map(|automaton| Participant::new(&automaton.name));
        let mut signature = Signature {
            slots,
            participants: names.collect(),
            tasks: self.templates.iter().map(|template| template.label.clone()).collect(),
            actions: actions.list,
            ends: ends(&self.participants, &self.channels, &queues),
            ..Signature::default()
        };
        let mut guards = Guards::default();
        for (number, (template, &action)) in self.templates.iter().zip(&action_ids).enumerate() {
            let counters = (first_counter, &self.counters[..]);
            let group = group(template, &queues, counters, &mut guards);
            let task = TaskId::from_usize(number);
            let (actions, origin) = (Some(vec![action]), template.origin);
            signature.groups.push(Group { task, actions, origin, ..group });
        }
        signature.guards = guards.list;
        let tables = Tables::new(
            &self.templates,
            &signature,
            &action_ids,
            &self.participants,
            &queues,
            self.counters.len(),
        );
        let mut predicates = Vec::with_capacity(self.propositions.len());
        for (name, predicate) in self.propositions {
            let mut support = Vec::new();
            let layout = Layout { queues: &queues, counters: first_counter };
            predicate.support(layout, &mut support);
            signature.propositions.push(Proposition { name, support: ascending(support) });
            predicates.push(predicate);
        }
        let mut network = Network {
            participants: self.participants,
            channels: self.channels,
            counters: self.counters,
            templates: self.templates,
            predicates,
            queues,
            signature,
            tables,
        };
        let alone = (0..network.participants.len()).map(|one| vec![ParticipantId::from_usize(one)]);
        network.signature.families = network.families(&alone.collect::<Vec<_>>(), &|_, _| true);
        Ok(network)
    }

    fn take_name(&mut self, name: &str) -> Result<(), NetworkError> {
        if self.names.insert(name.to_owned()) {
            return Ok(());
        }
        Err(NetworkError::NameTaken(name.to_owned()))
    }

    fn known(&self, participant: ParticipantId) -> Result<&Automaton, NetworkError> {
        let found = self.participants.get(participant.index());
        found.ok_or(NetworkError::UnknownParticipant(participant))
    }

    fn check_set(&self, participant: ParticipantId, set: &ValueSet) -> Result<(), NetworkError> {
        let n_states = self.known(participant)?.states.len();
        if set.is_empty() {
            return Err(NetworkError::EmptySet(participant));
        }
        match set.iter().map(LocalId::new).find(|state| state.index() >= n_states) {
            Some(state) => Err(NetworkError::UnknownState(participant, state)),
            None => Ok(()),
        }
    }

    fn known_channel(&self, channel: ChannelId) -> Result<&Channel, NetworkError> {
        self.channels.get(channel.index()).ok_or(NetworkError::UnknownChannel(channel))
    }

    fn check_message(&self, channel: ChannelId, message: MessageId) -> Result<(), NetworkError> {
        if message.index() < self.known_channel(channel)?.messages.len() {
            return Ok(());
        }
        Err(NetworkError::UnknownMessage(channel, message))
    }

    fn check_predicate(&self, predicate: &Predicate) -> Result<(), NetworkError> {
        match predicate {
            Predicate::In(participant, set) => self.check_set(*participant, set),
            Predicate::Empty(channel) | Predicate::Full(channel) => {
                self.known_channel(*channel).map(drop)
            }
            Predicate::Contains(channel, message) | Predicate::Head(channel, message) => {
                self.check_message(*channel, *message)
            }
            Predicate::AtMost(sum, _) => {
                let unknown = sum.iter().find(|(id, _)| id.index() >= self.counters.len());
                unknown.map_or(Ok(()), |(id, _)| Err(NetworkError::UnknownCounter(*id)))
            }
            Predicate::Not(inner) => self.check_predicate(inner),
            Predicate::All(parts) | Predicate::Any(parts) => {
                parts.iter().try_for_each(|part| self.check_predicate(part))
            }
        }
    }
}

fn distinct(names: &[String]) -> Result<(), NetworkError> {
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(NetworkError::NameTaken(name.clone())),
        None => Ok(()),
    }
}

/// One slot per participant, then the slots of each channel.
fn lay_out(participants: &[Automaton], channels: &[Channel]) -> (Vec<Slot>, Vec<Queue>) {
    let control = |(number, automaton): (usize, &Automaton)| {
        let owner = Some(ParticipantId::from_usize(number));
        let domain = Domain::Named(automaton.states.clone());
        Slot { hidden: automaton.hidden, ..Slot::new(&automaton.name, domain).owned_by(owner) }
    };
    let mut slots: Vec<Slot> = participants.iter().enumerate().map(control).collect();
    let mut queues = Vec::with_capacity(channels.len());
    for channel in channels {
        let first = SlotId::from_usize(slots.len());
        let queue = Queue::new(first, channel.capacity as u16, channel.messages.len() as u16);
        let n_slots = queue.slots().len();
        slots.extend((0..n_slots).map(|position| {
            let cells = queue.cells(position);
            let name = match n_slots {
                1 => channel.name.clone(),
                _ => format!("{}[{}..{}]", channel.name, cells.start, cells.end),
            };
            let owner = channel.ends.map(|(_, to)| to);
            Slot::new(name, queue.domain(position)).owned_by(owner).of_kind(SlotKind::Queue)
        }));
        queues.push(queue);
    }
    (slots, queues)
}

/// The slots that decide whether the network may end.
fn ends(participants: &[Automaton], channels: &[Channel], queues: &[Queue]) -> Vec<SlotId> {
    let matters =
        |(_, automaton): &(usize, &Automaton)| automaton.ends.len() < automaton.states.len();
    let control = participants.iter().enumerate().filter(matters);
    let queues = channels.iter().zip(queues).filter(|(channel, _)| !channel.may_keep);
    let control = control.map(|(number, _)| SlotId::from_usize(number));
    control.chain(queues.map(|(_, queue)| queue.head_slot())).collect()
}

fn ascending(mut slots: Vec<SlotId>) -> Vec<SlotId> {
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// What a template promises. A slot is written only where it can change: not by `a -> a`.
fn group(
    template: &Template,
    queues: &[Queue],
    (first_counter, counters): (usize, &[Counter]),
    guards: &mut Guards,
) -> Group {
    let mut needed = Vec::new();
    let (mut reads, mut effects) = (Vec::new(), Vec::new());
    for (participant, set) in &template.conditions {
        needed.push(Guard::In(SlotId::new(participant.number()), set.clone()));
    }
    for (participant, set) in &template.results {
        let stays = set.len() == 1 && template.conditions.contains(&(*participant, set.clone()));
        if !stays {
            let slot = SlotId::new(participant.number());
            effects.push(Effect { slot, change: Change::Assign(set.clone()) });
        }
    }
    for (channel, message) in &template.receives {
        needed.push(queues[channel.index()].head_is(message.number()));
    }
    for (channel, _) in &template.sends {
        if !receives_from(template, *channel) {
            needed.push(queues[channel.index()].has_room());
        }
    }
    let received = template
        .receives
        .iter()
        .map(|(channel, message)| (*channel, Change::Pop(ValueSet::one(message.number()))));
    let sent = template
        .sends
        .iter()
        .map(|(channel, message)| (*channel, Change::Push(ValueSet::one(message.number()))));
    for (channel, change) in received.chain(sent) {
        let slots = queues[channel.index()].slots();
        let is_whole = slots.len() == 1;
        for slot in slots.map(SlotId::from_usize) {
            reads.push(slot);
            match effects.iter_mut().find(|effect| effect.slot == slot) {
                Some(effect) => effect.change = Change::Any,
                None if is_whole => effects.push(Effect { slot, change: change.clone() }),
                None => effects.push(Effect::any(slot)),
            }
        }
    }
    for (number, counter) in counters.iter().enumerate() {
        let (id, slot) =
            (CounterId::from_usize(number), SlotId::from_usize(first_counter + number));
        let tested = template.tests.iter().find(|(known, _)| *known == id).map(|(_, set)| set);
        let counted = template.counts.iter().find(|(known, ..)| *known == id);
        if tested.is_none() && counted.is_none() {
            continue;
        }
        let (take, put) = counted.map_or((0, 0), |&(_, take, put)| (take, put));
        needed.extend(number_guard(slot, counter.most, tested, take, put));
        if take != put {
            reads.push(slot);
            effects.push(Effect { slot, change: Change::Count { take, put } });
        }
    }
    effects.sort_by_key(|effect| effect.slot);
    effects.shrink_to_fit();
    Group {
        participants: template.participants(),
        guards: needed.into_iter().map(|guard| guards.intern(guard)).collect(),
        guards_complete: true,
        reads: ascending(reads),
        effects,
        ..Group::default()
    }
}

/// The numbers at which a counter may be counted on.
fn allowed(
    most: Value,
    tested: Option<&ValueSet>,
    take: Value,
    put: Value,
) -> impl Iterator<Item = Value> {
    let last = most.checked_sub(put).map(|room| most.min(room.saturating_add(take)));
    last.into_iter()
        .flat_map(move |last| take..=last)
        .filter(move |&value| tested.is_none_or(|tested| tested.contains(value)))
}

/// What a counter must be; nothing where it may be anything.
fn number_guard(
    slot: SlotId,
    most: Value,
    tested: Option<&ValueSet>,
    take: Value,
    put: Value,
) -> Option<Guard> {
    if tested.is_none() && take >= put {
        return (take > 0).then_some(Guard::AtLeast(slot, take));
    }
    let set: ValueSet = allowed(most, tested, take, put).collect();
    let least = set.iter().next()?;
    match set.len() as u64 == u64::from(most - least) + 1 {
        true if least == 0 => None,
        true => Some(Guard::AtLeast(slot, least)),
        false => Some(Guard::In(slot, set)),
    }
}

fn receives_from(template: &Template, channel: ChannelId) -> bool {
    template.receives.iter().any(|(other, _)| *other == channel)
}

/// A single send or receive on a channel with known ends is drawn as one; all else is joint.
fn interaction(template: &Template, channels: &[Channel]) -> Interaction<ParticipantId> {
    let text = |channel: ChannelId, message: MessageId| {
        channels[channel.index()].messages[message.index()].clone()
    };
    let ends = |channel: ChannelId| channels[channel.index()].ends;
    match (&template.sends[..], &template.receives[..]) {
        ([(channel, message)], []) => ends(*channel).map(|(from, to)| Interaction::Send {
            from,
            to: vec![to],
            message: text(*channel, *message),
        }),
        ([], [(channel, message)]) => ends(*channel).map(|(from, to)| Interaction::Receive {
            from: Some(from),
            to,
            message: text(*channel, *message),
        }),
        _ => None,
    }
    .unwrap_or_else(|| Interaction::Joint { participants: template.participants() })
}

/// Equal guards get equal ids.
#[derive(Default)]
struct Guards {
    list: Vec<Guard>,
    known: BTreeMap<Guard, GuardId>,
}

impl Guards {
    fn intern(&mut self, guard: Guard) -> GuardId {
        *self.known.entry(guard).or_insert_with_key(|guard| {
            self.list.push(guard.clone());
            GuardId::from_usize(self.list.len() - 1)
        })
    }
}

/// Equal actions get equal ids.
#[derive(Default)]
struct Actions {
    list: Vec<Action>,
    by_label: BTreeMap<String, Vec<ActionId>>,
}

impl Actions {
    fn intern(&mut self, action: Action) -> ActionId {
        let alike = self.by_label.entry(action.label.clone()).or_default();
        if let Some(id) = alike.iter().find(|id| self.list[id.index()] == action) {
            return *id;
        }
        let id = ActionId::from_usize(self.list.len());
        alike.push(id);
        self.list.push(action);
        id
    }
}

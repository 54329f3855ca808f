//! A trace told in names. Renderers need nothing else: no model, no ids.

use std::collections::BTreeMap;

use quadrille_model::{
    Action, Domain, Ending, Interaction, Model, ParticipantId, Reading, SlotId, Trace, Value,
};
use serde::{Deserialize, Serialize};

use crate::waits::{Wait, waits};
use crate::{Shown, Valuation};

/// A trace of a model, told in names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Story {
    /// What the trace is evidence against.
    pub property: String,
    /// The participants of a step, in the model's order.
    pub participants: Vec<String>,
    /// The state it starts in.
    pub initial: Valuation,
    /// Slots that text leaves out, because the actions say as much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// Options of the command that say which model of the file it is a trace of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What happens.
    pub steps: Vec<StoryStep>,
    /// How it ends.
    pub ending: StoryEnding,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoryStep {
    /// The label of the action.
    pub action: String,
    /// Who does what to whom.
    #[serde(rename = "shape", with = "InteractionJson")]
    pub interaction: Interaction<String>,
    /// The slots that hold another value afterwards, with that value.
    pub changes: Valuation,
}

/// How an interaction is written as JSON.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Interaction<String>", tag = "kind", rename_all = "lowercase")]
enum InteractionJson {
    Joint { participants: Vec<String> },
    Send { from: String, to: Vec<String>, message: String },
    Receive { from: Option<String>, to: String, message: String },
    Exchange { from: String, to: Vec<String>, message: String },
    Close { from: String, to: String },
}

/// How a story ends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum StoryEnding {
    /// It is a prefix: what it shows is in its last state or step.
    Prefix,
    /// No step is possible, and the system may not end.
    Stuck {
        /// Who waits for what, as far as it is known.
        #[serde(default)]
        waits: Vec<Wait>,
    },
    /// A component emits an event that no component accepts: the error, which is no step of the model.
    Refused {
        /// Who emits it.
        by: String,
        /// What is emitted.
        action: String,
    },
    /// The system finishes.
    Finished,
    /// The last state equals the one before step `from`; the steps from there repeat for ever.
    Loop {
        /// Position in `steps` of the first repeated step, from 0.
        from: usize,
    },
}

impl Story {
    /// Tells a trace of a model as evidence against a property.
    pub fn tell(property: &str, trace: &Trace, model: &dyn Model) -> Story {
        let mut names = Names::new(model);
        let readings = readings(model);
        let mut before: &[Value] = &trace.initial;
        let mut steps = Vec::with_capacity(trace.steps.len());
        for step in &trace.steps {
            let changes = readings.iter().filter_map(|reading| {
                let range = reading.slots.clone();
                let is_new = before[range.clone()] != step.state[range];
                // Two interned values may print alike; that is no change to a reader.
                let (old, new) = is_new
                    .then(|| (read(model, reading, before), read(model, reading, &step.state)))?;
                (old != new).then(|| (reading.name.clone(), new))
            });
            let changes = changes.collect();
            let Action { label, interaction, .. } = model.action(step.action);
            steps.push(StoryStep {
                action: label,
                interaction: interaction.map(|id| names.name(id)),
                changes,
            });
            before = &step.state;
        }
        let ending = match trace.ending {
            Ending::Prefix => StoryEnding::Prefix,
            Ending::Stuck => {
                let slots = slot_names(model);
                StoryEnding::Stuck { waits: waits(model, trace.last(), &slots, &mut names) }
            }
            Ending::Finished => StoryEnding::Finished,
            Ending::Loop { from } => StoryEnding::Loop { from },
        };
        Story {
            property: property.to_owned(),
            participants: participants(&names, &steps),
            initial: valuation(model, &readings, &trace.initial),
            hidden: hidden(&readings),
            options: Vec::new(),
            steps,
            ending,
        }
    }

    /// Puts participants in the order in which a text declares them, those of a family by their indices;
    /// those that it does not declare stay behind.
    pub fn order(&mut self, declared: &[&str]) {
        let place = |participant: &String| {
            let (name, indices) = participant.split_once('[').unwrap_or((participant, ""));
            let position = declared.iter().position(|known| *known == name);
            let numbers = indices.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty());
            let numbers: Vec<u64> = numbers.map(|it| it.parse().unwrap_or(u64::MAX)).collect();
            (position.unwrap_or(usize::MAX), numbers)
        };
        self.participants.sort_by_cached_key(place);
    }

    /// Whether text shows what a slot holds.
    pub(crate) fn shows(&self, slot: &str) -> bool {
        !self.hidden.iter().any(|hidden| hidden == slot)
    }

    /// Position of the first repeated step, where the story is a lasso.
    pub fn loop_start(&self) -> Option<usize> {
        match self.ending {
            StoryEnding::Loop { from } => Some(from),
            _ => None,
        }
    }

    /// All states in order: the initial one and the one after each step.
    pub fn states(&self) -> Vec<Valuation> {
        let mut states = vec![self.initial.clone()];
        for step in &self.steps {
            let mut state = states[states.len() - 1].clone();
            state.update(&step.changes);
            states.push(state);
        }
        states
    }
}

/// The entries that the model leaves out of traces.
fn hidden(readings: &[Reading]) -> Vec<String> {
    let hidden = readings.iter().filter(|reading| reading.hidden);
    hidden.map(|reading| reading.name.clone()).collect()
}

/// Participants of the steps in the order of the model's numbering.
fn participants(names: &Names, steps: &[StoryStep]) -> Vec<String> {
    let occurs =
        |name: &&String| steps.iter().any(|step| step.interaction.participants().contains(name));
    names.known.values().filter(occurs).cloned().collect()
}

/// Names of participants as a story uses them: two that print alike are told apart.
pub(crate) struct Names<'a> {
    model: &'a dyn Model,
    known: BTreeMap<ParticipantId, String>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(model: &'a dyn Model) -> Self {
        Names { model, known: BTreeMap::new() }
    }

    pub(crate) fn name(&mut self, id: ParticipantId) -> String {
        if let Some(name) = self.known.get(&id) {
            return name.clone();
        }
        let mut name = self.model.participant(id).to_string();
        if self.known.values().any(|other| *other == name) {
            name = format!("{name}#{}", id.number());
        }
        self.known.insert(id, name.clone());
        name
    }
}

/// The names of the slots, each unlike all others.
fn slot_names(model: &dyn Model) -> Vec<String> {
    let slots = model.signature().slots.iter();
    unlike(slots.map(|slot| slot.name.clone()))
}

/// Names, each unlike all others.
fn unlike(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let names = names.enumerate();
    names
        .map(|(position, name)| match seen.insert(name.clone()) {
            true => name,
            false => format!("{name}#{position}"),
        })
        .collect()
}

/// The entries of states, with names each unlike all others.
pub(crate) fn readings(model: &dyn Model) -> Vec<Reading> {
    let mut readings = model.signature().readings();
    let names = unlike(readings.iter().map(|reading| reading.name.clone()));
    readings.iter_mut().zip(names).for_each(|(reading, name)| reading.name = name);
    readings
}

/// A state of a model by name.
fn valuation(model: &dyn Model, readings: &[Reading], state: &[Value]) -> Valuation {
    let entry = |reading: &Reading| (reading.name.clone(), read(model, reading, state));
    readings.iter().map(entry).collect()
}

/// What a state has in an entry.
pub(crate) fn read(model: &dyn Model, reading: &Reading, state: &[Value]) -> Shown {
    match reading.only(model.signature()) {
        Some(slot) => shown(model, slot, state[slot.index()]),
        None => Shown::Text(reading.show(model, state)),
    }
}

/// A value as it is shown: a number only where the model prints it as one.
pub(crate) fn shown(model: &dyn Model, slot: SlotId, value: Value) -> Shown {
    let text = model.show(slot, value);
    match model.signature().slot(slot).domain {
        Domain::Size(_) if text == value.to_string() => Shown::Number(value),
        _ => Shown::Text(text),
    }
}

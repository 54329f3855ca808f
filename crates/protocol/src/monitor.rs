//! Following a protocol along what a running system does: the first step that the protocol does not
//! allow, what was allowed instead, and when nothing can happen any more. Events come from the program
//! itself or from a log in JSON lines (`docs/monitor.md`). Reads no file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use quadrille_diagnostic::{Diagnostic, Sources, Span, codes};
use quadrille_model::{
    Action, ActionId, GroupId, Interaction, InteractionKind, Model, ParticipantId, Problem, Value,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::core::{ActId, ProtocolModel, diagnosed};

codes! {
    ALL:

    /// A line of a log cannot be read.
    ///
    /// A log for the monitor has one JSON object per line, with a field `event`. Other fields than those
    /// of the event are passed over.
    ///
    /// ```text
    /// {"event": "send", "role": "white", "message": "Move", "to": "black"}
    /// ```
    M001 = BAD_LINE;

    /// The system does something that the protocol does not allow.
    ///
    /// The first such event is shown, with what the protocol allowed instead.
    M002 = DEVIATION;

    /// The system is stuck.
    ///
    /// Nothing that the protocol allows can happen any more: for each such action, a role that would
    /// take part has left, or waits for something else.
    M003 = STUCK;

    /// The log ends before the protocol may.
    ///
    /// What the protocol waits for is shown. Perhaps the system was stopped, or hangs without saying so.
    M004 = UNFINISHED;
}

/// An action of a running system, as a line of a log has it: an interaction of which the other side need
/// not be known. Roles are written as the protocol shows them: `worker[0]`.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "ActionLine")]
pub struct Observed {
    /// What kind of interaction it is.
    pub kind: InteractionKind,
    /// Who does it: the sender, or the receiver of a receive.
    pub role: String,
    /// The type of the message, perhaps with its content: `Vote` or `Vote(true)`. What a local step
    /// does; empty for a close.
    pub message: String,
    /// The receivers, or the sender of a receive; empty where the log does not say.
    pub others: Vec<String>,
}

/// What happens in a running system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// An action is done.
    Action(Observed),
    /// A role asked for an action and waits for it.
    Wait {
        /// Who waits: the role that does the action, or another one that takes part in it.
        role: String,
        /// For what.
        action: Observed,
    },
    /// A role leaves: it will do nothing more.
    Leave(String),
}

impl Event {
    /// Reads a line of a log. A line that cannot be read becomes a source of this name, so that it
    /// can be shown.
    pub fn parse(sources: &mut Sources, name: &str, line: &str) -> Result<Self, Box<Diagnostic>> {
        let read = serde_json::from_str::<Tag>(line).and_then(|tag| match tag.event.as_str() {
            "wait" => serde_json::from_str(line).map(|WaitLine { role, action }| Event::Wait {
                role: role.unwrap_or_else(|| action.role.clone()),
                action,
            }),
            "leave" => serde_json::from_str(line).map(|LeaveLine { role }| Event::Leave(role)),
            _ => serde_json::from_str(line).map(Event::Action),
        });
        read.map_err(|error| {
            let source = sources.add(name, line);
            let at = line.floor_char_boundary(error.column().saturating_sub(1));
            let message = error.to_string();
            let message = message.split(" at line").next().unwrap_or_default();
            let span = Span::new(source, at..line.ceil_char_boundary(at + 1));
            Box::new(
                Diagnostic::error(&BAD_LINE, format!("the event cannot be read: {message}"))
                    .at(span, "here")
                    .help("write one JSON object per line, as in `quadrille explain M001`"),
            )
        })
    }
}

/// What every line has.
#[derive(Deserialize)]
struct Tag {
    event: String,
}

/// `{"event": "wait", "for": {…}}`, with `role` where another waits than the one who does it.
#[derive(Deserialize)]
struct WaitLine {
    #[serde(default)]
    role: Option<String>,
    #[serde(rename = "for")]
    action: Observed,
}

/// `{"event": "leave", "role": "white"}`
#[derive(Deserialize)]
struct LeaveLine {
    role: String,
}

/// `{"event": "send", "role": "white", "message": "Move", "to": "black"}`
#[derive(Deserialize)]
struct ActionLine {
    #[serde(deserialize_with = "kind")]
    event: InteractionKind,
    role: String,
    message: Option<String>,
    #[serde(default)]
    to: Option<OneOrMore>,
    #[serde(default)]
    from: Option<String>,
}

/// Reads the word of an interaction where it stands, so that a mistake has its place.
fn kind<'de, D: Deserializer<'de>>(input: D) -> Result<InteractionKind, D::Error> {
    let word = String::deserialize(input)?;
    let kind = InteractionKind::ALL.into_iter().find(|kind| kind.word() == word);
    kind.ok_or_else(|| {
        let known = InteractionKind::ALL.map(|kind| format!("`{}`", kind.word())).join(", ");
        D::Error::custom(format!("unknown variant `{word}`, expected one of {known}"))
    })
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl TryFrom<ActionLine> for Observed {
    type Error = String;

    fn try_from(line: ActionLine) -> Result<Self, String> {
        let ActionLine { event: kind, role, message, to, from } = line;
        let missing = |field: &str| format!("missing field `{field}`");
        let to = match to {
            None => Vec::new(),
            Some(OneOrMore::One(name)) => vec![name],
            Some(OneOrMore::More(names)) => names,
        };
        let others = match kind {
            InteractionKind::Send | InteractionKind::Exchange => to,
            InteractionKind::Receive => from.into_iter().collect(),
            InteractionKind::Close if to.len() == 1 => to,
            InteractionKind::Close => return Err(missing("to")),
            InteractionKind::Local => Vec::new(),
        };
        let message = match kind {
            InteractionKind::Close => String::new(),
            _ => message.ok_or_else(|| missing("message"))?,
        };
        Ok(Observed { kind, role, message, others })
    }
}

impl Observed {
    /// The action in words, as labels are written.
    pub fn label(&self) -> String {
        let Observed { kind, role, message, others } = self;
        let others = match &others[..] {
            [] => "another role".to_owned(),
            names => names.join(", "),
        };
        match kind {
            InteractionKind::Send => format!("{role} sends {message} to {others}"),
            InteractionKind::Receive => format!("{role} receives {message} from {others}"),
            InteractionKind::Exchange => format!("{role} passes {message} to {others}"),
            InteractionKind::Close => format!("{role} closes to {others}"),
            InteractionKind::Local => format!("{role} does {message}"),
        }
    }

    /// Whether a role that waits for something waits no longer when this happens: it did it, or it was
    /// among the receivers of an exchange.
    fn serves(&self, role: &str, awaited: &Observed) -> bool {
        let exchange = InteractionKind::Exchange;
        let is_receiver = self.kind == exchange
            && match &self.others[..] {
                [] => {
                    awaited.kind == exchange
                        && self.role == awaited.role
                        && is_message(&awaited.message, &self.message)
                }
                receivers => receivers.iter().any(|to| to == role),
            };
        self.role == role || is_receiver
    }

    /// Whether an action of a protocol is this one, as far as the log says.
    fn is(&self, action: &Action, model: &ProtocolModel) -> bool {
        if action.interaction.kind() != Some(self.kind) {
            return false;
        }
        let is_role = |id: ParticipantId, name: &str| model.participant(id).to_string() == name;
        let (by, others, text) = match &action.interaction {
            Interaction::Send { from, to, message }
            | Interaction::Exchange { from, to, message } => (*from, to.clone(), &message[..]),
            Interaction::Receive { from, to, message } => {
                (*to, from.iter().copied().collect(), &message[..])
            }
            Interaction::Close { from, to } => (*from, vec![*to], ""),
            Interaction::Joint { participants } => {
                return is_role(participants[0], &self.role)
                    && action.label == format!("{} does {}", self.role, self.message);
            }
        };
        let are_others = self.others.is_empty()
            || (self.others.len() == others.len()
                && others.iter().all(|&id| self.others.iter().any(|name| is_role(id, name))));
        is_role(by, &self.role) && are_others && is_message(text, &self.message)
    }
}

/// The message of an observation that does not tell which it is.
pub const ANY_MESSAGE: &str = "*";

/// Whether a message of a protocol is the observed one. Content counts only where both have it.
fn is_message(text: &str, observed: &str) -> bool {
    if observed == ANY_MESSAGE {
        return true;
    }
    let name = |message| str::split(message, '(').next().unwrap_or_default();
    let both = text.contains('(') && observed.contains('(');
    text == observed || (!both && !name(text).is_empty() && name(text) == name(observed))
}

/// Where the protocol cannot be followed.
#[expect(clippy::needless_pass_by_value, reason = "problems come boxed")]
fn uncomputed(problem: Box<Problem>) -> Box<Diagnostic> {
    Box::new(diagnosed(&problem))
}

/// What the monitor has to say after an event that the protocol allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// The system can go on.
    Running,
    /// Nothing that the protocol allows can happen any more.
    Stuck(Box<Diagnostic>),
}

/// A possible action: its label, and where it is written.
type Possible = (String, Option<Span>);

/// Follows a protocol; one [by place](ProtocolModel::by_place), where it is to say which of several equal
/// communications was expected. It borrows the protocol or shares it. The protocol may be in one of several states where
/// events do not tell.
pub struct Monitor<M> {
    model: M,
    states: BTreeSet<Vec<Value>>,
    n_actions: u64,
    /// What roles wait for.
    waiting: BTreeMap<String, Observed>,
    gone: BTreeSet<String>,
}

impl<M: Deref<Target = ProtocolModel>> Monitor<M> {
    /// A monitor for a system that has not done anything yet.
    pub fn new(model: M) -> Result<Self, Box<Diagnostic>> {
        let mut states = BTreeSet::new();
        let add = |state: &[Value]| states.extend([state.to_vec()]);
        model.explorer().each_initial(add).map_err(uncomputed)?;
        let (waiting, gone) = (BTreeMap::new(), BTreeSet::new());
        Ok(Self { model, states, n_actions: 0, waiting, gone })
    }

    /// Takes an event. The first deviation should be the last event: after it, nothing is known.
    pub fn observe(&mut self, event: &Event) -> Result<Status, Box<Diagnostic>> {
        match event {
            Event::Action(observed) => {
                self.act(observed)?;
                self.waiting.retain(|role, awaited| !observed.serves(role, awaited));
            }
            Event::Wait { role, action } => {
                self.waiting.insert(role.clone(), action.clone());
            }
            Event::Leave(role) => {
                self.waiting.remove(role);
                self.gone.insert(role.clone());
            }
        }
        self.status()
    }

    /// What the protocol allows next, by label.
    pub fn allowed(&self) -> Result<Vec<String>, Box<Diagnostic>> {
        let mut labels: Vec<String> = self.next()?.into_keys().map(|(label, _)| label).collect();
        labels.dedup();
        Ok(labels)
    }

    /// Whether the protocol may end now.
    pub fn may_end(&self) -> Result<bool, Box<Diagnostic>> {
        let mut explorer = self.model.explorer();
        for state in &self.states {
            if explorer.may_end(state).map_err(uncomputed)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Says that nothing more will be observed; a warning where the protocol may not end here.
    pub fn finish(&self) -> Result<(), Box<Diagnostic>> {
        if self.may_end()? {
            return Ok(());
        }
        let message = format!("the log ends {}, and the protocol does not", self.moment());
        Err(Box::new(self.expected(Diagnostic::warning(&UNFINISHED, message))?))
    }

    fn act(&mut self, observed: &Observed) -> Result<(), Box<Diagnostic>> {
        let mut after = BTreeSet::new();
        let mut explorer = self.model.explorer();
        for state in &self.states {
            let visit = |_: GroupId, action: ActionId, next: &[Value]| {
                if observed.is(&self.model.action(action), &self.model) {
                    after.insert(next.to_vec());
                }
            };
            explorer.each_successor(state, visit).map_err(uncomputed)?;
        }
        if after.is_empty() {
            let number = self.n_actions + 1;
            let message = format!("action {number} deviates: {}", observed.label());
            return Err(Box::new(self.expected(Diagnostic::error(&DEVIATION, message))?));
        }
        self.states = after;
        self.n_actions += 1;
        Ok(())
    }

    fn moment(&self) -> String {
        match self.n_actions {
            0 => "at the start".to_owned(),
            number => format!("after action {number}"),
        }
    }

    /// The actions that are possible, by label and place so that their order is fixed.
    fn next(&self) -> Result<BTreeMap<Possible, (ActId, Action)>, Box<Diagnostic>> {
        let mut next = BTreeMap::new();
        let mut explorer = self.model.explorer();
        for state in &self.states {
            let add = |_: GroupId, id: ActionId, _: &[Value]| {
                let (act, action) = (ActId(id.number()), self.model.action(id));
                let place = self.model.terms().place_of(act);
                next.insert((action.label.clone(), place), (act, action));
            };
            explorer.each_successor(state, add).map_err(uncomputed)?;
        }
        Ok(next)
    }

    /// Adds to a diagnostic what was allowed.
    fn expected(&self, mut diagnostic: Diagnostic) -> Result<Diagnostic, Box<Diagnostic>> {
        for (label, place) in self.next()?.into_keys() {
            diagnostic = match place {
                Some(span) => diagnostic.at(span, format!("allowed: {label}")),
                None => diagnostic.note(format!("allowed: {label}")),
            };
        }
        Ok(if self.may_end()? { diagnostic.note("allowed: to end") } else { diagnostic })
    }

    fn status(&self) -> Result<Status, Box<Diagnostic>> {
        let next = self.next()?;
        if next.values().any(|(act, action)| !self.is_blocked(*act, action)) {
            return Ok(Status::Running);
        }
        if self.waiting.is_empty() && self.may_end()? {
            return Ok(Status::Running);
        }
        let message = format!("the system is stuck {}", self.moment());
        let mut diagnostic = self.expected(Diagnostic::error(&STUCK, message))?;
        for (role, awaited) in &self.waiting {
            diagnostic = diagnostic.note(format!("`{role}` waits for: {}", awaited.label()));
        }
        for role in &self.gone {
            diagnostic = diagnostic.note(format!("`{role}` has left"));
        }
        Ok(Status::Stuck(Box::new(diagnostic)))
    }

    /// Whether a role that takes part in an action has left or waits for something else.
    fn is_blocked(&self, act: ActId, action: &Action) -> bool {
        let terms = self.model.terms();
        terms.act_of(act).subjects().into_iter().any(|role| {
            let name = terms.role_of(role).to_string();
            let waits_for_other = |observed: &Observed| !observed.is(action, &self.model);
            self.gone.contains(&name) || self.waiting.get(&name).is_some_and(waits_for_other)
        })
    }
}

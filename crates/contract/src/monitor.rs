//! Following the frame of a component along a log of a running system, in the format of the monitor of
//! protocols (`docs/monitor.md`), with its codes. Events of other components are passed over.

use std::collections::BTreeSet;

use quadrille_component::automata::{Event as Named, EventKind, Role};
use quadrille_diagnostic::Diagnostic;
use quadrille_interaction::InteractionKind;
use quadrille_protocol::monitor::{BAD_LINE, DEVIATION, Event, Observed, UNFINISHED};

use crate::frame::{Frame, Location, Signal};

/// Follows a frame. It may be in one of several states where the log leaves arguments out.
///
/// ```
/// use quadrille_contract::{Frame, Monitor};
/// use quadrille_protocol::monitor::Event;
///
/// let mut sources = quadrille_diagnostic::Sources::default();
/// let text = "Clerk ?Desk.ask { !Files.look }*";
/// let (file, _) = quadrille_component::parse(sources.add("clerk.bp", text), text);
/// let frame = Frame::new(&file.types, &file.components[0], None)?;
/// let mut monitor = Monitor::new(&frame);
/// let mut tell = |line: &str| {
///     let event = Event::parse(&mut sources, "log", line).expect("well-formed");
///     monitor.observe(&event)
/// };
/// assert_eq!(tell(r#"{"event": "receive", "role": "Clerk", "message": "Desk.ask^"}"#), Ok(()));
/// let answered = tell(r#"{"event": "send", "role": "Clerk", "message": "Desk.ask$"}"#);
/// assert!(answered.unwrap_err().message.contains("deviates"));
/// # Ok::<(), quadrille_contract::FrameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Monitor<'f> {
    frame: &'f Frame,
    at: BTreeSet<Location>,
    n_signals: u64,
}

impl<'f> Monitor<'f> {
    /// A monitor for a component that has not done anything yet.
    pub fn new(frame: &'f Frame) -> Self {
        Self { frame, at: BTreeSet::from([Frame::START]), n_signals: 0 }
    }

    /// Takes an event of the log. The first deviation should be the last event: after it, nothing is
    /// known. That the component leaves is a deviation where it may not end.
    pub fn observe(&mut self, event: &Event) -> Result<(), Box<Diagnostic>> {
        let name = self.frame.name();
        match event {
            Event::Action(action) => match seen_by(action, name) {
                Some((role, message)) => self.step(role, message),
                None => Ok(()),
            },
            Event::Leave(role) if role == name && !self.may_end() => {
                let what = format!("`{name}` leaves {}, and its frame does not end", self.moment());
                Err(Box::new(self.expected(Diagnostic::error(&DEVIATION, what))))
            }
            Event::Wait { .. } | Event::Leave(_) => Ok(()),
        }
    }

    /// The events that the component took part in.
    pub fn n_events(&self) -> u64 {
        self.n_signals
    }

    /// What the frame allows next: `!Card.charge^`.
    pub fn allowed(&self) -> Vec<String> {
        self.next().iter().map(ToString::to_string).collect()
    }

    /// Whether the component may be done now.
    pub fn may_end(&self) -> bool {
        self.at.iter().any(|&at| self.frame.may_end(at))
    }

    /// Says that nothing more will be observed; a warning where the component may not end here.
    pub fn finish(&self) -> Result<(), Box<Diagnostic>> {
        if self.may_end() {
            return Ok(());
        }
        let message =
            format!("`{}` ends {}, and its frame does not", self.frame.name(), self.moment());
        Err(Box::new(self.expected(Diagnostic::warning(&UNFINISHED, message))))
    }

    fn step(&mut self, role: Role, message: &str) -> Result<(), Box<Diagnostic>> {
        let Some(observed) = Message::read(message) else {
            let what = format!("`{message}` is neither a request nor a response");
            let help =
                "write `Interface.method^` for a request, `Interface.method$` for a response";
            return Err(Box::new(Diagnostic::error(&BAD_LINE, what).help(help)));
        };
        let mut after = BTreeSet::new();
        for &at in &self.at {
            let edges = self.frame.signals(at).iter();
            let matching =
                edges.filter(|(signal, _)| signal.role == role && observed.is(&signal.event));
            after.extend(matching.map(|edge| edge.1));
        }
        if after.is_empty() {
            let number = self.n_signals + 1;
            let name = self.frame.name();
            let what = format!("event {number} of `{name}` deviates: {}{message}", role.sign());
            return Err(Box::new(self.expected(Diagnostic::error(&DEVIATION, what))));
        }
        self.at = after;
        self.n_signals += 1;
        Ok(())
    }

    fn moment(&self) -> String {
        match self.n_signals {
            0 => "at the start".to_owned(),
            number => format!("after event {number}"),
        }
    }

    fn next(&self) -> BTreeSet<&'f Signal> {
        let frame = self.frame;
        self.at.iter().flat_map(|&at| frame.signals(at)).map(|edge| &edge.0).collect()
    }

    /// Adds to a diagnostic what was allowed.
    fn expected(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        for signal in self.next() {
            let text = format!("allowed: {signal}");
            diagnostic = match self.frame.place_of(&signal.event.path) {
                Some(span) => diagnostic.at(span, text),
                None => diagnostic.note(text),
            };
        }
        if self.may_end() { diagnostic.note("allowed: to end") } else { diagnostic }
    }
}

/// What an action of the system is to a component, if it takes part.
fn seen_by<'a>(action: &'a Observed, name: &str) -> Option<(Role, &'a str)> {
    let is_by = action.role == name;
    let role = match action.kind {
        InteractionKind::Send | InteractionKind::Exchange if is_by => Role::Emit,
        InteractionKind::Receive if is_by => Role::Accept,
        InteractionKind::Exchange if action.others.iter().any(|to| to == name) => Role::Accept,
        _ => return None,
    };
    Some((role, &action.message))
}

/// A message of a log, taken apart: `Lamp.set(ON)^`.
struct Message<'a> {
    path: &'a str,
    arguments: Option<Vec<&'a str>>,
    kind: EventKind,
}

impl<'a> Message<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let (rest, kind) = if let Some(rest) = text.strip_suffix(['^', '↑']) {
            (rest, EventKind::Request)
        } else {
            (text.strip_suffix(['$', '↓'])?, EventKind::Response)
        };
        let Some((path, list)) = rest.split_once('(') else {
            return Some(Self { path: rest, arguments: None, kind });
        };
        let list = list.strip_suffix(')')?;
        let arguments = Some(list.split(',').map(str::trim).collect());
        Some(Self { path, arguments, kind })
    }

    /// Arguments count only where the log has them.
    fn is(&self, event: &Named) -> bool {
        self.path == event.path
            && self.kind == event.kind
            && self.arguments.as_ref().is_none_or(|arguments| *arguments == event.arguments)
    }
}

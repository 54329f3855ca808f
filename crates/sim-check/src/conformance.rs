//! Protocols as monitors of a run: threads say by events what they do, in the words in which labels
//! are written, and the run must be one that the protocol allows.

use std::sync::Arc;

use quadrille_contract::Frame as Automaton;
use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_interaction::InteractionKind;
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::monitor::{Event, Monitor as Follower, Observed, Status};
use quadrille_sim::strategy::Execution;
use quadrille_sim::{Action, Fault, Monitor};

/// What an event says that a role does; nothing if it says something else.
///
/// `A sends M to B, C`, `A receives M from B`, `A passes M to B`, `A closes to B`, `A does M`,
/// `A leaves`; receivers and senders may be left out.
fn read(event: &str) -> Option<Event> {
    let (role, rest) = event.split_once(' ')?;
    let role = role.to_owned();
    if rest == "leaves" {
        return Some(Event::Leave(role));
    }
    let (verb, rest) = rest.split_once(' ')?;
    let split = |word: &str| -> (String, Vec<String>) {
        match rest.split_once(word) {
            Some((message, others)) => {
                (message.to_owned(), others.split(", ").map(str::to_owned).collect())
            }
            None => (rest.to_owned(), Vec::new()),
        }
    };
    let (kind, (message, others)) = match verb {
        "sends" => (InteractionKind::Send, split(" to ")),
        "passes" => (InteractionKind::Exchange, split(" to ")),
        "receives" => {
            let (message, mut from) = split(" from ");
            from.truncate(1);
            (InteractionKind::Receive, (message, from))
        }
        "closes" => {
            let to = rest.strip_prefix("to ")?.to_owned();
            (InteractionKind::Close, (String::new(), vec![to]))
        }
        "does" => (InteractionKind::Local, (rest.to_owned(), Vec::new())),
        _ => return None,
    };
    Some(Event::Action(Observed { kind, role, message, others }))
}

/// Shows a run to `observe`, event by event; the first deviation, with the operation it is at.
fn follow(
    name: &str,
    execution: &Execution<'_>,
    mut observe: impl FnMut(&Event) -> Result<(), Box<Diagnostic>>,
) -> Option<Fault> {
    for operation in execution.trace {
        let Action::Event(text) = operation.action else { continue };
        let Some(event) = read(text) else { continue };
        if let Err(diagnostic) = observe(&event) {
            let message = format!("{} at {}", said(&diagnostic), operation.place);
            return Some(Fault::Check { name: name.to_owned(), message });
        }
    }
    None
}

/// A diagnostic without places of files: the run has its own.
fn said(diagnostic: &Diagnostic) -> String {
    let labels = diagnostic.labels.iter().map(|label| &label.text);
    let parts = labels.chain(&diagnostic.notes).chain(&diagnostic.help);
    let mut text = diagnostic.message.clone();
    for part in parts.filter(|part| !part.is_empty()) {
        text.push_str("; ");
        text.push_str(part);
    }
    text
}

fn unfinished(name: &str, ended: Result<(), Box<Diagnostic>>) -> Option<Fault> {
    let diagnostic = ended.err()?;
    Some(Fault::Check { name: name.to_owned(), message: said(&diagnostic) })
}

/// A protocol in `.quad`, to be used as a [`Monitor`]: every execution must be a run of it, and end
/// only where it may.
#[derive(Clone)]
pub struct Protocol {
    name: Arc<str>,
    model: Arc<ProtocolModel>,
}

impl Protocol {
    /// The first protocol of a text.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, with its places.
    pub fn parse(file: &str, text: &str) -> Result<Protocol, String> {
        let mut sources = Sources::default();
        let source = sources.add(file, text);
        let (program, diagnostics) = quadrille_quad::load(&sources, source);
        let shown = |sources: &Sources, diagnostics: &[Diagnostic]| -> String {
            diagnostics.iter().map(|d| render(d, sources, Style::Plain)).collect()
        };
        let Some(program) = program else { return Err(shown(&sources, &diagnostics)) };
        let session = program.start(&mut sources, None, &[], &[]);
        let session = session.map_err(|diagnostics| shown(&sources, &diagnostics))?;
        Ok(Protocol { name: session.protocol.into(), model: Arc::new(session.model) })
    }
}

impl Monitor for Protocol {
    fn finish(&mut self, execution: &Execution<'_>) -> Option<Fault> {
        let mut follower = match Follower::new(&*self.model) {
            Ok(follower) => follower,
            Err(diagnostic) => return unfinished(&self.name, Err(diagnostic)),
        };
        let deviation = follow(&self.name, execution, |event| match follower.observe(event)? {
            Status::Running => Ok(()),
            Status::Stuck(diagnostic) => Err(diagnostic),
        });
        let ends = execution.is_complete && execution.cycle.is_none();
        deviation.or_else(|| ends.then(|| unfinished(&self.name, follower.finish())).flatten())
    }
}

/// The frame of a component in `.bp`, to be used as a [`Monitor`]: events of other components are
/// passed over. Requests are written `Desk.ask^`, responses `Desk.ask$`.
#[derive(Clone, Debug)]
pub struct Frame(Arc<Automaton>);

impl Frame {
    /// The first component of a text.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, with its places.
    pub fn parse(file: &str, text: &str) -> Result<Frame, String> {
        let mut sources = Sources::default();
        let source = sources.add(file, text);
        let (parsed, diagnostics) = quadrille_component::parse(source, text);
        let errors: String = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_error())
            .map(|diagnostic| render(diagnostic, &sources, Style::Plain))
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let Some(component) = parsed.components.first() else {
            return Err(format!("{file} describes no component"));
        };
        let frame = Automaton::new(&parsed.types, component, None);
        let frame = frame.map_err(|e| render(&e.of(component), &sources, Style::Plain))?;
        Ok(Frame(Arc::new(frame)))
    }
}

impl Monitor for Frame {
    fn finish(&mut self, execution: &Execution<'_>) -> Option<Fault> {
        let mut follower = quadrille_contract::Monitor::new(&self.0);
        let deviation = follow(self.0.name(), execution, |event| follower.observe(event));
        let ends = execution.is_complete && execution.cycle.is_none();
        deviation.or_else(|| ends.then(|| unfinished(self.0.name(), follower.finish())).flatten())
    }
}

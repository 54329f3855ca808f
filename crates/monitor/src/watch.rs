//! A protocol that a program is watched by: one lock, one state, the first deviation. Knows no channel.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_interaction::InteractionKind;
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::monitor::{ANY_MESSAGE, Event, Monitor as Follower, Observed, Status};

/// What happens at the first call that the protocol does not allow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Policy {
    /// The call returns an error. A message that was not sent is in it; one that was received is lost.
    #[default]
    Refuse,
    /// The call panics.
    Panic,
    /// The call goes on, and what follows is not watched.
    Report,
}

/// A call that the protocol does not allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deviation {
    /// What happened: `action 2 deviates: white sends Move to black`.
    pub message: String,
    /// What the protocol allowed instead.
    pub allowed: Vec<String>,
    /// Where the program made the call.
    pub place: &'static Location<'static>,
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        match &self.allowed[..] {
            [] => f.write_str("; no action is allowed any more"),
            allowed => write!(f, "; allowed: {}", allowed.join(", ")),
        }
    }
}

impl std::error::Error for Deviation {}

/// A protocol that cannot be used, with its mistakes as they are shown to people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadProtocol(String);

impl fmt::Display for BadProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadProtocol {}

/// A function that is told of the first deviation.
type Listener = Arc<dyn Fn(&Deviation) + Send + Sync>;

/// A protocol that the channels of a program are compared with. Clones watch the same run.
#[derive(Clone)]
pub struct Monitor {
    watched: Arc<Mutex<Watched>>,
    policy: Policy,
    listener: Option<Listener>,
    detects_deadlocks: bool,
}

struct Watched {
    follower: Follower<Arc<ProtocolModel>>,
    /// By receiver and message: how many were passed in one step with their send, and are not received yet.
    passed: BTreeMap<(String, String), usize>,
    first: Option<Deviation>,
    /// Whether the state of the program is not known any more.
    is_lost: bool,
}

/// Whether a call was allowed, or is not watched.
pub(crate) type Allowed = Result<(), Box<Deviation>>;

impl Monitor {
    /// A monitor of the first protocol of a text in `.quad`. The file is named in errors.
    ///
    /// # Errors
    /// What is wrong with the text, with its places.
    pub fn from_quad(file: &str, text: &str) -> Result<Self, BadProtocol> {
        Self::of(file, text, None, &[], &[])
    }

    /// A monitor of a protocol of a text by its name, with arguments and parameters: `&[("k", "3")]`.
    ///
    /// # Errors
    /// What is wrong with the text or the selection, with its places.
    pub fn of(
        file: &str,
        text: &str,
        protocol: Option<&str>,
        arguments: &[&str],
        parameters: &[(&str, &str)],
    ) -> Result<Self, BadProtocol> {
        let mut sources = Sources::default();
        let source = sources.add(file, text);
        let (program, diagnostics) = quadrille_quad::load(&sources, source);
        let shown = |sources: &Sources, diagnostics: &[Diagnostic]| {
            BadProtocol(diagnostics.iter().map(|it| render(it, sources, Style::Plain)).collect())
        };
        let Some(program) = program else { return Err(shown(&sources, &diagnostics)) };
        let session = program.start(&mut sources, protocol, arguments, parameters);
        let session = session.map_err(|diagnostics| shown(&sources, &diagnostics))?;
        let follower = Follower::new(Arc::new(session.model));
        let follower = follower.map_err(|diagnostic| shown(&sources, &[*diagnostic]))?;
        let (passed, first) = (BTreeMap::new(), None);
        let watched = Watched { follower, passed, first, is_lost: false };
        Ok(Self {
            watched: Arc::new(Mutex::new(watched)),
            policy: Policy::default(),
            listener: None,
            detects_deadlocks: false,
        })
    }

    /// Sets what happens at the first deviation. Ends that are wrapped afterwards follow it.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets a function that is told of the first deviation, whatever the policy; a log, for example.
    #[must_use]
    pub fn on_deviation(mut self, tell: impl Fn(&Deviation) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(tell));
        self
    }

    /// Takes a `recv` that would wait for ever for a deviation: where all who could go on wait, too, or have left. Each role
    /// must be one thread, which waits in wrapped ends only.
    #[must_use]
    pub fn detect_deadlocks(mut self) -> Self {
        self.detects_deadlocks = true;
        self
    }

    /// The first deviation.
    pub fn deviation(&self) -> Option<Deviation> {
        self.lock().first.clone()
    }

    /// A role has ended and will do nothing more.
    ///
    /// # Errors
    /// With [`Monitor::detect_deadlocks`], if nothing that the protocol allows can happen any more.
    #[track_caller]
    pub fn leaves(&self, role: &str) -> Result<(), Box<Deviation>> {
        self.see(&Event::Leave(role.to_owned()), Location::caller())
    }

    /// The program has ended.
    ///
    /// # Errors
    /// The first deviation; or, if there was none, that the protocol may not end here.
    #[track_caller]
    pub fn finish(&self) -> Result<(), Box<Deviation>> {
        let place = Location::caller();
        let watched = self.lock();
        if let Some(first) = &watched.first {
            return Err(Box::new(first.clone()));
        }
        let unfinished = match watched.follower.finish() {
            Ok(()) => return Ok(()),
            Err(diagnostic) => watched.deviation(&diagnostic, place),
        };
        Err(Box::new(unfinished))
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A role is about to send.
    pub(crate) fn sends(
        &self,
        (from, to): (&str, &str),
        message: String,
        place: &'static Location<'static>,
    ) -> Allowed {
        let mut watched = self.lock();
        if watched.is_lost {
            return self.after_the_first(&watched);
        }
        let (role, others) = (from.to_owned(), vec![to.to_owned()]);
        let key = (to.to_owned(), message.clone());
        let send = Observed { kind: InteractionKind::Send, role, message, others };
        let Err(diagnostic) = watched.act(send.clone()) else { return Ok(()) };
        if watched.act(Observed { kind: InteractionKind::Exchange, ..send }).is_ok() {
            *watched.passed.entry(key).or_default() += 1;
            return Ok(());
        }
        self.deviates(watched, &diagnostic, place, false)
    }

    /// A role has received.
    pub(crate) fn received(
        &self,
        (to, from): (&str, Option<&str>),
        message: String,
        place: &'static Location<'static>,
    ) -> Allowed {
        let mut watched = self.lock();
        if watched.is_lost {
            return self.after_the_first(&watched);
        }
        let key = (to.to_owned(), message.clone());
        let Err(diagnostic) = watched.act(receive(to, message, from)) else { return Ok(()) };
        if let Some(n_passed) = watched.passed.get_mut(&key).filter(|n_passed| **n_passed > 0) {
            *n_passed -= 1;
            return Ok(());
        }
        // The message is gone: where the protocol is now is not known.
        self.deviates(watched, &diagnostic, place, true)
    }

    /// A role is about to wait for a message.
    pub(crate) fn waits(
        &self,
        (role, from): (&str, Option<&str>),
        place: &'static Location<'static>,
    ) -> Allowed {
        if !self.detects_deadlocks {
            return Ok(());
        }
        let action = receive(role, ANY_MESSAGE.to_owned(), from);
        self.see(&Event::Wait { role: role.to_owned(), action }, place)
    }

    fn see(&self, event: &Event, place: &'static Location<'static>) -> Allowed {
        let mut watched = self.lock();
        if watched.is_lost {
            return self.after_the_first(&watched);
        }
        match watched.follower.observe(event) {
            Ok(Status::Stuck(diagnostic)) if self.detects_deadlocks => {
                self.deviates(watched, &diagnostic, place, true)
            }
            Ok(_) => Ok(()),
            Err(diagnostic) => self.deviates(watched, &diagnostic, place, true),
        }
    }

    /// What calls get that are not watched any more.
    fn after_the_first(&self, watched: &Watched) -> Allowed {
        match (&watched.first, self.policy) {
            (Some(first), Policy::Refuse) => Err(Box::new(first.clone())),
            _ => Ok(()),
        }
    }

    fn deviates(
        &self,
        mut watched: MutexGuard<'_, Watched>,
        diagnostic: &Diagnostic,
        place: &'static Location<'static>,
        has_happened: bool,
    ) -> Allowed {
        let deviation = watched.deviation(diagnostic, place);
        let is_first = watched.first.is_none();
        if is_first {
            watched.first = Some(deviation.clone());
        }
        // What is refused before it happens changes nothing.
        watched.is_lost = has_happened || self.policy != Policy::Refuse;
        drop(watched);
        if is_first && let Some(tell) = &self.listener {
            tell(&deviation);
        }
        match self.policy {
            Policy::Refuse => Err(Box::new(deviation)),
            Policy::Panic => panic!("{deviation}"),
            Policy::Report => Ok(()),
        }
    }
}

fn receive(role: &str, message: String, from: Option<&str>) -> Observed {
    let (role, others) = (role.to_owned(), from.map(str::to_owned).into_iter().collect());
    Observed { kind: InteractionKind::Receive, role, message, others }
}

impl Watched {
    /// Takes an action, if it is allowed.
    fn act(&mut self, observed: Observed) -> Result<(), Box<Diagnostic>> {
        self.follower.observe(&Event::Action(observed)).map(|_| ())
    }

    fn deviation(&self, diagnostic: &Diagnostic, place: &'static Location<'static>) -> Deviation {
        let (mut message, mut allowed) = (diagnostic.message.clone(), Vec::new());
        let labels = diagnostic.labels.iter().map(|label| &label.text);
        for text in labels.chain(&diagnostic.notes) {
            match text.strip_prefix("allowed: ") {
                Some(action) => allowed.push(action.to_owned()),
                None if text.is_empty() => {}
                None => message = format!("{message}; {text}"),
            }
        }
        allowed.dedup();
        Deviation { message, allowed, place }
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor")
            .field("policy", &self.policy)
            .field("deviation", &self.deviation())
            .finish_non_exhaustive()
    }
}

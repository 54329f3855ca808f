//! Playing the surroundings of a component: what generated test doubles stand on. The player makes the
//! calls that the frame accepts, answers those it emits, all at random from a seed, and stops at the first
//! event that the frame does not allow. One call at a time: it never calls while a call is under way.

use std::cell::RefCell;
use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

use quadrille_component::automata::{Event, EventKind, Role};
use quadrille_component::parse;
use quadrille_diagnostic::Sources;

use crate::frame::{Frame, Location, Signal};

/// Calls after which the player looks for an end.
const ENOUGH: usize = 30;
/// Calls after which it stops looking.
const MOST: usize = 1_000;

/// A method of a component: its name in the frame, and how to call it; gives the exception thrown.
pub type Method<'m, C> = (&'m str, fn(&mut C) -> Option<&'static str>);

/// Plays the surroundings of a component. Clones are handles of the same player.
#[derive(Clone, Debug)]
pub struct Player(Rc<RefCell<Play>>);

#[derive(Debug)]
struct Play {
    frame: Frame,
    at: Location,
    seed: u64,
    random: u64,
    events: Vec<String>,
    failure: Option<Trouble>,
}

/// A run that went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The seed that gives the same run again.
    pub seed: u64,
    /// What had happened, as the component sees it.
    pub events: Vec<String>,
    /// What went wrong then.
    pub trouble: Trouble,
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The component did something that its frame does not allow.
    Deviation {
        /// What it did.
        event: String,
        /// What it may have done.
        allowed: Vec<String>,
    },
    /// The frame wants something that a player cannot do: call while a call is under way, or wait for a
    /// component that acts by itself.
    Unplayable {
        /// What is allowed here.
        allowed: Vec<String>,
    },
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: ", self.seed)?;
        if !self.events.is_empty() {
            write!(f, "after {}, ", self.events.join(" "))?;
        }
        match &self.trouble {
            Trouble::Deviation { event, allowed } => {
                write!(f, "`{event}` is not allowed, but {}", allowed.join(" "))
            }
            Trouble::Unplayable { allowed } => {
                write!(f, "nobody can play what is allowed: {}", allowed.join(" "))
            }
        }
    }
}

impl std::error::Error for Failure {}

impl Player {
    /// A player for the first component of a text that was generated with the double.
    ///
    /// # Panics
    /// If the text has no component, or one without a frame.
    pub fn new(text: &str, seed: u64) -> Self {
        let (file, _) = parse(Sources::default().add("frame", text), text);
        let component = file.components.first().expect("a component");
        let frame = Frame::new(&file.types, component, None).expect("a frame");
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let at = Frame::START;
        Self(Rc::new(RefCell::new(Play {
            frame,
            at,
            seed,
            random,
            events: Vec::new(),
            failure: None,
        })))
    }

    /// The component calls a method that throws nothing.
    pub fn called(&self, method: &str) {
        let _: Option<&()> = self.0.borrow_mut().answer(method, &[]);
    }

    /// The component calls a method that may throw these: what comes of it.
    pub fn tried<E: Copy>(&self, method: &str, exceptions: &[(&str, E)]) -> Result<(), E> {
        self.0.borrow_mut().answer(method, exceptions).map_or(Ok(()), |exception| Err(*exception))
    }

    /// Calls methods of a component until its frame may end. Gives the number of events.
    pub fn drive<C>(&self, component: &mut C, methods: &[Method<'_, C>]) -> Result<usize, Failure> {
        let mut n_calls = 0;
        loop {
            let choice = self.0.borrow_mut().choose(methods, n_calls);
            let Some((name, method)) = choice else { break };
            let exception = method(component);
            self.0.borrow_mut().ended(name, exception);
            n_calls += 1;
        }
        let play = self.0.borrow();
        match &play.failure {
            None => Ok(play.events.len()),
            Some(trouble) => {
                let (seed, events) = (play.seed, play.events.clone());
                Err(Failure { seed, events, trouble: trouble.clone() })
            }
        }
    }
}

impl Play {
    /// A number below a limit (xorshift: Marsaglia 2003).
    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % limit as u64) as usize
    }

    fn allowed(&self) -> Vec<String> {
        let signals = self.frame.signals(self.at).iter().map(|edge| edge.0.to_string());
        let end = self.frame.may_end(self.at).then(|| "to end".to_owned());
        signals.chain(end).collect()
    }

    /// Takes an event, or notes that it is not allowed.
    fn step(&mut self, role: Role, path: &str, kind: EventKind) -> bool {
        let event = Event { path: path.to_owned(), arguments: Vec::new(), kind };
        let signal = Signal { role, event };
        let edges = self.frame.signals(self.at);
        let Some(to) = edges.iter().find(|edge| edge.0 == signal).map(|edge| edge.1) else {
            let (event, allowed) = (signal.to_string(), self.allowed());
            self.failure.get_or_insert(Trouble::Deviation { event, allowed });
            return false;
        };
        self.at = to;
        self.events.push(signal.to_string());
        true
    }

    /// The names of what may happen here, as seen by the component.
    fn paths(&self, role: Role, kind: EventKind) -> Vec<String> {
        let signals = self.frame.signals(self.at).iter().map(|edge| &edge.0);
        let wanted = signals.filter(|signal| signal.role == role && signal.event.kind == kind);
        wanted.map(|signal| signal.event.path.clone()).collect()
    }

    /// The component calls: how that ends. After a failure nothing matters any more.
    fn answer<'e, E>(&mut self, method: &str, exceptions: &'e [(&str, E)]) -> Option<&'e E> {
        if self.failure.is_some() || !self.step(Role::Emit, method, EventKind::Request) {
            return None;
        }
        let interface = method.rsplit_once('.').map_or("", |(interface, _)| interface);
        let possible = self.paths(Role::Accept, EventKind::Response);
        let mut endings: Vec<(String, Option<&E>)> = Vec::new();
        if possible.iter().any(|path| path == method) {
            endings.push((method.to_owned(), None));
        }
        for (name, exception) in exceptions {
            let path = format!("{interface}.{name}");
            if possible.contains(&path) {
                endings.push((path, Some(exception)));
            }
        }
        if endings.is_empty() {
            self.failure = Some(Trouble::Unplayable { allowed: self.allowed() });
            return None;
        }
        let (path, exception) = endings.swap_remove(self.below(endings.len()));
        self.step(Role::Accept, &path, EventKind::Response);
        exception
    }

    /// The next call to make, if any.
    fn choose<'m, C>(
        &mut self,
        methods: &[Method<'m, C>],
        n_calls: usize,
    ) -> Option<Method<'m, C>> {
        if self.failure.is_some() {
            return None;
        }
        let may_end = self.frame.may_end(self.at);
        let possible = self.paths(Role::Accept, EventKind::Request);
        let known = |path: &&String| methods.iter().any(|method| method.0 == path.as_str());
        let calls: Vec<&String> = possible.iter().filter(known).collect();
        if n_calls >= MOST || may_end && (calls.is_empty() || n_calls >= ENOUGH) {
            return None;
        }
        if calls.is_empty() {
            self.failure = Some(Trouble::Unplayable { allowed: self.allowed() });
            return None;
        }
        let choice = self.below(calls.len() + usize::from(may_end));
        let path = (*calls.get(choice)?).clone();
        self.step(Role::Accept, &path, EventKind::Request);
        methods.iter().find(|method| method.0 == path).copied()
    }

    fn ended(&mut self, method: &str, exception: Option<&str>) {
        if self.failure.is_some() {
            return;
        }
        let interface = method.rsplit_once('.').map_or("", |(interface, _)| interface);
        let path = exception.map_or(method.to_owned(), |name| format!("{interface}.{name}"));
        self.step(Role::Emit, &path, EventKind::Response);
    }
}

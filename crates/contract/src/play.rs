//! Playing the environment of a component: what generated test doubles stand on. The player makes the
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

/// A call that the player makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The values that the frame says it carries.
    pub arguments: Vec<String>,
    /// A number for whatever else it carries; the seed determines it.
    pub random: u64,
}

/// How a method is called; gives the exception thrown.
type Caller<'m, C> = dyn FnMut(&mut C, &Call) -> Option<&'static str> + 'm;

/// A method of a component.
pub struct Method<'m, C> {
    name: &'m str,
    caller: Box<Caller<'m, C>>,
}

impl<'m, C> Method<'m, C> {
    /// A method by its name in the frame, and how to call it; gives the exception thrown.
    pub fn new(
        name: &'m str,
        caller: impl FnMut(&mut C, &Call) -> Option<&'static str> + 'm,
    ) -> Self {
        Self { name, caller: Box::new(caller) }
    }
}

/// Plays the environment of a component. Clones are handles of the same player.
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
                write!(f, "the environment cannot play what is allowed: {}", allowed.join(" "))
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

    /// The component calls a method that throws nothing, with these values.
    pub fn called(&self, method: &str, arguments: &[&str]) {
        let _: Option<&()> = self.0.borrow_mut().answer(method, arguments, &[]);
    }

    /// The component calls a method that may throw these: what comes of it.
    pub fn tried<E: Copy>(
        &self,
        method: &str,
        arguments: &[&str],
        exceptions: &[(&str, E)],
    ) -> Result<(), E> {
        let thrown = self.0.borrow_mut().answer(method, arguments, exceptions).copied();
        thrown.map_or(Ok(()), Err)
    }

    /// A number for a value of which the frame says nothing.
    pub fn random(&self) -> u64 {
        self.0.borrow_mut().random()
    }

    /// Calls methods of a component until its frame may end. Gives the number of events.
    pub fn drive<C>(
        &self,
        component: &mut C,
        methods: &mut [Method<'_, C>],
    ) -> Result<usize, Failure> {
        let names: Vec<&str> = methods.iter().map(|method| method.name).collect();
        let mut n_calls = 0;
        loop {
            let choice = self.0.borrow_mut().choose(&names, n_calls);
            let Some((position, call)) = choice else { break };
            let exception = (methods[position].caller)(component, &call);
            self.0.borrow_mut().ended(names[position], exception);
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
    /// A number (xorshift: Marsaglia 2003).
    fn random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// A number below a limit.
    fn below(&mut self, limit: usize) -> usize {
        (self.random() % limit as u64) as usize
    }

    fn allowed(&self) -> Vec<String> {
        let signals = self.frame.signals(self.at).iter().map(|edge| edge.0.to_string());
        let end = self.frame.may_end(self.at).then(|| "to end".to_owned());
        signals.chain(end).collect()
    }

    /// Takes an event, or notes that it is not allowed.
    fn step(&mut self, role: Role, event: Event) -> bool {
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

    /// What may happen here, as seen by the component.
    fn events(&self, role: Role, kind: EventKind) -> Vec<Event> {
        let signals = self.frame.signals(self.at).iter().map(|edge| &edge.0);
        let wanted = signals.filter(|signal| signal.role == role && signal.event.kind == kind);
        wanted.map(|signal| signal.event.clone()).collect()
    }

    /// The component calls: how that ends. After a failure nothing matters any more.
    fn answer<'e, E>(
        &mut self,
        method: &str,
        arguments: &[&str],
        exceptions: &'e [(&str, E)],
    ) -> Option<&'e E> {
        let arguments = arguments.iter().map(|value| (*value).to_owned()).collect();
        let request = Event { path: method.to_owned(), arguments, kind: EventKind::Request };
        if self.failure.is_some() || !self.step(Role::Emit, request) {
            return None;
        }
        let possible = self.events(Role::Accept, EventKind::Response);
        let mut endings: Vec<(Event, Option<&E>)> = Vec::new();
        let answer = response(method, None);
        if possible.contains(&answer) {
            endings.push((answer, None));
        }
        for (name, exception) in exceptions {
            let thrown = response(method, Some(name));
            if possible.contains(&thrown) {
                endings.push((thrown, Some(exception)));
            }
        }
        if endings.is_empty() {
            self.failure = Some(Trouble::Unplayable { allowed: self.allowed() });
            return None;
        }
        let (event, exception) = endings.swap_remove(self.below(endings.len()));
        self.step(Role::Accept, event);
        exception
    }

    /// The next call to make, if any: the position of its method.
    fn choose(&mut self, methods: &[&str], n_calls: usize) -> Option<(usize, Call)> {
        if self.failure.is_some() {
            return None;
        }
        let may_end = self.frame.may_end(self.at);
        let mut calls = Vec::new();
        for event in self.events(Role::Accept, EventKind::Request) {
            let position = methods.iter().position(|method| *method == event.path);
            calls.extend(position.map(|position| (position, event)));
        }
        if n_calls >= MOST || may_end && (calls.is_empty() || n_calls >= ENOUGH) {
            return None;
        }
        if calls.is_empty() {
            self.failure = Some(Trouble::Unplayable { allowed: self.allowed() });
            return None;
        }
        let choice = self.below(calls.len() + usize::from(may_end));
        let (position, event) = calls.into_iter().nth(choice)?;
        let call = Call { arguments: event.arguments.clone(), random: self.random() };
        self.step(Role::Accept, event);
        Some((position, call))
    }

    fn ended(&mut self, method: &str, exception: Option<&str>) {
        if self.failure.is_none() {
            self.step(Role::Emit, response(method, exception));
        }
    }
}

/// How a call of a method ends: with its response, or with an exception on the same interface.
fn response(method: &str, exception: Option<&str>) -> Event {
    let interface = method.rsplit_once('.').map_or("", |(interface, _)| interface);
    let path = exception.map_or(method.to_owned(), |name| format!("{interface}.{name}"));
    Event { path, arguments: Vec::new(), kind: EventKind::Response }
}

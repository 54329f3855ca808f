//! The runs of a protocol with the *thread* of each step: which parts of which parallel compositions it happens in.
//!
//! Terms forget that: a part that has ended leaves its neighbour as if that had always been alone. So states are kept here
//! as the text has them, with a number for each parallel composition that is under way. Knows no automaton and no queue.

use quadrille_model::{Problem, Value};

use super::action::ActId;
use super::data::{Data, ExprId, UpdateId, VariableId};
use super::model::ProtocolModel;
use super::step::Trouble;
use super::term::{Term, TermId};

/// The parts of parallel compositions in which something happens, by the number of the composition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Thread(Vec<(u32, u32)>);

impl Thread {
    /// Whether two things happen in different parts of the same composition, so that neither comes first.
    #[must_use]
    pub fn is_parallel_to(&self, other: &Self) -> bool {
        self.0.iter().any(|(here, part)| {
            other.0.iter().any(|(there, other_part)| here == there && part != other_part)
        })
    }

    /// The compositions and parts, outermost first.
    #[must_use]
    pub fn parts(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// The same without some compositions, and with new numbers for the others.
    #[must_use]
    pub fn renumbered(&self, mut number: impl FnMut(u32) -> Option<u32>) -> Self {
        let parts =
            self.0.iter().filter_map(|&(composition, part)| Some((number(composition)?, part)));
        Self(parts.collect())
    }

    fn within(&self, composition: u32, part: usize) -> Self {
        let mut parts = self.0.clone();
        parts.push((composition, part as u32));
        Self(parts)
    }
}

/// What is left to do.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Control {
    Ended,
    Term(TermId),
    Sequence(Box<Control>, TermId),
    /// A composition that is under way; parts that have ended stay until all have.
    Parallel(u32, Vec<Control>),
}

/// A state of a protocol as its text has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadState {
    control: Control,
    store: Box<[Value]>,
}

impl ThreadState {
    /// Calls `visit` with the number of each composition that is under way, each once.
    pub fn compositions(&self, mut visit: impl FnMut(u32)) {
        self.control.visit(&mut visit);
    }

    /// The same with other numbers for compositions.
    #[must_use]
    pub fn renumbered(&self, mut number: impl FnMut(u32) -> u32) -> Self {
        Self { control: self.control.renumbered(&mut number), store: self.store.clone() }
    }
}

impl Control {
    fn of(term: TermId) -> Self {
        if term == TermId::SKIP { Control::Ended } else { Control::Term(term) }
    }

    fn then(self, term: TermId) -> Self {
        match self {
            Control::Ended => Self::of(term),
            head => Control::Sequence(Box::new(head), term),
        }
    }

    /// A composition one of whose parts has become this.
    fn beside(self, composition: u32, part: usize, mut parts: Vec<Control>) -> Self {
        parts[part] = self;
        let is_over = parts.iter().all(|part| *part == Control::Ended);
        if is_over { Control::Ended } else { Control::Parallel(composition, parts) }
    }

    fn visit(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Control::Ended | Control::Term(_) => {}
            Control::Sequence(head, _) => head.visit(visit),
            Control::Parallel(composition, parts) => {
                visit(*composition);
                parts.iter().for_each(|part| part.visit(visit));
            }
        }
    }

    fn renumbered(&self, number: &mut dyn FnMut(u32) -> u32) -> Self {
        match self {
            Control::Ended | Control::Term(_) => self.clone(),
            Control::Sequence(head, then) => {
                Control::Sequence(Box::new(head.renumbered(number)), *then)
            }
            Control::Parallel(composition, parts) => {
                let composition = number(*composition);
                let parts = parts.iter().map(|part| part.renumbered(number)).collect();
                Control::Parallel(composition, parts)
            }
        }
    }
}

/// A step of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadStep {
    /// What happens.
    pub act: ActId,
    /// In which thread.
    pub thread: Thread,
    /// The state after it.
    pub to: ThreadState,
}

/// Deepest nesting of what is looked at for one step.
const MAX_DEPTH: usize = 2_000;

impl ProtocolModel {
    /// The first state of the protocol.
    ///
    /// # Errors
    /// If a variable cannot hold what it starts with.
    pub fn thread_start(&self) -> Result<ThreadState, Box<Problem>> {
        let variables = self.terms().variables().iter().enumerate();
        let store = variables.map(|(position, variable)| {
            let stored = self.terms().stored(VariableId(position as u32), variable.initial);
            stored.map_err(|error| self.data_error(error, None))
        });
        Ok(ThreadState {
            control: Control::of(self.whole),
            store: store.collect::<Result<_, _>>()?,
        })
    }

    /// The steps of a state. Compositions that begin with one get numbers from `first` on.
    ///
    /// # Errors
    /// If a step cannot be computed.
    pub fn thread_steps(
        &self,
        state: &ThreadState,
        first: u32,
    ) -> Result<Vec<ThreadStep>, Box<Problem>> {
        let mut walk = ThreadWalk {
            model: self,
            store: &state.store,
            next: first,
            moving: Vec::new(),
            depth: 0,
        };
        walk.control(&state.control, &Thread::default())?
            .into_iter()
            .map(|step| {
                let mut store = state.store.clone();
                if step.update != UpdateId::NONE {
                    let assignments = self.terms().update_of(step.update);
                    let assigned = self.terms().assign(assignments, &state.store, &mut store);
                    assigned
                        .map_err(|error| self.data_error(error, Some((step.act, &state.store))))?;
                }
                let to = ThreadState { control: step.to, store };
                Ok(ThreadStep { act: step.act, thread: step.thread, to })
            })
            .collect()
    }

    /// Whether the protocol may end in a state.
    ///
    /// # Errors
    /// If that cannot be computed.
    pub fn thread_may_end(&self, state: &ThreadState) -> Result<bool, Box<Problem>> {
        self.control_ends(&state.control, &state.store)
    }

    fn control_ends(&self, control: &Control, store: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(match control {
            Control::Ended => true,
            Control::Term(term) => self.condition(self.ends(*term)?, store, None)?,
            Control::Sequence(head, then) => {
                self.control_ends(head, store)? && self.condition(self.ends(*then)?, store, None)?
            }
            Control::Parallel(_, parts) => {
                for part in parts {
                    if !self.control_ends(part, store)? {
                        return Ok(false);
                    }
                }
                true
            }
        })
    }
}

struct Found {
    act: ActId,
    update: UpdateId,
    thread: Thread,
    to: Control,
}

struct ThreadWalk<'m, 's> {
    model: &'m ProtocolModel,
    store: &'s [Value],
    /// The number of the next composition.
    next: u32,
    /// Calls that are being unfolded.
    moving: Vec<TermId>,
    depth: usize,
}

impl ThreadWalk<'_, '_> {
    fn control(&mut self, control: &Control, thread: &Thread) -> Result<Vec<Found>, Box<Problem>> {
        match control {
            Control::Ended => Ok(Vec::new()),
            Control::Term(term) => self.term(*term, thread),
            Control::Sequence(head, then) => {
                let mut found = self.control(head, thread)?;
                found.iter_mut().for_each(|step| step.go_on(*then));
                if self.model.control_ends(head, self.store)? {
                    found.extend(self.term(*then, thread)?);
                }
                Ok(found)
            }
            Control::Parallel(composition, parts) => {
                let mut all = Vec::new();
                for (position, part) in parts.iter().enumerate() {
                    let mut found = self.control(part, &thread.within(*composition, position))?;
                    found.iter_mut().for_each(|step| step.stay(*composition, position, parts));
                    all.extend(found);
                }
                Ok(all)
            }
        }
    }

    fn term(&mut self, term: TermId, thread: &Thread) -> Result<Vec<Found>, Box<Problem>> {
        if self.depth > MAX_DEPTH {
            return Err(self.model.trouble(Trouble::Deep));
        }
        self.depth += 1;
        let found = self.term_within(term, thread);
        self.depth -= 1;
        found
    }

    fn term_within(&mut self, term: TermId, thread: &Thread) -> Result<Vec<Found>, Box<Problem>> {
        let terms = self.model.terms();
        match terms.term(term) {
            Term::Stop | Term::Skip => Ok(Vec::new()),
            Term::Act(act, update) => {
                Ok(vec![Found { act, update, thread: thread.clone(), to: Control::Ended }])
            }
            Term::Seq(first, then) => {
                let mut found = self.term(first, thread)?;
                found.iter_mut().for_each(|step| step.go_on(then));
                if self.may_end(first)? {
                    found.extend(self.term(then, thread)?);
                }
                Ok(found)
            }
            Term::Choice(parts) => {
                let mut all = Vec::new();
                for &part in parts {
                    all.extend(self.term(part, thread)?);
                }
                Ok(all)
            }
            Term::Par(..) => {
                let composition = self.next;
                self.next += 1;
                let parts: Vec<TermId> = terms.parts(term);
                let stay: Vec<Control> =
                    parts.iter().map(|&part| Control::of(terms.unnested(part))).collect();
                let mut all = Vec::new();
                for (position, &part) in parts.iter().enumerate() {
                    let mut found = self.term(part, &thread.within(composition, position))?;
                    found.iter_mut().for_each(|step| step.stay(composition, position, &stay));
                    all.extend(found);
                }
                Ok(all)
            }
            Term::Nested(inner) => self.term(inner, thread),
            Term::Guard(condition, inner) => {
                if self.model.condition(condition, self.store, None)? {
                    self.term(inner, thread)
                } else {
                    Ok(Vec::new())
                }
            }
            Term::Repeat { body, .. } => {
                let mut found = self.term(body, thread)?;
                found.iter_mut().for_each(|step| step.go_on(term));
                Ok(found)
            }
            Term::Call(definition, arguments) => {
                // Inside its own unfolding, with no action in between, a call contributes nothing.
                if self.moving.contains(&term) {
                    return Ok(Vec::new());
                }
                let definitions = &self.model.definitions;
                let body = terms.body(term, || definitions.unfold(terms, definition, arguments));
                let body = body.map_err(|trouble| self.model.trouble(Trouble::Body(trouble)))?;
                self.moving.push(term);
                let found = self.term(body, thread);
                self.moving.pop();
                found
            }
        }
    }

    fn may_end(&self, term: TermId) -> Result<bool, Box<Problem>> {
        let ends: ExprId = self.model.ends(term)?;
        self.model.condition(ends, self.store, None)
    }
}

impl Found {
    fn take(&mut self) -> Control {
        std::mem::replace(&mut self.to, Control::Ended)
    }

    /// Something comes after.
    fn go_on(&mut self, then: TermId) {
        self.to = self.take().then(then);
    }

    /// Other parts stay as they are.
    fn stay(&mut self, composition: u32, position: usize, parts: &[Control]) {
        self.to = self.take().beside(composition, position, parts.to_vec());
    }
}

//! Components as protocols again; a fork is one letter. Exceptions that leave a fork, requests that carry
//! values, and states from which there is no way to the end have no such form.

use quadrille_diagnostic::{Sources, Span};

use crate::automata::{
    Alphabet, EventKind, Fork, ForkedDfa, Letter, Role, StepEvent, StepId, Target,
};
use crate::regular::{Automaton, AutomatonState};
use crate::syntax::{Direction, Kind, Path, Phase, Protocol, Token};

/// A protocol with the language of a component, if it has a textual form.
pub fn protocol(alphabet: &Alphabet, dfa: &ForkedDfa) -> Option<Protocol> {
    let source = Sources::default().add("reduced", "");
    Writer { alphabet, span: Span::new(source, 0..0) }.dfa(dfa)
}

struct Writer<'a> {
    alphabet: &'a Alphabet,
    span: Span,
}

impl Writer<'_> {
    fn dfa(&self, dfa: &ForkedDfa) -> Option<Protocol> {
        let mut edges = Vec::new();
        for (from, state) in dfa.states.iter().enumerate() {
            for &(letter, target) in &state.edges {
                let Target::State(to) = target else { return None };
                edges.push((
                    AutomatonState(from),
                    self.letter(dfa, letter)?,
                    AutomatonState(to.index()),
                ));
            }
        }
        let ends = dfa.states.iter().map(|state| state.accepting).collect();
        let whole = Automaton { edges, ends, span: self.span }.protocol().ok()?;
        Some(self.with_calls(whole))
    }

    fn letter(&self, dfa: &ForkedDfa, letter: Letter) -> Option<Protocol> {
        match letter {
            Letter::Step(step) => self.step(step),
            Letter::Join(fork) => {
                let Fork { branches, needs_start } = &dfa.forks[fork.index()];
                let write = |branch: &ForkedDfa| {
                    let mut branch = branch.clone();
                    // The initial state accepts only because the branch may be left out.
                    branch.states[0].accepting &= !needs_start;
                    self.dfa(&branch)
                };
                let mut parts: Vec<Protocol> = branches.iter().map(write).collect::<Option<_>>()?;
                match parts.len() {
                    1 => parts.pop(),
                    _ if *needs_start => Some(self.of(Kind::OrParallel(parts))),
                    _ => Some(self.of(Kind::Parallel(parts))),
                }
            }
            Letter::Abort(..) => None,
        }
    }

    fn step(&self, step: StepId) -> Option<Protocol> {
        let path = |part: &StepEvent| {
            let event = self.alphabet.event_of(part.event);
            let path = Path { text: event.path.clone(), span: self.span };
            event.arguments.is_empty().then_some((path, event.kind))
        };
        let token = |part: &StepEvent| {
            let (path, kind) = path(part)?;
            let direction = match part.role {
                Role::Emit => Direction::Emit,
                Role::Accept => Direction::Accept,
                Role::Meet => return None,
            };
            let phase = match kind {
                EventKind::Request => Phase::Request,
                EventKind::Response => Phase::Response,
                EventKind::Meeting => return None,
            };
            Some(Token { direction, path, phase })
        };
        match self.alphabet.step_events(step) {
            [part] if part.role == Role::Meet => Some(self.of(Kind::Meet(path(part)?.0))),
            [part] => Some(self.of(Kind::Event(token(part)?))),
            parts => {
                let tokens: Option<Vec<Token>> = parts.iter().map(token).collect();
                Some(self.of(Kind::Atomic(tokens?)))
            }
        }
    }

    fn of(&self, kind: Kind) -> Protocol {
        Protocol { kind, span: self.span }
    }

    /// Writes a request with the response that follows it at once as a call.
    fn with_calls(&self, protocol: Protocol) -> Protocol {
        let kind = match protocol.kind {
            Kind::Sequence(parts) => {
                let mut calls: Vec<Protocol> = Vec::new();
                for part in parts {
                    let part = self.with_calls(part);
                    match calls.last().and_then(|last| call(last, &part)) {
                        Some(kind) => {
                            calls.pop();
                            calls.push(self.of(kind));
                        }
                        None => calls.push(part),
                    }
                }
                match calls.len() {
                    1 => return calls.swap_remove(0),
                    _ => Kind::Sequence(calls),
                }
            }
            Kind::Alternative(parts) => {
                Kind::Alternative(parts.into_iter().map(|part| self.with_calls(part)).collect())
            }
            Kind::Repeat(inner) => Kind::Repeat(Box::new(self.with_calls(*inner))),
            other => other,
        };
        self.of(kind)
    }
}

fn call(one: &Protocol, next: &Protocol) -> Option<Kind> {
    let (Kind::Event(request), Kind::Event(response)) = (&one.kind, &next.kind) else {
        return None;
    };
    let fits = request.phase == Phase::Request
        && response.phase == Phase::Response
        && request.direction == response.direction.inverse()
        && request.path == response.path;
    fits.then(|| Kind::Call {
        direction: request.direction,
        path: request.path.clone(),
        arguments: Vec::new(),
        parameters: Vec::new(),
        body: None,
    })
}

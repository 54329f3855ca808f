//! Automata as protocols again, by eliminating states (Brzozowski & McCluskey 1963). A fork is one letter.
//! Exceptions that leave a fork, requests that carry values, and states from which there is no way to
//! the end have no such form.

use std::collections::BTreeMap;

use quadrille_diagnostic::{Sources, Span};

use crate::automata::{Alphabet, EventKind, Letter, Part, Piece, Role, StepId, Target};
use crate::syntax::{Direction, Kind, Path, Phase, Protocol, Token};

/// A protocol with the language of a component, if it has a textual form.
pub fn protocol(alphabet: &Alphabet, piece: &Piece) -> Option<Protocol> {
    let source = Sources::default().add("reduced", "");
    Writer { alphabet, span: Span::new(source, 0..0) }.piece(piece)
}

struct Writer<'a> {
    alphabet: &'a Alphabet,
    span: Span,
}

/// What leads from a state to another, while states are eliminated.
type Ways = BTreeMap<(usize, usize), Protocol>;

impl Writer<'_> {
    fn piece(&self, piece: &Piece) -> Option<Protocol> {
        if !always_ends(piece) {
            return None;
        }
        let n_states = piece.states.len();
        let (start, end) = (n_states, n_states + 1);
        let mut ways = Ways::new();
        ways.insert((start, 0), self.null());
        for (from, state) in piece.states.iter().enumerate() {
            if state.accepting {
                ways.insert((from, end), self.null());
            }
            for &(letter, target) in &state.edges {
                let Target::State(to) = target else { return None };
                let one = self.letter(piece, letter)?;
                self.add(&mut ways, (from, to.index()), one);
            }
        }
        let mut states: Vec<usize> = (0..n_states).collect();
        while let Some(state) = cheapest(&ways, &states) {
            states.retain(|other| *other != state);
            self.eliminate(&mut ways, state);
        }
        let whole = ways.remove(&(start, end))?;
        Some(self.with_calls(whole))
    }

    fn letter(&self, piece: &Piece, letter: Letter) -> Option<Protocol> {
        match letter {
            Letter::Step(step) => self.step(step),
            Letter::Join(fork) => {
                let branches = &piece.forks[fork.index()].branches;
                let mut parts: Vec<Protocol> =
                    branches.iter().map(|branch| self.piece(branch)).collect::<Option<_>>()?;
                match parts.len() {
                    1 => parts.pop(),
                    _ => Some(self.of(Kind::Parallel(parts))),
                }
            }
            Letter::Abort(..) => None,
        }
    }

    fn step(&self, step: StepId) -> Option<Protocol> {
        let path = |part: &Part| {
            let event = self.alphabet.event_of(part.event);
            let path = Path { text: event.path.clone(), span: self.span };
            event.arguments.is_empty().then_some((path, event.kind))
        };
        let token = |part: &Part| {
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
        match self.alphabet.parts(step) {
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

    fn null(&self) -> Protocol {
        self.of(Kind::Null)
    }

    fn add(&self, ways: &mut Ways, between: (usize, usize), way: Protocol) {
        let all = match ways.remove(&between) {
            None => way,
            Some(known) => {
                let (mut all, more) = (alternatives(known), alternatives(way));
                all.extend(more);
                let mut distinct: Vec<Protocol> = Vec::new();
                for one in all {
                    if !distinct.contains(&one) {
                        distinct.push(one);
                    }
                }
                // Doing nothing is easiest to see at the end.
                distinct.sort_by_key(|one| one.kind == Kind::Null);
                if distinct.len() > 1 && distinct.iter().any(is_repeat) {
                    distinct.retain(|one| one.kind != Kind::Null);
                }
                match distinct.len() {
                    1 => distinct.swap_remove(0),
                    _ => self.of(Kind::Alternative(distinct)),
                }
            }
        };
        ways.insert(between, all);
    }

    fn eliminate(&self, ways: &mut Ways, state: usize) {
        let round = ways.remove(&(state, state)).map(|round| self.repeated(round));
        let of = |pick: fn(&(usize, usize)) -> usize, ways: &Ways| -> Vec<(usize, usize)> {
            ways.keys().copied().filter(|key| pick(key) == state).collect()
        };
        let take =
            |keys: Vec<(usize, usize)>, ways: &mut Ways| -> Vec<((usize, usize), Protocol)> {
                keys.into_iter().filter_map(|key| Some((key, ways.remove(&key)?))).collect()
            };
        let incoming = take(of(|key| key.1, ways), ways);
        let outgoing = take(of(|key| key.0, ways), ways);
        for ((from, _), before) in &incoming {
            for ((_, to), after) in &outgoing {
                let mut parts = sequence(before.clone());
                parts.extend(round.clone().into_iter().flat_map(sequence));
                parts.extend(sequence(after.clone()));
                let whole = match parts.len() {
                    0 => self.null(),
                    1 => parts.swap_remove(0),
                    _ => self.of(Kind::Sequence(parts)),
                };
                self.add(ways, (*from, *to), whole);
            }
        }
    }

    fn repeated(&self, round: Protocol) -> Protocol {
        let mut ways = alternatives(round);
        ways.retain(|way| way.kind != Kind::Null);
        match ways.len() {
            0 => self.null(),
            1 if is_repeat(&ways[0]) => ways.swap_remove(0),
            1 => self.of(Kind::Repeat(Box::new(ways.swap_remove(0)))),
            _ => self.of(Kind::Repeat(Box::new(self.of(Kind::Alternative(ways))))),
        }
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

/// Whether there is a way to the end from every state.
fn always_ends(piece: &Piece) -> bool {
    let mut ends: Vec<bool> = piece.states.iter().map(|state| state.accepting).collect();
    loop {
        let leads = |position: usize| {
            let mut targets = piece.states[position].edges.iter().map(|edge| edge.1);
            targets.any(|target| matches!(target, Target::State(to) if ends[to.index()]))
        };
        let more: Vec<usize> =
            (0..ends.len()).filter(|state| !ends[*state] && leads(*state)).collect();
        if more.is_empty() {
            return ends.into_iter().all(|ends| ends);
        }
        for state in more {
            ends[state] = true;
        }
    }
}

/// The state that makes least text when eliminated.
fn cheapest(ways: &Ways, states: &[usize]) -> Option<usize> {
    let degree = |state: usize| {
        let others = || ways.keys().filter(move |(from, to)| from != to);
        let incoming = others().filter(|key| key.1 == state).count();
        let outgoing = others().filter(|key| key.0 == state).count();
        incoming * outgoing
    };
    states.iter().copied().min_by_key(|state| (degree(*state), std::cmp::Reverse(*state)))
}

fn is_repeat(protocol: &Protocol) -> bool {
    matches!(protocol.kind, Kind::Repeat(_))
}

fn alternatives(protocol: Protocol) -> Vec<Protocol> {
    match protocol.kind {
        Kind::Alternative(parts) => parts,
        _ => vec![protocol],
    }
}

fn sequence(protocol: Protocol) -> Vec<Protocol> {
    match protocol.kind {
        Kind::Null => Vec::new(),
        Kind::Sequence(parts) => parts,
        _ => vec![protocol],
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

//! An automaton whose steps are protocols, written as one protocol: states are taken out one by one
//! (J. Brzozowski, E. McCluskey: Signal flow graph techniques for sequential circuit state diagrams,
//! IEEE Transactions on Electronic Computers, 1963).

use std::collections::{BTreeMap, BTreeSet};

use quadrille_diagnostic::Span;

use crate::syntax::{Kind, Protocol};

/// A state; the first is where the automaton starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AutomatonState(pub usize);

/// An automaton with protocols on its edges.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What leads from where to where.
    pub edges: Vec<(AutomatonState, Protocol, AutomatonState)>,
    /// Per state, whether it may end there.
    pub ends: Vec<bool>,
    /// Where protocols that stand nowhere are said to be.
    pub span: Span,
}

/// Why an automaton cannot be written as a protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotRegular {
    /// From this state it can be reached from the start, and no end from it.
    NeverEnds(AutomatonState),
    /// The protocol would be longer than the size limit.
    TooLarge,
}

/// Most operators and events of a protocol.
const MOST: usize = 20_000;

impl Automaton {
    /// A protocol with the same language.
    pub fn protocol(&self) -> Result<Protocol, NotRegular> {
        let start = AutomatonState(0);
        let reachable = self.closure([start], |(from, _, to)| (*from, *to));
        let all_ends = (0..self.ends.len()).map(AutomatonState).filter(|state| self.ends[state.0]);
        let hopeful = self.closure(all_ends, |(from, _, to)| (*to, *from));
        if let Some(&state) = reachable.iter().find(|state| !hopeful.contains(state)) {
            return Err(NotRegular::NeverEnds(state));
        }
        let (source, sink) = (AutomatonState(self.ends.len()), AutomatonState(self.ends.len() + 1));
        let mut table = Table { edges: BTreeMap::new(), span: self.span };
        table.add(source, table.of(Kind::Null), start);
        for (from, step, to) in self.edges.iter().filter(|edge| reachable.contains(&edge.0)) {
            table.add(*from, step.clone(), *to);
        }
        for &state in reachable.iter().filter(|state| self.ends[state.0]) {
            table.add(state, table.of(Kind::Null), sink);
        }
        let mut left = reachable;
        while let Some(&state) = left.iter().min_by_key(|state| table.cost(**state)) {
            left.remove(&state);
            table.take_out(state)?;
        }
        Ok(table.edges.remove(&(source, sink)).unwrap_or(table.of(Kind::Null)))
    }

    /// All states that edges lead to, in the direction given.
    fn closure(
        &self,
        seeds: impl IntoIterator<Item = AutomatonState>,
        direction: impl Fn(
            &(AutomatonState, Protocol, AutomatonState),
        ) -> (AutomatonState, AutomatonState),
    ) -> BTreeSet<AutomatonState> {
        let mut found: BTreeSet<AutomatonState> = seeds.into_iter().collect();
        let mut open: Vec<AutomatonState> = found.iter().copied().collect();
        while let Some(state) = open.pop() {
            for edge in &self.edges {
                let (from, to) = direction(edge);
                if from == state && found.insert(to) {
                    open.push(to);
                }
            }
        }
        found
    }
}

/// At most one protocol from state to state.
struct Table {
    edges: BTreeMap<(AutomatonState, AutomatonState), Protocol>,
    span: Span,
}

impl Table {
    fn of(&self, kind: Kind) -> Protocol {
        Protocol { kind, span: self.span }
    }

    fn add(&mut self, from: AutomatonState, step: Protocol, to: AutomatonState) {
        let joined = match self.edges.remove(&(from, to)) {
            Some(known) => self.either(known, step),
            None => step,
        };
        self.edges.insert((from, to), joined);
    }

    fn around(&self, state: AutomatonState) -> (Vec<AutomatonState>, Vec<AutomatonState>) {
        let pairs = self.edges.keys().filter(|(from, to)| from != to);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for &(from, to) in pairs {
            if to == state {
                before.push(from);
            }
            if from == state {
                after.push(to);
            }
        }
        (before, after)
    }

    /// How much longer everything gets without this state (M. Delgado, J. Morais: Approximation to the
    /// smallest regular expression for a given regular language, CIAA 2004).
    fn cost(&self, state: AutomatonState) -> usize {
        let (before, after) = self.around(state);
        let (n_before, n_after) = (before.len(), after.len());
        let into: usize = before.iter().map(|&from| size(&self.edges[&(from, state)])).sum();
        let out: usize = after.iter().map(|&to| size(&self.edges[&(state, to)])).sum();
        let turn = self.edges.get(&(state, state)).map_or(0, size);
        (into * n_after + out * n_before + turn * n_before * n_after)
            .saturating_sub(into + out + turn)
    }

    fn take_out(&mut self, state: AutomatonState) -> Result<(), NotRegular> {
        let (before, after) = self.around(state);
        let turn = self.edges.remove(&(state, state)).map(|turn| self.repeated(turn));
        for &from in &before {
            for &to in &after {
                let mut way = self.edges[&(from, state)].clone();
                if let Some(turn) = &turn {
                    way = self.then(way, turn.clone());
                }
                way = self.then(way, self.edges[&(state, to)].clone());
                self.add(from, way, to);
            }
        }
        self.edges.retain(|(from, to), _| *from != state && *to != state);
        let size: usize = self.edges.values().map(size).sum();
        if size > MOST { Err(NotRegular::TooLarge) } else { Ok(()) }
    }

    fn then(&self, one: Protocol, two: Protocol) -> Protocol {
        let mut parts = Vec::new();
        for part in [one, two] {
            match part.kind {
                Kind::Null => {}
                Kind::Sequence(inner) => parts.extend(inner),
                _ => parts.push(part),
            }
        }
        self.joined(parts, Kind::Sequence)
    }

    fn either(&self, one: Protocol, two: Protocol) -> Protocol {
        let mut parts: Vec<Protocol> = Vec::new();
        for part in [one, two] {
            let inner = match part.kind {
                Kind::Alternative(inner) => inner,
                _ => vec![part],
            };
            for part in inner {
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        self.joined(parts, Kind::Alternative)
    }

    fn repeated(&self, turn: Protocol) -> Protocol {
        match turn.kind {
            Kind::Null | Kind::Repeat(_) => turn,
            Kind::Alternative(mut parts) => {
                parts.retain(|part| part.kind != Kind::Null);
                let inner = self.joined(parts, Kind::Alternative);
                self.of(Kind::Repeat(Box::new(inner)))
            }
            _ => self.of(Kind::Repeat(Box::new(turn))),
        }
    }

    fn joined(&self, mut parts: Vec<Protocol>, join: fn(Vec<Protocol>) -> Kind) -> Protocol {
        match parts.len() {
            0 => self.of(Kind::Null),
            1 => parts.remove(0),
            _ => self.of(join(parts)),
        }
    }
}

fn size(protocol: &Protocol) -> usize {
    let mut size = 0;
    protocol.walk(&mut |_| size += 1);
    size
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quadrille_diagnostic::Sources;

    use super::*;
    use crate::automata::{Alphabet, Construction, DfaStateId, ForkedDfa, Letter, Target, build};
    use crate::syntax::{Component, Direction, Name, Path, Phase, Token};

    const LETTERS: [&str; 2] = ["a", "b"];

    /// Numbers below a limit (xorshift: Marsaglia 2003).
    fn below(seed: &mut u64, limit: u64) -> usize {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed % limit) as usize
    }

    fn random(seed: &mut u64, span: Span) -> (Automaton, Vec<(usize, usize, usize)>) {
        let n_states = 2 + below(seed, 4);
        let mut plain = Vec::new();
        let mut edges = Vec::new();
        for _ in 0..n_states + below(seed, 6) {
            let (from, to) = (below(seed, n_states as u64), below(seed, n_states as u64));
            let letter = below(seed, 2);
            let path = Path { text: LETTERS[letter].to_owned(), span };
            let token = Token { direction: Direction::Emit, path, phase: Phase::Request };
            edges.push((
                AutomatonState(from),
                Protocol { kind: Kind::Event(token), span },
                AutomatonState(to),
            ));
            plain.push((from, letter, to));
        }
        let ends = (0..n_states).map(|_| below(seed, 2) == 0).collect();
        (Automaton { edges, ends, span }, plain)
    }

    /// Whether each word of up to five letters belongs to an automaton, by trying.
    fn words(plain: &[(usize, usize, usize)], ends: &[bool]) -> BTreeSet<Vec<usize>> {
        let mut found = BTreeSet::new();
        let mut open = vec![(Vec::new(), 0)];
        while let Some((word, state)) = open.pop() {
            if ends[state] {
                found.insert(word.clone());
            }
            for &(_, letter, to) in plain.iter().filter(|edge| edge.0 == state && word.len() < 5) {
                let mut longer = word.clone();
                longer.push(letter);
                open.push((longer, to));
            }
        }
        found
    }

    fn dfa_words(alphabet: &Alphabet, dfa: &ForkedDfa) -> BTreeSet<Vec<usize>> {
        let mut found = BTreeSet::new();
        let mut open = vec![(Vec::new(), DfaStateId::START)];
        while let Some((word, at)) = open.pop() {
            if dfa.state(at).accepting {
                found.insert(word.clone());
            }
            for &(letter, target) in dfa.state(at).edges.iter().filter(|_| word.len() < 5) {
                let (Letter::Step(step), Target::State(to)) = (letter, target) else {
                    continue;
                };
                let path = &alphabet.event_of(alphabet.step_events(step)[0].event).path;
                let mut longer = word.clone();
                longer.extend(LETTERS.iter().position(|letter| letter == path));
                open.push((longer, to));
            }
        }
        found
    }

    #[test]
    fn protocols_have_the_language_of_their_automaton() {
        let source = Sources::default().add("in", "");
        let span = Span::new(source, 0..0);
        let mut n_written = 0;
        for number in 1..=500u64 {
            let mut seed = number * 0x9e37_79b9;
            let (automaton, plain) = random(&mut seed, span);
            let Ok(protocol) = automaton.protocol() else { continue };
            n_written += 1;
            let name = Name { text: "X".to_owned(), span };
            let component = Component { name, variables: Vec::new(), protocol };
            let mut alphabet = Alphabet::default();
            let dfa = build(&mut alphabet, &[], &component, None, Construction::Minimal);
            let found = dfa_words(&alphabet, &dfa.expect("small"));
            let expected = words(&plain, &automaton.ends);
            assert_eq!(found, expected, "seed {number}: {component}");
        }
        assert!(n_written > 100, "only {n_written} automata could be written");
    }
}

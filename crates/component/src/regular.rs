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
mod tests;

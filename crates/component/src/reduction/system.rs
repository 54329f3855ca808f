//! What is reduced: components and their wiring, with every binding spelled out as pairs, so that
//! components can be split, dropped and freed of events.

use std::collections::BTreeSet;

use crate::automata::{Alphabet, ForkedDfa, is_on};
use crate::composition::{Binding, Unit, UnitId, Wiring, mentioned};

/// Components with their alphabet and bindings.
#[derive(Clone, Debug, Default)]
pub struct ComponentSystem {
    /// What the letters of all components stand for.
    pub alphabet: Alphabet,
    /// The components.
    pub units: Vec<Unit>,
    /// The bindings.
    pub wiring: Wiring,
}

impl ComponentSystem {
    /// The same with "any two" replaced by the pairs it stands for.
    pub(super) fn spelled_out(mut self) -> Self {
        let all: Vec<UnitId> = (0..self.units.len() as u32).map(UnitId).collect();
        let mut bindings = Vec::new();
        for binding in &self.wiring.bindings {
            match binding.between {
                Some(_) => bindings.push(binding.clone()),
                None => bindings.extend(self.pairs(&binding.name, &all, &all, |_, _| true)),
            }
        }
        self.wiring.bindings = bindings;
        self
    }

    /// Replaces the components; `origin` tells of which former one each new one is a part.
    pub(super) fn replace_units(&mut self, units: Vec<Unit>, origin: &[UnitId]) {
        self.units = units;
        let parts_of = |old: UnitId| -> Vec<UnitId> {
            let is_part = |new: &UnitId| origin[new.index()] == old;
            (0..origin.len() as u32).map(UnitId).filter(is_part).collect()
        };
        let mut bindings = Vec::new();
        for Binding { name, between } in std::mem::take(&mut self.wiring.bindings) {
            let Some([one, other]) = between else {
                bindings.push(Binding { name, between });
                continue;
            };
            let apart = |a: UnitId, b: UnitId| origin[a.index()] != origin[b.index()];
            bindings.extend(self.pairs(&name, &parts_of(one), &parts_of(other), apart));
        }
        self.wiring.bindings = bindings;
    }

    /// Bindings of a name between components that mention it. A component without a partner is bound to
    /// itself, which means unbound.
    fn pairs(
        &self,
        name: &str,
        ones: &[UnitId],
        others: &[UnitId],
        may_meet: impl Fn(UnitId, UnitId) -> bool,
    ) -> Vec<Binding> {
        let uses = |unit: &UnitId| {
            let events = mentioned(&self.alphabet, &self.units[unit.index()].dfa);
            events.iter().any(|event| is_on(&self.alphabet.event_of(*event).path, name))
        };
        let ones: Vec<UnitId> = ones.iter().copied().filter(uses).collect();
        let others: Vec<UnitId> = others.iter().copied().filter(uses).collect();
        let mut pairs: BTreeSet<[UnitId; 2]> = BTreeSet::new();
        for &one in &ones {
            for &other in &others {
                if one != other && may_meet(one, other) {
                    pairs.insert([one.min(other), one.max(other)]);
                }
            }
        }
        for &lonely in ones.iter().chain(&others) {
            if pairs.iter().all(|pair| !pair.contains(&lonely)) {
                pairs.insert([lonely, lonely]);
            }
        }
        let bind = |pair| Binding { name: name.to_owned(), between: Some(pair) };
        pairs.into_iter().map(bind).collect()
    }

    /// Number of states and of transitions of all automata.
    pub fn size(&self) -> (usize, usize) {
        fn edges(dfa: &ForkedDfa) -> usize {
            let own: usize = dfa.states.iter().map(|state| state.edges.len()).sum();
            own + dfa.forks.iter().flat_map(|fork| &fork.branches).map(edges).sum::<usize>()
        }
        let dfas = || self.units.iter().map(|unit| &unit.dfa);
        (dfas().map(ForkedDfa::n_states).sum(), dfas().map(edges).sum())
    }
}

//! Formulas, those about other states included.

use quadrille_solve::{Lit, Tuple};

use super::{At, Binding, Failure, Translator};
use crate::core::{NodeId, Op, Tense};
use crate::names::world::VarId;

/// Of how many tuples all subsets are tried.
const SUBSETS: usize = 12;

impl Translator<'_> {
    pub(crate) fn formula(&mut self, node: NodeId, at: At) -> Lit {
        // A denial is as cheap as what it denies.
        if let Op::Not(of) = self.bounds.core.op(node) {
            return !self.formula(*of, at);
        }
        let at = self.seen(node, at);
        let key = self.key(node, at);
        if let Some(key) = key
            && let Some(known) = self.memo(node).lits.get(&key)
        {
            return *known;
        }
        let lit = self.new_formula(node, at);
        if let Some(key) = key {
            self.memo(node).lits.insert(key, lit);
        }
        lit
    }

    fn new_formula(&mut self, node: NodeId, at: At) -> Lit {
        let bounds = self.bounds;
        if !self.goes_on() {
            return Lit::FALSE;
        }
        match bounds.core.op(node) {
            Op::And(parts) => {
                let mut lits = Vec::new();
                for part in parts {
                    let lit = self.formula(*part, at);
                    if lit == Lit::FALSE {
                        return lit;
                    }
                    lits.push(lit);
                }
                self.circuit.all(lits)
            }
            Op::Iff(a, b) => {
                let (a, b) = (self.formula(*a, at), self.formula(*b, at));
                self.circuit.iff(a, b)
            }
            Op::In(a, b) => {
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                a.is_in(&b, self.circuit)
            }
            Op::Equal(a, b) => {
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                a.equals(&b, self.circuit)
            }
            Op::Some(a) => self.matrix(*a, at).some(self.circuit),
            Op::Lone(a) => self.matrix(*a, at).lone(self.circuit),
            Op::One(a) => self.matrix(*a, at).one(self.circuit),
            Op::AtMost(a, n) => {
                let a = self.matrix(*a, at);
                let lits: Vec<Lit> = a.cells().iter().map(|cell| cell.1).collect();
                self.circuit.at_most(&lits, *n)
            }
            Op::EqualInt(a, b) => {
                let (a, b) = (self.bits(*a, at), self.bits(*b, at));
                a.equals(&b, self.circuit)
            }
            Op::Less(a, b) => {
                let (a, b) = (self.bits(*a, at), self.bits(*b, at));
                a.less(&b, self.circuit)
            }
            Op::Exceeds(number) => self.overflow(*number, at),
            Op::All(var, set, body) => {
                let set = self.matrix(*set, at);
                let mut lits = Vec::new();
                for (atom, is_in) in set.cells() {
                    let holds =
                        self.with(*var, Binding::Atom(*atom as u16), |it| it.formula(*body, at));
                    let lit = self.circuit.implies(*is_in, holds);
                    if lit == Lit::FALSE {
                        return lit;
                    }
                    lits.push(lit);
                }
                self.circuit.all(lits)
            }
            Op::AllSets(var, set, is_lone, body) => self.all_sets(*var, *set, *is_lone, *body, at),
            Op::TotalOrder(elements, first, next) => self.total_order(*elements, *first, *next, at),
            // What never changes is the same at any time.
            Op::After(of) | Op::Always(of) if bounds.core.tense(node) == Tense::Static => {
                self.formula(*of, at)
            }
            Op::Until(_, b) if bounds.core.tense(node) == Tense::Static => self.formula(*b, at),
            Op::After(of) => {
                let rounds = bounds.core.facts(*of).past;
                let mut parts = Vec::new();
                for (condition, next) in self.next(at, rounds) {
                    let there = self.formula(*of, next);
                    parts.push(self.circuit.and(condition, there));
                }
                self.circuit.any(parts)
            }
            Op::Always(of) => self.always(*of, at),
            Op::Until(a, b) => self.until(node, (*a, *b), at),
            Op::Before(of) => self.before(at, Lit::FALSE, &mut |it, at| it.formula(*of, at)),
            Op::Once(of) => {
                let now = self.formula(*of, at);
                let earlier = self.before(at, Lit::FALSE, &mut |it, at| it.formula(node, at));
                self.circuit.or(now, earlier)
            }
            Op::Since(a, b) => {
                let (a, b) = (self.formula(*a, at), self.formula(*b, at));
                let earlier = self.before(at, Lit::FALSE, &mut |it, at| it.formula(node, at));
                let lasts = self.circuit.and(a, earlier);
                self.circuit.or(b, lasts)
            }
            _ => Lit::FALSE,
        }
    }

    fn all_sets(&mut self, var: VarId, set: NodeId, is_lone: bool, body: NodeId, at: At) -> Lit {
        let set = self.matrix(set, at);
        let cells = set.cells().to_vec();
        if !is_lone && cells.len() > SUBSETS {
            self.failure = self.failure.or(Some(Failure::HigherOrder));
            return Lit::FALSE;
        }
        let masks: Vec<u32> = match is_lone {
            true => (0..=cells.len()).map(|at| if at == 0 { 0 } else { 1 << (at - 1) }).collect(),
            false => (0..1u32 << cells.len()).collect(),
        };
        let mut parts = Vec::new();
        for mask in masks {
            let chosen = || cells.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
            let tuples: Vec<Tuple> = chosen().map(|(_, cell)| cell.0).collect();
            let is_there = self.circuit.all(chosen().map(|(_, cell)| cell.1));
            if is_there == Lit::FALSE {
                continue;
            }
            let binding = self.set_binding(set.arity(), tuples);
            let holds = self.with(var, binding, |it| it.formula(body, at));
            parts.push(self.circuit.implies(is_there, holds));
        }
        self.circuit.all(parts)
    }

    /// Every element is reached from the first along a chain.
    fn total_order(&mut self, elements: NodeId, first: NodeId, next: NodeId, at: At) -> Lit {
        let (elements, first, next) =
            (self.matrix(elements, at), self.matrix(first, at), self.matrix(next, at));
        let circuit = &mut *self.circuit;
        let closure = next.closure(circuit);
        let reached = first.join(&closure, circuit).union(&first, circuit);
        let mut parts = vec![elements.is_in(&reached, circuit)];
        let before = next.join(&first, circuit).some(circuit);
        parts.push(!before);
        let after = next.join(&elements, circuit);
        let last = elements.minus(&after, circuit);
        for (atom, is_in) in elements.cells() {
            let only = quadrille_solve::Matrix::constant(1, [*atom]);
            let (is_first, is_last) = (only.equals(&first, circuit), only.equals(&last, circuit));
            let one_before = next.join(&only, circuit).one(circuit);
            let one_after = only.join(&next, circuit).one(circuit);
            let circle = closure.get(atom << 16 | atom);
            let begins = circuit.or(is_first, one_before);
            let ends = circuit.or(is_last, one_after);
            let holds = circuit.all([begins, ends, !circle]);
            parts.push(circuit.implies(*is_in, holds));
        }
        circuit.all(parts)
    }

    fn always(&mut self, of: NodeId, at: At) -> Lit {
        let rounds = self.bounds.core.facts(of).past;
        let mut parts = Vec::new();
        for state in at.state..self.length {
            let lit = self.formula(of, At { state, ..at });
            if lit == Lit::FALSE {
                return lit;
            }
            parts.push(lit);
        }
        // Later rounds, and of the last round what lies before.
        for round in at.round.min(rounds) + 1..=rounds {
            for state in 0..self.length {
                let (inside, lit) = (self.in_loop(state), self.formula(of, At { state, round }));
                parts.push(self.circuit.implies(inside, lit));
            }
        }
        if at.round >= rounds {
            for state in 0..at.state {
                let inside = self.in_loop(state);
                let lit = self.formula(of, At { state, round: rounds });
                parts.push(self.circuit.implies(inside, lit));
            }
        }
        self.circuit.all(parts)
    }

    fn until(&mut self, node: NodeId, (a, b): (NodeId, NodeId), at: At) -> Lit {
        let rounds = self.bounds.core.facts(node).past;
        let done = self.formula(b, at);
        let lasts = self.formula(a, at);
        let is_last = at.state + 1 == self.length && at.round >= rounds;
        let mut later = Vec::new();
        for (condition, next) in self.next(at, rounds) {
            let there = match is_last {
                true => self.until_again(node, (a, b), next),
                false => self.formula(node, next),
            };
            later.push(self.circuit.and(condition, there));
        }
        let later = self.circuit.any(later);
        let goes_on = self.circuit.and(lasts, later);
        self.circuit.or(done, goes_on)
    }

    /// The same once more round the loop, to its end: then it was seen everywhere.
    fn until_again(&mut self, node: NodeId, (a, b): (NodeId, NodeId), at: At) -> Lit {
        let key = self.key(node, at);
        if let Some(known) = key.and_then(|key| self.again.get(&key)) {
            return *known;
        }
        let (done, lasts) = (self.formula(b, at), self.formula(a, at));
        let later = match at.state + 1 < self.length {
            true => self.until_again(node, (a, b), At { state: at.state + 1, ..at }),
            false => Lit::FALSE,
        };
        let goes_on = self.circuit.and(lasts, later);
        let lit = self.circuit.or(done, goes_on);
        if let Some(key) = key {
            self.again.insert(key, lit);
        }
        lit
    }

    /// Something one step earlier; at the first state, what it is there.
    fn before(
        &mut self,
        at: At,
        at_start: Lit,
        earlier: &mut dyn FnMut(&mut Self, At) -> Lit,
    ) -> Lit {
        let At { state, round } = at;
        let plain = match state.checked_sub(1) {
            Some(state) => earlier(self, At { state, round }),
            None => at_start,
        };
        if round == 0 {
            return plain;
        }
        let last = At { state: self.length - 1, round: round - 1 };
        let from_end = earlier(self, last);
        self.circuit.choose(self.loops[state], from_end, plain)
    }
}

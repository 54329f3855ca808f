//! What a formula says of the states of a lasso in their order, without where its loop goes: every lasso
//! of so many states that satisfies the formula satisfies this as well. It is much smaller, and where
//! it has no solution there is no such lasso.

use quadrille_solve::Lit;

use super::{At, Binding, Translator};
use crate::core::{NodeId, Op, Tense};
use crate::induction::is_local;

impl Translator<'_> {
    /// What a formula, or its denial, says of the first `n` states, seen from one of them. The
    /// translator has one state more, which stands for what comes after the last.
    pub(crate) fn ahead(&mut self, node: NodeId, state: usize, n: usize, is_denied: bool) -> Lit {
        let bounds = self.bounds;
        if is_local(&bounds.core, node) {
            return self.formula(node, At { state, round: 0 }) ^ is_denied;
        }
        match bounds.core.op(node) {
            Op::Not(of) => self.ahead(*of, state, n, !is_denied),
            Op::And(parts) => {
                let lits: Vec<Lit> =
                    parts.iter().map(|part| self.ahead(*part, state, n, is_denied)).collect();
                self.each(lits, is_denied)
            }
            Op::Iff(a, b) => {
                let mut both = Vec::new();
                for denied in [false, true] {
                    let a = self.ahead(*a, state, n, denied);
                    let b = self.ahead(*b, state, n, denied != is_denied);
                    both.push(self.circuit.and(a, b));
                }
                self.circuit.any(both)
            }
            Op::All(var, set, body) if is_local(&bounds.core, *set) => {
                let set = self.matrix(*set, At { state, round: 0 });
                let mut lits = Vec::new();
                for (atom, is_in) in set.cells() {
                    let binding = Binding::Atom(*atom as u16);
                    let lit = self.with(*var, binding, |it| it.ahead(*body, state, n, is_denied));
                    lits.push(match is_denied {
                        true => self.circuit.and(*is_in, lit),
                        false => self.circuit.implies(*is_in, lit),
                    });
                }
                self.each(lits, is_denied)
            }
            Op::After(of) if state + 1 < n => self.ahead(*of, state + 1, n, is_denied),
            // One step behind the last is somewhere in the loop, where nothing more is known.
            Op::After(of) if bounds.core.tense(*of) == Tense::Present => {
                self.formula(*of, At { state: n, round: 0 }) ^ is_denied
            }
            Op::Always(of) => {
                // What is denied some time may be so before, if that is in the loop.
                let from = if is_denied { 0 } else { state };
                let lits = (from..n).map(|at| self.ahead(*of, at, n, is_denied)).collect();
                self.each(lits, is_denied)
            }
            Op::Until(a, b) if !is_denied => self.ahead_until(*a, *b, state, n),
            Op::Until(_, b) => self.ahead(*b, state, n, true),
            _ => Lit::TRUE,
        }
    }

    fn each(&mut self, lits: Vec<Lit>, is_denied: bool) -> Lit {
        match is_denied {
            true => self.circuit.any(lits),
            false => self.circuit.all(lits),
        }
    }

    fn ahead_until(&mut self, a: NodeId, b: NodeId, state: usize, n: usize) -> Lit {
        let mut ends = Vec::new();
        // Before this state: only once round the loop, after everything from here on.
        let (mut lasting, mut order) = (Lit::TRUE, (state..n).collect::<Vec<_>>());
        order.extend(0..state);
        for at in order {
            let end = self.ahead(b, at, n, false);
            ends.push(self.circuit.and(lasting, end));
            if at >= state {
                let lasts = self.ahead(a, at, n, false);
                lasting = self.circuit.and(lasting, lasts);
            }
        }
        self.circuit.any(ends)
    }
}

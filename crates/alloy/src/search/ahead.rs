//! Lengths at which states in their order allow nothing, whether or not there is a loop, are passed over.

use quadrille_solve::{Lit, Outcome, Solver};

use super::Search;
use crate::symmetry;
use crate::translate::Translator;

impl Search<'_> {
    /// Goes on to the first length at which states in their order allow something, whether or not there
    /// is a loop; false if there is none.
    pub(super) fn look_ahead(&mut self) -> Option<bool> {
        if self.longest == 1 || self.options.core || self.ahead.is_some() {
            return Some(true);
        }
        loop {
            let Some(root) = self.states_in_order() else {
                // Nothing is found out: the search itself says why.
                return (!(self.options.stop)()).then_some(true);
            };
            let literal = self.clauses.literal(&self.circuit, root, &mut self.solver);
            match self.solver.solve(&[literal]) {
                Outcome::Stopped => return None,
                Outcome::Satisfiable => {
                    self.ahead = Some(self.length);
                    return Some(true);
                }
                Outcome::Unsatisfiable => {
                    self.check_proof();
                    self.solver.clause(&mut vec![!literal]);
                }
            }
            if self.length == self.longest {
                return Some(false);
            }
            self.length += 1;
        }
    }

    /// What the claims say of so many states in their order.
    fn states_in_order(&mut self) -> Option<Lit> {
        let stop = self.options.stop.clone();
        let (bounds, n) = (self.bounds.clone(), self.length);
        let (circuit, kept) = (&mut self.circuit, &mut self.kept);
        let mut translator = Translator::new(&bounds, circuit, kept, n + 1, &*stop);
        let mut all = Vec::new();
        for claim in self.lowered.facts.iter().chain(&self.lowered.goal) {
            all.push(translator.ahead(claim.formula, 0, n, false));
        }
        if translator.failure.is_some() {
            return None;
        }
        if self.options.symmetry {
            let inputs = &mut self.kept.inputs;
            let least =
                symmetry::break_symmetry(&bounds, &self.classes, n, inputs, &mut self.circuit);
            all.push(least);
        }
        Some(self.circuit.all(all))
    }
}

//! Which claims contradict each other, where there is nothing.

use quadrille_diagnostic::Span;
use quadrille_solve::{Batsat, Clauses, Lit, Outcome, SatLit, Solver};

use super::Search;

impl Search<'_> {
    /// Which claims contradict each other: each is assumed by itself, and those that are not needed are
    /// left out one by one.
    pub(super) fn find_core(&mut self, all: &[Lit], spans: &[Option<Span>]) {
        let mut solver = Batsat::default();
        let stop = self.options.stop.clone();
        solver.stop_when(Box::new(move || stop()));
        let mut clauses = Clauses::default();
        let literals: Vec<SatLit> =
            all.iter().map(|lit| clauses.literal(&self.circuit, *lit, &mut solver)).collect();
        if solver.solve(&literals) != Outcome::Unsatisfiable {
            return;
        }
        let mut core = solver.core();
        for literal in core.clone() {
            let without: Vec<SatLit> = core.iter().copied().filter(|it| *it != literal).collect();
            if solver.solve(&without) == Outcome::Unsatisfiable {
                core = solver.core();
            }
        }
        let needed = literals.iter().zip(spans).filter(|(literal, _)| core.contains(literal));
        self.core = needed.filter_map(|(_, span)| *span).collect();
        self.core.sort_by_key(|span| (span.start, span.end));
        self.core.dedup();
    }
}

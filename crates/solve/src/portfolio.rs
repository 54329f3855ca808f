//! Two solvers of the same clauses, built by the feature `cadical`: questions begin with the one in
//! Rust, which is faster on the many easy ones; the first that costs it too many conflicts, and all
//! after that, are given to CaDiCaL. Conflicts are counted, not seconds: the same answers everywhere.

use std::rc::Rc;

use cadical::Callbacks;

use crate::solver::{Batsat, Outcome, SatLit, Solver, Statistics};

/// How many conflicts the solver in Rust may meet in one question.
const PATIENCE: u64 = 20_000;

/// Whether to stop, asked by CaDiCaL.
struct Hooks(Rc<dyn Fn() -> bool>);

impl Callbacks for Hooks {
    fn terminate(&mut self) -> bool {
        (self.0)()
    }
}

/// A solver in Rust, and CaDiCaL for what is hard.
pub struct Portfolio {
    first: Batsat,
    second: Option<cadical::Solver<Hooks>>,
    /// All clauses, as CaDiCaL reads them, until it has them itself.
    clauses: Vec<i32>,
    n_clauses: u64,
    n_variables: u32,
    stop: Rc<dyn Fn() -> bool>,
    patience: Option<u64>,
    /// What CaDiCaL found last: values of variables, or assumptions that contradict each other.
    model: Vec<bool>,
    core: Vec<SatLit>,
}

impl Default for Portfolio {
    fn default() -> Self {
        Self {
            first: Batsat::default(),
            second: None,
            clauses: Vec::new(),
            n_clauses: 0,
            n_variables: 0,
            stop: Rc::new(|| false),
            patience: Some(PATIENCE),
            model: Vec::new(),
            core: Vec::new(),
        }
    }
}

/// A literal as DIMACS has it.
fn theirs(lit: SatLit) -> i32 {
    let variable = (lit.code() >> 1) as i32 + 1;
    if lit.code() & 1 == 1 { -variable } else { variable }
}

impl Portfolio {
    /// One that remembers everything, for [`Portfolio::check`]; only the solver in Rust tells what it
    /// learned, so that nothing is given to the other.
    pub fn with_proof() -> Self {
        Self { first: Batsat::with_proof(), patience: None, ..Self::default() }
    }

    /// Asks from time to time whether to stop.
    pub fn stop_when(&mut self, stop: Box<dyn Fn() -> bool>) {
        let stop: Rc<dyn Fn() -> bool> = Rc::from(stop);
        self.stop = Rc::clone(&stop);
        self.first.stop_when(Box::new(move || stop()));
    }

    /// Checks the proof that there is no solution, see [`Batsat::check`].
    pub fn check(&self) -> Result<usize, String> {
        self.first.check()
    }

    /// The solver for what is hard, with all clauses.
    fn second(&mut self) -> &mut cadical::Solver<Hooks> {
        let (stop, clauses) = (Rc::clone(&self.stop), &mut self.clauses);
        self.second.get_or_insert_with(|| {
            let mut solver = cadical::Solver::new();
            solver.set_callbacks(Some(Hooks(stop)));
            for clause in std::mem::take(clauses).split_inclusive(|lit| *lit == 0) {
                solver.add_clause(clause[..clause.len() - 1].iter().copied());
            }
            solver
        })
    }

    fn solve_second(&mut self, assumptions: &[SatLit]) -> Outcome {
        let n = self.n_variables as i32;
        let solver = self.second();
        match solver.solve_with(assumptions.iter().map(|lit| theirs(*lit))) {
            Some(true) => {
                let known = n.min(solver.max_variable());
                let value = |variable| solver.value(variable) == Some(true);
                let mut model: Vec<bool> = (1..=known).map(value).collect();
                model.resize(n as usize, false);
                self.model = model;
                Outcome::Satisfiable
            }
            Some(false) => {
                let failed = assumptions.iter().filter(|lit| solver.failed(theirs(**lit)));
                self.core = failed.copied().collect();
                Outcome::Unsatisfiable
            }
            None => Outcome::Stopped,
        }
    }
}

impl Solver for Portfolio {
    fn variable(&mut self) -> SatLit {
        self.n_variables += 1;
        self.first.variable()
    }

    fn clause(&mut self, clause: &mut Vec<SatLit>) {
        self.n_clauses += 1;
        if let Some(second) = &mut self.second {
            second.add_clause(clause.iter().map(|lit| theirs(*lit)));
            return;
        }
        if self.patience.is_some() {
            self.clauses.extend(clause.iter().map(|lit| theirs(*lit)).chain([0]));
        }
        self.first.clause(clause);
    }

    fn solve(&mut self, assumptions: &[SatLit]) -> Outcome {
        if self.second.is_none() {
            let outcome = self.first.solve_within(assumptions, self.patience);
            if outcome != Outcome::Stopped || self.patience.is_none() || (self.stop)() {
                return outcome;
            }
        }
        self.solve_second(assumptions)
    }

    fn value(&self, lit: SatLit) -> bool {
        match &self.second {
            None => self.first.value(lit),
            Some(_) => {
                let known = self.model.get((lit.code() >> 1) as usize);
                known.copied().unwrap_or(false) ^ (lit.code() & 1 == 1)
            }
        }
    }

    fn core(&self) -> Vec<SatLit> {
        if self.second.is_some() { self.core.clone() } else { self.first.core() }
    }

    fn statistics(&self) -> Statistics {
        let first = self.first.statistics();
        Statistics { variables: u64::from(self.n_variables), clauses: self.n_clauses, ..first }
    }
}

#[cfg(test)]
mod tests {
    use quadrille_workshop::check;

    use super::Portfolio;
    use crate::solver::{Batsat, Outcome, SatLit, Solver};

    /// Whether every clause is true where a solver says that all are.
    fn satisfies(clauses: &[Vec<SatLit>], assumptions: &[SatLit], solver: &dyn Solver) -> bool {
        clauses.iter().all(|clause| clause.iter().any(|lit| solver.value(*lit)))
            && assumptions.iter().all(|lit| solver.value(*lit))
    }

    #[test]
    fn both_solvers_agree_on_growing_clauses() {
        check(60, |choices| {
            let (mut one, mut two) = (Batsat::default(), Portfolio::default());
            // Some questions are given to CaDiCaL at once, others in the middle.
            two.patience = Some(u64::from(choices.below_u32(3)) * 4);
            let n = 5 + choices.below(25);
            let lits: Vec<SatLit> = (0..n)
                .map(|_| {
                    let lit = one.variable();
                    assert_eq!(two.variable(), lit);
                    lit
                })
                .collect();
            let mut clauses: Vec<Vec<SatLit>> = Vec::new();
            for _ in 0..6 {
                let any = |choices: &mut quadrille_workshop::Choices| {
                    let lit = lits[choices.below(lits.len())];
                    if choices.coin() { lit } else { !lit }
                };
                for _ in 0..n {
                    let clause: Vec<SatLit> = (0..3).map(|_| any(choices)).collect();
                    one.clause(&mut clause.clone());
                    two.clause(&mut clause.clone());
                    clauses.push(clause);
                }
                let assumptions: Vec<SatLit> = (0..3).map(|_| any(choices)).collect();
                let outcome = one.solve(&assumptions);
                assert_eq!(two.solve(&assumptions), outcome);
                match outcome {
                    Outcome::Satisfiable => assert!(satisfies(&clauses, &assumptions, &two)),
                    _ => {
                        let core = two.core();
                        assert!(core.iter().all(|lit| assumptions.contains(lit)));
                        assert_eq!(one.solve(&core), Outcome::Unsatisfiable);
                    }
                }
            }
        });
    }

    #[test]
    fn both_solvers_are_told_to_stop() {
        for patience in [0, 1_000_000] {
            let mut solver = Portfolio { patience: Some(patience), ..Portfolio::default() };
            solver.stop_when(Box::new(|| true));
            // One more pigeon than holes.
            let lits: Vec<SatLit> = (0..90).map(|_| solver.variable()).collect();
            for pigeon in lits.chunks(9) {
                solver.clause(&mut pigeon.to_vec());
            }
            for (at, one) in lits.iter().enumerate() {
                for other in lits[at + 1..].iter().skip(8).step_by(9) {
                    solver.clause(&mut vec![!*one, !*other]);
                }
            }
            assert_eq!(solver.solve(&[]), Outcome::Stopped);
        }
    }
}

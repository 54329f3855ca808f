//! What solves clauses.

use batsat::{Callbacks, SolverInterface, lbool};

use crate::proof::Proof;

/// A variable of a solver or its complement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SatLit(u32);

impl SatLit {
    /// Twice the variable, and one for its complement.
    #[cfg(feature = "cadical")]
    pub(crate) fn code(self) -> u32 {
        self.0
    }
}

impl std::ops::Not for SatLit {
    type Output = SatLit;

    fn not(self) -> SatLit {
        SatLit(self.0 ^ 1)
    }
}

/// What came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// There is a solution.
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// It was told to stop.
    Stopped,
}

/// What a solver did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Variables.
    pub variables: u64,
    /// Clauses that were added.
    pub clauses: u64,
    /// Conflicts.
    pub conflicts: u64,
    /// Decisions.
    pub decisions: u64,
}

/// An incremental solver of clauses.
pub trait Solver {
    /// A new variable.
    fn variable(&mut self) -> SatLit;
    /// One of these is true; the list may be changed.
    fn clause(&mut self, clause: &mut Vec<SatLit>);
    /// Looks for a solution in which all assumptions are true.
    fn solve(&mut self, assumptions: &[SatLit]) -> Outcome;
    /// What a literal is worth in the solution.
    fn value(&self, lit: SatLit) -> bool;
    /// The assumptions that contradict each other, if there was no solution.
    fn core(&self) -> Vec<SatLit>;
    /// What was done so far.
    fn statistics(&self) -> Statistics;
}

/// What the solver calls: whether to stop, and what it learned.
#[derive(Default)]
struct Hooks {
    stop: Option<Box<dyn Fn() -> bool>>,
    proof: Option<Proof>,
    /// How many more clauses may be learned, if that is bounded.
    left: Option<u64>,
}

impl Callbacks for Hooks {
    fn on_new_clause(&mut self, clause: &[batsat::Lit], kind: batsat::clause::Kind) {
        if kind != batsat::clause::Kind::Learnt {
            return;
        }
        self.left = self.left.map(|left| left.saturating_sub(1));
        if let Some(proof) = &mut self.proof {
            proof
                .push(clause.iter().map(|lit| lit.var().idx() << 1 | u32::from(!lit.sign())), true);
        }
    }

    fn stop(&self) -> bool {
        self.left == Some(0) || self.stop.as_ref().is_some_and(|stop| stop())
    }
}

/// `batsat`, a solver in Rust.
pub struct Batsat {
    solver: batsat::Solver<Hooks>,
    clauses: u64,
    scratch: Vec<batsat::Lit>,
    assumed: Vec<SatLit>,
}

impl Default for Batsat {
    fn default() -> Self {
        let solver = batsat::Solver::new(batsat::SolverOpts::default(), Hooks::default());
        Self { solver, clauses: 0, scratch: Vec::new(), assumed: Vec::new() }
    }
}

impl Batsat {
    /// One that remembers everything it is given and learns, for [`Batsat::check`].
    pub fn with_proof() -> Self {
        let mut solver = Self::default();
        solver.solver.cb_mut().proof = Some(Proof::default());
        solver
    }

    /// Asks from time to time whether to stop.
    pub fn stop_when(&mut self, stop: Box<dyn Fn() -> bool>) {
        self.solver.cb_mut().stop = Some(stop);
    }

    /// Checks that there is no solution, after that was the answer: how many learned clauses follow from
    /// those before them, or which one does not.
    pub fn check(&self) -> Result<usize, String> {
        let Some(proof) = &self.solver.cb().proof else {
            return Err("nothing was remembered".to_owned());
        };
        proof.refutes(&self.assumed.iter().map(|lit| lit.0).collect::<Vec<_>>())
    }

    /// Like [`Solver::solve`]; stops where so many clauses were learned.
    pub(crate) fn solve_within(&mut self, assumptions: &[SatLit], most: Option<u64>) -> Outcome {
        self.solver.cb_mut().left = most;
        self.assumed = assumptions.to_vec();
        let assumptions: Vec<batsat::Lit> =
            assumptions.iter().map(|lit| theirs(&mut self.solver, *lit)).collect();
        let found = self.solver.solve_limited(&assumptions);
        if found == lbool::TRUE {
            Outcome::Satisfiable
        } else if found == lbool::FALSE {
            Outcome::Unsatisfiable
        } else {
            Outcome::Stopped
        }
    }
}

fn theirs(solver: &mut batsat::Solver<Hooks>, lit: SatLit) -> batsat::Lit {
    let variable = solver.var_of_int(lit.0 >> 1);
    batsat::Lit::new(variable, lit.0 & 1 == 0)
}

impl Solver for Batsat {
    fn variable(&mut self) -> SatLit {
        let variable = self.solver.new_var_default();
        SatLit(variable.idx() << 1)
    }

    fn clause(&mut self, clause: &mut Vec<SatLit>) {
        self.clauses += 1;
        if let Some(proof) = &mut self.solver.cb_mut().proof {
            proof.push(clause.iter().map(|lit| lit.0), false);
        }
        self.scratch.clear();
        for lit in clause.iter() {
            let lit = theirs(&mut self.solver, *lit);
            self.scratch.push(lit);
        }
        self.solver.add_clause_reuse(&mut self.scratch);
    }

    fn solve(&mut self, assumptions: &[SatLit]) -> Outcome {
        self.solve_within(assumptions, None)
    }

    fn value(&self, lit: SatLit) -> bool {
        let variable = batsat::Var::unsafe_from_idx(lit.0 >> 1);
        (self.solver.value_var(variable) == lbool::TRUE) ^ (lit.0 & 1 == 1)
    }

    fn core(&self) -> Vec<SatLit> {
        let is_in = |lit: &&SatLit| {
            let variable = batsat::Var::unsafe_from_idx(lit.0 >> 1);
            self.solver.unsat_core_contains_var(variable)
        };
        self.assumed.iter().filter(is_in).copied().collect()
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            variables: u64::from(self.solver.num_vars()),
            clauses: self.clauses,
            conflicts: self.solver.num_conflicts(),
            decisions: self.solver.num_decisions(),
        }
    }
}

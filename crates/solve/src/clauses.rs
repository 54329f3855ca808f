//! Circuits as clauses, gate by gate, each in the polarity in which it is needed (Plaisted and
//! Greenbaum 1986), added to a solver as they are needed.

use crate::circuit::{Circuit, Lit};
use crate::solver::{SatLit, Solver};

/// Which gates a solver knows.
#[derive(Default)]
pub struct Clauses {
    /// The variable of each gate, and the polarities in which it is defined.
    gates: Vec<(Option<SatLit>, [bool; 2])>,
    scratch: Vec<SatLit>,
}

impl Clauses {
    fn variable(&mut self, gate: usize, solver: &mut dyn Solver) -> SatLit {
        if self.gates.len() <= gate {
            self.gates.resize(gate + 1, (None, [false; 2]));
        }
        *self.gates[gate].0.get_or_insert_with(|| solver.variable())
    }

    /// The literal of a circuit that a solver may be asked to assume.
    pub fn literal(&mut self, circuit: &Circuit, lit: Lit, solver: &mut dyn Solver) -> SatLit {
        let mut todo = vec![lit];
        while let Some(lit) = todo.pop() {
            let (gate, is_negative) = (lit.gate(), lit.is_complement());
            let variable = self.variable(gate, solver);
            let defined = &mut self.gates[gate].1[usize::from(is_negative)];
            if std::mem::replace(defined, true) {
                continue;
            }
            let operands = circuit.operands(gate);
            if operands.is_empty() {
                if gate == 0 {
                    solver.clause(&mut vec![variable]);
                }
                continue;
            }
            if is_negative {
                // The gate is true where all operands are.
                let mut clause = std::mem::take(&mut self.scratch);
                clause.clear();
                clause.push(variable);
                for &operand in operands {
                    let literal = self.operand(operand, solver);
                    clause.push(!literal);
                    todo.push(!operand);
                }
                solver.clause(&mut clause);
                self.scratch = clause;
            } else {
                for &operand in operands {
                    let literal = self.operand(operand, solver);
                    let mut clause = std::mem::take(&mut self.scratch);
                    clause.clear();
                    clause.extend([!variable, literal]);
                    solver.clause(&mut clause);
                    self.scratch = clause;
                    todo.push(operand);
                }
            }
        }
        self.operand(lit, solver)
    }

    fn operand(&mut self, lit: Lit, solver: &mut dyn Solver) -> SatLit {
        let variable = self.variable(lit.gate(), solver);
        if lit.is_complement() { !variable } else { variable }
    }

    /// What an input is worth in the solution; one that no clause mentions is false.
    pub fn value(&self, lit: Lit, solver: &dyn Solver) -> bool {
        let known = self.gates.get(lit.gate()).and_then(|gate| gate.0);
        known.is_some_and(|variable| solver.value(variable)) ^ lit.is_complement()
    }
}

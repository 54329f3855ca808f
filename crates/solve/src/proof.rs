//! Proofs that clauses have no solution: every clause that a solver learned, in order, checked by unit
//! propagation alone (Goldberg and Novikov 2003), by code that shares nothing with the solver.

/// Literals as numbers: twice the variable, and one for its complement.
type Code = u32;

/// What a solver was given and what it learned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proof {
    /// Clauses in the order in which they came, and whether they were learned.
    steps: Vec<(Box<[Code]>, bool)>,
}

impl Proof {
    pub(crate) fn push(&mut self, clause: impl Iterator<Item = Code>, is_learned: bool) {
        self.steps.push((clause.collect(), is_learned));
    }

    /// Whether each learned clause follows, and whether they all contradict these assumptions; how many
    /// learned clauses were checked.
    pub(crate) fn refutes(&self, assumptions: &[Code]) -> Result<usize, String> {
        let mut checker = Checker::default();
        let mut n = 0;
        for (clause, is_learned) in &self.steps {
            if *is_learned {
                let denied: Vec<Code> = clause.iter().map(|lit| lit ^ 1).collect();
                if !checker.contradicts(&denied) {
                    return Err(format!("learned clause {n} does not follow from those before it"));
                }
                n += 1;
            }
            checker.add(clause);
        }
        match checker.contradicts(assumptions) {
            true => Ok(n),
            false => Err("the clauses do not contradict what is assumed".to_owned()),
        }
    }
}

/// Unit propagation with two watched literals (Moskewicz and others 2001).
#[derive(Default)]
struct Checker {
    clauses: Vec<Vec<Code>>,
    watches: Vec<Vec<u32>>,
    /// Of each literal whether it is true.
    is_true: Vec<bool>,
    trail: Vec<Code>,
    /// How much of the trail was propagated.
    done: usize,
    /// Whether the clauses have no solution.
    is_over: bool,
}

impl Checker {
    fn reserve(&mut self, clause: &[Code]) {
        let most = clause.iter().map(|lit| (*lit | 1) as usize + 1).max().unwrap_or(0);
        if self.is_true.len() < most {
            self.is_true.resize(most, false);
            self.watches.resize(most, Vec::new());
        }
    }

    fn is_false(&self, lit: Code) -> bool {
        self.is_true[(lit ^ 1) as usize]
    }

    /// Whether it was not false before.
    fn assign(&mut self, lit: Code) -> bool {
        if self.is_false(lit) {
            return false;
        }
        if !self.is_true[lit as usize] {
            self.is_true[lit as usize] = true;
            self.trail.push(lit);
        }
        true
    }

    fn add(&mut self, clause: &[Code]) {
        self.reserve(clause);
        let mut own = clause.to_vec();
        own.sort_unstable();
        own.dedup();
        if self.is_over || own.windows(2).any(|pair| pair[0] ^ 1 == pair[1]) {
            return;
        }
        // What is not false stands first; nothing is taken back below this point.
        own.sort_by_key(|lit| self.is_false(*lit));
        match own.iter().filter(|lit| !self.is_false(**lit)).count() {
            0 => self.is_over = true,
            1 => self.is_over = !self.assign(own[0]) || !self.propagate(),
            _ => {
                let number = self.clauses.len() as u32;
                self.watches[own[0] as usize].push(number);
                self.watches[own[1] as usize].push(number);
                self.clauses.push(own);
            }
        }
    }

    /// Whether nothing is contradicted.
    fn propagate(&mut self) -> bool {
        while self.done < self.trail.len() {
            let falsified = self.trail[self.done] ^ 1;
            self.done += 1;
            let watching = std::mem::take(&mut self.watches[falsified as usize]);
            let mut kept = Vec::with_capacity(watching.len());
            let mut holds = true;
            for (at, &number) in watching.iter().enumerate() {
                let clause = &mut self.clauses[number as usize];
                if clause[0] == falsified {
                    clause.swap(0, 1);
                }
                let first = clause[0];
                if self.is_true[first as usize] {
                    kept.push(number);
                    continue;
                }
                let open = (2..clause.len()).find(|at| !self.is_true[(clause[*at] ^ 1) as usize]);
                if let Some(open) = open {
                    clause.swap(1, open);
                    let watched = clause[1];
                    self.watches[watched as usize].push(number);
                    continue;
                }
                kept.push(number);
                if !self.assign(first) {
                    kept.extend(&watching[at + 1..]);
                    holds = false;
                    break;
                }
            }
            self.watches[falsified as usize] = kept;
            if !holds {
                return false;
            }
        }
        true
    }

    /// Whether these literals together are contradicted by propagation; takes them back.
    fn contradicts(&mut self, lits: &[Code]) -> bool {
        if self.is_over {
            return true;
        }
        self.reserve(lits);
        let (kept, done) = (self.trail.len(), self.done);
        let holds = lits.iter().all(|lit| self.assign(*lit)) && self.propagate();
        for lit in self.trail.drain(kept..) {
            self.is_true[lit as usize] = false;
        }
        self.done = done;
        !holds
    }
}

#[cfg(test)]
mod tests {
    use super::Proof;

    /// Literals as DIMACS has them.
    fn code(lit: i32) -> u32 {
        lit.unsigned_abs() * 2 + u32::from(lit < 0)
    }

    fn proof(steps: &[(&[i32], bool)]) -> Proof {
        let mut proof = Proof::default();
        for (clause, is_learned) in steps {
            proof.push(clause.iter().map(|lit| code(*lit)), *is_learned);
        }
        proof
    }

    #[test]
    fn what_follows_is_accepted_and_nothing_else() {
        let square: [(&[i32], bool); 4] =
            [(&[1, 2], false), (&[1, -2], false), (&[-1, 2], false), (&[-1, -2], false)];
        assert!(proof(&square).refutes(&[]).is_err(), "it takes a case distinction");
        assert!(proof(&square).refutes(&[code(1)]).is_ok());
        let learned = [&square[..], &[(&[1], true)]].concat();
        assert_eq!(proof(&learned).refutes(&[]), Ok(1));
        let wrong = [&square[..3], &[(&[-1, 3], true)]].concat();
        assert!(proof(&wrong).refutes(&[code(-1)]).unwrap_err().contains("does not follow"));
        assert!(proof(&square[..3]).refutes(&[code(1)]).is_err());
    }
}

//! The meaning of linear formulas, by direct evaluation on given words: the definition that the
//! automata are tested against, and a way to explain a verdict step by step.

use crate::automaton::Letter;
use crate::formula::{Binary, Formula, Path, Unary};

impl Formula {
    /// Whether the formula holds at the start of the infinite word `stem · cycle · cycle · …`.
    ///
    /// # Panics
    /// When the cycle is empty or the formula is not linear.
    pub fn holds_on_lasso(&self, stem: &[Letter], cycle: &[Letter]) -> bool {
        assert!(!cycle.is_empty(), "an infinite word needs a cycle");
        // Over operands that repeat with the cycle, an operator that looks back repeats from the
        // second round on; each level of nesting delays that by one round.
        let mut letters = stem.to_vec();
        for _ in 0..self.past_depth() {
            letters.extend_from_slice(cycle);
        }
        let back_to = Some(letters.len());
        letters.extend_from_slice(cycle);
        Word { letters: &letters, back_to }.evaluate(self)[0]
    }

    /// Whether the formula holds at the start of a finite word, with a strong next. On the empty
    /// word atoms and everything that asks for a step are false.
    ///
    /// # Panics
    /// When the formula is not linear.
    pub fn holds_on_word(&self, letters: &[Letter]) -> bool {
        if letters.is_empty() {
            return self.holds_on_nothing();
        }
        Word { letters, back_to: None }.evaluate(self)[0]
    }

    fn past_depth(&self) -> usize {
        let inner = self.operands().into_iter().map(Formula::past_depth).max().unwrap_or(0);
        let own = match self {
            Formula::Unary(_, operator, _) => operator.is_past(),
            Formula::Binary(_, operator, _, _) => operator.is_past(),
            _ => false,
        };
        inner + usize::from(own)
    }

    fn holds_on_nothing(&self) -> bool {
        match self {
            Formula::True => true,
            Formula::False | Formula::Atom(_) => false,
            Formula::Not(a) => !a.holds_on_nothing(),
            Formula::And(all) => all.iter().all(Formula::holds_on_nothing),
            Formula::Or(all) => all.iter().any(Formula::holds_on_nothing),
            Formula::Implies(a, b) => !a.holds_on_nothing() || b.holds_on_nothing(),
            Formula::Iff(a, b) => a.holds_on_nothing() == b.holds_on_nothing(),
            Formula::Unary(_, operator, _) => {
                matches!(operator, Unary::Always | Unary::Historically)
            }
            Formula::Binary(_, operator, _, _) => {
                matches!(operator, Binary::WeakUntil | Binary::Release)
            }
        }
    }
}

/// A word with at least one letter; an infinite one goes back to an earlier place at its end.
struct Word<'a> {
    letters: &'a [Letter],
    back_to: Option<usize>,
}

impl Word<'_> {
    /// The truth of a formula at each place.
    fn evaluate(&self, formula: &Formula) -> Vec<bool> {
        match formula {
            Formula::True => vec![true; self.letters.len()],
            Formula::False => vec![false; self.letters.len()],
            Formula::Atom(atom) => {
                self.letters.iter().map(|letter| letter >> atom.index() & 1 == 1).collect()
            }
            Formula::Not(a) => self.evaluate(a).into_iter().map(|holds| !holds).collect(),
            Formula::And(all) => self.fold(all, true, |a, b| a && b),
            Formula::Or(all) => self.fold(all, false, |a, b| a || b),
            Formula::Implies(a, b) => self.both(a, b, |a, b| !a || b),
            Formula::Iff(a, b) => self.both(a, b, |a, b| a == b),
            Formula::Unary(Path::This, operator, a) => {
                let a = self.evaluate(a);
                match operator {
                    Unary::Next => self.next(&a),
                    Unary::Eventually => self.backward(false, |at, later| a[at] || later),
                    Unary::Always => self.backward(true, |at, later| a[at] && later),
                    Unary::Previous => {
                        let before = std::iter::once(false).chain(a.iter().copied());
                        before.take(a.len()).collect()
                    }
                    Unary::Once => self.forward(false, |at, before| a[at] || before),
                    Unary::Historically => self.forward(true, |at, before| a[at] && before),
                }
            }
            Formula::Binary(Path::This, operator, a, b) => {
                let (a, b) = (self.evaluate(a), self.evaluate(b));
                match operator {
                    Binary::Until => self.backward(false, |at, later| b[at] || (a[at] && later)),
                    Binary::WeakUntil => self.backward(true, |at, later| b[at] || (a[at] && later)),
                    Binary::Release => self.backward(true, |at, later| b[at] && (a[at] || later)),
                    Binary::StrongRelease => {
                        self.backward(false, |at, later| b[at] && (a[at] || later))
                    }
                    Binary::Since => self.forward(false, |at, before| b[at] || (a[at] && before)),
                }
            }
            Formula::Unary(..) | Formula::Binary(..) => {
                panic!("a formula of branching time has no meaning on a single run")
            }
        }
    }

    fn fold(&self, all: &[Formula], start: bool, join: fn(bool, bool) -> bool) -> Vec<bool> {
        all.iter().fold(vec![start; self.letters.len()], |truth, operand| {
            truth.into_iter().zip(self.evaluate(operand)).map(|(a, b)| join(a, b)).collect()
        })
    }

    fn both(&self, a: &Formula, b: &Formula, join: fn(bool, bool) -> bool) -> Vec<bool> {
        self.evaluate(a).into_iter().zip(self.evaluate(b)).map(|(a, b)| join(a, b)).collect()
    }

    fn next(&self, a: &[bool]) -> Vec<bool> {
        let last = self.back_to.is_some_and(|start| a[start]);
        a[1..].iter().copied().chain([last]).collect()
    }

    /// The fixed point of a rule that looks at the next place: least when `start` is false, greatest
    /// when it is true. A second round settles the cycle.
    fn backward(&self, start: bool, rule: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut truth = vec![start; self.letters.len()];
        for _ in 0..2 {
            let mut later = self.back_to.map_or(start, |back| truth[back]);
            for at in (0..truth.len()).rev() {
                later = rule(at, later);
                truth[at] = later;
            }
        }
        truth
    }

    fn forward(&self, start: bool, rule: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut before = start;
        let mut truth = Vec::with_capacity(self.letters.len());
        for at in 0..self.letters.len() {
            before = rule(at, before);
            truth.push(before);
        }
        truth
    }
}

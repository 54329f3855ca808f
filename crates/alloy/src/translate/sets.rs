//! Relations and numbers.

use std::rc::Rc;

use quadrille_solve::{Bits, Lit, Matrix, Tuple, columns};

use super::{At, Binding, Translator};
use crate::core::{Arithmetic, NodeId, Op};
use crate::names::world::VarId;

impl Translator<'_> {
    pub(crate) fn matrix(&mut self, node: NodeId, at: At) -> Rc<Matrix> {
        let at = self.seen(node, at);
        let key = self.key(node, at);
        if let Some(key) = key
            && let Some(known) = self.memo(node).matrices.get(&key)
        {
            return known.clone();
        }
        let matrix = self.new_matrix(node, at);
        if let Some(key) = key {
            self.memo(node).matrices.insert(key, matrix.clone());
        }
        matrix
    }

    fn new_matrix(&mut self, node: NodeId, at: At) -> Rc<Matrix> {
        let bounds = self.bounds;
        if !self.goes_on() {
            return Rc::new(Matrix::empty(bounds.core.arity(node).max(1)));
        }
        Rc::new(match bounds.core.op(node) {
            Op::Rel(id) => return self.kept.inputs.of(bounds, *id, at.state, self.circuit),
            Op::Constant(arity, tuples) => Matrix::constant(*arity, tuples.iter().copied()),
            Op::Var(var) => match self.env.get(var) {
                Some(Binding::Atom(atom)) => Matrix::constant(1, [Tuple::from(*atom)]),
                Some(Binding::Set(number)) => return self.kept.sets[*number as usize].clone(),
                None => Matrix::empty(bounds.core.arity(node)),
            },
            Op::Union(a, b) => {
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                a.union(&b, self.circuit)
            }
            Op::Minus(a, b) => {
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                a.minus(&b, self.circuit)
            }
            Op::Intersect(a, b) => {
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                a.intersect(&b, self.circuit)
            }
            Op::Join(a, b) => {
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                a.join(&b, self.circuit)
            }
            Op::Product(a, b) => {
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                a.product(&b, self.circuit)
            }
            Op::Override(a, b) => {
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                a.overridden(&b, self.circuit)
            }
            Op::Restrict(a, is_last, b) => {
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                let column = if *is_last { a.arity() - 1 } else { 0 };
                a.restricted(column, &b, self.circuit)
            }
            Op::Transpose(a) => self.matrix(*a, at).transpose(),
            Op::Closure(a) => {
                let a = self.matrix(*a, at);
                a.closure(self.circuit)
            }
            Op::Identity(a) => {
                let set = self.matrix(*a, at);
                Matrix::new(2, set.cells().iter().map(|(atom, lit)| (atom << 16 | atom, *lit)))
            }
            Op::Prime(a) => {
                let rounds = bounds.core.facts(*a).past;
                let mut all = Matrix::empty(bounds.core.arity(*a));
                for (condition, next) in self.next(at, rounds) {
                    let there = self.matrix(*a, next).when(condition, self.circuit);
                    all = all.union(&there, self.circuit);
                }
                all
            }
            Op::Choose(c, a, b) => {
                let c = self.formula(*c, at);
                let (a, b) = (self.matrix(*a, at), self.matrix(*b, at));
                a.choose(c, &b, self.circuit)
            }
            Op::Comprehension(vars, body) => {
                let mut cells = Vec::new();
                self.comprehend(vars, *body, at, (0, Lit::TRUE), &mut cells);
                Matrix::new(vars.len(), cells)
            }
            Op::FromInt(number) => {
                let bits = self.bits(*number, at);
                let atoms = bounds.integers.clone();
                let mut cells = Vec::new();
                for atom in atoms {
                    let value = Bits::constant(i64::from(atom) - bounds.zero, bounds.width);
                    cells.push((Tuple::from(atom), bits.equals(&value, self.circuit)));
                }
                Matrix::new(1, cells)
            }
            _ => Matrix::empty(1),
        })
    }

    fn comprehend(
        &mut self,
        vars: &[(VarId, NodeId)],
        body: NodeId,
        at: At,
        (tuple, lit): (Tuple, Lit),
        cells: &mut Vec<(Tuple, Lit)>,
    ) {
        let Some(((var, bound), rest)) = vars.split_first() else {
            let holds = self.formula(body, at);
            cells.push((tuple, self.circuit.and(lit, holds)));
            return;
        };
        let set = self.matrix(*bound, at);
        for (atom, is_in) in set.cells() {
            let lit = self.circuit.and(lit, *is_in);
            if lit != Lit::FALSE && self.goes_on() {
                self.with(*var, Binding::Atom(*atom as u16), |it| {
                    it.comprehend(rest, body, at, (tuple << 16 | atom, lit), cells);
                });
            }
        }
    }

    pub(crate) fn bits(&mut self, node: NodeId, at: At) -> Rc<Bits> {
        let at = self.seen(node, at);
        let key = self.key(node, at);
        if let Some(key) = key
            && let Some(known) = self.memo(node).bits.get(&key)
        {
            return known.clone();
        }
        let bits = Rc::new(self.new_bits(node, at));
        if let Some(key) = key {
            self.memo(node).bits.insert(key, bits.clone());
        }
        bits
    }

    fn new_bits(&mut self, node: NodeId, at: At) -> Bits {
        let (bounds, width) = (self.bounds, self.bounds.width);
        if !self.goes_on() {
            return Bits::constant(0, width);
        }
        match bounds.core.op(node) {
            Op::Number(number) => Bits::constant(*number, width),
            Op::Count(set) => {
                let set = self.matrix(*set, at);
                Bits::count(set.cells().iter().map(|cell| cell.1), width, self.circuit)
            }
            Op::SumOf(set) => {
                let set = self.matrix(*set, at);
                let mut numbers = Vec::new();
                for (tuple, lit) in set.cells() {
                    let atom = columns(*tuple, 1)[0];
                    if bounds.integers.contains(&atom) {
                        let value = i64::from(atom) - bounds.zero;
                        let bits = Bits::constant(value, width);
                        let zero = Bits::constant(0, width);
                        numbers.push(bits.choose(*lit, &zero, self.circuit));
                    }
                }
                Bits::sum(numbers, width, self.circuit)
            }
            Op::SumOver(var, set, number) => {
                let set = self.matrix(*set, at);
                let mut numbers = Vec::new();
                for (atom, lit) in set.cells() {
                    let bits =
                        self.with(*var, Binding::Atom(*atom as u16), |it| it.bits(*number, at));
                    let zero = Bits::constant(0, width);
                    numbers.push(bits.choose(*lit, &zero, self.circuit));
                }
                Bits::sum(numbers, width, self.circuit)
            }
            Op::Arithmetic(operator, a, b) => {
                let (a, b) = (self.bits(*a, at), self.bits(*b, at));
                let circuit = &mut *self.circuit;
                match operator {
                    Arithmetic::Plus => a.plus(&b, circuit),
                    Arithmetic::Minus => a.minus(&b, circuit),
                    Arithmetic::Times => a.times(&b, circuit),
                    Arithmetic::Divide => a.divided(&b, circuit).0,
                    Arithmetic::Remainder => a.divided(&b, circuit).1,
                    Arithmetic::ShiftLeft => a.shift(&b, true, false, circuit),
                    Arithmetic::ShiftRight => a.shift(&b, false, true, circuit),
                    Arithmetic::ShiftRightUnsigned => a.shift(&b, false, false, circuit),
                }
            }
            Op::ChooseInt(c, a, b) => {
                let c = self.formula(*c, at);
                let (a, b) = (self.bits(*a, at), self.bits(*b, at));
                a.choose(c, &b, self.circuit)
            }
            _ => Bits::constant(0, width),
        }
    }

    /// Whether a number made of numbers that fit does not fit itself.
    pub(super) fn overflow(&mut self, node: NodeId, at: At) -> Lit {
        let (bounds, width) = (self.bounds, self.bounds.width);
        let half = 1i64 << (width - 1);
        match bounds.core.op(node) {
            Op::Number(number) => Lit::from(*number < -half || *number >= half),
            Op::Count(set) => {
                let set = self.matrix(*set, at);
                let lits: Vec<Lit> = set.cells().iter().map(|cell| cell.1).collect();
                !self.circuit.at_most(&lits, half as usize - 1)
            }
            Op::SumOf(set) => {
                let set = self.matrix(*set, at);
                let wide = width + 12;
                let integers = set
                    .cells()
                    .iter()
                    .filter(|(tuple, _)| bounds.integers.contains(&columns(*tuple, 1)[0]));
                let zero = Bits::constant(0, wide);
                let mut numbers = Vec::new();
                for (tuple, lit) in integers {
                    let value = i64::from(columns(*tuple, 1)[0]) - bounds.zero;
                    numbers.push(Bits::constant(value, wide).choose(*lit, &zero, self.circuit));
                }
                let sum = Bits::sum(numbers, wide, self.circuit);
                self.exceeds(&sum)
            }
            Op::SumOver(var, set, number) => {
                let set = self.matrix(*set, at);
                let wide = width + 12;
                let zero = Bits::constant(0, wide);
                let mut numbers = Vec::new();
                for (atom, lit) in set.cells() {
                    let bits =
                        self.with(*var, Binding::Atom(*atom as u16), |it| it.bits(*number, at));
                    numbers.push(bits.widened(wide).choose(*lit, &zero, self.circuit));
                }
                let sum = Bits::sum(numbers, wide, self.circuit);
                self.exceeds(&sum)
            }
            Op::Arithmetic(operator, a, b) => {
                let (a, b) = (self.bits(*a, at), self.bits(*b, at));
                let (a, b) = (a.widened(2 * width), b.widened(2 * width));
                let wide = match operator {
                    Arithmetic::Plus => a.plus(&b, self.circuit),
                    Arithmetic::Minus => a.minus(&b, self.circuit),
                    Arithmetic::Times => a.times(&b, self.circuit),
                    Arithmetic::Divide => a.divided(&b, self.circuit).0,
                    _ => return Lit::FALSE,
                };
                self.exceeds(&wide)
            }
            _ => Lit::FALSE,
        }
    }

    /// Whether a wide number does not fit into the width of integers.
    fn exceeds(&mut self, wide: &Bits) -> Lit {
        let cut = Bits(wide.0[..self.bounds.width].to_vec()).widened(wide.0.len());
        !cut.equals(wide, self.circuit)
    }
}

//! Formulas, sets and numbers as circuits: quantifiers are written out over the atoms, a set is a
//! condition for each of its possible tuples, a number a condition for each of its possible values.
//! What is always the same folds to constants on the way. Follows the naive evaluator operator by
//! operator, also in what cannot be computed, and when.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use quadrille_diagnostic::Span;

use super::circuit::{Bit, Circuit, FALSE, TRUE};
use super::matrix::{Key, Matrix};
use crate::eval::{Bindings, fits};
use crate::ground::{Atom, World};
use crate::types::Design;
use crate::types::core::{Formula, Number, RelationId, Set, VariableId, compare};
use crate::types::words::Mult;

/// The values that a number can have, each with the condition that it has it.
type Spread = BTreeMap<i64, Bit>;

/// What cannot be computed.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Failure {
    /// A number is out of range.
    OutOfRange(i64, Span),
    /// A relation gets a value that its declaration does not allow.
    Misfit(RelationId, Span),
}

/// Writes circuits for a design in a world.
pub(super) struct Grounder<'d> {
    pub(super) design: &'d Design,
    pub(super) world: &'d World,
    pub(super) circuit: Circuit,
    /// What each relation holds.
    pub(super) now: Vec<Rc<Matrix>>,
    /// What it holds in the next state, where formulas look there; elsewhere the same.
    pub(super) next: Vec<Rc<Matrix>>,
    pub(super) bound: Bindings,
    /// Where something cannot be computed, in the order in which it would be come upon.
    pub(super) failures: Vec<(Bit, Failure)>,
    /// Whether a tuple had too many columns.
    pub(super) is_too_wide: bool,
}

/// Whether a formula has a part that may fail to be computed: a number that becomes an atom. One that
/// is only compared does not, but for effects, which are primed.
pub(super) fn may_fail(formula: &Formula) -> bool {
    let (all, compared) = (Cell::new(0), Cell::new(0));
    let is_number = |set: &Set| matches!(set, Set::Number(..));
    let count = |of: &Cell<usize>, more: bool| of.set(of.get() + usize::from(more));
    formula.any(
        &|part| {
            if let Formula::In(a, b, _) | Formula::Equal(a, b, _) = part
                && !a.is_primed()
                && !b.is_primed()
            {
                count(&compared, is_number(a));
                count(&compared, is_number(b));
            }
            false
        },
        &|set| {
            count(&all, is_number(set));
            false
        },
    );
    all.get() > compared.get()
}

impl Grounder<'_> {
    /// `path` and one more condition, unless nothing can fail on it anyway.
    pub(super) fn further(&mut self, path: Bit, condition: Bit) -> Bit {
        if path == FALSE { FALSE } else { self.circuit.and([path, condition]) }
    }

    /// Does something with a variable bound.
    pub(super) fn with<T>(
        &mut self,
        variable: VariableId,
        atom: Atom,
        then: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.bound.insert(variable, atom);
        let result = then(self);
        match before {
            Some(before) => self.bound.insert(variable, before),
            None => self.bound.remove(&variable),
        };
        result
    }

    pub(super) fn fail(&mut self, when: Bit, failure: Failure) {
        if when != FALSE {
            self.failures.push((when, failure));
        }
    }

    /// Where a formula without temporal operators holds. `path` says where it is evaluated at all:
    /// nowhere, if nothing in it can fail.
    pub(super) fn holds(&mut self, formula: &Formula, path: Bit) -> Bit {
        match formula {
            Formula::Constant(value) => {
                if *value {
                    TRUE
                } else {
                    FALSE
                }
            }
            Formula::Not(a) => {
                let a = self.holds(a, path);
                self.circuit.not(a)
            }
            Formula::And(all) => self.all(all, path, Self::holds),
            Formula::Or(all) => {
                let none = self.all(all, path, |this, part, path| {
                    let part = this.holds(part, path);
                    this.circuit.not(part)
                });
                self.circuit.not(none)
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.holds(a, path), self.holds(b, path));
                self.circuit.same(a, b)
            }
            Formula::If(c, a, b) => {
                let c = self.holds(c, path);
                let not = self.circuit.not(c);
                let (then, otherwise) = (self.further(path, c), self.further(path, not));
                let a = if c == FALSE { FALSE } else { self.holds(a, then) };
                let b = if c == TRUE { FALSE } else { self.holds(b, otherwise) };
                self.circuit.choose(c, a, b)
            }
            Formula::In(a, b, _) => {
                let ((a, in_range), (b, _)) = (self.operand(a, path), self.operand(b, path));
                let mut parts = vec![in_range];
                for (key, bit) in &a.cells {
                    let not = self.circuit.not(*bit);
                    parts.push(self.circuit.or([not, b.get(*key)]));
                }
                self.circuit.and(parts)
            }
            Formula::Equal(a, b, _) => {
                let ((a, one), (b, other)) = (self.operand(a, path), self.operand(b, path));
                let equal = self.equal(&a.cells, &b.cells);
                self.circuit.and([one, other, equal])
            }
            Formula::Compare(comparison, a, b) => {
                let (a, b) = (self.number(a, path), self.number(b, path));
                let mut parts = Vec::new();
                for (one, when) in &a {
                    let fitting = b.iter().filter(|(other, _)| compare(*comparison, *one, **other));
                    let others = self.circuit.or(fitting.map(|(_, bit)| *bit));
                    parts.push(self.circuit.and([*when, others]));
                }
                self.circuit.or(parts)
            }
            Formula::Count(mult, a, _) => {
                let a = self.set(a, path);
                self.count(*mult, a.cells.values().copied())
            }
            Formula::All(variable, set, body, _) => {
                self.quantified(*variable, set, body, path, true)
            }
            Formula::Some(variable, set, body, _) => {
                let none = self.quantified(*variable, set, body, path, false);
                self.circuit.not(none)
            }
            Formula::Happens(..) | Formula::Unary(..) | Formula::Binary(..) => {
                unreachable!("a formula about runs is not asked about a state")
            }
        }
    }

    /// A set that is compared, and where it is one: a number out of range is compared exactly.
    fn operand(&mut self, set: &Set, path: Bit) -> (Rc<Matrix>, Bit) {
        let Set::Number(number, _) = set else { return (self.set(set, path), TRUE) };
        let mut atoms = Matrix::new(1);
        for (value, when) in self.number(number, path) {
            if let Some(atom) = self.world.atom_of(value) {
                atoms.put(Key::from(atom), when);
            }
        }
        let in_range = self.circuit.or(atoms.cells.values().copied());
        (Rc::new(atoms), in_range)
    }

    /// The conjunction of parts, of which each is evaluated where all before hold.
    fn all<T>(
        &mut self,
        parts: &[T],
        path: Bit,
        mut each: impl FnMut(&mut Self, &T, Bit) -> Bit,
    ) -> Bit {
        let (mut bits, mut path) = (Vec::new(), path);
        for part in parts {
            let bit = each(self, part, path);
            if bit == FALSE {
                return FALSE;
            }
            path = self.further(path, bit);
            bits.push(bit);
        }
        self.circuit.and(bits)
    }

    /// Whether the formula holds for all members of a set, or for none.
    fn quantified(
        &mut self,
        variable: VariableId,
        set: &Set,
        body: &Formula,
        path: Bit,
        wanted: bool,
    ) -> Bit {
        let atoms = self.set(set, path).atoms();
        self.all(&atoms, path, |this, (atom, member), path| {
            let path = this.further(path, *member);
            let body = this.with(variable, *atom, |this| this.holds(body, path));
            let body = if wanted { body } else { this.circuit.not(body) };
            let not = this.circuit.not(*member);
            this.circuit.or([not, body])
        })
    }

    pub(super) fn equal<K: Ord + Copy>(
        &mut self,
        a: &BTreeMap<K, Bit>,
        b: &BTreeMap<K, Bit>,
    ) -> Bit {
        let keys: std::collections::BTreeSet<K> = a.keys().chain(b.keys()).copied().collect();
        let mut parts = Vec::new();
        for key in keys {
            let bit = |of: &BTreeMap<K, Bit>| of.get(&key).copied().unwrap_or(FALSE);
            parts.push(self.circuit.same(bit(a), bit(b)));
        }
        self.circuit.and(parts)
    }

    /// Whether so many of the conditions hold as a multiplicity says.
    pub(super) fn count(&mut self, mult: Mult, bits: impl IntoIterator<Item = Bit>) -> Bit {
        let (mut none, mut one) = (TRUE, FALSE);
        for bit in bits {
            let not = self.circuit.not(bit);
            let (still, now) = (self.circuit.and([one, not]), self.circuit.and([none, bit]));
            one = self.circuit.or([still, now]);
            none = self.circuit.and([none, not]);
        }
        match mult {
            Mult::One => one,
            Mult::Lone => self.circuit.or([none, one]),
            Mult::Some => self.circuit.not(none),
            Mult::Set => TRUE,
            Mult::No => none,
        }
    }

    /// What a number can be.
    pub(super) fn number(&mut self, number: &Number, path: Bit) -> Spread {
        let spread = match number {
            Number::Literal(value) => return Spread::from([(*value, TRUE)]),
            Number::Card(set) => {
                let bits: Vec<Bit> = self.set(set, path).cells.values().copied().collect();
                bits.into_iter().fold(Spread::from([(0, TRUE)]), |sum, bit| {
                    self.plus(&sum, &Spread::from([(1, TRUE)]), bit)
                })
            }
            Number::Value(set) => {
                let atoms = self.set(set, path).atoms();
                atoms.into_iter().fold(Spread::from([(0, TRUE)]), |sum, (atom, bit)| {
                    match self.world.numbers[atom as usize] {
                        Some(value) => self.plus(&sum, &Spread::from([(value, TRUE)]), bit),
                        None => sum,
                    }
                })
            }
            Number::Arithmetic(operator, a, b) => {
                let (a, b) = (self.number(a, path), self.number(b, path));
                self.combine(&a, &b, |a, b| operator.apply(a, b))
            }
            Number::Sum(variable, set, body) => {
                let atoms = self.set(set, path).atoms();
                let mut sum = Spread::from([(0, TRUE)]);
                for (atom, member) in atoms {
                    let path = self.further(path, member);
                    let one = self.with(*variable, atom, |this| this.number(body, path));
                    sum = self.plus(&sum, &one, member);
                }
                sum
            }
            Number::If(c, a, b) => {
                let c = self.holds(c, path);
                let not = self.circuit.not(c);
                let (then, otherwise) = (self.further(path, c), self.further(path, not));
                let a = if c == FALSE { Spread::new() } else { self.number(a, then) };
                let b = if c == TRUE { Spread::new() } else { self.number(b, otherwise) };
                let mut chosen = Spread::new();
                for value in a.keys().chain(b.keys()) {
                    let bit = |of: &Spread| of.get(value).copied().unwrap_or(FALSE);
                    let when = self.circuit.choose(c, bit(&a), bit(&b));
                    chosen.insert(*value, when);
                }
                chosen.retain(|_, when| *when != FALSE);
                chosen
            }
        };
        let world = self.world;
        if !world.wraps {
            return spread;
        }
        self.combine(&spread, &Spread::from([(0, TRUE)]), |value, _| world.folded(value))
    }

    /// The first, and the second added where a condition holds.
    fn plus(&mut self, sum: &Spread, more: &Spread, when: Bit) -> Spread {
        let not = self.circuit.not(when);
        let mut summand = Spread::new();
        for (value, bit) in more {
            let bit = self.circuit.and([when, *bit]);
            summand.insert(*value, bit);
        }
        let zero = summand.get(&0).copied().unwrap_or(FALSE);
        let zero = self.circuit.or([zero, not]);
        summand.insert(0, zero);
        self.combine(sum, &summand, |a, b| a + b)
    }

    fn combine(&mut self, a: &Spread, b: &Spread, apply: impl Fn(i64, i64) -> i64) -> Spread {
        let mut ways: BTreeMap<i64, Vec<Bit>> = BTreeMap::new();
        for (one, when) in a {
            for (other, and) in b {
                let both = self.circuit.and([*when, *and]);
                if both != FALSE {
                    ways.entry(apply(*one, *other)).or_default().push(both);
                }
            }
        }
        ways.into_iter().map(|(value, ways)| (value, self.circuit.or(ways))).collect()
    }

    /// Where so many of the conditions hold that a multiplicity forbids it.
    pub(super) fn misfits(&mut self, mult: Mult, bits: &[Bit]) -> Bit {
        if bits.iter().all(|bit| *bit == TRUE) {
            return if fits(mult, bits.len()) { FALSE } else { TRUE };
        }
        let fits = self.count(mult, bits.iter().copied());
        self.circuit.not(fits)
    }
}

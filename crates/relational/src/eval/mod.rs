//! What a design means, naively: sets of tuples, formulas by their definitions, events by trying out
//! what they allow. Slow, simple, and the oracle that the compiled model is tested against.

mod initial;
mod sets;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use quadrille_diagnostic::{Diagnostic, Span};

use crate::codes::{MULTIPLICITY, OVERFLOW};
use crate::ground::{Atom, World};
use crate::lower::Failure;
use crate::types::core::{Formula, Number, RelationId, Set, VariableId, compare};
use crate::types::words::Mult;
use crate::types::{Design, INDEX};

pub(crate) use sets::join;
pub use steps::Step;

/// A tuple of atoms.
pub type Tuple = Vec<Atom>;
/// A set of tuples.
pub type Tuples = BTreeSet<Tuple>;

/// What every relation holds, fixed ones included.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State(pub Vec<Tuples>);

/// What variables are bound to.
pub type Bindings = BTreeMap<VariableId, Atom>;

/// What could not be computed.
pub type Evaluated<T> = Result<T, Box<Diagnostic>>;

/// Evaluates a design in a world.
pub struct Evaluator<'d> {
    design: &'d Design,
    world: &'d World,
}

impl<'d> Evaluator<'d> {
    /// An evaluator of a design.
    pub fn new(design: &'d Design, world: &'d World) -> Self {
        Self { design, world }
    }

    /// Whether a formula without temporal operators holds in a state.
    ///
    /// # Panics
    /// If the formula has a temporal operator.
    pub fn holds(&self, formula: &Formula, state: &State, bound: &Bindings) -> Evaluated<bool> {
        Ok(match formula {
            Formula::Constant(value) => *value,
            Formula::Not(a) => !self.holds(a, state, bound)?,
            Formula::And(all) => {
                for part in all {
                    if !self.holds(part, state, bound)? {
                        return Ok(false);
                    }
                }
                true
            }
            Formula::Or(all) => {
                for part in all {
                    if self.holds(part, state, bound)? {
                        return Ok(true);
                    }
                }
                false
            }
            Formula::Iff(a, b) => self.holds(a, state, bound)? == self.holds(b, state, bound)?,
            Formula::If(c, a, b) => {
                let chosen = if self.holds(c, state, bound)? { a } else { b };
                self.holds(chosen, state, bound)?
            }
            Formula::In(a, b, _) => {
                let (a, b) = (self.operand(a, state, bound)?, self.operand(b, state, bound)?);
                a.is_some_and(|a| b.is_some_and(|b| a.is_subset(&b)))
            }
            Formula::Equal(a, b, _) => {
                let (a, b) = (self.operand(a, state, bound)?, self.operand(b, state, bound)?);
                a.is_some() && a == b
            }
            Formula::Compare(comparison, a, b) => {
                compare(*comparison, self.number(a, state, bound)?, self.number(b, state, bound)?)
            }
            Formula::Count(mult, a, _) => fits(*mult, self.set(a, state, bound)?.len()),
            Formula::All(variable, set, body, _) => {
                for atom in self.atoms(set, state, bound)? {
                    if !self.holds(body, state, &with(bound, *variable, atom))? {
                        return Ok(false);
                    }
                }
                true
            }
            Formula::Some(variable, set, body, _) => {
                for atom in self.atoms(set, state, bound)? {
                    if self.holds(body, state, &with(bound, *variable, atom))? {
                        return Ok(true);
                    }
                }
                false
            }
            Formula::Happens(..) | Formula::Unary(..) | Formula::Binary(..) => {
                unreachable!("a formula about runs is not asked about a state")
            }
        })
    }

    /// Whether a formula holds of a state and the next, which primes speak about.
    ///
    /// # Panics
    /// If the formula has a temporal operator.
    pub fn holds_across(
        &self,
        formula: &Formula,
        (now, next): (&State, &State),
        bound: &Bindings,
    ) -> Evaluated<bool> {
        let both = now.0.iter().chain(&next.0).cloned();
        self.holds(formula, &State(both.collect()), bound)
    }

    /// A set that is compared; `None` for a number out of range, which is no member of any.
    fn operand(&self, set: &Set, state: &State, bound: &Bindings) -> Evaluated<Option<Tuples>> {
        let Set::Number(number, _) = set else { return self.set(set, state, bound).map(Some) };
        let atom = self.world.atom_of(self.number(number, state, bound)?);
        Ok(atom.map(|atom| Tuples::from([vec![atom]])))
    }

    /// The value of a number.
    pub fn number(&self, number: &Number, state: &State, bound: &Bindings) -> Evaluated<i64> {
        let value = match number {
            Number::Literal(value) => return Ok(*value),
            Number::Card(set) => self.set(set, state, bound)?.len() as i64,
            Number::Value(set) => {
                let atoms = self.atoms(set, state, bound)?;
                atoms.iter().filter_map(|atom| self.world.numbers[*atom as usize]).sum()
            }
            Number::Arithmetic(operator, a, b) => {
                operator.apply(self.number(a, state, bound)?, self.number(b, state, bound)?)
            }
            Number::Sum(variable, set, body) => {
                let mut sum = 0i64;
                for atom in self.atoms(set, state, bound)? {
                    let one = self.number(body, state, &with(bound, *variable, atom))?;
                    sum += one;
                }
                sum
            }
            Number::If(c, a, b) => {
                let chosen = if self.holds(c, state, bound)? { a } else { b };
                self.number(chosen, state, bound)?
            }
        };
        Ok(self.world.folded(value))
    }

    /// The atoms of a set of arity one.
    pub(crate) fn atoms(&self, set: &Set, state: &State, bound: &Bindings) -> Evaluated<Vec<Atom>> {
        Ok(self.set(set, state, bound)?.into_iter().map(|tuple| tuple[0]).collect())
    }

    fn out_of_range(&self, value: i64, span: Span) -> Box<Diagnostic> {
        let (low, high) = self.world.range;
        let message = format!("the number {value} is outside of {low} to {high}");
        let help = "give `Int` a larger range in the scope, or guard the event";
        Box::new(Diagnostic::error(&OVERFLOW, message).at(span, "").help(help))
    }

    /// Why a row cannot hold these atoms.
    fn misfit(&self, relation: RelationId, span: Span) -> Box<Diagnostic> {
        let def = &self.design.relations[relation.0];
        let is_sequence = def.ty.products().any(|columns| columns.get(1) == Some(&INDEX));
        let name = &def.name;
        let message = format!("`{name}` would get a value that its declaration does not allow");
        let help = match is_sequence {
            true => "guard the event, or give sequences more places in the scope: `for 4 seq`",
            false => "correct the effect, or declare the field as `lone` or `set`",
        };
        Box::new(Diagnostic::error(&MULTIPLICITY, message).at(span, "").help(help))
    }

    /// What cannot be computed, as it is told.
    pub(crate) fn failure(&self, failure: &Failure) -> Box<Diagnostic> {
        match failure {
            Failure::OutOfRange(value, span) => self.out_of_range(*value, *span),
            Failure::Misfit(relation, span) => self.misfit(*relation, *span),
        }
    }

    /// The relation that breaks its declaration in a state, if one does.
    pub(crate) fn misdeclared(&self, state: &State) -> Evaluated<Option<RelationId>> {
        for (declared, relation) in &self.design.declared {
            if !self.holds(declared, state, &Bindings::new())? {
                return Ok(Some(*relation));
            }
        }
        Ok(None)
    }

    /// Whether a state satisfies what is assumed of every state.
    pub fn allowed(&self, state: &State) -> Evaluated<bool> {
        for invariant in &self.design.invariants {
            if !self.holds(invariant, state, &Bindings::new())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a relation follows from the scope.
    pub(crate) fn fixed(&self, relation: RelationId) -> bool {
        let sig = self.design.sigs.iter().position(|sig| sig.relation == relation);
        sig.is_some_and(|sig| self.design.is_fixed(crate::types::core::SigId(sig)))
    }
}

/// The bindings with one more.
fn with(bound: &Bindings, variable: VariableId, atom: Atom) -> Bindings {
    let mut more = bound.clone();
    more.insert(variable, atom);
    more
}

/// Whether so many are as many as a multiplicity says.
pub(crate) fn fits(mult: Mult, n: usize) -> bool {
    match mult {
        Mult::One => n == 1,
        Mult::Lone => n <= 1,
        Mult::Some => n >= 1,
        Mult::Set => true,
        Mult::No => n == 0,
    }
}

/// Whether a row may hold these atoms.
pub(crate) fn fits_row(mult: Mult, set: u64) -> bool {
    fits(mult, set.count_ones() as usize)
}

/// All subsets of a set of atoms.
pub(crate) fn subsets(set: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let this = next?;
        next = (this != set).then(|| this.wrapping_sub(set) & set);
        Some(this)
    })
}

//! What a text means once its names are resolved: formulas, sets and numbers over relations and
//! variables. Predicates, functions and `let` are replaced by what they stand for; every variable
//! has a number of its own. No atoms yet: how many there are is a matter of scopes.

use quadrille_diagnostic::Span;

use crate::types::words::{Comparison, Fair, Mult};

/// A signature, by its place in [`Design::sigs`](super::Design::sigs).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SigId(pub usize);

/// A relation, by its place in [`Design::relations`](super::Design::relations).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RelationId(pub usize);

/// A variable: no two binders share one, except copies of one text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub usize);

/// An event, by its place in [`Design::events`](super::Design::events).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub usize);

/// Something that is true or false of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    /// True or false.
    Constant(bool),
    /// The other way round.
    Not(Box<Formula>),
    /// All of them.
    And(Vec<Formula>),
    /// One of them.
    Or(Vec<Formula>),
    /// Both or neither.
    Iff(Box<Formula>, Box<Formula>),
    /// The second where the first holds, else the third.
    If(Box<Formula>, Box<Formula>, Box<Formula>),
    /// The first set is part of the second.
    In(Box<Set>, Box<Set>, Span),
    /// The sets are the same.
    Equal(Box<Set>, Box<Set>, Span),
    /// Two numbers compare so.
    Compare(Comparison, Box<Number>, Box<Number>),
    /// A set has as many members as that.
    Count(Mult, Box<Set>, Span),
    /// Every member of the set, bound to the variable, satisfies the formula.
    All(VariableId, Box<Set>, Box<Formula>, Span),
    /// Some member does.
    Some(VariableId, Box<Set>, Box<Formula>, Span),
    /// An event happens now.
    Happens(EventId, Vec<Set>, Span),
    /// A temporal operator with one operand.
    Unary(Temporal, Box<Formula>),
    /// A temporal operator with two operands.
    Binary(TemporalPair, Box<Formula>, Box<Formula>),
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temporal {
    /// Now and always later.
    Always,
    /// Now or later.
    Eventually,
    /// In the next state.
    After,
    /// In the previous state, which exists.
    Before,
    /// Now and always before.
    Historically,
    /// Now or before.
    Once,
}

/// Temporal operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TemporalPair {
    /// The second comes, and until then the first.
    Until,
    /// The second up to and including the first, or for ever.
    Releases,
    /// The second was, and since then the first.
    Since,
    /// The second since and including the last first, or always before.
    Triggered,
}

/// A set of tuples.
#[derive(Clone, PartialEq, Debug)]
pub enum Set {
    /// A relation, now or in the next state.
    Relation(RelationId, When),
    /// What a variable is bound to.
    Variable(VariableId),
    /// An atom by its number in its signature, from 1.
    Atom(SigId, i64, Span),
    /// The empty set with that arity.
    None(usize),
    /// All atoms.
    Univ,
    /// All pairs of an atom with itself.
    Iden,
    /// `a.b`.
    Join(Box<Set>, Box<Set>),
    /// `a -> b`.
    Product(Box<Set>, Box<Set>),
    /// `a + b`.
    Union(Box<Set>, Box<Set>),
    /// `a - b`.
    Difference(Box<Set>, Box<Set>),
    /// `a & b`.
    Intersection(Box<Set>, Box<Set>),
    /// `a ++ b`.
    Override(Box<Set>, Box<Set>),
    /// `s <: r`.
    Domain(Box<Set>, Box<Set>),
    /// `r :> s`.
    Range(Box<Set>, Box<Set>),
    /// `~r`.
    Transpose(Box<Set>),
    /// `^r`.
    Closure(Box<Set>),
    /// `*r`.
    Reflexive(Box<Set>),
    /// `{ x : A, y : B | F }`.
    Comprehension(Vec<(VariableId, Set)>, Box<Formula>),
    /// One of two.
    If(Box<Formula>, Box<Set>, Box<Set>),
    /// The atom of a number; an error where it is out of range.
    Number(Box<Number>, Span),
    /// Pairs of a number and the next one, both indices of sequences.
    NextIndex,
}

/// Which state a relation is looked up in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// This one.
    Now,
    /// The next one.
    Next,
}

/// A whole number, as large as it gets.
#[derive(Clone, PartialEq, Debug)]
pub enum Number {
    /// As it is written.
    Literal(i64),
    /// How many tuples a set has.
    Card(Box<Set>),
    /// The sum of the numbers in a set.
    Value(Box<Set>),
    /// Two numbers put together.
    Arithmetic(Arithmetic, Box<Number>, Box<Number>),
    /// The sum over all members of a set.
    Sum(VariableId, Box<Set>, Box<Number>),
    /// One of two.
    If(Box<Formula>, Box<Number>, Box<Number>),
}

/// Arithmetic on whole numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    /// Sum.
    Plus,
    /// Difference.
    Minus,
    /// Product.
    Times,
    /// Quotient, towards zero; by zero it is zero.
    Div,
    /// Remainder with the sign of the dividend; by zero it is the dividend.
    Rem,
}

impl Arithmetic {
    /// The result, which has 64 bits: see [`World::new`](crate::World::new).
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Arithmetic::Plus => a + b,
            Arithmetic::Minus => a - b,
            Arithmetic::Times => a * b,
            Arithmetic::Div => a.checked_div(b).unwrap_or(0),
            Arithmetic::Rem => a.checked_rem(b).unwrap_or(a),
        }
    }
}

/// Compares numbers.
pub(crate) fn compare(comparison: Comparison, a: i64, b: i64) -> bool {
    match comparison {
        Comparison::In | Comparison::Equal => a == b,
        Comparison::Less => a < b,
        Comparison::Greater => a > b,
        Comparison::LessEqual => a <= b,
        Comparison::GreaterEqual => a >= b,
    }
}

/// An event with its parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct EventDef {
    /// Its name.
    pub name: String,
    /// Where.
    pub span: Span,
    /// Its parameters with their names and what they are in.
    pub parameters: Vec<(VariableId, String, Set)>,
    /// Guards and effects.
    pub body: Formula,
    /// Which runs are left out.
    pub fairness: Option<Fair>,
}

impl Formula {
    /// The conjunction, flat.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::Constant(true) => {}
                Formula::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Formula::Constant(true),
            1 => flat.remove(0),
            _ => Formula::And(flat),
        }
    }

    /// The second follows from the first.
    pub fn implies(a: Formula, b: Formula) -> Formula {
        Formula::If(Box::new(a), Box::new(b), Box::new(Formula::Constant(true)))
    }

    /// The other way round.
    #[must_use]
    pub fn negated(self) -> Formula {
        match self {
            Formula::Constant(value) => Formula::Constant(!value),
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// Whether a part is looked up in the next state.
    pub fn is_primed(&self) -> bool {
        self.any(&|_| false, &|set| matches!(set, Set::Relation(_, When::Next)))
    }

    /// Whether there is a temporal operator, or an event, in it.
    pub fn is_temporal(&self) -> bool {
        let is_temporal = |formula: &Formula| {
            matches!(formula, Formula::Unary(..) | Formula::Binary(..) | Formula::Happens(..))
        };
        self.any(&is_temporal, &|_| false)
    }

    /// Whether a part of it is so.
    pub fn any(&self, formula: &dyn Fn(&Formula) -> bool, set: &dyn Fn(&Set) -> bool) -> bool {
        if formula(self) {
            return true;
        }
        match self {
            Formula::Constant(_) => false,
            Formula::Not(a) | Formula::Unary(_, a) => a.any(formula, set),
            Formula::And(all) | Formula::Or(all) => all.iter().any(|a| a.any(formula, set)),
            Formula::Iff(a, b) | Formula::Binary(_, a, b) => {
                a.any(formula, set) || b.any(formula, set)
            }
            Formula::If(a, b, c) => [a, b, c].iter().any(|a| a.any(formula, set)),
            Formula::In(a, b, _) | Formula::Equal(a, b, _) => {
                a.any(formula, set) || b.any(formula, set)
            }
            Formula::Compare(_, a, b) => a.any(formula, set) || b.any(formula, set),
            Formula::Count(_, a, _) => a.any(formula, set),
            Formula::All(_, a, b, _) | Formula::Some(_, a, b, _) => {
                a.any(formula, set) || b.any(formula, set)
            }
            Formula::Happens(_, arguments, _) => arguments.iter().any(|a| a.any(formula, set)),
        }
    }
}

impl Set {
    /// Whether a part of it is so.
    pub fn any(&self, formula: &dyn Fn(&Formula) -> bool, set: &dyn Fn(&Set) -> bool) -> bool {
        if set(self) {
            return true;
        }
        match self {
            Set::Relation(..)
            | Set::Variable(_)
            | Set::Atom(..)
            | Set::None(_)
            | Set::Univ
            | Set::Iden
            | Set::NextIndex => false,
            Set::Join(a, b)
            | Set::Product(a, b)
            | Set::Union(a, b)
            | Set::Difference(a, b)
            | Set::Intersection(a, b)
            | Set::Override(a, b)
            | Set::Domain(a, b)
            | Set::Range(a, b) => a.any(formula, set) || b.any(formula, set),
            Set::Transpose(a) | Set::Closure(a) | Set::Reflexive(a) => a.any(formula, set),
            Set::Comprehension(decls, body) => {
                decls.iter().any(|(_, a)| a.any(formula, set)) || body.any(formula, set)
            }
            Set::If(c, a, b) => c.any(formula, set) || a.any(formula, set) || b.any(formula, set),
            Set::Number(number, _) => number.any(formula, set),
        }
    }

    /// Whether a part is looked up in the next state.
    pub fn is_primed(&self) -> bool {
        self.any(&|_| false, &|set| matches!(set, Set::Relation(_, When::Next)))
    }
}

impl Number {
    /// Whether a part of it is so.
    pub fn any(&self, formula: &dyn Fn(&Formula) -> bool, set: &dyn Fn(&Set) -> bool) -> bool {
        match self {
            Number::Literal(_) => false,
            Number::Card(a) | Number::Value(a) => a.any(formula, set),
            Number::Arithmetic(_, a, b) => a.any(formula, set) || b.any(formula, set),
            Number::Sum(_, a, b) => a.any(formula, set) || b.any(formula, set),
            Number::If(c, a, b) => {
                c.any(formula, set) || a.any(formula, set) || b.any(formula, set)
            }
        }
    }
}

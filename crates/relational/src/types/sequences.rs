//! Functions of sequences, relations from indices to elements, beyond the few that `builtin` has. What
//! would make a sequence longer than its bound gives an index that does not exist, which is an error
//! and never a shorter sequence.

use quadrille_diagnostic::Span;

use super::check::{Checked, Checker, Value};
use super::core::{Arithmetic, Formula, Number, Set, VariableId};
use super::{INDEX, Type, columns};
use crate::types::words::{Comparison, Mult};

/// The functions, each with how many arguments it has.
const FUNCTIONS: [(&str, usize); 11] = [
    ("append", 1),
    ("afterLastIdx", 0),
    ("delete", 1),
    ("hasDups", 0),
    ("idxOf", 1),
    ("indsOf", 1),
    ("insert", 2),
    ("lastIdx", 0),
    ("lastIdxOf", 1),
    ("setAt", 2),
    ("subseq", 2),
];

/// Whether something with this name can be asked of a sequence.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(known, _)| *known == name)
}

fn plus(a: Number, b: Number) -> Number {
    Number::Arithmetic(Arithmetic::Plus, Box::new(a), Box::new(b))
}

fn minus(a: Number, b: Number) -> Number {
    Number::Arithmetic(Arithmetic::Minus, Box::new(a), Box::new(b))
}

fn join(a: Set, b: Set) -> Set {
    Set::Join(Box::new(a), Box::new(b))
}

fn union(a: Set, b: Set) -> Set {
    Set::Union(Box::new(a), Box::new(b))
}

fn product(a: Set, b: Set) -> Set {
    Set::Product(Box::new(a), Box::new(b))
}

fn compare(comparison: Comparison, a: Number, b: Number) -> Formula {
    Formula::Compare(comparison, Box::new(a), Box::new(b))
}

fn value(variable: VariableId) -> Number {
    Number::Value(Box::new(Set::Variable(variable)))
}

fn unless(condition: Formula, arity: usize, set: Set) -> Set {
    Set::If(Box::new(condition), Box::new(Set::None(arity)), Box::new(set))
}

/// A sequence, and how it is spoken about.
struct Sequence {
    set: Set,
    span: Span,
}

impl Sequence {
    fn length(&self) -> Number {
        Number::Card(Box::new(self.set.clone()))
    }

    fn is_empty(&self) -> Formula {
        Formula::Count(Mult::No, Box::new(self.set.clone()), self.span)
    }

    /// A number as an index; an error where there is none.
    fn index(&self, number: Number) -> Set {
        Set::Number(Box::new(number), self.span)
    }

    fn last(&self) -> Set {
        let last = self.index(minus(self.length(), Number::Literal(1)));
        join(last, self.set.clone())
    }
}

impl Checker<'_> {
    /// One of [`FUNCTIONS`] of a sequence.
    pub(super) fn function_of_sequence(
        &mut self,
        name: &str,
        (set, ty): (Set, Type),
        arguments: Vec<(Set, Type)>,
        span: Span,
    ) -> Checked<Value> {
        let wanted = FUNCTIONS.iter().find(|(known, _)| *known == name).map_or(0, |(_, n)| *n);
        if arguments.len() != wanted {
            return self.arguments(name, wanted, arguments.len(), span);
        }
        let (of, n_columns) = (arguments.iter().map(|(_, ty)| ty), [1, 2]);
        if !of.clone().all(|ty| n_columns.contains(&columns(ty))) {
            return self.arguments(name, wanted, arguments.len(), span);
        }
        let longer = of.clone().rfind(|ty| columns(ty) == 1).map_or_else(
            || of.clone().fold(ty.clone(), |all, more| all.union(more, &self.design)),
            |element| {
                let pairs = Type::of(INDEX).product(element, &self.design);
                ty.union(&pairs, &self.design)
            },
        );
        self.design.uses_numbers = true;
        let sequence = Sequence { set: set.clone(), span };
        let mut sets = arguments.into_iter().map(|(set, _)| set);
        let mut next = || sets.next().unwrap_or(Set::None(1));
        Ok(match name {
            "append" => Value::Set(self.appended(&sequence, next()), longer),
            "insert" => Value::Set(self.inserted(&sequence, next(), next()), longer),
            "setAt" => {
                let pair = product(next(), next());
                Value::Set(Set::Override(Box::new(set), Box::new(pair)), longer)
            }
            "delete" => {
                let at = Number::Value(Box::new(next()));
                let before = self.part(&sequence, Comparison::Less, at.clone());
                let behind = self.part(&sequence, Comparison::Greater, at);
                Value::Set(union(before, join(Set::NextIndex, behind)), ty)
            }
            "subseq" => Value::Set(self.between(&sequence, next(), next()), ty),
            "idxOf" => {
                Value::Set(self.end_of(&sequence, next(), Comparison::Less), Type::of(INDEX))
            }
            "lastIdxOf" => {
                Value::Set(self.end_of(&sequence, next(), Comparison::Greater), Type::of(INDEX))
            }
            "indsOf" => Value::Set(join(set, next()), Type::of(INDEX)),
            "lastIdx" => {
                let last = sequence.index(minus(sequence.length(), Number::Literal(1)));
                Value::Set(unless(sequence.is_empty(), 1, last), Type::of(INDEX))
            }
            "afterLastIdx" => {
                let k = self.fresh("k");
                let body = compare(Comparison::Equal, value(k), sequence.length());
                Value::Set(self.indices(k, body), Type::of(INDEX))
            }
            _ => {
                let elements = Box::new(join(Set::Univ, set));
                let fewer = compare(Comparison::Less, Number::Card(elements), sequence.length());
                Value::Formula(fewer)
            }
        })
    }

    /// The indices with a property.
    fn indices(&self, k: VariableId, body: Formula) -> Set {
        Set::Comprehension(vec![(k, self.design.set_of(INDEX))], Box::new(body))
    }

    /// The elements at indices that compare so with a number.
    fn part(&mut self, sequence: &Sequence, comparison: Comparison, with: Number) -> Set {
        let k = self.fresh("k");
        let indices = self.indices(k, compare(comparison, value(k), with));
        Set::Domain(Box::new(indices), Box::new(sequence.set.clone()))
    }

    /// The first or the last index of an element.
    fn end_of(&mut self, sequence: &Sequence, element: Set, comparison: Comparison) -> Set {
        let (k, other) = (self.fresh("k"), self.fresh("k"));
        let all = join(sequence.set.clone(), element);
        let nearer = compare(comparison, value(other), value(k));
        let none = Formula::Some(other, Box::new(all.clone()), Box::new(nearer), sequence.span);
        Set::Comprehension(vec![(k, all)], Box::new(none.negated()))
    }

    fn inserted(&mut self, sequence: &Sequence, at: Set, element: Set) -> Set {
        let place = Number::Value(Box::new(at.clone()));
        let before = self.part(sequence, Comparison::Less, place.clone());
        let behind = self.part(sequence, Comparison::GreaterEqual, place.clone());
        let shifted = join(Set::Transpose(Box::new(Set::NextIndex)), behind);
        // What was last has an index of its own, or there is no room.
        let last = product(sequence.index(sequence.length()), sequence.last());
        let is_at_end = compare(Comparison::GreaterEqual, place, sequence.length());
        let last = unless(is_at_end, 2, last);
        union(union(before, product(at, element)), union(shifted, last))
    }

    fn appended(&mut self, sequence: &Sequence, more: Set) -> Set {
        let (j, e, k) = (self.fresh("j"), self.fresh("e"), self.fresh("k"));
        let second = Sequence { set: more.clone(), span: sequence.span };
        let pair = Box::new(product(Set::Variable(k), Set::Variable(e)));
        let body = Formula::and([
            Formula::In(pair, Box::new(more.clone()), sequence.span),
            compare(Comparison::Equal, value(j), plus(value(k), sequence.length())),
        ]);
        let index = || self.design.set_of(INDEX);
        let some = Formula::Some(k, Box::new(index()), Box::new(body), sequence.span);
        let decls = vec![(j, index()), (e, join(Set::Univ, more))];
        let shifted = Set::Comprehension(decls, Box::new(some));
        // The last one has an index of its own, or there is no room.
        let end = minus(plus(sequence.length(), second.length()), Number::Literal(1));
        let last = product(sequence.index(end), second.last());
        let last = unless(second.is_empty(), 2, last);
        union(sequence.set.clone(), union(shifted, last))
    }

    fn between(&mut self, sequence: &Sequence, from: Set, to: Set) -> Set {
        let (j, e, k) = (self.fresh("j"), self.fresh("e"), self.fresh("k"));
        let (from, to) = (Number::Value(Box::new(from)), Number::Value(Box::new(to)));
        let pair = Box::new(product(Set::Variable(k), Set::Variable(e)));
        let body = Formula::and([
            Formula::In(pair, Box::new(sequence.set.clone()), sequence.span),
            compare(Comparison::GreaterEqual, value(k), from.clone()),
            compare(Comparison::LessEqual, value(k), to),
            compare(Comparison::Equal, value(k), plus(value(j), from)),
        ]);
        let index = || self.design.set_of(INDEX);
        let some = Formula::Some(k, Box::new(index()), Box::new(body), sequence.span);
        let decls = vec![(j, index()), (e, join(Set::Univ, sequence.set.clone()))];
        Set::Comprehension(decls, Box::new(some))
    }
}

//! What is built in: arithmetic on integers, and functions of sequences.

use quadrille_diagnostic::Span;
use quadrille_grammar::tree::Expr;

use super::check::{Checked, Checker, Value};
use super::core::{Arithmetic, Formula, Number, Set};
use super::words::{Comparison, Mult};
use super::{INDEX, Type, columns, sequences};

/// Functions of sequences beside those of [`sequences`].
const OF_SEQUENCES: [&str; 7] = ["first", "last", "rest", "butlast", "elems", "inds", "isEmpty"];

/// Functions of numbers.
pub(super) const OF_NUMBERS: [&str; 15] = [
    "plus", "add", "minus", "sub", "mul", "div", "rem", "lt", "lte", "gt", "gte", "eq", "neq",
    "negate", "int",
];

impl Checker<'_> {
    /// A call of something built in; `None` if the name is no such thing.
    pub(super) fn built_in(
        &mut self,
        name: &str,
        all: &[&Expr],
        span: Span,
    ) -> Option<Checked<Value>> {
        let name = name.strip_prefix("integer/").unwrap_or(name);
        if name == "add" || OF_SEQUENCES.contains(&name) || sequences::is_function(name) {
            // `s.add[x]` on a sequence, or `add[2, 3]` on numbers.
            let (sequence, arguments) = all.split_first()?;
            match self.value(sequence) {
                Err(failed) => return Some(Err(failed)),
                Ok(Value::Set(set, ty)) if columns(&ty) == 2 => {
                    let mut sets = Vec::new();
                    for argument in arguments {
                        match self.set(argument) {
                            Ok(set) => sets.push(set),
                            Err(failed) => return Some(Err(failed)),
                        }
                    }
                    return self.of_sequence(name, &(set, ty), sets, span);
                }
                Ok(_) => {}
            }
        }
        let arithmetic = match name {
            "plus" | "add" => Some(Arithmetic::Plus),
            "minus" | "sub" => Some(Arithmetic::Minus),
            "mul" => Some(Arithmetic::Times),
            "div" => Some(Arithmetic::Div),
            "rem" => Some(Arithmetic::Rem),
            _ => None,
        };
        let comparison = match name {
            "lt" => Some((Comparison::Less, true)),
            "lte" => Some((Comparison::LessEqual, true)),
            "gt" => Some((Comparison::Greater, true)),
            "gte" => Some((Comparison::GreaterEqual, true)),
            "eq" => Some((Comparison::Equal, true)),
            "neq" => Some((Comparison::Equal, false)),
            _ => None,
        };
        let wanted = match name {
            "negate" | "int" => 1,
            _ if arithmetic.is_some() || comparison.is_some() => 2,
            _ => return None,
        };
        if all.len() != wanted {
            return Some(self.arguments(name, wanted, all.len(), span));
        }
        let mut numbers = Vec::new();
        for argument in all {
            match self.number(argument) {
                Ok(number) => numbers.push(Box::new(number)),
                Err(failed) => return Some(Err(failed)),
            }
        }
        let last = numbers.pop()?;
        let first = numbers.pop();
        Some(Ok(match (arithmetic, comparison, first) {
            (Some(operator), _, Some(first)) => {
                Value::Number(Number::Arithmetic(operator, first, last))
            }
            (_, Some((comparison, holds)), Some(first)) => {
                let formula = Formula::Compare(comparison, first, last);
                Value::Formula(if holds { formula } else { formula.negated() })
            }
            _ if name == "negate" => {
                let zero = Box::new(Number::Literal(0));
                Value::Number(Number::Arithmetic(Arithmetic::Minus, zero, last))
            }
            _ => Value::Number(*last),
        }))
    }

    /// A function of a sequence, a relation from indices; `None` if the name is none.
    pub(super) fn of_sequence(
        &mut self,
        name: &str,
        (sequence, ty): &(Set, Type),
        mut arguments: Vec<(Set, Type)>,
        span: Span,
    ) -> Option<Checked<Value>> {
        if columns(ty) != 2 {
            return None;
        }
        let is_sequence = ty.products().all(|product| product[0] == INDEX);
        if !is_sequence || !ty.has_tuple() {
            return None;
        }
        let sequence = || Box::new(sequence.clone());
        let index = |number: Number| Box::new(Set::Number(Box::new(number), span));
        let length = || Box::new(Number::Card(sequence()));
        let before_end =
            || Number::Arithmetic(Arithmetic::Minus, length(), Box::new(Number::Literal(1)));
        let element = || Type::of(INDEX).join(ty, &self.design);
        let is_empty = || Formula::Count(Mult::No, sequence(), span);
        let if_any = |set: Set, arity: usize| {
            Set::If(Box::new(is_empty()), Box::new(Set::None(arity)), Box::new(set))
        };
        let last = || Set::Join(index(before_end()), sequence());
        Some(Ok(match (name, arguments.pop()) {
            ("first", None) => {
                Value::Set(Set::Join(index(Number::Literal(0)), sequence()), element())
            }
            ("last", None) => Value::Set(if_any(last(), 1), element()),
            ("rest", None) => {
                Value::Set(Set::Join(Box::new(Set::NextIndex), sequence()), ty.clone())
            }
            ("butlast", None) => {
                let pair = Set::Product(index(before_end()), Box::new(last()));
                Value::Set(if_any(Set::Difference(sequence(), Box::new(pair)), 2), ty.clone())
            }
            ("elems", None) => {
                let all = Box::new(Set::Univ);
                Value::Set(Set::Join(all, sequence()), element())
            }
            ("inds", None) => {
                let all = Box::new(Set::Univ);
                Value::Set(Set::Join(sequence(), all), Type::of(INDEX))
            }
            ("isEmpty", None) => Value::Formula(is_empty()),
            (name, argument) if sequences::is_function(name) => {
                arguments.extend(argument);
                let sequence = (*sequence(), ty.clone());
                return Some(self.function_of_sequence(name, sequence, arguments, span));
            }
            ("add", Some((more, also))) => {
                let pair = Set::Product(index(*length()), Box::new(more));
                let pairs = Type::of(INDEX).product(&also, &self.design);
                let both = ty.union(&pairs, &self.design);
                Value::Set(Set::Union(sequence(), Box::new(pair)), both)
            }
            _ => return None,
        }))
    }
}

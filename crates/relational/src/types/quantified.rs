//! Quantifiers, comprehensions and sums: each variable ranges over a set of atoms.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_grammar::tree::{Binary, Decl, Expr, Kind, Quantifier, Unary};

use super::check::{Checked, Checker, Value};
use super::core::{Formula, Number, Set, VariableId};
use super::words::Mult;
use super::{Type, columns};
use crate::codes::{ARITY, UNSUPPORTED};

/// A variable with what it ranges over.
pub(super) type Bound = (VariableId, Set);

impl Checker<'_> {
    /// Binds the variables of declarations, and says which of them must differ.
    pub(super) fn bind(&mut self, decls: &[Decl]) -> Checked<(Vec<Bound>, Formula, Vec<Type>)> {
        let (mut bounds, mut differ, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for decl in decls {
            let bound = match &decl.bound.kind {
                Kind::Unary(Unary::OneOf, inner) => inner,
                Kind::Unary(Unary::SetOf | Unary::LoneOf | Unary::SomeOf, _)
                | Kind::Binary(Binary::SeqArrow, ..) => {
                    return self.fail(
                        Diagnostic::error(&UNSUPPORTED, "a variable over sets is of higher order")
                            .at(decl.bound.span, "ranges over sets, not over atoms")
                            .help("let it range over atoms, and say the rest by a comprehension"),
                    );
                }
                _ => &decl.bound,
            };
            let (set, ty) = self.set(bound)?;
            if columns(&ty) != 1 {
                let message =
                    format!("a variable ranges over atoms, this has {} columns", columns(&ty));
                return self.fail(
                    Diagnostic::error(&ARITY, message)
                        .at(bound.span, "")
                        .help("use one variable for each column"),
                );
            }
            let mut group: Vec<VariableId> = Vec::new();
            for name in &decl.names {
                let variable = self.fresh(&name.text);
                if decl.disj {
                    for other in &group {
                        let (a, b) = (Set::Variable(*other), Set::Variable(variable));
                        let equal = Formula::Equal(Box::new(a), Box::new(b), name.span);
                        differ.push(equal.negated());
                    }
                }
                group.push(variable);
                bounds.push((variable, set.clone()));
                types.push(ty.clone());
                self.locals
                    .push((name.text.clone(), Value::Set(Set::Variable(variable), ty.clone())));
            }
        }
        Ok((bounds, Formula::and(differ), types))
    }

    pub(super) fn quantified(
        &mut self,
        quantifier: Quantifier,
        decls: &[Decl],
        body: &Expr,
        span: Span,
    ) -> Checked<Value> {
        let depth = self.locals.len();
        let value = self.bound_value(quantifier, decls, body, span);
        self.locals.truncate(depth);
        value
    }

    fn bound_value(
        &mut self,
        quantifier: Quantifier,
        decls: &[Decl],
        body: &Expr,
        span: Span,
    ) -> Checked<Value> {
        let (bounds, differ, types) = self.bind(decls)?;
        if quantifier == Quantifier::Sum {
            let mut number = self.number(body)?;
            for (variable, set) in bounds.into_iter().rev() {
                number = Number::Sum(variable, Box::new(set), Box::new(number));
            }
            return Ok(Value::Number(number));
        }
        let body = self.formula(body)?;
        let some = |bounds: Vec<Bound>, mut formula: Formula| {
            for (variable, set) in bounds.into_iter().rev() {
                formula = Formula::Some(variable, Box::new(set), Box::new(formula), span);
            }
            formula
        };
        Ok(match quantifier {
            Quantifier::All => {
                let is_free = differ == Formula::Constant(true);
                let mut formula = if is_free { body } else { Formula::implies(differ, body) };
                for (variable, set) in bounds.into_iter().rev() {
                    formula = Formula::All(variable, Box::new(set), Box::new(formula), span);
                }
                Value::Formula(formula)
            }
            Quantifier::Some => Value::Formula(some(bounds, Formula::and([differ, body]))),
            Quantifier::No => Value::Formula(some(bounds, Formula::and([differ, body])).negated()),
            Quantifier::One | Quantifier::Lone => {
                let is_one = quantifier == Quantifier::One;
                let mult = if is_one { Mult::One } else { Mult::Lone };
                let holds = Formula::and([differ, body]);
                if holds.is_temporal() {
                    return self.fail(
                        Diagnostic::error(&UNSUPPORTED, "`one` and `lone` count states, not runs")
                            .at(span, "has a temporal operator below")
                            .help("use `some` and `all`"),
                    );
                }
                let set = Set::Comprehension(bounds, Box::new(holds));
                Value::Formula(Formula::Count(mult, Box::new(set), span))
            }
            Quantifier::Comprehension | Quantifier::Sum => {
                let holds = Formula::and([differ, body]);
                if holds.is_temporal() {
                    return self.fail(
                        Diagnostic::error(&UNSUPPORTED, "a set of atoms with a temporal property")
                            .at(span, "has a temporal operator below")
                            .help("use a quantifier over the formula instead"),
                    );
                }
                let ty = types.into_iter().reduce(|a, b| a.product(&b, &self.design));
                let ty = ty.unwrap_or(Type::none(1));
                Value::Set(Set::Comprehension(bounds, Box::new(holds)), ty)
            }
        })
    }
}

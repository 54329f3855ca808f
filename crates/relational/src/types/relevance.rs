//! Whether parts of expressions fit together: arity, arguments and their parameters, and parts that make
//! no difference where they stand (Edwards, Jackson & Torlak, FSE 2004).

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_grammar::tree::{Binary, Expr, Function, Kind, Unary};

use super::INT;
use super::bounding::{Hierarchy, Type};
use super::check::{Checked, Checker, Value};
use crate::codes::{ARITY, IRRELEVANT};

impl Checker<'_> {
    pub(super) fn same_arity(&mut self, a: &Type, b: &Type, span: Span) -> Checked<()> {
        if a.arity == b.arity {
            return Ok(());
        }
        let message = format!("a set of arity {} meets a set of arity {}", a.arity, b.arity);
        self.fail(
            Diagnostic::error(&ARITY, message)
                .at(span, "both sides need the same number of columns")
                .help("join one side with an atom, or make pairs with `->`"),
        )
    }

    pub(super) fn irrelevant(&mut self, words: &str, span: Span) {
        self.report(
            Diagnostic::warning(&IRRELEVANT, words)
                .at(span, "by their types, the two have no member in common")
                .help("correct one of them, or leave this part out"),
        );
    }

    /// Warns about operands of a union that make no difference where it stands.
    pub(super) fn parts_matter(
        &mut self,
        expr: &Expr,
        matters: &dyn Fn(&Type, &dyn Hierarchy) -> bool,
    ) {
        if self.quiet > 0 {
            return;
        }
        let mut union = expr;
        while let Kind::Unary(Unary::Group, inner) = &union.kind {
            union = inner;
        }
        let Kind::Binary(Binary::Union, a, b) = &union.kind else { return };
        for part in [a, b] {
            self.quiet += 1;
            let ty = self.set(part);
            self.quiet -= 1;
            match ty {
                Ok((_, ty)) if !ty.is_empty() && !matters(&ty, &self.design) => {
                    self.report(
                        Diagnostic::warning(&IRRELEVANT, "this part makes no difference here")
                            .at(part.span, "by its type, it has nothing to do with the rest")
                            .help("leave it out, or correct it"),
                    );
                }
                _ => self.parts_matter(part, matters),
            }
        }
    }

    /// The first argument of a call that is not what its parameter is declared as. The parameters are
    /// bound to the arguments, as one may be declared by another.
    pub(super) fn misfit(&mut self, callable: &Function, places: &[Span]) -> Option<Diagnostic> {
        let declared = callable
            .parameters
            .iter()
            .flat_map(|decl| decl.names.iter().map(move |name| (&name.text, &decl.bound)));
        for (number, (parameter, bound)) in declared.enumerate() {
            self.quiet += 1;
            let wanted = self.declared(bound);
            self.quiet -= 1;
            let ty = match &self.locals[number].1 {
                Value::Set(_, ty) => ty.clone(),
                Value::Number(_) => Type::of(INT),
                Value::Formula(_) => continue,
            };
            let Ok(wanted) = wanted else { continue };
            let name = &callable.name.text;
            if let Some(misfit) = self.unfit((name, parameter), &ty, &wanted, places[number]) {
                return Some(misfit);
            }
        }
        None
    }

    /// Why an argument does not fit its parameter, if it does not.
    pub(super) fn unfit(
        &self,
        (name, parameter): (&str, &str),
        given: &Type,
        wanted: &Type,
        place: Span,
    ) -> Option<Diagnostic> {
        let message = format!("this argument of `{name}` does not fit its parameter `{parameter}`");
        let wrong = Diagnostic::error(&ARITY, message);
        if given.arity != wanted.arity {
            let words = format!("has {} columns, not {}", given.arity, wanted.arity);
            return Some(
                wrong.at(place, words).help("give one argument for each parameter, in order"),
            );
        }
        let is_apart = given.intersection(wanted, &self.design).is_empty();
        (is_apart && !given.is_empty() && !wanted.is_empty()).then(|| {
            let words = "by their types, the two have no member in common";
            wrong.at(place, words).help("give something of the type that is declared")
        })
    }
}

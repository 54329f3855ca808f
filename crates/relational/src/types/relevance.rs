//! Whether parts of expressions fit together: arity, arguments and their parameters, and parts that make
//! no difference where they stand (Edwards, Jackson & Torlak, FSE 2004).

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_grammar::tree::{Binary, Expr, Function, Kind};
use quadrille_grammar::types::relevance::{Doubt, Operands, relevant};

use super::check::{Checked, Checker, Value};
use super::core::Formula;
use super::{INT, Type, columns};
use crate::codes::{ARITY, IRRELEVANT};

impl Checker<'_> {
    pub(super) fn same_arity(&mut self, a: &Type, b: &Type, span: Span) -> Checked<()> {
        if columns(a) == columns(b) {
            return Ok(());
        }
        let message = format!("a set of arity {} meets a set of arity {}", columns(a), columns(b));
        self.fail(
            Diagnostic::error(&ARITY, message)
                .at(span, "both sides need the same number of columns")
                .help("join one side with an atom, or make pairs with `->`"),
        )
    }

    /// Keeps the type of a part of what is read.
    pub(super) fn note(&mut self, expr: &Expr, ty: &Type) {
        if self.quiet == 0 {
            self.typed.insert(std::ptr::from_ref(expr), ty.clone());
        }
    }

    fn type_of(&self, expr: &Expr) -> Option<Type> {
        self.typed.get(&std::ptr::from_ref(expr)).cloned()
    }

    /// A whole formula, with doubts about its parts.
    pub(super) fn whole(&mut self, expr: &Expr) -> Checked<Formula> {
        let formula = self.formula(expr);
        self.doubts(expr);
        formula
    }

    /// Warns about the parts of what was read, and forgets their types: a text that is read again is read
    /// with other variables.
    pub(super) fn doubts(&mut self, expr: &Expr) {
        self.doubt(expr, None);
        self.typed.clear();
    }

    /// From the top down: what matters of an expression is all of it, or what is wanted.
    fn doubt(&mut self, expr: &Expr, wanted: Option<&Type>) {
        let own = self.type_of(expr).unwrap_or_default();
        let wanted = wanted.unwrap_or(&own);
        match &expr.kind {
            Kind::Unary(operator, of) => {
                let inner = self.type_of(of).unwrap_or_default();
                let inner = relevant(*operator, &inner, wanted, &self.design);
                self.doubt(of, inner.as_ref());
            }
            Kind::Binary(operator, a, b) => self.doubt_operands(expr, (*operator, a, b), wanted),
            Kind::Else(condition, a, b) => {
                self.doubt(condition, None);
                for part in [a, b] {
                    let inner = self.type_of(part).unwrap_or_default();
                    let inner = inner.intersection(wanted, &self.design);
                    self.doubt(part, inner.has_tuple().then_some(&inner));
                }
            }
            Kind::List(_, parts) | Kind::Block(parts) => {
                parts.iter().for_each(|part| self.doubt(part, None));
            }
            Kind::Quantified(_, decls, body) => {
                decls.iter().for_each(|decl| self.doubt(&decl.bound, None));
                self.doubt(body, None);
            }
            Kind::Let(_, bound, body) => {
                self.doubt(bound, None);
                self.doubt(body, Some(wanted));
            }
            Kind::Name(_) | Kind::Number(_) | Kind::Text(_) | Kind::Builtin(_) => {}
        }
    }

    /// What was no set is a call, or was reported: each argument matters by itself.
    fn doubt_operands(&mut self, expr: &Expr, parts: (Binary, &Expr, &Expr), wanted: &Type) {
        let (operator, a, b) = parts;
        let found = self.type_of(a).zip(self.type_of(b)).and_then(|(left, right)| {
            Operands { left: &left, right: &right, wanted }.relevant(operator, &self.design)
        });
        let Some(((left, right), doubt)) = found else {
            self.doubt(a, None);
            return self.doubt(b, None);
        };
        if let Some(doubt) = doubt {
            let span = match doubt {
                Doubt::LeftIrrelevant => a.span,
                Doubt::RightIrrelevant => b.span,
                _ => expr.span,
            };
            let warning = Diagnostic::warning(&IRRELEVANT, doubt.message());
            self.report(warning.at(span, doubt.label()).help(doubt.help()));
        }
        self.doubt(a, Some(&left));
        self.doubt(b, Some(&right));
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
        if columns(given) != columns(wanted) {
            let words = format!("has {} columns, not {}", columns(given), columns(wanted));
            return Some(
                wrong.at(place, words).help("give one argument for each parameter, in order"),
            );
        }
        let is_apart = !given.meets(wanted, &self.design);
        (is_apart && given.has_tuple() && wanted.has_tuple()).then(|| {
            let words = "by their types, the two have no member in common";
            wrong.at(place, words).help("give something of the type that is declared")
        })
    }
}

//! Quantifiers, calls, and names with several meanings, from the bottom up.

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, Span};

use super::make::{first_error, misplaced};
use super::typed::{Mark, Node, NodeKind, Typed};
use super::types::Type;
use super::world::{FunctionId, TypedDecl, World};
use crate::codes::{ARITY, NAME, TYPE};
use crate::syntax::tree::{Quantifier, Unary};

impl World {
    pub(super) fn quantified(
        &self,
        quantifier: Quantifier,
        decls: Vec<TypedDecl>,
        body: &Typed,
        span: Span,
    ) -> Typed {
        let is_sum = quantifier == Quantifier::Sum;
        let is_set = quantifier == Quantifier::Comprehension;
        let body = if is_sum { self.as_int(body) } else { self.as_formula(body) };
        let mut error = match body.mark {
            Mark::None => None,
            _ => Some(Rc::new(misplaced(&body))),
        };
        let mut ty = match quantifier {
            Quantifier::Sum => Type::integer(),
            Quantifier::Comprehension => Type::EMPTY,
            _ => Type::formula(),
        };
        let mut weight = body.weight;
        for decl in &decls {
            weight += decl.bound.weight;
            error = error.or_else(|| decl.bound.error.clone());
            if decl.bound.error.is_some() {
                continue;
            }
            let refused = match super::typed::multiplicity(&decl.bound) {
                Unary::ExactlyOf => Some("a variable cannot be defined by `=`"),
                _ if !is_sum && !is_set => None,
                _ if !decl.bound.ty.has_arity(1) => {
                    Some("a variable of a comprehension or sum is in a set, not in a relation")
                }
                Unary::SomeOf | Unary::LoneOf => {
                    Some("a variable of a comprehension or sum is one atom")
                }
                Unary::SetOf if decl.bound.mark == Mark::Unary => {
                    Some("a variable of a comprehension or sum is one atom")
                }
                _ => None,
            };
            if let Some(message) = refused {
                let diagnostic = Diagnostic::error(&TYPE, message).at(decl.bound.span, "");
                let help = "name a set of which the variable is one atom";
                error = error.or_else(|| Some(Rc::new(diagnostic.help(help))));
            }
            if is_set {
                let column = decl.bound.ty.extract(1);
                for _ in &decl.vars {
                    let is_first = ty.is_empty();
                    let all = if is_first { column.clone() } else { ty.product(&column, self) };
                    ty = all.into();
                }
            }
        }
        let error = error.or_else(|| body.error.clone());
        let kind = NodeKind::Quantified(quantifier, decls, body);
        Rc::new(Node { kind, ty, mark: Mark::None, weight, span, error })
    }

    /// A call with all its arguments.
    pub(super) fn call(
        &self,
        function: FunctionId,
        arguments: &[Typed],
        extra: u64,
        span: Span,
    ) -> Typed {
        let called = self.function(function);
        let mut error = None;
        let mut kept = Vec::new();
        let mut weight = extra;
        for (argument, parameter) in arguments.iter().zip(&called.parameters) {
            let argument = self.as_set(argument);
            error = error.or_else(|| argument.error.clone());
            weight += argument.weight;
            let arity = self.var(*parameter).ty.arity();
            if argument.mark != Mark::None {
                error = error.or_else(|| Some(Rc::new(misplaced(&argument))));
            }
            if let Some(arity) = arity
                && argument.error.is_none()
                && !argument.ty.has_arity(arity)
            {
                let found = self.type_text(&argument.ty);
                let message = format!("this argument needs {arity} columns, and is {found}");
                let help = format!("look at the parameters of `{}`", called.name);
                let diagnostic = Diagnostic::error(&ARITY, message).at(argument.span, "");
                error = error.or_else(|| Some(Rc::new(diagnostic.help(help))));
            }
            kept.push(argument);
        }
        let ty = match &called.result {
            Some(result) if !called.is_pred && error.is_none() => {
                let env = called.parameters.iter().zip(&kept).map(|(parameter, argument)| {
                    let arity = self.var(*parameter).ty.arity().unwrap_or(0);
                    (*parameter, Type::from(argument.ty.extract(arity)))
                });
                let deduced = self.deduce(result, &mut env.collect());
                match deduced {
                    Some(ty) if !ty.is_int() && !ty.is_bool && ty.arity() == result.ty.arity() => {
                        ty
                    }
                    _ => result.ty.clone(),
                }
            }
            _ => Type::formula(),
        };
        let kind = NodeKind::Call(function, kept, extra);
        Rc::new(Node { kind, ty, mark: Mark::None, weight, span, error })
    }

    /// A call that waits for arguments, or got some that do not fit.
    pub(super) fn bad_call(
        &self,
        function: FunctionId,
        arguments: Vec<Typed>,
        extra: u64,
        span: Span,
    ) -> Typed {
        let called = self.function(function);
        let n = called.parameters.len();
        let message = if arguments.len() < n {
            format!("`{}` has {n} parameters, and got {}", called.name, arguments.len())
        } else {
            let given: Vec<String> = arguments.iter().map(|it| self.type_text(&it.ty)).collect();
            format!("`{}` cannot be called with {}", called.name, given.join(", "))
        };
        let error = Diagnostic::error(&NAME, message)
            .at(span, "")
            .at(called.span, "declared here")
            .help("arguments stand in brackets, `p[x, y]`");
        let error = first_error(&arguments).or_else(|| Some(Rc::new(error)));
        let weight = extra + arguments.iter().map(|it| it.weight).sum::<u64>();
        let kind = NodeKind::BadCall(function, arguments, extra);
        Rc::new(Node { kind, ty: Type::EMPTY, mark: Mark::None, weight, span, error })
    }

    /// Several meanings, or the only one.
    pub(super) fn choice(&self, choices: Vec<(Typed, String)>, span: Span) -> Typed {
        if let [(only, _)] = &choices[..]
            && only.error.is_none()
        {
            return only.clone();
        }
        let mut ty = Type::EMPTY;
        let mut weight = None;
        for (choice, _) in &choices {
            ty = self.merge(&choice.ty, &ty);
            if !choice.ty.is_nothing() {
                weight = Some(weight.unwrap_or(choice.weight).min(choice.weight));
            }
        }
        let error = match ty.is_nothing() {
            false => None,
            true if choices.len() == 1 => choices[0].0.error.clone(),
            true => {
                let message = "no meaning of this name fits here";
                let mut error = Diagnostic::error(&NAME, message).at(span, "");
                for (choice, reason) in choices.iter().take(6) {
                    let why = choice.error.as_ref().map_or("", |error| &error.message);
                    error = error.note(format!("{reason}: {why}"));
                }
                Some(Rc::new(error.help("look at the arguments and their columns")))
            }
        };
        let (kind, weight) = (NodeKind::Choice(choices), weight.unwrap_or(0));
        Rc::new(Node { kind, ty, mark: Mark::None, weight, span, error })
    }
}

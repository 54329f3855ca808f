//! Expressions from the top down: of several meanings the one that matters to what is around, and
//! warnings about parts that do not matter.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_grammar::types::relevance::{Doubt, Operands, relevant};

use super::make::{bad, is_comparison, is_integer, leaf};
use super::typed::{NodeKind, Typed, is_same, mentions};
use super::types::Type;
use super::world::{SigId, TypedDecl, VarId, World};
use crate::codes::{AMBIGUOUS, IRRELEVANT, UNUSED};
use crate::syntax::tree::{Binary, Quantifier, Unary};

/// Where warnings go, if anywhere.
pub(super) type Warnings<'a> = Option<&'a mut Vec<Diagnostic>>;

fn warn(warnings: &mut Warnings<'_>, doubt: Doubt, span: Span) {
    if let Some(warnings) = warnings {
        let warning = Diagnostic::warning(&IRRELEVANT, doubt.message());
        warnings.push(warning.at(span, doubt.label()).help(doubt.help()));
    }
}

impl World {
    pub(super) fn resolve_formula(&self, node: &Typed, mut warnings: Warnings<'_>) -> Typed {
        let node = self.as_formula(node);
        self.as_formula(&self.resolve(&node, &Type::formula(), &mut warnings))
    }

    pub(super) fn resolve_int(&self, node: &Typed, mut warnings: Warnings<'_>) -> Typed {
        let node = self.as_int(node);
        self.as_int(&self.resolve(&node, &Type::integer(), &mut warnings))
    }

    pub(super) fn resolve_set(&self, node: &Typed, mut warnings: Warnings<'_>) -> Typed {
        let node = self.as_set(node);
        self.as_set(&self.resolve(&node, &node.ty.as_set(), &mut warnings))
    }

    /// The meaning of an expression of which the tuples of a type matter.
    pub(super) fn resolve(&self, node: &Typed, p: &Type, warnings: &mut Warnings<'_>) -> Typed {
        if node.error.is_some() {
            return node.clone();
        }
        match &node.kind {
            NodeKind::Unary(operator, of) => self.resolve_unary(node, *operator, of, p, warnings),
            NodeKind::Binary(operator, a, b) => {
                let (p, q) = self.operands(*operator, node, p, warnings);
                let (left, right) = (self.resolve(a, &p, warnings), self.resolve(b, &q, warnings));
                self.binary(*operator, &left, &right, node.span)
            }
            NodeKind::Else(c, a, b) => {
                let (mut x, mut y) = (p.clone(), p.clone());
                if !p.is_empty() {
                    x = a.ty.intersection(p, self).into();
                    y = b.ty.intersection(p, self).into();
                    if p.is_bool {
                        (x, y) = (x.as_bool(), y.as_bool());
                    }
                }
                let c = self.resolve(c, &Type::formula(), warnings);
                let (a, b) = (self.resolve(a, &x, warnings), self.resolve(b, &y, warnings));
                self.otherwise(&c, &a, &b, node.span)
            }
            NodeKind::List(operator, arguments) => {
                let mut common = Type::EMPTY;
                for argument in arguments {
                    common = match common.is_empty() {
                        true => argument.ty.clone(),
                        false => common.union_with_common_arity(&argument.ty, self).into(),
                    };
                }
                let is_disj = *operator == crate::syntax::tree::ListOp::Disj;
                let resolve = |argument: &Typed, warnings: &mut Warnings<'_>| {
                    let p = if is_disj { &common } else { &argument.ty };
                    self.resolve(argument, p, warnings)
                };
                let arguments: Vec<Typed> =
                    arguments.iter().map(|argument| resolve(argument, warnings)).collect();
                self.list(*operator, &arguments, node.span)
            }
            NodeKind::Block(formulas) => {
                let formula = Type::formula();
                let formulas: Vec<Typed> =
                    formulas.iter().map(|it| self.resolve(it, &formula, warnings)).collect();
                self.block(&formulas, node.span)
            }
            NodeKind::Quantified(quantifier, decls, body) => {
                if *quantifier != Quantifier::Comprehension {
                    self.unused(decls, body, warnings);
                }
                node.clone()
            }
            NodeKind::Let(var, value, body) => {
                let body = self.resolve(body, p, warnings);
                self.let_(*var, value, &body, node.span)
            }
            NodeKind::Call(function, arguments, extra) => {
                let parameters = &self.function(*function).parameters;
                let resolved = arguments.iter().zip(parameters).map(|(argument, parameter)| {
                    let ty = self.var(*parameter).ty.clone();
                    self.as_set(&self.resolve(argument, &ty, warnings))
                });
                let resolved: Vec<Typed> = resolved.collect();
                self.call(*function, &resolved, *extra, node.span)
            }
            NodeKind::Choice(choices) => self.choose(choices, p, node.span, warnings, true),
            _ => node.clone(),
        }
    }

    pub(super) fn let_(&self, var: VarId, value: &Typed, body: &Typed, span: Span) -> Typed {
        let mut node = (**body).clone();
        node.error = value.error.clone().or(node.error);
        node.kind = NodeKind::Let(var, value.clone(), body.clone());
        node.span = span;
        std::rc::Rc::new(node)
    }

    fn unused(&self, decls: &[TypedDecl], body: &Typed, warnings: &mut Warnings<'_>) {
        for (at, decl) in decls.iter().enumerate() {
            for &var in &decl.vars {
                let later = decls[at + 1..].iter().any(|decl| mentions(&decl.bound, var));
                if !later && !mentions(body, var) {
                    let Some(warnings) = warnings else { return };
                    let message = format!("the variable `{}` is not used", self.var(var).name);
                    let warning = Diagnostic::warning(&UNUSED, message).at(decl.bound.span, "");
                    warnings.push(warning.help("remove it, or say something about it"));
                }
            }
        }
    }

    fn resolve_unary(
        &self,
        node: &Typed,
        operator: Unary,
        of: &Typed,
        p: &Type,
        warnings: &mut Warnings<'_>,
    ) -> Typed {
        let inner = match operator {
            Unary::Not
            | Unary::After
            | Unary::Always
            | Unary::Eventually
            | Unary::Before
            | Unary::Historically
            | Unary::Once => Type::formula(),
            Unary::ToSet => Type::integer(),
            Unary::ToInt => of.ty.intersection(&Type::of(SigId::INT), self).into(),
            // A formula, or a number, may stand in parentheses.
            Unary::Group | Unary::Prime => p.clone(),
            _ => relevant(operator, &of.ty, p, self).map_or_else(|| p.clone(), Type::from),
        };
        let extra = node.weight - of.weight;
        let resolved = self.resolve(of, &inner, warnings);
        if std::rc::Rc::ptr_eq(&resolved, of) {
            return node.clone();
        }
        self.unary_weighing(operator, &resolved, node.span, extra)
    }

    /// Which tuples of the two operands matter.
    fn operands(
        &self,
        operator: Binary,
        node: &Typed,
        p: &Type,
        warnings: &mut Warnings<'_>,
    ) -> (Type, Type) {
        let NodeKind::Binary(_, left, right) = &node.kind else { return (p.clone(), p.clone()) };
        if is_integer(operator) || is_comparison(operator) {
            return (Type::integer(), Type::integer());
        }
        let operands = Operands { left: &left.ty, right: &right.ty, wanted: p };
        let Some(((a, b), doubt)) = operands.relevant(operator, self) else {
            return (Type::formula(), Type::formula());
        };
        let is_equation = matches!(operator, Binary::Equals | Binary::NotEquals);
        match doubt {
            Some(Doubt::LeftIrrelevant) => warn(warnings, Doubt::LeftIrrelevant, left.span),
            Some(Doubt::RightIrrelevant) => warn(warnings, Doubt::RightIrrelevant, right.span),
            Some(doubt) => warn(warnings, doubt, node.span),
            None if is_equation && is_same(left, right) => warn(warnings, Doubt::Same, node.span),
            None => {}
        }
        (a.into(), b.into())
    }

    /// The one of several meanings that matters.
    fn choose(
        &self,
        choices: &[(Typed, String)],
        p: &Type,
        span: Span,
        warnings: &mut Warnings<'_>,
        is_first: bool,
    ) -> Typed {
        let fits = |ty: &Type| (p.is_bool && ty.is_bool) || p.meets(ty, self);
        let mut left: Vec<&(Typed, String)> =
            choices.iter().filter(|(node, _)| fits(&node.ty)).collect();
        if left.is_empty() {
            left = choices.iter().filter(|(node, _)| node.ty.has_common_arity(p)).collect();
        }
        if left.len() > 1 {
            let least = left.iter().map(|(node, _)| node.weight).min().unwrap_or(0);
            left.retain(|(node, _)| node.weight == least);
            if is_first && left.len() > 1 {
                let resolve = |(node, reason): &(Typed, String)| {
                    (self.resolve(node, p, &mut None), reason.clone())
                };
                let resolved: Vec<(Typed, String)> = left.into_iter().map(resolve).collect();
                return self.choose(&resolved, p, span, warnings, false);
            }
        }
        if let [(only, _)] = left[..] {
            return self.resolve(only, p, warnings);
        }
        // Several meanings that are all empty are one.
        if let Some((first, _)) = left.first() {
            let arity = first.ty.arity();
            let n_columns = arity.unwrap_or(0);
            let is_empty =
                |node: &Typed| !node.ty.is_bool && !node.ty.has_tuple() && node.ty.arity() == arity;
            if n_columns > 0 && left.iter().all(|(node, _)| is_empty(node)) {
                let none = leaf(NodeKind::Sig(SigId::NONE), Type::of(SigId::NONE), span);
                let arrow =
                    Binary::Arrow(crate::syntax::tree::Mult::Set, crate::syntax::tree::Mult::Set);
                let more = (1..n_columns)
                    .fold(none.clone(), |all, _| self.binary(arrow, &all, &none, span));
                return more;
            }
        }
        let (message, shown) = match left.is_empty() {
            true => ("no meaning of this name matters here", choices.iter().collect()),
            false => ("this name has several meanings here", left),
        };
        let mut error = Diagnostic::error(&AMBIGUOUS, message).at(span, "");
        for (_, reason) in &shown {
            error = error.note(reason.clone());
        }
        bad(
            span,
            error.help("write the path of the module before it, or restrict it by `S <: name`"),
        )
    }
}

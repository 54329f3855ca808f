//! Expressions with types: what names mean, possibly still several things.

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, Span};

use super::types::Type;
use super::world::{FieldId, FunctionId, SigId, TypedDecl, VarId};
use crate::syntax::tree::{Binary, Builtin, Expr, ListOp, Quantifier, Unary};

/// An expression with its type.
pub(crate) type Typed = Rc<Node>;

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) ty: Type,
    /// Whether it is a multiplicity and not a value.
    pub(crate) mark: Mark,
    /// How far-fetched it is: of several meanings the lightest is taken.
    pub(crate) weight: u64,
    pub(crate) span: Span,
    pub(crate) error: Option<Rc<Diagnostic>>,
}

/// Kinds of multiplicities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    None,
    /// `one e`.
    Unary,
    /// `a one -> one b`.
    Arrow,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    Number(i64),
    Text(String),
    Builtin(Builtin),
    Iden,
    Sig(SigId),
    Field(FieldId),
    Var(VarId),
    Unary(Unary, Typed),
    Binary(Binary, Typed, Typed),
    Else(Typed, Typed, Typed),
    List(ListOp, Vec<Typed>),
    Block(Vec<Typed>),
    Quantified(Quantifier, Vec<TypedDecl>, Typed),
    Let(VarId, Typed, Typed),
    /// A call; the number is what makes it far-fetched.
    Call(FunctionId, Vec<Typed>, u64),
    /// A call that lacks arguments, or whose arguments do not fit.
    BadCall(FunctionId, Vec<Typed>, u64),
    /// A join of what cannot be joined.
    BadJoin(Typed, Typed),
    /// Several meanings with where they come from.
    Choice(Vec<(Typed, String)>),
    /// A macro that lacks arguments.
    Macro(Rc<MacroUse>),
    /// What was reported.
    Bad,
}

/// A macro and the arguments it got.
#[derive(Clone, Debug)]
pub(crate) struct MacroUse {
    pub(crate) module: usize,
    pub(crate) parameters: Vec<String>,
    pub(crate) body: Rc<Expr>,
    pub(crate) arguments: Vec<Typed>,
}

/// Without braces around it.
pub(crate) fn bare(node: &Typed) -> &Typed {
    match &node.kind {
        NodeKind::Unary(Unary::Group, of) => bare(of),
        _ => node,
    }
}

/// How many a bound says that there are.
pub(crate) fn multiplicity(node: &Typed) -> Unary {
    match &bare(node).kind {
        NodeKind::Unary(
            operator @ (Unary::OneOf | Unary::LoneOf | Unary::SomeOf | Unary::ExactlyOf),
            _,
        ) => *operator,
        _ => Unary::SetOf,
    }
}

/// Whether two expressions are the same as far as that can be seen.
pub(crate) fn is_same(a: &Typed, b: &Typed) -> bool {
    let (a, b) = (bare(a), bare(b));
    if Rc::ptr_eq(a, b) {
        return true;
    }
    match (&a.kind, &b.kind) {
        (NodeKind::Sig(a), NodeKind::Sig(b)) => a == b,
        (NodeKind::Field(a), NodeKind::Field(b)) => a == b,
        (NodeKind::Var(a), NodeKind::Var(b)) => a == b,
        (NodeKind::Number(a), NodeKind::Number(b)) => a == b,
        (NodeKind::Unary(o, a), NodeKind::Unary(p, b)) => o == p && is_same(a, b),
        (NodeKind::Binary(o, a, c), NodeKind::Binary(p, b, d)) => {
            o == p && is_same(a, b) && is_same(c, d)
        }
        _ => false,
    }
}

/// The expressions that one is made of.
pub(crate) fn children(node: &Typed) -> Vec<&Typed> {
    match &node.kind {
        NodeKind::Unary(_, of) => vec![of],
        NodeKind::Binary(_, a, b) | NodeKind::BadJoin(a, b) | NodeKind::Let(_, a, b) => vec![a, b],
        NodeKind::Else(a, b, c) => vec![a, b, c],
        NodeKind::List(_, all)
        | NodeKind::Block(all)
        | NodeKind::Call(_, all, _)
        | NodeKind::BadCall(_, all, _) => all.iter().collect(),
        NodeKind::Quantified(_, decls, body) => {
            decls.iter().map(|decl| &decl.bound).chain([body]).collect()
        }
        NodeKind::Choice(all) => all.iter().map(|(node, _)| node).collect(),
        NodeKind::Macro(found) => found.arguments.iter().collect(),
        NodeKind::Var(_)
        | NodeKind::Number(_)
        | NodeKind::Text(_)
        | NodeKind::Builtin(_)
        | NodeKind::Iden
        | NodeKind::Sig(_)
        | NodeKind::Field(_)
        | NodeKind::Bad => Vec::new(),
    }
}

/// Whether a variable occurs.
pub(crate) fn mentions(node: &Typed, var: VarId) -> bool {
    matches!(node.kind, NodeKind::Var(id) if id == var)
        || children(node).into_iter().any(|child| mentions(child, var))
}

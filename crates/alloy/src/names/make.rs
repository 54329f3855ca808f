//! Expressions from the bottom up: what operators make of the types of their operands.

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_grammar::types::RelationType;

use super::typed::{Mark, Node, NodeKind, Typed, bare};
use super::types::Type;
use super::world::{SigId, World};
use crate::codes::{ARITY, MULTIPLICITY, TYPE};
use crate::syntax::tree::{Binary, ListOp, Mult, Unary};

pub(super) fn first_error<'n>(
    nodes: impl IntoIterator<Item = &'n Typed>,
) -> Option<Rc<Diagnostic>> {
    nodes.into_iter().find_map(|node| node.error.clone())
}

/// An expression without anything in it.
pub(super) fn leaf(kind: NodeKind, ty: Type, span: Span) -> Typed {
    Rc::new(Node { kind, ty, mark: Mark::None, weight: 0, span, error: None })
}

/// What was reported as a mistake.
pub(super) fn bad(span: Span, error: Diagnostic) -> Typed {
    let node = Node {
        kind: NodeKind::Bad,
        ty: Type::EMPTY,
        mark: Mark::None,
        weight: 0,
        span,
        error: Some(Rc::new(error)),
    };
    Rc::new(node)
}

fn with_error(node: &Typed, error: Diagnostic) -> Typed {
    let mut node = Node::clone(node);
    node.error = Some(Rc::new(error));
    Rc::new(node)
}

pub(super) fn misplaced(node: &Typed) -> Diagnostic {
    Diagnostic::error(&MULTIPLICITY, "a multiplicity is not allowed here")
        .at(node.span, "")
        .help("multiplicities stand in declarations and to the right of `in`")
}

impl World {
    pub(super) fn as_formula(&self, node: &Typed) -> Typed {
        if node.error.is_some() || node.ty.is_bool {
            return node.clone();
        }
        let message = format!("this is {} and not a formula", self.type_text(&node.ty));
        let help = "compare it, or ask for `some`, `no`, `one` or `lone` of it";
        with_error(node, Diagnostic::error(&TYPE, message).at(node.span, "").help(help))
    }

    pub(super) fn as_int(&self, node: &Typed) -> Typed {
        if node.error.is_some() || node.ty.is_small_int() {
            return node.clone();
        }
        if node.ty.is_int() {
            return self.unary(Unary::ToInt, node, node.span);
        }
        let message = format!("this is {} and not an integer", self.type_text(&node.ty));
        let help = "`#e` counts the tuples of a set or relation";
        with_error(node, Diagnostic::error(&TYPE, message).at(node.span, "").help(help))
    }

    pub(super) fn as_set(&self, node: &Typed) -> Typed {
        if node.error.is_some() {
            return node.clone();
        }
        if node.ty.is_small_int() {
            return self.unary(Unary::ToSet, node, node.span);
        }
        if !node.ty.is_empty() {
            return node.clone();
        }
        let message = format!("this is {} and not a set or relation", self.type_text(&node.ty));
        let help = "use a set or relation here";
        with_error(node, Diagnostic::error(&TYPE, message).at(node.span, "").help(help))
    }

    pub(super) fn unary(&self, operator: Unary, of: &Typed, span: Span) -> Typed {
        self.unary_weighing(operator, of, span, 0)
    }

    pub(super) fn unary_weighing(
        &self,
        operator: Unary,
        of: &Typed,
        span: Span,
        weight: u64,
    ) -> Typed {
        let mut error = of.error.clone();
        if of.mark != Mark::None {
            if operator == Unary::SetOf {
                return of.clone();
            }
            if operator != Unary::Group && error.is_none() {
                error = Some(Rc::new(misplaced(of)));
            }
        }
        let inner = |wanted: Unary| match &of.kind {
            NodeKind::Unary(operator, _) => *operator == wanted,
            _ => false,
        };
        let of = match operator {
            Unary::Group => of.clone(),
            Unary::Not
            | Unary::After
            | Unary::Always
            | Unary::Eventually
            | Unary::Before
            | Unary::Historically
            | Unary::Once => self.as_formula(of),
            Unary::ToSet if inner(Unary::ToSet) => return of.clone(),
            Unary::ToSet => self.as_int(of),
            Unary::ToInt if inner(Unary::ToInt) => return of.clone(),
            Unary::ToInt => match &of.kind {
                NodeKind::Unary(Unary::ToSet, number) => return number.clone(),
                _ => self.as_set(of),
            },
            _ => self.as_set(of),
        };
        error = error.or_else(|| of.error.clone());
        let mut ty = of.ty.clone();
        if of.error.is_none() {
            let mut refused = None;
            (ty, refused) = match self.unary_type(operator, &of) {
                Ok(ty) => (ty, refused),
                Err(diagnostic) => {
                    refused = Some(Rc::new(diagnostic));
                    (Type::EMPTY, refused)
                }
            };
            error = error.or(refused);
        }
        let mark = match operator {
            Unary::SetOf | Unary::LoneOf | Unary::OneOf | Unary::SomeOf | Unary::ExactlyOf => {
                Mark::Unary
            }
            _ => Mark::None,
        };
        let weight = of.weight + weight;
        Rc::new(Node { kind: NodeKind::Unary(operator, of), ty, mark, weight, span, error })
    }

    fn unary_type(&self, operator: Unary, of: &Typed) -> Result<Type, Diagnostic> {
        let needs = |ty: Type, what: &str| {
            if !ty.is_empty() {
                return Ok(ty);
            }
            let message = format!("this is {}, and not {what}", self.type_text(&of.ty));
            let help = "look at the number of columns of each part";
            Err(Diagnostic::error(&ARITY, message).at(of.span, "").help(help))
        };
        match operator {
            Unary::SetOf | Unary::ExactlyOf => needs(of.ty.as_set(), "a set or relation"),
            Unary::SomeOf | Unary::LoneOf | Unary::OneOf => needs(of.ty.extract(1).into(), "a set"),
            Unary::Not
            | Unary::No
            | Unary::Some
            | Unary::Lone
            | Unary::One
            | Unary::After
            | Unary::Always
            | Unary::Eventually
            | Unary::Before
            | Unary::Historically
            | Unary::Once => Ok(Type::formula()),
            Unary::Transpose => needs(of.ty.transpose().into(), "a binary relation"),
            Unary::Closure => needs(of.ty.closure(self).into(), "a binary relation"),
            Unary::ReflexiveClosure => {
                needs(of.ty.extract(2).into(), "a binary relation")?;
                Ok(RelationType::product_of(vec![SigId::UNIV, SigId::UNIV]).into())
            }
            Unary::Cardinality => Ok(Type::integer()),
            Unary::ToInt => needs(of.ty.extract(1).into(), "a set").map(|_| Type::integer()),
            Unary::ToSet => Ok(Type::of(SigId::INT)),
            Unary::Prime | Unary::Group => Ok(of.ty.clone()),
        }
    }

    pub(super) fn binary(&self, operator: Binary, a: &Typed, b: &Typed, span: Span) -> Typed {
        use Binary as B;
        if let (B::Domain, NodeKind::Sig(sig), NodeKind::Field(field)) =
            (operator, &bare(a).kind, &bare(b).kind)
            && self.field(*field).sig == *sig
        {
            return b.clone();
        }
        let (a, b) = match operator {
            _ if is_integer(operator) || is_comparison(operator) => {
                (self.as_int(a), self.as_int(b))
            }
            B::Iff
            | B::Implies
            | B::And
            | B::Or
            | B::Until
            | B::Releases
            | B::Since
            | B::Triggered => (self.as_formula(a), self.as_formula(b)),
            B::Union | B::Difference | B::Equals | B::NotEquals => (a.clone(), b.clone()),
            _ => (self.as_set(a), self.as_set(b)),
        };
        let mut error = first_error([&a, &b]);
        let mut ty = Type::EMPTY;
        if error.is_none() {
            match self.binary_type(operator, &a, &b, span) {
                Ok(found) => ty = found,
                Err(diagnostic) => {
                    error = Some(Rc::new(diagnostic));
                    if operator == B::Join {
                        let kind = NodeKind::BadJoin(a, b);
                        let (mark, weight) = (Mark::None, 0);
                        return Rc::new(Node { kind, ty, mark, weight, span, error });
                    }
                }
            }
        }
        let is_arrow = matches!(operator, B::Arrow(..) | B::SeqArrow);
        let allows = |node: &Typed, is_right: bool| match node.mark {
            Mark::None => true,
            Mark::Unary => !is_arrow && is_right && operator == B::In,
            Mark::Arrow => is_arrow || (is_right && operator == B::In),
        };
        // Alloy lets a multiplicity stand to the right of `in` only.
        if error.is_none() && !allows(&a, false) {
            error = Some(Rc::new(misplaced(&a)));
        }
        if error.is_none() && !allows(&b, true) {
            error = Some(Rc::new(misplaced(&b)));
        }
        let marked = operator != B::Arrow(Mult::Set, Mult::Set)
            || a.mark == Mark::Arrow
            || b.mark == Mark::Arrow;
        let mark = if is_arrow && marked { Mark::Arrow } else { Mark::None };
        let weight = a.weight + b.weight;
        Rc::new(Node { kind: NodeKind::Binary(operator, a, b), ty, mark, weight, span, error })
    }

    fn binary_type(
        &self,
        operator: Binary,
        a: &Typed,
        b: &Typed,
        span: Span,
    ) -> Result<Type, Diagnostic> {
        use Binary as B;
        let refuse = |what: &str| {
            let message = format!("{what}: left is {}, right is {}", self.type_text(&a.ty), {
                self.type_text(&b.ty)
            });
            let help = "look at the number of columns of each side";
            Diagnostic::error(&ARITY, message).at(span, "").help(help)
        };
        let same = "both sides need the same number of columns";
        if matches!(operator, B::Equals | B::NotEquals | B::In | B::NotIn) {
            return match a.ty.has_common_arity(&b.ty) {
                true => Ok(Type::formula()),
                false => Err(refuse(same)),
            };
        }
        let Some(ty) = a.ty.relation.of_operator(operator, &b.ty, self) else {
            return Ok(if is_integer(operator) { Type::integer() } else { Type::formula() });
        };
        let what = match operator {
            B::Join => "these cannot be joined",
            B::Domain => "the left of `<:` is a set",
            B::Range => "the right of `:>` is a set",
            B::Arrow(..) | B::SeqArrow => return Ok(ty.into()),
            _ => same,
        };
        if ty.is_empty() { Err(refuse(what)) } else { Ok(ty.into()) }
    }

    pub(super) fn otherwise(&self, c: &Typed, a: &Typed, b: &Typed, span: Span) -> Typed {
        let mut error = None;
        for part in [c, a, b] {
            if part.mark != Mark::None {
                error = error.or_else(|| Some(Rc::new(misplaced(part))));
            }
        }
        let mut ty = Type::EMPTY;
        if a.error.is_none() && b.error.is_none() {
            ty = a.ty.union_with_common_arity(&b.ty, self).into();
            if a.ty.is_bool && b.ty.is_bool {
                ty = ty.as_bool();
            }
            if ty.is_nothing() {
                let message = format!(
                    "what stands before and behind `else` does not match: {} and {}",
                    self.type_text(&a.ty),
                    self.type_text(&b.ty)
                );
                let help = "give both the same kind and number of columns";
                let diagnostic = Diagnostic::error(&TYPE, message).at(span, "").help(help);
                error = error.or_else(|| Some(Rc::new(diagnostic)));
            }
        }
        let c = self.as_formula(c);
        let error = error.or_else(|| first_error([&c, a, b]));
        let weight = c.weight + a.weight + b.weight;
        let kind = NodeKind::Else(c, a.clone(), b.clone());
        Rc::new(Node { kind, ty, mark: Mark::None, weight, span, error })
    }

    /// Formulas one after the other.
    pub(super) fn block(&self, formulas: &[Typed], span: Span) -> Typed {
        let formulas: Vec<Typed> = formulas.iter().map(|part| self.as_formula(part)).collect();
        let error = first_error(&formulas);
        let weight = formulas.iter().map(|part| part.weight).sum();
        let (kind, ty) = (NodeKind::Block(formulas), Type::formula());
        Rc::new(Node { kind, ty, mark: Mark::None, weight, span, error })
    }

    pub(super) fn list(&self, operator: ListOp, arguments: &[Typed], span: Span) -> Typed {
        let arguments: Vec<Typed> = arguments.iter().map(|part| self.as_set(part)).collect();
        let mut error = first_error(&arguments);
        let mut common: Option<Type> = None;
        if error.is_none() {
            for argument in &arguments {
                let refused = match (&common, operator) {
                    _ if argument.mark != Mark::None => Some(misplaced(argument)),
                    (Some(before), ListOp::Disj) if !before.has_common_arity(&argument.ty) => {
                        let help = "look at the number of columns of each";
                        let message = "`disj` needs arguments with the same number of columns";
                        Some(Diagnostic::error(&ARITY, message).at(argument.span, "").help(help))
                    }
                    _ => None,
                };
                error = error.or(refused.map(Rc::new));
                common = Some(match common {
                    Some(before) => before.union_with_common_arity(&argument.ty, self).into(),
                    None => argument.ty.clone(),
                });
            }
            let fits = operator != ListOp::TotalOrder
                || (arguments.len() == 3
                    && arguments[0].ty.has_arity(1)
                    && arguments[1].ty.has_arity(1)
                    && arguments[2].ty.has_arity(2));
            if error.is_none() && !fits {
                let message = "`pred/totalOrder` needs two sets and a binary relation";
                let help = "write `pred/totalOrder[elements, first, next]`";
                error = Some(Rc::new(Diagnostic::error(&ARITY, message).at(span, "").help(help)));
            }
        }
        let weight = arguments.iter().map(|part| part.weight).sum();
        let (kind, ty) = (NodeKind::List(operator, arguments), Type::formula());
        Rc::new(Node { kind, ty, mark: Mark::None, weight, span, error })
    }
}

pub(super) fn is_integer(operator: Binary) -> bool {
    use Binary as B;
    matches!(
        operator,
        B::IntPlus
            | B::IntMinus
            | B::Mul
            | B::Div
            | B::Rem
            | B::ShiftLeft
            | B::ShiftRight
            | B::ShiftRightUnsigned
    )
}

pub(super) fn is_comparison(operator: Binary) -> bool {
    use Binary as B;
    matches!(
        operator,
        B::Less
            | B::LessEqual
            | B::Greater
            | B::GreaterEqual
            | B::NotLess
            | B::NotLessEqual
            | B::NotGreater
            | B::NotGreaterEqual
    )
}

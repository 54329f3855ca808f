//! Expressions from the bottom up: what operators make of the types of their operands.

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, Span};

use super::typed::{Mark, Node, NodeKind, Typed, bare};
use super::types::Type;
use super::world::{FunctionId, SigId, TypedDecl, World};
use crate::codes::{ARITY, MULTIPLICITY, NAME, TYPE};
use crate::syntax::tree::{Binary, ListOp, Mult, Quantifier, Unary};

fn first_error<'n>(nodes: impl IntoIterator<Item = &'n Typed>) -> Option<Rc<Diagnostic>> {
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

fn misplaced(node: &Typed) -> Diagnostic {
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
            Unary::SomeOf | Unary::LoneOf | Unary::OneOf => needs(of.ty.extract(1), "a set"),
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
            Unary::Transpose => needs(of.ty.transpose(), "a binary relation"),
            Unary::Closure => needs(self.closure(&of.ty), "a binary relation"),
            Unary::ReflexiveClosure => {
                needs(self.closure(&of.ty), "a binary relation")?;
                Ok(Type::product_of(vec![SigId::UNIV, SigId::UNIV]))
            }
            Unary::Cardinality => Ok(Type::integer()),
            Unary::ToInt => needs(of.ty.extract(1), "a set").map(|_| Type::integer()),
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
        let found = |ty: Type, what: &str| if ty.is_empty() { Err(refuse(what)) } else { Ok(ty) };
        match operator {
            _ if is_integer(operator) => Ok(Type::integer()),
            _ if is_comparison(operator) => Ok(Type::formula()),
            B::Iff
            | B::Implies
            | B::And
            | B::Or
            | B::Until
            | B::Releases
            | B::Since
            | B::Triggered => Ok(Type::formula()),
            B::Override | B::Union => found(self.union_with_common_arity(&a.ty, &b.ty), same),
            B::Difference => found(a.ty.pick_common_arity(&b.ty), same),
            B::Intersect => found(self.type_intersect(&a.ty, &b.ty), same),
            B::Equals | B::NotEquals | B::In | B::NotIn => match a.ty.has_common_arity(&b.ty) {
                true => Ok(Type::formula()),
                false => Err(refuse(same)),
            },
            B::Join => found(self.join(&a.ty, &b.ty), "these cannot be joined"),
            B::Domain => {
                found(self.domain_restrict(&a.ty, &b.ty, false), "the left of `<:` is a set")
            }
            B::Range => {
                found(self.domain_restrict(&b.ty, &a.ty, true), "the right of `:>` is a set")
            }
            _ => Ok(self.product(&a.ty, &b.ty)),
        }
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
            ty = self.union_with_common_arity(&a.ty, &b.ty);
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
                    Some(before) => self.union_with_common_arity(&before, &argument.ty),
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
                    ty = if ty.is_empty() { column.clone() } else { self.product(&ty, &column) };
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
            let fits = arity <= 0 || argument.ty.has_arity(arity as usize);
            if argument.error.is_none() && !fits {
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
                    let arity = self.var(*parameter).ty.arity().max(0) as usize;
                    (*parameter, argument.ty.extract(arity))
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

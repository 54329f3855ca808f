//! Expressions from the top down: of several meanings the one that matters to what is around, and
//! warnings about parts that do not matter.

use quadrille_diagnostic::{Diagnostic, Span};

use super::make::{bad, is_comparison, is_integer, leaf};
use super::typed::{NodeKind, Typed, is_same, mentions};
use super::types::Type;
use super::world::{SigId, TypedDecl, VarId, World};
use crate::codes::{AMBIGUOUS, IRRELEVANT, UNUSED};
use crate::syntax::tree::{Binary, Quantifier, Unary};

/// Where warnings go, if anywhere.
pub(super) type Warnings<'a> = Option<&'a mut Vec<Diagnostic>>;

fn warn(warnings: &mut Warnings<'_>, span: Span, message: &str) {
    if let Some(warnings) = warnings {
        let help = "this is probably not what was meant: look at the types of its parts";
        let warning = Diagnostic::warning(&IRRELEVANT, message).at(span, "").help(help);
        warnings.push(warning);
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
                    x = self.type_intersect(&a.ty, p);
                    y = self.type_intersect(&b.ty, p);
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
                        false => self.union_with_common_arity(&common, &argument.ty),
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
            Unary::Transpose => self.type_intersect(&of.ty.transpose(), p).transpose(),
            Unary::Closure | Unary::ReflexiveClosure => self.closed_operand(p, &of.ty),
            Unary::Cardinality | Unary::No | Unary::Some | Unary::Lone | Unary::One => {
                of.ty.as_set()
            }
            Unary::ToSet => Type::integer(),
            Unary::ToInt => self.type_intersect(&of.ty, &Type::of(SigId::INT)),
            _ => p.clone(),
        };
        let extra = node.weight - of.weight;
        let resolved = self.resolve(of, &inner, warnings);
        if std::rc::Rc::ptr_eq(&resolved, of) {
            return node.clone();
        }
        self.unary_weighing(operator, &resolved, node.span, extra)
    }

    /// The pairs of a relation that lie on a path from one end to the other of a pair that matters.
    fn closed_operand(&self, parent: &Type, child: &Type) -> Type {
        let (parent, child) = (parent.extract(2), child.extract(2));
        let mut nodes: Vec<SigId> = Vec::new();
        for &sig in child.entries.iter().chain(&parent.entries).flatten() {
            if !nodes.contains(&sig) {
                nodes.push(sig);
            }
        }
        let place = |sig: SigId| nodes.iter().position(|node| *node == sig).unwrap_or(0);
        let n = nodes.len();
        let mut reaches = vec![vec![false; n]; n];
        for (a, row) in reaches.iter_mut().enumerate() {
            for (b, reached) in row.iter_mut().enumerate() {
                *reached = a == b || self.sig_intersect(nodes[a], nodes[b]) != SigId::NONE;
            }
        }
        for pair in &child.entries {
            reaches[place(pair[0])][place(pair[1])] = true;
        }
        for middle in 0..n {
            for from in 0..n {
                for to in 0..n {
                    reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
                }
            }
        }
        let mut kept = Type::EMPTY;
        for pair in &child.entries {
            let (from, to) = (place(pair[0]), place(pair[1]));
            let is_on_path = |wanted: &Vec<SigId>| {
                reaches[place(wanted[0])][from] && reaches[to][place(wanted[1])]
            };
            if parent.entries.iter().any(is_on_path) {
                kept.entries.push(pair.clone());
            }
        }
        kept
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
        let (a, b) = (&left.ty, &right.ty);
        use Binary as B;
        match operator {
            _ if is_integer(operator) || is_comparison(operator) => {
                (Type::integer(), Type::integer())
            }
            B::And
            | B::Or
            | B::Iff
            | B::Implies
            | B::Until
            | B::Releases
            | B::Since
            | B::Triggered => (Type::formula(), Type::formula()),
            B::Equals | B::NotEquals => {
                if a.has_tuple() && b.has_tuple() && !self.type_intersects(a, b) {
                    warn(warnings, node.span, "both sides of this are always disjoint");
                } else if is_same(left, right) {
                    warn(warnings, node.span, "both sides of this are always the same");
                }
                let both = self.type_intersect(a, b);
                if both.has_tuple() {
                    return (both.clone(), both);
                }
                (a.pick_common_arity(b), b.pick_common_arity(a))
            }
            B::In | B::NotIn => {
                let a2 = a.pick_common_arity(b);
                let b2 = self.type_intersect(b, &a2);
                if a.has_tuple() && !b2.has_tuple() {
                    warn(warnings, node.span, "the left side is never within the right side");
                }
                (a2, b2)
            }
            B::Intersect => {
                if !node.ty.has_tuple() {
                    warn(warnings, node.span, "this intersection is always empty");
                }
                (self.type_intersect(a, p), self.type_intersect(b, p))
            }
            B::Union | B::Override => {
                let (a, b) = (self.type_intersect(a, p), self.type_intersect(b, p));
                if a.is_empty() != b.is_empty() {
                    warn(warnings, node.span, "one side of this does not matter");
                }
                (a, b)
            }
            B::Difference => {
                let b2 = self.type_intersect(p, b);
                if !node.ty.has_tuple() || !b2.has_tuple() {
                    warn(warnings, node.span, "what is taken away here was never there");
                }
                (p.clone(), b2)
            }
            B::Join => {
                if !node.ty.has_tuple() {
                    warn(warnings, node.span, "this join is always empty");
                }
                self.joined_operands(a, b, p)
            }
            B::Domain | B::Range => {
                if !node.ty.has_tuple() {
                    warn(warnings, node.span, "this restriction is always empty");
                }
                self.restricted_operands(a, b, p, operator == B::Range)
            }
            _ => self.product_operands(a, b, p),
        }
    }

    fn joined_operands(&self, a: &Type, b: &Type, p: &Type) -> (Type, Type) {
        let (mut left, mut right) = (Type::EMPTY, Type::EMPTY);
        let pairs = || a.entries.iter().flat_map(|x| b.entries.iter().map(move |y| (x, y)));
        let fits =
            |x: &[SigId], y: &[SigId]| x.len() + y.len() > 2 && p.has_arity(x.len() + y.len() - 2);
        for (x, y) in pairs().filter(|(x, y)| fits(x, y)) {
            let middle = self.sig_intersect(x[x.len() - 1], y[0]);
            if middle == SigId::NONE {
                continue;
            }
            let joined = Type::product_of(self.product_join(x, y));
            for entry in self.type_intersect(p, &joined).entries {
                if entry[0] != SigId::NONE {
                    let mut columns = entry;
                    columns.insert(x.len() - 1, middle);
                    let part = |columns: &[SigId]| Type::product_of(columns.to_vec());
                    left = self.merge(&left, &part(&columns[..x.len()]));
                    right = self.merge(&right, &part(&columns[x.len() - 1..]));
                }
            }
        }
        for must_meet in [true, false] {
            if !left.is_empty() && !right.is_empty() {
                break;
            }
            for (x, y) in pairs().filter(|(x, y)| fits(x, y)) {
                let meets = self.sig_intersect(x[x.len() - 1], y[0]) != SigId::NONE;
                if meets || !must_meet {
                    left = self.merge(&left, &Type::product_of(x.clone()));
                    right = self.merge(&right, &Type::product_of(y.clone()));
                }
            }
        }
        (left, right)
    }

    fn restricted_operands(&self, a: &Type, b: &Type, p: &Type, is_range: bool) -> (Type, Type) {
        let (set, relation) = if is_range { (b, a) } else { (a, b) };
        let (mut sets, mut relations) = (Type::EMPTY, Type::EMPTY);
        for sig in set.entries.iter().filter(|entry| entry.len() == 1) {
            for entry in relation.entries.iter().filter(|entry| p.has_arity(entry.len())) {
                let column = if is_range { entry.len() - 1 } else { 0 };
                let restricted = Type::product_of(self.restricted(entry, sig[0], column));
                for found in self.type_intersect(p, &restricted).entries {
                    if found[0] != SigId::NONE {
                        sets = self.merge(&sets, &Type::of(found[column]));
                        relations = self.merge(&relations, &Type::product_of(found));
                    }
                }
            }
        }
        if sets.is_empty() || relations.is_empty() {
            sets = set.extract(1);
            relations = relation.pick_common_arity(p);
        }
        if is_range { (relations, sets) } else { (sets, relations) }
    }

    fn product_operands(&self, a: &Type, b: &Type, p: &Type) -> (Type, Type) {
        let (mut left, mut right) = (Type::EMPTY, Type::EMPTY);
        for x in a.entries.iter().filter(|x| x[0] != SigId::NONE) {
            for y in b.entries.iter().filter(|y| y[0] != SigId::NONE) {
                let product = Type::product_of([&x[..], &y[..]].concat());
                for entry in self.type_intersect(p, &product).entries {
                    if entry[0] != SigId::NONE {
                        left = self.merge(&left, &Type::product_of(entry[..x.len()].to_vec()));
                        right = self.merge(&right, &Type::product_of(entry[x.len()..].to_vec()));
                    }
                }
            }
        }
        if left.is_empty() || right.is_empty() { (a.clone(), b.clone()) } else { (left, right) }
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
        let fits = |ty: &Type| (p.is_bool && ty.is_bool) || self.type_intersects(p, ty);
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
            let is_empty = |node: &Typed| {
                !node.ty.is_bool && !node.ty.has_tuple() && node.ty.arity() == arity && arity > 0
            };
            if left.iter().all(|(node, _)| is_empty(node)) {
                let none = leaf(NodeKind::Sig(SigId::NONE), Type::of(SigId::NONE), span);
                let arrow =
                    Binary::Arrow(crate::syntax::tree::Mult::Set, crate::syntax::tree::Mult::Set);
                let more =
                    (1..arity).fold(none.clone(), |all, _| self.binary(arrow, &all, &none, span));
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

//! From typed expressions to the core: calls and `let` are replaced by what they stand for, and
//! multiplicities by formulas. Arguments are put in as expressions, so that they change with time
//! where they stand, as in Alloy.

mod multiplicity;
pub(crate) mod overflow;
mod quantifiers;
mod sets;
mod survey;

use quadrille_diagnostic::{Diagnostic, Span};

use crate::codes::{RECURSION, TYPE};
use crate::core::{NodeId, Op};
use crate::names::typed::{Mark, Node, NodeKind, Typed, bare, multiplicity};
use crate::names::world::{Command, FunctionId, SigId, VarId, World};
use crate::scope::Bounds;
use crate::syntax::tree::{Binary, ListOp, Mult, Unary};

pub(crate) use survey::{called, speaks_of_time, strings};

/// Something that must hold, and where it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) formula: NodeId,
    /// Nowhere, if scopes say so.
    pub(crate) span: Option<Span>,
}

/// A command in the core: all of it must hold at the first state.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    /// What scopes, declarations and facts say.
    pub(crate) facts: Vec<Claim>,
    /// What the command looks for.
    pub(crate) goal: Vec<Claim>,
}

pub(crate) struct Lowering<'a> {
    pub(super) world: &'a World,
    pub(super) bounds: &'a mut Bounds,
    env: Vec<(VarId, NodeId)>,
    calls: Vec<FunctionId>,
    /// Whether what is read may be looked for from outside: nothing universal and no time is around.
    pub(super) is_outer: bool,
}

type Lower<T> = Result<T, Diagnostic>;

/// Brings a command down to the core.
pub(crate) fn lower(world: &World, command: &Command, bounds: &mut Bounds) -> Lower<Lowered> {
    let mut facts: Vec<Claim> =
        bounds.constraints.iter().map(|formula| Claim { formula: *formula, span: None }).collect();
    let env = Vec::new();
    let mut lowering = Lowering { world, bounds, env, calls: Vec::new(), is_outer: false };
    for sig in world.declared() {
        lowering.sig(sig, &mut facts)?;
    }
    for fact in &world.facts {
        lowering.conjuncts(&fact.formula, true, &mut facts)?;
    }
    let mut goal = Vec::new();
    lowering.is_outer = true;
    lowering.conjuncts(&command.formula, true, &mut goal)?;
    Ok(Lowered { facts, goal })
}

/// Brings an expression down to the core: a formula, or a set or relation.
pub(crate) fn lower_expression(world: &World, typed: &Typed, bounds: &mut Bounds) -> Lower<NodeId> {
    let env = Vec::new();
    let mut lowering = Lowering { world, bounds, env, calls: Vec::new(), is_outer: false };
    if typed.ty.is_bool { lowering.formula(typed) } else { lowering.set(typed) }
}

/// The arguments for which a predicate holds, as a relation, or whether it holds; nothing if it is about
/// sets or relations, or cannot be read.
pub(crate) fn lower_predicate(
    world: &World,
    id: FunctionId,
    bounds: &mut Bounds,
) -> Option<NodeId> {
    let function = world.function(id);
    let (env, calls) = (Vec::new(), vec![id]);
    let mut lowering = Lowering { world, bounds, env, calls, is_outer: false };
    lowering.comprehension_of(&function.decls, function.body.as_ref()?).ok().flatten()
}

impl Lowering<'_> {
    pub(super) fn node(&mut self, op: Op) -> NodeId {
        self.bounds.core.node(op)
    }

    /// Declarations of fields and the fact of a signature.
    fn sig(&mut self, id: SigId, facts: &mut Vec<Claim>) -> Lower<()> {
        let sig = self.world.sig(id);
        let is_one = sig.mult == Some(Mult::One);
        let node = self.bounds.sigs[id.index()];
        for decl in &sig.decls {
            let span = Some(decl.bound.span);
            for &field in &decl.fields {
                let relation = self.bounds.fields[field.0 as usize];
                let this = if is_one { node } else { self.node(Op::Var(sig.this)) };
                self.env.push((sig.this, this));
                let own = self.join(this, relation);
                let within = self.is_in(own, &decl.bound)?;
                self.env.pop();
                let all = if is_one { within } else { self.node(Op::All(sig.this, node, within)) };
                let formula = self.bounds.core.always(all);
                facts.push(Claim { formula, span });
                if !is_one || sig.is_var {
                    let mut first = relation;
                    let univ = self.bounds.sig_upper[SigId::UNIV.index()].clone();
                    let univ = self.bounds.set(&univ);
                    for _ in 1..self.bounds.core.arity(relation) {
                        first = self.node(Op::Join(first, univ));
                    }
                    let within = self.node(Op::In(first, node));
                    let formula = self.bounds.core.always(within);
                    facts.push(Claim { formula, span });
                }
            }
            self.disjoint_fields(id, decl, facts);
        }
        if let Some(fact) = &sig.fact {
            let span = Some(fact.span);
            if is_one {
                let mut claims = Vec::new();
                self.env.push((sig.this, node));
                self.conjuncts(fact, true, &mut claims)?;
                self.env.pop();
                for claim in claims {
                    let formula = self.bounds.core.always(claim.formula);
                    facts.push(Claim { formula, span: claim.span });
                }
            } else {
                let this = self.node(Op::Var(sig.this));
                self.env.push((sig.this, this));
                let holds = self.formula(fact)?;
                self.env.pop();
                let all = self.node(Op::All(sig.this, node, holds));
                let formula = self.bounds.core.always(all);
                facts.push(Claim { formula, span });
            }
        }
        Ok(())
    }

    /// The parts of a conjunction, each with its place.
    fn conjuncts(&mut self, typed: &Typed, positive: bool, claims: &mut Vec<Claim>) -> Lower<()> {
        match (&typed.kind, positive) {
            (NodeKind::Unary(Unary::Group, of), _) => self.conjuncts(of, positive, claims),
            (NodeKind::Unary(Unary::Not, of), _) => self.conjuncts(of, !positive, claims),
            (NodeKind::Block(parts), true) => {
                for part in parts {
                    self.conjuncts(part, true, claims)?;
                }
                Ok(())
            }
            (NodeKind::Binary(Binary::And, a, b), true)
            | (NodeKind::Binary(Binary::Or, a, b), false) => {
                self.conjuncts(a, positive, claims)?;
                self.conjuncts(b, positive, claims)
            }
            (NodeKind::Binary(Binary::Implies, a, b), false) => {
                self.conjuncts(a, true, claims)?;
                self.conjuncts(b, false, claims)
            }
            _ => {
                let formula = self.signed(typed, positive)?;
                claims.push(Claim { formula, span: Some(typed.span) });
                Ok(())
            }
        }
    }

    /// A formula or its denial.
    pub(super) fn signed(&mut self, typed: &Typed, positive: bool) -> Lower<NodeId> {
        if !self.is_outer {
            let formula = self.formula(typed)?;
            return Ok(if positive { formula } else { self.bounds.core.not(formula) });
        }
        let parts = |lowering: &mut Self, all: &[&Typed], positive: bool| -> Lower<Vec<NodeId>> {
            all.iter().map(|part| lowering.signed(part, positive)).collect()
        };
        match &typed.kind {
            NodeKind::Unary(Unary::Group, of) => self.signed(of, positive),
            NodeKind::Unary(Unary::Not, of) => self.signed(of, !positive),
            NodeKind::Block(formulas) => {
                let all: Vec<&Typed> = formulas.iter().collect();
                let all = parts(self, &all, positive)?;
                Ok(if positive { self.bounds.core.and(all) } else { self.bounds.core.or(all) })
            }
            NodeKind::Binary(operator @ (Binary::And | Binary::Or), a, b) => {
                let both = parts(self, &[a, b], positive)?;
                let is_and = (*operator == Binary::And) == positive;
                Ok(if is_and { self.bounds.core.and(both) } else { self.bounds.core.or(both) })
            }
            NodeKind::Binary(Binary::Implies, a, b) => {
                let (a, b) = (self.signed(a, !positive)?, self.signed(b, positive)?);
                let core = &mut self.bounds.core;
                Ok(if positive { core.or([a, b]) } else { core.and([a, b]) })
            }
            NodeKind::Quantified(quantifier, decls, body) => {
                self.quantified_outside(*quantifier, decls, body, positive)
            }
            NodeKind::Call(function, arguments, _) if typed.ty.is_bool => {
                self.call(*function, arguments, typed, |lowering, body| {
                    lowering.signed(body, positive)
                })
            }
            NodeKind::Let(var, value, body) => {
                self.let_(*var, value, |lowering| lowering.signed(body, positive))
            }
            _ => {
                self.is_outer = false;
                let formula = self.formula(typed);
                self.is_outer = true;
                let formula = formula?;
                Ok(if positive { formula } else { self.bounds.core.not(formula) })
            }
        }
    }

    fn let_<T>(
        &mut self,
        var: VarId,
        value: &Typed,
        body: impl FnOnce(&mut Self) -> Lower<T>,
    ) -> Lower<T> {
        let was = std::mem::take(&mut self.is_outer);
        let value = if value.ty.is_bool { self.formula(value) } else { self.set(value) };
        self.is_outer = was;
        self.env.push((var, value?));
        let found = body(self);
        self.env.pop();
        found
    }

    fn call<T>(
        &mut self,
        id: FunctionId,
        arguments: &[Typed],
        at: &Node,
        read: impl FnOnce(&mut Self, &Typed) -> Lower<T>,
    ) -> Lower<T> {
        let function = self.world.function(id);
        if self.calls.contains(&id) {
            let message = format!("`{}` calls itself", function.name);
            let error = Diagnostic::error(&RECURSION, message).at(at.span, "");
            return Err(error.help("use a closure (`^r`), or one predicate for each level"));
        }
        let Some(body) = &function.body else {
            let message = format!("`{}` has no body", function.name);
            return Err(Diagnostic::error(&TYPE, message).at(at.span, "").help("write one"));
        };
        let was = std::mem::take(&mut self.is_outer);
        let mut bindings = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            bindings.push((*parameter, self.set(argument)?));
        }
        self.is_outer = was;
        let outer = std::mem::replace(&mut self.env, bindings);
        self.calls.push(id);
        let found = read(self, body);
        self.calls.pop();
        self.env = outer;
        found
    }

    fn var(&mut self, var: VarId) -> NodeId {
        let known = self.env.iter().rev().find(|(known, _)| *known == var);
        match known {
            Some((_, node)) => *node,
            None => self.node(Op::Var(var)),
        }
    }

    /// A join; of the one atom of a signature with what begins with it, the rest.
    pub(super) fn join(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if let Op::Product(left, right) = *self.bounds.core.op(b)
            && left == a
            && self.bounds.core.arity(a) == 1
            && self.is_single(a)
        {
            return right;
        }
        self.node(Op::Join(a, b))
    }

    /// Whether a node is one atom whatever happens.
    fn is_single(&self, node: NodeId) -> bool {
        match self.bounds.core.op(node) {
            Op::Rel(id) => {
                let relation = &self.bounds.relations[id.0 as usize];
                relation.lower.len() == 1 && relation.upper.len() == 1
            }
            Op::Constant(_, tuples) => tuples.len() == 1,
            _ => false,
        }
    }

    pub(super) fn formula(&mut self, typed: &Typed) -> Lower<NodeId> {
        Ok(match &typed.kind {
            NodeKind::Unary(operator, of) => self.unary_formula(*operator, of)?,
            NodeKind::Binary(operator, a, b) => self.binary_formula(*operator, a, b)?,
            NodeKind::Else(c, a, b) => {
                let (c, a, b) = (self.formula(c)?, self.formula(a)?, self.formula(b)?);
                let core = &mut self.bounds.core;
                let (then, denied) = (core.implies(c, a), core.not(c));
                let otherwise = core.implies(denied, b);
                core.and([then, otherwise])
            }
            NodeKind::Block(parts) => {
                let parts: Vec<NodeId> =
                    parts.iter().map(|part| self.formula(part)).collect::<Lower<_>>()?;
                self.bounds.core.and(parts)
            }
            NodeKind::List(operator, arguments) => {
                let nodes: Vec<NodeId> =
                    arguments.iter().map(|part| self.set(part)).collect::<Lower<_>>()?;
                match (operator, &nodes[..]) {
                    (ListOp::TotalOrder, [elements, first, next]) => {
                        self.node(Op::TotalOrder(*elements, *first, *next))
                    }
                    _ => self.disjoint(&nodes),
                }
            }
            NodeKind::Quantified(quantifier, decls, body) => {
                self.quantified(*quantifier, decls, body)?
            }
            NodeKind::Let(var, value, body) => {
                self.let_(*var, value, |lowering| lowering.formula(body))?
            }
            NodeKind::Call(function, arguments, _) => {
                self.call(*function, arguments, typed, Self::formula)?
            }
            NodeKind::Var(var) => self.var(*var),
            _ => return Err(self.lost(typed)),
        })
    }

    /// What the checker should have refused.
    fn lost(&self, typed: &Typed) -> Diagnostic {
        let message = "this has no meaning here";
        Diagnostic::error(&TYPE, message).at(typed.span, "").help("write it in another way")
    }

    fn unary_formula(&mut self, operator: Unary, of: &Typed) -> Lower<NodeId> {
        let op = match operator {
            Unary::Group => return self.formula(of),
            Unary::Not => {
                let of = self.formula(of)?;
                return Ok(self.bounds.core.not(of));
            }
            Unary::After => Op::After(self.formula(of)?),
            Unary::Always => Op::Always(self.formula(of)?),
            Unary::Before => Op::Before(self.formula(of)?),
            Unary::Once => Op::Once(self.formula(of)?),
            Unary::Eventually | Unary::Historically => {
                let of = self.formula(of)?;
                let not = self.bounds.core.not(of);
                let node = match operator {
                    Unary::Eventually => self.node(Op::Always(not)),
                    _ => self.node(Op::Once(not)),
                };
                return Ok(self.bounds.core.not(node));
            }
            Unary::Some => Op::Some(self.set(of)?),
            Unary::No => {
                let set = self.set(of)?;
                let some = self.node(Op::Some(set));
                return Ok(self.bounds.core.not(some));
            }
            Unary::Lone => Op::Lone(self.set(of)?),
            Unary::One => Op::One(self.set(of)?),
            _ => return Err(self.lost(of)),
        };
        Ok(self.node(op))
    }

    fn binary_formula(&mut self, operator: Binary, a: &Typed, b: &Typed) -> Lower<NodeId> {
        use Binary as B;
        let denied = matches!(
            operator,
            B::NotIn
                | B::NotEquals
                | B::NotLess
                | B::NotLessEqual
                | B::NotGreater
                | B::NotGreaterEqual
        );
        let node = match operator {
            B::And => {
                let both = [self.formula(a)?, self.formula(b)?];
                self.bounds.core.and(both)
            }
            B::Or => {
                let both = [self.formula(a)?, self.formula(b)?];
                self.bounds.core.or(both)
            }
            B::Implies => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                self.bounds.core.implies(a, b)
            }
            B::Iff => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                self.node(Op::Iff(a, b))
            }
            B::Until => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                self.node(Op::Until(a, b))
            }
            B::Since => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                self.node(Op::Since(a, b))
            }
            B::Releases | B::Triggered => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                let (a, b) = (self.bounds.core.not(a), self.bounds.core.not(b));
                let op = if operator == B::Releases { Op::Until(a, b) } else { Op::Since(a, b) };
                let node = self.node(op);
                self.bounds.core.not(node)
            }
            B::In | B::NotIn => {
                let set = self.set(a)?;
                self.is_in(set, b)?
            }
            B::Equals | B::NotEquals => {
                let (x, y) = (self.set(a)?, self.set(b)?);
                match (self.bounds.core.op(x), self.bounds.core.op(y)) {
                    (Op::FromInt(x), Op::FromInt(y)) => {
                        let (x, y) = (*x, *y);
                        self.node(Op::EqualInt(x, y))
                    }
                    _ => self.node(Op::Equal(x, y)),
                }
            }
            B::Less | B::NotLess => self.less(a, b)?,
            B::Greater | B::NotGreater => self.less(b, a)?,
            B::LessEqual | B::NotLessEqual => {
                let greater = self.less(b, a)?;
                self.bounds.core.not(greater)
            }
            B::GreaterEqual | B::NotGreaterEqual => {
                let less = self.less(a, b)?;
                self.bounds.core.not(less)
            }
            _ => return Err(self.lost(a)),
        };
        Ok(if denied { self.bounds.core.not(node) } else { node })
    }

    fn less(&mut self, a: &Typed, b: &Typed) -> Lower<NodeId> {
        let (a, b) = (self.int(a)?, self.int(b)?);
        Ok(self.node(Op::Less(a, b)))
    }

    /// None shares a tuple with another.
    pub(super) fn disjoint(&mut self, sets: &[NodeId]) -> NodeId {
        let mut parts = Vec::new();
        let mut seen = match sets.first() {
            Some(first) => *first,
            None => return self.bounds.core.truth(),
        };
        for &set in &sets[1..] {
            let both = self.node(Op::Intersect(seen, set));
            let some = self.node(Op::Some(both));
            parts.push(self.bounds.core.not(some));
            seen = self.bounds.core.union(seen, set);
        }
        self.bounds.core.and(parts)
    }

    /// Whether a bound is a multiplicity between columns.
    pub(super) fn is_arrow(bound: &Typed) -> bool {
        bound.mark == Mark::Arrow && matches!(bare(bound).kind, NodeKind::Binary(..))
    }

    /// How many a bound says that there are.
    pub(super) fn how_many(bound: &Typed) -> Unary {
        multiplicity(bound)
    }
}

//! Quantifiers, sums and comprehensions; and sets and relations that are looked for.

use crate::core::{NodeId, Op};
use crate::names::mult_of;
use crate::names::typed::Typed;
use crate::names::world::{TypedDecl, VarId};
use crate::scope::{Relation, Role};
use crate::syntax::tree::{Quantifier, Unary};

use super::{Lower, Lowering};

/// One variable with what it is in.
struct Bound {
    var: VarId,
    /// The set or relation.
    set: NodeId,
    how: How,
}

/// What a variable is.
enum How {
    /// One atom.
    Atom,
    /// A set or relation for which something holds; at most one tuple, where it says so.
    Wide { guard: NodeId, is_lone: bool },
}

impl Lowering<'_> {
    fn declared(&mut self, decls: &[TypedDecl]) -> Lower<(Vec<Bound>, Vec<NodeId>)> {
        let (mut bounds, mut apart) = (Vec::new(), Vec::new());
        for decl in decls {
            let set = self.set(&decl.bound)?;
            let mut nodes = Vec::new();
            for &var in &decl.vars {
                let how = self.how(var, &decl.bound)?;
                nodes.push(self.node(Op::Var(var)));
                bounds.push(Bound { var, set, how });
            }
            if decl.disj && nodes.len() > 1 {
                apart.push(self.disjoint(&nodes));
            }
        }
        Ok((bounds, apart))
    }

    fn how(&mut self, var: VarId, bound: &Typed) -> Lower<How> {
        let arity = bound.ty.arity().unwrap_or(1);
        let many = mult_of(bound);
        if arity == 1 && many == Unary::OneOf {
            return Ok(How::Atom);
        }
        self.bounds.core.wide.insert(var, arity);
        let node = self.node(Op::Var(var));
        let guard = self.is_in(node, bound)?;
        Ok(How::Wide { guard, is_lone: matches!(many, Unary::LoneOf | Unary::OneOf) })
    }

    /// The atoms of which a formula holds, or the formula where there are no variables; nothing where
    /// variables are not single atoms.
    pub(super) fn comprehension_of(
        &mut self,
        decls: &[TypedDecl],
        body: &Typed,
    ) -> Lower<Option<NodeId>> {
        let (bounds, apart) = self.declared(decls)?;
        if !bounds.iter().all(|bound| matches!(bound.how, How::Atom)) {
            return Ok(None);
        }
        let holds = self.formula(body)?;
        let holds = self.bounds.core.and(apart.into_iter().chain([holds]));
        if bounds.is_empty() {
            return Ok(Some(holds));
        }
        let vars = bounds.iter().map(|bound| (bound.var, bound.set)).collect();
        Ok(Some(self.node(Op::Comprehension(vars, holds))))
    }

    pub(super) fn quantified(
        &mut self,
        quantifier: Quantifier,
        decls: &[TypedDecl],
        body: &Typed,
    ) -> Lower<NodeId> {
        let (bounds, apart) = self.declared(decls)?;
        let body = self.formula(body)?;
        Ok(match quantifier {
            Quantifier::All => self.for_all(&bounds, &apart, body),
            Quantifier::No => {
                let not = self.bounds.core.not(body);
                self.for_all(&bounds, &apart, not)
            }
            Quantifier::Some => {
                let not = self.bounds.core.not(body);
                let none = self.for_all(&bounds, &apart, not);
                self.bounds.core.not(none)
            }
            _ => {
                let mut parts = apart.clone();
                parts.push(body);
                let holds = self.bounds.core.and(parts);
                let is_plain = bounds.iter().all(|bound| matches!(bound.how, How::Atom));
                if !is_plain {
                    return self.count_of_wide(quantifier, &bounds, holds);
                }
                let vars = bounds.iter().map(|bound| (bound.var, bound.set)).collect();
                let found = self.node(Op::Comprehension(vars, holds));
                match quantifier {
                    Quantifier::Lone => self.node(Op::Lone(found)),
                    _ => self.node(Op::One(found)),
                }
            }
        })
    }

    /// `one` and `lone` of sets: no two different ones.
    fn count_of_wide(
        &mut self,
        quantifier: Quantifier,
        bounds: &[Bound],
        holds: NodeId,
    ) -> Lower<NodeId> {
        let mut copies = Vec::new();
        let mut again = holds;
        let mut same = Vec::new();
        for bound in bounds {
            let copy = self.bounds.fresh();
            if let Some(arity) = self.bounds.core.wide.get(&bound.var).copied() {
                self.bounds.core.wide.insert(copy, arity);
            }
            let (a, b) = (self.node(Op::Var(bound.var)), self.node(Op::Var(copy)));
            again = self.renamed(again, bound.var, b);
            let how = match bound.how {
                How::Atom => How::Atom,
                How::Wide { guard, is_lone } => {
                    How::Wide { guard: self.renamed(guard, bound.var, b), is_lone }
                }
            };
            same.push(self.node(Op::Equal(a, b)));
            copies.push(Bound { var: copy, set: bound.set, how });
        }
        let equal = self.bounds.core.and(same);
        let both = self.bounds.core.and([holds, again]);
        let only = self.bounds.core.implies(both, equal);
        let inner = self.for_all(&copies, &[], only);
        let lone = self.for_all(bounds, &[], inner);
        if quantifier == Quantifier::Lone {
            return Ok(lone);
        }
        let not = self.bounds.core.not(holds);
        let none = self.for_all(bounds, &[], not);
        let some = self.bounds.core.not(none);
        Ok(self.bounds.core.and([lone, some]))
    }

    /// A node with another in the place of a variable.
    fn renamed(&mut self, node: NodeId, var: VarId, to: NodeId) -> NodeId {
        if !self.bounds.core.facts(node).free.contains(&var) {
            return node;
        }
        let op = self.bounds.core.op(node).clone();
        if op == Op::Var(var) {
            return to;
        }
        let mut rename = |id: NodeId| self.renamed(id, var, to);
        let op = crate::core::map(op, &mut rename);
        self.node(op)
    }

    fn for_all(&mut self, bounds: &[Bound], apart: &[NodeId], body: NodeId) -> NodeId {
        let guard = self.bounds.core.and(apart.iter().copied());
        let mut body = self.bounds.core.implies(guard, body);
        for bound in bounds.iter().rev() {
            body = match bound.how {
                How::Atom => self.node(Op::All(bound.var, bound.set, body)),
                How::Wide { guard, is_lone } => {
                    let guarded = self.bounds.core.implies(guard, body);
                    self.node(Op::AllSets(bound.var, bound.set, is_lone, guarded))
                }
            };
        }
        body
    }

    /// Where nothing universal is around, sets and relations are looked for like those that the text
    /// declares (Skolem).
    pub(super) fn quantified_outside(
        &mut self,
        quantifier: Quantifier,
        decls: &[TypedDecl],
        body: &Typed,
        positive: bool,
    ) -> Lower<NodeId> {
        let body_is_positive = match (quantifier, positive) {
            (Quantifier::Some, true) => true,
            (Quantifier::All | Quantifier::No, false) => quantifier == Quantifier::No,
            _ => {
                self.is_outer = false;
                let formula = self.quantified(quantifier, decls, body);
                self.is_outer = true;
                let formula = formula?;
                return Ok(if positive { formula } else { self.bounds.core.not(formula) });
            }
        };
        let depth = self.env.len();
        let (mut guards, mut atoms) = (Vec::new(), Vec::new());
        for decl in decls {
            self.is_outer = false;
            let set = self.set(&decl.bound);
            self.is_outer = true;
            let set = set?;
            let mut nodes = Vec::new();
            for &var in &decl.vars {
                let many = mult_of(&decl.bound);
                let arity = decl.bound.ty.arity().unwrap_or(1);
                if arity == 1 && many == Unary::OneOf {
                    nodes.push(self.node(Op::Var(var)));
                    atoms.push((var, set));
                    continue;
                }
                let name = self.world.var(var).name.clone();
                let upper = self.bounds.tuples_of(&decl.bound.ty, arity);
                let role = Role::Skolem(name);
                let (lower, is_var) = (Vec::new(), false);
                let node = self.bounds.relation(Relation { role, arity, is_var, lower, upper });
                self.env.push((var, node));
                nodes.push(node);
                guards.push(self.is_in(node, &decl.bound)?);
            }
            if decl.disj && nodes.len() > 1 {
                guards.push(self.disjoint(&nodes));
            }
        }
        guards.push(self.signed(body, body_is_positive)?);
        self.env.truncate(depth);
        let mut holds = self.bounds.core.and(guards);
        for (var, set) in atoms.into_iter().rev() {
            holds = self.bounds.core.exists(var, set, holds);
        }
        Ok(holds)
    }

    pub(super) fn comprehension(&mut self, decls: &[TypedDecl], body: &Typed) -> Lower<NodeId> {
        let (bounds, apart) = self.declared(decls)?;
        let body = self.formula(body)?;
        let mut parts = apart;
        parts.push(body);
        let holds = self.bounds.core.and(parts);
        let vars = bounds.iter().map(|bound| (bound.var, bound.set)).collect();
        Ok(self.node(Op::Comprehension(vars, holds)))
    }

    pub(super) fn sum(&mut self, decls: &[TypedDecl], body: &Typed) -> Lower<NodeId> {
        let (bounds, apart) = self.declared(decls)?;
        let mut number = self.int(body)?;
        if !apart.is_empty() {
            let guard = self.bounds.core.and(apart);
            let zero = self.node(Op::Number(0));
            number = self.node(Op::ChooseInt(guard, number, zero));
        }
        for bound in bounds.iter().rev() {
            number = self.node(Op::SumOver(bound.var, bound.set, number));
        }
        Ok(number)
    }
}

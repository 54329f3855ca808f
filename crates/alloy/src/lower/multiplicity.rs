//! What multiplicities say: of a set, and of the columns of a relation.

use crate::core::{NodeId, Op};
use crate::names::typed::{NodeKind, Typed, bare};
use crate::names::world::{FieldDecl, SigId, VarId};
use crate::syntax::tree::{Binary, Mult, Unary};

use super::{Claim, Lower, Lowering};

impl Lowering<'_> {
    /// Whether a relation is within a bound, multiplicities included.
    pub(super) fn is_in(&mut self, relation: NodeId, bound: &Typed) -> Lower<NodeId> {
        if Self::is_arrow(bound)
            && let NodeKind::Binary(operator, a, b) = &bare(bound).kind
        {
            return self.is_in_arrow(relation, *operator, a, b);
        }
        let set = self.set(bound)?;
        let how_many = match Self::how_many(bound) {
            Unary::ExactlyOf => return Ok(self.node(Op::Equal(relation, set))),
            Unary::OneOf => Some(self.node(Op::One(relation))),
            Unary::LoneOf => Some(self.node(Op::Lone(relation))),
            Unary::SomeOf => Some(self.node(Op::Some(relation))),
            _ => None,
        };
        let within = self.node(Op::In(relation, set));
        Ok(match how_many {
            Some(how_many) => self.bounds.core.and([how_many, within]),
            None => within,
        })
    }

    fn is_in_arrow(
        &mut self,
        relation: NodeId,
        operator: Binary,
        a: &Typed,
        b: &Typed,
    ) -> Lower<NodeId> {
        let (before, after, is_sequence) = match operator {
            Binary::Arrow(before, after) => (before, after, false),
            _ => (Mult::Set, Mult::Lone, true),
        };
        let (left, right) = (self.set(a)?, self.set(b)?);
        let product = self.node(Op::Product(left, right));
        let mut parts = vec![self.node(Op::In(relation, product))];
        parts.extend(self.each(relation, left, a, b, after, true)?);
        parts.extend(self.each(relation, right, b, a, before, false)?);
        if is_sequence {
            parts.push(self.has_no_gap(relation));
        }
        Ok(self.bounds.core.and(parts))
    }

    /// For every tuple of one side, how many of the other go with it.
    fn each(
        &mut self,
        relation: NodeId,
        side: NodeId,
        here: &Typed,
        there: &Typed,
        mult: Mult,
        from_left: bool,
    ) -> Lower<Option<NodeId>> {
        let is_plain = !Self::is_arrow(there) && Self::how_many(there) == Unary::SetOf;
        if mult == Mult::Set && is_plain {
            return Ok(None);
        }
        let arity = self.bounds.core.arity(side);
        let vars: Vec<VarId> = (0..arity).map(|_| self.bounds.fresh()).collect();
        let atoms: Vec<NodeId> = vars.iter().map(|var| self.node(Op::Var(*var))).collect();
        let mut rest = relation;
        if from_left {
            for atom in &atoms {
                rest = self.node(Op::Join(*atom, rest));
            }
        } else {
            for atom in atoms.iter().rev() {
                rest = self.node(Op::Join(rest, *atom));
            }
        }
        let mut parts = vec![self.is_in(rest, there)?];
        match mult {
            Mult::Set => {}
            Mult::Lone => parts.push(self.node(Op::Lone(rest))),
            Mult::One => parts.push(self.node(Op::One(rest))),
            Mult::Some => parts.push(self.node(Op::Some(rest))),
        }
        let mut body = self.bounds.core.and(parts);
        let univ = self.bounds.sig_upper[SigId::UNIV.index()].clone();
        let column = if arity == 1 { side } else { self.bounds.set(&univ) };
        if arity > 1 {
            let tuple = atoms[1..]
                .iter()
                .fold(atoms[0], |tuple, atom| self.node(Op::Product(tuple, *atom)));
            let is_there = self.is_in(tuple, here)?;
            body = self.bounds.core.implies(is_there, body);
        }
        for var in vars.into_iter().rev() {
            body = self.node(Op::All(var, column, body));
        }
        Ok(Some(body))
    }

    /// The first column is an initial part of the natural numbers.
    fn has_no_gap(&mut self, relation: NodeId) -> NodeId {
        let univ = self.bounds.sig_upper[SigId::UNIV.index()].clone();
        let univ = self.bounds.set(&univ);
        let mut indices = relation;
        while self.bounds.core.arity(indices) > 1 {
            indices = self.node(Op::Join(indices, univ));
        }
        let integers = self.bounds.integers.clone();
        let pairs = integers.clone().zip(integers.skip(1));
        let pairs = pairs.map(|(a, b)| quadrille_solve::tuple(&[a, b])).collect();
        let next = self.node(Op::Constant(2, pairs));
        let later = self.node(Op::Join(indices, next));
        let first = self.node(Op::Minus(indices, later));
        let zero = self.bounds.zero as u16;
        let zero = self.bounds.set(&[zero]);
        self.node(Op::In(first, zero))
    }

    /// `disj a, b : e` and `a : disj e` in a signature.
    pub(super) fn disjoint_fields(&mut self, id: SigId, decl: &FieldDecl, facts: &mut Vec<Claim>) {
        let sig = self.world.sig(id);
        let span = Some(decl.bound.span);
        let node = self.bounds.sigs[id.index()];
        let fields: Vec<NodeId> =
            decl.fields.iter().map(|field| self.bounds.fields[field.0 as usize]).collect();
        if decl.disj_range && sig.mult != Some(Mult::One) {
            for &field in &fields {
                let (this, that) = (self.bounds.fresh(), self.bounds.fresh());
                let (a, b) = (self.node(Op::Var(this)), self.node(Op::Var(that)));
                let same = self.node(Op::Equal(a, b));
                let (x, y) = (self.node(Op::Join(a, field)), self.node(Op::Join(b, field)));
                let apart = self.disjoint(&[x, y]);
                let either = self.bounds.core.or([same, apart]);
                let inner = self.node(Op::All(that, node, either));
                let all = self.node(Op::All(this, node, inner));
                facts.push(Claim { formula: self.bounds.core.always(all), span });
            }
        }
        if decl.disj && fields.len() > 1 {
            let apart = self.disjoint(&fields);
            facts.push(Claim { formula: self.bounds.core.always(apart), span });
        }
    }
}

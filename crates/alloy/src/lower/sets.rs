//! Sets, relations and numbers.

use super::{Lower, Lowering};
use crate::core::{Arithmetic, NodeId, Op, Tense};
use crate::names::typed::{NodeKind, Typed};
use crate::names::world::SigId;
use crate::syntax::tree::{Binary, Builtin, Quantifier, Unary};

/// Whether a typed expression is a number that is computed.
fn is_number(node: &Typed) -> bool {
    node.ty.is_small_int()
}

impl Lowering<'_> {
    pub(super) fn int(&mut self, typed: &Typed) -> Lower<NodeId> {
        use Binary as B;
        let op = match &typed.kind {
            NodeKind::Number(number) => Op::Number(*number),
            NodeKind::Builtin(builtin) => {
                let half = 1i64 << (self.bounds.width - 1);
                Op::Number(if *builtin == Builtin::Min { -half } else { half - 1 })
            }
            NodeKind::Unary(Unary::Group, of) => return self.int(of),
            NodeKind::Unary(Unary::Cardinality, of) => Op::Count(self.set(of)?),
            NodeKind::Unary(Unary::ToInt, of) => {
                let set = self.set(of)?;
                return Ok(self.number_of(set));
            }
            NodeKind::Binary(operator, a, b) if is_number(typed) => {
                let operator = match operator {
                    B::IntPlus => Arithmetic::Plus,
                    B::IntMinus => Arithmetic::Minus,
                    B::Mul => Arithmetic::Times,
                    B::Div => Arithmetic::Divide,
                    B::Rem => Arithmetic::Remainder,
                    B::ShiftLeft => Arithmetic::ShiftLeft,
                    B::ShiftRight => Arithmetic::ShiftRight,
                    B::ShiftRightUnsigned => Arithmetic::ShiftRightUnsigned,
                    _ => return Err(self.lost(typed)),
                };
                let (a, b) = (self.int(a)?, self.int(b)?);
                Op::Arithmetic(operator, a, b)
            }
            NodeKind::Quantified(Quantifier::Sum, decls, body) => {
                return self.sum(decls, body);
            }
            NodeKind::Let(var, value, body) => {
                return self.let_(*var, value, |lowering| lowering.int(body));
            }
            _ => {
                let set = self.set(typed)?;
                return Ok(self.number_of(set));
            }
        };
        Ok(self.node(op))
    }

    /// The sum of a set of integers; of a number that was made a set, the number.
    fn number_of(&mut self, set: NodeId) -> NodeId {
        match self.bounds.core.op(set) {
            Op::FromInt(number) => *number,
            _ => self.node(Op::SumOf(set)),
        }
    }

    pub(super) fn set(&mut self, typed: &Typed) -> Lower<NodeId> {
        let op = match &typed.kind {
            NodeKind::Builtin(Builtin::Next) => {
                let atoms = self.bounds.integers.clone();
                let pairs = atoms.clone().zip(atoms.skip(1));
                let pairs = pairs.map(|(a, b)| quadrille_solve::tuple(&[a, b])).collect();
                Op::Constant(2, pairs)
            }
            NodeKind::Number(_)
            | NodeKind::Builtin(_)
            | NodeKind::Quantified(Quantifier::Sum, ..) => Op::FromInt(self.int(typed)?),
            NodeKind::Text(text) => {
                let known = self.bounds.strings.iter().find(|(known, _)| known == text);
                let Some((_, atom)) = known else { return Err(self.lost(typed)) };
                Op::Constant(1, vec![u128::from(*atom)])
            }
            NodeKind::Iden => Op::Identity(self.bounds.sigs[SigId::UNIV.index()]),
            NodeKind::Sig(id) => return Ok(self.bounds.sigs[id.index()]),
            NodeKind::Field(id) => return Ok(self.bounds.fields[id.0 as usize]),
            NodeKind::Var(var) => return Ok(self.var(*var)),
            NodeKind::Unary(operator, of) => return self.unary_set(*operator, of, typed),
            NodeKind::Binary(operator, a, b) => {
                if is_number(typed) {
                    Op::FromInt(self.int(typed)?)
                } else {
                    let (a, b) = (self.set(a)?, self.set(b)?);
                    return Ok(self.binary_set(*operator, a, b));
                }
            }
            NodeKind::Else(c, a, b) => {
                let (c, a, b) = (self.formula(c)?, self.set(a)?, self.set(b)?);
                match (self.bounds.core.op(a), self.bounds.core.op(b)) {
                    (Op::FromInt(x), Op::FromInt(y)) => {
                        let (x, y) = (*x, *y);
                        let number = self.node(Op::ChooseInt(c, x, y));
                        Op::FromInt(number)
                    }
                    _ => Op::Choose(c, a, b),
                }
            }
            NodeKind::Quantified(Quantifier::Comprehension, decls, body) => {
                return self.comprehension(decls, body);
            }
            NodeKind::Let(var, value, body) => {
                return self.let_(*var, value, |lowering| lowering.set(body));
            }
            NodeKind::Call(function, arguments, _) => {
                return self.call(*function, arguments, typed, Self::set);
            }
            _ => return Err(self.lost(typed)),
        };
        Ok(self.node(op))
    }

    fn unary_set(&mut self, operator: Unary, of: &Typed, typed: &Typed) -> Lower<NodeId> {
        let op = match operator {
            Unary::Group
            | Unary::SetOf
            | Unary::OneOf
            | Unary::LoneOf
            | Unary::SomeOf
            | Unary::ExactlyOf => return self.set(of),
            Unary::Transpose => Op::Transpose(self.set(of)?),
            Unary::Closure => Op::Closure(self.set(of)?),
            Unary::ReflexiveClosure => {
                let relation = self.set(of)?;
                let closure = self.node(Op::Closure(relation));
                let univ = self.bounds.sigs[SigId::UNIV.index()];
                let identity = self.node(Op::Identity(univ));
                Op::Union(closure, identity)
            }
            Unary::Prime => {
                let set = self.set(of)?;
                match self.bounds.core.tense(set) {
                    Tense::Static => return Ok(set),
                    _ => Op::Prime(set),
                }
            }
            Unary::ToSet => Op::FromInt(self.int(of)?),
            Unary::Cardinality | Unary::ToInt => Op::FromInt(self.int(typed)?),
            _ => return Err(self.lost(typed)),
        };
        Ok(self.node(op))
    }

    fn binary_set(&mut self, operator: Binary, a: NodeId, b: NodeId) -> NodeId {
        use Binary as B;
        let op = match operator {
            B::Join => return self.join(a, b),
            B::Domain => Op::Restrict(b, false, a),
            B::Range => Op::Restrict(a, true, b),
            B::Intersect => Op::Intersect(a, b),
            B::Override => Op::Override(a, b),
            B::Union => return self.bounds.core.union(a, b),
            B::Difference => Op::Minus(a, b),
            _ => Op::Product(a, b),
        };
        self.node(op)
    }
}

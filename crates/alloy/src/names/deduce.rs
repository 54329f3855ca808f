//! Types of results that depend on the types of arguments.

use super::typed::{NodeKind, Typed};
use super::types::Type;
use super::world::{VarId, World};
use crate::syntax::tree::{Quantifier, Unary};

impl World {
    pub(super) fn deduce(&self, node: &Typed, env: &mut Vec<(VarId, Type)>) -> Option<Type> {
        Some(match &node.kind {
            NodeKind::Var(var) => {
                let known = env.iter().rev().find(|(known, _)| known == var);
                match known {
                    Some((_, ty)) if !ty.is_nothing() => ty.clone(),
                    _ => node.ty.clone(),
                }
            }
            NodeKind::Unary(operator, of) => {
                let ty = self.deduce(of, env)?;
                match operator {
                    Unary::Transpose => ty.transpose().into(),
                    Unary::Closure => ty.closure(self).into(),
                    Unary::Group
                    | Unary::Prime
                    | Unary::SetOf
                    | Unary::OneOf
                    | Unary::LoneOf
                    | Unary::SomeOf
                    | Unary::ExactlyOf => ty,
                    _ => node.ty.clone(),
                }
            }
            NodeKind::Binary(operator, a, b) => {
                let (a, b) = (self.deduce(a, env)?, self.deduce(b, env)?);
                a.relation
                    .of_operator(*operator, &b, self)
                    .map_or_else(|| node.ty.clone(), Type::from)
            }
            NodeKind::Else(_, a, b) => {
                let (a, b) = (self.deduce(a, env)?, self.deduce(b, env)?);
                a.union_with_common_arity(&b, self).into()
            }
            NodeKind::Quantified(Quantifier::Comprehension, decls, _) => {
                let depth = env.len();
                let mut ty: Option<Type> = None;
                for decl in decls {
                    let column = self.deduce(&decl.bound, env)?;
                    for var in &decl.vars {
                        env.push((*var, column.clone()));
                        ty = Some(match ty {
                            Some(ty) => ty.product(&column, self).into(),
                            None => column.clone(),
                        });
                    }
                }
                env.truncate(depth);
                ty?
            }
            NodeKind::Call(..) => return None,
            _ => node.ty.clone(),
        })
    }
}

//! What an expression of Alloy may be: a relation with the bounding type that designs have too
//! ([`RelationType`]), a formula, a computed integer, or several of them while its meaning is open.

use std::ops::{Deref, DerefMut};

use quadrille_grammar::types::{Hierarchy, RelationType, Signature};

use super::world::{Belongs, SigId, World};

/// What an expression may be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Type {
    /// A formula.
    pub(crate) is_bool: bool,
    /// An integer that is computed, rather than a set of integers.
    pub(crate) is_small: bool,
    /// A relation.
    pub(crate) relation: RelationType<SigId>,
}

impl Signature for SigId {
    const NONE: Self = SigId::NONE;
}

impl Deref for Type {
    type Target = RelationType<SigId>;

    fn deref(&self) -> &RelationType<SigId> {
        &self.relation
    }
}

impl DerefMut for Type {
    fn deref_mut(&mut self) -> &mut RelationType<SigId> {
        &mut self.relation
    }
}

impl From<RelationType<SigId>> for Type {
    fn from(relation: RelationType<SigId>) -> Self {
        Type { relation, ..Type::EMPTY }
    }
}

impl Type {
    pub(crate) const EMPTY: Type =
        Type { is_bool: false, is_small: false, relation: RelationType::NOTHING };

    pub(crate) fn formula() -> Self {
        Type { is_bool: true, ..Type::EMPTY }
    }

    pub(crate) fn integer() -> Self {
        Type { is_small: true, ..Type::of(SigId::INT) }
    }

    pub(crate) fn of(sig: SigId) -> Self {
        RelationType::of(sig).into()
    }

    /// Neither a set nor a formula.
    pub(crate) fn is_nothing(&self) -> bool {
        !self.is_bool && self.is_empty()
    }

    pub(crate) fn is_int(&self) -> bool {
        self.entries.iter().any(|entry| entry[..] == [SigId::INT])
    }

    pub(crate) fn is_small_int(&self) -> bool {
        self.is_small && self.is_int()
    }

    /// Without being a formula or a computed integer.
    pub(crate) fn as_set(&self) -> Type {
        self.relation.clone().into()
    }

    pub(crate) fn as_bool(&self) -> Type {
        Type { is_bool: true, ..self.clone() }
    }
}

impl Hierarchy for World {
    type Sig = SigId;

    fn is_below(&self, a: SigId, b: SigId) -> bool {
        if a == b || b == SigId::UNIV {
            return true;
        }
        if a == SigId::UNIV {
            return false;
        }
        match &self.sig(a).belongs {
            Belongs::Prim(parent) => *parent != a && self.is_below(*parent, b),
            Belongs::Subset(parents, _) => parents.iter().any(|parent| self.is_below(*parent, b)),
        }
    }

    fn name(&self, sig: SigId) -> &str {
        &self.sig(sig).name
    }
}

impl World {
    /// The type of what may have one of two meanings.
    pub(crate) fn merge(&self, a: &Type, b: &Type) -> Type {
        if a.is_bool == b.is_bool {
            if a.is_empty() {
                return b.clone();
            }
            if b.is_empty() {
                return a.clone();
            }
        }
        let relation = a.relation.union(b, self);
        Type { is_bool: a.is_bool || b.is_bool, is_small: false, relation }
    }

    pub(crate) fn type_text(&self, ty: &Type) -> String {
        if ty.is_bool && ty.is_empty() { "a formula".to_owned() } else { ty.text(self) }
    }
}

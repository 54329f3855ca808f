//! Bounding types: which signatures the columns of a set can come from (Edwards, Jackson & Torlak,
//! FSE 2004). Two signatures overlap where one contains the other.

use super::core::SigId;

/// A union of products of signatures, all with the same number of columns. Without products, the
/// set is empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Type {
    pub(crate) arity: usize,
    pub(crate) products: Vec<Vec<SigId>>,
}

/// What contains what.
pub(crate) trait Hierarchy {
    /// The smaller of two signatures, if they overlap.
    fn meet(&self, a: SigId, b: SigId) -> Option<SigId>;
}

impl Type {
    pub(crate) fn new(products: Vec<Vec<SigId>>) -> Self {
        let arity = products.first().map_or(1, Vec::len);
        let mut distinct: Vec<Vec<SigId>> = Vec::new();
        for product in products {
            if !distinct.contains(&product) {
                distinct.push(product);
            }
        }
        Self { arity, products: distinct }
    }

    pub(crate) fn of(sig: SigId) -> Self {
        Self { arity: 1, products: vec![vec![sig]] }
    }

    pub(crate) fn empty(arity: usize) -> Self {
        Self { arity, products: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.products.is_empty()
    }

    fn with(arity: usize, products: Vec<Vec<SigId>>) -> Self {
        Self { arity, ..Self::new(products) }
    }

    pub(crate) fn union(&self, other: &Type) -> Type {
        Self::with(self.arity, self.products.iter().chain(&other.products).cloned().collect())
    }

    pub(crate) fn intersection(&self, other: &Type, sigs: &dyn Hierarchy) -> Type {
        let mut products = Vec::new();
        for one in &self.products {
            for two in &other.products {
                let columns = one.iter().zip(two).map(|(a, b)| sigs.meet(*a, *b));
                products.extend(columns.collect::<Option<Vec<SigId>>>());
            }
        }
        Self::with(self.arity, products)
    }

    pub(crate) fn product(&self, other: &Type) -> Type {
        let mut products = Vec::new();
        for one in &self.products {
            products.extend(other.products.iter().map(|two| [one.clone(), two.clone()].concat()));
        }
        Self::with(self.arity + other.arity, products)
    }

    /// The type of a join; the arities allow it.
    pub(crate) fn join(&self, other: &Type, sigs: &dyn Hierarchy) -> Type {
        let mut products = Vec::new();
        for one in &self.products {
            for two in &other.products {
                if sigs.meet(one[one.len() - 1], two[0]).is_some() {
                    products.push([&one[..one.len() - 1], &two[1..]].concat());
                }
            }
        }
        Self::with((self.arity + other.arity).saturating_sub(2), products)
    }

    pub(crate) fn reversed(&self) -> Type {
        let turned = |product: &Vec<SigId>| product.iter().rev().copied().collect();
        Self::with(self.arity, self.products.iter().map(turned).collect())
    }

    /// The type of the transitive closure of a binary relation.
    pub(crate) fn closure(&self, sigs: &dyn Hierarchy) -> Type {
        let mut all = self.clone();
        loop {
            let next = all.union(&all.join(self, sigs));
            if next.products.len() == all.products.len() {
                return all;
            }
            all = next;
        }
    }
}

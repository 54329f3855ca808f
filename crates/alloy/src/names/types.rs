//! Bounding types: unions of products of signatures, as in Edwards, Jackson and Torlak, *A type system
//! for object models* (2004), which Alloy has.

use super::world::{SigId, World};

/// What an expression may be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Type {
    /// A formula.
    pub(crate) is_bool: bool,
    /// An integer that is computed, rather than a set of integers.
    pub(crate) is_small: bool,
    /// Products, none within another of the same arity.
    pub(crate) entries: Vec<Vec<SigId>>,
}

impl Type {
    pub(crate) const EMPTY: Type = Type { is_bool: false, is_small: false, entries: Vec::new() };

    pub(crate) fn formula() -> Self {
        Type { is_bool: true, ..Type::EMPTY }
    }

    pub(crate) fn integer() -> Self {
        Type { is_small: true, ..Type::of(SigId::INT) }
    }

    pub(crate) fn of(sig: SigId) -> Self {
        Type { entries: vec![vec![sig]], ..Type::EMPTY }
    }

    pub(crate) fn product_of(sigs: Vec<SigId>) -> Self {
        Type { entries: vec![sigs], ..Type::EMPTY }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Neither a set nor a formula.
    pub(crate) fn is_nothing(&self) -> bool {
        !self.is_bool && self.entries.is_empty()
    }

    pub(crate) fn is_int(&self) -> bool {
        self.entries.iter().any(|entry| entry[..] == [SigId::INT])
    }

    pub(crate) fn is_small_int(&self) -> bool {
        self.is_small && self.is_int()
    }

    pub(crate) fn has_arity(&self, arity: usize) -> bool {
        self.entries.iter().any(|entry| entry.len() == arity)
    }

    /// The one arity of all entries; -1 if there are several, 0 if there is none.
    pub(crate) fn arity(&self) -> i32 {
        let mut arities = self.entries.iter().map(Vec::len);
        match arities.next() {
            None => 0,
            Some(first) if arities.all(|arity| arity == first) => first as i32,
            Some(_) => -1,
        }
    }

    pub(crate) fn has_tuple(&self) -> bool {
        self.entries.iter().any(|entry| entry[0] != SigId::NONE)
    }

    pub(crate) fn has_common_arity(&self, other: &Type) -> bool {
        self.entries.iter().any(|entry| other.has_arity(entry.len()))
    }

    /// Without being a formula or a computed integer.
    pub(crate) fn as_set(&self) -> Type {
        Type { entries: self.entries.clone(), ..Type::EMPTY }
    }

    pub(crate) fn as_bool(&self) -> Type {
        Type { is_bool: true, ..self.clone() }
    }

    fn keep(&self, mut wanted: impl FnMut(&[SigId]) -> bool) -> Type {
        let entries = self.entries.iter().filter(|entry| wanted(entry)).cloned().collect();
        Type { entries, ..Type::EMPTY }
    }

    /// The part of one arity.
    pub(crate) fn extract(&self, arity: usize) -> Type {
        self.keep(|entry| entry.len() == arity)
    }

    /// The entries whose arity the other has.
    pub(crate) fn pick_common_arity(&self, other: &Type) -> Type {
        self.keep(|entry| other.has_arity(entry.len()))
    }

    pub(crate) fn transpose(&self) -> Type {
        let mut pairs = self.extract(2);
        for pair in &mut pairs.entries {
            pair.reverse();
        }
        pairs
    }
}

/// What needs to know which signature extends which.
impl World {
    pub(crate) fn sig_intersect(&self, a: SigId, b: SigId) -> SigId {
        if self.is_within(a, b) {
            a
        } else if self.is_within(b, a) {
            b
        } else {
            SigId::NONE
        }
    }

    fn product_within(&self, a: &[SigId], b: &[SigId]) -> bool {
        a.iter().zip(b).all(|(a, b)| self.is_within(*a, *b))
    }

    fn product_intersect(&self, a: &[SigId], b: &[SigId]) -> Vec<SigId> {
        let columns: Vec<SigId> =
            a.iter().zip(b).map(|(a, b)| self.sig_intersect(*a, *b)).collect();
        empty_whole(columns)
    }

    fn add(&self, ty: &mut Type, entry: Vec<SigId>) {
        let same = |other: &Vec<SigId>| other.len() == entry.len();
        if ty.entries.iter().any(|known| same(known) && self.product_within(&entry, known)) {
            return;
        }
        ty.entries.retain(|known| !(same(known) && self.product_within(known, &entry)));
        ty.entries.push(entry);
    }

    pub(crate) fn merge(&self, a: &Type, b: &Type) -> Type {
        if a.is_bool == b.is_bool {
            if a.is_empty() {
                return b.clone();
            }
            if b.is_empty() {
                return a.clone();
            }
        }
        let is_bool = a.is_bool || b.is_bool;
        let mut merged = Type { is_bool, is_small: false, entries: a.entries.clone() };
        for entry in &b.entries {
            self.add(&mut merged, entry.clone());
        }
        merged
    }

    pub(crate) fn union_with_common_arity(&self, a: &Type, b: &Type) -> Type {
        let (a, b) = (a.pick_common_arity(b), b.pick_common_arity(a));
        let mut union = a;
        for entry in b.entries {
            self.add(&mut union, entry);
        }
        union
    }

    pub(crate) fn type_intersect(&self, a: &Type, b: &Type) -> Type {
        let mut both = Type::EMPTY;
        for x in &a.entries {
            for y in b.entries.iter().filter(|y| y.len() == x.len()) {
                self.add(&mut both, self.product_intersect(x, y));
            }
        }
        both
    }

    pub(crate) fn type_intersects(&self, a: &Type, b: &Type) -> bool {
        self.type_intersect(a, b).has_tuple()
    }

    pub(crate) fn first_column_overlaps(&self, a: &Type, b: &Type) -> bool {
        let meets = |x: &Vec<SigId>, y: &Vec<SigId>| self.sig_intersect(x[0], y[0]) != SigId::NONE;
        a.entries.iter().any(|x| b.entries.iter().any(|y| meets(x, y)))
    }

    pub(crate) fn product(&self, a: &Type, b: &Type) -> Type {
        let mut product = Type::EMPTY;
        for x in &a.entries {
            for y in &b.entries {
                self.add(&mut product, empty_whole([&x[..], &y[..]].concat()));
            }
        }
        product
    }

    pub(crate) fn join(&self, a: &Type, b: &Type) -> Type {
        let mut joined = Type::EMPTY;
        for x in &a.entries {
            for y in b.entries.iter().filter(|y| x.len() + y.len() > 2) {
                self.add(&mut joined, self.product_join(x, y));
            }
        }
        joined
    }

    /// The join of two products; empty columns where they do not meet.
    pub(crate) fn product_join(&self, x: &[SigId], y: &[SigId]) -> Vec<SigId> {
        let columns = [&x[..x.len() - 1], &y[1..]].concat();
        match self.sig_intersect(x[x.len() - 1], y[0]) {
            SigId::NONE => vec![SigId::NONE; columns.len()],
            _ => empty_whole(columns),
        }
    }

    /// Products with one column within a signature.
    pub(crate) fn restricted(&self, entry: &[SigId], sig: SigId, column: usize) -> Vec<SigId> {
        let mut columns = entry.to_vec();
        columns[column] = self.sig_intersect(columns[column], sig);
        empty_whole(columns)
    }

    pub(crate) fn domain_restrict(&self, set: &Type, relation: &Type, is_range: bool) -> Type {
        let mut restricted = Type::EMPTY;
        for sig in set.entries.iter().filter(|entry| entry.len() == 1) {
            for entry in &relation.entries {
                let column = if is_range { entry.len() - 1 } else { 0 };
                self.add(&mut restricted, self.restricted(entry, sig[0], column));
            }
        }
        restricted
    }

    pub(crate) fn closure(&self, ty: &Type) -> Type {
        let mut closure = ty.extract(2);
        if closure.is_empty() {
            return closure;
        }
        loop {
            let longer = self.join(&closure, &closure.clone());
            let next = self.union_with_common_arity(&closure, &longer);
            let is_same = next
                .entries
                .iter()
                .all(|entry| closure.entries.iter().any(|known| self.product_within(entry, known)));
            if is_same {
                return closure;
            }
            closure = next;
        }
    }

    pub(crate) fn type_text(&self, ty: &Type) -> String {
        if ty.is_bool && ty.is_empty() {
            return "a formula".to_owned();
        }
        let product = |entry: &Vec<SigId>| {
            let names: Vec<&str> = entry.iter().map(|sig| &*self.sigs[sig.index()].name).collect();
            names.join("->")
        };
        let entries: Vec<String> = ty.entries.iter().map(product).collect();
        if entries.is_empty() { "nothing".to_owned() } else { entries.join(" + ") }
    }
}

/// A product with an empty column is empty.
fn empty_whole(columns: Vec<SigId>) -> Vec<SigId> {
    if columns.contains(&SigId::NONE) { vec![SigId::NONE; columns.len()] } else { columns }
}

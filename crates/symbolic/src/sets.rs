//! Operations on sets of vectors of one length. All are recursive over the entries of vectors, never
//! over values: as deep as vectors are long.

use quadrille_model::Value;
use rustc_hash::FxHashMap;

use crate::budget::{Ended, Meter};
use crate::ldd::{EMPTY, Edge, Ldd, Node, UNIT, key};
use crate::natural::Natural;

/// The operations that are remembered.
pub(crate) mod operation {
    pub(crate) const UNION: u32 = 0;
    pub(crate) const INTERSECTION: u32 = 1;
    pub(crate) const DIFFERENCE: u32 = 2;
    pub(crate) const PROJECTION: u32 = 3;
    pub(crate) const IMAGE: u32 = 4;
    pub(crate) const PREIMAGE: u32 = 5;
    pub(crate) const ENABLED: u32 = 6;
    pub(crate) const LABELS: u32 = 7;
    pub(crate) const RESTRICTION: u32 = 8;
    pub(crate) const SATURATION: u32 = 9;
    pub(crate) const ADVANCE: u32 = 10;
}

impl Ldd {
    /// Steps that an operation on a node costs: more where its list is long.
    #[inline]
    pub(crate) fn cost(&self, node: Node) -> u64 {
        1 + self.len(node) as u64 / 8
    }

    /// The set of one vector.
    pub(crate) fn vector(
        &mut self,
        vector: &[Value],
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        vector.iter().rev().try_fold(UNIT, |child, &value| self.single(value, child, meter))
    }

    pub(crate) fn union(
        &mut self,
        one: Node,
        other: Node,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if one == other || other == EMPTY {
            return Ok(one);
        }
        if one == EMPTY {
            return Ok(other);
        }
        let (one, other) = (one.min(other), one.max(other));
        let key = key(operation::UNION, 0, [one, other, EMPTY]);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        meter.spend(self.cost(one) + self.cost(other), || self.bytes())?;
        let base = self.stack.len();
        let (n_one, n_other) = (self.len(one), self.len(other));
        let (mut i, mut j) = (0, 0);
        while i < n_one && j < n_other {
            let (a, b) = (self.edge(one, i), self.edge(other, j));
            let edge = if a.value == b.value {
                (i, j) = (i + 1, j + 1);
                Edge { value: a.value, child: self.union(a.child, b.child, meter)? }
            } else if a.value < b.value {
                i += 1;
                a
            } else {
                j += 1;
                b
            };
            self.stack.push(edge);
        }
        for position in i..n_one {
            self.stack.push(self.edge(one, position));
        }
        for position in j..n_other {
            self.stack.push(self.edge(other, position));
        }
        let result = self.make(base, meter)?;
        self.cache.put(key, result);
        Ok(result)
    }

    /// The union of many sets, joined in pairs of about the same size.
    pub(crate) fn union_all(
        &mut self,
        mut sets: Vec<Node>,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        while sets.len() > 1 {
            let mut joined = Vec::with_capacity(sets.len().div_ceil(2));
            for pair in sets.chunks(2) {
                joined.push(self.union(pair[0], pair.get(1).copied().unwrap_or(EMPTY), meter)?);
            }
            sets = joined;
        }
        Ok(sets.pop().unwrap_or(EMPTY))
    }

    pub(crate) fn intersection(
        &mut self,
        one: Node,
        other: Node,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if one == other {
            return Ok(one);
        }
        if one == EMPTY || other == EMPTY {
            return Ok(EMPTY);
        }
        let (one, other) = (one.min(other), one.max(other));
        let key = key(operation::INTERSECTION, 0, [one, other, EMPTY]);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        meter.spend(self.cost(one), || self.bytes())?;
        let base = self.stack.len();
        let (mut i, mut j) = (0, 0);
        while i < self.len(one) && j < self.len(other) {
            let (a, b) = (self.edge(one, i), self.edge(other, j));
            i += usize::from(a.value <= b.value);
            j += usize::from(b.value <= a.value);
            if a.value == b.value {
                let child = self.intersection(a.child, b.child, meter)?;
                self.keep(a.value, child);
            }
        }
        let result = self.make(base, meter)?;
        self.cache.put(key, result);
        Ok(result)
    }

    /// The members of one set that are not in another.
    pub(crate) fn difference(
        &mut self,
        one: Node,
        other: Node,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if one == other || one == EMPTY {
            return Ok(EMPTY);
        }
        if other == EMPTY {
            return Ok(one);
        }
        let key = key(operation::DIFFERENCE, 0, [one, other, EMPTY]);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        meter.spend(self.cost(one), || self.bytes())?;
        let base = self.stack.len();
        let mut j = 0;
        for i in 0..self.len(one) {
            let a = self.edge(one, i);
            while j < self.len(other) && self.edge(other, j).value < a.value {
                j += 1;
            }
            let same = (j < self.len(other)).then(|| self.edge(other, j));
            match same.filter(|b| b.value == a.value) {
                Some(b) => {
                    let child = self.difference(a.child, b.child, meter)?;
                    self.keep(a.value, child);
                }
                None => self.stack.push(a),
            }
        }
        let result = self.make(base, meter)?;
        self.cache.put(key, result);
        Ok(result)
    }

    /// Adds an edge to the list under construction, if something follows it.
    #[inline]
    pub(crate) fn keep(&mut self, value: Value, child: Node) {
        if child != EMPTY {
            self.stack.push(Edge { value, child });
        }
    }

    /// The node of the edges on the stack from `base` on, in any order; what follows equal values is
    /// joined.
    pub(crate) fn join(&mut self, base: usize, meter: &mut Meter<'_>) -> Result<Node, Ended> {
        self.stack[base..].sort_unstable_by_key(|edge| (edge.value, edge.child));
        let mut kept = base;
        let mut next = base;
        while next < self.stack.len() {
            let Edge { value, mut child } = self.stack[next];
            next += 1;
            while next < self.stack.len() && self.stack[next].value == value {
                child = self.union(child, self.stack[next].child, meter)?;
                next += 1;
            }
            self.stack[kept] = Edge { value, child };
            kept += 1;
        }
        self.stack.truncate(kept);
        self.make(base, meter)
    }

    /// How many members there are.
    pub(crate) fn count(&self, set: Node, known: &mut FxHashMap<Node, Natural>) -> Natural {
        if set == EMPTY || set == UNIT {
            return Natural::from(u64::from(set == UNIT));
        }
        if let Some(count) = known.get(&set) {
            return count.clone();
        }
        let mut sum = Natural::default();
        for edge in self.edges(set) {
            sum.add(&self.count(edge.child, known));
        }
        known.insert(set, sum.clone());
        sum
    }

    /// Shows every member, in order.
    pub(crate) fn each(
        &self,
        set: Node,
        vector: &mut Vec<Value>,
        see: &mut dyn FnMut(&[Value]) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        if set == UNIT {
            return see(vector);
        }
        for edge in self.edges(set) {
            vector.push(edge.value);
            self.each(edge.child, vector, see)?;
            vector.pop();
        }
        Ok(())
    }

    /// The first member.
    pub(crate) fn first(&self, mut set: Node) -> Option<Vec<Value>> {
        let mut vector = Vec::new();
        while set != UNIT {
            let edge = self.edges(set).first()?;
            vector.push(edge.value);
            set = edge.child;
        }
        Some(vector)
    }
}

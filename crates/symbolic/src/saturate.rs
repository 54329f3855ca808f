//! All reachable states by saturation: a node is closed under all steps that touch its level and
//! those below before the levels above are looked at (Ciardo, Lüttgen & Siminiceanu, TACAS 2001; in the
//! form of Meijer & van de Pol, TACAS 2019). What a step does is learned just before it is needed: a closed
//! node is closed under every step of its members, so results stay right when more is learned.

use crate::budget::{Ended, Meter};
use crate::ldd::{EMPTY, Ldd, Node, UNIT, key};
use crate::relation::{Relation, School};
use crate::sets::operation;

/// A computation of everything that is reachable.
pub(crate) struct Saturation<'a, 'm, 'w> {
    pub ldd: &'a mut Ldd,
    pub relations: &'a mut [Relation],
    pub school: &'a mut School<'m>,
    /// Per level, the relations whose first level it is.
    pub by_top: Vec<Vec<usize>>,
    pub meter: &'a mut Meter<'w>,
}

impl Saturation<'_, '_, '_> {
    /// Everything that is reachable from a set by steps that touch no level above.
    pub(crate) fn close(&mut self, set: Node, level: usize) -> Result<Node, Ended> {
        if set == EMPTY || set == UNIT {
            return Ok(set);
        }
        let asked = key(operation::SATURATION, 0, [set, EMPTY, EMPTY]);
        if let Some(known) = self.ldd.cache.get(&asked) {
            return Ok(known);
        }
        self.meter.spend(1, || self.ldd.bytes())?;
        self.ldd.needed.push(set);
        let now = self.close_below(set, level)?;
        let now = self.repeat(now, level)?;
        self.ldd.needed.pop();
        self.ldd.cache.put(asked, now);
        self.ldd.cache.put(key(operation::SATURATION, 0, [now, EMPTY, EMPTY]), now);
        Ok(now)
    }

    /// A set whose values are followed by closed sets, closed.
    fn close_at(&mut self, set: Node, level: usize) -> Result<Node, Ended> {
        if set == EMPTY || set == UNIT {
            return Ok(set);
        }
        let asked = key(operation::SATURATION, 0, [set, EMPTY, EMPTY]);
        if let Some(known) = self.ldd.cache.get(&asked) {
            return Ok(known);
        }
        self.ldd.needed.push(set);
        let now = self.repeat(set, level)?;
        self.ldd.needed.pop();
        self.ldd.cache.put(asked, now);
        self.ldd.cache.put(key(operation::SATURATION, 0, [now, EMPTY, EMPTY]), now);
        Ok(now)
    }

    /// Takes the steps whose first level this is until nothing is new.
    fn repeat(&mut self, mut now: Node, level: usize) -> Result<Node, Ended> {
        loop {
            let before = now;
            self.ldd.needed.push(before);
            for position in 0..self.by_top[level].len() {
                let number = self.by_top[level][position];
                if !self.relations[number].pieces.is_empty() {
                    now = self.advance(number, now, level)?;
                    continue;
                }
                let relation = &mut self.relations[number];
                self.school.learn(self.ldd, relation, now, level as u32, self.meter)?;
                let (node, form) = (relation.node, relation.form());
                let next = self.ldd.image(now, node, form, 0, level as u32, self.meter)?;
                now = self.ldd.union(now, next, self.meter)?;
            }
            self.ldd.needed.pop();
            if now == before {
                return Ok(now);
            }
            now = self.close_below(now, level)?;
        }
    }

    /// The set with what one step of a relation whose first level this is leads to; what follows the
    /// values of that step is closed already.
    fn advance(&mut self, number: usize, now: Node, level: usize) -> Result<Node, Ended> {
        self.ldd.needed.push(now);
        let base = self.ldd.stack.len();
        for position in 0..self.ldd.len(now) {
            let edge = self.ldd.edge(now, position);
            if let Some(after) = self.relations[number].pieces[0].after(edge.value) {
                let child = self.fire(number, edge.child, 1, level + 1)?;
                self.ldd.keep(after, child);
            }
        }
        let next = self.ldd.join(base, self.meter)?;
        let sum = self.ldd.union(now, next, self.meter)?;
        self.ldd.needed.pop();
        Ok(sum)
    }

    /// The image of a closed set under the rest of a relation, closed.
    fn fire(&mut self, number: usize, set: Node, at: usize, level: usize) -> Result<Node, Ended> {
        let relation = &self.relations[number];
        if set == EMPTY || at == relation.touches.len() {
            return Ok(set);
        }
        let asked = key(operation::ADVANCE, relation.id, [set, EMPTY, EMPTY]);
        if let Some(known) = self.ldd.cache.get(&asked) {
            return Ok(known);
        }
        self.meter.spend(self.ldd.cost(set), || self.ldd.bytes())?;
        self.ldd.needed.push(set);
        if self.ldd.is_full() {
            self.ldd.collect(self.relations.iter().flat_map(Relation::nodes));
        }
        let is_here = self.relations[number].touches[at].level as usize == level;
        let base = self.ldd.stack.len();
        for position in 0..self.ldd.len(set) {
            let edge = self.ldd.edge(set, position);
            let (after, next) = match is_here {
                true => (self.relations[number].pieces[at].after(edge.value), at + 1),
                false => (Some(edge.value), at),
            };
            if let Some(after) = after {
                let child = self.fire(number, edge.child, next, level + 1)?;
                self.ldd.keep(after, child);
            }
        }
        // Where what follows different values is joined, it may not be closed any more.
        let joins = is_here
            && self.ldd.stack.len() > base + 1
            && !self.relations[number].pieces[at].keeps_order();
        let image = self.ldd.join(base, self.meter)?;
        let closed = if joins { self.close(image, level)? } else { self.close_at(image, level)? };
        self.ldd.needed.pop();
        self.ldd.cache.put(asked, closed);
        Ok(closed)
    }

    /// The set with what follows each first value closed.
    fn close_below(&mut self, set: Node, level: usize) -> Result<Node, Ended> {
        self.ldd.needed.push(set);
        if self.ldd.is_full() {
            self.ldd.collect(self.relations.iter().flat_map(Relation::nodes));
        }
        let base = self.ldd.stack.len();
        for position in 0..self.ldd.len(set) {
            let edge = self.ldd.edge(set, position);
            let child = self.close(edge.child, level + 1)?;
            self.ldd.keep(edge.value, child);
        }
        self.ldd.needed.pop();
        self.ldd.make(base, self.meter)
    }
}

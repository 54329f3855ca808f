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
        let mut now = self.close_below(set, level)?;
        loop {
            let before = now;
            for position in 0..self.by_top[level].len() {
                let number = self.by_top[level][position];
                let relation = &mut self.relations[number];
                self.school.learn(self.ldd, relation, now, level as u32, self.meter)?;
                let (node, form) = (relation.node, relation.form());
                let next = self.ldd.image(now, node, form, 0, level as u32, self.meter)?;
                now = self.ldd.union(now, next, self.meter)?;
            }
            if now == before {
                break;
            }
            now = self.close_below(now, level)?;
        }
        self.ldd.needed.pop();
        self.ldd.cache.put(asked, now);
        self.ldd.cache.put(key(operation::SATURATION, 0, [now, EMPTY, EMPTY]), now);
        Ok(now)
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

//! Sums over vectors: how small and how large they are in a set, and the part of a set whose sums are
//! at most a number. Slots weigh by themselves, so a node and what is left of the number are enough to
//! know.

use quadrille_model::Weight;
use rustc_hash::FxHashMap;

use crate::budget::{Ended, Meter};
use crate::ldd::{EMPTY, Ldd, Node, UNIT};

/// Weights of levels, with what was found out about nodes. Nodes are not given back meanwhile.
pub(crate) struct Scales<'a> {
    ldd: &'a mut Ldd,
    weights: Vec<Option<Weight>>,
    /// The first level behind all that weigh anything.
    end: usize,
    ranges: FxHashMap<Node, (i64, i64)>,
    cuts: FxHashMap<(Node, i64), Node>,
}

impl<'a> Scales<'a> {
    pub(crate) fn new(ldd: &'a mut Ldd, weights: Vec<Option<Weight>>) -> Self {
        let end = weights.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let (ranges, cuts) = (FxHashMap::default(), FxHashMap::default());
        Self { ldd, weights, end, ranges, cuts }
    }

    fn weight(&self, level: usize, value: u32) -> i64 {
        self.weights[level].as_ref().map_or(0, |weight| weight.of(value))
    }

    /// The smallest and the largest sum in a set that is not empty, from a level on.
    pub(crate) fn range(
        &mut self,
        set: Node,
        level: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(i64, i64), Ended> {
        if set == UNIT || set == EMPTY || level >= self.end {
            return Ok((0, 0));
        }
        if let Some(&known) = self.ranges.get(&set) {
            return Ok(known);
        }
        meter.spend(self.ldd.cost(set), || self.ldd.bytes() + self.ranges.capacity() * 24)?;
        let mut range: Option<(i64, i64)> = None;
        for position in 0..self.ldd.len(set) {
            let edge = self.ldd.edge(set, position);
            let own = self.weight(level, edge.value);
            let (least, most) = self.range(edge.child, level + 1, meter)?;
            let (least, most) = (least.saturating_add(own), most.saturating_add(own));
            range = Some(range.map_or((least, most), |(a, b)| (a.min(least), b.max(most))));
        }
        let range = range.unwrap_or((0, 0));
        self.ranges.insert(set, range);
        Ok(range)
    }

    /// The members of a set whose sum is at most this.
    pub(crate) fn at_most(
        mut self,
        set: Node,
        most: i64,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        self.cut(set, most, 0, meter)
    }

    fn cut(
        &mut self,
        set: Node,
        most: i64,
        level: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if set == EMPTY {
            return Ok(EMPTY);
        }
        let (least, largest) = self.range(set, level, meter)?;
        if largest <= most {
            return Ok(set);
        }
        if least > most {
            return Ok(EMPTY);
        }
        if let Some(&known) = self.cuts.get(&(set, most)) {
            return Ok(known);
        }
        let own = (self.ranges.capacity() + self.cuts.capacity()) * 24;
        meter.spend(self.ldd.cost(set), || self.ldd.bytes() + own)?;
        let base = self.ldd.stack.len();
        for position in 0..self.ldd.len(set) {
            let edge = self.ldd.edge(set, position);
            let left = most.saturating_sub(self.weight(level, edge.value));
            let child = self.cut(edge.child, left, level + 1, meter)?;
            self.ldd.keep(edge.value, child);
        }
        let result = self.ldd.make(base, meter)?;
        self.cuts.insert((set, most), result);
        Ok(result)
    }
}

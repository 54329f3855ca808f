//! Relations applied to sets: images, preimages, which members have a step, by which labels.
//!
//! A relation is a set of vectors as well. It has entries for the levels it touches only, from the
//! first to the last: the value before the step where it reads, the value after it where it writes;
//! at the end, the label of the step. Levels between are passed unchanged.

use quadrille_model::{Change, Guard, Value};
use rustc_hash::FxHashMap;

use crate::budget::{Ended, Meter};
use crate::ldd::{EMPTY, Ldd, Node, UNIT, key};
use crate::natural::Natural;
use crate::sets::operation;

/// What a relation does at a level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Access {
    /// It looks at the value, which stays.
    Read,
    /// It gives a value, whatever there was.
    Write,
    /// It looks at the value and gives another.
    Both,
}

/// A level that a relation touches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Touch {
    pub level: u32,
    pub access: Access,
}

/// The form of a relation: its number, by which results are remembered, and what it touches.
#[derive(Clone, Copy)]
pub(crate) struct Form<'a> {
    pub id: u32,
    pub touches: &'a [Touch],
    /// Where steps are not learned: what they do at each level that is touched.
    pub pieces: &'a [Piece],
}

/// What a step does at a level, where that depends on nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub guards: Vec<Guard>,
    pub change: Option<Change>,
}

impl Piece {
    /// What becomes of a value; `None` if there is no step.
    #[inline]
    pub(crate) fn after(&self, value: Value) -> Option<Value> {
        if !self.guards.iter().all(|guard| guard.allows(value).unwrap_or(true)) {
            return None;
        }
        match &self.change {
            Some(Change::Count { take, put }) => value.checked_sub(*take)?.checked_add(*put),
            Some(Change::Assign(values)) => values.iter().next(),
            _ => Some(value),
        }
    }

    /// Whether different values stay different, in their order.
    pub(crate) fn keeps_order(&self) -> bool {
        !matches!(self.change, Some(Change::Assign(_)))
    }
}

/// Which entries of vectors are kept; and conditions on entries.
pub(crate) struct Projection {
    pub id: u32,
    pub stops: Vec<Stop>,
}

/// A level that a projection looks at.
pub(crate) struct Stop {
    pub level: u32,
    pub is_kept: bool,
    pub guards: Vec<Guard>,
}

impl Stop {
    pub(crate) fn lets_through(&self, value: Value) -> bool {
        self.guards.iter().all(|guard| guard.allows(value).unwrap_or(true))
    }
}

impl Ldd {
    /// The kept entries of the vectors that meet the conditions. The vectors start at `level`.
    pub(crate) fn project(
        &mut self,
        set: Node,
        to: &Projection,
        at: usize,
        level: u32,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        let Some(stop) = to.stops.get(at).filter(|_| set != EMPTY) else {
            return Ok(if set == EMPTY { EMPTY } else { UNIT });
        };
        let key = key(operation::PROJECTION, to.id, [set, EMPTY, EMPTY]);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        meter.spend(self.cost(set), || self.bytes())?;
        let is_here = level == stop.level;
        let next = at + usize::from(is_here);
        let base = self.stack.len();
        let mut sum = EMPTY;
        for position in 0..self.len(set) {
            let edge = self.edge(set, position);
            if is_here && !stop.lets_through(edge.value) {
                continue;
            }
            let child = self.project(edge.child, to, next, level + 1, meter)?;
            if is_here && stop.is_kept {
                self.keep(edge.value, child);
            } else {
                sum = self.union(sum, child, meter)?;
            }
        }
        let result = if is_here && stop.is_kept { self.make(base, meter)? } else { sum };
        self.cache.put(key, result);
        Ok(result)
    }

    /// What one step of a relation leads to from a set.
    pub(crate) fn image(
        &mut self,
        set: Node,
        relation: Node,
        form: Form<'_>,
        at: usize,
        level: u32,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if set == EMPTY || relation == EMPTY {
            return Ok(EMPTY);
        }
        let Some(touch) = form.touches.get(at) else { return Ok(set) };
        let key = key(operation::IMAGE, form.id, [set, relation, EMPTY]);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        meter.spend(self.cost(set), || self.bytes())?;
        let base = self.stack.len();
        let mut seek = Seek::default();
        for position in 0..self.len(set) {
            let edge = self.edge(set, position);
            if level < touch.level {
                let child = self.image(edge.child, relation, form, at, level + 1, meter)?;
                self.keep(edge.value, child);
                continue;
            }
            if let Some(piece) = form.pieces.get(at) {
                if let Some(after) = piece.after(edge.value) {
                    let child = self.image(edge.child, relation, form, at + 1, level + 1, meter)?;
                    self.keep(after, child);
                }
                continue;
            }
            let steps = match touch.access {
                Access::Write => relation,
                Access::Read | Access::Both => seek.find(self, relation, edge.value),
            };
            if steps == EMPTY {
                continue;
            }
            if touch.access == Access::Read {
                let child = self.image(edge.child, steps, form, at + 1, level + 1, meter)?;
                self.keep(edge.value, child);
                continue;
            }
            for position in 0..self.len(steps) {
                let step = self.edge(steps, position);
                let child = self.image(edge.child, step.child, form, at + 1, level + 1, meter)?;
                self.keep(step.value, child);
            }
        }
        let is_changed = level == touch.level
            && touch.access != Access::Read
            && form.pieces.get(at).is_none_or(|piece| !piece.keeps_order());
        let result = if is_changed { self.join(base, meter)? } else { self.make(base, meter)? };
        self.cache.put(key, result);
        Ok(result)
    }

    /// The members of `set` from which one step of a relation leads into `goal`.
    pub(crate) fn preimage(
        &mut self,
        (set, goal): (Node, Node),
        relation: Node,
        form: Form<'_>,
        at: usize,
        level: u32,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if set == EMPTY || relation == EMPTY || goal == EMPTY {
            return Ok(EMPTY);
        }
        let Some(touch) = form.touches.get(at) else {
            return self.intersection(set, goal, meter);
        };
        let key = key(operation::PREIMAGE, form.id, [set, goal, relation]);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        meter.spend(self.cost(set), || self.bytes())?;
        let base = self.stack.len();
        let (mut seek, mut seek_goal) = (Seek::default(), Seek::default());
        for position in 0..self.len(set) {
            let edge = self.edge(set, position);
            let is_here = level == touch.level;
            if let Some(piece) = form.pieces.get(at).filter(|_| is_here) {
                if let Some(after) = piece.after(edge.value) {
                    let pair = (edge.child, self.child(goal, after));
                    let child = self.preimage(pair, relation, form, at + 1, level + 1, meter)?;
                    self.keep(edge.value, child);
                }
                continue;
            }
            if !is_here || touch.access == Access::Read {
                let inner = seek_goal.find(self, goal, edge.value);
                let (steps, next) = match is_here {
                    true => (seek.find(self, relation, edge.value), at + 1),
                    false => (relation, at),
                };
                let pair = (edge.child, inner);
                let child = self.preimage(pair, steps, form, next, level + 1, meter)?;
                self.keep(edge.value, child);
                continue;
            }
            let steps = match touch.access {
                Access::Both => seek.find(self, relation, edge.value),
                Access::Read | Access::Write => relation,
            };
            let mut sum = EMPTY;
            let mut seek_goal = Seek::default();
            for position in 0..self.len(steps) {
                let step = self.edge(steps, position);
                let pair = (edge.child, seek_goal.find(self, goal, step.value));
                let child = self.preimage(pair, step.child, form, at + 1, level + 1, meter)?;
                sum = self.union(sum, child, meter)?;
            }
            self.keep(edge.value, sum);
        }
        let result = self.make(base, meter)?;
        self.cache.put(key, result);
        Ok(result)
    }

    /// The members of a set that have a step.
    pub(crate) fn enabled(
        &mut self,
        set: Node,
        relation: Node,
        form: Form<'_>,
        at: usize,
        level: u32,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if set == EMPTY || relation == EMPTY {
            return Ok(EMPTY);
        }
        let Some(touch) = form.touches.get(at) else { return Ok(set) };
        let key = key(operation::ENABLED, form.id, [set, relation, EMPTY]);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        meter.spend(self.cost(set), || self.bytes())?;
        let base = self.stack.len();
        let mut seek = Seek::default();
        for position in 0..self.len(set) {
            let edge = self.edge(set, position);
            let next = at + usize::from(level == touch.level);
            if let Some(piece) = form.pieces.get(at).filter(|_| next > at) {
                if piece.after(edge.value).is_some() {
                    let child = self.enabled(edge.child, relation, form, next, level + 1, meter)?;
                    self.keep(edge.value, child);
                }
                continue;
            }
            let steps = match touch.access {
                Access::Read | Access::Both if next > at => seek.find(self, relation, edge.value),
                _ => relation,
            };
            if next == at || touch.access == Access::Read {
                let child = self.enabled(edge.child, steps, form, next, level + 1, meter)?;
                self.keep(edge.value, child);
                continue;
            }
            let mut sum = EMPTY;
            for position in 0..self.len(steps) {
                let step = self.edge(steps, position);
                let child = self.enabled(edge.child, step.child, form, next, level + 1, meter)?;
                sum = self.union(sum, child, meter)?;
            }
            self.keep(edge.value, sum);
        }
        let result = self.make(base, meter)?;
        self.cache.put(key, result);
        Ok(result)
    }

    /// The labels of the steps that members of a set have, as vectors of one entry.
    pub(crate) fn labels(
        &mut self,
        set: Node,
        relation: Node,
        form: Form<'_>,
        at: usize,
        level: u32,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if set == EMPTY || relation == EMPTY {
            return Ok(EMPTY);
        }
        let Some(touch) = form.touches.get(at) else { return Ok(relation) };
        let key = key(operation::LABELS, form.id, [set, relation, EMPTY]);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        meter.spend(self.cost(set), || self.bytes())?;
        let mut sum = EMPTY;
        for position in 0..self.len(set) {
            let edge = self.edge(set, position);
            let is_here = level == touch.level;
            if let Some(piece) = form.pieces.get(at).filter(|_| is_here) {
                if piece.after(edge.value).is_some() {
                    let found =
                        self.labels(edge.child, relation, form, at + 1, level + 1, meter)?;
                    sum = self.union(sum, found, meter)?;
                }
                continue;
            }
            let steps = match touch.access {
                Access::Read | Access::Both if is_here => self.child(relation, edge.value),
                _ => relation,
            };
            if !is_here || touch.access == Access::Read {
                let next = at + usize::from(is_here);
                let found = self.labels(edge.child, steps, form, next, level + 1, meter)?;
                sum = self.union(sum, found, meter)?;
                continue;
            }
            for position in 0..self.len(steps) {
                let step = self.edge(steps, position).child;
                let found = self.labels(edge.child, step, form, at + 1, level + 1, meter)?;
                sum = self.union(sum, found, meter)?;
            }
        }
        self.cache.put(key, sum);
        Ok(sum)
    }

    /// The part of a relation whose labels are in a set. `depth` entries lie before the label.
    pub(crate) fn restrict(
        &mut self,
        relation: Node,
        labels: Node,
        depth: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if depth == 0 || relation == EMPTY {
            return self.intersection(relation, labels, meter);
        }
        let key = key(operation::RESTRICTION, 0, [relation, labels, EMPTY]);
        if let Some(known) = self.cache.get(&key) {
            return Ok(known);
        }
        meter.spend(self.cost(relation), || self.bytes())?;
        let base = self.stack.len();
        for position in 0..self.len(relation) {
            let edge = self.edge(relation, position);
            let child = self.restrict(edge.child, labels, depth - 1, meter)?;
            self.keep(edge.value, child);
        }
        let result = self.make(base, meter)?;
        self.cache.put(key, result);
        Ok(result)
    }

    /// How many steps the members of a set have, those with different labels apart.
    pub(crate) fn count_steps(
        &self,
        set: Node,
        relation: Node,
        (touches, pieces): (&[Touch], &[Piece]),
        level: u32,
        known: &mut Counted,
    ) -> Natural {
        if set == EMPTY || relation == EMPTY {
            return Natural::default();
        }
        let Some((touch, rest)) = touches.split_first() else {
            let members = self.count(set, &mut known.members);
            let mut sum = Natural::default();
            (0..self.len(relation)).for_each(|_| sum.add(&members));
            return sum;
        };
        if let Some(count) = known.steps.get(&(set, relation)) {
            return count.clone();
        }
        let mut sum = Natural::default();
        for edge in self.edges(set) {
            let is_here = level == touch.level;
            if let Some((piece, pieces)) = pieces.split_first().filter(|_| is_here) {
                if piece.after(edge.value).is_some() {
                    let rest = (rest, pieces);
                    sum.add(&self.count_steps(edge.child, relation, rest, level + 1, known));
                }
                continue;
            }
            let steps = match touch.access {
                Access::Read | Access::Both if is_here => self.child(relation, edge.value),
                _ => relation,
            };
            if !is_here || touch.access == Access::Read {
                let rest = (if is_here { rest } else { touches }, pieces);
                sum.add(&self.count_steps(edge.child, steps, rest, level + 1, known));
                continue;
            }
            for step in self.edges(steps) {
                let rest = (rest, pieces);
                sum.add(&self.count_steps(edge.child, step.child, rest, level + 1, known));
            }
        }
        known.steps.insert((set, relation), sum.clone());
        sum
    }
}

/// What was counted so far.
#[derive(Default)]
pub(crate) struct Counted {
    /// Members of sets.
    pub members: FxHashMap<Node, Natural>,
    /// Steps of one relation from sets.
    pub steps: FxHashMap<(Node, Node), Natural>,
}

/// Looks ascending values up in a list.
#[derive(Default)]
struct Seek(usize);

impl Seek {
    fn find(&mut self, ldd: &Ldd, node: Node, value: Value) -> Node {
        let edges = &ldd.edges(node)[self.0..];
        // Short lists are walked through, in long ones the place is searched for.
        self.0 += match edges.iter().take(8).position(|edge| edge.value >= value) {
            Some(position) => position,
            None if edges.len() <= 8 => edges.len(),
            None => edges.partition_point(|edge| edge.value < value),
        };
        match ldd.edges(node).get(self.0) {
            Some(edge) if edge.value == value => edge.child,
            _ => EMPTY,
        }
    }
}

//! What formulas and relations mean on one instance, by sets of tuples and the definitions, without
//! circuits: every instance is checked by it before it is shown, and tests hold the search against it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use quadrille_solve::{columns, shift_bits};

use crate::core::{Arithmetic, Core, NodeId, Op, Tense};
use crate::names::world::VarId;
use crate::scope::Bounds;

/// Tuples of atoms.
pub(crate) type Tuples = BTreeSet<Vec<u16>>;

/// The values of all relations in each state of a lasso.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Values {
    /// Of each relation: its tuples in each state, or once if it never changes.
    pub(crate) relations: Vec<Vec<Tuples>>,
    /// How many states there are.
    pub(crate) length: usize,
    /// The state behind the last.
    pub(crate) back_to: usize,
}

pub(crate) struct Evaluator<'a> {
    bounds: &'a Bounds,
    values: &'a Values,
    env: BTreeMap<VarId, Tuples>,
    /// Closed relations at a moment: they are asked for again and again.
    known: FxHashMap<(NodeId, usize), Tuples>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(bounds: &'a Bounds, values: &'a Values) -> Self {
        Self { bounds, values, env: BTreeMap::new(), known: FxHashMap::default() }
    }

    pub(crate) fn core(&self) -> &'a Core {
        &self.bounds.core
    }

    fn period(&self) -> usize {
        self.values.length - self.values.back_to
    }

    fn state(&self, time: usize) -> usize {
        match time < self.values.length {
            true => time,
            false => self.values.back_to + (time - self.values.back_to) % self.period(),
        }
    }

    /// A moment of which on what a node is worth repeats itself with the loop.
    fn settled(&self, node: NodeId, time: usize) -> usize {
        let past = self.bounds.core.facts(node).past as usize;
        time.max(self.values.back_to + past * self.period())
    }

    /// An equal moment that is not too late.
    fn early(&self, node: NodeId, time: usize) -> usize {
        let past = self.bounds.core.facts(node).past as usize;
        let last = self.values.length + past * self.period();
        match time < last {
            true => time,
            false => {
                let start = last - self.period();
                start + (time - start) % self.period()
            }
        }
    }

    /// Runs with a variable bound to some tuples.
    pub(crate) fn with<T>(
        &mut self,
        var: VarId,
        tuples: Tuples,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.env.insert(var, tuples);
        let found = f(self);
        match before {
            Some(before) => self.env.insert(var, before),
            None => self.env.remove(&var),
        };
        found
    }

    pub(crate) fn holds(&mut self, node: NodeId, time: usize) -> bool {
        let bounds = self.bounds;
        let time = self.early(node, time);
        match bounds.core.op(node) {
            Op::And(parts) => parts.iter().all(|part| self.holds(*part, time)),
            Op::Not(of) => !self.holds(*of, time),
            Op::Iff(a, b) => self.holds(*a, time) == self.holds(*b, time),
            Op::In(a, b) => self.tuples(*a, time).is_subset(&self.tuples(*b, time)),
            Op::Equal(a, b) => self.tuples(*a, time) == self.tuples(*b, time),
            Op::Some(a) => !self.tuples(*a, time).is_empty(),
            Op::Lone(a) => self.tuples(*a, time).len() <= 1,
            Op::One(a) => self.tuples(*a, time).len() == 1,
            Op::AtMost(a, n) => self.tuples(*a, time).len() <= *n,
            Op::EqualInt(a, b) => self.number(*a, time) == self.number(*b, time),
            Op::Less(a, b) => self.number(*a, time) < self.number(*b, time),
            Op::Exceeds(number) => self.overflows(*number, time),
            Op::All(var, set, body) => {
                let atoms = self.tuples(*set, time);
                atoms
                    .into_iter()
                    .all(|atom| self.with(*var, Tuples::from([atom]), |it| it.holds(*body, time)))
            }
            Op::AllSets(var, set, is_lone, body) => {
                let all: Vec<Vec<u16>> = self.tuples(*set, time).into_iter().collect();
                let subsets = (0..1u64 << all.len().min(20))
                    .filter(|mask| !is_lone || mask.count_ones() <= 1);
                subsets.into_iter().all(|mask| {
                    let chosen = all.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
                    let chosen: Tuples = chosen.map(|(_, tuple)| tuple.clone()).collect();
                    self.with(*var, chosen, |it| it.holds(*body, time))
                })
            }
            Op::TotalOrder(elements, first, next) => {
                let elements = self.tuples(*elements, time);
                let first = self.tuples(*first, time);
                is_order(&elements, &first, &self.tuples(*next, time))
            }
            Op::After(of) => self.holds(*of, time + 1),
            Op::Always(of) => {
                let end = self.settled(*of, time).max(self.values.length) + self.period();
                (time..end).all(|time| self.holds(*of, time))
            }
            Op::Until(a, b) => {
                let end = self.settled(node, time).max(self.values.length) + self.period();
                for moment in time..end {
                    if self.holds(*b, moment) {
                        return true;
                    }
                    if !self.holds(*a, moment) {
                        return false;
                    }
                }
                false
            }
            Op::Before(of) => time > 0 && self.holds(*of, time - 1),
            Op::Once(of) => (0..=time).any(|time| self.holds(*of, time)),
            Op::Since(a, b) => {
                for moment in (0..=time).rev() {
                    if self.holds(*b, moment) {
                        return true;
                    }
                    if !self.holds(*a, moment) {
                        return false;
                    }
                }
                false
            }
            _ => false,
        }
    }

    pub(crate) fn tuples(&mut self, node: NodeId, time: usize) -> Tuples {
        let time = self.early(node, time);
        let facts = self.bounds.core.facts(node);
        let moment = match facts.tense {
            Tense::Static => 0,
            Tense::Present => self.state(time),
            Tense::Temporal => time,
        };
        if facts.free.is_empty() {
            if let Some(known) = self.known.get(&(node, moment)) {
                return known.clone();
            }
            let found = self.new_tuples(node, time);
            self.known.insert((node, moment), found.clone());
            return found;
        }
        self.new_tuples(node, time)
    }

    fn new_tuples(&mut self, node: NodeId, time: usize) -> Tuples {
        let bounds = self.bounds;
        match bounds.core.op(node) {
            Op::Rel(id) => {
                let states = &self.values.relations[id.0 as usize];
                let state =
                    if bounds.relations[id.0 as usize].is_var { self.state(time) } else { 0 };
                states[state].clone()
            }
            Op::Constant(arity, tuples) => {
                tuples.iter().map(|tuple| columns(*tuple, *arity)).collect()
            }
            Op::Var(var) => self.env.get(var).cloned().unwrap_or_default(),
            Op::Union(a, b) => &self.tuples(*a, time) | &self.tuples(*b, time),
            Op::Minus(a, b) => &self.tuples(*a, time) - &self.tuples(*b, time),
            Op::Intersect(a, b) => &self.tuples(*a, time) & &self.tuples(*b, time),
            Op::Join(a, b) => join(&self.tuples(*a, time), &self.tuples(*b, time)),
            Op::Product(a, b) => {
                let (a, b) = (self.tuples(*a, time), self.tuples(*b, time));
                a.iter().flat_map(|x| b.iter().map(|y| [&x[..], &y[..]].concat())).collect()
            }
            Op::Override(a, b) => {
                let (a, b) = (self.tuples(*a, time), self.tuples(*b, time));
                let replaced: BTreeSet<u16> = b.iter().map(|tuple| tuple[0]).collect();
                let kept = a.into_iter().filter(|tuple| !replaced.contains(&tuple[0]));
                kept.chain(b.iter().cloned()).collect()
            }
            Op::Restrict(a, is_last, b) => {
                let (a, b) = (self.tuples(*a, time), self.tuples(*b, time));
                let column =
                    |tuple: &[u16]| if *is_last { tuple[tuple.len() - 1] } else { tuple[0] };
                a.into_iter().filter(|tuple| b.contains(&vec![column(tuple)])).collect()
            }
            Op::Transpose(a) => {
                self.tuples(*a, time).into_iter().map(|pair| vec![pair[1], pair[0]]).collect()
            }
            Op::Closure(a) => {
                let pairs = self.tuples(*a, time);
                let mut closure = pairs.clone();
                loop {
                    let longer = &closure | &join(&closure, &pairs);
                    if longer == closure {
                        return closure;
                    }
                    closure = longer;
                }
            }
            Op::Identity(a) => {
                self.tuples(*a, time).into_iter().map(|atom| vec![atom[0], atom[0]]).collect()
            }
            Op::Prime(a) => self.tuples(*a, time + 1),
            Op::Choose(c, a, b) => {
                let chosen = if self.holds(*c, time) { *a } else { *b };
                self.tuples(chosen, time)
            }
            Op::Comprehension(vars, body) => {
                let mut found = Tuples::new();
                self.comprehend(vars, *body, time, &mut Vec::new(), &mut found);
                found
            }
            Op::FromInt(number) => {
                let value = self.number(*number, time) + bounds.zero;
                let atom = u16::try_from(value).ok().filter(|it| bounds.integers.contains(it));
                atom.into_iter().map(|atom| vec![atom]).collect()
            }
            _ => Tuples::new(),
        }
    }

    fn comprehend(
        &mut self,
        vars: &[(VarId, NodeId)],
        body: NodeId,
        time: usize,
        tuple: &mut Vec<u16>,
        found: &mut Tuples,
    ) {
        let Some(((var, set), rest)) = vars.split_first() else {
            if self.holds(body, time) {
                found.insert(tuple.clone());
            }
            return;
        };
        for atom in self.tuples(*set, time) {
            tuple.push(atom[0]);
            self.with(*var, Tuples::from([atom]), |it| {
                it.comprehend(rest, body, time, tuple, found);
            });
            tuple.pop();
        }
    }

    /// A number cut to the width of integers.
    fn wrap(&self, value: i64) -> i64 {
        let unused = 64 - self.bounds.width as u32;
        value.wrapping_shl(unused) >> unused
    }

    pub(crate) fn number(&mut self, node: NodeId, time: usize) -> i64 {
        let value = self.uncut(node, time);
        self.wrap(value)
    }

    /// Whether a number does not fit into the width of integers.
    pub(crate) fn overflows(&mut self, node: NodeId, time: usize) -> bool {
        let value = self.uncut(node, time);
        value != self.wrap(value)
    }

    /// A number made of numbers that were cut to the width, itself not yet cut.
    fn uncut(&mut self, node: NodeId, time: usize) -> i64 {
        let bounds = self.bounds;
        match bounds.core.op(node) {
            Op::Number(number) => *number,
            Op::Count(set) => self.tuples(*set, time).len() as i64,
            Op::SumOf(set) => {
                let atoms = self.tuples(*set, time).into_iter().map(|atom| atom[0]);
                let integers = atoms.filter(|atom| bounds.integers.contains(atom));
                integers.map(|atom| i64::from(atom) - bounds.zero).sum()
            }
            Op::SumOver(var, set, number) => {
                let atoms = self.tuples(*set, time).into_iter();
                let one = |it: &mut Self, atom| {
                    it.with(*var, Tuples::from([atom]), |it| it.number(*number, time))
                };
                atoms.map(|atom| one(self, atom)).sum()
            }
            Op::Arithmetic(operator, a, b) => {
                let (a, b) = (self.number(*a, time), self.number(*b, time));
                self.arithmetic(*operator, a, b)
            }
            Op::ChooseInt(c, a, b) => {
                let chosen = if self.holds(*c, time) { *a } else { *b };
                self.number(chosen, time)
            }
            _ => 0,
        }
    }

    fn arithmetic(&self, operator: Arithmetic, a: i64, b: i64) -> i64 {
        let width = self.bounds.width as u32;
        let unsigned = |value: i64| value as u64 & (u64::MAX >> (64 - width));
        let by = (unsigned(b) & ((1 << shift_bits(self.bounds.width)) - 1)) as u32;
        match operator {
            Arithmetic::Plus => a + b,
            Arithmetic::Minus => a - b,
            Arithmetic::Times => a * b,
            // Long division by nothing fits in every place.
            Arithmetic::Divide if b == 0 => {
                if a < 0 {
                    1
                } else {
                    -1
                }
            }
            Arithmetic::Divide => a / b,
            Arithmetic::Remainder if b == 0 => a,
            Arithmetic::Remainder => a % b,
            Arithmetic::ShiftLeft => {
                if by >= width {
                    0
                } else {
                    a << by
                }
            }
            Arithmetic::ShiftRight => a >> by,
            Arithmetic::ShiftRightUnsigned => (unsigned(a) >> by) as i64,
        }
    }
}

fn join(a: &Tuples, b: &Tuples) -> Tuples {
    let mut joined = Tuples::new();
    for x in a {
        let last = x[x.len() - 1];
        for y in b.range(vec![last]..).take_while(|y| y[0] == last) {
            joined.insert([&x[..x.len() - 1], &y[1..]].concat());
        }
    }
    joined
}

/// Whether a relation goes through all elements, one by one, from the first.
fn is_order(elements: &Tuples, first: &Tuples, next: &Tuples) -> bool {
    if elements.is_empty() {
        return first.is_empty() && next.is_empty();
    }
    let mut left = elements.clone();
    let mut at = match (first.len(), first.first()) {
        (1, Some(atom)) => atom[0],
        _ => return false,
    };
    let mut steps = 0;
    while left.remove(&vec![at]) {
        let mut after = next.iter().filter(|pair| pair[0] == at);
        match (after.next(), after.next()) {
            (Some(pair), None) => {
                at = pair[1];
                steps += 1;
            }
            (None, _) => return left.is_empty() && steps == next.len(),
            _ => return false,
        }
    }
    false
}

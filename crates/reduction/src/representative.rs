//! One state of those that differ only in which member of a family is where: how it is found, how many
//! are like it, and who stands where in it.
//!
//! Families that share no slot with others and of which nothing else names the members are sorted.
//! Families that do are searched together: all exchanges are tried, one swap of neighbours after the
//! other (Johnson 1963, Trotter 1962), where they are few, and the least state taken; where they are
//! many, swaps are made as long as one leads to a lesser state. Then two states that are alike may have
//! different representatives, which costs states and is no less true.

use std::collections::BTreeSet;

use quadrille_model::{Family, SlotId, Swap, Value};

use crate::renaming::Renaming;

/// Most exchanges that are all tried.
const MAX_EXCHANGES: usize = 720;

/// Families that are exchanged together, because they share slots, or one alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Exchange {
    /// Members that are sorted.
    Sorted(Family),
    /// Swaps that are tried.
    Searched(Searched),
}

/// Families of which exchanges are tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Searched {
    /// What is swapped: neighbours if all exchanges are tried, any two members if not.
    swaps: Vec<Swap>,
    /// All exchanges, each by one swap more than the one before; `None` if they are too many.
    walk: Option<Vec<usize>>,
    /// The slots in which something may change, ascending.
    slots: Vec<SlotId>,
}

impl Exchange {
    /// How families are exchanged of which each shares slots with another of them, or one alone.
    pub(crate) fn of(n_slots: usize, families: Vec<Family>) -> Self {
        let is_plain = families.len() == 1 && families[0].beside.is_empty();
        match <[Family; 1]>::try_from(families) {
            Ok([family]) if is_plain => Exchange::Sorted(family),
            Ok(one) => Exchange::Searched(Searched::of(n_slots, &one)),
            Err(several) => Exchange::Searched(Searched::of(n_slots, &several)),
        }
    }

    /// Makes a state its representative, and notes what was swapped for that.
    pub(crate) fn represent(&self, state: &mut [Value], made: Option<&mut Vec<Swap>>) {
        match self {
            Exchange::Sorted(family) => sort(family, state, made),
            Exchange::Searched(searched) => searched.represent(state, made),
        }
    }

    /// How many states have this representative, or a number that is less.
    pub(crate) fn n_alike(&self, representative: &[Value]) -> f64 {
        match self {
            Exchange::Sorted(Family { members, .. }) => {
                let (mut n_alike, mut n_equal) = (1.0_f64, 1.0);
                for position in 1..members.len() {
                    let (last, own) = (&members[position - 1], &members[position]);
                    let equal = !is_before(representative, last, own);
                    n_equal = if equal { n_equal + 1.0 } else { 1.0 };
                    n_alike *= (position + 1) as f64 / n_equal;
                }
                n_alike
            }
            Exchange::Searched(searched) => searched.n_alike(representative),
        }
    }

    /// The slots in which something may change.
    pub(crate) fn slots(&self) -> Vec<SlotId> {
        match self {
            Exchange::Sorted(family) => family.members.concat(),
            Exchange::Searched(searched) => searched.slots.clone(),
        }
    }
}

/// Sorts members by what they hold: few, and often sorted but for one.
fn sort(Family { members, .. }: &Family, state: &mut [Value], mut made: Option<&mut Vec<Swap>>) {
    for end in 1..members.len() {
        let mut at = end;
        while at > 0 && is_before(state, &members[at], &members[at - 1]) {
            let slots = members[at].iter().zip(&members[at - 1]);
            for (one, other) in slots.clone() {
                state.swap(one.index(), other.index());
            }
            if let Some(made) = &mut made {
                let slots = slots.map(|(one, other)| (*one, *other)).collect();
                made.push(Swap { slots, values: Vec::new() });
            }
            at -= 1;
        }
    }
}

/// Whether one member holds less than another.
#[inline]
fn is_before(state: &[Value], one: &[SlotId], other: &[SlotId]) -> bool {
    let of = |slots: &[SlotId], position: usize| state[slots[position].index()];
    let differs = (0..one.len()).find(|&position| of(one, position) != of(other, position));
    differs.is_some_and(|position| of(one, position) < of(other, position))
}

impl Searched {
    fn of(n_slots: usize, families: &[Family]) -> Self {
        let neighbours: Vec<Vec<Swap>> =
            families.iter().map(|family| family.swaps().collect()).collect();
        let mut slots: Vec<SlotId> = neighbours.iter().flatten().flat_map(Swap::slots).collect();
        slots.sort_unstable();
        slots.dedup();
        let n_exchanges = families.iter().try_fold(1usize, |product, family| {
            let mut factors = 1..=family.members.len();
            factors.try_fold(product, usize::checked_mul).filter(|&n| n <= MAX_EXCHANGES)
        });
        if n_exchanges.is_some() {
            let mut walk = Vec::new();
            let mut first = 0;
            for swaps in &neighbours {
                walk = product(&walk, &permutations(swaps.len() + 1, first));
                first += swaps.len();
            }
            return Self { swaps: neighbours.concat(), walk: Some(walk), slots };
        }
        let any_two = |swaps: &Vec<Swap>| between_any(n_slots, swaps);
        Self { swaps: neighbours.iter().flat_map(any_two).collect(), walk: None, slots }
    }

    fn held<'s>(&'s self, state: &'s [Value]) -> impl Iterator<Item = Value> + 's {
        self.slots.iter().map(|slot| state[slot.index()])
    }

    fn represent(&self, state: &mut [Value], mut made: Option<&mut Vec<Swap>>) {
        let mut least: Vec<Value> = self.held(state).collect();
        let is_less = |state: &[Value], least: &[Value]| self.held(state).lt(least.iter().copied());
        if let Some(walk) = &self.walk {
            let mut n_steps = 0;
            for (position, &step) in walk.iter().enumerate() {
                self.swaps[step].apply(state);
                if is_less(state, &least) {
                    n_steps = position + 1;
                    least.clear();
                    least.extend(self.held(state));
                }
            }
            self.slots.iter().zip(&least).for_each(|(slot, &value)| state[slot.index()] = value);
            if let Some(made) = made {
                made.extend(walk[..n_steps].iter().map(|&step| self.swaps[step].clone()));
            }
            return;
        }
        loop {
            let mut goes_on = false;
            for swap in &self.swaps {
                swap.apply(state);
                if is_less(state, &least) {
                    goes_on = true;
                    least.clear();
                    least.extend(self.held(state));
                    if let Some(made) = &mut made {
                        made.push(swap.clone());
                    }
                } else {
                    swap.apply(state);
                }
            }
            if !goes_on {
                return;
            }
        }
    }

    fn n_alike(&self, representative: &[Value]) -> f64 {
        let mut state = representative.to_vec();
        if let Some(walk) = &self.walk {
            let mut n_same = 1;
            for &step in walk {
                self.swaps[step].apply(&mut state);
                n_same += usize::from(state == representative);
            }
            return (walk.len() + 1) as f64 / n_same as f64;
        }
        let mut others = BTreeSet::from([state.clone()]);
        for swap in &self.swaps {
            swap.apply(&mut state);
            others.insert(state.clone());
            swap.apply(&mut state);
        }
        others.len() as f64
    }
}

/// All orders of some members but the one that they are in, each by a swap of two neighbours more than
/// the one before; the first swap is that of the first two and has the number `first`.
fn permutations(n_members: usize, first: usize) -> Vec<usize> {
    let mut walk: Vec<usize> = Vec::new();
    // The last member of those looked at goes all the way down, the others take one step, it goes all
    // the way up, and so on. While it is in front, their positions are one further.
    for n_members in 2..=n_members {
        let down: Vec<usize> = (0..n_members - 1).rev().collect();
        let mut longer = down.clone();
        for (round, step) in walk.iter().enumerate() {
            let is_in_front = round % 2 == 0;
            longer.push(step + usize::from(is_in_front));
            if is_in_front {
                longer.extend(down.iter().rev());
            } else {
                longer.extend(&down);
            }
        }
        walk = longer;
    }
    walk.into_iter().map(|step| step + first).collect()
}

/// All pairs of what two walks pass through: the second is walked up and down between the steps of the
/// first.
fn product(outer: &[usize], inner: &[usize]) -> Vec<usize> {
    let mut walk = inner.to_vec();
    for (round, &step) in outer.iter().enumerate() {
        walk.push(step);
        if round % 2 == 0 {
            // A swap is its own inverse.
            walk.extend(inner.iter().rev());
        } else {
            walk.extend(inner);
        }
    }
    walk
}

/// The swaps of any two members, from those of neighbours.
fn between_any(n_slots: usize, neighbours: &[Swap]) -> Vec<Swap> {
    let pairs =
        (0..neighbours.len()).flat_map(|from| (from..neighbours.len()).map(move |to| (from, to)));
    pairs.filter_map(|(from, to)| between(n_slots, &neighbours[from..=to])).collect()
}

/// The swap of the first and the last of some members, from those of neighbours.
pub(crate) fn between(n_slots: usize, neighbours: &[Swap]) -> Option<Swap> {
    let back = neighbours.iter().rev().skip(1);
    Renaming::of(n_slots, neighbours.iter().chain(back)).as_swap()
}

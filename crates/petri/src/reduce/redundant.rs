//! Rules about what is redundant: what an empty siphon keeps from firing, transitions that others stand
//! for, places that never forbid anything.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::Work;
use crate::formula::Formula;
use crate::linear::Equation;
use crate::net::{Bag, Net, PlaceId, Transition, weight};

/// Places times transitions beyond which the state equation is not asked.
const MOST_CELLS: usize = 40_000;
/// Questions to the state equation, for one net.
const MOST_ASKED: usize = 200;
/// Transitions beyond which they are not compared in pairs.
const MOST_COMPARED: usize = 2_000;

impl Work<'_> {
    /// A set of empty places stays empty where every transition that puts into it takes from it (a
    /// siphon); what takes from the largest such set never fires.
    pub(super) fn siphon(&mut self) -> bool {
        let mut may_hold: Vec<bool> = self.initial.iter().map(|&tokens| tokens > 0).collect();
        let mut keep = vec![false; self.transitions.len()];
        loop {
            if !(self.go_on)() {
                return false;
            }
            let mut is_changed = false;
            for (position, (transition, _)) in self.transitions.iter().enumerate() {
                let fires = || transition.take.iter().all(|(place, _)| may_hold[place.index()]);
                if !keep[position] && fires() {
                    (keep[position], is_changed) = (true, true);
                    transition.put.iter().for_each(|(place, _)| may_hold[place.index()] = true);
                }
            }
            if !is_changed {
                break;
            }
        }
        self.retain(&keep)
    }

    /// A transition that does the same as another, and needs as much or more.
    pub(super) fn dominated(&mut self) -> bool {
        let mut by_effect: BTreeMap<Vec<(PlaceId, i64)>, Vec<usize>> = BTreeMap::new();
        for (position, (transition, _)) in self.transitions.iter().enumerate() {
            by_effect.entry(effect(transition)).or_default().push(position);
        }
        let mut keep = vec![true; self.transitions.len()];
        for alike in by_effect.values().filter(|alike| (2..MOST_COMPARED).contains(&alike.len())) {
            for &one in alike {
                let is_needless = |&other: &usize| {
                    let (mine, its) =
                        (&self.transitions[one].0.take, &self.transitions[other].0.take);
                    // Of two that are the same, the first stays.
                    other != one && keep[other] && covers(mine, its) && (mine != its || other < one)
                };
                if alike.iter().any(is_needless) {
                    keep[one] = false;
                }
            }
        }
        self.retain(&keep)
    }

    /// A transition that does what two others do one after the other, where these can.
    pub(super) fn composed(&mut self) -> bool {
        let n = self.transitions.len();
        if n > MOST_COMPARED {
            return false;
        }
        let effects: Vec<_> = self.transitions.iter().map(|(it, _)| effect(it)).collect();
        let mut by_effect: FxHashMap<&[(PlaceId, i64)], Vec<usize>> = FxHashMap::default();
        for (position, effect) in effects.iter().enumerate() {
            by_effect.entry(effect).or_default().push(position);
        }
        let mut keep = vec![true; n];
        // One that is needed to stand for another stays.
        let mut is_needed = vec![false; n];
        for (whole, effect) in effects.iter().enumerate() {
            if is_needed[whole] {
                continue;
            }
            let take = &self.transitions[whole].0.take;
            let is_first = |&first: &usize| {
                first != whole && keep[first] && covers(take, &self.transitions[first].0.take)
            };
            let found = (0..n).filter(is_first).find_map(|first| {
                let rest = difference(effect, &effects[first]);
                let seconds = by_effect.get(&rest[..])?.iter().copied();
                let fits = |second: &usize| {
                    *second != whole
                        && keep[*second]
                        && self.transitions[*second].0.take.iter().all(|&(place, needed)| {
                            let change = &effects[first];
                            let at = change.binary_search_by_key(&place, |entry| entry.0);
                            let gained = at.map_or(0, |at| change[at].1);
                            i64::from(weight(take, place)) + gained >= i64::from(needed)
                        })
                };
                seconds.into_iter().find(fits).map(|second| (first, second))
            });
            if let Some((first, second)) = found {
                keep[whole] = false;
                (is_needed[first], is_needed[second]) = (true, true);
            }
        }
        self.retain(&keep)
    }

    /// A place that always holds enough where all else that a transition needs is there (an implicit
    /// place; Silva, Teruel & Colom 1998). The state equation shows it.
    pub(super) fn implicit(&mut self) -> bool {
        let present: Vec<usize> =
            (0..self.initial.len()).filter(|&place| self.is_place[place]).collect();
        if present.len() * self.transitions.len() > MOST_CELLS {
            return false;
        }
        let mut asked = 0;
        for &place in &present {
            if self.kept[place] {
                continue;
            }
            let equation = Equation::new(&self.as_net(), true);
            let id = PlaceId::from_usize(place);
            let takers: Vec<&Transition> = self
                .transitions
                .iter()
                .map(|(transition, _)| transition)
                .filter(|transition| weight(&transition.take, id) > 0)
                .collect();
            asked += takers.len();
            if asked > MOST_ASKED {
                return false;
            }
            let mut never_forbids = |transition: &&Transition| {
                let rest = transition.take.iter().filter(|(other, _)| *other != id);
                let all_else = rest.map(|&(other, tokens)| Formula::at_least(other, tokens));
                let most = i64::from(weight(&transition.take, id)) - 1;
                let is_missing = Formula::AtMost(vec![(id, 1)], most);
                let blocked = Formula::and(all_else.chain([is_missing])).pushed(false);
                equation.refutes(&blocked, &mut *self.go_on)
            };
            if takers.iter().all(&mut never_forbids) {
                return self.drop_places(&[place]);
            }
        }
        false
    }

    /// The net as it is now, with the places that were taken away left without arcs.
    fn as_net(&self) -> Net {
        Net {
            places: vec![String::new(); self.initial.len()],
            initial: self.initial.clone(),
            transitions: self
                .transitions
                .iter()
                .map(|(transition, _)| transition.clone())
                .collect(),
            ..Net::default()
        }
    }
}

/// How a transition changes places, ascending.
fn effect(transition: &Transition) -> Vec<(PlaceId, i64)> {
    let taken = transition.take.iter().map(|&(place, tokens)| (place, -i64::from(tokens)));
    let put = transition.put.iter().map(|&(place, tokens)| (place, i64::from(tokens)));
    joined(taken.chain(put).collect())
}

fn difference(one: &[(PlaceId, i64)], other: &[(PlaceId, i64)]) -> Vec<(PlaceId, i64)> {
    let turned = other.iter().map(|&(place, sum)| (place, -sum));
    joined(one.iter().copied().chain(turned).collect())
}

fn joined(mut sums: Vec<(PlaceId, i64)>) -> Vec<(PlaceId, i64)> {
    sums.sort_unstable();
    sums.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    sums.retain(|&(_, sum)| sum != 0);
    sums
}

/// Whether a bag has all that another has.
fn covers(large: &Bag, small: &Bag) -> bool {
    small.iter().all(|&(place, tokens)| weight(large, place) >= tokens)
}

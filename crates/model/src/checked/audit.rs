//! What [`Checked`] asks a model about a state, and compares.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::{Checked, Promise, REMEMBERED};
use crate::{
    ActionId, Change, Family, GroupId, Guard, GuardId, Problem, PropositionId, SlotId, Swap, Value,
    settled,
};

/// Where two steps lead, one after the other, and by which actions.
type Corner = ((ActionId, ActionId), Vec<Value>);
type Edge = (ActionId, Vec<Value>);
type Computed<T> = Result<T, Box<Problem>>;

/// Pairs of enabled groups that are looked at in one state.
const MAX_PAIRS: usize = 64;

impl Checked<'_> {
    /// Checks a state that the model reported; true if it can be worked with. One that is visited
    /// also has contents.
    pub(super) fn check_state(
        &mut self,
        group: Option<GroupId>,
        state: &[Value],
        is_visited: bool,
    ) -> bool {
        let signature = self.signature;
        if state.len() != signature.n_slots() {
            self.report(Promise::Length, group, None, state);
            return false;
        }
        let mut good = true;
        for slot in signature.slot_ids() {
            let value = state[slot.index()];
            if signature.slot(slot).domain.size().is_some_and(|size| value >= size) {
                self.report(Promise::InDomain, group, Some(slot.index()), state);
                good = false;
                continue;
            }
            if !is_visited {
                continue;
            }
            if self.model.value(slot, &self.content(slot, value)) != Some(value) {
                self.report(Promise::Content, None, Some(slot.index()), state);
            }
            let seen = self.seen.entry(slot).or_default();
            if seen.len() < REMEMBERED && !seen.contains(&value) {
                seen.push(value);
            }
        }
        good
    }

    fn content(&self, slot: SlotId, value: Value) -> Vec<u8> {
        let mut content = Vec::new();
        self.model.content(slot, value, &mut content);
        content
    }

    /// The successors of one group, with all that one call shows. A state that is not visited need
    /// not be reachable, so its queues may hold anything.
    fn edges(&mut self, id: GroupId, state: &[Value], is_visited: bool) -> Computed<Vec<Edge>> {
        let signature = self.signature;
        let group = &signature.groups[id.index()];
        let (mut edges, mut strangers) = (Vec::new(), false);
        settled(self.explorer.successors(id, state, &mut |by, action, next: &[Value]| {
            strangers |= by != id;
            edges.push((action, next.to_vec()));
            ControlFlow::Continue(())
        }))?;
        if strangers {
            self.report(Promise::Ids, Some(id), None, state);
        }
        let n_actions = self.model.n_actions();
        let is_known = |action: &ActionId| {
            let declared = group.actions.as_ref();
            action.index() < n_actions
                && declared.is_none_or(|actions| actions.binary_search(action).is_ok())
        };
        if edges.iter().any(|(action, _)| !is_known(action)) {
            self.report(Promise::Actions, Some(id), None, state);
        }
        let mut all_hold = true;
        for &guard in &group.guards {
            if !self.guard(guard, state)? {
                all_hold = false;
                if !edges.is_empty() {
                    self.report(Promise::GuardsNecessary, Some(id), Some(guard.index()), state);
                }
            }
        }
        if edges.is_empty() && all_hold && group.guards_complete {
            self.report(Promise::GuardsComplete, Some(id), None, state);
        }
        edges.retain(|(_, next)| self.check_state(Some(id), next, is_visited));
        for (_, next) in &edges {
            for slot in signature.slot_ids() {
                let (old, new) = (state[slot.index()], next[slot.index()]);
                match group.change(slot) {
                    None if old != new => {
                        self.report(Promise::MayWrite, Some(id), Some(slot.index()), state);
                    }
                    Some(change) if is_visited && !self.fits(change, slot, old, new) => {
                        self.report(Promise::Effect, Some(id), Some(slot.index()), state);
                    }
                    _ => {}
                }
            }
        }
        Ok(edges)
    }

    fn guard(&mut self, guard: GuardId, state: &[Value]) -> Computed<bool> {
        match self.signature.guard(guard).holds(state) {
            Some(holds) => Ok(holds),
            None => self.explorer.guard(guard, state),
        }
    }

    /// Whether a slot changed as was declared.
    fn fits(&self, change: &Change, slot: SlotId, old: Value, new: Value) -> bool {
        let elements = |value: Value| -> Vec<Value> {
            let content = self.content(slot, value);
            let words = content.chunks(4).map(|word| word.try_into().map(Value::from_le_bytes));
            words.map(|word| word.unwrap_or(Value::MAX)).collect()
        };
        // One more behind the others, or one more anywhere.
        let grows = |short: Value, long: Value, is_ordered: bool, front: bool| {
            let (mut short, mut long) = (elements(short), elements(long));
            if !is_ordered {
                let common = short.iter().all(|element| {
                    let at = long.iter().position(|other| other == element);
                    at.map(|at| long.remove(at)).is_some()
                });
                return if common && long.len() == 1 { long.pop() } else { None };
            }
            if front {
                short.reverse();
                long.reverse();
            }
            let added = long.pop()?;
            (long == short).then_some(added)
        };
        match change {
            Change::Any | Change::Set => true,
            Change::Assign(values) => values.contains(new),
            Change::Push(set) => grows(old, new, true, false).is_some_and(|e| set.contains(e)),
            Change::Pop(set) => grows(new, old, true, true).is_some_and(|e| set.contains(e)),
            Change::Insert(set) => grows(old, new, false, false).is_some_and(|e| set.contains(e)),
            Change::Remove(set) => grows(new, old, false, false).is_some_and(|e| set.contains(e)),
            Change::Count { take, put } => {
                old.checked_sub(*take).and_then(|left| left.checked_add(*put)) == Some(new)
            }
        }
    }

    /// The edges of one group; also changes each slot that it does not depend on.
    fn check_group(&mut self, id: GroupId, state: &[Value]) -> Computed<Vec<Edge>> {
        let signature = self.signature;
        let group = &signature.groups[id.index()];
        let edges = self.edges(id, state, true)?;
        let guard_reads = signature.guard_reads(id);
        for slot in signature.slot_ids() {
            let decides = guard_reads.binary_search(&slot).is_ok();
            let is_read = group.reads.binary_search(&slot).is_ok();
            let Some(changed) = self.changed(slot, state).filter(|_| !decides || !is_read) else {
                continue;
            };
            // A state that is not reachable may have what cannot be computed.
            let Ok(others) = self.edges(id, &changed, false) else {
                continue;
            };
            let about = Some(slot.index());
            if !decides && edges.is_empty() != others.is_empty() {
                self.report(Promise::GuardReads, Some(id), about, state);
            } else if !is_read && !edges.is_empty() && !others.is_empty() {
                let must = group.must_write().any(|written| written == slot);
                let alike = |keeps: bool| {
                    let same = |one: &Edge, other: &Edge, from: &[Value], to: &[Value]| {
                        same(one, from, other, to, slot, keeps)
                    };
                    edges.len() == others.len()
                        && edges.iter().all(|a| others.iter().any(|b| same(a, b, state, &changed)))
                        && others.iter().all(|a| edges.iter().any(|b| same(a, b, &changed, state)))
                };
                if !alike(true) {
                    self.report(Promise::Reads, Some(id), about, state);
                } else if must && !alike(false) {
                    self.report(Promise::MustWrite, Some(id), about, state);
                }
            }
        }
        Ok(edges)
    }

    /// The state with another value in a slot, chosen by the state so that all have their turn.
    fn changed(&self, slot: SlotId, state: &[Value]) -> Option<Vec<Value>> {
        let value = state[slot.index()];
        let choice = state.iter().fold(slot.number(), |sum, &value| {
            sum.wrapping_add(value).wrapping_mul(0x9e37_79b1).rotate_left(11)
        });
        let other = match self.signature.slot(slot).domain.size() {
            Some(size) => {
                let others = size.checked_sub(1).filter(|&others| others > 0)?;
                ((u64::from(value) + 1 + u64::from(choice % others)) % u64::from(size)) as Value
            }
            None => {
                let others = || self.seen.get(&slot).into_iter().flatten().filter(|&&v| v != value);
                *others().nth(choice as usize % others().count().max(1))?
            }
        };
        let mut changed = state.to_vec();
        changed[slot.index()] = other;
        Some(changed)
    }

    /// Whether an answer stays the same when a slot that it should not depend on changes.
    fn check_support(
        &mut self,
        support: &[SlotId],
        state: &[Value],
        broken: (Promise, Option<usize>),
        ask: &mut dyn FnMut(&mut Self, &[Value]) -> Computed<bool>,
    ) -> Computed<()> {
        let answer = ask(self, state)?;
        for slot in self.signature.slot_ids() {
            if support.binary_search(&slot).is_ok() {
                continue;
            }
            let Some(changed) = self.changed(slot, state) else {
                continue;
            };
            if ask(self, &changed).is_ok_and(|other| other != answer) {
                self.report(broken.0, None, broken.1, state);
            }
        }
        Ok(())
    }

    /// Everything that is promised of a state itself.
    fn check_conditions(&mut self, state: &[Value]) -> Computed<()> {
        let signature = self.signature;
        for (number, guard) in signature.guards.iter().enumerate() {
            let Guard::Opaque { reads, .. } = guard else {
                continue;
            };
            let broken = (Promise::OpaqueReads, Some(number));
            let id = GuardId::from_usize(number);
            self.check_support(reads, state, broken, &mut |audit, at| audit.guard(id, at))?;
        }
        for (number, proposition) in signature.propositions.iter().enumerate() {
            let broken = (Promise::Support, Some(number));
            let id = PropositionId::from_usize(number);
            let holds = &mut |audit: &mut Self, at: &[Value]| audit.explorer.holds(id, at);
            self.check_support(&proposition.support, state, broken, holds)?;
        }
        let may_end = &mut |audit: &mut Self, at: &[Value]| audit.explorer.may_end(at);
        self.check_support(&signature.ends, state, (Promise::Ends, None), may_end)
    }

    /// What is promised of pairs of groups that are enabled.
    fn check_pairs(&mut self, state: &[Value], by_group: &[(GroupId, Vec<Edge>)]) -> Computed<()> {
        let enabled: Vec<&(GroupId, Vec<Edge>)> =
            by_group.iter().filter(|(_, edges)| !edges.is_empty()).collect();
        let pairs = enabled.iter().enumerate().flat_map(|(position, one)| {
            enabled[position + 1..].iter().map(move |other| (*one, *other))
        });
        for ((one, steps), (other, others)) in pairs.take(MAX_PAIRS) {
            if !self.signature.may_be_coenabled(*one, *other) {
                self.report(Promise::Coenabled, Some(*one), Some(other.index()), state);
            }
            if self.signature.accord(*one, *other) {
                let mut there = self.then(steps, *other, |first, second| (first, second))?;
                let mut here = self.then(others, *one, |first, second| (second, first))?;
                there.sort_unstable();
                here.sort_unstable();
                if there != here {
                    self.report(Promise::Diamond, Some(*one), Some(other.index()), state);
                }
            }
        }
        Ok(())
    }

    /// What a group does after each of these steps.
    fn then(
        &mut self,
        steps: &[Edge],
        group: GroupId,
        order: impl Fn(ActionId, ActionId) -> (ActionId, ActionId),
    ) -> Computed<Vec<Corner>> {
        let mut reached = Vec::new();
        for (first, state) in steps {
            settled(self.explorer.successors(group, state, &mut |_, second, next: &[Value]| {
                reached.push((order(*first, second), next.to_vec()));
                ControlFlow::Continue(())
            }))?;
        }
        Ok(reached)
    }

    /// Who enabled what: guards that a step made true, groups that it should not have enabled.
    fn check_enabling(
        &mut self,
        state: &[Value],
        by_group: &[(GroupId, Vec<Edge>)],
    ) -> Computed<()> {
        let signature = self.signature;
        let guards = || (0..signature.guards.len()).map(GuardId::from_usize);
        let mut failing = Vec::new();
        for guard in guards() {
            if !self.guard(guard, state)? {
                failing.push(guard);
            }
        }
        for (group, edges) in by_group {
            let Some((_, next)) = edges.first() else {
                continue;
            };
            for &guard in failing.iter().filter(|&&guard| !signature.may_enable(*group, guard)) {
                if self.guard(guard, next)? {
                    let about = Some(guard.index());
                    self.report(Promise::Enables, Some(*group), about, state);
                }
            }
        }
        Ok(())
    }

    /// Swaps neighbours of each family in all initial states.
    pub(super) fn check_initial(&mut self, initial: &BTreeSet<Vec<Value>>) {
        for swap in self.signature.families.iter().flat_map(Family::swaps) {
            let is_lost = |state: &&Vec<Value>| !initial.contains(&swapped(&swap, state));
            if let Some(state) = initial.iter().find(is_lost) {
                self.report(Promise::Symmetry, None, None, state);
            }
        }
    }

    /// Swaps neighbours of each family and compares what follows. Swapping twice changes nothing.
    fn check_symmetry(&mut self, state: &[Value], successors: &[Vec<Value>]) -> Computed<()> {
        for swap in self.signature.families.iter().flat_map(Family::swaps) {
            let other = swapped(&swap, state);
            let mut wanted: Vec<Vec<Value>> =
                successors.iter().map(|next| swapped(&swap, next)).collect();
            let mut found = Vec::new();
            let flow = self.explorer.expand(&other, &mut |_, _, next: &[Value]| {
                found.push(next.to_vec());
                ControlFlow::Continue(())
            });
            wanted.sort_unstable();
            found.sort_unstable();
            let ends = self.explorer.may_end(state)? == self.explorer.may_end(&other)?;
            let is_back = swapped(&swap, &other) == state;
            // What can be computed in one of them can be computed in the other.
            if settled(flow).is_err() || wanted != found || !ends || !is_back {
                self.report(Promise::Symmetry, None, None, state);
            }
        }
        Ok(())
    }

    /// Everything that is promised of a state and its successors, which it gives.
    pub(super) fn check_expansion(&mut self, state: &[Value]) -> Computed<Vec<Vec<Value>>> {
        let mut by_group = Vec::new();
        for group in (0..self.signature.groups.len()).map(GroupId::from_usize) {
            by_group.push((group, self.check_group(group, state)?));
        }
        let mut at_once = Vec::new();
        settled(self.explorer.expand(state, &mut |group, action, next: &[Value]| {
            at_once.push((group, action, next.to_vec()));
            ControlFlow::Continue(())
        }))?;
        at_once.retain(|(group, _, next)| self.check_state(Some(*group), next, true));
        let edges = |(group, edges): &(GroupId, Vec<Edge>)| {
            let group = *group;
            edges
                .iter()
                .map(move |(action, next)| (group, *action, next.clone()))
                .collect::<Vec<_>>()
        };
        let mut listed: Vec<_> = by_group.iter().flat_map(edges).collect();
        listed.sort_unstable();
        at_once.sort_unstable();
        if listed != at_once {
            self.report(Promise::Expand, None, None, state);
        }
        self.check_conditions(state)?;
        self.check_pairs(state, &by_group)?;
        self.check_enabling(state, &by_group)?;
        let successors: Vec<Vec<Value>> = at_once.into_iter().map(|(_, _, next)| next).collect();
        self.check_symmetry(state, &successors)?;
        Ok(successors)
    }
}

/// The state in which two members have changed places.
fn swapped(swap: &Swap, state: &[Value]) -> Vec<Value> {
    let mut swapped = state.to_vec();
    swap.apply(&mut swapped);
    swapped
}

/// Whether two edges, from states that differ in `slot` alone, do the same: elsewhere they lead to
/// the same values, and in `slot` too unless both may, and do, leave it as it was.
fn same(one: &Edge, from: &[Value], other: &Edge, to: &[Value], slot: SlotId, keeps: bool) -> bool {
    let at = slot.index();
    one.0 == other.0
        && one.1[..at] == other.1[..at]
        && one.1[at + 1..] == other.1[at + 1..]
        && (one.1[at] == other.1[at] || (keeps && one.1[at] == from[at] && other.1[at] == to[at]))
}

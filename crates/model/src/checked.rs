//! A wrapper that catches a model lying about itself. Reductions, caches and packed stores rely on
//! what groups and layouts promise; tests of every model run through this first.
//!
//! Enabledness and results must not depend on a slot that is not declared as read. That is tested
//! by changing one such slot to another value of its domain and comparing the successors.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{
    Action, ActionId, Domain, Group, GroupId, Layout, Model, ParticipantId, PropositionId, SlotId,
    Successors, Value,
};

/// A model whose promises are verified whenever it is asked for successors.
pub struct Checked<M> {
    model: M,
    log: Mutex<Log>,
}

/// A broken promise, with the first state that shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// What was promised.
    pub promise: Promise,
    /// The group that broke it, where one did.
    pub group: Option<GroupId>,
    /// The slot concerned, where there is one.
    pub slot: Option<SlotId>,
    /// The state in which it was asked; empty if the declaration alone shows it.
    pub state: Vec<Value>,
}

/// What a model promises.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Promise {
    /// Reads and writes are listed in ascending order and name slots that exist.
    Listed,
    /// A group reads the slots of its guards.
    GuardsRead,
    /// A state vector is as long as the layout.
    Length,
    /// A value lies in the domain of its slot.
    InDomain,
    /// A successor differs from its source in declared writes only.
    Writes,
    /// Enabledness and results depend on declared reads only.
    Reads,
    /// Where a guard fails there is no successor.
    GuardsNecessary,
    /// `successors` reports the group it was asked for, and action ids below `n_actions`.
    Ids,
    /// `expand` reports what `successors` reports for all groups together.
    Expand,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} broken", self.promise)?;
        if let Some(group) = self.group {
            write!(f, " by group {}", group.number())?;
        }
        if let Some(slot) = self.slot {
            write!(f, " for slot {}", slot.number())?;
        }
        write!(f, " in {:?}", self.state)
    }
}

#[derive(Default)]
struct Log {
    violations: Vec<Violation>,
    known: BTreeSet<(Promise, Option<GroupId>, Option<SlotId>)>,
    /// Some values seen per slot: all that is known of the domain of an interned slot.
    seen: BTreeMap<SlotId, Vec<Value>>,
}

/// Values remembered per slot.
const REMEMBERED: usize = 8;

type Edge = (ActionId, Vec<Value>);

impl<M: Model> Checked<M> {
    /// Wraps a model and checks its declarations.
    pub fn new(model: M) -> Self {
        let checked = Self { model, log: Mutex::new(Log::default()) };
        for (number, group) in checked.model.groups().iter().enumerate() {
            checked.check_declaration(GroupId::from_usize(number), group);
        }
        checked
    }

    /// What was broken so far, once for each promise, group and slot.
    pub fn violations(&self) -> Vec<Violation> {
        self.log().violations.clone()
    }

    /// Visits up to `max_states` states breadth first and says what was broken.
    pub fn walk(&self, max_states: usize) -> Vec<Violation> {
        let mut seen = BTreeSet::new();
        let mut todo = VecDeque::new();
        let mut visit = |state: &[Value], todo: &mut VecDeque<Vec<Value>>| {
            if seen.len() < max_states && seen.insert(state.to_vec()) {
                todo.push_back(state.to_vec());
            }
        };
        self.initial(&mut |state| visit(state, &mut todo));
        while let Some(state) = todo.pop_front() {
            self.expand(&state, &mut |_: GroupId, _: ActionId, next: &[Value]| {
                visit(next, &mut todo);
            });
        }
        self.violations()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(
        &self,
        promise: Promise,
        group: Option<GroupId>,
        slot: Option<SlotId>,
        state: &[Value],
    ) {
        let mut log = self.log();
        if log.known.insert((promise, group, slot)) {
            log.violations.push(Violation { promise, group, slot, state: state.to_vec() });
        }
    }

    fn check_declaration(&self, id: GroupId, group: &Group) {
        let n_slots = self.model.layout().n_slots();
        for list in [&group.reads, &group.writes] {
            let ascending = list.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || list.iter().any(|slot| slot.index() >= n_slots) {
                self.report(Promise::Listed, Some(id), None, &[]);
            }
        }
        for guard in &group.guards {
            if !group.reads.contains(&guard.slot) {
                self.report(Promise::GuardsRead, Some(id), Some(guard.slot), &[]);
            }
        }
    }

    /// Checks a state that the model reported; true if it can be worked with.
    fn check_state(&self, group: Option<GroupId>, state: &[Value]) -> bool {
        let layout = self.model.layout();
        if state.len() != layout.n_slots() {
            self.report(Promise::Length, group, None, state);
            return false;
        }
        let mut good = true;
        for slot in layout.slot_ids() {
            let value = state[slot.index()];
            if n_values(&layout.slot(slot).domain).is_some_and(|size| value >= size) {
                self.report(Promise::InDomain, group, Some(slot), state);
                good = false;
            }
        }
        if good {
            let mut log = self.log();
            for slot in layout.slot_ids() {
                let seen = log.seen.entry(slot).or_default();
                if seen.len() < REMEMBERED && !seen.contains(&state[slot.index()]) {
                    seen.push(state[slot.index()]);
                }
            }
        }
        good
    }

    /// The edges of one group, checked against what it declares, and those that can be passed on.
    fn edges(&self, id: GroupId, state: &[Value]) -> Vec<Edge> {
        let group = &self.model.groups()[id.index()];
        let mut edges = Vec::new();
        let mut strangers = false;
        self.model.successors(id, state, &mut |by: GroupId, action: ActionId, next: &[Value]| {
            strangers |= by != id || action.index() >= self.model.n_actions();
            edges.push((action, next.to_vec()));
        });
        if strangers {
            self.report(Promise::Ids, Some(id), None, state);
        }
        if !edges.is_empty() {
            for guard in group.guards.iter().filter(|guard| !guard.holds(state)) {
                self.report(Promise::GuardsNecessary, Some(id), Some(guard.slot), state);
            }
        }
        edges.retain(|(_, next)| self.check_state(Some(id), next));
        for (_, next) in &edges {
            for slot in self.model.layout().slot_ids() {
                let changed = next[slot.index()] != state[slot.index()];
                if changed && group.writes.binary_search(&slot).is_err() {
                    self.report(Promise::Writes, Some(id), Some(slot), state);
                }
            }
        }
        edges
    }

    /// The edges of one group; also changes each slot that it does not read.
    fn check_group(&self, id: GroupId, state: &[Value]) -> Vec<Edge> {
        let edges = self.edges(id, state);
        for slot in self.model.layout().slot_ids() {
            if self.model.groups()[id.index()].reads.binary_search(&slot).is_ok() {
                continue;
            }
            let Some(value) = self.another_value(slot, state) else { continue };
            let mut changed = state.to_vec();
            changed[slot.index()] = value;
            let others = self.edges(id, &changed);
            let covered = |some: &[Edge], from: &[Value], all: &[Edge], to: &[Value]| {
                some.iter().all(|one| all.iter().any(|other| same(one, from, other, to, slot)))
            };
            let alike = edges.len() == others.len()
                && covered(&edges, state, &others, &changed)
                && covered(&others, &changed, &edges, state);
            if !alike {
                self.report(Promise::Reads, Some(id), Some(slot), state);
            }
        }
        edges
    }

    /// Some other value for a slot, chosen by the state so that all have their turn.
    fn another_value(&self, slot: SlotId, state: &[Value]) -> Option<Value> {
        let value = state[slot.index()];
        let choice = state.iter().fold(slot.number(), |sum, &value| {
            sum.wrapping_add(value).wrapping_mul(0x9e37_79b1).rotate_left(11)
        });
        match n_values(&self.model.layout().slot(slot).domain) {
            Some(size) => {
                let others = size.checked_sub(1).filter(|&others| others > 0)?;
                Some(
                    ((u64::from(value) + 1 + u64::from(choice % others)) % u64::from(size))
                        as Value,
                )
            }
            None => {
                let log = self.log();
                let others = || log.seen.get(&slot).into_iter().flatten().filter(|&&v| v != value);
                others().nth(choice as usize % others().count().max(1)).copied()
            }
        }
    }
}

/// Whether two edges, from states that differ in `slot` alone, do the same: elsewhere they lead to
/// the same values, and in `slot` too unless both leave it as it was.
fn same(one: &Edge, from: &[Value], other: &Edge, to: &[Value], slot: SlotId) -> bool {
    let at = slot.index();
    one.0 == other.0
        && one.1[..at] == other.1[..at]
        && one.1[at + 1..] == other.1[at + 1..]
        && (one.1[at] == other.1[at] || (one.1[at] == from[at] && other.1[at] == to[at]))
}

/// How many values a domain has, if it says.
fn n_values(domain: &Domain) -> Option<u32> {
    match domain {
        Domain::Size(size) => Some(*size),
        Domain::Named(names) => Some(names.len() as u32),
        Domain::Interned => None,
    }
}

impl<M: Model> Model for Checked<M> {
    fn layout(&self) -> &Layout {
        self.model.layout()
    }

    fn groups(&self) -> &[Group] {
        self.model.groups()
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        self.model.initial(&mut |state| {
            if self.check_state(None, state) {
                sink(state);
            }
        });
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        for (action, next) in self.check_group(group, state) {
            sink.next(group, action, &next);
        }
    }

    fn expand(&self, state: &[Value], sink: &mut dyn Successors) {
        let mut by_group = Vec::new();
        for group in (0..self.groups().len()).map(GroupId::from_usize) {
            let edges = self.check_group(group, state);
            by_group.extend(edges.into_iter().map(|(action, next)| (group, action, next)));
        }
        let mut at_once = Vec::new();
        self.model.expand(state, &mut |group: GroupId, action: ActionId, next: &[Value]| {
            at_once.push((group, action, next.to_vec()));
        });
        at_once.retain(|(group, _, next)| self.check_state(Some(*group), next));
        for (group, action, next) in &at_once {
            sink.next(*group, *action, next);
        }
        at_once.sort_unstable();
        by_group.sort_unstable();
        if at_once != by_group {
            self.report(Promise::Expand, None, None, state);
        }
    }

    fn action(&self, action: ActionId) -> Action {
        self.model.action(action)
    }

    fn n_actions(&self) -> usize {
        self.model.n_actions()
    }

    fn participant(&self, participant: ParticipantId) -> String {
        self.model.participant(participant)
    }

    fn propositions(&self) -> &[String] {
        self.model.propositions()
    }

    fn holds(&self, proposition: PropositionId, state: &[Value]) -> bool {
        self.model.holds(proposition, state)
    }

    fn may_end(&self, state: &[Value]) -> bool {
        self.model.may_end(state)
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        self.model.show(slot, value)
    }
}

//! A wrapper that catches a model lying about itself. Reductions, caches and packed stores rely on
//! what a [`Signature`] promises; tests of every front end run through this first.
//!
//! That something does not depend on a slot is tested by changing the slot to another value of its
//! domain and comparing. All else is observed on the states that are visited.

mod audit;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{
    Action, ActionId, Explorer, Group, GroupId, Model, Participant, ParticipantId, Signature,
    SlotId, Value,
};
use audit::Audit;

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
    /// What it is about beside the group: the number of a slot, a guard, a proposition or another
    /// group.
    pub about: Option<u32>,
    /// The state in which it was asked; empty if the declaration alone shows it.
    pub state: Vec<Value>,
}

/// What a model promises.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Promise {
    /// Lists are ascending and name what exists.
    Listed,
    /// A state vector is as long as there are slots.
    Length,
    /// A value lies in the domain of its slot.
    InDomain,
    /// A value is found again by its content.
    Content,
    /// A successor differs from its source in declared effects only.
    MayWrite,
    /// A slot that must be written does not keep what it held.
    MustWrite,
    /// A slot changes as its effect says.
    Effect,
    /// Results depend on declared reads only.
    Reads,
    /// Enabledness depends on the slots of the guards only, or on declared reads where they are
    /// not complete.
    GuardReads,
    /// Where a guard fails there is no successor.
    GuardsNecessary,
    /// Where all guards hold there is a successor.
    GuardsComplete,
    /// An opaque guard depends on the slots it names only.
    OpaqueReads,
    /// A proposition depends on its support only.
    Support,
    /// Whether the system may end depends on the declared slots only.
    Ends,
    /// Edges have known action ids, and those that the group declares.
    Actions,
    /// `successors` reports the group it was asked for.
    Ids,
    /// `expand` reports what `successors` reports for all groups together.
    Expand,
    /// Steps of groups that accord can be taken in either order.
    Diamond,
    /// A guard becomes true only by a step that may make it true.
    Enables,
    /// Groups that exclude each other are not enabled together.
    Coenabled,
    /// Swapping two members of a family swaps successors.
    Symmetry,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} broken", self.promise)?;
        if let Some(group) = self.group {
            write!(f, " by group {}", group.number())?;
        }
        if let Some(about) = self.about {
            write!(f, " for number {about}")?;
        }
        write!(f, " in {:?}", self.state)
    }
}

#[derive(Default)]
struct Log {
    violations: Vec<Violation>,
    known: BTreeSet<(Promise, Option<GroupId>, Option<u32>)>,
    /// Some values seen per slot: all that is known of the domain of an interned slot.
    seen: BTreeMap<SlotId, Vec<Value>>,
}

/// Values remembered per slot.
const REMEMBERED: usize = 8;

impl<M: Model> Checked<M> {
    /// Wraps a model and checks its declarations.
    pub fn new(model: M) -> Self {
        let checked = Self { model, log: Mutex::new(Log::default()) };
        for (number, group) in checked.signature().groups.iter().enumerate() {
            checked.check_declaration(GroupId::from_usize(number), group);
        }
        checked
    }

    /// The model.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// What was broken so far, once for each promise, group and slot.
    pub fn violations(&self) -> Vec<Violation> {
        self.log().violations.clone()
    }

    /// Visits up to `max_states` states breadth first and says what was broken. Where a step cannot
    /// be computed, the walk goes on elsewhere: that is no broken promise.
    pub fn walk(&self, max_states: usize) -> Vec<Violation> {
        let mut explorer = self.explorer();
        let mut seen = BTreeSet::new();
        let mut todo = VecDeque::new();
        let mut visit = |state: &[Value], todo: &mut VecDeque<Vec<Value>>| {
            if seen.len() < max_states && seen.insert(state.to_vec()) {
                todo.push_back(state.to_vec());
            }
            ControlFlow::Continue(())
        };
        let _ = explorer.initial(&mut |state| visit(state, &mut todo));
        while let Some(state) = todo.pop_front() {
            let _ = explorer.expand(&state, &mut |_: GroupId, _: ActionId, next: &[Value]| {
                visit(next, &mut todo)
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
        about: Option<usize>,
        state: &[Value],
    ) {
        let about = about.map(|about| about as u32);
        let mut log = self.log();
        if log.known.insert((promise, group, about)) {
            log.violations.push(Violation { promise, group, about, state: state.to_vec() });
        }
    }

    fn check_declaration(&self, id: GroupId, group: &Group) {
        let signature = self.signature();
        let n_slots = signature.n_slots();
        let written: Vec<SlotId> = group.may_write().collect();
        for list in [&group.reads, &written] {
            let ascending = list.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || list.iter().any(|slot| slot.index() >= n_slots) {
                self.report(Promise::Listed, Some(id), None, &[]);
            }
        }
        let good = group.task.index() < signature.tasks.len()
            && group.guards.iter().all(|guard| guard.index() < signature.guards.len());
        if !good {
            self.report(Promise::Listed, Some(id), None, &[]);
        }
    }
}

impl<M: Model> Model for Checked<M> {
    fn signature(&self) -> &Signature {
        self.model.signature()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Audit::new(self))
    }

    fn n_actions(&self) -> usize {
        self.model.n_actions()
    }

    fn action(&self, action: ActionId) -> Action {
        self.model.action(action)
    }

    fn participant(&self, participant: ParticipantId) -> Participant {
        self.model.participant(participant)
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        self.model.show(slot, value)
    }

    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        self.model.content(slot, value, out);
    }

    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        self.model.value(slot, content)
    }
}

//! Catches a model lying about itself. Reductions, caches and packed stores rely on what a
//! [`Signature`] promises; tests of every front end run through this first.
//!
//! That something does not depend on a slot is tested by changing the slot to another value of its
//! domain and comparing. All else is observed on the states that are visited.

mod audit;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use crate::{Explorer, Group, GroupId, Model, Signature, SlotId, Value};

/// A model whose promises are verified on the states that are visited.
pub struct Checked<'m> {
    model: &'m dyn Model,
    signature: &'m Signature,
    explorer: Box<dyn Explorer + 'm>,
    violations: Vec<Violation>,
    known: BTreeSet<(Promise, Option<GroupId>, Option<u32>)>,
    /// Some values seen per slot: all that is known of the domain of an interned slot.
    seen: BTreeMap<SlotId, Vec<Value>>,
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
    /// Swapping two members of a family swaps successors, and makes initial states of initial states.
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

/// Values remembered per slot.
const REMEMBERED: usize = 8;

impl<'m> Checked<'m> {
    /// Checks the declarations of a model by themselves.
    pub fn new(model: &'m dyn Model) -> Self {
        let mut checked = Self {
            model,
            signature: model.signature(),
            explorer: model.explorer(),
            violations: Vec::new(),
            known: BTreeSet::new(),
            seen: BTreeMap::new(),
        };
        for (number, group) in checked.signature.groups.iter().enumerate() {
            checked.check_declaration(GroupId::from_usize(number), group);
        }
        checked
    }

    /// Visits up to `max_states` states breadth first and says what was broken, once for each
    /// promise, group and slot. Where a step cannot be computed, the walk goes on elsewhere: that is
    /// no broken promise.
    pub fn walk(mut self, max_states: usize) -> Vec<Violation> {
        let (mut todo, mut seen) = (VecDeque::new(), BTreeSet::new());
        let _ = self.explorer.each_initial(|state| todo.push_back(state.to_vec()));
        todo.retain(|state| self.check_state(None, state, true) && seen.insert(state.clone()));
        self.check_initial(&seen);
        while let Some(state) = todo.pop_front() {
            for next in self.check_expansion(&state).unwrap_or_default() {
                if seen.len() < max_states && seen.insert(next.clone()) {
                    todo.push_back(next);
                }
            }
        }
        self.violations
    }

    fn report(
        &mut self,
        promise: Promise,
        group: Option<GroupId>,
        about: Option<usize>,
        state: &[Value],
    ) {
        let about = about.map(|about| about as u32);
        if self.known.insert((promise, group, about)) {
            self.violations.push(Violation { promise, group, about, state: state.to_vec() });
        }
    }

    fn check_declaration(&mut self, id: GroupId, group: &Group) {
        let signature = self.signature;
        let written: Vec<SlotId> = group.may_write().collect();
        let are_listed = |slots: &[SlotId]| {
            slots.windows(2).all(|pair| pair[0] < pair[1])
                && slots.iter().all(|slot| slot.index() < signature.n_slots())
        };
        let good = are_listed(&group.reads)
            && are_listed(&written)
            && group.task.index() < signature.tasks.len()
            && group.guards.iter().all(|guard| guard.index() < signature.guards.len());
        if !good {
            self.report(Promise::Listed, Some(id), None, &[]);
        }
    }
}

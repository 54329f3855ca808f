//! A model of which one step stands for all others where nothing that it does not commute with can
//! happen before it: the method of representatives for interfering automata, of a dissertation on
//! behavior protocols. It keeps every state without successor, and nothing else.
//!
//! As published, the method asks only whether another step disables the representative; a
//! representative that disables another step loses deadlocks then. Here both directions count, so
//! that what stands alone is a persistent set (Godefroid 1996).

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_model::{
    Explorer, Flow, GroupId, Guard, GuardId, Model, Problem, PropositionId, Signature, SlotId,
    Successors, Value,
};

use crate::Reduced;
use crate::inner::like_the_model_within;
use crate::reduced::{Obstacle, Savings, Seen};
use crate::together::Together;

/// A model in which a step may represent all others that are possible.
pub struct Represented<'m> {
    model: &'m dyn Model,
    /// What is true of the wrapper: a step depends on the whole state.
    signature: Signature,
    /// The slots that each group looks at or writes.
    used: Vec<Vec<SlotId>>,
    /// The groups that each does not commute with.
    dependent: Vec<Vec<GroupId>>,
    together: Together,
    expanded: AtomicU64,
    enabled: AtomicU64,
    taken: AtomicU64,
}

impl<'m> Represented<'m> {
    /// Reduces a model for the question whether it has deadlocks.
    pub fn new(model: &'m dyn Model) -> Result<Self, Obstacle> {
        if let Some(obstacle) = Reduced::obstacle(model, &Seen::default()) {
            return Err(obstacle);
        }
        let own = model.signature();
        let groups = || (0..own.groups.len()).map(GroupId::from_usize);
        let written: Vec<Vec<SlotId>> =
            own.groups.iter().map(|group| group.may_write().collect()).collect();
        let used: Vec<Vec<SlotId>> = groups()
            .map(|id| {
                let mut slots = own.guard_reads(id);
                slots.extend(&own.groups[id.index()].reads);
                slots.extend(&written[id.index()]);
                slots.sort_unstable();
                slots.dedup();
                slots
            })
            .collect();
        let disturbs = |one: GroupId, other: GroupId| {
            let used = &used[other.index()];
            written[one.index()].iter().any(|slot| used.binary_search(slot).is_ok())
        };
        let dependent = groups().map(|one| {
            let others = groups().filter(|&other| other != one);
            others.filter(|&other| disturbs(one, other) || disturbs(other, one)).collect()
        });
        let dependent = dependent.collect();
        let mut signature = own.clone();
        signature.families.clear();
        for group in &mut signature.groups {
            group.guards_complete = false;
            group.reads = own.slot_ids().collect();
        }
        let counter = || AtomicU64::new(0);
        Ok(Self {
            model,
            signature,
            used,
            dependent,
            together: Together::of(model),
            expanded: counter(),
            enabled: counter(),
            taken: counter(),
        })
    }

    /// How much was left out of the states that were expanded so far.
    pub fn savings(&self) -> Savings {
        let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
        let [expanded, enabled, taken] = [&self.expanded, &self.enabled, &self.taken].map(count);
        Savings { expanded, enabled, taken, effort: 0 }
    }

    /// The first group that may represent all others in a state, and how many are certainly enabled.
    fn representative(&self, state: &[Value]) -> (Option<GroupId>, usize) {
        let own = self.model.signature();
        let is_enabled = |&id: &GroupId| {
            let group = &own.groups[id.index()];
            let mut guards = group.guards.iter();
            group.guards_complete && guards.all(|&it| own.guard(it).holds(state) == Some(true))
        };
        let enabled: Vec<GroupId> =
            (0..own.groups.len()).map(GroupId::from_usize).filter(is_enabled).collect();
        let is_alone = |&&id: &&GroupId| {
            !self.dependent[id.index()].iter().any(|&other| self.may_come_before(id, other, state))
        };
        (enabled.iter().find(is_alone).copied(), enabled.len())
    }

    /// Whether a group may take a step from a state on before a group that is enabled does, and before all
    /// others that this one does not commute with: until then, no slot changes that this one uses.
    fn may_come_before(&self, waiting: GroupId, other: GroupId, state: &[Value]) -> bool {
        let own = self.model.signature();
        let held = &self.used[waiting.index()];
        own.groups[other.index()].guards.iter().all(|&guard| {
            let guard = own.guard(guard);
            let slot = match guard {
                Guard::In(slot, _) | Guard::Masked { slot, .. } | Guard::AtLeast(slot, _) => *slot,
                Guard::Opaque { .. } => return true,
            };
            if held.binary_search(&slot).is_ok() {
                return guard.holds(state) == Some(true);
            }
            let Some(mut values) = self.together.values(slot) else { return true };
            values.any(|value| {
                let mut held = held.iter();
                guard.allows(value) != Some(false)
                    && held.all(|&it| self.together.may_be((it, state[it.index()]), (slot, value)))
            })
        })
    }
}

impl Model for Represented<'_> {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(RepresentedExplorer { inner: self.model.explorer(), represented: self })
    }

    fn never_fails(&self) -> bool {
        true
    }

    fn allows_workers(&self) -> bool {
        // What is taken depends on the state alone.
        self.model.allows_workers()
    }

    like_the_model_within!();
}

/// The next-state function of what is left, for one worker.
struct RepresentedExplorer<'r> {
    inner: Box<dyn Explorer + 'r>,
    represented: &'r Represented<'r>,
}

impl Explorer for RepresentedExplorer<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.inner.initial(sink)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        match self.represented.representative(state).0 {
            Some(one) if one != group => ControlFlow::Continue(()),
            _ => self.inner.successors(group, state, sink),
        }
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let (one, n_enabled) = self.represented.representative(state);
        let count = |of: &AtomicU64, by: usize| of.fetch_add(by as u64, Ordering::Relaxed);
        count(&self.represented.expanded, 1);
        count(&self.represented.enabled, n_enabled);
        count(&self.represented.taken, one.map_or(n_enabled, |_| 1));
        match one {
            Some(one) => self.inner.successors(one, state, sink),
            None => self.inner.expand(state, sink),
        }
    }

    fn guard(&mut self, guard: GuardId, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.inner.guard(guard, state)
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.inner.holds(proposition, state)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.inner.may_end(state)
    }
}

//! A model of which steps are left out: the wrapper, and what it must know of the question.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_model::{
    Action, Condition, Explorer, Family, Flow, GroupId, Guard, GuardId, Halt, Model, Problem,
    PropositionId, Signature, SlotId, Successors, Value,
};

use crate::choice::{Chooser, Chosen, Rules};
use crate::groups::Groups;
use crate::inner::like_the_model_within;
use crate::sticky::sticky;
use crate::tables::Tables;

/// Most groups of a model that is reduced: the tables have a bit for every two.
const MAX_GROUPS: usize = 1 << 12;

/// What a question sees of a model. Nothing at all: then deadlocks are kept, and only they.
#[derive(Default)]
pub struct Seen<'a> {
    /// The propositions that it asks for.
    pub propositions: Vec<PropositionId>,
    /// Whether it looks at an action; `None` if at none.
    pub actions: Option<Box<ActionTest<'a>>>,
    /// Whether it looks where the system may end: formulas of linear time do, as a run may stop there
    /// although it could go on.
    pub ends: bool,
    /// Families whose members are exchanged in the reduced model afterwards.
    pub exchanged: &'a [Family],
}

/// A condition on actions.
pub type ActionTest<'a> = dyn Fn(&Action) -> bool + 'a;

/// Why a model is not reduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// A step that cannot be computed is an error wherever it is, so none may be left out.
    MayFail,
    /// It has more groups than the tables are made for.
    TooManyGroups,
    /// The question sees every group.
    AllSeen,
}

/// How many steps were left out so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Savings {
    /// States that were expanded.
    pub expanded: u64,
    /// Groups that were enabled in them.
    pub enabled: u64,
    /// Groups that were taken.
    pub taken: u64,
    /// Words of sets that were looked at to choose them.
    pub effort: u64,
}

/// A model with a part of its steps, enough to answer a question as the whole would.
///
/// Every state without successor is kept. Of what the question sees, every run of the whole is kept
/// up to steps that it does not see; so formulas that steps without any atom can neither make true
/// nor false are preserved in linear time. Runs of the reduced model are runs of the whole, but
/// need not be the shortest that show something.
pub struct Reduced<'m> {
    model: &'m dyn Model,
    /// What is true of the wrapper: a step depends on the whole state.
    signature: Signature,
    rules: Rules,
    expanded: AtomicU64,
    enabled: AtomicU64,
    taken: AtomicU64,
    effort: AtomicU64,
}

impl<'m> Reduced<'m> {
    /// Why a model cannot be reduced for a question, if it cannot; quick.
    pub fn obstacle(model: &dyn Model, seen: &Seen<'_>) -> Option<Obstacle> {
        let n_groups = model.signature().groups.len();
        if !model.never_fails() {
            Some(Obstacle::MayFail)
        } else if n_groups > MAX_GROUPS {
            Some(Obstacle::TooManyGroups)
        } else {
            let is_whole = n_groups > 0 && seen_groups(model, seen).len() == n_groups;
            is_whole.then_some(Obstacle::AllSeen)
        }
    }

    /// Reduces a model for a question.
    pub fn new(model: &'m dyn Model, seen: &Seen<'_>) -> Result<Self, Obstacle> {
        if let Some(obstacle) = Self::obstacle(model, seen) {
            return Err(obstacle);
        }
        let own = model.signature();
        let exchanged = seen.exchanged;
        let seen = seen_groups(model, seen);
        let mut calling = seen.clone();
        if !seen.is_empty() {
            let mut initial = Vec::new();
            let flow = model.explorer().initial(&mut |state| {
                initial = state.to_vec();
                ControlFlow::Break(Halt::Enough)
            });
            debug_assert!(!matches!(flow, ControlFlow::Break(Halt::Problem(_))), "never fails");
            calling.add_all(&sticky(own, &initial, exchanged));
        }
        let mut signature = own.clone();
        signature.families.clear();
        for group in &mut signature.groups {
            group.guards_complete = false;
            group.reads = own.slot_ids().collect();
        }
        Ok(Self {
            model,
            signature,
            rules: Rules { tables: Tables::new(own), seen, calling },
            expanded: AtomicU64::new(0),
            enabled: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            effort: AtomicU64::new(0),
        })
    }

    /// How much was left out of the states that were expanded so far.
    pub fn savings(&self) -> Savings {
        Savings {
            expanded: self.expanded.load(Ordering::Relaxed),
            enabled: self.enabled.load(Ordering::Relaxed),
            taken: self.taken.load(Ordering::Relaxed),
            effort: self.effort.load(Ordering::Relaxed),
        }
    }
}

/// The groups that a question sees: those that may change a proposition, or do an action that it
/// looks at.
fn seen_groups(model: &dyn Model, seen: &Seen<'_>) -> Groups {
    let signature = model.signature();
    let propositions = seen.propositions.iter();
    let mut support: Vec<SlotId> =
        propositions.flat_map(|id| signature.propositions[id.index()].support.clone()).collect();
    if seen.ends && !model.ending().is_some_and(|ending| is_never(&ending)) {
        support.extend(&signature.ends);
    }
    Groups::filter(signature.groups.len(), |group| {
        let group = &signature.groups[group.index()];
        let by_action = |looks: &ActionTest<'_>| match &group.actions {
            Some(actions) => actions.iter().any(|&action| looks(&model.action(action))),
            None => true,
        };
        group.may_write().any(|slot| support.contains(&slot))
            || seen.actions.as_ref().is_some_and(|looks| by_action(looks))
    })
}

/// Whether a condition can be seen to hold nowhere.
fn is_never(condition: &Condition) -> bool {
    match condition {
        Condition::Guard(Guard::In(_, set)) => set.is_empty(),
        Condition::All(parts) => parts.iter().any(is_never),
        Condition::Any(parts) => parts.iter().all(is_never),
        Condition::Guard(_) | Condition::Not(_) | Condition::AtMost(..) => false,
    }
}

impl Model for Reduced<'_> {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(ReducedExplorer {
            inner: self.model.explorer(),
            chooser: Chooser::new(self.model.signature(), &self.rules),
            taken: Groups::none(self.rules.tables.n_groups),
            reduced: self,
        })
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

/// The next-state function of a reduced model, for one worker.
struct ReducedExplorer<'r> {
    inner: Box<dyn Explorer + 'r>,
    chooser: Chooser<'r>,
    /// Scratch: the groups that are taken.
    taken: Groups,
    reduced: &'r Reduced<'r>,
}

impl Explorer for ReducedExplorer<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.inner.initial(sink)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let chosen = self.chooser.choose(&mut *self.inner, state);
        match chosen.map_err(Halt::from) {
            Err(halt) => ControlFlow::Break(halt),
            Ok(Chosen::Some(groups)) if !groups.contains(group.index()) => {
                ControlFlow::Continue(())
            }
            Ok(_) => self.inner.successors(group, state, sink),
        }
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let is_part = match self.chooser.choose(&mut *self.inner, state) {
            Err(problem) => return ControlFlow::Break(problem.into()),
            Ok(Chosen::All) => false,
            Ok(Chosen::Some(groups)) => {
                self.taken.copy_from(groups);
                true
            }
        };
        let n_enabled = self.chooser.n_enabled;
        let n_taken = if is_part { self.taken.len() } else { n_enabled };
        let count = |of: &AtomicU64, by: u64| of.fetch_add(by, Ordering::Relaxed);
        count(&self.reduced.expanded, 1);
        count(&self.reduced.enabled, n_enabled as u64);
        count(&self.reduced.taken, n_taken as u64);
        count(&self.reduced.effort, self.chooser.effort);
        if is_part {
            let Self { inner, taken, .. } = self;
            taken.iter().try_for_each(|group| inner.successors(group, state, sink))
        } else {
            self.inner.expand(state, sink)
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

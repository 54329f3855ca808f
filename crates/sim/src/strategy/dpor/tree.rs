//! Wakeup trees: sequences of steps that must be tried, with common beginnings shared.

use super::{Tasks, bit};
use crate::operation::{Access, ObjectId, Operation, TaskId, conflict};

/// A step that is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) task: TaskId,
    pub(super) object: ObjectId,
    pub(super) access: Access,
}

impl Step {
    pub(super) const fn of(operation: &Operation) -> Step {
        let Operation { task, object, access, .. } = *operation;
        Step { task, object, access }
    }

    pub(super) fn depends_on(&self, other: &Step) -> bool {
        conflict((self.object, self.access), (other.object, other.access))
    }
}

/// Branches in the order in which they are to be tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    branches: Vec<(Step, Tree)>,
}

/// The tasks whose first step of a sequence does not come after another step of it.
pub(super) fn initials(steps: &[Step], precedes: &dyn Fn(usize, usize) -> bool) -> Tasks {
    let (mut seen, mut initials) = (0, 0);
    for (index, step) in steps.iter().enumerate() {
        if seen & bit(step.task) == 0 && !(0..index).any(|prior| precedes(prior, index)) {
            initials |= bit(step.task);
        }
        seen |= bit(step.task);
    }
    initials
}

/// Those of `tasks` that take no step of a sequence and whose pending step commutes with all of it.
pub(super) fn others(steps: &[Step], pending: &[(ObjectId, Access)], tasks: Tasks) -> Tasks {
    let mut others = 0;
    for (index, &(object, access)) in pending.iter().enumerate() {
        if tasks >> index & 1 == 0 {
            continue;
        }
        let commutes = |step: &Step| {
            step.task.index() != index && !conflict((step.object, step.access), (object, access))
        };
        if steps.iter().all(commutes) {
            others |= 1 << index;
        }
    }
    others
}

impl Tree {
    /// Takes out the first branch that can be begun; those before it cannot and are dropped.
    pub(super) fn next(&mut self, enabled: Tasks) -> Option<(Step, Tree)> {
        while !self.branches.is_empty() {
            let branch = self.branches.remove(0);
            if enabled & bit(branch.0.task) != 0 {
                return Some(branch);
            }
        }
        None
    }

    /// The branches, in the order in which they are to be tried.
    pub(super) fn branches(&self) -> &[(Step, Tree)] {
        &self.branches
    }

    /// Adds a sequence as a branch of its own.
    pub(super) fn push(&mut self, steps: Vec<Step>) {
        let branch = steps.into_iter().rev().fold(None, |below: Option<(Step, Tree)>, step| {
            Some((step, Tree { branches: below.into_iter().collect() }))
        });
        self.branches.extend(branch);
    }

    /// Adds a sequence unless one that is in the tree leads to all that it leads to.
    pub(super) fn insert(
        &mut self,
        steps: &[Step],
        precedes: &dyn Fn(usize, usize) -> bool,
        n_objects: u32,
    ) {
        let mut left: Vec<usize> = (0..steps.len()).collect();
        let mut tree = self;
        'descend: loop {
            for index in 0..tree.branches.len() {
                let step = tree.branches[index].0;
                if !leads(step, steps, &mut left, precedes, n_objects) {
                    continue;
                }
                let below = &mut tree.branches[index].1;
                if below.branches.is_empty() {
                    return;
                }
                tree = &mut tree.branches[index].1;
                continue 'descend;
            }
            return tree.push(left.into_iter().map(|index| steps[index]).collect());
        }
    }
}

/// Whether a sequence can be begun with a step: it is a first one of it and taken out, or it
/// commutes with all of it.
fn leads(
    step: Step,
    steps: &[Step],
    left: &mut Vec<usize>,
    precedes: &dyn Fn(usize, usize) -> bool,
    n_objects: u32,
) -> bool {
    if let Some(position) = left.iter().position(|&index| steps[index].task == step.task) {
        let index = left[position];
        if left[..position].iter().any(|&prior| precedes(prior, index)) {
            return false;
        }
        left.remove(position);
        return true;
    }
    // Objects that are younger than the place in the execution may have other numbers there: two of
    // them may be the same.
    left.iter().all(|&index| {
        let other = &steps[index];
        let may_be_same = other.object.0 >= n_objects && step.object.0 >= n_objects;
        !(step.depends_on(other) || (may_be_same && other.access.races(step.access)))
    })
}

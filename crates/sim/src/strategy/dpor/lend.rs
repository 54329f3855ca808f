//! Lending: other workers explore branches that are to be tried anyhow, before their turn has come.
//!
//! What is left to be tried in a frame is known with its order: nothing is inserted before it, and
//! the steps that will sleep by then are those of the branches before it. So the executions below a
//! branch are known, too, unless more is added to the branch itself; then the part does not count and
//! is explored again. What the part finds that must be tried in frames of the lender it only notes:
//! the lender enters it when it would have come to the branch. The executions that count, and their
//! order, are those of one worker.

use super::super::{PartId, Strategy};
use super::tree::{Step, Tree};
use super::{Dpor, Entry, Frame, Reduction, Tasks, bit};
use crate::operation::TaskId;

/// What was lent, and what a part notes for who lent it.
#[derive(Debug, Default)]
pub(super) struct Loans {
    /// Of a part: how many entries of the stack, and how many steps, are the lender's.
    pub(super) n_fixed: usize,
    n_fixed_steps: usize,
    notes: Vec<Note>,
    lent: Vec<Loan>,
    n_lent: u32,
    /// The loan that must come back now.
    awaited: Option<usize>,
}

/// A branch that another worker explores.
#[derive(Debug)]
struct Loan {
    id: PartId,
    /// Where it branches off, and with whose step.
    step: usize,
    task: TaskId,
    /// As it was when it was lent.
    sleep: Tasks,
    below: Tree,
}

/// A sequence that must be tried in a frame of the lender.
#[derive(Debug)]
struct Note {
    step: usize,
    initials: Tasks,
    sequence: Vec<Step>,
    /// Which of them come after which, row by row.
    precedes: Vec<bool>,
}

impl Loans {
    pub(super) fn is_of_lender(&self, step: usize) -> bool {
        step < self.n_fixed_steps
    }

    pub(super) fn note(
        &mut self,
        step: usize,
        initials: Tasks,
        sequence: Vec<Step>,
        precedes: &dyn Fn(usize, usize) -> bool,
    ) {
        let n = sequence.len();
        // Only earlier ones are asked for: the others are never before.
        let precedes = (0..n * n).map(|at| at / n < at % n && precedes(at / n, at % n)).collect();
        self.notes.push(Note { step, initials, sequence, precedes });
    }

    /// Whether the branch that was chosen is lent; then it must come back before anything else.
    pub(super) fn await_part(&mut self, step: usize, task: TaskId) -> bool {
        let is_it = |loan: &Loan| loan.step == step && loan.task == task;
        self.awaited = self.lent.iter().position(is_it);
        self.awaited.is_some()
    }

    pub(super) fn awaited(&self) -> Option<PartId> {
        self.awaited.map(|index| self.lent[index].id)
    }
}

impl Frame {
    /// Goes on with another branch.
    pub(super) fn choose(&mut self, step: Step, below: Tree) {
        let (object, access) = self.pending[step.task.index()];
        self.chosen = Step { task: step.task, object, access };
        self.inherited = below;
    }

    /// Enters a first step of a sequence, unless one of them was tried.
    pub(super) fn add_source(&mut self, sequence: &[Step], initials: Tasks) {
        if initials & self.tried == 0 {
            let preferred = initials & self.enabled;
            let task = TaskId(preferred.trailing_zeros() as u16);
            let Some(&step) = sequence.iter().find(|step| step.task == task) else { return };
            self.todo.push(vec![step]);
            self.tried |= bit(task);
        }
    }

    /// The first branch to be tried here that is not lent, and who will sleep by then.
    fn first_branch(&self, is_lent: impl Fn(TaskId) -> bool) -> Option<(&(Step, Tree), Tasks)> {
        let mut sleep = self.sleep | bit(self.chosen.task);
        for branch in self.todo.branches() {
            let task = branch.0.task;
            if self.enabled & !sleep & bit(task) != 0 {
                if !is_lent(task) {
                    return Some((branch, sleep));
                }
                sleep |= bit(task);
            }
        }
        None
    }
}

impl Dpor {
    /// Lends the branch that is nearest to the root.
    pub(super) fn lend_branch(&mut self) -> Option<(PartId, Box<dyn Strategy>)> {
        if self.loans.awaited.is_some() {
            return None;
        }
        let lent = &self.loans.lent;
        let (step, branch, sleep) =
            (self.loans.n_fixed_steps..self.steps.len()).find_map(|step| {
                let is_lent = |task| lent.iter().any(|loan| loan.step == step && loan.task == task);
                let (branch, sleep) = self.frame(step).first_branch(is_lent)?;
                Some((step, branch.clone(), sleep))
            })?;
        // This worker needs something to go on with.
        let not_lent = |_| false;
        let has_more =
            (step + 1..self.steps.len()).any(|s| self.frame(s).first_branch(not_lent).is_some());
        if !has_more {
            return None;
        }
        let mut frame = self.frame(step).clone();
        (frame.sleep, frame.todo) = (sleep, Tree::default());
        frame.choose(branch.0, branch.1.clone());
        let mut part = Dpor::new(self.reduction);
        let at = self.steps[step];
        part.stack = self.stack[..at].to_vec();
        part.stack.push(Entry::Step(Box::new(frame)));
        part.steps = self.steps[..=step].to_vec();
        part.first_new = step;
        (part.loans.n_fixed, part.loans.n_fixed_steps) = (at + 1, step + 1);
        let id = PartId(self.loans.n_lent);
        self.loans.n_lent += 1;
        let (task, below) = (branch.0.task, branch.1);
        self.loans.lent.push(Loan { id, step, task, sleep, below });
        Some((id, Box::new(part)))
    }

    /// Takes back the branch that is awaited: its turn has come. Whether it is as it was.
    pub(super) fn take_branch(&mut self, part: Dpor) -> bool {
        let Some(index) = self.loans.awaited.take() else { return false };
        let loan = self.loans.lent.remove(index);
        let frame = self.frame(loan.step);
        if frame.sleep != loan.sleep || frame.inherited != loan.below {
            // One worker alone begins here, too: with this branch, already chosen.
            self.has_begun = false;
            return false;
        }
        self.n_superfluous += part.n_superfluous;
        for note in part.loans.notes {
            self.enter(note);
        }
        // All of it was explored.
        self.frame_mut(loan.step).inherited = Tree::default();
        true
    }

    /// Enters what a part found.
    fn enter(&mut self, note: Note) {
        let Note { step, initials, sequence, precedes } = note;
        if self.loans.is_of_lender(step) {
            // A part of a part.
            return self.loans.notes.push(Note { step, initials, sequence, precedes });
        }
        let (reduction, n) = (self.reduction, sequence.len());
        let frame = self.frame_mut(step);
        match reduction {
            Reduction::Source => frame.add_source(&sequence, initials),
            Reduction::Optimal => {
                let precedes = |a: usize, b: usize| precedes[a * n + b];
                frame.todo.insert(&sequence, &precedes, frame.n_objects);
            }
        }
    }
}

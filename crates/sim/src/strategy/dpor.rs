//! Exhaustive exploration with dynamic partial-order reduction: of the schedules that differ only in
//! the order of operations that commute, one is executed.
//!
//! [`Reduction::Optimal`] is the algorithm with wakeup trees, [`Reduction::Source`] the one with
//! source sets; both with sleep sets (Abdulla, Aronis, Jonsson & Sagonas, "Source Sets: A Foundation
//! for Optimal Dynamic Partial Order Reduction", JACM 2017). Locks and other waiting is as there:
//! what a blocked task would do takes part in the search for races when an execution is over.

use super::{Execution, PartId, Point, Strategy};
use crate::operation::{Access, ObjectId, TaskId, conflict};
use crate::order::Order;
use tree::{Step, Tree};

mod lend;
mod tree;

/// How much is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Source sets and sleep sets: some executions turn out to be superfluous when they end.
    Source,
    /// Wakeup trees and sleep sets: exactly one execution per class, unless operations disable each
    /// other in other ways than locks do.
    Optimal,
}

/// A set of tasks, by number.
type Tasks = u64;

const fn bit(task: TaskId) -> Tasks {
    1 << task.0
}

/// A step of the execution that is explored, and what is to be tried instead of it.
#[derive(Clone, Debug)]
struct Frame {
    enabled: Tasks,
    chosen: Step,
    /// Tasks whose next step need not be tried here: whatever it leads to was explored.
    sleep: Tasks,
    /// What sleeping tasks want to do, and all others, by task.
    pending: Vec<(ObjectId, Access)>,
    /// How many objects there were: later ones have other numbers in other executions.
    n_objects: u32,
    /// What is to be tried here, and how it must go on.
    todo: Tree,
    /// How it must go on after the chosen step.
    inherited: Tree,
    /// Every task that was or will be tried here.
    tried: Tasks,
}

#[derive(Clone, Debug)]
enum Entry {
    Step(Box<Frame>),
    Draw { value: u32, bound: u32 },
}

/// Explores one schedule of every class.
#[derive(Debug)]
pub struct Dpor {
    reduction: Reduction,
    stack: Vec<Entry>,
    /// Where in the stack the steps are.
    steps: Vec<usize>,
    /// The next entry to be followed.
    cursor: usize,
    /// The first step that the last execution did not share with the one before.
    first_new: usize,
    /// All that could run sleeps: this execution only repeats others.
    is_superfluous: bool,
    n_superfluous: u64,
    has_begun: bool,
    objection: String,
    order: Order,
    loans: lend::Loans,
}

impl Dpor {
    /// Nothing is explored yet.
    #[must_use]
    pub fn new(reduction: Reduction) -> Dpor {
        Dpor {
            reduction,
            stack: Vec::new(),
            steps: Vec::new(),
            cursor: 0,
            first_new: 0,
            is_superfluous: false,
            n_superfluous: 0,
            has_begun: false,
            objection: String::new(),
            order: Order::default(),
            loans: lend::Loans::default(),
        }
    }

    /// How many executions only repeated others.
    #[must_use]
    pub const fn superfluous(&self) -> u64 {
        self.n_superfluous
    }

    fn frame(&self, step: usize) -> &Frame {
        match &self.stack[self.steps[step]] {
            Entry::Step(frame) => frame,
            Entry::Draw { .. } => unreachable!("`steps` points to steps"),
        }
    }

    fn frame_mut(&mut self, step: usize) -> &mut Frame {
        match &mut self.stack[self.steps[step]] {
            Entry::Step(frame) => frame,
            Entry::Draw { .. } => unreachable!("`steps` points to steps"),
        }
    }

    fn object<T>(&mut self, what: String) -> Option<T> {
        self.objection = what;
        None
    }

    /// A step that was taken before, again.
    fn follow(&mut self, point: &Point<'_>) -> Option<TaskId> {
        let frame = self.frame(point.trace.len());
        let chosen = frame.chosen;
        let pending = point.pending.get(chosen.task.index());
        let is_same = pending.is_some_and(|request| {
            (request.object, request.access) == (chosen.object, chosen.access)
        });
        if !is_same || !point.enabled.contains(&chosen.task) {
            let (place, step) = (pending.map(|request| request.place), point.trace.len() + 1);
            return self.object(format!(
                "step {step}: after the same decisions the program does something else{}; it \
                 depends on something that is not under control",
                place.map_or(String::new(), |place| format!(" at {place}")),
            ));
        }
        self.cursor += 1;
        Some(chosen.task)
    }

    /// A step that was not taken before.
    fn advance(&mut self, point: &Point<'_>) -> Option<TaskId> {
        if point.pending.len() > Tasks::BITS as usize {
            return self.object(format!("exhaustive exploration knows {} tasks only", Tasks::BITS));
        }
        let (mut sleep, mut inherited) = (0, Tree::default());
        if let Some(step) = point.trace.len().checked_sub(1) {
            let done = &point.trace[step];
            let parent = self.frame_mut(step);
            inherited = std::mem::take(&mut parent.inherited);
            for (index, request) in point.pending.iter().enumerate() {
                let is_dependent =
                    conflict((request.object, request.access), (done.object, done.access));
                if parent.sleep >> index & 1 == 1 && !is_dependent {
                    sleep |= 1 << index;
                }
            }
        }
        let enabled = point.enabled.iter().fold(0, |set, &task| set | bit(task));
        let awake = enabled & !sleep;
        // What else was to be tried here stays to be tried.
        let first = inherited.next(enabled);
        let (task, below) = match first {
            Some((step, below)) => (step.task, below),
            None if awake == 0 => {
                self.is_superfluous = true;
                return point.enabled.first().copied();
            }
            None if awake & bit(point.current) != 0 => (point.current, Tree::default()),
            None => (TaskId(awake.trailing_zeros() as u16), Tree::default()),
        };
        let request = point.pending(task);
        let pending = point.pending.iter().map(|request| (request.object, request.access));
        let pending: Vec<_> = pending.collect();
        let n_objects = pending.iter().map(|(object, _)| object.0 + 1).max().unwrap_or(0);
        let known = self.steps.last().map_or(0, |_| self.frame(self.steps.len() - 1).n_objects);
        self.steps.push(self.stack.len());
        self.stack.push(Entry::Step(Box::new(Frame {
            enabled,
            chosen: Step { task, object: request.object, access: request.access },
            sleep,
            pending,
            n_objects: n_objects.max(known),
            todo: inherited,
            inherited: below,
            tried: bit(task),
        })));
        self.cursor += 1;
        Some(task)
    }

    /// Enters what must be tried so that the two operations come in the other order.
    fn reverse(&mut self, execution: &Execution<'_>, earlier: usize, later: usize) {
        let trace = execution.trace;
        let mut steps: Vec<Step> = Vec::new();
        let mut events: Vec<usize> = Vec::new();
        for (index, operation) in trace.iter().enumerate().skip(earlier + 1) {
            if index != later && !self.order.precedes(earlier, index) {
                steps.push(Step::of(operation));
                events.push(index);
            }
        }
        let last = match trace.get(later) {
            Some(operation) => Step::of(operation),
            None => {
                let task = TaskId::new(later - trace.len());
                let request = &execution.pending[task.index()];
                Step { task, object: request.object, access: request.access }
            }
        };
        // The last one comes after those of its own task and those it depends on.
        let last_after: Vec<bool> = events
            .iter()
            .zip(&steps)
            .map(|(&event, step)| {
                step.task == last.task
                    || step.depends_on(&last)
                    || (later < trace.len() && self.order.precedes(event, later))
            })
            .collect();
        steps.push(last);
        let n_events = events.len();
        let order = &self.order;
        let precedes = |a: usize, b: usize| {
            if b == n_events { last_after[a] } else { order.precedes(events[a], events[b]) }
        };
        let initials = tree::initials(&steps, &precedes);
        let is_lender = self.loans.is_of_lender(earlier);
        let Entry::Step(frame) = &mut self.stack[self.steps[earlier]] else { return };
        if initials & frame.enabled == 0 {
            return;
        }
        if frame.sleep & initials != 0 {
            return;
        }
        match self.reduction {
            _ if is_lender => {
                let is_source = self.reduction == Reduction::Source;
                if is_source || tree::others(&steps, &frame.pending, frame.sleep) == 0 {
                    self.loans.note(earlier, initials, steps, &precedes);
                }
            }
            Reduction::Source => {
                frame.add_source(&steps, initials);
            }
            // What a sleeping task begins was explored; only whole sequences are certain to be begun
            // by a task that takes no step of them.
            Reduction::Optimal => {
                if tree::others(&steps, &frame.pending, frame.sleep) == 0 {
                    frame.todo.insert(&steps, &precedes, frame.n_objects);
                }
            }
        }
    }
}

impl Strategy for Dpor {
    fn begin(&mut self) -> bool {
        (self.cursor, self.is_superfluous) = (0, false);
        if !std::mem::replace(&mut self.has_begun, true) {
            return true;
        }
        while self.stack.len() > self.loans.n_fixed
            && let Some(entry) = self.stack.last_mut()
        {
            match entry {
                Entry::Draw { value, bound } if *value + 1 < *bound => {
                    *value += 1;
                    self.first_new = self.steps.len();
                    return true;
                }
                Entry::Draw { .. } => {}
                Entry::Step(frame) => {
                    frame.sleep |= bit(frame.chosen.task);
                    let enabled = frame.enabled & !frame.sleep;
                    if let Some((step, rest)) = frame.todo.next(enabled) {
                        frame.choose(step, rest);
                        self.first_new = self.steps.len() - 1;
                        // Another worker has it already.
                        return !self.loans.await_part(self.first_new, step.task);
                    }
                    self.steps.pop();
                }
            }
            self.stack.pop();
        }
        false
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        if self.is_superfluous {
            return point.enabled.first().copied();
        }
        if self.cursor < self.stack.len() { self.follow(point) } else { self.advance(point) }
    }

    fn draw(&mut self, bound: u32) -> u32 {
        if self.is_superfluous {
            return 0;
        }
        if self.cursor == self.stack.len() {
            self.stack.push(Entry::Draw { value: 0, bound });
        }
        let value = match self.stack[self.cursor] {
            Entry::Draw { value, .. } => value.min(bound - 1),
            Entry::Step(_) => 0,
        };
        self.cursor += 1;
        value
    }

    fn finish(&mut self, execution: &Execution<'_>) {
        self.n_superfluous += u64::from(self.is_superfluous);
        let n_steps = self.steps.len();
        let (trace, blocked) = if self.is_superfluous {
            (&execution.trace[..n_steps.min(execution.trace.len())], &[][..])
        } else {
            (execution.trace, execution.blocked)
        };
        let execution = Execution { trace, blocked, ..*execution };
        let mut order = std::mem::take(&mut self.order);
        order.compute(trace, execution.pending, blocked, self.first_new);
        self.order = order;
        for race in std::mem::take(&mut self.order.races) {
            self.reverse(&execution, race.earlier, race.later);
        }
    }

    fn lend(&mut self) -> Option<(PartId, Box<dyn Strategy>)> {
        self.lend_branch()
    }

    fn awaited(&self) -> Option<PartId> {
        self.loans.awaited()
    }

    fn take_back(&mut self, part: Box<dyn Strategy>) -> bool {
        let part: Box<dyn std::any::Any> = part;
        part.downcast::<Dpor>().is_ok_and(|part| self.take_branch(*part))
    }

    fn yields(&self) -> bool {
        false
    }

    fn leaves_orders_out(&self) -> bool {
        true
    }

    fn is_exhaustive(&self) -> bool {
        true
    }

    fn objection(&self) -> String {
        self.objection.clone()
    }
}

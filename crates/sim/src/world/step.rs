//! What an operation does to the world: a task asks for it, and performs it when it was chosen.

use std::sync::atomic::Ordering;
use std::time::Instant;

use quadrille_simulation::ModelTime;

use super::gate::{Gate, bit};
use super::{Object, Step, World};
use crate::config::{Cost, Ends, Timeouts};
use crate::operation::{Access, Action, Guard, ObjectId, Operation, Request, SEQUENTIAL, TaskId};
use crate::races::is_tracked;

impl World {
    /// The running task has come to its next operation; [`World::settle`] follows. To be compiled into
    /// the caller, which mostly knows the request, so that its parts are written where they belong.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "see above")]
    pub(crate) fn ask(&mut self, request: Request) {
        let current = self.current.index();
        let gate = Gate::of(&request);
        let mut can = true;
        if request.guard != Guard::Always {
            let object = &mut self.objects[request.gate.index()];
            object.waiters |= bit(current);
            can = gate.admits(object.word);
        }
        let ready = &mut self.ready[current / 64];
        ready.set(current, can);
        let (yields, bit) = (gate.yields, bit(current));
        ready.yields = if yields { ready.yields | bit } else { ready.yields & !bit };
        self.gates[current] = gate;
        self.pending[current] = request;
    }

    /// Changes the word of an object, and lets those who wait for it go on or not.
    #[inline]
    pub(crate) fn set_word(&mut self, object: ObjectId, word: i64) {
        let changed = &mut self.objects[object.index()];
        changed.word = word;
        if changed.waiters != 0 {
            self.tell_waiters(object);
        }
    }

    /// Notes which of those who wait for an object can go on.
    fn tell_waiters(&mut self, object: ObjectId) {
        let Object { word, waiters, .. } = self.objects[object.index()];
        let (mut left, mut stay) = (waiters, 0);
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            left &= left - 1;
            let mut task = first;
            while let Some(gate) = self.gates.get(task) {
                if gate.object == object {
                    stay |= bit(task);
                    self.ready[task / 64].set(task, gate.lets_pass(word));
                }
                task += 64;
            }
        }
        self.objects[object.index()].waiters = stay;
    }

    /// A task can go on, whatever it waits for, or never again.
    pub(crate) fn set_ready(&mut self, task: usize, can: bool) {
        self.ready[task / 64].set(task, can);
    }

    /// The part of the running task is over, and costs; its timed wait begins.
    #[inline]
    pub(crate) fn settle(&mut self) {
        self.settle_cost();
        let current = self.current.index();
        if self.is_weak() {
            let request = sequential(self.pending[current]);
            (self.pending[current], self.gates[current].object) = (request, request.gate);
        }
        if self.gates[current].is_timed {
            self.begin_wait(current);
        }
    }

    fn begin_wait(&mut self, task: usize) {
        let deadline = self.now + self.pending[task].timeout;
        self.tasks[task].deadline = deadline;
        self.next_deadline = self.next_deadline.min(deadline);
        let races = self.config.timeouts == Timeouts::Any;
        if races && deadline != ModelTime::NEVER {
            self.gates[task].is_open = true;
            // Whether it gives up depends on what it waits for: the two orders are not alike.
            self.pending[task].access = Access::Write;
            self.set_ready(task, true);
        }
    }

    /// The chosen task performs its operation.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "called where every decision ends")]
    pub(crate) fn commit(&mut self, task: TaskId) {
        let index = task.index();
        let (request, gate) = (&self.pending[index], &mut self.gates[index]);
        let awaited = &mut self.objects[gate.object.index()];
        if self.ready.len() == 1 {
            // It waits no more; with more tasks, others may have the same bit.
            awaited.waiters &= !bit(index);
        }
        // Who has no deadline is chosen only when the word admits it.
        let timed_out = gate.is_timed && (gate.is_due || !gate.admits(awaited.word));
        let waits = (request.access == Access::Resume)
            | (gate.object != request.object)
            | matches!(request.action, Action::Poll);
        let cause = if waits & !timed_out { awaited.cause } else { 0 };
        let access = if timed_out { Access::Read } else { request.access };
        if access.changes() {
            self.objects[request.object.index()].version += 1;
            if !may_fail(request.action) {
                self.idle_rounds = 0;
                self.spins[index].reset();
            }
        } else if gate.yields {
            self.spins[index].hint();
            self.may_poll |= self.spins[index].is_polling();
        }
        let place = request.place;
        self.has_tracked |= is_tracked(request.action);
        self.trace.push(Operation {
            task,
            action: request.action,
            object: request.object,
            access,
            timed_out,
            after: std::mem::take(&mut self.tasks[index].after),
            cause,
            value: 0,
            is_stale: false,
            time: self.now,
            place,
        });
        if gate.is_timed {
            (gate.is_due, gate.is_open) = (false, false);
            self.end_wait(index);
        }
        self.pulse.beat(task, place);
        (self.current, self.timed_out, self.owes_cost) = (task, timed_out, self.charges_after);
        if self.notes_more {
            self.note_more();
        }
    }

    /// Notes of the operation that was performed last what only some executions ask for.
    #[cold]
    fn note_more(&mut self) {
        if self.is_weak() {
            let last = self.trace.len() - 1;
            let operation = &self.trace[last];
            self.weak.step(last, operation, self.objects[operation.object.index()].kind);
        }
        if self.config.records_steps {
            self.steps.push(Step::Run(self.current, self.now));
        }
        if let Cost::Measured(_) = self.config.cost {
            #[allow(clippy::disallowed_methods, reason = "measuring was asked for")]
            let now = Instant::now();
            self.part_began = Some(now);
        }
    }

    /// A task no longer waits for its time to be over.
    fn end_wait(&mut self, task: usize) {
        let deadline = std::mem::replace(&mut self.tasks[task].deadline, ModelTime::NEVER);
        if deadline == self.next_deadline {
            self.next_deadline =
                self.tasks.iter().map(|task| task.deadline).min().unwrap_or(ModelTime::NEVER);
        }
    }

    /// What the operation that was performed last found, and whether it changed anything: failed
    /// updates and attempts are but reads, as far as polling goes.
    pub(crate) fn observe(&mut self, value: u64, has_changed: bool) {
        let Some(last) = self.trace.last_mut() else { return };
        last.value = value;
        let spin = &mut self.spins[last.task.index()];
        if has_changed {
            self.idle_rounds = 0;
            return spin.reset();
        }
        let object = &mut self.objects[last.object.index()];
        object.version -= u32::from(last.access.changes());
        // Who read what is overwritten will find something new without any further change.
        let version = object.version.wrapping_sub(u32::from(last.is_stale));
        spin.observe(last.place, last.object, value, version);
        self.may_poll |= spin.is_polling();
    }

    pub(crate) fn hint_polling(&mut self) {
        let spin = &mut self.spins[self.current.index()];
        spin.hint();
        self.may_poll |= spin.is_polling();
    }

    /// Everything that happened so far comes before whatever any task does next.
    pub(crate) fn draw_line(&mut self) {
        let after = self.trace.len() as u32;
        for task in &mut self.tasks {
            task.after = after;
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        match self.config.ends {
            Ends::WithAllTasks => self.tasks.iter().all(|task| task.is_finished),
            Ends::WithBody => self.tasks.first().is_none_or(|task| task.is_finished),
        }
    }
}

/// Whether only [`World::observe`] tells if an operation changed anything.
const fn may_fail(action: Action) -> bool {
    matches!(
        action,
        Action::Update(_)
            | Action::Poll
            | Action::TryLock
            | Action::TryLockShared
            | Action::TrySend
            | Action::TryReceive
    )
}

/// An operation of a weak memory, as a part of the order of sequentially consistent ones if it asks to
/// be.
fn sequential(request: Request) -> Request {
    use Ordering::SeqCst;
    match request.action {
        Action::Fence(SeqCst) => {
            Request { object: SEQUENTIAL, gate: SEQUENTIAL, access: Access::Write, ..request }
        }
        Action::Load(SeqCst) | Action::Store(SeqCst) | Action::Update(SeqCst) => {
            Request { access: request.access.ordered(), ..request }
        }
        _ => request,
    }
}

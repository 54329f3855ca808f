//! Which step comes next: the rule of the joint calendar, the cost of parts, jumps of the clock. The
//! strategy chooses among the tasks that can run.

use std::time::Duration;

use quadrille_simulation::ModelTime;

use super::{ALARM, MAX_IDLE_ROUNDS, Next, POLLING_QUANTUM, Step, World};
use crate::config::{Cost, Effects, Timeouts};
use crate::failure::{Fault, Stuck};
use crate::operation::{Action, CLOCK, ObjectId, Operation, Request, TaskId};
use crate::spin::Spin;
use crate::strategy::Point;

impl World {
    pub(crate) fn settle_cost(&mut self) {
        if !std::mem::replace(&mut self.owes_cost, false) {
            return;
        }
        let cost = match &self.config.cost {
            Cost::Constant(cost) if cost.is_zero() => return,
            Cost::Constant(cost) => *cost,
            Cost::Derived(cost) => self.trace.last().map(cost).unwrap_or_default(),
            Cost::Measured(scale) => {
                let took = self.part_began.map(|began| began.elapsed().mul_f64(*scale));
                self.measured.push(took.unwrap_or_default());
                took.unwrap_or_default()
            }
            Cost::Recorded(costs) => {
                let next = costs.get(self.measured.len()).copied().unwrap_or_default();
                self.measured.push(next);
                next
            }
            Cost::Uniform { least, greatest, .. } => {
                let (least, greatest) = (*least, *greatest);
                let span = greatest.saturating_sub(least).as_nanos() as u64;
                least + Duration::from_nanos(self.costs.below(span.saturating_add(1)))
            }
        };
        self.now += cost;
    }

    /// The time that a chosen task's part takes passes before it.
    fn pay(&mut self, task: TaskId) {
        let Request { action, object, access, place, .. } = self.pending[task.index()];
        let (timed_out, after, cause, value, time) = (false, 0, 0, 0, self.now);
        let is_stale = false;
        let part = Operation {
            task,
            action,
            object,
            access,
            timed_out,
            after,
            cause,
            value,
            is_stale,
            time,
            place,
        };
        self.trace.push(part);
        self.owes_cost = true;
        self.settle_cost();
        self.trace.pop();
    }

    /// Whether the time of a part passes before it. What is to be measured is known only afterwards.
    pub(super) fn pays_before(&self) -> bool {
        self.config.effects == Effects::AtEnd && !matches!(self.config.cost, Cost::Measured(_))
    }

    /// Whether a task could perform its pending operation.
    pub(crate) fn is_ready(&self, task: usize) -> bool {
        let state = &self.tasks[task];
        if state.is_finished {
            return false;
        }
        let request = &self.pending[task];
        let object = &self.objects[request.gate.index()];
        request.guard.admits(object.word)
            || state.is_due
            || (self.config.timeouts == Timeouts::Any && state.deadline != ModelTime::NEVER)
    }

    /// Whether a task would only go on polling what no task has changed.
    fn is_polling(&self, task: usize) -> bool {
        let version = |object: ObjectId| self.objects[object.index()].version;
        self.tasks[task].spin.waits(&self.pending[task], version)
    }

    /// Decides on the next step: the rule of the joint calendar. Events of the environment that are
    /// due come first, then wake-ups that are due, then a task that can run; if none can, the clock
    /// jumps.
    pub(crate) fn decide(&mut self) -> Next {
        self.settle_cost();
        self.hear_alarm();
        if self.fault.is_some() || self.is_stopped {
            return Next::Stop;
        }
        if self.trace.len() >= self.config.max_steps {
            self.met_limit = true;
            return Next::Stop;
        }
        loop {
            if let Some(next) = self.due_step() {
                return next;
            }
            if let Some(task) = self.reserved.take() {
                return Next::Run(task);
            }
            self.enabled.clear();
            let mut polling = 0;
            for task in 0..self.tasks.len() {
                if self.is_ready(task) {
                    let polls = self.is_polling(task);
                    polling += usize::from(polls);
                    if !(polls && self.holds_polls) {
                        self.enabled.push(TaskId::new(task));
                    }
                }
            }
            let only_polls = !self.holds_polls && polling == self.enabled.len();
            if !self.enabled.is_empty() && !only_polls {
                let next = self.choose();
                let (Next::Run(task), true) = (next, self.pays_before()) else { return next };
                self.reserved = Some(task);
                self.pay(task);
                continue;
            }
            if !self.idle() {
                return Next::Stop;
            }
        }
    }

    /// Takes over what an allocator or the like reported.
    pub(crate) fn hear_alarm(&mut self) {
        if let Some(message) = ALARM.take() {
            let (name, message) = message.split_once(": ").unwrap_or(("alarm", message));
            let (name, message) = (name.to_owned(), message.to_owned());
            self.fault.get_or_insert(Fault::Check { name, message });
        }
    }

    /// The earliest of what is due, an event before a wake-up of the same time.
    fn due_step(&mut self) -> Option<Next> {
        loop {
            let event = self.next_event().filter(|&time| time <= self.now);
            let wake = self.next_deadline;
            if let Some(time) = event
                && time <= wake
            {
                return Some(Next::Environment(time));
            }
            if wake > self.now {
                return None;
            }
            self.wake_next();
        }
    }

    fn next_event(&self) -> Option<ModelTime> {
        self.environment.as_ref().and_then(|environment| environment.next_event())
    }

    /// Ends the timed wait that gives up first.
    fn wake_next(&mut self) {
        let deadline = self.next_deadline;
        let after = self.trace.len() as u32;
        if let Some(task) = self.tasks.iter().position(|task| task.deadline == deadline) {
            let state = &mut self.tasks[task];
            (state.deadline, state.is_due, state.after) = (ModelTime::NEVER, true, after);
            self.n_steps[1] += 1;
            if self.config.records_steps {
                self.steps.push(Step::WakeUp(TaskId::new(task), self.now));
            }
        }
        self.next_deadline =
            self.tasks.iter().map(|task| task.deadline).min().unwrap_or(ModelTime::NEVER);
    }

    /// No task can run: jumps to the next event or wake-up, or lets polling tasks go on. False if
    /// nothing can ever happen.
    fn idle(&mut self) -> bool {
        let next = self.next_deadline.min(self.next_event().unwrap_or(ModelTime::NEVER));
        if next != ModelTime::NEVER {
            self.now = self.now.max(next);
            self.objects[CLOCK.index()].version += 1;
            return true;
        }
        let after = self.trace.len() as u32;
        let mut is_polling = false;
        for task in &mut self.tasks {
            if !task.is_finished && task.spin.is_polling() {
                task.spin = Spin::default();
                task.after = after;
                is_polling = true;
            }
        }
        if is_polling {
            self.now += POLLING_QUANTUM;
            self.objects[CLOCK.index()].version += 1;
            self.idle_rounds += 1;
            if self.idle_rounds <= MAX_IDLE_ROUNDS {
                return true;
            }
            self.fault = Some(Fault::Livelock { blocked: self.blocked() });
            return false;
        }
        if self.tasks.iter().any(|task| !task.is_finished) {
            let (blocked, cycle) = (self.blocked(), self.cycle());
            let stuck = if cycle.is_empty() { self.stuck(&blocked) } else { Stuck::EachOther };
            self.fault = Some(Fault::Deadlock { blocked, cycle, stuck });
        }
        false
    }

    fn choose(&mut self) -> Next {
        let Some(strategy) = self.strategy.as_mut() else { return Next::Stop };
        if self.enabled.len() > 1 && strategy.yields() {
            let pending = &self.pending;
            let lets_go = |task: &TaskId| pending[task.index()].action == Action::Yield;
            if !self.enabled.iter().all(lets_go) {
                self.enabled.retain(|task| !lets_go(task));
            }
        }
        let point = Point {
            enabled: &self.enabled,
            current: self.current,
            pending: &self.pending,
            trace: &self.trace,
        };
        match strategy.choose(&point) {
            Some(task) => Next::Run(task),
            None => {
                self.fault = Some(Fault::Diverged(strategy.objection()));
                Next::Stop
            }
        }
    }
}

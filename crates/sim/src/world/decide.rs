//! Which step comes next: the rule of the joint calendar, the cost of parts, jumps of the clock. The
//! strategy chooses among the tasks that can run.

use std::time::Duration;

use quadrille_simulation::ModelTime;

use super::{ALARM, MAX_IDLE_ROUNDS, Next, POLLING_QUANTUM, ROUNDS_BEFORE_JUMP, Step, World};
use crate::config::{Cost, Effects};
use crate::failure::{Fault, Stuck};
use crate::operation::{CLOCK, ObjectId, Operation, Request, TaskId};
use crate::strategy::Point;

impl World {
    #[inline]
    pub(crate) fn settle_cost(&mut self) {
        if self.owes_cost {
            self.owes_cost = false;
            self.charge();
        }
    }

    /// Lets the time pass that the part took which is over.
    #[cold]
    fn charge(&mut self) {
        let cost = match &self.config.cost {
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
        let gate = &self.gates[task];
        gate.lets_pass(self.objects[gate.object.index()].word)
    }

    /// Whether a task would only go on polling what no task has changed.
    fn is_polling(&self, task: usize) -> bool {
        let version = |object: ObjectId| self.objects[object.index()].version;
        self.spins[task].waits(&self.pending[task], version)
    }

    /// Decides on the next step, and performs the operation if it is a task's.
    pub(crate) fn advance(&mut self) -> Next {
        let next = self.decide();
        if let Next::Run(task) = next {
            self.commit(task);
        }
        next
    }

    /// Decides on the next step: the rule of the joint calendar. Events of the environment that are
    /// due come first, then wake-ups that are due, then a task that can run; if none can, the clock
    /// jumps.
    fn decide(&mut self) -> Next {
        self.settle_cost();
        self.hear_alarm();
        if self.covered.is_some() {
            self.cover();
        }
        if self.fault.is_some() || self.is_stopped {
            return Next::Stop;
        }
        if self.trace.len() >= self.config.max_steps {
            self.met_limit = true;
            return Next::Stop;
        }
        // Mostly nothing is due, nothing polls, and parts cost nothing beforehand.
        if self.environment.is_none()
            && self.next_deadline > self.now
            && !self.may_poll
            && !self.pays_first
        {
            let n_enabled = self.find_ready();
            if n_enabled > 0 {
                return self.choose(n_enabled);
            }
        }
        self.decide_with_time()
    }

    /// The same where time passes, or tasks poll.
    #[inline(never)]
    fn decide_with_time(&mut self) -> Next {
        loop {
            if let Some(next) = self.due_step() {
                return next;
            }
            if let Some(task) = self.reserved.take() {
                return Next::Run(task);
            }
            let mut n_enabled = self.find_ready();
            let mut only_polls = false;
            if self.may_poll {
                (n_enabled, only_polls) = self.set_polls_aside(n_enabled);
            }
            if n_enabled > 0 && !only_polls {
                let next = self.choose(n_enabled);
                let (Next::Run(task), true) = (next, self.pays_first) else { return next };
                self.reserved = Some(task);
                self.pay(task);
                continue;
            }
            if !self.idle() {
                return Next::Stop;
            }
        }
    }

    /// Puts the tasks that could perform their operations into `enabled`, in order; how many they are.
    /// With strategies that do not try everything, those who yield let all others go first.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "asked for at every decision")]
    fn find_ready(&mut self) -> usize {
        let lets_yield = !self.holds_polls && !self.may_poll;
        let mut n_ready = 0;
        let mut add = |block: usize, mut left: u64| {
            while left != 0 {
                let task = block * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                self.enabled[n_ready] = TaskId(task as u16);
                n_ready += 1;
            }
        };
        // Hardly a program has more than 64 threads.
        if let [ready] = self.ready[..] {
            let others = ready.can & !ready.yields;
            add(0, if lets_yield && others != 0 { others } else { ready.can });
            return n_ready;
        }
        let has_others = self.ready.iter().any(|ready| ready.can & !ready.yields != 0);
        for (block, ready) in self.ready.iter().enumerate() {
            let others = ready.can & !ready.yields;
            add(block, if lets_yield && has_others { others } else { ready.can });
        }
        n_ready
    }

    /// Takes those out of the first `n_ready` tasks that yield, unless all do; how many are left.
    fn set_yields_aside(&mut self, n_ready: usize) -> usize {
        let mut n_left = 0;
        for position in 0..n_ready {
            if !self.gates[self.enabled[position].index()].yields {
                self.enabled.swap(n_left, position);
                n_left += 1;
            }
        }
        if n_left == 0 { n_ready } else { n_left }
    }

    /// Takes those out of the first `n_ready` tasks that would only go on polling, if they are to wait;
    /// how many are left, and whether all that are left poll.
    #[cold]
    fn set_polls_aside(&mut self, n_ready: usize) -> (usize, bool) {
        let (mut n_left, mut n_polling) = (0, 0);
        for position in 0..n_ready {
            let task = self.enabled[position];
            let polls = self.is_polling(task.index());
            n_polling += usize::from(polls);
            if !(polls && self.holds_polls) {
                self.enabled[n_left] = task;
                n_left += 1;
            }
        }
        let only_polls = !self.holds_polls && n_polling == n_left;
        if !self.holds_polls && !only_polls {
            n_left = self.set_yields_aside(n_left);
        }
        (n_left, only_polls)
    }

    /// Takes over what an allocator or the like reported.
    #[inline]
    pub(crate) fn hear_alarm(&mut self) {
        if let Some(message) = ALARM.get() {
            self.fail_by(message);
        }
    }

    #[cold]
    fn fail_by(&mut self, message: &'static str) {
        ALARM.set(None);
        let (name, message) = message.split_once(": ").unwrap_or(("alarm", message));
        let (name, message) = (name.to_owned(), message.to_owned());
        self.fault.get_or_insert(Fault::Check { name, message });
    }

    /// The earliest of what is due, an event before a wake-up of the same time.
    #[inline]
    fn due_step(&mut self) -> Option<Next> {
        if self.environment.is_none() && self.next_deadline > self.now {
            return None;
        }
        self.next_due()
    }

    fn next_due(&mut self) -> Option<Next> {
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
            self.gates[task].is_due = true;
            self.set_ready(task, true);
            let state = &mut self.tasks[task];
            (state.deadline, state.after) = (ModelTime::NEVER, after);
            self.n_wakeups += 1;
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
        // A task that polls for a while before it sleeps would else oversleep by as much as others sleep.
        let lets_poll = next == ModelTime::NEVER || self.idle_rounds < ROUNDS_BEFORE_JUMP;
        let is_polling = lets_poll && self.let_poll();
        if next != ModelTime::NEVER && !is_polling {
            self.now = self.now.max(next);
            self.objects[CLOCK.index()].version += 1;
            return true;
        }
        if is_polling {
            self.now = next.max(self.now).min(self.now + POLLING_QUANTUM);
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

    /// Lets tasks that poll look again; whether there are any.
    fn let_poll(&mut self) -> bool {
        let after = self.trace.len() as u32;
        let mut is_polling = false;
        for (task, spin) in self.tasks.iter_mut().zip(&mut self.spins) {
            if !task.is_finished && spin.is_polling() {
                spin.clear();
                task.after = after;
                is_polling = true;
            }
        }
        is_polling
    }

    /// The running task unwinds and performs its operation: no other one may come between on the thread
    /// that they share. The strategy is told; whether it agrees.
    pub(crate) fn force(&mut self) -> bool {
        let (task, Some(strategy)) = (self.current, self.strategy.as_mut()) else { return false };
        let point = Point {
            enabled: &[task],
            current: task,
            pending: &self.pending,
            trace: &self.trace,
            polls: false,
        };
        if strategy.choose(&point).is_some() {
            self.has_forced = true;
            self.commit(task);
            return true;
        }
        self.fault.get_or_insert(Fault::Diverged(strategy.objection()));
        false
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of every decision")]
    fn choose(&mut self, n_enabled: usize) -> Next {
        let polls = self.may_poll && self.is_polling(self.current.index());
        let Some(strategy) = self.strategy.as_mut() else { return Next::Stop };
        let point = Point {
            enabled: &self.enabled[..n_enabled],
            current: self.current,
            pending: &self.pending,
            trace: &self.trace,
            polls,
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

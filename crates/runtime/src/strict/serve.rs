//! What the machine does for waiting roles: it carries out pending requests as soon as they are possible, without waking
//! their threads first; it calls roles that have a choice, or whose request became impossible; and it detects deadlocks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::core::{Core, Outcome, PendingRequest};
use super::reachability;
use crate::error::{Cause, Waiting};
use crate::module::Payload;
use crate::plan::{ActId, RoleId};
use crate::request::{Blocked, Request};
use crate::table::GlobalStep;

impl<P: Payload> Core<P> {
    /// Carries out all pending requests that leave no choice, and calls their roles; whether there were any.
    pub(super) fn serve(&mut self, calls: &mut Vec<RoleId>) -> bool {
        let mut is_any = false;
        while let Some(step) = self.next_served() {
            is_any = true;
            self.turn = step.by;
            let record = &mut self.records[step.by.index()];
            record.waits = None;
            let mut payload = record.deposit.take();
            // Cloning a message of another role may panic, which must not unwind into this one.
            let perform = AssertUnwindSafe(|| self.perform(step, &mut payload, calls));
            let attempt = catch_unwind(perform).unwrap_or_else(|_| {
                let (role, state) = (self.table.role(step.by).to_owned(), self.state.0.to_string());
                Err(Blocked::never(Cause::Panicked { role, state }))
            });
            let number = Some(self.number(step));
            let record = &mut self.records[step.by.index()];
            match attempt {
                Ok(done) => record.outcome = Some(Outcome { done, number }),
                Err(Blocked::Never(cause)) => record.verdict = Some(*cause),
                Err(Blocked::Wait) => {}
            }
            record.deposit = payload;
            calls.push(step.by);
        }
        is_any
    }

    /// The step of a pending request that leaves no choice; in turn, if there are several, so that no role starves.
    fn next_served(&self) -> Option<GlobalStep> {
        let mut first = None;
        let of_parts: Vec<GlobalStep>;
        let steps = match self.under_way[..] {
            [state] => self.table.global.steps(state),
            _ => {
                of_parts = self.steps_of_parts();
                &of_parts
            }
        };
        for steps in steps.chunk_by(|one, other| one.by == other.by) {
            let role = steps[0].by;
            let Some(PendingRequest { request, is_served: true, .. }) =
                self.records[role.index()].waits
            else {
                continue;
            };
            let is_possible = |step: &&GlobalStep| {
                request.is_for(&self.table, role, step.act) && self.is_ready(step)
            };
            let mut possible = steps.iter().filter(is_possible);
            if let Some(&step) = possible.next()
                && possible.next().is_none()
            {
                if role > self.turn {
                    return Some(step);
                }
                first = first.or(Some(step));
            }
        }
        first
    }

    /// The steps of all parallel parts, by role.
    fn steps_of_parts(&self) -> Vec<GlobalStep> {
        let steps = self.under_way.iter().flat_map(|&state| self.table.global.steps(state));
        let mut steps: Vec<GlobalStep> = steps.copied().collect();
        steps.sort_by_key(|step| step.by);
        steps
    }

    /// Calls the waiting roles whose request is possible, or never will be.
    pub(super) fn call_others(&mut self, calls: &mut Vec<RoleId>) {
        for role in self.roles() {
            if let Some(PendingRequest { request, .. }) = self.records[role.index()].waits
                && (self.can_go_on(role, request) || !self.can_still_happen(role, request))
            {
                calls.push(role);
            }
        }
    }

    pub(crate) fn can_go_on(&self, role: RoleId, request: Request) -> bool {
        self.possible(role, request).next().is_some()
    }

    /// Makes a request pending. That may enable requests of other roles, or complete a deadlock.
    pub(crate) fn enlist(
        &mut self,
        role: RoleId,
        pending: PendingRequest,
        payload: &mut Option<P>,
        calls: &mut Vec<RoleId>,
    ) {
        let request = pending.request;
        let record = &mut self.records[role.index()];
        if pending.is_served {
            record.deposit = payload.take();
        }
        if record.waits.replace(pending).is_some() {
            return;
        }
        if let Some(observer) = &self.observer {
            let wanted = reachability::acts(&self.table, &self.under_way, role).into_iter();
            let wanted: Vec<ActId> =
                wanted.filter(|&act| request.is_for(&self.table, role, act)).collect();
            observer.waits(&self.table.plan, role, &wanted);
        }
        if let Request::Receive(_) = request {
            if self.serve(calls) {
                self.call_others(calls);
            } else {
                self.call_senders(calls);
            }
        }
        self.detect_deadlock(calls);
    }

    /// Calls senders whose receivers are there now.
    fn call_senders(&self, calls: &mut Vec<RoleId>) {
        for step in self.under_way.iter().flat_map(|&state| self.table.global.steps(state)) {
            if let Some(PendingRequest { request: request @ Request::Send(..), .. }) =
                self.records[step.by.index()].waits
                && request.is_for(&self.table, step.by, step.act)
                && self.is_ready(step)
            {
                calls.push(step.by);
            }
        }
    }

    /// Reports a deadlock to all remaining roles if they wait for each other.
    pub(super) fn detect_deadlock(&mut self, calls: &mut Vec<RoleId>) {
        let is_stuck = |role: RoleId| {
            let record = &self.records[role.index()];
            let waits = |pending: PendingRequest| {
                !pending.is_timed && !self.can_go_on(role, pending.request)
            };
            record.left.is_some() || (record.verdict.is_none() && record.waits.is_some_and(waits))
        };
        if !self.roles().all(is_stuck) {
            return;
        }
        let waiting = |role: RoleId| Some((role, self.records[role.index()].waits?.request));
        let waiting: Vec<(RoleId, Request)> = self.roles().filter_map(waiting).collect();
        let shown = waiting.iter().map(|&(role, request)| Waiting {
            role: self.table.role(role).to_owned(),
            state: self.state.0.to_string(),
            awaited: self.awaited(role, request),
        });
        let cause = Cause::Deadlock { waiting: shown.collect() };
        for (role, _) in waiting {
            let record = &mut self.records[role.index()];
            record.verdict = Some(cause.clone());
            record.waits = None;
            calls.push(role);
        }
    }

    fn roles(&self) -> impl Iterator<Item = RoleId> + use<P> {
        (0..self.records.len()).map(|role| RoleId(role as u16))
    }
}

//! What the machine does for those who wait: it takes the steps that they ask for as soon as these are
//! possible, so that nobody waits until another has woken up to take its turn; it calls those who must
//! decide for themselves, or will never get what they ask for; and it reports deadlocks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::core::{Core, Outcome, Request};
use super::hope;
use crate::ask::{Ask, Obstacle};
use crate::error::{Cause, Waiting};
use crate::module::Payload;
use crate::plan::{ActId, RoleId};
use crate::sabotage::Harm;
use crate::table::GlobalStep;

impl<P: Payload> Core<P> {
    /// Takes all steps that somebody waits for who leaves no choice, and calls those for whom that was done;
    /// whether there were any.
    pub(super) fn serve(&mut self, calls: &mut Vec<RoleId>) -> bool {
        let mut is_any = false;
        while let Some(step) = self.next_served() {
            is_any = true;
            self.turn = step.by;
            let place = &mut self.places[step.by.index()];
            place.waits = None;
            let mut payload = place.deposit.take();
            // Somebody else's message may panic when it is duplicated, which is no reason to panic here.
            let perform = AssertUnwindSafe(|| self.perform(step, &mut payload, calls));
            let attempt = catch_unwind(perform).unwrap_or_else(|_| {
                let (role, state) = (self.table.role(step.by).to_owned(), self.state.0.to_string());
                Err(Obstacle::never(Cause::Panicked { role, state }))
            });
            let number = Some(self.number(step));
            let place = &mut self.places[step.by.index()];
            match attempt {
                Ok(done) => place.outcome = Some(Outcome { done, number }),
                Err(Obstacle::Never(cause)) => place.verdict = Some(*cause),
                Err(Obstacle::Wait) => {}
            }
            place.deposit = payload;
            if self.table.spoils(step.act, Harm::LetSleep) {
                break;
            }
            calls.push(step.by);
        }
        is_any
    }

    /// A step that is the only one somebody waits for; of several such roles, the one after whom was served
    /// last, so that nobody is passed over for ever.
    fn next_served(&self) -> Option<GlobalStep> {
        let mut first = None;
        let steps = self.table.global.steps(self.state);
        for steps in steps.chunk_by(|one, other| one.by == other.by) {
            let role = steps[0].by;
            let Some(Request { ask, is_served: true, .. }) = self.places[role.index()].waits else {
                continue;
            };
            let is_possible =
                |step: &&GlobalStep| ask.is_for(&self.table, role, step.act) && self.is_ready(step);
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

    /// Calls everybody who can go on now, or never will.
    pub(super) fn call_others(&mut self, calls: &mut Vec<RoleId>) {
        for role in self.roles() {
            if let Some(Request { ask, .. }) = self.places[role.index()].waits
                && (self.can_go_on(role, ask) || !self.has_hope(role, ask))
            {
                calls.push(role);
            }
        }
    }

    pub(crate) fn can_go_on(&self, role: RoleId, ask: Ask) -> bool {
        self.possible(role, ask).next().is_some()
    }

    /// Notes that a role waits. That may be what others wait for, or the last straw.
    pub(crate) fn enlist(
        &mut self,
        role: RoleId,
        request: Request,
        payload: &mut Option<P>,
        calls: &mut Vec<RoleId>,
    ) {
        let ask = request.ask;
        let place = &mut self.places[role.index()];
        if request.is_served {
            place.deposit = payload.take();
        }
        if place.waits.replace(request).is_some() {
            return;
        }
        if let Some(observer) = &self.observer {
            let wanted = hope::acts(&self.table, self.state, role).into_iter();
            let wanted: Vec<ActId> =
                wanted.filter(|&act| ask.is_for(&self.table, role, act)).collect();
            observer.waits(&self.table.plan, role, &wanted);
        }
        if let Ask::Take(_) = ask {
            if self.serve(calls) {
                self.call_others(calls);
            } else {
                self.call_senders(calls);
            }
        }
        self.look_for_deadlock(calls);
    }

    /// Calls everybody who waited for somebody to receive.
    fn call_senders(&self, calls: &mut Vec<RoleId>) {
        for step in self.table.global.steps(self.state) {
            if let Some(Request { ask: ask @ Ask::Give(..), .. }) =
                self.places[step.by.index()].waits
                && ask.is_for(&self.table, step.by, step.act)
                && self.is_ready(step)
            {
                calls.push(step.by);
            }
        }
    }

    /// Reports a deadlock to everybody if all who are left wait for each other.
    pub(super) fn look_for_deadlock(&mut self, calls: &mut Vec<RoleId>) {
        let is_stuck = |role: RoleId| {
            let place = &self.places[role.index()];
            let waits = |request: Request| !request.is_timed && !self.can_go_on(role, request.ask);
            place.left.is_some() || (place.verdict.is_none() && place.waits.is_some_and(waits))
        };
        if !self.roles().all(is_stuck) {
            return;
        }
        let waiting = |role: RoleId| Some((role, self.places[role.index()].waits?.ask));
        let waiting: Vec<(RoleId, Ask)> = self.roles().filter_map(waiting).collect();
        let shown = waiting.iter().map(|&(role, ask)| Waiting {
            role: self.table.role(role).to_owned(),
            state: self.state.0.to_string(),
            awaited: self.awaited(role, ask),
        });
        let cause = Cause::Deadlock { waiting: shown.collect() };
        for (role, _) in waiting {
            let place = &mut self.places[role.index()];
            place.verdict = Some(cause.clone());
            place.waits = None;
            calls.push(role);
        }
    }

    fn roles(&self) -> impl Iterator<Item = RoleId> + use<P> {
        (0..self.places.len()).map(|role| RoleId(role as u16))
    }
}

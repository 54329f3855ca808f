//! One attempt of a role of the liberal form, and receiving. Sending is in `send.rs`.

use super::send::fitting;
use super::termination::IdleReport;
use super::{LocalPart, SharedPart};
use crate::error::Cause;
use crate::module::Payload;
use crate::plan::{ActId, LocalId, RoleId};
use crate::policy::Decision;
use crate::rendezvous::{Envelope, Offer};
use crate::request::{self, Attempt, Blocked, Completed, Request};
use crate::role::Received;
use crate::sync::Ordering;
use crate::table::{FastPath, ForkTable, LocalStep, LocalTable, StepKind};

impl<P: Payload> LocalPart<P> {
    pub(crate) fn table<'s>(&self, shared: &'s SharedPart<P>) -> &'s LocalTable {
        &shared.table.locals[self.role.index()]
    }

    /// The states that are under way: one, or one for each parallel part.
    #[inline(always)]
    pub(crate) fn places(&self) -> &[LocalId] {
        if self.under_way.is_empty() { std::slice::from_ref(&self.state) } else { &self.under_way }
    }

    /// Whether no parallel parts are under way.
    #[cfg(feature = "explore")]
    pub(crate) fn is_single(&self) -> bool {
        self.under_way.is_empty()
    }

    /// Goes on after a step.
    #[inline(always)]
    pub(super) fn go(&mut self, table: &LocalTable, step: &LocalStep) {
        if table.forks.is_empty() {
            self.state = step.to;
        } else {
            self.go_in_parts(&table.forks, step);
        }
    }

    #[inline(never)]
    fn go_in_parts(&mut self, forks: &ForkTable, step: &LocalStep) {
        if self.under_way.is_empty() {
            if !forks.is_entry(step.to.0) {
                self.state = step.to;
                return;
            }
            if self.slots.is_empty() {
                self.slots = forks.start();
            }
            self.slots[0] = self.state.0;
        }
        forks.go(&mut self.slots, step.slot, step.to.0);
        self.settle(forks);
    }

    /// Finds the states that are under way in a configuration.
    pub(crate) fn settle(&mut self, forks: &ForkTable) {
        let Self { slots, under_way, state, .. } = self;
        under_way.clear();
        if slots[0] < forks.n_states() {
            *state = LocalId(slots[0]);
            return;
        }
        forks.under_way(slots, |state| under_way.push(LocalId(state)));
        *state = LocalId(forks.n_states());
    }

    /// Attempts a request once. A role that has to wait is reported as idle if it `counts`.
    #[inline(always)]
    pub(crate) fn attempt(
        &mut self,
        shared: &SharedPart<P>,
        request: Request,
        payload: &mut Option<P>,
        counts: bool,
    ) -> Attempt<P> {
        self.withdraw_idle(shared);
        let round = shared.termination.round();
        let attempt = match request {
            Request::Send(label, to) => self.send(shared, label, to, payload),
            Request::Receive(from) => self.receive(shared, from),
            Request::Close(to) => {
                let is_it = |step: &LocalStep| {
                    matches!(step.kind, StepKind::Close { .. }) && step.peer == to
                };
                self.local_step(shared, request, is_it)
            }
            Request::Local(label) => self.local_step(shared, request, |step| {
                step.kind == StepKind::Local && step.label == label
            }),
        };
        match attempt {
            Ok(done) => {
                if self.was_counted {
                    shared.termination.progressed();
                }
                self.is_told = false;
                Ok(done)
            }
            Err(Blocked::Wait) if shared.is_undisturbed() => Err(Blocked::Wait),
            Err(Blocked::Wait) => self.wait(shared, request, payload, counts.then_some(round)),
            Err(never) => Err(never),
        }
    }

    /// Slow path of waiting: observer and termination detection; `round` is the round of the attempt, if the role counts.
    #[cold]
    fn wait(
        &mut self,
        shared: &SharedPart<P>,
        request: Request,
        payload: &mut Option<P>,
        round: Option<u64>,
    ) -> Attempt<P> {
        if let Some(observer) = &shared.observer
            && !std::mem::replace(&mut self.is_told, true)
        {
            let wanted = self.wanted(shared, request);
            let _order = shared.order.lock();
            observer.waits(&shared.table.plan, self.role, &wanted);
        }
        let Some(round) = round.filter(|_| shared.termination.any_left()) else {
            return Err(Blocked::Wait);
        };
        (self.is_counted, self.was_counted) = (true, true);
        match shared.termination.report_idle(self.role, round) {
            IdleReport::Wait => Err(Blocked::Wait),
            IdleReport::LookAgain => {
                shared.wake_others(self.role);
                self.attempt(shared, request, payload, true)
            }
            IdleReport::Over(cause) => {
                shared.wake_others(self.role);
                self.give_up(shared).ok_or_else(|| Blocked::never(cause))
            }
        }
    }

    /// The role is not idle any more.
    #[inline]
    pub(super) fn withdraw_idle(&mut self, shared: &SharedPart<P>) {
        if std::mem::replace(&mut self.is_counted, false) {
            shared.termination.withdraw_idle(self.role);
        }
    }

    /// Whether a step is enabled. A step that puts or takes a packet stays enabled until this role takes a step.
    #[inline]
    pub(crate) fn is_possible(&mut self, shared: &SharedPart<P>, step: &LocalStep) -> bool {
        let table = self.table(shared);
        match step.kind {
            StepKind::Enqueue { .. } => table
                .targets(step)
                .iter()
                .all(|target| self.outbound[target.outbound as usize].has_room()),
            StepKind::Dequeue { inbound } => self.inbound[inbound as usize]
                .front()
                .is_some_and(|front| front.look(|envelope| envelope.0 == step.packet)),
            StepKind::RendezvousSend { .. } => table
                .targets(step)
                .iter()
                .all(|target| fitting(shared, step, self.role, target.to).is_some()),
            StepKind::RendezvousReceive => false,
            StepKind::Close { .. } | StepKind::Local => true,
        }
    }

    /// Receives a message, if one is there.
    #[inline(always)]
    fn receive(&mut self, shared: &SharedPart<P>, from: Option<RoleId>) -> Attempt<P> {
        if let Some(ready_message) = self.ready_message(shared, from) {
            return Ok(Completed {
                act: ready_message.act(),
                received: Some(ready_message.take()),
            });
        }
        if self.has_to_wait(shared, from) {
            return Err(Blocked::Wait);
        }
        self.receive_slow(shared, from)
    }

    /// The only queue whose change can make an allowed request possible, if there is just one.
    #[inline(always)]
    pub(super) fn watched(&self, shared: &SharedPart<P>, request: Request) -> Option<Watched> {
        match (&self.fast_paths[self.state.index()], request) {
            (&FastPath::Send { ref step, outbound, is_stream }, Request::Send(label, to))
                if step.label == label && to.is_none_or(|to| to == step.peer) =>
            {
                Some(Watched { queue: Half::Outbound(outbound), is_stream })
            }
            (
                &FastPath::Receive { inbound, is_stream, .. }
                | &FastPath::ReceiveOneOf { inbound, is_stream },
                Request::Receive(from),
            ) if from.is_none() || self.all_come_from(shared, from) => {
                Some(Watched { queue: Half::Inbound(inbound), is_stream })
            }
            _ => None,
        }
    }

    #[inline(never)] // rare: keeps `watched` small enough to be inlined
    fn all_come_from(&self, shared: &SharedPart<P>, from: Option<RoleId>) -> bool {
        let table = self.table(shared);
        table.incoming(table.row(self.state)).iter().all(|step| comes_from(step, from))
    }

    /// Whether a new attempt cannot succeed.
    #[inline(always)]
    pub(super) fn sees_nothing(&mut self, shared: &SharedPart<P>, watched: Watched) -> bool {
        let is_stuck = match watched.queue {
            Half::Inbound(inbound) => !self.inbound[inbound as usize].is_ready(),
            Half::Outbound(outbound) => !self.outbound[outbound as usize].has_room(),
        };
        is_stuck && shared.is_undisturbed()
    }

    /// Whether the only queue that matters is empty, and a message may still come.
    fn has_to_wait(&mut self, shared: &SharedPart<P>, from: Option<RoleId>) -> bool {
        shared.closed.is_empty()
            && self
                .watched(shared, Request::Receive(from))
                .is_some_and(|watched| self.sees_nothing(shared, watched))
    }

    /// Slow path: one of several messages, or why there will be none.
    #[inline(never)]
    fn receive_slow(&mut self, shared: &SharedPart<P>, from: Option<RoleId>) -> Attempt<P> {
        if let Some(done) = self.take_now(shared, from) {
            return Ok(done);
        }
        let table = self.table(shared);
        let row = table.row(self.state);
        let is_source = |step: &LocalStep| comes_from(step, from);
        let mut places = self.places().iter();
        if !places.any(|&at| table.incoming(table.row(at)).iter().any(is_source)) {
            return Err(self.not_allowed(shared, Request::Receive(from)));
        }
        // Checked before the last look at the queues: a role sends its messages before it leaves.
        if let Some(cause) = self.why_nothing_comes(shared, from) {
            let done = self.take_now(shared, from).or_else(|| self.give_up(shared));
            return done.ok_or_else(|| Blocked::never(cause));
        }
        if row.has_rendezvous && !self.is_offered {
            self.offer(shared, from);
        }
        Err(Blocked::Wait)
    }

    /// Takes a message, if one is there.
    #[inline]
    fn take_now(&mut self, shared: &SharedPart<P>, from: Option<RoleId>) -> Option<Completed<P>> {
        if self.is_offered
            && let Some(envelope) = shared.rendezvous(self.role).take()
        {
            return Some(self.complete_rendezvous(shared, envelope));
        }
        let table = self.table(shared);
        let mut best: Option<(u64, &LocalStep)> = None;
        for place in 0..self.places().len() {
            for step in table.incoming(table.row(self.places()[place])) {
                if comes_from(step, from) && self.is_possible(shared, step) {
                    let rank = self.chooser.rank(Decision::Source, u32::from(step.peer.0), || 0);
                    if best.is_none_or(|(least, _)| rank < least) {
                        best = Some((rank, step));
                    }
                }
            }
        }
        let (_, &step) = best?;
        // A rendezvous that completed meanwhile comes first.
        if let Some(done) = self.give_up(shared) {
            return Some(done);
        }
        self.chooser.took(Decision::Source, u32::from(step.peer.0));
        let StepKind::Dequeue { inbound } = step.kind else { return None };
        let mut taken = None;
        shared.observed(step.act, || {
            taken = self.inbound[inbound as usize].try_pop();
            taken.is_some()
        });
        let (_, payload) = taken?;
        self.go(table, &step);
        for &sender in &table.inbound[inbound as usize].wakes {
            shared.event(sender).notify();
        }
        Some(Completed {
            act: step.act,
            received: Some(Received { from: step.peer, label: step.label, payload }),
        })
    }

    /// Offers a rendezvous.
    pub(crate) fn offer(&mut self, shared: &SharedPart<P>, from: Option<RoleId>) {
        let table = self.table(shared);
        self.is_offered = true;
        shared.rendezvous(self.role).offer(Offer { state: self.state, from });
        for step in table.incoming(table.row(self.state)) {
            if step.kind == StepKind::RendezvousReceive && comes_from(step, from) {
                shared.event(step.peer).notify();
            }
        }
    }

    /// Withdraws the offer of a rendezvous; the message, if one was handed over before.
    pub(crate) fn give_up(&mut self, shared: &SharedPart<P>) -> Option<Completed<P>> {
        if !std::mem::replace(&mut self.is_offered, false) {
            return None;
        }
        let envelope = shared.rendezvous(self.role).withdraw()?;
        Some(self.complete_rendezvous(shared, envelope))
    }

    /// Completes a rendezvous.
    fn complete_rendezvous(
        &mut self,
        shared: &SharedPart<P>,
        (packet, payload): Envelope<P>,
    ) -> Completed<P> {
        self.is_offered = false;
        let table = self.table(shared);
        let mut steps = table.incoming(table.row(self.state)).iter();
        let step = steps
            .find(|step| step.kind == StepKind::RendezvousReceive && step.packet == packet)
            .expect("senders only hand over what the offer fits");
        self.go(table, step);
        let received = Received { from: step.peer, label: step.label, payload };
        Completed { act: step.act, received: Some(received) }
    }

    /// A local step or a close.
    fn local_step(
        &mut self,
        shared: &SharedPart<P>,
        request: Request,
        is_it: impl Fn(&LocalStep) -> bool,
    ) -> Attempt<P> {
        let table = self.table(shared);
        let mut best: Option<(u64, &LocalStep)> = None;
        let Self { under_way, state, chooser, .. } = self;
        let places: &[LocalId] =
            if under_way.is_empty() { std::slice::from_ref(state) } else { under_way };
        let steps = places.iter().flat_map(|&at| table.initiated(table.row(at)));
        for step in steps.filter(|step| is_it(step)) {
            let rank = chooser.rank(Decision::Step, step.to.0, || 0);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, step));
            }
        }
        let Some((_, &step)) = best else { return Err(self.not_allowed(shared, request)) };
        self.chooser.took(Decision::Step, step.to.0);
        shared.observed(step.act, || {
            if let StepKind::Close { closing, is_final: true } = step.kind {
                shared.closed[closing as usize].store(true, Ordering::Release);
            }
            true
        });
        self.go(table, &step);
        if let StepKind::Close { .. } = step.kind {
            shared.event(step.peer).notify();
        }
        Ok(Completed::sent(step.act))
    }

    /// Why no message will ever come from there, if that is certain.
    fn why_nothing_comes(&mut self, shared: &SharedPart<P>, from: Option<RoleId>) -> Option<Cause> {
        let any_left = shared.termination.any_left();
        if !any_left && shared.table.closings.is_empty() && !shared.is_networked {
            return None;
        }
        let table = self.table(shared);
        let mut last = None;
        let places = self.places().to_vec();
        for step in places.iter().flat_map(|&at| table.incoming(table.row(at))) {
            if !comes_from(step, from) {
                continue;
            }
            let left = || shared.termination.departure_of(std::iter::once(step.peer));
            let cause = if any_left { left() } else { None }.or_else(|| {
                let role = || shared.table.role(step.peer).to_owned();
                shared.is_closed(step.peer, self.role).then(|| Cause::Closed { role: role() })
            });
            last = Some(cause.or_else(|| self.invalid_front(shared, step))?);
        }
        last
    }

    /// What is wrong with the next message of the queue that a step takes from, if the role can never take it. Only peers in
    /// other processes send such messages.
    fn invalid_front(&mut self, shared: &SharedPart<P>, step: &LocalStep) -> Option<Cause> {
        let StepKind::Dequeue { inbound } = step.kind else { return None };
        if !shared.is_networked {
            return None;
        }
        let packet = self.inbound[inbound as usize].front()?.look(|envelope| envelope.0);
        // A part that is not under way yet may take it.
        let may_take = |&at: &LocalId| self.table(shared).may_take(at, inbound, packet);
        if !self.under_way.is_empty() || self.places().iter().any(may_take) {
            return None;
        }
        let from = shared.table.act(shared.table.plan.packets[packet.index()].act).from;
        let label = shared.table.label(shared.table.message(packet));
        let reason = format!("{label}, which the protocol does not allow in this state");
        Some(Cause::InvalidData { role: shared.table.role(from).to_owned(), reason })
    }

    #[cold]
    pub(super) fn not_allowed(&self, shared: &SharedPart<P>, request: Request) -> Blocked {
        let message = request.attempted(&shared.table);
        Blocked::never(Cause::NotAllowed { message, allowed: self.allowed(shared) })
    }

    pub(super) fn allowed(&self, shared: &SharedPart<P>) -> Vec<String> {
        let table = self.table(shared);
        let steps = self.places().iter().flat_map(|&at| table.steps(table.row(at)));
        request::texts(&shared.table, steps.map(|step| step.act))
    }

    /// The acts that would satisfy a request.
    pub(super) fn wanted(&self, shared: &SharedPart<P>, request: Request) -> Vec<ActId> {
        let table = self.table(shared);
        let steps = self.places().iter().flat_map(|&at| table.steps(table.row(at)));
        let acts = steps.map(|step| step.act);
        let mut acts: Vec<ActId> =
            acts.filter(|&act| request.is_for(&shared.table, self.role, act)).collect();
        acts.sort_unstable();
        acts.dedup();
        acts
    }
}

/// The queue that a waiting role polls.
#[derive(Clone, Copy)]
pub(super) struct Watched {
    queue: Half,
    /// Whether the role repeats its last action.
    pub(super) is_stream: bool,
}

/// A queue that is empty or full.
#[derive(Clone, Copy)]
enum Half {
    Inbound(u32),
    Outbound(u32),
}

#[inline]
pub(super) fn comes_from(step: &LocalStep, from: Option<RoleId>) -> bool {
    from.is_none_or(|from| step.peer == from)
}

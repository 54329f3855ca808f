//! What a role of the liberal form alone knows, and how it receives. Sending is in `give.rs`.

use super::give::fitting;
use super::roll::Counted;
use super::{Own, Shared};
use crate::ask::{self, Ask, Attempt, Done, Obstacle};
use crate::error::Cause;
use crate::meeting::{Offer, Parcel};
use crate::module::Payload;
use crate::plan::{ActId, RoleId};
use crate::policy::Decision;
use crate::role::Received;
use crate::sabotage::Harm;
use crate::sync::Ordering;
use crate::table::{LocalTable, Quick, Step, What};

impl<P: Payload> Own<P> {
    pub(crate) fn table<'s>(&self, shared: &'s Shared<P>) -> &'s LocalTable {
        &shared.table.locals[self.role.index()]
    }

    /// Asks once. A role that `counts` is counted among those who wait if it has to wait.
    #[inline(always)]
    pub(crate) fn attempt(
        &mut self,
        shared: &Shared<P>,
        ask: Ask,
        payload: &mut Option<P>,
        counts: bool,
    ) -> Attempt<P> {
        self.uncount(shared);
        let round = shared.roll.round();
        let attempt = match ask {
            Ask::Give(label, to) => self.give(shared, label, to, payload),
            Ask::Take(from) => self.take(shared, from),
            Ask::Close(to) => {
                let is_it =
                    |step: &Step| matches!(step.what, What::Close { .. }) && step.peer == to;
                self.alone(shared, ask, is_it)
            }
            Ask::Act(label) => {
                self.alone(shared, ask, |step| step.what == What::Alone && step.label == label)
            }
        };
        match attempt {
            Ok(done) => {
                if self.was_counted {
                    shared.roll.went_on();
                }
                self.is_told = false;
                Ok(done)
            }
            Err(Obstacle::Wait) if shared.is_undisturbed() => Err(Obstacle::Wait),
            Err(Obstacle::Wait) => self.wait(shared, ask, payload, counts.then_some(round)),
            Err(never) => Err(never),
        }
    }

    /// What else happens when a role has to wait; `round` is that in which it looked, if it counts.
    #[cold]
    fn wait(
        &mut self,
        shared: &Shared<P>,
        ask: Ask,
        payload: &mut Option<P>,
        round: Option<u64>,
    ) -> Attempt<P> {
        if let Some(observer) = &shared.observer
            && !std::mem::replace(&mut self.is_told, true)
        {
            let wanted = self.wanted(shared, ask);
            let _order = shared.order.lock();
            observer.waits(&shared.table.plan, self.role, &wanted);
        }
        let Some(round) = round.filter(|_| shared.roll.somebody_left()) else {
            return Err(Obstacle::Wait);
        };
        (self.is_counted, self.was_counted) = (true, true);
        match shared.roll.count(self.role, round) {
            Counted::Wait => Err(Obstacle::Wait),
            Counted::LookAgain => {
                shared.wake_others(self.role);
                self.attempt(shared, ask, payload, true)
            }
            Counted::Over(cause) => {
                shared.wake_others(self.role);
                self.give_up(shared).ok_or_else(|| Obstacle::never(cause))
            }
        }
    }

    /// The role is not to be counted among those who wait.
    #[inline]
    pub(super) fn uncount(&mut self, shared: &Shared<P>) {
        if std::mem::replace(&mut self.is_counted, false) {
            shared.roll.uncount(self.role);
        }
    }

    /// Whether a step can be taken now, as far as others are concerned. Where a packet is put or taken it
    /// stays possible until this role takes a step.
    #[inline]
    pub(crate) fn is_possible(&mut self, shared: &Shared<P>, step: &Step) -> bool {
        let table = self.table(shared);
        match step.what {
            What::Put { .. } => {
                table.outs(step).iter().all(|out| self.outbound[out.outbound as usize].has_room())
            }
            What::Take { inbound } => self.inbound[inbound as usize]
                .front()
                .is_some_and(|front| front.look(|parcel| parcel.0 == step.packet)),
            What::Meet { .. } => table
                .outs(step)
                .iter()
                .all(|out| fitting(shared, step, self.role, out.to).is_some()),
            What::Met => false,
            What::Close { .. } | What::Alone => true,
        }
    }

    /// Receives a message, if there is one now.
    #[inline(always)]
    fn take(&mut self, shared: &Shared<P>, from: Option<RoleId>) -> Attempt<P> {
        if let Some(arrival) = self.arrival(shared, from) {
            return Ok(Done { act: arrival.act(), received: Some(arrival.take()) });
        }
        if self.has_to_wait(shared, from) {
            return Err(Obstacle::Wait);
        }
        self.take_any(shared, from)
    }

    /// The queue that has to change before the role can go on, if there is just one and what it asks for is allowed.
    #[inline(always)]
    pub(super) fn watched(&self, shared: &Shared<P>, ask: Ask) -> Option<Watched> {
        match (&self.quick[self.state.index()], ask) {
            (&Quick::Put { ref step, outbound, is_stream }, Ask::Give(label, to))
                if step.label == label && to.is_none_or(|to| to == step.peer) =>
            {
                Some(Watched { queue: Half::Outbound(outbound), is_stream })
            }
            (
                &Quick::Take { inbound, is_stream, .. } | &Quick::TakeOne { inbound, is_stream },
                Ask::Take(from),
            ) if from.is_none() || self.all_come_from(shared, from) => {
                Some(Watched { queue: Half::Inbound(inbound), is_stream })
            }
            _ => None,
        }
    }

    #[inline(never)] // seldom asked: `watched` stays small enough to stand where it is called
    fn all_come_from(&self, shared: &Shared<P>, from: Option<RoleId>) -> bool {
        let table = self.table(shared);
        table.incoming(table.row(self.state)).iter().all(|step| comes_from(step, from))
    }

    /// Whether asking again is not worth it.
    #[inline(always)]
    pub(super) fn sees_nothing(&mut self, shared: &Shared<P>, watched: Watched) -> bool {
        let is_stuck = match watched.queue {
            Half::Inbound(inbound) => !self.inbound[inbound as usize].is_ready(),
            Half::Outbound(outbound) => !self.outbound[outbound as usize].has_room(),
        };
        is_stuck && shared.is_undisturbed()
    }

    /// Whether there is nothing in the one queue that matters, and something may come.
    fn has_to_wait(&mut self, shared: &Shared<P>, from: Option<RoleId>) -> bool {
        shared.closed.is_empty()
            && self
                .watched(shared, Ask::Take(from))
                .is_some_and(|watched| self.sees_nothing(shared, watched))
    }

    /// Takes one of several messages, or says why there will be none.
    #[inline(never)]
    fn take_any(&mut self, shared: &Shared<P>, from: Option<RoleId>) -> Attempt<P> {
        if let Some(done) = self.take_now(shared, from) {
            return Ok(done);
        }
        let table = self.table(shared);
        let row = table.row(self.state);
        let mut sources = table.incoming(row).iter().filter(|step| comes_from(step, from));
        if sources.next().is_none() {
            return Err(self.not_allowed(shared, Ask::Take(from)));
        }
        // Asked before looking a last time: who has left sent its messages before.
        if let Some(cause) = self.hopeless(shared, from) {
            let done = self.take_now(shared, from).or_else(|| self.give_up(shared));
            return done.ok_or_else(|| Obstacle::never(cause));
        }
        if row.meets && !self.is_offered {
            self.offer(shared, from);
        }
        Err(Obstacle::Wait)
    }

    /// Takes a message that is there.
    #[inline]
    fn take_now(&mut self, shared: &Shared<P>, from: Option<RoleId>) -> Option<Done<P>> {
        if self.is_offered
            && let Some(parcel) = shared.meeting(self.role).take()
        {
            return Some(self.met(shared, parcel));
        }
        let table = self.table(shared);
        let mut best: Option<(u64, &Step)> = None;
        for step in table.incoming(table.row(self.state)) {
            if comes_from(step, from) && self.is_possible(shared, step) {
                let rank = self.chooser.rank(Decision::Source, u32::from(step.peer.0), || 0);
                if best.is_none_or(|(least, _)| rank < least) {
                    best = Some((rank, step));
                }
            }
        }
        let (_, &step) = best?;
        // What was handed over in the meantime happened first.
        if let Some(done) = self.give_up(shared) {
            return Some(done);
        }
        self.chooser.took(Decision::Source, u32::from(step.peer.0));
        let What::Take { inbound } = step.what else { return None };
        let mut taken = None;
        shared.observed(step.act, || {
            taken = self.inbound[inbound as usize].try_pop();
            taken.is_some()
        });
        let (_, payload) = taken?;
        self.state = step.to;
        if !shared.table.spoils(step.act, Harm::LetSleep) {
            for &sender in &table.inbound[inbound as usize].wakes {
                shared.event(sender).notify();
            }
        }
        Some(Done {
            act: step.act,
            received: Some(Received { from: step.peer, label: step.label, payload }),
        })
    }

    /// Says that the role waits to be met.
    pub(crate) fn offer(&mut self, shared: &Shared<P>, from: Option<RoleId>) {
        let table = self.table(shared);
        self.is_offered = true;
        shared.meeting(self.role).offer(Offer { state: self.state, from });
        for step in table.incoming(table.row(self.state)) {
            if step.what == What::Met && comes_from(step, from) {
                shared.event(step.peer).notify();
            }
        }
    }

    /// Says that the role does not wait to be met any more; what it was handed before.
    pub(crate) fn give_up(&mut self, shared: &Shared<P>) -> Option<Done<P>> {
        if !std::mem::replace(&mut self.is_offered, false) {
            return None;
        }
        let parcel = shared.meeting(self.role).withdraw()?;
        Some(self.met(shared, parcel))
    }

    /// Goes on after a message was handed over.
    fn met(&mut self, shared: &Shared<P>, (packet, payload): Parcel<P>) -> Done<P> {
        self.is_offered = false;
        let table = self.table(shared);
        let mut steps = table.incoming(table.row(self.state)).iter();
        let step = steps
            .find(|step| step.what == What::Met && step.packet == packet)
            .expect("it was handed over because it is expected");
        self.state = step.to;
        let received = Received { from: step.peer, label: step.label, payload };
        Done { act: step.act, received: Some(received) }
    }

    /// A step that nobody else sees.
    fn alone(&mut self, shared: &Shared<P>, ask: Ask, is_it: impl Fn(&Step) -> bool) -> Attempt<P> {
        let table = self.table(shared);
        let mut best: Option<(u64, &Step)> = None;
        for step in table.own(table.row(self.state)).iter().filter(|step| is_it(step)) {
            let rank = self.chooser.rank(Decision::Step, step.to.0, || 0);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, step));
            }
        }
        let Some((_, &step)) = best else { return Err(self.not_allowed(shared, ask)) };
        self.chooser.took(Decision::Step, step.to.0);
        shared.observed(step.act, || {
            if let What::Close { closing, is_final: true } = step.what {
                shared.closed[closing as usize].store(true, Ordering::Release);
            }
            true
        });
        self.state = step.to;
        if let What::Close { .. } = step.what {
            shared.event(step.peer).notify();
        }
        Ok(Done::given(step.act))
    }

    /// Why nothing that is received from there will ever come, if that is so.
    fn hopeless(&mut self, shared: &Shared<P>, from: Option<RoleId>) -> Option<Cause> {
        let somebody_left = shared.roll.somebody_left();
        if !somebody_left && shared.table.closings.is_empty() && !shared.is_networked {
            return None;
        }
        let table = self.table(shared);
        let mut last = None;
        for step in table.incoming(table.row(self.state)) {
            if !comes_from(step, from) {
                continue;
            }
            let left = || shared.roll.left_of(std::iter::once(step.peer));
            let cause = if somebody_left { left() } else { None }.or_else(|| {
                let role = || shared.table.role(step.peer).to_owned();
                shared.is_closed(step.peer, self.role).then(|| Cause::Closed { role: role() })
            });
            last = Some(cause.or_else(|| self.astray(shared, step))?);
        }
        last
    }

    /// What is wrong with the next message of the queue that a step takes from, if the role can never take it. Only roles
    /// that run elsewhere send such messages.
    fn astray(&mut self, shared: &Shared<P>, step: &Step) -> Option<Cause> {
        let What::Take { inbound } = step.what else { return None };
        if !shared.is_networked {
            return None;
        }
        let packet = self.inbound[inbound as usize].front()?.look(|parcel| parcel.0);
        if self.table(shared).may_take(self.state, inbound, packet) {
            return None;
        }
        let from = shared.table.act(shared.table.plan.packets[packet.index()].act).from;
        let label = shared.table.label(shared.table.message(packet));
        let reason = format!("{label}, which the protocol does not allow then");
        Some(Cause::Garbage { role: shared.table.role(from).to_owned(), reason })
    }

    #[cold]
    pub(super) fn not_allowed(&self, shared: &Shared<P>, ask: Ask) -> Obstacle {
        let message = ask.attempted(&shared.table);
        Obstacle::never(Cause::NotAllowed { message, allowed: self.allowed(shared) })
    }

    pub(super) fn allowed(&self, shared: &Shared<P>) -> Vec<String> {
        let table = self.table(shared);
        ask::texts(&shared.table, table.steps(table.row(self.state)).iter().map(|step| step.act))
    }

    /// The acts that would be what the role asks for.
    pub(super) fn wanted(&self, shared: &Shared<P>, ask: Ask) -> Vec<ActId> {
        let table = self.table(shared);
        let acts = table.steps(table.row(self.state)).iter().map(|step| step.act);
        let mut acts: Vec<ActId> =
            acts.filter(|&act| ask.is_for(&shared.table, self.role, act)).collect();
        acts.sort_unstable();
        acts.dedup();
        acts
    }
}

/// What a role that waits keeps an eye on.
#[derive(Clone, Copy)]
pub(super) struct Watched {
    queue: Half,
    /// Whether it does again what it did before.
    pub(super) is_stream: bool,
}

/// A queue that is empty, or full.
#[derive(Clone, Copy)]
enum Half {
    Inbound(u32),
    Outbound(u32),
}

#[inline]
pub(super) fn comes_from(step: &Step, from: Option<RoleId>) -> bool {
    from.is_none_or(|from| step.peer == from)
}

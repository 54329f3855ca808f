//! Sending in the liberal form, through queues and by rendezvous. Receiving is in `local_part.rs`.

use super::{LocalPart, SharedPart};
use crate::error::Cause;
use crate::module::Payload;
use crate::plan::{LabelId, RoleId};
use crate::policy::Decision;
use crate::rendezvous::Offer;
use crate::request::{Attempt, Blocked, Completed, Request};
use crate::table::{LocalStep, LocalTable, StepKind, Target};

impl<P: Payload> LocalPart<P> {
    /// Sends a message, if that is possible now.
    #[inline(always)]
    pub(super) fn send(
        &mut self,
        shared: &SharedPart<P>,
        label: LabelId,
        to: Option<RoleId>,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        if let Some(send_slot) = self.send_slot(shared, label, to)
            && let Some(message) = payload.take()
        {
            return Ok(Completed::sent(send_slot.fill(message)));
        }
        self.send_slow(shared, label, to, payload)
    }

    /// Slow path: one of several steps, or why none is possible.
    #[inline(never)]
    fn send_slow(
        &mut self,
        shared: &SharedPart<P>,
        label: LabelId,
        to: Option<RoleId>,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        loop {
            let step = self.choose_send(shared, label, to)?;
            match self.perform_send(shared, &step, payload) {
                // Another sender was faster. Another step may be possible, for which there will be no wake-up.
                Err(Blocked::Wait) => {}
                settled => return settled,
            }
        }
    }

    /// One of the steps that send the message and are possible now.
    fn choose_send(
        &mut self,
        shared: &SharedPart<P>,
        label: LabelId,
        to: Option<RoleId>,
    ) -> Result<LocalStep, Blocked> {
        let table = self.table(shared);
        let any_left = shared.termination.any_left();
        let (mut is_allowed, mut is_viable, mut gone) = (false, false, None);
        let mut best: Option<(u64, &LocalStep)> = None;
        for place in 0..self.places().len() {
            let steps = table.initiated(table.row(self.places()[place]));
            for step in steps.iter().filter(|step| sends(table, steps, step, label, to)) {
                is_allowed = true;
                if any_left
                    && let Some(cause) = shared
                        .termination
                        .departure_of(table.targets(step).iter().map(|target| target.to))
                {
                    gone = Some(cause);
                    continue;
                }
                is_viable = true;
                if !self.is_possible(shared, step) {
                    continue;
                }
                let outbound = &self.outbound;
                let load = || match step.kind {
                    StepKind::Enqueue { .. } => table
                        .targets(step)
                        .iter()
                        .map(|target| outbound[target.outbound as usize].len())
                        .sum(),
                    _ => 0,
                };
                let rank = self.chooser.rank(Decision::Step, step.packet.0, load);
                if best.is_none_or(|(least, _)| rank < least) {
                    best = Some((rank, step));
                }
            }
        }
        if let Some((_, &step)) = best {
            self.chooser.took(Decision::Step, step.packet.0);
            return Ok(step);
        }
        if !is_allowed {
            return Err(self.not_allowed(shared, Request::Send(label, to)));
        }
        let gone = gone.filter(|_| !is_viable);
        Err(gone.map_or(Blocked::Wait, Blocked::never))
    }

    /// Puts a message into its queues, or hands it over by rendezvous.
    #[inline]
    fn perform_send(
        &mut self,
        shared: &SharedPart<P>,
        step: &LocalStep,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        let targets = self.table(shared).targets(step);
        let mut copies = Copies { payload, left: targets.len(), ready: None };
        if !copies.are_possible() {
            let message = shared.table.label(step.label).to_owned();
            return Err(Blocked::never(Cause::NotDuplicated { message }));
        }
        let is_done = match step.kind {
            StepKind::RendezvousSend { .. } => self.hand_over(shared, step, &mut copies),
            _ => self.enqueue(shared, step, &mut copies),
        };
        if !is_done {
            return Err(Blocked::Wait);
        }
        self.go(self.table(shared), step);
        for target in targets {
            shared.event(target.to).notify();
        }
        Ok(Completed::sent(step.act))
    }

    #[inline]
    fn enqueue(
        &mut self,
        shared: &SharedPart<P>,
        step: &LocalStep,
        copies: &mut Copies<'_, P>,
    ) -> bool {
        let targets = self.table(shared).targets(step);
        shared.observed(step.act, || {
            for target in targets {
                let payload = copies.next();
                let queue = &mut self.outbound[target.outbound as usize];
                if let Err((_, payload)) = queue.try_push((step.packet, payload)) {
                    // Only in a queue with several producers, and then this is the only receiver.
                    *copies.payload = Some(payload);
                    return false;
                }
            }
            true
        })
    }

    /// Hands a message over to all receivers in one step, if all of them wait for it.
    fn hand_over(
        &mut self,
        shared: &SharedPart<P>,
        step: &LocalStep,
        copies: &mut Copies<'_, P>,
    ) -> bool {
        let targets = self.table(shared).targets(step);
        let mut held = Held { shared, targets: &[] };
        for (number, target) in targets.iter().enumerate() {
            let offer = fitting(shared, step, self.role, target.to);
            if !offer.is_some_and(|offer| shared.rendezvous(target.to).hold(offer)) {
                return false;
            }
            held.targets = &targets[..=number];
        }
        shared.observed(step.act, || {
            while let [target, others @ ..] = held.targets {
                let payload = copies.next();
                held.targets = others;
                shared.rendezvous(target.to).hand_over((step.packet, payload));
            }
            // A message that a role sends only to itself has arrived.
            copies.payload.take();
            true
        })
    }
}

/// Whether a step sends this message to this role. Where a role is named, a step to it alone takes precedence over one to
/// it and others.
#[inline]
fn sends(
    table: &LocalTable,
    steps: &[LocalStep],
    step: &LocalStep,
    label: LabelId,
    to: Option<RoleId>,
) -> bool {
    if step.label != label
        || !matches!(step.kind, StepKind::Enqueue { .. } | StepKind::RendezvousSend { .. })
    {
        return false;
    }
    let Some(to) = to else { return true };
    match table.targets(step) {
        [] => step.peer == to,
        [target] => target.to == to,
        targets => {
            let to_it_alone = |other: &LocalStep| {
                let targets = table.targets(other);
                other.label == label && targets.len() == 1 && targets[0].to == to
            };
            targets.iter().any(|target| target.to == to) && !steps.iter().any(to_it_alone)
        }
    }
}

/// The offer of a role, if it fits this step.
pub(super) fn fitting<P>(
    shared: &SharedPart<P>,
    step: &LocalStep,
    from: RoleId,
    to: RoleId,
) -> Option<Offer> {
    let offer = shared.rendezvous(to).look()?;
    let table = &shared.table.locals[to.index()];
    let takes = |other: &LocalStep| {
        other.kind == StepKind::RendezvousReceive
            && other.act == step.act
            && other.packet == step.packet
    };
    let fits = offer.from.is_none_or(|wanted| wanted == from)
        && table.incoming(table.row(offer.state)).iter().any(takes);
    fits.then_some(offer)
}

/// Reserved receivers. Those that get no message are released, even if cloning it panics.
struct Held<'h, P> {
    shared: &'h SharedPart<P>,
    targets: &'h [Target],
}

impl<P> Drop for Held<'_, P> {
    fn drop(&mut self) {
        for target in self.targets {
            self.shared.rendezvous(target.to).release();
        }
    }
}

/// Copies of a payload, one per receiver.
struct Copies<'p, P> {
    payload: &'p mut Option<P>,
    left: usize,
    /// The first copy, made to find out whether the payload can be cloned.
    ready: Option<P>,
}

impl<P: Payload> Copies<'_, P> {
    #[inline]
    fn are_possible(&mut self) -> bool {
        if self.left > 1 {
            self.ready = self.payload.as_ref().and_then(Payload::duplicate);
            return self.ready.is_some();
        }
        true
    }

    #[inline]
    fn next(&mut self) -> P {
        self.left = self.left.saturating_sub(1);
        let next = if self.left == 0 {
            self.payload.take()
        } else {
            self.ready.take().or_else(|| self.payload.as_ref()?.duplicate())
        };
        next.expect("a payload that was cloned once can be cloned again")
    }
}

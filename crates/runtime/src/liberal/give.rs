//! How a role of the liberal form sends and passes messages.

use super::{Own, Shared};
use crate::ask::{Ask, Attempt, Done, Obstacle};
use crate::error::Cause;
use crate::meeting::Offer;
use crate::module::Payload;
use crate::plan::{LabelId, RoleId};
use crate::policy::Decision;
use crate::sabotage::Harm;
use crate::table::{LocalTable, Out, Step, What};

impl<P: Payload> Own<P> {
    /// Sends or passes a message, if that can be now.
    #[inline(always)]
    pub(super) fn give(
        &mut self,
        shared: &Shared<P>,
        label: LabelId,
        to: Option<RoleId>,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        if let Some(opening) = self.opening(shared, label, to)
            && let Some(message) = payload.take()
        {
            return Ok(Done::given(opening.fill(message)));
        }
        self.give_somehow(shared, label, to, payload)
    }

    /// Sends or passes a message in one of several ways, or says why that cannot be.
    #[inline(never)]
    fn give_somehow(
        &mut self,
        shared: &Shared<P>,
        label: LabelId,
        to: Option<RoleId>,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        loop {
            let step = self.choose_give(shared, label, to)?;
            match self.perform_give(shared, &step, payload) {
                // Others were faster. There may be another way, of which nobody will tell again.
                Err(Obstacle::Wait) => {}
                settled => return settled,
            }
        }
    }

    /// One of the ways to give a message that are possible now.
    fn choose_give(
        &mut self,
        shared: &Shared<P>,
        label: LabelId,
        to: Option<RoleId>,
    ) -> Result<Step, Obstacle> {
        let table = self.table(shared);
        let steps = table.own(table.row(self.state));
        let somebody_left = shared.roll.somebody_left();
        let (mut is_allowed, mut is_viable, mut gone) = (false, false, None);
        let mut best: Option<(u64, &Step)> = None;
        for step in steps.iter().filter(|step| gives(table, steps, step, label, to)) {
            is_allowed = true;
            if somebody_left
                && let Some(cause) = shared.roll.left_of(table.outs(step).iter().map(|out| out.to))
            {
                gone = Some(cause);
                continue;
            }
            is_viable = true;
            if !self.is_possible(shared, step) {
                continue;
            }
            let outbound = &self.outbound;
            let load = || match step.what {
                What::Put { .. } => {
                    table.outs(step).iter().map(|out| outbound[out.outbound as usize].len()).sum()
                }
                _ => 0,
            };
            let rank = self.chooser.rank(Decision::Step, step.packet.0, load);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, step));
            }
        }
        if let Some((_, &step)) = best {
            self.chooser.took(Decision::Step, step.packet.0);
            return Ok(step);
        }
        if !is_allowed {
            return Err(self.not_allowed(shared, Ask::Give(label, to)));
        }
        let gone = gone.filter(|_| !is_viable);
        Err(gone.map_or(Obstacle::Wait, Obstacle::never))
    }

    /// Puts a message into its queues, or passes it to those who wait for it.
    #[inline]
    fn perform_give(
        &mut self,
        shared: &Shared<P>,
        step: &Step,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        let outs = self.table(shared).outs(step);
        let mut copies = Copies { payload, left: outs.len(), ready: None };
        if !copies.are_possible() {
            let message = shared.table.label(step.label).to_owned();
            return Err(Obstacle::never(Cause::NotDuplicated { message }));
        }
        let is_done = match step.what {
            What::Meet { .. } => self.pass(shared, step, &mut copies),
            _ => self.put(shared, step, &mut copies),
        };
        if !is_done {
            return Err(Obstacle::Wait);
        }
        self.state = step.to;
        if !shared.table.spoils(step.act, Harm::LetSleep) {
            for out in outs {
                shared.event(out.to).notify();
            }
        }
        Ok(Done::given(step.act))
    }

    #[inline]
    fn put(&mut self, shared: &Shared<P>, step: &Step, copies: &mut Copies<'_, P>) -> bool {
        let outs = self.table(shared).outs(step);
        shared.observed(step.act, || {
            for out in outs {
                let payload = copies.next();
                let queue = &mut self.outbound[out.outbound as usize];
                if shared.table.spoils(step.act, Harm::Lose) {
                    continue;
                }
                if shared.table.spoils(step.act, Harm::Double)
                    && let Some(twin) = payload.duplicate()
                {
                    let _ = queue.try_push((step.packet, twin));
                }
                if let Err((_, payload)) = queue.try_push((step.packet, payload)) {
                    // Only if others fill the queue too, and then this is the only receiver.
                    *copies.payload = Some(payload);
                    return false;
                }
            }
            true
        })
    }

    /// Passes a message to all receivers in one step, if they all wait for it.
    fn pass(&mut self, shared: &Shared<P>, step: &Step, copies: &mut Copies<'_, P>) -> bool {
        let outs = self.table(shared).outs(step);
        let mut held = Held { shared, outs: &[] };
        for (number, out) in outs.iter().enumerate() {
            let offer = fitting(shared, step, self.role, out.to);
            if !offer.is_some_and(|offer| shared.meeting(out.to).hold(offer)) {
                return false;
            }
            held.outs = &outs[..=number];
        }
        shared.observed(step.act, || {
            while let [out, others @ ..] = held.outs {
                let payload = copies.next();
                held.outs = others;
                shared.meeting(out.to).hand_over((step.packet, payload));
            }
            // What a role passes to itself alone has arrived.
            copies.payload.take();
            true
        })
    }
}

/// Whether a step gives this message to this role. Where a role is named, a step to it alone goes before
/// one to it and others.
#[inline]
fn gives(
    table: &LocalTable,
    steps: &[Step],
    step: &Step,
    label: LabelId,
    to: Option<RoleId>,
) -> bool {
    if step.label != label || !matches!(step.what, What::Put { .. } | What::Meet { .. }) {
        return false;
    }
    let Some(to) = to else { return true };
    match table.outs(step) {
        [] => step.peer == to,
        [out] => out.to == to,
        outs => {
            let to_it_alone = |other: &Step| {
                let outs = table.outs(other);
                other.label == label && outs.len() == 1 && outs[0].to == to
            };
            outs.iter().any(|out| out.to == to) && !steps.iter().any(to_it_alone)
        }
    }
}

/// How a role waits, if that is for this step.
pub(super) fn fitting<P>(
    shared: &Shared<P>,
    step: &Step,
    from: RoleId,
    to: RoleId,
) -> Option<Offer> {
    let offer = shared.meeting(to).look()?;
    let table = &shared.table.locals[to.index()];
    let takes = |other: &Step| {
        other.what == What::Met && other.act == step.act && other.packet == step.packet
    };
    let fits = offer.from.is_none_or(|wanted| wanted == from)
        && table.incoming(table.row(offer.state)).iter().any(takes);
    fits.then_some(offer)
}

/// Receivers that are held. Who is not handed anything is let go, even if making copies panics.
struct Held<'h, P> {
    shared: &'h Shared<P>,
    outs: &'h [Out],
}

impl<P> Drop for Held<'_, P> {
    fn drop(&mut self) {
        for out in self.outs {
            self.shared.meeting(out.to).release();
        }
    }
}

/// Gives a payload as often as there are receivers.
struct Copies<'p, P> {
    payload: &'p mut Option<P>,
    left: usize,
    /// The first copy, made to see whether there can be any.
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
        next.expect("what could be duplicated once can be duplicated again")
    }
}

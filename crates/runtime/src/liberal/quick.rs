//! What takes no thought: sending or receiving where one queue decides, as it does in most states. A message goes
//! straight from the caller into the queue, or back; nothing that may fail carries it.

use super::own::comes_from;
use super::{Own, Shared};
use crate::meeting::Parcel;
use crate::module::Payload;
use crate::plan::{ActId, LabelId, LocalId, RoleId};
use crate::queue::{Front, Place};
use crate::role::Received;
use crate::sabotage::Harm;
use crate::table::{Quick, QuickStep};

/// A message can be sent at once.
pub(crate) struct Opening<'o, P> {
    shared: &'o Shared<P>,
    state: &'o mut LocalId,
    step: QuickStep,
    place: Place<'o, Parcel<P>>,
}

/// A message can be received at once.
pub(crate) struct Arrival<'o, P> {
    shared: &'o Shared<P>,
    state: &'o mut LocalId,
    step: QuickStep,
    front: Front<'o, Parcel<P>>,
    /// Who may be waiting for room in the queue.
    wakes: &'o [RoleId],
}

impl<P: Payload> Opening<'_, P> {
    /// Sends it.
    #[inline(always)]
    pub(crate) fn fill(self, payload: P) -> ActId {
        let Self { shared, state, step, place } = self;
        place.put((step.packet, payload));
        *state = step.to;
        if !shared.table.spoils(step.act, Harm::LetSleep) {
            shared.event(step.peer).notify();
        }
        step.act
    }
}

impl<P: Payload> Arrival<'_, P> {
    pub(super) fn act(&self) -> ActId {
        self.step.act
    }

    /// Receives it.
    #[inline(always)]
    pub(crate) fn take(self) -> Received<P> {
        let Self { shared, state, step, front, wakes } = self;
        let (_, payload) = front.take();
        *state = step.to;
        if !shared.table.spoils(step.act, Harm::LetSleep) {
            for &sender in wakes {
                shared.event(sender).notify();
            }
        }
        Received { from: step.peer, label: step.label, payload }
    }
}

impl<P: Payload> Own<P> {
    /// Where a message can be put, if there is one way to send it, into one queue that has room.
    #[inline(always)]
    pub(super) fn opening<'o>(
        &'o mut self,
        shared: &'o Shared<P>,
        label: LabelId,
        to: Option<RoleId>,
    ) -> Option<Opening<'o, P>> {
        let Quick::Put { step, outbound, .. } = self.quick[self.state.index()] else { return None };
        let is_spoilt =
            [Harm::Lose, Harm::Double].iter().any(|&harm| shared.table.spoils(step.act, harm));
        if step.label != label
            || to.is_some_and(|to| to != step.peer)
            || !shared.is_undisturbed()
            || is_spoilt
        {
            return None;
        }
        let place = self.outbound[outbound as usize].place()?;
        Some(Opening { shared, state: &mut self.state, step, place })
    }

    /// The next message, if all come from one queue and it is there.
    #[inline(always)]
    pub(super) fn arrival<'o>(
        &'o mut self,
        shared: &'o Shared<P>,
        from: Option<RoleId>,
    ) -> Option<Arrival<'o, P>> {
        if let Quick::TakeOne { inbound, .. } = self.quick[self.state.index()] {
            return self.arrival_of_one(shared, from, inbound);
        }
        let Quick::Take { step, inbound, wakes, .. } = &self.quick[self.state.index()] else {
            return None;
        };
        if !shared.is_undisturbed() || from.is_some_and(|from| from != step.peer) {
            return None;
        }
        let front = self.inbound[*inbound as usize].front()?;
        if front.look(|parcel| parcel.0) != step.packet {
            return None;
        }
        let wakes = wakes.as_slice();
        Some(Arrival { shared, state: &mut self.state, step: *step, front, wakes })
    }

    /// The same where it is one of several.
    #[inline(never)]
    fn arrival_of_one<'o>(
        &'o mut self,
        shared: &'o Shared<P>,
        from: Option<RoleId>,
        inbound: u32,
    ) -> Option<Arrival<'o, P>> {
        if !shared.is_undisturbed() {
            return None;
        }
        let table = self.table(shared);
        let front = self.inbound[inbound as usize].front()?;
        let packet = front.look(|parcel| parcel.0);
        let mut steps = table.incoming(table.row(self.state)).iter();
        let step = steps.find(|step| step.packet == packet && comes_from(step, from))?;
        let wakes = &table.inbound[inbound as usize].wakes;
        Some(Arrival { shared, state: &mut self.state, step: QuickStep::of(step), front, wakes })
    }
}

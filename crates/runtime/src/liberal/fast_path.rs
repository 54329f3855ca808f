//! Fast path: states in which a single queue determines the step, as in most states. A message moves straight from the
//! caller into the queue, or back.

use super::local_part::comes_from;
use super::{LocalPart, SharedPart};
use crate::module::Payload;
use crate::plan::{ActId, LabelId, LocalId, RoleId};
use crate::queue::{FreeSlot, Front};
use crate::rendezvous::Envelope;
use crate::role::Received;
use crate::table::{FastPath, FastStep};

/// A free place for a message.
pub(crate) struct SendSlot<'o, P> {
    shared: &'o SharedPart<P>,
    state: &'o mut LocalId,
    step: FastStep,
    free_slot: FreeSlot<'o, Envelope<P>>,
}

/// A message that is ready to be received.
pub(crate) struct ReadyMessage<'o, P> {
    shared: &'o SharedPart<P>,
    state: &'o mut LocalId,
    step: FastStep,
    front: Front<'o, Envelope<P>>,
    /// The roles that may wait for room in the queue.
    wakes: &'o [RoleId],
}

impl<P: Payload> SendSlot<'_, P> {
    /// Sends it.
    #[inline(always)]
    pub(crate) fn fill(self, payload: P) -> ActId {
        let Self { shared, state, step, free_slot } = self;
        free_slot.put((step.packet, payload));
        *state = step.to;
        shared.event(step.peer).notify();
        step.act
    }
}

impl<P: Payload> ReadyMessage<'_, P> {
    pub(super) fn act(&self) -> ActId {
        self.step.act
    }

    /// Receives it.
    #[inline(always)]
    pub(crate) fn take(self) -> Received<P> {
        let Self { shared, state, step, front, wakes } = self;
        let (_, payload) = front.take();
        *state = step.to;
        for &sender in wakes {
            shared.event(sender).notify();
        }
        Received { from: step.peer, label: step.label, payload }
    }
}

impl<P: Payload> LocalPart<P> {
    /// The free place for a message, if a single queue takes it and has room.
    #[inline(always)]
    pub(super) fn send_slot<'o>(
        &'o mut self,
        shared: &'o SharedPart<P>,
        label: LabelId,
        to: Option<RoleId>,
    ) -> Option<SendSlot<'o, P>> {
        let FastPath::Send { step, outbound, .. } = self.fast_paths[self.state.index()] else {
            return None;
        };
        if step.label != label || to.is_some_and(|to| to != step.peer) || !shared.is_undisturbed() {
            return None;
        }
        let free_slot = self.outbound[outbound as usize].free_slot()?;
        Some(SendSlot { shared, state: &mut self.state, step, free_slot })
    }

    /// The next message, if all come from a single queue and it is there.
    #[inline(always)]
    pub(super) fn ready_message<'o>(
        &'o mut self,
        shared: &'o SharedPart<P>,
        from: Option<RoleId>,
    ) -> Option<ReadyMessage<'o, P>> {
        if let FastPath::ReceiveOneOf { inbound, .. } = self.fast_paths[self.state.index()] {
            return self.ready_message_of_several(shared, from, inbound);
        }
        let FastPath::Receive { step, inbound, wakes, .. } = &self.fast_paths[self.state.index()]
        else {
            return None;
        };
        if !shared.is_undisturbed() || from.is_some_and(|from| from != step.peer) {
            return None;
        }
        let front = self.inbound[*inbound as usize].front()?;
        if front.look(|envelope| envelope.0) != step.packet {
            return None;
        }
        let wakes = wakes.as_slice();
        Some(ReadyMessage { shared, state: &mut self.state, step: *step, front, wakes })
    }

    /// The same where it may be one of several messages.
    #[inline(never)]
    fn ready_message_of_several<'o>(
        &'o mut self,
        shared: &'o SharedPart<P>,
        from: Option<RoleId>,
        inbound: u32,
    ) -> Option<ReadyMessage<'o, P>> {
        if !shared.is_undisturbed() {
            return None;
        }
        let table = self.table(shared);
        let front = self.inbound[inbound as usize].front()?;
        let packet = front.look(|envelope| envelope.0);
        let mut steps = table.incoming(table.row(self.state)).iter();
        let step = steps.find(|step| step.packet == packet && comes_from(step, from))?;
        let wakes = &table.inbound[inbound as usize].wakes;
        Some(ReadyMessage {
            shared,
            state: &mut self.state,
            step: FastStep::of(step),
            front,
            wakes,
        })
    }
}

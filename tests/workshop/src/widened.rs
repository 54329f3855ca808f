//! Models that are the same and take more room.

use quadrille_model::{
    Action, ActionId, Condition, Domain, Explorer, Model, Network, Participant, ParticipantId,
    PropositionId, Signature, SlotId, SlotKind, Value,
};

/// Values of a slot that was widened.
const VALUES: u32 = 1 << 20;

/// A network whose slots, but for queues, might hold a million values each: its states do not fit 64 bits
/// if it has four of them.
pub struct Widened {
    network: Network,
    signature: Signature,
}

impl Widened {
    /// Widens a network.
    pub fn new(network: Network) -> Self {
        let mut signature = network.signature().clone();
        for slot in signature.slots.iter_mut().filter(|slot| slot.kind != SlotKind::Queue) {
            if slot.domain.size().is_some_and(|size| size < VALUES) {
                slot.domain = Domain::Size(VALUES);
            }
        }
        Self { network, signature }
    }
}

impl Model for Widened {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        self.network.explorer()
    }

    fn n_actions(&self) -> usize {
        self.network.n_actions()
    }

    fn action(&self, action: ActionId) -> Action {
        self.network.action(action)
    }

    fn participant(&self, participant: ParticipantId) -> Participant {
        self.network.participant(participant)
    }

    fn meaning(&self, proposition: PropositionId) -> Option<Condition> {
        self.network.meaning(proposition)
    }

    fn ending(&self) -> Option<Condition> {
        self.network.ending()
    }

    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        self.network.content(slot, value, out);
    }

    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        self.network.value(slot, content)
    }

    fn never_fails(&self) -> bool {
        self.network.never_fails()
    }

    fn allows_workers(&self) -> bool {
        self.network.allows_workers()
    }
}

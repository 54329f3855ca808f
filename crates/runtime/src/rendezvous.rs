//! Rendezvous: sending and receiving in one step. The receiver offers itself in its state; a sender reserves all its
//! receivers, in the order of roles, and then hands the message over to each. One atomic word per receiver decides every
//! race. Knows nothing of automata.

use std::sync::PoisonError;

use crate::plan::{LocalId, PacketId, RoleId};
use crate::sync::{AtomicU64, Mutex, Ordering, yield_now};

/// A message with its packet.
pub(crate) type Envelope<P> = (PacketId, P);

/// The rendezvous point of one role.
#[derive(Debug)]
pub(crate) struct Rendezvous<P> {
    word: AtomicU64,
    /// Never contended: written by the sender that reserved the role, then read by the role.
    envelope: Mutex<Option<Envelope<P>>>,
}

/// The offer of a waiting receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Offer {
    pub(crate) state: LocalId,
    /// Whose messages it takes; `None`: those of any role.
    pub(crate) from: Option<RoleId>,
}

/// The role offers nothing.
const BUSY: u64 = 0;
/// The role waits for a sender.
const READY: u64 = 1;
/// A sender has reserved the role and tries to reserve the other receivers, which never blocks.
const HELD: u64 = 2;
/// A message was handed over.
const MET: u64 = 3;
const TAG: u64 = 3;

impl Offer {
    fn word(self) -> u64 {
        let from = self.from.map_or(0, |from| u64::from(from.0) + 1);
        READY | u64::from(self.state.0) << 2 | from << 34
    }

    fn read(word: u64) -> Self {
        let from = (word >> 34).checked_sub(1).map(|from| RoleId(from as u16));
        Self { state: LocalId((word >> 2) as u32), from }
    }
}

impl<P> Rendezvous<P> {
    pub(crate) fn new() -> Self {
        Self { word: AtomicU64::new(BUSY), envelope: Mutex::new(None) }
    }

    /// The receiver offers itself.
    pub(crate) fn offer(&self, offer: Offer) {
        self.word.store(offer.word(), Ordering::Release);
    }

    /// The receiver withdraws its offer; the message, if one was handed over before.
    pub(crate) fn withdraw(&self) -> Option<Envelope<P>> {
        loop {
            let word = self.settled();
            if word & TAG != READY {
                return self.take();
            }
            let change =
                self.word.compare_exchange(word, BUSY, Ordering::AcqRel, Ordering::Relaxed);
            if change.is_ok() {
                return None;
            }
        }
    }

    /// The message that was handed over.
    pub(crate) fn take(&self) -> Option<Envelope<P>> {
        if self.word.load(Ordering::Acquire) != MET {
            return None;
        }
        let envelope = self.envelope.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.word.store(BUSY, Ordering::Relaxed);
        envelope
    }

    /// The current offer.
    pub(crate) fn look(&self) -> Option<Offer> {
        let word = self.settled();
        (word & TAG == READY).then(|| Offer::read(word))
    }

    /// Reserves a receiver whose offer is still this one. Senders reserve in the order of roles and never wait while they
    /// hold a reservation, so one of them always makes progress.
    pub(crate) fn hold(&self, offer: Offer) -> bool {
        loop {
            let word = self.settled();
            if word != offer.word() {
                return false;
            }
            let held = word & !TAG | HELD;
            if self.word.compare_exchange(word, held, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return true;
            }
        }
    }

    /// Cancels a reservation.
    pub(crate) fn release(&self) {
        let held = self.word.load(Ordering::Relaxed);
        self.word.store(held & !TAG | READY, Ordering::Release);
    }

    /// Hands a message over to a reserved role.
    pub(crate) fn hand_over(&self, envelope: Envelope<P>) {
        *self.envelope.lock().unwrap_or_else(PoisonError::into_inner) = Some(envelope);
        self.word.store(MET, Ordering::Release);
    }

    /// The word, once no sender has reserved the role.
    fn settled(&self) -> u64 {
        loop {
            let word = self.word.load(Ordering::Acquire);
            if word & TAG != HELD {
                return word;
            }
            yield_now();
        }
    }
}

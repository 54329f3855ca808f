//! Where a role is met by those who pass it a message in one step. The receiver says in which state it
//! waits; a sender that fits holds it, and having got hold of all receivers it hands the message
//! over. One word decides every race. Knows nothing of automata.

use std::sync::PoisonError;

use crate::plan::{LocalId, PacketId, RoleId};
use crate::sync::{AtomicU64, Mutex, Ordering, yield_now};

/// A message with what it travels as.
pub(crate) type Parcel<P> = (PacketId, P);

/// Where one role is met.
#[derive(Debug)]
pub(crate) struct Meeting<P> {
    word: AtomicU64,
    /// Never contended: it is written by who holds the role, then read by the role.
    parcel: Mutex<Option<Parcel<P>>>,
}

/// What a role said when it began to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Offer {
    pub(crate) state: LocalId,
    /// Whose messages it takes; `None`: anybody's.
    pub(crate) from: Option<RoleId>,
}

/// The role does not wait to be met.
const BUSY: u64 = 0;
/// It waits.
const READY: u64 = 1;
/// It waits, and a sender looks whether the other receivers do too. That never takes long.
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

impl<P> Meeting<P> {
    pub(crate) fn new() -> Self {
        Self { word: AtomicU64::new(BUSY), parcel: Mutex::new(None) }
    }

    /// The role begins to wait.
    pub(crate) fn offer(&self, offer: Offer) {
        self.word.store(offer.word(), Ordering::Release);
    }

    /// The role stops waiting; what was handed over before it could.
    pub(crate) fn withdraw(&self) -> Option<Parcel<P>> {
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

    /// What was handed over to the role.
    pub(crate) fn take(&self) -> Option<Parcel<P>> {
        if self.word.load(Ordering::Acquire) != MET {
            return None;
        }
        let parcel = self.parcel.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.word.store(BUSY, Ordering::Relaxed);
        parcel
    }

    /// How the role waits, if it does.
    pub(crate) fn look(&self) -> Option<Offer> {
        let word = self.settled();
        (word & TAG == READY).then(|| Offer::read(word))
    }

    /// Gets hold of a role that still waits like this. Whoever holds a role does not hold another
    /// before it, in the order of roles, and does not wait: so there is always somebody who goes on.
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

    /// Lets go of a held role.
    pub(crate) fn release(&self) {
        let held = self.word.load(Ordering::Relaxed);
        self.word.store(held & !TAG | READY, Ordering::Release);
    }

    /// Hands a message over to a held role.
    pub(crate) fn hand_over(&self, parcel: Parcel<P>) {
        *self.parcel.lock().unwrap_or_else(PoisonError::into_inner) = Some(parcel);
        self.word.store(MET, Ordering::Release);
    }

    /// The word, when nobody holds the role.
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

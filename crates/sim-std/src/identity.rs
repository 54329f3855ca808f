//! Which object of the world a lock or the like is: found out at its first use in an execution,
//! because it may be made in a constant.

use ::std::sync::atomic::{AtomicU64, Ordering};

use quadrille_sim::{Kind, ObjectId, Place, task};

/// The execution it was used in last, and its number there.
#[derive(Debug)]
pub(crate) struct Identity(AtomicU64);

impl Identity {
    pub(crate) const fn new() -> Identity {
        Identity(AtomicU64::new(0))
    }

    /// The object, and whether it is used for the first time in this execution.
    pub(crate) fn get(&self, kind: Kind, place: Place) -> (ObjectId, bool) {
        let (epoch, known) = (u64::from(task::epoch()), self.0.load(Ordering::Relaxed));
        if known >> 32 == epoch {
            return (ObjectId::from_bits(known as u32), false);
        }
        if known != 0 || crate::statics::is_static(::std::ptr::from_ref(self) as usize) {
            task::outlives_executions(place);
        }
        let object = task::object(kind, 0, place);
        self.0.store((epoch << 32) | u64::from(object.to_bits()), Ordering::Relaxed);
        (object, true)
    }
}

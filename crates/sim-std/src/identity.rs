//! Which object of the world a lock or the like is: found out at its first use in an execution,
//! because it may be made in a constant.

use ::std::sync::atomic::{AtomicU64, Ordering};

use quadrille_sim::{Kind, ObjectId, Place, task};

/// The execution it was used in last, its number there, and in the last bit whether a value lies beside it
/// that executions leave as it is.
#[derive(Debug)]
pub(crate) struct Identity(AtomicU64);

const KEEPS_VALUE: u64 = 1;

impl Identity {
    pub(crate) const fn new() -> Identity {
        Identity(AtomicU64::new(0))
    }

    /// The identity of what keeps a `T`.
    pub(crate) const fn beside<T>() -> Identity {
        Identity(AtomicU64::new(if size_of::<T>() == 0 { 0 } else { KEEPS_VALUE }))
    }

    /// The object, if the caller is part of a simulation.
    #[inline]
    pub(crate) fn find(&self, kind: Kind, place: Place) -> Option<ObjectId> {
        let epoch = task::epoch_of_simulation()?;
        Some(self.of(epoch, kind, place).0)
    }

    /// The object, and whether it is used for the first time in this execution.
    pub(crate) fn get(&self, kind: Kind, place: Place) -> (ObjectId, bool) {
        self.of(task::epoch(), kind, place)
    }

    #[inline]
    fn of(&self, epoch: u32, kind: Kind, place: Place) -> (ObjectId, bool) {
        let known = self.0.load(Ordering::Relaxed);
        if known >> 32 == u64::from(epoch) {
            return (ObjectId::from_bits(known as u32 >> 1), false);
        }
        (self.enter(u64::from(epoch), known, kind, place), true)
    }

    /// Makes the object of this execution.
    #[cold]
    fn enter(&self, epoch: u64, known: u64, kind: Kind, place: Place) -> ObjectId {
        let is_left_over = known >> 32 != 0;
        if is_left_over && known & KEEPS_VALUE != 0 {
            task::keeps_value(place);
        }
        if is_left_over || crate::statics::is_static(::std::ptr::from_ref(self) as usize) {
            task::outlives_executions(place);
        }
        let object = task::object(kind, 0, place);
        let number = u64::from(object.to_bits()) << 1;
        self.0.store((epoch << 32) | number | (known & KEEPS_VALUE), Ordering::Relaxed);
        object
    }
}

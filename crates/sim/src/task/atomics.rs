//! Atomic accesses of a weak memory: what a load reads and where a store goes. Each follows the visible
//! operation that it is a part of. With sequential consistency, and for who only looks, there is
//! nothing to decide: an atomic holds what it holds.

use std::sync::atomic::Ordering;

use crate::operation::ObjectId;
use crate::weak::{Draw, Updated, Weak};
use crate::world::{WORLD, World};

/// What an update of a weak memory found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The value that it read.
    pub before: u64,
    /// Whether what it wrote is what the atomic holds from now on.
    pub is_last: bool,
}

/// Calls `access` on the weak memory with a draw that is recorded; nothing if there is none.
fn with_memory<R>(access: impl FnOnce(&mut World, &mut Weak, Draw<'_>) -> R) -> Option<R> {
    WORLD.with_borrow_mut(|world| {
        if !world.is_weak() || world.is_observed {
            return None;
        }
        let mut weak = std::mem::take(&mut world.weak);
        let mut strategy = world.strategy.take();
        let mut draws = std::mem::take(&mut world.draws);
        // Stores become visible in finite time: a task that only polls reads the last one.
        let polls = world.spins[world.current.index()].is_polling();
        let mut draw = |bound: u32| match &mut strategy {
            Some(strategy) if !polls => {
                let drawn = strategy.draw(bound);
                draws.push(drawn);
                drawn
            }
            _ => 0,
        };
        let result = access(world, &mut weak, &mut draw);
        (world.weak, world.strategy, world.draws) = (weak, strategy, draws);
        Some(result)
    })
}

/// Says that the operation that was performed last read a store that is overwritten.
fn mark(world: &mut World, read_last: bool) {
    if let Some(last) = world.trace.last_mut() {
        last.is_stale = !read_last;
    }
}

/// What a load of an atomic that holds `held` reads.
#[must_use]
pub fn load(object: ObjectId, held: u64, order: Ordering) -> u64 {
    let read = with_memory(|world, weak, draw| {
        let (value, read_last) = weak.load(world.current, (object, held), order, draw);
        mark(world, read_last);
        value
    });
    read.unwrap_or(held)
}

/// Whether what is stored to an atomic that holds `held` is what it holds from now on.
#[must_use]
pub fn store(object: ObjectId, held: u64, value: u64, order: Ordering) -> bool {
    let stored = with_memory(|world, weak, draw| {
        weak.store(world.current, (object, held), value, order, draw)
    });
    stored.unwrap_or(true)
}

/// What an update of an atomic that holds `held` finds: it writes what `next` makes of the value it
/// reads, or is a load of the second order if that is nothing.
pub fn update(
    object: ObjectId,
    held: u64,
    orders: (Ordering, Ordering),
    next: &dyn Fn(u64) -> Option<u64>,
) -> Update {
    let updated = with_memory(|world, weak, draw| {
        let updated = weak.update(world.current, (object, held), orders, next, draw);
        let Updated { before, is_last, read_last } = updated;
        mark(world, read_last);
        Update { before, is_last }
    });
    updated.unwrap_or_else(|| Update { before: held, is_last: next(held).is_some() })
}

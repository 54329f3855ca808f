//! The objects that tasks share, and what they hold: words that decide who can go on.

use super::is_running;
use crate::operation::{Access, Kind, ObjectId, Place, TaskId};
use crate::world::WORLD;

/// Makes an object with a word.
#[inline]
pub fn object(kind: Kind, word: i64, place: Place) -> ObjectId {
    WORLD.with_borrow_mut(|world| world.add_object(kind, word, Some(place)))
}

/// Says that an object of the program outlives executions, such as a static: several workers cannot
/// execute the program then, each would change what the others use.
pub fn outlives_executions(place: Place) {
    WORLD.with_borrow_mut(|world| {
        if world.has_helpers && world.outlives.is_none() {
            world.outlives = Some(place);
        }
    });
}

/// Says that a lock was used in an execution before, and that what it protects is as that one left it.
pub fn keeps_value(place: Place) {
    WORLD.with_borrow_mut(|world| {
        world.leftover.get_or_insert(place);
    });
}

/// Names an object in reports.
pub fn name_object(object: ObjectId, name: &str) {
    WORLD.with_borrow_mut(|world| world.object_names.push((object, name.to_owned())));
}

/// The word of an object.
#[inline]
#[must_use]
pub fn word(object: ObjectId) -> i64 {
    WORLD.with_borrow(|world| world.objects[object.index()].word)
}

/// Changes the word of an object; a part of the operation that was performed last.
#[inline]
pub fn set_word(object: ObjectId, word: i64) {
    WORLD.with_borrow_mut(|world| world.set_word(object, word));
}

/// Changes the word of an object that tasks wait for; the operation that was performed last is the
/// cause of whatever they do next.
#[inline]
pub fn signal(object: ObjectId, word: i64) {
    WORLD.with_borrow_mut(|world| {
        let cause = world.cause();
        world.objects[object.index()].cause = cause;
        world.set_word(object, word);
    });
}

/// From now on another task's pending operation does not commute with others of its object: there
/// is less of what it waits for than there are tasks that wait.
pub fn contend(task: TaskId) {
    WORLD.with_borrow_mut(|world| world.pending[task.index()].access = Access::Write);
}

/// Changes the word of a lock and says whether the running task holds it now.
#[inline]
pub fn set_held(object: ObjectId, word: i64, is_held: bool) {
    WORLD.with_borrow_mut(|world| {
        let current = world.current;
        let lock = &mut world.objects[object.index()];
        let was_held = lock.holder.is_some();
        lock.holder = is_held.then_some(current);
        world.n_held = world.n_held + u32::from(is_held) - u32::from(was_held);
        world.set_word(object, word);
    });
}

/// Says what the operation that was performed last found and whether it changed anything. Tasks
/// that find the same again and again are known to poll.
#[inline]
pub fn observe(value: u64, has_changed: bool) {
    WORLD.with_borrow_mut(|world| {
        if !world.is_observed {
            world.observe(value, has_changed);
        }
    });
}

/// Whether taking the pointer out of an `UnsafeCell` is a visible operation now.
#[must_use]
pub fn watches_cells() -> bool {
    is_running() && WORLD.is_some_and(|world| world.is_active && world.config.watches_cells)
}

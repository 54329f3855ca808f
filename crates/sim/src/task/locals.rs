//! Variables of which every task has its own.

use std::any::Any;

use super::current;
use crate::world::WORLD;

/// Calls `with` on the running task's local of a key, which `make` makes first; nothing if that
/// local was dropped already, at the end of the task.
pub fn with_local<T: 'static, R>(
    key: usize,
    make: impl FnOnce() -> T,
    with: impl FnOnce(&T) -> R,
) -> Option<R> {
    let task = current();
    if WORLD.with_borrow(|world| world.tasks[task.index()].dropped_locals.contains(&key)) {
        return None;
    }
    let found = WORLD.with_borrow(|world| {
        let locals = &world.tasks[task.index()].locals;
        let found = locals.iter().find(|(known, _)| *known == key);
        found.and_then(|(_, value)| value.downcast_ref::<std::rc::Rc<T>>().cloned())
    });
    let value = found.unwrap_or_else(|| {
        let value = std::rc::Rc::new(make());
        let kept: Box<dyn Any> = Box::new(std::rc::Rc::clone(&value));
        WORLD.with_borrow_mut(|world| world.tasks[task.index()].locals.push((key, kept)));
        value
    });
    Some(with(&value))
}

/// Drops the running task's locals, the youngest first.
pub(super) fn drop_locals() {
    while let Some(last) = WORLD.with_borrow_mut(|world| {
        let current = world.current.index();
        let task = &mut world.tasks[current];
        let last = task.locals.pop()?;
        task.dropped_locals.push(last.0);
        Some(last)
    }) {
        drop(last);
    }
}

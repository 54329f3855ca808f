//! Endless programs: an execution that comes back to where it was can go round for ever. It then
//! ends as a lasso, on which formulas can be judged.

use rustc_hash::FxHashMap;

use crate::operation::Kind;
use crate::task;
use crate::world::{Observer, Step, WORLD, World};

/// From now on, this execution ends when everything is as it was before: the positions of all tasks,
/// the words of all objects, how long timed waits still take, and what `probe` says about the data.
///
/// Whatever the program's behaviour depends on and the scheduler does not see, `probe` must tell;
/// a number that is too coarse makes rounds out of what is none. A round in which a task that can run
/// never does is unfair and does not count. An execution has one observer; this is it.
pub fn recognise(probe: impl FnMut() -> u64 + 'static) {
    task::set_observer(Box::new(Recogniser { probe: Box::new(probe), seen: FxHashMap::default() }));
}

struct Recogniser {
    probe: Box<dyn FnMut() -> u64>,
    /// Everything, and after how many operations it was so.
    seen: FxHashMap<Vec<u64>, usize>,
}

impl Observer for Recogniser {
    fn after_step(&mut self, _: &Step) {
        let probed = (self.probe)();
        WORLD.with_borrow_mut(|world| {
            let now = world.trace.len();
            let mut state = vec![probed];
            describe(world, &mut state);
            let before = *self.seen.entry(state).or_insert(now);
            if before < now && is_fair(world, before) {
                world.cycle = Some(before);
                world.is_stopped = true;
            }
        });
    }
}

/// What decides how an execution goes on, as far as the scheduler knows.
fn describe(world: &World, state: &mut Vec<u64>) {
    for (task, request) in world.tasks.iter().zip(&world.pending) {
        let place = std::ptr::from_ref(request.place) as usize as u64;
        let word = request.action.word().as_ptr() as usize as u64;
        let left = task.deadline.since(world.now).as_nanos() as u64;
        state.extend([place, word, u64::from(task.is_finished), left]);
    }
    for object in &world.objects {
        // Waiters are made anew in every round; what they wait for shows in the tasks.
        if !matches!(object.kind, Kind::Waiter | Kind::Clock) {
            let holder = object.holder.map_or(u64::MAX, |task| task.index() as u64);
            state.extend([object.word as u64, holder]);
        }
    }
}

/// Whether every task that can run did since so many operations.
fn is_fair(world: &World, since: usize) -> bool {
    let ran = |task: usize| world.trace[since..].iter().any(|o| o.task.index() == task);
    (0..world.tasks.len()).all(|task| ran(task) || !world.is_ready(task))
}

//! Endless programs: an execution that comes back to where it was can go round for ever. It then
//! ends as a lasso, on which formulas can be judged.

use rustc_hash::FxHashMap;

use crate::failure::Fault;
use crate::operation::{Kind, TaskId};
use crate::task;
use crate::world::{Observer, Step, WORLD, World};

/// From now on, this execution ends when everything is as it was before: the positions of all tasks,
/// the words of all objects, how long timed waits still take, and what `probe` says about the data.
///
/// Whatever the program's behaviour depends on and the scheduler does not see, `probe` must tell;
/// a number that is too coarse makes rounds out of what is none. A round in which a task that can run
/// never does is unfair and does not count. An execution has one observer; this is it.
pub fn recognise(probe: impl FnMut() -> u64 + 'static) {
    let (probe, seen) = (Box::new(probe), FxHashMap::default());
    task::set_observer(Box::new(Recogniser { probe, seen, ready: None }));
}

/// The same, and a task that does not run in such a round although it could at times is a failure:
/// others keep it from what it waits for, for ever.
pub fn forbid_starvation(probe: impl FnMut() -> u64 + 'static) {
    let (probe, seen) = (Box::new(probe), FxHashMap::default());
    task::set_observer(Box::new(Recogniser { probe, seen, ready: Some(Vec::new()) }));
}

struct Recogniser {
    /// If starvation is a failure: after how many operations each task could last run.
    ready: Option<Vec<Option<usize>>>,
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
            if let Some(ready) = &mut self.ready {
                ready.resize(world.tasks.len(), None);
                for (task, last) in ready.iter_mut().enumerate() {
                    *last = if world.is_ready(task) { Some(now) } else { *last };
                }
            }
            let before = *self.seen.entry(state).or_insert(now);
            if before < now && is_fair(world, before) {
                if let Some(ready) = &self.ready {
                    world.fault = starvation(world, ready, before);
                }
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

/// The tasks that could run since so many operations and did not, as a fault.
fn starvation(world: &World, ready: &[Option<usize>], from: usize) -> Option<Fault> {
    let ran = |task: usize| world.trace[from..].iter().any(|o| o.task.index() == task);
    let starves = |&task: &usize| ready[task].is_some_and(|last| last > from) && !ran(task);
    let starving = (0..world.tasks.len()).filter(starves);
    let blocked: Vec<_> = starving.map(|task| world.waiting(TaskId::new(task))).collect();
    (!blocked.is_empty()).then_some(Fault::Starvation { blocked, from })
}

/// Whether every task that can run did since so many operations.
fn is_fair(world: &World, since: usize) -> bool {
    let ran = |task: usize| world.trace[since..].iter().any(|o| o.task.index() == task);
    (0..world.tasks.len()).all(|task| ran(task) || !world.is_ready(task))
}

//! Random walks that are uniform over orders instead of over choices (Zhao, Wolff, Mathur &
//! Roychoudhury, ASPLOS 2025). A task is chosen with the chance of how much it still has to do, as far
//! as the execution before tells: then each way of mixing the tasks is equally likely. The selective
//! walk does so only for the operations on one object, another one in each execution, and lets
//! everything else happen by plain chance.

use quadrille_simulation::Random;

use super::{Execution, Point, Strategy};
use crate::operation::{Action, Operation, Place, TaskId};

/// Which operations count.
#[derive(Clone, Debug)]
enum Counted {
    All,
    /// Those at these places; none before anything is known.
    At(Vec<Place>),
}

impl Counted {
    fn includes(&self, place: Place) -> bool {
        match self {
            Counted::All => true,
            Counted::At(places) => places.iter().any(|known| std::ptr::eq(*known, place)),
        }
    }
}

/// Chooses uniformly among orders.
#[derive(Clone, Debug)]
pub struct Walk {
    seed: u64,
    started: u64,
    executions: u64,
    is_selective: bool,
    tasks: Random,
    draws: Random,
    counted: Counted,
    /// What the execution before did: the operations, and who spawned each task.
    known: Vec<(TaskId, Place)>,
    objects: Vec<Vec<Place>>,
    parents: Vec<Option<TaskId>>,
    /// By task: how many of its operations that count are still to come.
    left: Vec<u64>,
    /// Who performs the next operation that counts, of the selective walk.
    intended: Option<TaskId>,
}

impl Walk {
    /// Uniform over all orders (URW).
    #[must_use]
    pub fn uniform(seed: u64, executions: u64) -> Walk {
        Walk::new(seed, executions, false)
    }

    /// Uniform over the orders of operations on one object at a time (SURW).
    #[must_use]
    pub fn selective(seed: u64, executions: u64) -> Walk {
        Walk::new(seed, executions, true)
    }

    fn new(seed: u64, executions: u64, is_selective: bool) -> Walk {
        Walk {
            seed,
            started: 0,
            executions,
            is_selective,
            tasks: Random::new(0),
            draws: Random::new(0),
            counted: Counted::All,
            known: Vec::new(),
            objects: Vec::new(),
            parents: Vec::new(),
            left: Vec::new(),
            intended: None,
        }
    }

    /// What a task still has to do, with the tasks that it has yet to spawn: a task that is not there
    /// cannot be chosen, so its parent is in its place.
    fn weight(&self, task: TaskId, n_tasks: usize) -> u64 {
        let own = self.left.get(task.index()).copied().unwrap_or(0);
        let unborn = (n_tasks..self.parents.len()).filter(|&other| {
            let mut ancestor = self.parents[other];
            while let Some(parent) = ancestor.filter(|parent| parent.index() >= n_tasks) {
                ancestor = self.parents[parent.index()];
            }
            ancestor == Some(task)
        });
        own + unborn.map(|other| self.left.get(other).copied().unwrap_or(0)).sum::<u64>()
    }

    /// A task by weight; by plain chance if nothing is known of any.
    fn pick(&mut self, among: &[TaskId], n_tasks: usize) -> TaskId {
        let weights: Vec<u64> = among.iter().map(|&task| self.weight(task, n_tasks)).collect();
        let total: u64 = weights.iter().sum();
        if total == 0 {
            return among[self.tasks.below(among.len() as u64) as usize];
        }
        let mut at = self.tasks.below(total);
        for (&task, weight) in among.iter().zip(weights) {
            match at.checked_sub(weight) {
                Some(rest) => at = rest,
                None => return task,
            }
        }
        unreachable!("the draw is below the sum")
    }

    fn performs(&mut self, task: TaskId, place: Place) {
        if self.counted.includes(place)
            && let Some(left) = self.left.get_mut(task.index())
        {
            *left = left.saturating_sub(1);
        }
    }

    fn choose_selectively(&mut self, point: &Point<'_>) -> TaskId {
        let n_tasks = point.pending.len();
        let waits = |walk: &Walk, task: &TaskId| {
            walk.intended != Some(*task) && walk.counted.includes(point.pending(*task).place)
        };
        let free: Vec<TaskId> =
            point.enabled.iter().copied().filter(|task| !waits(self, task)).collect();
        let chosen = match &free[..] {
            // Only operations that count are left, and not of the task that was to be next.
            [] => self.pick(point.enabled, n_tasks),
            free => free[self.tasks.below(free.len() as u64) as usize],
        };
        if self.counted.includes(point.pending(chosen).place) {
            self.performs(chosen, point.pending(chosen).place);
            let all: Vec<TaskId> = (0..n_tasks).map(TaskId::new).collect();
            self.intended = Some(self.pick(&all, n_tasks));
        }
        chosen
    }
}

impl Strategy for Walk {
    fn begin(&mut self) -> bool {
        if self.started == self.executions {
            return false;
        }
        let seed = self.seed.wrapping_add(self.started);
        (self.tasks, self.draws) = (Random::of(seed, 1), Random::of(seed, 2));
        self.started += 1;
        if self.is_selective {
            let n_objects = self.objects.len() as u64;
            let object = (n_objects > 0).then(|| self.tasks.below(n_objects) as usize);
            self.counted =
                Counted::At(object.map_or(Vec::new(), |object| self.objects[object].clone()));
        }
        self.left.clear();
        for &(task, place) in &self.known {
            if self.counted.includes(place) {
                self.left.resize(self.left.len().max(task.index() + 1), 0);
                self.left[task.index()] += 1;
            }
        }
        self.intended = None;
        true
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        if self.is_selective {
            return Some(self.choose_selectively(point));
        }
        let chosen = self.pick(point.enabled, point.pending.len());
        self.performs(chosen, point.pending(chosen).place);
        Some(chosen)
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.draws.below(u64::from(bound)) as u32
    }

    fn finish(&mut self, execution: &Execution<'_>) {
        let trace = execution.trace;
        self.known = trace.iter().map(|operation| (operation.task, operation.place)).collect();
        let spawns = |o: &&Operation| o.action == Action::Spawn;
        self.parents = std::iter::once(None)
            .chain(trace.iter().filter(spawns).map(|operation| Some(operation.task)))
            .collect();
        // Objects that more than one task uses, by the places where they do.
        let mut objects: std::collections::BTreeMap<_, (Vec<TaskId>, Vec<Place>)> =
            std::collections::BTreeMap::new();
        for operation in trace.iter().filter(|operation| operation.access.changes()) {
            let (tasks, places) = objects.entry(operation.object).or_default();
            if !tasks.contains(&operation.task) {
                tasks.push(operation.task);
            }
            if !places.iter().any(|place| std::ptr::eq(*place, operation.place)) {
                places.push(operation.place);
            }
        }
        let shared = objects.into_values().filter(|(tasks, _)| tasks.len() > 1);
        self.objects = shared.map(|(_, places)| places).collect();
    }
}

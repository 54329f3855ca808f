//! Tries every choice in every state that a program can reach, for programs that never end and have few states: states are recognised again, so that
//! nothing is tried twice and an endless program is explored completely.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_sim::strategy::Point;
use quadrille_sim::{Access, Operation, Request, Strategy, TaskId};
use rustc_hash::FxHashMap;

use crate::coverage::{Coverage, NodeId, on_cycles};

/// Where a thread has stopped: what it will do next, and what it did last.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    /// Which thread, in the order in which they were started; the body is the first one.
    pub thread: usize,
    /// Its next operation.
    pub next: &'a Request,
    /// Its last operation.
    pub last: Option<&'a Operation>,
    /// Whether it can perform the next one.
    pub is_enabled: bool,
}

/// What was explored. A clone is the same exploration.
#[derive(Clone, Debug, Default)]
pub struct Closure(Arc<Mutex<Explored>>);

#[derive(Debug, Default)]
struct Explored {
    coverage: Coverage,
    states: FxHashMap<Box<[u64]>, usize>,
    /// For each state, the threads that can run there and which state that leads to, as far as tried.
    choices: Vec<Vec<(TaskId, Option<usize>)>>,
    /// For each state, the node it is projected on.
    nodes: Vec<NodeId>,
    n_steps: u64,
    is_closed: bool,
    /// A choice that led elsewhere the second time: the state is not all that matters.
    is_unfaithful: bool,
}

impl Closure {
    /// The visited nodes: what the threads' stops were projected on.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        self.explored().coverage.clone()
    }

    /// Whether every choice in every state was tried.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let explored = self.explored();
        explored.is_closed && !explored.is_unfaithful
    }

    /// The nodes that the program can come back to again and again: those of states on a cycle.
    #[must_use]
    pub fn recurrent(&self) -> Vec<NodeId> {
        let explored = self.explored();
        let choices = explored.choices.iter().enumerate();
        let pairs: Vec<(usize, usize)> = choices
            .flat_map(|(from, choices)| {
                choices.iter().filter_map(move |(_, to)| to.map(|to| (from, to)))
            })
            .collect();
        let mut nodes: Vec<NodeId> = on_cycles(explored.nodes.len(), &pairs)
            .into_iter()
            .map(|state| explored.nodes[state])
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// How many different states there are, and how many choices in them.
    #[must_use]
    pub fn n_states_and_choices(&self) -> (usize, usize) {
        let explored = self.explored();
        (explored.choices.len(), explored.choices.iter().map(Vec::len).sum())
    }

    /// Whether a choice in what looked like the same state led to different ones: the probe does not tell enough.
    #[must_use]
    pub fn is_unfaithful(&self) -> bool {
        self.explored().is_unfaithful
    }

    fn explored(&self) -> MutexGuard<'_, Explored> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tries every choice in every reachable state. A state is where all threads have stopped and what `probe` says of the program's data.
///
/// The body only starts the threads: it goes first whenever it can. Threads are switched at consistent states only: a thread that holds a lock goes on as long as it can. So a step is what a thread
/// does between two of its consistent states, as in the thesis.
pub struct Covering {
    closure: Closure,
    probe: Box<dyn FnMut() -> u64 + Send>,
    project: Projection,
    /// The state before the last choice, and the choice.
    before: Option<(usize, usize)>,
    n_read: usize,
    held: Vec<i32>,
    last: Vec<Option<Operation>>,
}

/// A coordinate of the node for a thread's stop; nothing for threads that do not count.
type Projection = Box<dyn FnMut(Stop<'_>) -> Option<u32> + Send>;

impl Covering {
    /// A complete exploration; `project` gives the coordinates of the nodes that are counted.
    #[must_use]
    pub fn new(
        probe: impl FnMut() -> u64 + Send + 'static,
        project: impl FnMut(Stop<'_>) -> Option<u32> + Send + 'static,
    ) -> Self {
        Self {
            closure: Closure::default(),
            probe: Box::new(probe),
            project: Box::new(project),
            before: None,
            n_read: 0,
            held: Vec::new(),
            last: Vec::new(),
        }
    }

    /// Where the results are.
    #[must_use]
    pub fn closure(&self) -> Closure {
        self.closure.clone()
    }

    /// Reads what happened since the last choice: who did what last, and who holds locks.
    fn read(&mut self, point: &Point<'_>) {
        self.held.resize(point.pending.len(), 0);
        self.last.resize(point.pending.len(), None);
        for operation in &point.trace[self.n_read..] {
            let task = operation.task.index();
            self.held[task] += match operation.access {
                Access::Acquire | Access::Share => 1,
                Access::Release | Access::Unshare => -1,
                _ => 0,
            };
            self.last[task] = Some(*operation);
        }
        self.n_read = point.trace.len();
    }

    /// The state that the program is in, as numbers that do not depend on addresses.
    fn key(&mut self, point: &Point<'_>) -> Box<[u64]> {
        let mut key = vec![(self.probe)()];
        for (index, request) in point.pending.iter().enumerate() {
            let is_enabled = point.enabled.iter().any(|task| task.index() == index);
            let is_over = self.last[index].is_some_and(|last| last.action.word() == "finish");
            let place = u64::from(request.place.line()) << 16 | u64::from(request.place.column());
            key.push(place << 2 | u64::from(is_enabled) << 1 | u64::from(is_over));
            key.push(request.action.word().bytes().fold(0, |sum, byte| sum << 5 ^ u64::from(byte)));
        }
        key.into()
    }

    fn node(&mut self, point: &Point<'_>) -> Vec<u32> {
        let tasks = point.pending.iter().enumerate();
        let coordinates = tasks.filter_map(|(thread, next)| {
            let is_enabled = point.enabled.iter().any(|task| task.index() == thread);
            (self.project)(Stop { thread, next, last: self.last[thread].as_ref(), is_enabled })
        });
        coordinates.collect()
    }
}

impl Strategy for Covering {
    fn begin(&mut self) -> bool {
        (self.before, self.n_read) = (None, 0);
        self.held.clear();
        self.last.clear();
        let explored = &mut *self.closure.explored();
        explored.coverage.begin();
        !explored.is_closed && !explored.is_unfaithful
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        self.read(point);
        let current = point.current;
        if self.held.get(current.index()).is_some_and(|held| *held > 0)
            && point.enabled.contains(&current)
        {
            return Some(current);
        }
        if point.enabled.contains(&TaskId::MAIN) {
            return Some(TaskId::MAIN);
        }
        let (key, node) = (self.key(point), self.node(point));
        let before = self.before.take();
        let explored = &mut *self.closure.explored();
        explored.n_steps += 1;
        let node = explored.coverage.visit(&node);
        let state = explored.enter(key, node, point.enabled);
        if let Some((previous, choice)) = before {
            explored.follow(previous, choice, state);
        }
        let choice = explored.next_choice(state);
        let task = explored.choices[state][choice].0;
        self.before = Some((state, choice));
        Some(task)
    }

    fn draw(&mut self, _: u32) -> u32 {
        0
    }

    fn yields(&self) -> bool {
        false
    }

    fn is_exhaustive(&self) -> bool {
        self.closure.is_closed()
    }
}

impl Explored {
    /// The number of a state; a new one has untried choices only.
    fn enter(&mut self, key: Box<[u64]>, node: NodeId, enabled: &[TaskId]) -> usize {
        let next = self.choices.len();
        let state = *self.states.entry(key).or_insert(next);
        if state == next {
            self.nodes.push(node);
            self.choices.push(enabled.iter().map(|&task| (task, None)).collect());
        }
        state
    }

    fn follow(&mut self, from: usize, choice: usize, to: usize) {
        let (_, known) = &mut self.choices[from][choice];
        self.is_unfaithful |= known.replace(to).is_some_and(|known| known != to);
    }

    /// An untried choice of this state, or the first step of a shortest way to one. If there is none at all, everything was tried; if there
    /// is none to be reached from here, the next execution must begin elsewhere.
    fn next_choice(&mut self, state: usize) -> usize {
        let untried =
            |choices: &[(TaskId, Option<usize>)]| choices.iter().position(|(_, to)| to.is_none());
        if let Some(choice) = untried(&self.choices[state]) {
            return choice;
        }
        let mut seen = vec![false; self.choices.len()];
        seen[state] = true;
        let mut queue = VecDeque::from([(state, None)]);
        while let Some((here, first)) = queue.pop_front() {
            if first.is_some() && untried(&self.choices[here]).is_some() {
                return first.unwrap_or(0);
            }
            for (choice, &(_, to)) in self.choices[here].iter().enumerate() {
                if let Some(to) = to.filter(|&to| !std::mem::replace(&mut seen[to], true)) {
                    queue.push_back((to, first.or(Some(choice))));
                }
            }
        }
        self.is_closed = self.choices.iter().all(|choices| untried(choices).is_none());
        0
    }
}

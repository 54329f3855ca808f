//! Fairness of tasks: which are fair, what that asks of a cycle, and the fair part of a
//! component. An ended run is fair: fairness speaks about what happens for ever.

use quadrille_graph::components;
use quadrille_model::{StateId, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::node::Node;
use super::product::Product;
use crate::Stopped;

/// Some tasks of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Tasks {
    /// None of them.
    #[default]
    None,
    /// All of them.
    All,
    /// These.
    Some(Vec<TaskId>),
}

/// Which infinite runs count: those that are fair to these tasks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fairness {
    /// Tasks that, if enabled from some moment on for ever, are taken again and again.
    pub weak: Tasks,
    /// Tasks that, if enabled again and again, are taken again and again.
    pub strong: Tasks,
}

impl Fairness {
    /// Fairness to the tasks of both.
    #[must_use]
    pub fn with(&self, other: &Fairness) -> Fairness {
        let both = |one: &Tasks, other: &Tasks| match (one, other) {
            (Tasks::All, _) | (_, Tasks::All) => Tasks::All,
            (Tasks::None, tasks) | (tasks, Tasks::None) => tasks.clone(),
            (Tasks::Some(one), Tasks::Some(other)) => {
                let mut all: Vec<TaskId> = one.iter().chain(other).copied().collect();
                all.sort_unstable();
                all.dedup();
                Tasks::Some(all)
            }
        };
        let (weak, strong) = (both(&self.weak, &other.weak), both(&self.strong, &other.strong));
        Fairness { weak, strong }
    }

    /// Whether every run counts.
    pub fn is_none(&self) -> bool {
        let empty = |tasks: &Tasks| match tasks {
            Tasks::None => true,
            Tasks::All => false,
            Tasks::Some(tasks) => tasks.is_empty(),
        };
        empty(&self.weak) && empty(&self.strong)
    }
}

/// The fair tasks of one model, each in one list: strong fairness includes weak fairness.
pub(super) struct FairTasks {
    weak: Vec<TaskId>,
    strong: Vec<TaskId>,
    /// Per task, its place in `weak`.
    place: Vec<Option<usize>>,
}

impl FairTasks {
    pub fn new(fairness: &Fairness, n_groups: usize) -> Self {
        let listed = |tasks: &Tasks| -> Vec<TaskId> {
            let mut listed = match tasks {
                Tasks::None => Vec::new(),
                Tasks::All => (0..n_groups).map(TaskId::from_usize).collect(),
                Tasks::Some(tasks) => tasks.clone(),
            };
            listed.sort_unstable();
            listed.dedup();
            listed
        };
        let strong = listed(&fairness.strong);
        let mut weak = listed(&fairness.weak);
        weak.retain(|task| strong.binary_search(task).is_err());
        let mut place = vec![None; n_groups];
        for (position, task) in weak.iter().enumerate() {
            place[task.index()] = Some(position);
        }
        Self { weak, strong, place }
    }

    pub fn n_weak(&self) -> usize {
        self.weak.len()
    }

    pub fn weak(&self) -> &[TaskId] {
        &self.weak
    }

    pub fn strong(&self) -> &[TaskId] {
        &self.strong
    }

    /// Words of a set of weakly fair tasks.
    pub fn n_words(&self) -> usize {
        self.weak.len().div_ceil(64)
    }

    /// Appends the set of weakly fair tasks that are not enabled.
    pub fn push_disabled(&self, enabled: impl Iterator<Item = TaskId>, sets: &mut Vec<u64>) {
        let start = sets.len();
        sets.resize(start + self.n_words(), u64::MAX);
        for position in enabled.filter_map(|task| self.place[task.index()]) {
            sets[start + position / 64] &= !(1 << (position % 64));
        }
    }

    /// Adds a task to a set, if it is weakly fair.
    pub fn take(&self, task: TaskId, set: &mut [u64]) {
        if let Some(position) = self.place[task.index()] {
            set[position / 64] |= 1 << (position % 64);
        }
    }

    /// Whether a set has all weakly fair tasks.
    pub fn all_weak(&self, set: &[u64]) -> bool {
        (0..self.weak.len()).all(|position| set[position / 64] >> (position % 64) & 1 == 1)
    }
}

/// The largest part of a component, found first, whose nodes lie on one cycle that is accepting
/// and fair to every task.
///
/// Emerson and Lei, "Modalities for model checking" (1987): where a strongly fair task is
/// enabled but never taken inside a component, no fair cycle passes the nodes that enable it;
/// without them the component falls into smaller ones, which are tried in turn.
pub(super) fn fair_part(
    product: &mut Product,
    component: &[Node],
    fair: &FairTasks,
) -> Result<Option<Vec<Node>>, Stopped> {
    let mut candidates = vec![component.to_vec()];
    while let Some(members) = candidates.pop() {
        let n_members = members.len();
        // Splitting keeps the edges between members and a few numbers for each.
        product.work(64 * n_members, || 128 * n_members)?;
        let inside = Inside::new(product, &members, fair);
        if !inside.promising {
            continue;
        }
        let neglected: FxHashSet<TaskId> = inside.neglected(fair.strong()).collect();
        if neglected.is_empty() {
            return Ok(Some(members));
        }
        let neglects =
            |state: StateId| product.enabled(state).any(|task| neglected.contains(&task));
        let rest = members.into_iter().filter(|node| !neglects(node.state)).collect();
        candidates.extend(split(product, rest));
    }
    Ok(None)
}

/// What a strongly connected set of nodes offers.
struct Inside {
    taken: FxHashSet<TaskId>,
    enabled: FxHashSet<TaskId>,
    /// Whether there is a cycle, with every mark, and weakly fair.
    promising: bool,
}

impl Inside {
    fn new(product: &Product, members: &[Node], fair: &FairTasks) -> Self {
        let set: FxHashSet<Node> = members.iter().copied().collect();
        let (mut taken, mut enabled) = (FxHashSet::default(), FxHashSet::default());
        let mut weak = vec![0; fair.n_words()];
        let mut disabled = Vec::new();
        let mut marks = 0;
        for &node in members {
            for step in product.moves(node).filter(|step| set.contains(&step.to)) {
                marks |= step.marks;
                taken.insert(product.task(step));
            }
            enabled.extend(product.enabled(node.state));
            fair.push_disabled(product.enabled(node.state), &mut disabled);
            for (word, more) in weak.iter_mut().zip(disabled.drain(..)) {
                *word |= more;
            }
        }
        for &task in fair.weak().iter().filter(|task| taken.contains(task)) {
            fair.take(task, &mut weak);
        }
        let accepting = !taken.is_empty() && marks == product.all_marks();
        let promising = accepting && fair.all_weak(&weak);
        Self { taken, enabled, promising }
    }

    /// The tasks that are enabled and never taken.
    fn neglected<'a>(&'a self, tasks: &'a [TaskId]) -> impl Iterator<Item = TaskId> + 'a {
        let neglected = |task: &&TaskId| self.enabled.contains(task) && !self.taken.contains(task);
        tasks.iter().filter(neglected).copied()
    }
}

/// The strongly connected components of the product restricted to some nodes.
fn split(product: &Product, nodes: Vec<Node>) -> Vec<Vec<Node>> {
    let places: FxHashMap<Node, usize> =
        nodes.iter().enumerate().map(|(place, &node)| (node, place)).collect();
    let inner = |&node: &Node| {
        product.moves(node).filter_map(|step| places.get(&step.to).copied()).collect()
    };
    let graph: Vec<Vec<usize>> = nodes.iter().map(inner).collect();
    let found = components(graph.len(), |node| graph[node].iter().copied());
    let mut parts = vec![Vec::new(); found.count];
    for (node, home) in nodes.into_iter().zip(found.of) {
        parts[home as usize].push(node);
    }
    parts
}

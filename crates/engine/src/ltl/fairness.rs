//! Fairness of groups: which are fair, what that asks of a cycle, and the fair part of a
//! component. An ended run is fair: fairness speaks about what happens for ever.

use quadrille_graph::components;
use quadrille_model::{GroupId, StateId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::node::Node;
use super::product::Product;
use crate::Stopped;

/// Some groups of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Groups {
    /// None of them.
    #[default]
    None,
    /// All of them.
    All,
    /// These.
    Some(Vec<GroupId>),
}

/// Which infinite runs count: those that are fair to these groups.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fairness {
    /// Groups that, if enabled from some moment on for ever, are taken again and again.
    pub weak: Groups,
    /// Groups that, if enabled again and again, are taken again and again.
    pub strong: Groups,
}

impl Fairness {
    /// Whether every run counts.
    pub fn is_none(&self) -> bool {
        let empty = |groups: &Groups| match groups {
            Groups::None => true,
            Groups::All => false,
            Groups::Some(groups) => groups.is_empty(),
        };
        empty(&self.weak) && empty(&self.strong)
    }
}

/// The fair groups of one model, each in one list: strong fairness includes weak fairness.
pub(super) struct FairGroups {
    weak: Vec<GroupId>,
    strong: Vec<GroupId>,
    /// Per group, its place in `weak`.
    place: Vec<Option<usize>>,
}

impl FairGroups {
    pub fn new(fairness: &Fairness, n_groups: usize) -> Self {
        let listed = |groups: &Groups| -> Vec<GroupId> {
            let mut listed = match groups {
                Groups::None => Vec::new(),
                Groups::All => (0..n_groups).map(GroupId::from_usize).collect(),
                Groups::Some(groups) => groups.clone(),
            };
            listed.sort_unstable();
            listed.dedup();
            listed
        };
        let strong = listed(&fairness.strong);
        let mut weak = listed(&fairness.weak);
        weak.retain(|group| strong.binary_search(group).is_err());
        let mut place = vec![None; n_groups];
        for (position, group) in weak.iter().enumerate() {
            place[group.index()] = Some(position);
        }
        Self { weak, strong, place }
    }

    pub fn n_weak(&self) -> usize {
        self.weak.len()
    }

    pub fn weak(&self) -> &[GroupId] {
        &self.weak
    }

    pub fn strong(&self) -> &[GroupId] {
        &self.strong
    }

    /// Words of a set of weakly fair groups.
    pub fn n_words(&self) -> usize {
        self.weak.len().div_ceil(64)
    }

    /// Appends the set of weakly fair groups that are not enabled.
    pub fn push_disabled(&self, enabled: impl Iterator<Item = GroupId>, sets: &mut Vec<u64>) {
        let start = sets.len();
        sets.resize(start + self.n_words(), u64::MAX);
        for position in enabled.filter_map(|group| self.place[group.index()]) {
            sets[start + position / 64] &= !(1 << (position % 64));
        }
    }

    /// Adds a group to a set, if it is weakly fair.
    pub fn take(&self, group: GroupId, set: &mut [u64]) {
        if let Some(position) = self.place[group.index()] {
            set[position / 64] |= 1 << (position % 64);
        }
    }

    /// Whether a set has all weakly fair groups.
    pub fn all_weak(&self, set: &[u64]) -> bool {
        (0..self.weak.len()).all(|position| set[position / 64] >> (position % 64) & 1 == 1)
    }
}

/// The largest part of a component, found first, whose nodes lie on one cycle that is accepting
/// and fair to every group.
///
/// Emerson and Lei, "Modalities for model checking" (1987): where a strongly fair group is
/// enabled but never taken inside a component, no fair cycle passes the nodes that enable it;
/// without them the component falls into smaller ones, which are tried in turn.
pub(super) fn fair_part(
    product: &mut Product,
    component: &[Node],
    fair: &FairGroups,
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
        let neglected: FxHashSet<GroupId> = inside.neglected(fair.strong()).collect();
        if neglected.is_empty() {
            return Ok(Some(members));
        }
        let neglects =
            |state: StateId| product.enabled(state).any(|group| neglected.contains(&group));
        let rest = members.into_iter().filter(|node| !neglects(node.state)).collect();
        candidates.extend(split(product, rest));
    }
    Ok(None)
}

/// What a strongly connected set of nodes offers.
struct Inside {
    taken: FxHashSet<GroupId>,
    enabled: FxHashSet<GroupId>,
    /// Whether there is a cycle, with every mark, and weakly fair.
    promising: bool,
}

impl Inside {
    fn new(product: &Product, members: &[Node], fair: &FairGroups) -> Self {
        let set: FxHashSet<Node> = members.iter().copied().collect();
        let (mut taken, mut enabled) = (FxHashSet::default(), FxHashSet::default());
        let mut weak = vec![0; fair.n_words()];
        let mut disabled = Vec::new();
        let mut marks = 0;
        for &node in members {
            for step in product.moves(node).filter(|step| set.contains(&step.to)) {
                marks |= step.marks;
                taken.insert(product.group(step));
            }
            enabled.extend(product.enabled(node.state));
            fair.push_disabled(product.enabled(node.state), &mut disabled);
            for (word, more) in weak.iter_mut().zip(disabled.drain(..)) {
                *word |= more;
            }
        }
        for &group in fair.weak().iter().filter(|group| taken.contains(group)) {
            fair.take(group, &mut weak);
        }
        let accepting = !taken.is_empty() && marks == product.all_marks();
        let promising = accepting && fair.all_weak(&weak);
        Self { taken, enabled, promising }
    }

    /// The groups that are enabled and never taken.
    fn neglected<'a>(&'a self, groups: &'a [GroupId]) -> impl Iterator<Item = GroupId> + 'a {
        let neglected =
            |group: &&GroupId| self.enabled.contains(group) && !self.taken.contains(group);
        groups.iter().filter(neglected).copied()
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

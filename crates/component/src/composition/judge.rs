//! The verdict on a composition, from the table of everything reachable: bad activity, no activity
//! and infinite activity, each with a shortest way there.

use std::fmt;

use quadrille_model::{
    ActionId, Ending, Explicit, GroupId, Model, PropositionId, StateId, Step, Trace, Value,
};

use rustc_hash::FxHashMap;

use super::compose::Composition;

/// The four words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The components fit together.
    NoError,
    /// An event is emitted and nobody can accept it.
    BadActivity,
    /// Nobody can continue, and somebody has not finished.
    NoActivity,
    /// The components run for ever and can never finish.
    InfiniteActivity,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::NoError => "no error",
            Verdict::BadActivity => "bad activity",
            Verdict::NoActivity => "no activity",
            Verdict::InfiniteActivity => "infinite activity",
        })
    }
}

/// What is wrong at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// This bad activity.
    Bad(PropositionId),
    /// No activity.
    Stuck,
    /// Infinite activity: the steps of the path from `from` on are repeated.
    Endless {
        /// Length of the shortest way to infinite activity.
        enters: usize,
        /// Position of the first repeated step.
        from: usize,
    },
}

/// A way through the table: which edge of each state is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// Positions in the lists of edges.
    pub(crate) edges: Vec<usize>,
    /// What happens on the way.
    pub(crate) labels: Vec<String>,
    /// What is wrong there.
    pub fault: Fault,
}

/// All that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Errors {
    /// Number of configurations.
    pub configurations: usize,
    /// Number of distinct steps.
    pub steps: usize,
    /// A shortest way to each bad activity, shortest first.
    pub bad: Vec<Path>,
    /// A shortest way to no activity.
    pub stuck: Option<Path>,
    /// A shortest way to infinite activity, and a round of it.
    pub endless: Option<Path>,
}

impl Errors {
    /// The verdict: the first error in the order of the words.
    pub fn verdict(&self) -> Verdict {
        match self.first().map(|path| path.fault) {
            None => Verdict::NoError,
            Some(Fault::Bad(_)) => Verdict::BadActivity,
            Some(Fault::Stuck) => Verdict::NoActivity,
            Some(Fault::Endless { .. }) => Verdict::InfiniteActivity,
        }
    }

    /// The way to what the verdict says.
    pub fn first(&self) -> Option<&Path> {
        self.bad.first().or(self.stuck.as_ref()).or(self.endless.as_ref())
    }
}

impl Path {
    /// The labels on the way, and the error token: `τa^`, `ε!b^`.
    pub fn tokens(&self, composition: &Composition) -> Vec<String> {
        let (n_labels, error) = match self.fault {
            Fault::Bad(bad) => (self.labels.len(), composition.propositions()[bad.index()].clone()),
            Fault::Stuck => (self.labels.len(), "ε∅".to_owned()),
            Fault::Endless { enters, .. } => (enters, "ε∞".to_owned()),
        };
        let mut tokens = self.labels[..n_labels].to_vec();
        tokens.push(error);
        tokens
    }

    /// The way as a run of the model.
    ///
    /// # Panics
    /// If the path was found in the table of another composition.
    pub fn trace(&self, composition: &Composition) -> Trace {
        let mut initial: Vec<Value> = Vec::new();
        composition.initial(&mut |state| initial = state.to_vec());
        let mut steps: Vec<Step> = Vec::new();
        for &wanted in &self.edges {
            let from = steps.last().map_or_else(|| initial.clone(), |step| step.state.clone());
            let mut position = 0;
            let mut found = None;
            composition.expand(&from, &mut |group: GroupId, action: ActionId, state: &[Value]| {
                if position == wanted {
                    found = Some(Step { group, action, state: state.to_vec() });
                }
                position += 1;
            });
            steps.push(found.expect("the table is of this composition"));
        }
        let ending = match self.fault {
            Fault::Bad(_) => Ending::Prefix,
            Fault::Stuck => Ending::Stuck,
            Fault::Endless { from, .. } => Ending::Loop { from },
        };
        Trace { initial, steps, ending }
    }
}

/// Judges a composition by its table, as [`Model`]s are tabulated: one state per configuration, with
/// edges in the order of the model, ends and propositions. All states must be reachable.
pub fn judge(table: &Explicit) -> Errors {
    let tree = Tree::new(table);
    let is_bad = |state: StateId| !table.holding(state).is_empty();
    let is_stuck =
        |state: StateId| table.edges(state).is_empty() && !table.is_end(state) && !is_bad(state);
    let mut bad: Vec<Path> = Vec::new();
    let mut known: Vec<PropositionId> = Vec::new();
    let mut stuck = None;
    for &state in &tree.order {
        for &event in table.holding(state) {
            if !known.contains(&event) {
                known.push(event);
                bad.push(tree.path(state, Fault::Bad(event)));
            }
        }
        if stuck.is_none() && is_stuck(state) {
            stuck = Some(tree.path(state, Fault::Stuck));
        }
    }
    let resolved = |state: StateId| table.is_end(state) || is_bad(state) || is_stuck(state);
    let hopeful = backwards(table, resolved);
    let first = tree.order.iter().find(|state| !hopeful[state.index()]);
    Errors {
        configurations: table.n_states(),
        steps: table.n_edges(),
        bad,
        stuck,
        endless: first.map(|state| tree.lasso(*state)),
    }
}

/// Per state, whether one of the wanted can be reached.
fn backwards(table: &Explicit, wanted: impl Fn(StateId) -> bool) -> Vec<bool> {
    let mut offsets = vec![0u32; table.n_states() + 1];
    for state in table.states() {
        for (_, to) in table.edges(state) {
            offsets[to.index() + 1] += 1;
        }
    }
    for state in 0..table.n_states() {
        offsets[state + 1] += offsets[state];
    }
    let mut place = offsets.clone();
    let mut sources = vec![0u32; table.n_edges()];
    for state in table.states() {
        for (_, to) in table.edges(state) {
            let at = &mut place[to.index()];
            sources[*at as usize] = state.number();
            *at += 1;
        }
    }
    let mut reaches: Vec<bool> = table.states().map(&wanted).collect();
    let mut open: Vec<u32> = table.states().filter(|s| wanted(*s)).map(StateId::number).collect();
    while let Some(state) = open.pop() {
        let range = offsets[state as usize] as usize..offsets[state as usize + 1] as usize;
        for &source in &sources[range] {
            if !std::mem::replace(&mut reaches[source as usize], true) {
                open.push(source);
            }
        }
    }
    reaches
}

/// A breadth-first tree of the table.
struct Tree<'a> {
    table: &'a Explicit,
    order: Vec<StateId>,
    /// Per state, the state before it and which of its edges leads here.
    parents: Vec<Option<(StateId, usize)>>,
}

impl<'a> Tree<'a> {
    fn new(table: &'a Explicit) -> Self {
        let mut tree = Self { table, order: Vec::new(), parents: vec![None; table.n_states()] };
        let mut seen = vec![false; table.n_states()];
        for &state in table.initial_states() {
            seen[state.index()] = true;
            tree.order.push(state);
        }
        let mut done = 0;
        while done < tree.order.len() {
            let state = tree.order[done];
            done += 1;
            for (position, (_, to)) in table.edges(state).iter().enumerate() {
                if !std::mem::replace(&mut seen[to.index()], true) {
                    tree.parents[to.index()] = Some((state, position));
                    tree.order.push(*to);
                }
            }
        }
        tree
    }

    fn edges_to(&self, state: StateId) -> Vec<(StateId, usize)> {
        let mut edges = Vec::new();
        let mut at = state;
        while let Some((parent, position)) = self.parents[at.index()] {
            edges.push((parent, position));
            at = parent;
        }
        edges.reverse();
        edges
    }

    fn path(&self, state: StateId, fault: Fault) -> Path {
        self.along(&self.edges_to(state), fault)
    }

    fn along(&self, edges: &[(StateId, usize)], fault: Fault) -> Path {
        let label = |&(state, position): &(StateId, usize)| {
            self.table.labels()[self.table.edges(state)[position].0.index()].clone()
        };
        Path {
            edges: edges.iter().map(|edge| edge.1).collect(),
            labels: edges.iter().map(label).collect(),
            fault,
        }
    }

    /// From a state of infinite activity every way goes on for ever: the first one does.
    fn lasso(&self, state: StateId) -> Path {
        let mut edges = self.edges_to(state);
        let enters = edges.len();
        let mut met = FxHashMap::default();
        let mut at = state;
        loop {
            if let Some(from) = met.insert(at, edges.len()) {
                return self.along(&edges, Fault::Endless { enters, from });
            }
            edges.push((at, 0));
            at = self.table.edges(at)[0].1;
        }
    }
}

//! The judgement on a composition by its definition, from the complete table of everything reachable.
//! What the real judge keeps is less; what it says must be the same.

use quadrille_component::composition::{Errors, Fault, Path};
use quadrille_model::{Explicit, PropositionId, StateId};
use rustc_hash::FxHashMap;

/// Judges a composition by its table: one state per configuration, with edges in the order of the
/// model, ends and propositions. All states must be reachable.
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
        along(&self.edges_to(state), fault)
    }

    /// From a state of infinite activity every way goes on for ever: the first one does.
    fn lasso(&self, state: StateId) -> Path {
        let mut edges = self.edges_to(state);
        let enters = edges.len();
        let mut met = FxHashMap::default();
        let mut at = state;
        loop {
            if let Some(from) = met.insert(at, edges.len()) {
                return along(&edges, Fault::Endless { enters, from });
            }
            edges.push((at, 0));
            at = self.table.edges(at)[0].1;
        }
    }
}

fn along(edges: &[(StateId, usize)], fault: Fault) -> Path {
    Path { edges: edges.iter().map(|edge| edge.1).collect(), fault }
}

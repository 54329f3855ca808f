//! Verifies, on states that are visited, what is derived from a signature: that sets of openers have
//! the group that opened a guard, and that stubborn sets are stubborn.

use std::collections::{BTreeSet, VecDeque};

use quadrille_model::{GroupId, GuardId, Model, Value};

use crate::choice::{Chooser, Chosen, Rules};
use crate::groups::Groups;
use crate::sticky::sticky;
use crate::tables::{Openers, Tables};

type Edge = (GroupId, Vec<Value>);

/// How far steps outside of a stubborn set are followed.
const DEPTH: usize = 3;

/// Walks through up to `max_states` states of a model and says what is wrong with what a reduction
/// derives from its signature, once for each kind of mistake. A model that
/// [`Checked`](quadrille_model::Checked) is silent about has none.
pub fn audit(model: &dyn Model, max_states: usize) -> Vec<String> {
    let signature = model.signature();
    let tables = Tables::new(signature);
    let none = Groups::none(tables.n_groups);
    let rules = Rules { tables, seen: none.clone(), calling: none };
    let mut audit = Audit { model, rules: &rules, mistakes: BTreeSet::new() };
    let mut explorer = model.explorer();
    let (mut met, mut queue) = (BTreeSet::new(), VecDeque::new());
    let _ = explorer.each_initial(|state| queue.push_back(state.to_vec()));
    let sticky = queue.front().map(|initial| sticky(signature, initial, &[]));
    met.extend(queue.iter().cloned());
    // Steps of groups that are not sticky, between states by number.
    let (mut numbers, mut calm) = (std::collections::BTreeMap::new(), Vec::new());
    while let Some(state) = queue.pop_front() {
        let edges = audit.edges(&state);
        audit.openers(&state, &edges);
        audit.stubborn(&state);
        for (group, next) in edges {
            let n_known = numbers.len();
            let from = *numbers.entry(state.clone()).or_insert(n_known);
            let n_known = numbers.len();
            let to = *numbers.entry(next.clone()).or_insert(n_known);
            if sticky.as_ref().is_some_and(|sticky| !sticky.contains(group.index())) {
                calm.push((from, to));
            }
            if met.len() < max_states && met.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    if has_cycle(numbers.len(), &calm) {
        audit.mistakes.insert("a cycle takes no sticky step".to_owned());
    }
    audit.mistakes.into_iter().collect()
}

struct Audit<'a> {
    model: &'a dyn Model,
    rules: &'a Rules,
    mistakes: BTreeSet<String>,
}

impl Audit<'_> {
    fn edges(&self, state: &[Value]) -> Vec<Edge> {
        let mut edges = Vec::new();
        let _ = self
            .model
            .explorer()
            .each_successor(state, |group, _, next| edges.push((group, next.to_vec())));
        edges
    }

    /// Every group that makes a guard true is in all sets of openers, and so is every group that
    /// changes what those sets take for unchanged.
    fn openers(&mut self, state: &[Value], edges: &[Edge]) {
        let (signature, tables) = (self.model.signature(), &self.rules.tables);
        let mut explorer = self.model.explorer();
        let mut holds = |guard: GuardId, at: &[Value]| match signature.guard(guard).holds(at) {
            Some(holds) => holds,
            None => explorer.guard(guard, at).unwrap_or(false),
        };
        for guard in (0..signature.guards.len()).map(GuardId::from_usize) {
            if holds(guard, state) {
                continue;
            }
            let sets = tables.openers(signature, guard, state);
            for (group, next) in edges {
                let has = |set: Openers| tables.pool.contains(set.groups, group.index());
                if holds(guard, next) && sets.into_iter().flatten().any(|set| !has(set)) {
                    let (guard, group) = (guard.number(), group.number());
                    self.mistakes.insert(format!("group {group} opened guard {guard}"));
                }
                // The second set holds on to the cells or the value that the guard looks at.
                let second = tables.openers(signature, guard, next)[1];
                let is_kept = sets[1].is_some_and(|set| !has(set));
                if is_kept && !holds(guard, next) && sets[1] != second {
                    let (guard, group) = (guard.number(), group.number());
                    self.mistakes.insert(format!("group {group} moved guard {guard}"));
                }
            }
        }
    }

    /// Whatever is done outside of a stubborn set, its enabled groups stay enabled, what they do
    /// commutes, and its other groups stay disabled.
    fn stubborn(&mut self, state: &[Value]) {
        let signature = self.model.signature();
        let mut explorer = self.model.explorer();
        let mut chooser = Chooser::new(signature, self.rules);
        let chosen = match chooser.choose(&mut *explorer, state) {
            Ok(Chosen::Some(_)) => chooser.last().clone(),
            Ok(Chosen::All) | Err(_) => return,
        };
        let here: BTreeSet<GroupId> =
            self.edges(state).into_iter().map(|(group, _)| group).collect();
        let mut layer = vec![state.to_vec()];
        for _ in 0..DEPTH {
            let mut further = Vec::new();
            for at in &layer {
                let edges = self.edges(at);
                for (other, next) in
                    edges.iter().filter(|(group, _)| !chosen.contains(group.index()))
                {
                    let after = self.edges(next);
                    for member in chosen.iter() {
                        let is_on = after.iter().any(|(group, _)| *group == member);
                        if is_on != here.contains(&member) {
                            let (member, other) = (member.number(), other.number());
                            self.mistakes.insert(format!("group {other} switched {member}"));
                        }
                        let reached = after.iter().filter(|(group, _)| *group == member);
                        let mut there: Vec<&Vec<Value>> = reached.map(|(_, to)| to).collect();
                        let first = edges.iter().filter(|(group, _)| *group == member);
                        let round: Vec<Edge> =
                            first.flat_map(|(_, between)| self.edges(between)).collect();
                        there.retain(|to| !round.iter().any(|(by, at)| by == other && at == *to));
                        if !there.is_empty() {
                            let (member, other) = (member.number(), other.number());
                            self.mistakes.insert(format!("{other} and {member} do not commute"));
                        }
                    }
                    further.push(next.clone());
                }
            }
            further.sort_unstable();
            further.dedup();
            layer = further;
        }
    }
}

/// Whether edges between numbers make a cycle.
fn has_cycle(n_nodes: usize, edges: &[(usize, usize)]) -> bool {
    let mut n_before = vec![0usize; n_nodes];
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); n_nodes];
    for &(from, to) in edges {
        n_before[to] += 1;
        next[from].push(to);
    }
    let mut open: Vec<usize> = (0..n_nodes).filter(|&node| n_before[node] == 0).collect();
    let mut n_sorted = 0;
    while let Some(node) = open.pop() {
        n_sorted += 1;
        for &to in &next[node] {
            n_before[to] -= 1;
            if n_before[to] == 0 {
                open.push(to);
            }
        }
    }
    n_sorted < n_nodes
}

//! The slow way to everything the searches do: the product as a table, reachability as a matrix,
//! fairness by trying every set of groups.

use quadrille_logic::{Automaton, Marks};
use quadrille_model::{Explicit, Model, Runs, StateId, TaskId};

use super::super::{Fairness, Interpretation, Tasks, Violations};

/// An edge of the table; `group` is `None` after the end of a run.
struct Entry {
    from: usize,
    to: usize,
    marks: Marks,
    group: Option<TaskId>,
}

/// The product as a table. A node is a state, a location and whether the run has ended.
struct Table {
    initial: Vec<usize>,
    edges: Vec<Entry>,
    /// Per node, the groups enabled there, as bits.
    enabled: Vec<u64>,
    ended: Vec<bool>,
    n_groups: usize,
}

/// Whether some run of the model that counts is accepted.
pub(super) fn some_run_is_accepted(
    model: &Explicit,
    violations: &Violations,
    interpretation: &Interpretation,
    runs: Runs,
    fairness: &Fairness,
) -> bool {
    let automaton = &violations.alternatives[0].automata[0];
    let table = tabulate(model, automaton, interpretation, runs);
    let bits = |groups: &Tasks| match groups {
        Tasks::None => 0,
        Tasks::All => (1 << table.n_groups) - 1,
        Tasks::Some(list) => list.iter().fold(0, |bits, group| bits | 1u64 << group.index()),
    };
    let (weak, strong) = (bits(&fairness.weak), bits(&fairness.strong));
    let reach = table.closure(0);
    let reachable =
        |node: usize| table.initial.iter().any(|&from| from == node || has(&reach, from, node));
    if let Some(finals) = &violations.finals {
        let accepts = |node: usize| {
            let (location, state) =
                (node % automaton.n_locations(), node / automaton.n_locations());
            let letter = interpretation.state_letter(&mut *model.explorer(), &[state as u32]);
            let letter = letter.expect("computable");
            let mut last = automaton.edges[location].iter();
            model.is_end(StateId::from_usize(state))
                && last.any(|edge| edge.label.accepts(letter) && finals[edge.to.index()])
        };
        return (0..table.enabled.len() / 2).any(|node| reachable(node) && accepts(node));
    }
    // A fair cycle never enables some of the strongly fair groups and takes all others.
    (0..1u64 << table.n_groups).filter(|never| never & !strong == 0).any(|never| {
        let inside = table.closure(never);
        (0..table.enabled.len()).filter(|&node| reachable(node)).any(|node| {
            let same = |other: usize| has(&inside, node, other) && has(&inside, other, node);
            if !same(node) {
                return false;
            }
            let (mut marks, mut taken, mut disabled) = (0, 0u64, 0u64);
            for edge in &table.edges {
                if same(edge.from) && same(edge.to) {
                    marks |= edge.marks;
                    taken |= edge.group.map_or(0, |group| 1 << group.index());
                    disabled |= !table.enabled[edge.from];
                }
            }
            marks == automaton.all_marks()
                && (table.ended[node]
                    || weak & !(taken | disabled) == 0 && strong & !never & !taken == 0)
        })
    })
}

fn tabulate(
    model: &Explicit,
    automaton: &Automaton,
    interpretation: &Interpretation,
    runs: Runs,
) -> Table {
    let (n_states, n_locations) = (model.n_states(), automaton.n_locations());
    let number = |state: usize, location: usize, ended: bool| {
        (usize::from(ended) * n_states + state) * n_locations + location
    };
    let mut edges = Vec::new();
    for state in 0..n_states {
        let id = StateId::from_usize(state);
        let here = interpretation.state_letter(&mut *model.explorer(), &[id.number()]);
        let here = here.expect("computable");
        let may_stop = model.is_end(id) || model.edges(id).is_empty();
        for location in 0..n_locations {
            for edge in &automaton.edges[location] {
                let to = edge.to.index();
                let mut add = |letter, from, to, group| {
                    if edge.label.accepts(letter) {
                        edges.push(Entry { from, to, marks: edge.marks, group });
                    }
                };
                for &(action, target) in model.edges(id) {
                    let letter = here | interpretation.action_letter(model, action);
                    let to = number(target.index(), to, false);
                    let group = Some(TaskId::new(action.number()));
                    add(letter, number(state, location, false), to, group);
                }
                if runs == Runs::Maximal && may_stop {
                    for ended in [false, true] {
                        add(here, number(state, location, ended), number(state, to, true), None);
                    }
                }
            }
        }
    }
    let initial = model.initial_states().iter().flat_map(|state| {
        automaton.initial.iter().map(|location| number(state.index(), location.index(), false))
    });
    let n_nodes = 2 * n_states * n_locations;
    let enabled = (0..n_nodes).map(|node| {
        let state = StateId::from_usize(node / n_locations % n_states);
        model.edges(state).iter().fold(0, |bits, (action, _)| bits | 1 << action.index())
    });
    Table {
        initial: initial.collect(),
        edges,
        enabled: enabled.collect(),
        ended: (0..n_nodes).map(|node| node >= n_nodes / 2).collect(),
        n_groups: model.signature().tasks.len(),
    }
}

impl Table {
    /// Which node reaches which by one or more edges between running nodes that enable none of
    /// these groups, or between ended ones.
    fn closure(&self, never: u64) -> Vec<u128> {
        let n_nodes = self.enabled.len();
        assert!(n_nodes <= 128, "the oracle's rows have 128 bits");
        let mut rows = vec![0u128; n_nodes];
        let free = |node: usize| self.ended[node] || self.enabled[node] & never == 0;
        for edge in self.edges.iter().filter(|edge| free(edge.from) && free(edge.to)) {
            rows[edge.from] |= 1 << edge.to;
        }
        for middle in 0..n_nodes {
            let through = rows[middle];
            for row in &mut rows {
                if *row >> middle & 1 == 1 {
                    *row |= through;
                }
            }
        }
        rows
    }
}

fn has(rows: &[u128], from: usize, to: usize) -> bool {
    rows[from] >> to & 1 == 1
}

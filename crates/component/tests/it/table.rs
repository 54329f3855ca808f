//! The errors of a composition by their definition, from the complete table of everything reachable.

use std::collections::BTreeMap;

use quadrille_component::composition::{CompositionErrors, ErrorKind, ErrorRun};
use quadrille_model::{Explicit, PropositionId, StateId};

/// How many steps away each error is.
#[derive(PartialEq, Eq, Debug)]
pub struct Distances {
    configurations: usize,
    steps: usize,
    bad: BTreeMap<PropositionId, usize>,
    no_activity: Option<usize>,
    infinite_activity: Option<usize>,
}

impl Distances {
    /// As the errors say that were found.
    pub fn found(errors: &CompositionErrors) -> Self {
        let length = |run: &ErrorRun| match run.kind {
            ErrorKind::InfiniteActivity { enters } => enters,
            ErrorKind::BadActivity(_) | ErrorKind::NoActivity => run.trace.steps.len(),
        };
        let bad = errors.bad.iter().map(|run| {
            let ErrorKind::BadActivity(event) = run.kind else { panic!("{run:?} among the bad") };
            (event, length(run))
        });
        Self {
            configurations: errors.configurations,
            steps: errors.steps,
            bad: bad.collect(),
            no_activity: errors.no_activity.as_ref().map(length),
            infinite_activity: errors.infinite_activity.as_ref().map(length),
        }
    }

    /// As a table says: one state per configuration, with ends and propositions, one of which is
    /// true where the composition is settled.
    pub fn defined(table: &Explicit, settled: PropositionId) -> Self {
        let distances = distances(table);
        let bad = |state: StateId| {
            table.holding(state).iter().copied().filter(move |event| *event != settled)
        };
        let is_bad = |state: StateId| bad(state).next().is_some();
        let is_stuck = |state: StateId| {
            table.edges(state).is_empty() && !table.is_end(state) && !is_bad(state)
        };
        for state in table.states() {
            let is_settled = table.is_end(state) || is_bad(state);
            assert_eq!(table.holding(state).contains(&settled), is_settled, "{state:?}");
        }
        let resolves =
            resolving(table, |state| table.is_end(state) || is_bad(state) || is_stuck(state));
        let nearest = |wanted: &dyn Fn(StateId) -> bool| {
            let states = table.states().filter(|state| wanted(*state));
            states.map(|state| distances[state.index()]).min()
        };
        let events: Vec<PropositionId> = table.states().flat_map(bad).collect();
        let distance = |event: PropositionId| {
            (event, nearest(&|state| bad(state).any(|other| other == event)).unwrap_or(usize::MAX))
        };
        Self {
            configurations: table.n_states(),
            steps: table.n_edges(),
            bad: events.into_iter().map(distance).collect(),
            no_activity: nearest(&is_stuck),
            infinite_activity: nearest(&|state| !resolves[state.index()]),
        }
    }
}

/// Steps from an initial state to each state, by repetition until nothing changes.
fn distances(table: &Explicit) -> Vec<usize> {
    let mut distances = vec![usize::MAX; table.n_states()];
    for state in table.initial_states() {
        distances[state.index()] = 0;
    }
    loop {
        let before = distances.clone();
        for state in table.states().filter(|state| before[state.index()] < usize::MAX) {
            for (_, to) in table.edges(state) {
                let far = distances[state.index()] + 1;
                distances[to.index()] = distances[to.index()].min(far);
            }
        }
        if distances == before {
            return distances;
        }
    }
}

/// Per state, whether one of the wanted can be reached, by repetition until nothing changes.
fn resolving(table: &Explicit, wanted: impl Fn(StateId) -> bool) -> Vec<bool> {
    let mut reaches: Vec<bool> = table.states().map(wanted).collect();
    loop {
        let before = reaches.clone();
        for state in table.states() {
            let mut targets = table.edges(state).iter().map(|edge| edge.1);
            reaches[state.index()] |= targets.any(|to| before[to.index()]);
        }
        if reaches == before {
            return reaches;
        }
    }
}

//! Random transition systems as tables.

use quadrille_model::{ActionId, Explicit, ExplicitBuilder, StateId};

use crate::Choices;

/// What random tables may have.
#[derive(Clone, Debug)]
pub struct Shape<'a> {
    /// At most this many states, at least one.
    pub max_states: u32,
    /// The labels of edges; not empty.
    pub labels: &'a [&'a str],
    /// The propositions, each of which holds in about half of the states.
    pub propositions: &'a [&'a str],
    /// At most this many initial states, at least one. The first is state 0 if it is the only one.
    pub max_initial: u32,
    /// At most this many edges per state, on average.
    pub density: u32,
}

impl Default for Shape<'_> {
    fn default() -> Self {
        Self { max_states: 6, labels: &["a", "b"], propositions: &[], max_initial: 1, density: 2 }
    }
}

/// A random table; its states need not all be reachable.
pub fn table(choices: &mut Choices, shape: &Shape<'_>) -> Explicit {
    let mut builder = ExplicitBuilder::default();
    let n_states = 1 + choices.below_u32(shape.max_states);
    let actions: Vec<ActionId> = shape.labels.iter().map(|&label| builder.action(label)).collect();
    let propositions: Vec<_> =
        shape.propositions.iter().map(|&name| builder.proposition(name)).collect();
    builder.states(n_states).initial(StateId::new(0));
    for _ in 0..choices.below_u32(shape.max_initial) {
        builder.initial(StateId::new(choices.below_u32(n_states)));
    }
    for _ in 0..choices.below_u32(shape.density * n_states + 3) {
        let [from, to] = [0; 2].map(|_| StateId::new(choices.below_u32(n_states)));
        builder.edge(from, choices.pick(&actions), to);
    }
    for state in (0..n_states).map(StateId::new) {
        for &proposition in &propositions {
            if choices.coin() {
                builder.holds(state, proposition);
            }
        }
        if choices.once_in(4) {
            builder.end(state);
        }
    }
    builder.build()
}

/// A table with one state split or one edge changed, likely to be equivalent to the original in some
/// relation. A detour takes a step of the table's first label.
pub fn mutated(choices: &mut Choices, table: &Explicit) -> Explicit {
    let n_states = table.n_states() as u32;
    let twin = StateId::new(n_states);
    let original = StateId::new(choices.below_u32(n_states));
    let takes_detour = choices.coin();
    let mut builder = ExplicitBuilder::default();
    for label in table.labels() {
        builder.action(label);
    }
    for &state in table.initial_states() {
        builder.initial(state);
    }
    for state in table.states() {
        for &(action, to) in table.edges(state) {
            let to = if to == original && choices.coin() { twin } else { to };
            builder.edge(state, action, to);
            if state == original && !takes_detour && !choices.once_in(8) {
                builder.edge(twin, action, to);
            }
        }
        if table.is_end(state) {
            builder.end(state);
            if state == original && !takes_detour {
                builder.end(twin);
            }
        }
    }
    builder.states(n_states + 1);
    if takes_detour && !table.labels().is_empty() {
        builder.edge(twin, ActionId::new(0), original);
    }
    builder.build()
}

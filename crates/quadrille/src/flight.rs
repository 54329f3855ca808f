//! Messages under way: how many there are at most between any two, and whether any was lost or doubled.
//!
//! How many messages are under way follows from the steps alone, sends minus receives. A module whose
//! states hold its queues must agree: a state that is reached with one number by one run and with
//! another by a second has lost or doubled a message on one of them.

use std::collections::BTreeMap;

use quadrille_model::{
    ActionId, Ending, Explicit, GroupId, Interaction, ParticipantId, StateId, Step,
};
use quadrille_model::{Model, Trace};

/// Who sends, and who receives.
pub(crate) type Pair = (ParticipantId, ParticipantId);

/// What is known about messages under way.
#[derive(Default)]
pub(crate) struct Flight {
    /// The most that are under way between two at a time, and a run of the table that shows it.
    pub(crate) most: BTreeMap<Pair, (u32, Trace)>,
    /// A run that lost or doubled a message, with what is wrong.
    pub(crate) wrong: Option<(String, Trace)>,
}

/// Follows all messages through a table; `module` tells what its actions are.
pub(crate) fn follow(table: &Explicit, module: &dyn Model) -> Flight {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut effects: Vec<Vec<(usize, i64)>> = Vec::new();
    for action in 0..table.labels().len() {
        effects.push(effect(&module.action(ActionId::from_usize(action)).interaction, &mut pairs));
    }
    let mut search = Search {
        table,
        n_pairs: pairs.len(),
        under_way: vec![0; pairs.len() * table.n_states()],
        arrivals: vec![None; table.n_states()],
    };
    let (most, wrong) = search.run(&effects);
    let name = |participant| module.participant(participant).to_string();
    let mut flight = Flight::default();
    for (&pair, (number, state)) in pairs.iter().zip(most) {
        if number > 0 {
            flight.most.insert(pair, (number, search.run_to(state, None)));
        }
    }
    flight.wrong = wrong.map(|Wrong { from, edge, pair, problem }| {
        let (sender, receiver) = pairs[pair];
        let between = format!("from {} to {}", name(sender), name(receiver));
        let what = match problem {
            Problem::FromNowhere => format!("a message {between} arrives that was not sent"),
            Problem::Differs { now, before } => format!(
                "{now} messages {between} are under way after this run, but {before} after another run that leads to the same state: a message was lost or doubled"
            ),
        };
        (what, search.run_to(from, Some(edge)))
    });
    flight
}

/// What an action does to the number of messages under way, by position in `pairs`.
fn effect(interaction: &Interaction<ParticipantId>, pairs: &mut Vec<Pair>) -> Vec<(usize, i64)> {
    let mut place = |pair: Pair| {
        pairs.iter().position(|&known| known == pair).unwrap_or_else(|| {
            pairs.push(pair);
            pairs.len() - 1
        })
    };
    match interaction {
        Interaction::Send { from, to, .. } => {
            to.iter().map(|&to| (place((*from, to)), 1)).collect()
        }
        Interaction::Receive { from: Some(from), to, .. } => vec![(place((*from, *to)), -1)],
        Interaction::Receive { from: None, .. }
        | Interaction::Exchange { .. }
        | Interaction::Close { .. }
        | Interaction::Joint { .. } => Vec::new(),
    }
}

struct Search<'t> {
    table: &'t Explicit,
    n_pairs: usize,
    /// Per state and pair.
    under_way: Vec<u32>,
    /// How each state was reached first: from where and by what.
    arrivals: Vec<Option<Arrival>>,
}

#[derive(Clone, Copy)]
enum Arrival {
    Start,
    Step(StateId, ActionId),
}

struct Wrong {
    from: StateId,
    edge: (ActionId, StateId),
    pair: usize,
    problem: Problem,
}

enum Problem {
    FromNowhere,
    Differs { now: u32, before: u32 },
}

impl Search<'_> {
    /// The most of each pair with a state that shows it, and the first thing that is wrong.
    fn run(&mut self, effects: &[Vec<(usize, i64)>]) -> (Vec<(u32, StateId)>, Option<Wrong>) {
        let mut most = vec![(0, StateId::new(0)); self.n_pairs];
        let mut queue: Vec<StateId> = Vec::new();
        for &state in self.table.initial_states() {
            self.arrivals[state.index()] = Some(Arrival::Start);
            queue.push(state);
        }
        let mut next = 0;
        while let Some(&from) = queue.get(next) {
            next += 1;
            for &edge in self.table.edges(from) {
                let (action, to) = edge;
                let mut after = self.of(from).to_vec();
                for &(pair, change) in &effects[action.index()] {
                    let Some(number) = after[pair].checked_add_signed(change as i32) else {
                        let problem = Problem::FromNowhere;
                        return (most, Some(Wrong { from, edge, pair, problem }));
                    };
                    after[pair] = number;
                }
                if self.arrivals[to.index()].is_some() {
                    let differs = |pair: &usize| after[*pair] != self.of(to)[*pair];
                    if let Some(pair) = (0..self.n_pairs).find(differs) {
                        let (now, before) = (after[pair], self.of(to)[pair]);
                        let problem = Problem::Differs { now, before };
                        return (most, Some(Wrong { from, edge, pair, problem }));
                    }
                    continue;
                }
                self.arrivals[to.index()] = Some(Arrival::Step(from, action));
                for (pair, &number) in after.iter().enumerate() {
                    if number > most[pair].0 {
                        most[pair] = (number, to);
                    }
                }
                let at = to.index() * self.n_pairs;
                self.under_way[at..at + self.n_pairs].copy_from_slice(&after);
                queue.push(to);
            }
        }
        (most, None)
    }

    fn of(&self, state: StateId) -> &[u32] {
        &self.under_way[state.index() * self.n_pairs..(state.index() + 1) * self.n_pairs]
    }

    /// A shortest run to a state, and one edge further.
    fn run_to(&self, state: StateId, last: Option<(ActionId, StateId)>) -> Trace {
        let step = |action: ActionId, to: StateId| Step {
            group: GroupId::new(action.number()),
            action,
            state: vec![to.number()],
        };
        let mut steps: Vec<Step> = last.map(|(action, to)| step(action, to)).into_iter().collect();
        let mut at = state;
        while let Some(Arrival::Step(from, action)) = self.arrivals[at.index()] {
            steps.push(step(action, at));
            at = from;
        }
        steps.reverse();
        Trace { initial: vec![at.number()], steps, ending: Ending::Prefix }
    }
}

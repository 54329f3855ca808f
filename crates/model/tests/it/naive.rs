//! Interfering automata with channels and counters by the book: queues as lists, every template tried, nothing
//! shared with the code under test.

use std::collections::{BTreeSet, VecDeque};

use quadrille_model::{Model, Network, Predicate, Value};

/// A state with its queues as lists.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Configuration {
    pub locals: Vec<Value>,
    pub queues: Vec<VecDeque<Value>>,
    pub numbers: Vec<Value>,
}

pub fn initial(network: &Network) -> Configuration {
    Configuration {
        locals: network.participants().iter().map(|one| one.initial.number()).collect(),
        queues: vec![VecDeque::new(); network.channels().len()],
        numbers: network.counters().iter().map(|counter| counter.initial).collect(),
    }
}

/// Label and target of every step.
pub fn successors(network: &Network, from: &Configuration) -> Vec<(String, Configuration)> {
    let mut found = Vec::new();
    'templates: for template in network.templates() {
        for (participant, set) in &template.conditions {
            if !set.contains(from.locals[participant.index()]) {
                continue 'templates;
            }
        }
        let mut after = from.clone();
        for (channel, message) in &template.receives {
            if after.queues[channel.index()].pop_front() != Some(message.number()) {
                continue 'templates;
            }
        }
        for (channel, message) in &template.sends {
            let queue = &mut after.queues[channel.index()];
            if queue.len() == network.channels()[channel.index()].capacity as usize {
                continue 'templates;
            }
            queue.push_back(message.number());
        }
        for (counter, set) in &template.tests {
            if !set.contains(from.numbers[counter.index()]) {
                continue 'templates;
            }
        }
        for &(counter, take, put) in &template.counts {
            let (number, most) =
                (&mut after.numbers[counter.index()], network.counters()[counter.index()].most);
            if *number < take || *number - take + put > most {
                continue 'templates;
            }
            *number = *number - take + put;
        }
        let mut targets = vec![after];
        for (participant, set) in &template.results {
            let mut wider = Vec::new();
            for target in targets {
                for value in set.iter() {
                    let mut target = target.clone();
                    target.locals[participant.index()] = value;
                    wider.push(target);
                }
            }
            targets = wider;
        }
        found.extend(targets.into_iter().map(|target| (template.label.clone(), target)));
    }
    found
}

pub fn holds(network: &Network, predicate: &Predicate, at: &Configuration) -> bool {
    match predicate {
        Predicate::In(participant, set) => {
            set.iter().any(|value| value == at.locals[participant.index()])
        }
        Predicate::Empty(channel) => at.queues[channel.index()].is_empty(),
        Predicate::Full(channel) => {
            let capacity = network.channels()[channel.index()].capacity;
            at.queues[channel.index()].len() == capacity as usize
        }
        Predicate::Contains(channel, message) => {
            at.queues[channel.index()].contains(&message.number())
        }
        Predicate::Head(channel, message) => {
            at.queues[channel.index()].front() == Some(&message.number())
        }
        Predicate::AtMost(sum, most) => {
            let numbers = sum.iter().map(|(id, factor)| factor * i64::from(at.numbers[id.index()]));
            numbers.sum::<i64>() <= *most
        }
        Predicate::Not(inner) => !holds(network, inner, at),
        Predicate::All(parts) => parts.iter().all(|part| holds(network, part, at)),
        Predicate::Any(parts) => parts.iter().any(|part| holds(network, part, at)),
    }
}

/// States, transitions and stuck states of any model, by the plainest search.
pub fn count(model: &dyn Model) -> (usize, usize, Vec<Vec<Value>>) {
    let mut seen = BTreeSet::new();
    let mut todo = Vec::new();
    let mut explorer = model.explorer();
    let started = explorer.each_initial(|state| {
        if seen.insert(state.to_vec()) {
            todo.push(state.to_vec());
        }
    });
    assert_eq!(started, Ok(()));
    let (mut n_transitions, mut stuck) = (0, Vec::new());
    while let Some(state) = todo.pop() {
        let before = n_transitions;
        let expanded = explorer.each_successor(&state, |_, _, next| {
            n_transitions += 1;
            if !seen.contains(next) {
                seen.insert(next.to_vec());
                todo.push(next.to_vec());
            }
        });
        assert_eq!(expanded, Ok(()));
        if n_transitions == before && explorer.may_end(&state) == Ok(false) {
            stuck.push(state);
        }
    }
    stuck.sort();
    (seen.len(), n_transitions, stuck)
}

//! Walks of several workers against the walk of one, to the last byte.

use std::ops::ControlFlow;

use quadrille_model::{Bound, Model, PropositionId, StateId};
use quadrille_workshop::{Choices, check, networks};

use crate::toys::{Phil, Scrambled, random_network, scrambled_table};
use crate::{
    Config, Limits, Occurrences, Progress, Property, Safety, Workers, explore, unobserved,
};

const P: PropositionId = PropositionId::new(0);

/// Everything that can be told of a walk: counts with bytes, verdicts with runs, numbers of states,
/// where each was met from, its kept edges, what never occurred.
fn told(model: &dyn Model, config: &Config, n_properties: usize) -> String {
    let has_proposition = !model.signature().propositions.is_empty();
    let always = |values: &[u32]| Ok(!has_proposition || !model.explorer().holds(P, values)?);
    let mut properties = [
        Safety::new(Property::DeadlockFree),
        Safety::new(Property::Always(Box::new(always))),
        Safety::new(Property::Never(Box::new(|action| action.index() == 1))),
    ];
    let mut occurred = Occurrences::new(model);
    let mut visitors: Vec<&mut dyn crate::Visitor> = Vec::new();
    for property in properties.iter_mut().take(n_properties) {
        visitors.push(property);
    }
    if n_properties == 3 {
        visitors.push(&mut occurred);
    }
    let mut walk = explore(model, config, &mut visitors, &mut unobserved);
    let mut text = format!("{:?} {:?} {}\n", walk.counts(), walk.stopped(), walk.is_complete());
    for property in properties.iter().take(n_properties) {
        text += &format!("{:?}\n", property.verdict(&walk));
    }
    let values: Vec<_> = occurred.values_missing().collect();
    text += &format!("{values:?} {:?}\n", occurred.actions().collect::<Vec<_>>());
    for state in (0..walk.space().n_states()).map(StateId::from_usize) {
        let values = walk.space().state(state);
        assert_eq!(walk.space().find(&values), Some(state), "entered in the table");
        text += &format!("{state:?} {values:?} {:?}\n", walk.parent(state));
    }
    if config.edges && walk.is_complete() {
        let mut n_kept = 0;
        let all: Vec<StateId> = (0..walk.space().n_states()).map(StateId::from_usize).collect();
        for state in all {
            let mut observer = unobserved;
            let mut watch = crate::Watch::new(Limits::default(), &mut observer);
            walk.graph.load(state, crate::graph::Keep::Edges, &mut watch).expect("kept");
            for &step in walk.graph.steps(state) {
                n_kept += 1;
                text += &format!("{state:?} {:?}\n", walk.graph.edge(step.label, step.to));
            }
        }
        assert_eq!(walk.counts().transitions, n_kept);
    }
    text
}

fn compare(model: &dyn Model, choices: &mut Choices, is_small: bool) {
    let states = (!is_small || choices.coin()).then(|| 1 + choices.below(60) as u64);
    let memory = choices.once_in(4).then(|| 100 + choices.below(20_000) as u64);
    let edges = choices.coin();
    let limits = Limits { states, memory };
    let n_properties = choices.below(4);
    let alone = Config { limits, edges, ..Config::default() };
    let workers = Workers::eager([2, 4, 7][choices.below(3)]);
    let known = told(model, &alone, n_properties);
    assert_eq!(told(model, &Config { workers, ..alone }, n_properties), known, "{workers:?}");
}

#[test]
fn nothing_depends_on_the_number_of_workers() {
    check(300, |choices| match choices.below(4) {
        0 => compare(&scrambled_table(choices), choices, true),
        1 => compare(&random_network(choices), choices, true),
        2 => compare(&networks::network(choices), choices, false),
        _ => compare(&Scrambled::new(choices), choices, true),
    });
}

#[test]
fn large_walks_do_not_depend_on_the_number_of_workers() {
    let model = Phil::new(7, true);
    for edges in [false, true] {
        for limits in [
            Limits { states: Some(20_000), memory: None },
            Limits { states: Some(u64::MAX), memory: None },
            Limits { states: Some(u64::MAX), memory: Some(300_000) },
        ] {
            let alone = Config { limits, edges, ..Config::default() };
            let known = told(&model, &alone, 1);
            let workers = Workers::new(3);
            assert_eq!(told(&model, &Config { workers, ..alone }, 1), known);
        }
    }
}

#[test]
fn workers_are_interrupted() {
    let model = Phil::new(7, true);
    for limits in [Limits::default(), Limits { states: Some(u64::MAX), memory: None }] {
        let config = Config { workers: Workers::eager(3), limits, ..Config::default() };
        let mut n_looks = 0;
        let mut stop = |_: &Progress| {
            n_looks += 1;
            if n_looks < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(Bound::Time(1)) }
        };
        let walk = explore(&model, &config, &mut [], &mut stop);
        assert_eq!(walk.stopped().cloned(), Some(Bound::Time(1).into()));
        assert!(!walk.is_complete());
        assert_eq!(n_looks, 3);
    }
}

//! Sweeps against walks that number their states.

use std::ops::ControlFlow;

use quadrille_model::{
    Automaton, Bound, Channel, ChannelId, LocalId, MessageId, Model, Network, NetworkBuilder,
    ParticipantId, PropositionId, Template, Verdict,
};

use quadrille_workshop::{Choices, check};

use crate::toys::random_network;
use crate::{
    Config, Limits, Observer, Occurrences, Progress, Property, Safety, Sift, SiftTest, Workers,
    explore, unobserved,
};

/// A limit that is never reached, but with which a walk numbers its states.
const NUMBERED: Limits = Limits { states: Some(u64::MAX), memory: None };

/// Wants the states to be seen in which the first proposition holds, or those in which it does not.
struct Holding<'n> {
    network: &'n Network,
    is_wanted: bool,
}

impl Sift for Holding<'_> {
    fn begin(&self) -> SiftTest<'_> {
        let mut explorer = self.network.explorer();
        Box::new(move |values| explorer.holds(PropositionId::new(0), values) == Ok(self.is_wanted))
    }
}

/// What can be told of a model: counts, verdicts, what never occurred.
fn facts(network: &Network, limits: Limits, workers: Workers) -> String {
    let explorer = std::cell::RefCell::new(network.explorer());
    let holds = |values: &[u32]| explorer.borrow_mut().holds(PropositionId::new(0), values);
    let always = |wanted: bool| {
        let property = Property::Always(Box::new(move |values| Ok(holds(values)? == wanted)));
        Safety::new(property).sifted(Some(Box::new(Holding { network, is_wanted: !wanted })))
    };
    let mut properties = [
        Safety::new(Property::DeadlockFree),
        always(true),
        always(false),
        Safety::new(Property::Never(Box::new(|action| action.index() == 1))),
    ];
    let mut text = String::new();
    for property in &mut properties {
        let mut occurred = Occurrences::new(network);
        let config = Config { limits, workers, ..Config::default() };
        let walk = explore(network, &config, &mut [&mut *property, &mut occurred], &mut unobserved);
        let verdict = property.verdict(&walk).expect("no problem");
        let mut counts = walk.counts();
        counts.bytes = 0;
        text += &format!("{verdict:?} {counts:?} {}", walk.is_complete());
        let values: Vec<_> = occurred.values_missing().collect();
        let groups: Vec<_> = occurred.groups_missing().collect();
        let actions: Vec<_> = occurred.actions().collect();
        text += &format!("{values:?} {groups:?} {actions:?}\n");
    }
    text
}

#[test]
fn a_sweep_answers_like_a_walk_that_numbers_states() {
    let mut n_swept = 0;
    check(500, |choices| {
        let network = random_network(choices);
        let alone = Workers::default();
        let facts = |limits| facts(&network, limits, alone);
        assert_eq!(facts(Limits::default()), facts(NUMBERED));
        let swept = explore(&network, &Config::default(), &mut [], &mut unobserved);
        let walked = Config { limits: NUMBERED, ..Config::default() };
        let walked = explore(&network, &walked, &mut [], &mut unobserved);
        let n_numbered = swept.space().n_states();
        n_swept += usize::from(n_numbered < walked.space().n_states());
        let counts = |walk: &crate::Explored<'_>| {
            let counts = walk.counts();
            (counts.states, counts.transitions, counts.deadlocks, counts.depth)
        };
        assert_eq!(counts(&swept), counts(&walked));
    });
    assert!(n_swept > 300, "{n_swept} networks of more than one state were swept");
}

/// Nodes that pass messages round, with queues that make states wide.
fn ring(n_nodes: u32, choices: &mut Choices) -> Network {
    let mut builder = NetworkBuilder::default();
    for number in 0..n_nodes {
        let node = Automaton::new(format!("N{number}"), ["a", "b", "c"]).ends([LocalId::new(2)]);
        builder.participant(node).expect("a participant");
    }
    for number in 0..n_nodes {
        let channel = Channel::new(format!("c{number}"), 4, ["k", "l", "m", "n"]);
        builder.channel(channel).expect("a channel");
    }
    for number in 0..n_nodes {
        let node = ParticipantId::new(number);
        let [own, next] = [number, (number + 1) % n_nodes].map(ChannelId::new);
        let template = || Template::new(number.to_string());
        let [a, b, c] = [0, 1, 2].map(LocalId::new);
        let [sent, received] = [0; 2].map(|_| MessageId::new(choices.below_u32(2)));
        if number < 7 {
            builder.template(template().step(node, a, b)).expect("a template");
        }
        let back = LocalId::new(choices.below_u32(3));
        builder.template(template().step(node, b, c).send(next, sent)).expect("a template");
        let receive = template().step(node, if number < 7 { c } else { a }, back);
        builder.template(receive.receive(own, received)).expect("a template");
    }
    let inside = quadrille_model::Predicate::In(ParticipantId::new(0), [1].into_iter().collect());
    builder.proposition("p", inside).expect("a proposition");
    builder.build().expect("a network")
}

#[test]
fn wide_states_are_swept_by_any_number_of_workers() {
    let (mut n_wide, mut n_swept) = (0, 0);
    check(12, |choices| {
        let network = ring(4 + choices.below_u32(7), choices);
        let explored = |limits: Limits, workers: Workers| {
            let config = Config { limits, workers, ..Config::default() };
            explore(&network, &config, &mut [], &mut unobserved)
        };
        // Some have millions of states.
        let few = Limits { states: Some(5_000), memory: None };
        let walked = explored(few, Workers::default());
        if !walked.is_complete() {
            return;
        }
        // As they are, and as trees.
        for limits in [Limits::default(), Limits { states: None, memory: Some(u64::MAX) }] {
            let alone = explored(limits, Workers::default());
            n_swept += usize::from(alone.space().n_states() < walked.space().n_states());
            n_wide += usize::from(alone.counts().states > 200);
            let mut expected = walked.counts();
            expected.bytes = alone.counts().bytes;
            assert_eq!(alone.counts(), expected);
            for number in [2, 4, 7] {
                assert_eq!(explored(limits, Workers::eager(number)).counts(), expected);
            }
            let known = facts(&network, NUMBERED, Workers::default());
            for number in [1, 3] {
                assert_eq!(facts(&network, limits, Workers::eager(number)), known);
            }
        }
    });
    assert!(n_wide > 8 && n_swept > 12, "{n_swept} networks were swept, {n_wide} large ones");
}

/// Eight participants that go round by themselves.
fn rounds() -> Network {
    let mut builder = NetworkBuilder::default();
    for number in 0..8 {
        let participant = Automaton::new(format!("P{number}"), ["a", "b", "c", "d"]);
        let participant = builder.participant(participant).expect("a participant");
        for state in 0..4 {
            let [from, to] = [state, (state + 1) % 4].map(LocalId::new);
            let template = Template::new(format!("{number}")).step(participant, from, to);
            builder.template(template).expect("a template");
        }
    }
    builder.build().expect("a network")
}

#[test]
fn limits_end_a_sweep() {
    let network = rounds();
    let verdict = |memory: Option<u64>, observer: &mut Observer<'_>| {
        let mut nothing = Safety::new(Property::DeadlockFree);
        let config = Config { limits: Limits { states: None, memory }, ..Config::default() };
        let walk = explore(&network, &config, &mut [&mut nothing], observer);
        nothing.verdict(&walk).expect("no problem")
    };
    assert_eq!(verdict(None, &mut unobserved), Verdict::Holds);
    assert_eq!(verdict(Some(100_000), &mut unobserved), Verdict::Unknown(Bound::Memory(100_000)));
    let mut stop = |_: &Progress| ControlFlow::Break(Bound::Interrupted);
    assert_eq!(verdict(None, &mut stop), Verdict::Unknown(Bound::Interrupted));
}

#[test]
fn a_round_ends_in_its_middle() {
    let looks = |memory: Option<u64>, patience: u32| {
        let mut n_looks = 0;
        let mut stop = |_: &Progress| {
            n_looks += 1;
            if n_looks > patience {
                ControlFlow::Break(Bound::Interrupted)
            } else {
                ControlFlow::Continue(())
            }
        };
        let config = Config { limits: Limits { states: None, memory }, ..Config::default() };
        let network = rounds();
        let walk = explore(&network, &config, &mut [], &mut stop);
        let is_whole = walk.is_complete();
        assert!(is_whole || walk.counts().states < 65_536);
        (is_whole, n_looks)
    };
    for memory in [None, Some(u64::MAX)] {
        let (is_whole, n_looks) = looks(memory, u32::MAX);
        // A slice is 512 states at most, and a look lies between two of them.
        assert!(is_whole && n_looks > 65_536 / 512, "{n_looks} looks");
        for patience in [0, 1, 7, 50] {
            assert_eq!(looks(memory, patience), (false, patience + 1));
        }
    }
}

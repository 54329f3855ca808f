//! Known models: how small they become, and what other reductions get wrong about them.

use quadrille_engine::{
    Config, Graph, Interpretation, LtlOptions, Meaning, Property, check, check_ltl, unobserved,
};
use quadrille_logic::{AtomId, Formula, Unary};
use quadrille_model::{
    Automaton, Counts, LocalId, Model, Network, NetworkBuilder, ParticipantId, Predicate,
    PropositionId, Template, Verdict,
};
use quadrille_reduction::{Reduced, Represented, Seen};

fn local(number: usize) -> LocalId {
    LocalId::from_usize(number)
}

fn participant(builder: &mut NetworkBuilder, name: String, n_states: usize) -> ParticipantId {
    let states = (0..n_states).map(|state| format!("{state}"));
    builder.participant(Automaton::new(name, states)).expect("a participant")
}

/// Counts and whether there is a deadlock.
fn explored(model: &dyn Model) -> (Counts, bool) {
    let properties = vec![Property::DeadlockFree];
    let found = check(model, properties, &Config::default(), &mut unobserved).expect("no failure");
    (found.counts, found.verdicts[0] != Verdict::Holds)
}

fn counts(model: &dyn Model) -> Counts {
    check(model, Vec::new(), &Config::default(), &mut unobserved).expect("no failure").counts
}

/// Pairs that shake hands, `n_steps` times each, and rest.
fn pairs(n: usize, n_steps: usize) -> Network {
    let mut builder = NetworkBuilder::default();
    for pair in 0..n {
        let [one, other] = ["caller", "callee"]
            .map(|side| participant(&mut builder, format!("{side}{pair}"), n_steps + 1));
        for step in 0..n_steps {
            let (from, to) = (local(step), local(step + 1));
            let template = Template::new(format!("step{pair}.{step}"));
            let template = template.step(one, from, to).step(other, from, to);
            builder.template(template).expect("a template");
        }
    }
    builder.build().expect("a network")
}

#[test]
fn steps_that_all_commute_are_taken_in_one_order() {
    for n in [4, 12, 40] {
        let network = pairs(n, 2);
        let reduced = Reduced::new(&network, &Seen::default()).expect("reducible");
        assert_eq!(counts(&reduced).states as usize, 2 * n + 1);
        assert!(explored(&reduced).1);
    }
    // Ten pairs in four states each: the parallel test of the specification.
    let network = pairs(10, 3);
    let reduced = Reduced::new(&network, &Seen::default()).expect("reducible");
    assert!(counts(&reduced).states <= 40);
    let represented = Represented::new(&network).expect("reducible");
    assert!(counts(&represented).states <= 40);
}

/// Philosophers of whom the last takes his forks in the other order, as in the benchmarks.
fn philosophers(n: usize) -> Network {
    let mut builder = NetworkBuilder::default();
    let people: Vec<_> = (0..n).map(|i| participant(&mut builder, format!("p{i}"), 5)).collect();
    let forks: Vec<_> = (0..n).map(|i| participant(&mut builder, format!("f{i}"), 2)).collect();
    for (i, &person) in people.iter().enumerate() {
        let (first, second) = if i + 1 < n { (i, i + 1) } else { (0, i) };
        for from in 0..5 {
            let mut step = Template::new(format!("{i}.{from}"));
            step = step.step(person, local(from), local((from + 1) % 5));
            step = match from {
                0 => step,
                1 => step.step(forks[first], local(0), local(1)),
                2 => step.step(forks[second], local(0), local(1)),
                3 => step.step(forks[first], local(1), local(0)),
                _ => step.step(forks[second], local(1), local(0)),
            };
            builder.template(step).expect("a template");
        }
    }
    builder.build().expect("a network")
}

#[test]
fn philosophers_become_fewer() {
    for n in [3, 5, 7] {
        let network = philosophers(n);
        let reduced = Reduced::new(&network, &Seen::default()).expect("reducible");
        let (whole, part) = (counts(&network), counts(&reduced));
        assert!(part.states < whole.states);
        assert!(!explored(&reduced).1 && !explored(&network).1);
    }
    // LTSmin leaves 190,278 of 1,860,498 states.
    let network = philosophers(10);
    let reduced = Reduced::new(&network, &Seen::default()).expect("reducible");
    assert!(counts(&reduced).states <= 190_278);
}

/// Leader election in a ring as the specification has it (C.2): who receives the greatest number that
/// it knows passes it on; who receives its own is elected. Sends are split by the value sent.
fn ring(n: usize) -> Network {
    let mut builder = NetworkBuilder::default();
    let mut some = |name: &str, size: usize, initial: &dyn Fn(usize) -> usize, n: usize| {
        let one = |number: usize| {
            let states = (0..size).map(|state| format!("{state}"));
            let automaton = Automaton::new(format!("{name}{number}"), states);
            builder.participant(automaton.initial(local(initial(number)))).expect("a participant")
        };
        (0..n).map(one).collect::<Vec<_>>()
    };
    let greatest = some("max", n, &|node| node, n);
    let turn = some("turn", 2, &|_| 0, n);
    let inbox = some("inbox", 2, &|_| 0, n * n);
    let elected = some("elected", 2, &|_| 0, n);
    let [send, receive, absent, present] = [0, 1, 0, 1].map(local);
    for node in 0..n {
        for value in 0..n {
            let (own, next) = (inbox[node * n + value], inbox[(node + 1) % n * n + value]);
            let know = |low: usize, high: usize| (low..high).map(local).collect::<Vec<_>>();
            let got = |kind: &str, known: Vec<LocalId>| {
                let template = Template::new(format!("{kind} {node} {value}"));
                template
                    .when(turn[node], [receive])
                    .step(own, present, absent)
                    .when(greatest[node], known)
            };
            let mut all = vec![
                Template::new(format!("send {node} {value}"))
                    .step(turn[node], send, receive)
                    .when(greatest[node], [local(value)])
                    .becomes(next, [present]),
                got("equal", vec![local(value)])
                    .becomes(elected[value], [present])
                    .becomes(turn[node], [send]),
            ];
            if value + 1 < n {
                all.push(got("small", know(value + 1, n)));
            }
            if value > 0 {
                let greater = got("greater", know(0, value)).becomes(turn[node], [send]);
                all.push(greater.becomes(greatest[node], [local(value)]));
            }
            for template in all {
                builder.template(template).expect("a template");
            }
        }
    }
    let is = |value: usize| Predicate::In(elected[value], [1].into_iter().collect());
    let other = |value: usize| Predicate::Any((0..n).filter(|&v| v != value).map(is).collect());
    let two = (0..n).map(|value| Predicate::All(vec![is(value), other(value)])).collect();
    builder.proposition("two", Predicate::Any(two)).expect("a proposition");
    builder.build().expect("a network")
}

#[test]
fn rings_become_as_small_as_published() {
    // The specification's best, and what splitting sends by value was known to reach.
    for (n, whole, best, split) in
        [(4, 160, 97, 90), (6, 1_179, 515, 484), (8, 8_045, 2_565, 2_438)]
    {
        let network = ring(n);
        assert_eq!(counts(&network).states, whole);
        let reduced = Reduced::new(&network, &Seen::default()).expect("reducible");
        let part = counts(&reduced).states;
        assert!(part <= best && part == split, "{n}: {part}");
        let seen =
            Seen { propositions: vec![PropositionId::new(0)], ends: true, ..Seen::default() };
        let visible = Reduced::new(&network, &seen).expect("reducible");
        assert!(counts(&visible).states <= best);
    }
}

/// The representatives of the specification (behavior protocols, 5.3) lose a deadlock here: a step
/// that nothing disables is taken alone, although it disables another one.
#[test]
fn a_step_that_disables_another_is_not_taken_alone() {
    let mut builder = NetworkBuilder::default();
    let [one, two] = ["one", "two"].map(|name| participant(&mut builder, name.to_owned(), 2));
    let alpha = Template::new("alpha").step(one, local(0), local(1));
    let epsilon = Template::new("epsilon").when(one, [local(0)]).step(two, local(0), local(1));
    builder.template(alpha).expect("a template");
    builder.template(epsilon).expect("a template");
    let network = builder.build().expect("a network");
    let reduced = Reduced::new(&network, &Seen::default()).expect("reducible");
    assert_eq!(counts(&reduced).deadlocks, 2);
    let represented = Represented::new(&network).expect("reducible");
    assert_eq!(counts(&represented).deadlocks, 2);
}

/// A step that another one would disable stands alone all the same where the other cannot come first:
/// where one participant is excludes where the other would have to be.
#[test]
fn what_cannot_come_before_a_representative_does_not_matter() {
    let mut builder = NetworkBuilder::default();
    let add = |builder: &mut NetworkBuilder, name: &str| participant(builder, name.to_owned(), 3);
    let (turn, one, two) =
        (add(&mut builder, "turn"), add(&mut builder, "one"), add(&mut builder, "two"));
    for template in [
        // Either the first may go on or the second, never both.
        Template::new("first").step(turn, local(0), local(1)).step(one, local(0), local(1)),
        Template::new("second").step(turn, local(0), local(2)).step(two, local(0), local(1)),
        Template::new("on").when(turn, [local(1)]).step(one, local(1), local(2)),
        Template::new("stop")
            .when(two, [local(1)])
            .when(one, [local(0), local(1)])
            .becomes(one, [local(0)]),
    ] {
        builder.template(template).expect("a template");
    }
    // Something independent, whose interleavings are left out.
    let other = add(&mut builder, "other");
    for state in 0..2 {
        let step = Template::new("else").step(other, local(state), local(state + 1));
        builder.template(step.when(two, [local(0)])).expect("a template");
    }
    let network = builder.build().expect("a network");
    let represented = Represented::new(&network).expect("reducible");
    let (whole, part) = (counts(&network), counts(&represented));
    assert_eq!(whole.deadlocks, part.deadlocks);
    // `on` stands alone where it is possible.
    assert_eq!((part.states, part.transitions), (whole.states, whole.transitions - 2));
}

/// A run may stop where the system may end, though it could go on: here after `u` and before `t`,
/// behind which the proposition is unavoidable.
#[test]
fn runs_that_stop_early_are_kept() {
    let mut builder = NetworkBuilder::default();
    let mut one = |name: &str, n_states: usize, ends: &[usize]| {
        let states = (0..n_states).map(|state| format!("{state}"));
        let ends = ends.iter().map(|&end| local(end));
        builder.participant(Automaton::new(name, states).ends(ends)).expect("a participant")
    };
    let (first, second) = (one("t", 3, &[0, 2]), one("u", 2, &[1]));
    let third = one("p", 2, &[0, 1]);
    for template in [
        Template::new("t").step(first, local(0), local(1)),
        Template::new("v").step(first, local(1), local(2)).becomes(third, [local(1)]),
        Template::new("u").step(second, local(0), local(1)),
    ] {
        builder.template(template).expect("a template");
    }
    let done = Predicate::In(third, [1].into_iter().collect());
    builder.proposition("done", done).expect("a proposition");
    let network = builder.build().expect("a network");
    let seen = || Seen { propositions: vec![PropositionId::new(0)], ..Seen::default() };
    let formula = Formula::unary(Unary::Eventually, Formula::atom(AtomId::from_usize(0)));
    let is_violated = |model: &dyn Model| {
        let atoms = Interpretation::new(vec![Meaning::Proposition(PropositionId::new(0))]);
        let (options, mut graph) = (LtlOptions::default(), Graph::new(model));
        let report = check_ltl(&mut graph, &formula, &atoms, &options, &mut unobserved);
        report.expect("no failure").verdict != Verdict::Holds
    };
    assert!(is_violated(&network));
    // Every step changes where it may end, so that there is nothing to leave out.
    assert!(Reduced::new(&network, &Seen { ends: true, ..seen() }).is_err());
    assert!(!is_violated(&Reduced::new(&network, &seen()).expect("reducible")));
}

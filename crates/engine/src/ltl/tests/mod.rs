//! The two searches against each other and against the slow way, on random models.

mod oracle;

use std::ops::ControlFlow;

use expect_test::expect;
use quadrille_logic::{Automaton, Cube, Edge, Letter, Location};
use quadrille_model::{
    Action, ActionId, Bound, Ending, Explicit, ExplicitBuilder, GroupId, PropositionId, Runs,
    StateId, Verdict,
};

use super::{
    Fairness, Graph, Groups, Interpretation, LtlAlgorithm, LtlError, LtlOptions, LtlReport,
    Meaning, check_ltl,
};
use crate::random::Random;
use crate::{Limits, Progress, unobserved};

const ALL_RUNS: [Runs; 3] = [Runs::Finite, Runs::Maximal, Runs::Infinite];
/// The atom after the four of [`interpretation`].
const ALIVE: Letter = 1 << 4;

/// A model with up to six states, four actions and two propositions.
fn random_model(random: &mut Random) -> Explicit {
    let mut table = ExplicitBuilder::default();
    let n_states = 1 + random.below(6);
    let n_actions = 1 + random.below(4);
    let actions: Vec<ActionId> =
        (0..n_actions).map(|action| table.action(action.to_string())).collect();
    let propositions = [table.proposition("p"), table.proposition("q")];
    table.states(n_states).initial(StateId::new(0));
    if random.below(4) == 0 {
        table.initial(StateId::new(random.below(n_states)));
    }
    for _ in 0..random.below(4 * n_states + 3) {
        let [from, to] = [0; 2].map(|_| StateId::new(random.below(n_states)));
        table.edge(from, actions[random.below(n_actions) as usize], to);
    }
    for number in 0..n_states {
        let state = StateId::new(number);
        for proposition in propositions {
            if random.below(2) == 0 {
                table.holds(state, proposition);
            }
        }
        if random.below(4) == 0 {
            table.end(state);
        }
    }
    table.build()
}

/// Atoms 0 and 1 are the propositions, atom 2 is action 0, atom 3 any of the actions 0 and 1.
fn interpretation() -> Interpretation<'static> {
    Interpretation::new(vec![
        Meaning::Proposition(PropositionId::new(0)),
        Meaning::Proposition(PropositionId::new(1)),
        Meaning::Action(Box::new(|action: &Action| action.label == "0")),
        Meaning::Action(Box::new(|action: &Action| ["0", "1"].contains(&&*action.label))),
    ])
}

fn random_automaton(random: &mut Random) -> Automaton {
    let n_locations = 1 + random.below(4);
    let n_sets = random.below(2) * (1 + random.below(3));
    let edges = (0..n_locations).map(|_| {
        let edges = (0..random.below(4)).map(|_| {
            let (positive, negative) = (random.next() & random.next(), random.next());
            // The fifth bit is the one that marks the letters of a finite word.
            let negative = negative & random.next() & !positive & 0x1f;
            let label = Cube { positive: positive & random.next() & 0x1f, negative };
            let marks = (random.next() & random.next()) as u32 & ((1 << n_sets) - 1);
            Edge { label, marks, to: Location(random.below(n_locations)) }
        });
        edges.collect()
    });
    let edges = edges.collect();
    Automaton { initial: vec![Location(random.below(n_locations)), Location(0)], edges, n_sets }
}

/// From some moment on some literals hold for ever, and others again and again: runs that avoid
/// something are where fairness matters.
fn random_persistence(random: &mut Random) -> Automaton {
    let mut literals = |n_masks: u32| {
        let mask = (0..n_masks).fold(0xf, |mask, _| mask & random.next());
        let positive = mask & random.next() & random.next();
        Cube { positive, negative: mask & !positive }
    };
    let (always, again) = (literals(1), literals(2));
    let both = Cube {
        positive: always.positive | again.positive,
        negative: always.negative | again.negative,
    };
    let edge = |label, marks, to| Edge { label, marks, to: Location(to) };
    let edges = vec![
        vec![edge(Cube::TRUE, 0, 0), edge(Cube::TRUE, 0, 1)],
        vec![edge(always, 0, 1), edge(both, 1, 1)],
    ];
    Automaton { initial: vec![Location(0)], edges, n_sets: 1 }
}

/// Makes an automaton one for infinite words.
fn forget_alive(automaton: &mut Automaton) {
    for edge in automaton.edges.iter_mut().flatten() {
        edge.label.positive &= !ALIVE;
        edge.label.negative &= !ALIVE;
    }
}

fn run(
    graph: &mut Graph,
    automaton: &Automaton,
    options: &LtlOptions,
) -> Result<LtlReport, LtlError> {
    check_ltl(graph, automaton, &interpretation(), options, &mut unobserved)
}

fn is_violated(report: Result<LtlReport, LtlError>) -> bool {
    match report.expect("nothing to refuse, and counterexamples stand up to a second look").verdict
    {
        Verdict::Holds => false,
        Verdict::Violated(trace) => trace.is_some(),
        Verdict::Unknown(bound) => panic!("no limit was set, but {bound:?}"),
    }
}

#[test]
fn both_searches_agree_with_the_slow_way_on_random_automata() {
    let mut n_violated = [0; 3];
    for seed in 0..10_000 {
        let mut random = Random::new(seed);
        let model = random_model(&mut random);
        let mut graph = Graph::new(&model);
        let mut automaton = random_automaton(&mut random);
        for (position, runs) in ALL_RUNS.into_iter().enumerate() {
            if runs != Runs::Finite {
                forget_alive(&mut automaton);
            }
            let expected = oracle::some_run_is_accepted(
                &model,
                &automaton,
                &interpretation(),
                runs,
                &Fairness::default(),
            );
            n_violated[position] += u32::from(expected);
            for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested] {
                let options = LtlOptions { runs, algorithm, ..LtlOptions::default() };
                let found = is_violated(run(&mut graph, &automaton, &options));
                assert_eq!(found, expected, "seed {seed}, {runs:?}, {algorithm:?}");
            }
        }
    }
    // A test that only ever sees one verdict shows nothing.
    assert!(
        n_violated.iter().all(|n_violated| (500..9_500).contains(n_violated)),
        "{n_violated:?}"
    );
}

fn random_groups(random: &mut Random, model: &Explicit) -> Groups {
    match random.below(3) {
        0 => Groups::None,
        1 => Groups::All,
        _ => {
            let groups = 0..model.labels().len() as u32;
            Groups::Some(groups.filter(|_| random.below(2) == 0).map(GroupId::new).collect())
        }
    }
}

#[test]
fn fairness_agrees_with_the_slow_way() {
    let mut n_changed = 0;
    for seed in 0..10_000 {
        let mut random = Random::new(seed + 77_000);
        let model = random_model(&mut random);
        let automaton = random_persistence(&mut random);
        let fairness = Fairness {
            weak: random_groups(&mut random, &model),
            strong: random_groups(&mut random, &model),
        };
        let mut graph = Graph::new(&model);
        for runs in [Runs::Infinite, Runs::Maximal] {
            let expected = |fairness: &Fairness| {
                oracle::some_run_is_accepted(&model, &automaton, &interpretation(), runs, fairness)
            };
            n_changed += u32::from(expected(&fairness) != expected(&Fairness::default()));
            let options = LtlOptions { runs, fairness: fairness.clone(), ..LtlOptions::default() };
            let found = is_violated(run(&mut graph, &automaton, &options));
            assert_eq!(found, expected(&fairness), "seed {seed}, {runs:?}, {fairness:?}");
        }
    }
    assert!(n_changed > 500, "fairness mattered {n_changed} times only");
}

/// A model given by its edges `(from, action, to)`, from state 0, with the states where `p` holds
/// and those where it may end.
fn model(edges: &[(u32, u32, u32)], holding: &[u32], ends: &[u32]) -> Explicit {
    let mut table = ExplicitBuilder::default();
    let n_actions = edges.iter().map(|&(_, action, _)| action + 1).max().unwrap_or(0);
    let actions: Vec<ActionId> =
        (0..n_actions).map(|action| table.action(action.to_string())).collect();
    let proposition = table.proposition("p");
    table.proposition("q");
    table.initial(StateId::new(0));
    for &(from, action, to) in edges {
        table.edge(StateId::new(from), actions[action as usize], StateId::new(to));
    }
    for &state in holding {
        table.holds(StateId::new(state), proposition);
    }
    for &state in ends {
        table.end(StateId::new(state));
    }
    table.build()
}

/// Accepts words in which atom 0 is never true from some letter on: the negation of
/// "again and again p".
fn never_again() -> Automaton {
    let edge = |label, marks, to| Edge { label, marks, to: Location(to) };
    let not = Cube { positive: 0, negative: 1 };
    let edges = vec![vec![edge(Cube::TRUE, 0, 0), edge(not, 0, 1)], vec![edge(not, 1, 1)]];
    Automaton { initial: vec![Location(0)], edges, n_sets: 1 }
}

/// The actions of the counterexample, with the ones that repeat in parentheses, or the verdict.
fn check(model: &Explicit, options: &LtlOptions, expected: &expect_test::Expect) {
    let report = run(&mut Graph::new(model), &never_again(), options);
    let text = match report.map(|report| report.verdict) {
        Ok(Verdict::Violated(Some(trace))) => {
            let mut words: Vec<String> =
                trace.steps.iter().map(|step| step.action.number().to_string()).collect();
            match trace.ending {
                Ending::Loop { from } => {
                    words.insert(from, "(".to_owned());
                    words.push(")".to_owned());
                }
                ending => words.push(format!("{ending:?}")),
            }
            words.join(" ")
        }
        Ok(verdict) => format!("{verdict:?}"),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&text);
}

#[test]
fn runs_that_end_count_where_they_should() {
    // p holds in 0 only; 0 ⇄ 1, 1 → 2, which is stuck, and 1 may end.
    let stuck = model(&[(0, 0, 1), (1, 1, 0), (1, 2, 2)], &[0], &[]);
    let ends = model(&[(0, 0, 1), (1, 1, 0)], &[0], &[1]);
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested] {
        let with = |runs| LtlOptions { runs, algorithm, ..LtlOptions::default() };
        check(&stuck, &with(Runs::Maximal), &expect!["0 2 Stuck"]);
        check(&stuck, &with(Runs::Infinite), &expect!["Holds"]);
        check(&ends, &with(Runs::Maximal), &expect!["0 Finished"]);
        check(&ends, &with(Runs::Infinite), &expect!["Holds"]);
    }
}

#[test]
fn lassos_are_short() {
    // A long way (3, 4, 5, 6) and a short one (1) to the loop at 2; a long loop beside it.
    let edges = [
        (0, 3, 3),
        (3, 4, 4),
        (4, 5, 5),
        (5, 6, 2),
        (0, 1, 2),
        (2, 7, 6),
        (6, 7, 7),
        (7, 7, 2),
        (2, 2, 2),
    ];
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested] {
        let options = LtlOptions { runs: Runs::Infinite, algorithm, ..LtlOptions::default() };
        check(&model(&edges, &[0], &[]), &options, &expect!["1 ( 2 )"]);
    }
}

#[test]
fn fairness_decides_where_a_group_waits() {
    // Action 0 loops where p fails, action 1 leads to p, always enabled; action 2 leads back.
    let always = model(&[(0, 0, 0), (0, 1, 1), (1, 2, 0)], &[1], &[]);
    // The same, but the loop has a state in which action 1 is not enabled.
    let sometimes = model(&[(0, 0, 2), (2, 0, 0), (0, 1, 1), (1, 2, 0)], &[1], &[]);
    let fair = |weak, strong| LtlOptions {
        runs: Runs::Infinite,
        fairness: Fairness { weak, strong },
        ..LtlOptions::default()
    };
    let one = || Groups::Some(vec![GroupId::new(1)]);
    check(&always, &fair(Groups::None, Groups::None), &expect!["( 0 )"]);
    check(&always, &fair(Groups::All, Groups::None), &expect!["Holds"]);
    check(&sometimes, &fair(one(), Groups::None), &expect!["( 0 0 )"]);
    check(&sometimes, &fair(Groups::None, one()), &expect!["Holds"]);
    let other = Groups::Some(vec![GroupId::new(2)]);
    check(&always, &fair(Groups::None, other), &expect!["( 0 )"]);
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let table = model(&[(0, 0, 0)], &[], &[]);
    let fairness = Fairness { weak: Groups::All, strong: Groups::None };
    let nested = LtlOptions { fairness, algorithm: LtlAlgorithm::Nested, ..LtlOptions::default() };
    check(&table, &nested, &expect!["nested depth-first search cannot respect fairness"]);
    let groups = Groups::Some(vec![GroupId::new(7)]);
    let fairness = Fairness { weak: Groups::None, strong: groups };
    let unknown = LtlOptions { fairness, ..LtlOptions::default() };
    check(&table, &unknown, &expect!["no group has number 7"]);
    let mut graph = Graph::new(&table);
    let options = LtlOptions::default();
    let atom = Meaning::Proposition(PropositionId::new(2));
    let atoms = Interpretation::new(vec![atom]);
    let refused = check_ltl(&mut graph, &never_again(), &atoms, &options, &mut unobserved);
    assert_eq!(refused, Err(LtlError::UnknownProposition(PropositionId::new(2))));
    let atoms = Interpretation::default();
    let refused = check_ltl(&mut graph, &never_again(), &atoms, &options, &mut unobserved);
    assert_eq!(refused, Err(LtlError::UnknownAtom(0)));
}

/// A ring of `n_states` states; p holds in the last.
fn ring(n_states: u32) -> Explicit {
    let edges: Vec<_> = (0..n_states).map(|from| (from, 0, (from + 1) % n_states)).collect();
    model(&edges, &[n_states - 1], &[])
}

#[test]
fn limits_and_observers_end_in_unknown() {
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested] {
        for runs in ALL_RUNS {
            let limited = |states, memory| LtlOptions {
                runs,
                algorithm,
                limits: Limits { states, memory },
                ..LtlOptions::default()
            };
            check(&ring(100), &limited(Some(50), None), &expect!["Unknown(States(50))"]);
            check(&ring(9000), &limited(None, Some(99)), &expect!["Unknown(Memory(99))"]);
            let table = ring(9000);
            let mut stop = |_: &Progress| ControlFlow::Break(Bound::Interrupted);
            let (mut graph, options) = (Graph::new(&table), limited(None, None));
            let report =
                check_ltl(&mut graph, &never_again(), &interpretation(), &options, &mut stop);
            let verdict = report.map(|report| report.verdict);
            assert_eq!(verdict, Ok(Verdict::Unknown(Bound::Interrupted)));
        }
    }
}

#[test]
fn a_deep_product_needs_no_deep_stack_and_formulas_share_the_graph() {
    let table = ring(300_000);
    let mut graph = Graph::new(&table);
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested] {
        let options = LtlOptions { algorithm, ..LtlOptions::default() };
        let report = run(&mut graph, &never_again(), &options).expect("nothing to refuse");
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!((report.counts.states, report.counts.transitions), (599_999, 899_997));
        assert_eq!((graph.space().n_states(), graph.n_edges()), (300_000, 300_000));
    }
}

#[test]
fn the_product_of_five_philosophers_is_as_large_as_spin_finds_it() {
    let model = crate::toys::Phil::new(5, true);
    let someone_eats = |atom| Meaning::Proposition(PropositionId::new(atom));
    let atoms = Interpretation::new((0..5).map(someone_eats).collect());
    let mut negated = never_again();
    for edge in negated.edges.iter_mut().flatten() {
        edge.label.negative *= 0x1f;
    }
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested] {
        let options = LtlOptions { algorithm, ..LtlOptions::default() };
        let mut graph = Graph::new(&model);
        let report = check_ltl(&mut graph, &negated, &atoms, &options, &mut unobserved);
        let report = report.expect("nothing to refuse");
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!(report.counts.states, 2646);
    }
}

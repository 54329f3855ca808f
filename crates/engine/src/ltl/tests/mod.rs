//! The two searches against each other and against the slow way, on random models.

mod items;
mod oracle;
mod semantics;

use std::ops::{ControlFlow, RangeInclusive};

use expect_test::expect;
use quadrille_logic::{
    AtomId, Automaton, Cube, Edge, FiniteAutomaton, Formula, Location, Parts, Path,
    TranslationError, Unary,
};
use quadrille_model::{
    Action, ActionId, Bound, Ending, Explicit, ExplicitBuilder, PropositionId, Runs, StateId,
    TaskId, Verdict,
};
use quadrille_workshop::Choices;
use quadrille_workshop::formulas::sparse;
use quadrille_workshop::tables::{Shape, table};

use super::fairness::FairTasks;
use super::recheck::{Word, is_fair, word};
use super::{
    Fairness, Graph, Interpretation, LtlAlgorithm, LtlOptions, Search, Tasks, Violations, check_ltl,
};
use crate::{Error, Limits, Meaning, ProductCounts, Progress, Report, unobserved};

const ALL_RUNS: [Runs; 3] = [Runs::Finite, Runs::Maximal, Runs::Infinite];

/// A model with up to six states, four actions and two propositions.
pub(crate) fn random_model(choices: &mut Choices) -> Explicit {
    let n_actions = 1 + choices.below(4);
    let shape = Shape {
        max_states: 6,
        labels: &["0", "1", "2", "3"][..n_actions],
        propositions: &["p", "q"],
        max_initial: 2,
        density: 4,
    };
    table(choices, &shape)
}

/// Atoms 0 and 1 are the propositions, atom 2 is action 0, atom 3 any of the actions 0 and 1.
pub(crate) fn interpretation() -> Interpretation<'static> {
    Interpretation::new(vec![
        Meaning::Proposition(PropositionId::new(0)),
        Meaning::Proposition(PropositionId::new(1)),
        Meaning::Action(Box::new(|action: &Action| action.label == "0")),
        Meaning::Action(Box::new(|action: &Action| ["0", "1"].contains(&&*action.label))),
    ])
}

pub(crate) fn random_automaton(choices: &mut Choices) -> Automaton {
    let n_locations = 1 + choices.below_u32(4);
    let n_sets = choices.below_u32(2) * (1 + choices.below_u32(3));
    let edges = (0..n_locations).map(|_| {
        let edges = (0..choices.below_u32(4)).map(|_| {
            let (positive, negative) = (choices.bits() & choices.bits(), choices.bits());
            let negative = negative & choices.bits() & !positive & 0xf;
            let label = Cube { positive: positive & choices.bits() & 0xf, negative };
            let marks = (choices.bits() & choices.bits()) as u32 & ((1 << n_sets) - 1);
            Edge { label, marks, to: Location(choices.below_u32(n_locations)) }
        });
        edges.collect()
    });
    let edges = edges.collect();
    Automaton {
        initial: vec![Location(choices.below_u32(n_locations)), Location(0)],
        edges,
        n_sets,
    }
}

/// From some moment on some literals hold for ever, and others again and again: runs that avoid
/// something are where fairness matters.
fn random_persistence(choices: &mut Choices) -> Automaton {
    let mut literals = |n_masks: u32| {
        let mask = (0..n_masks).fold(0xf, |mask, _| mask & choices.bits());
        let positive = mask & choices.bits() & choices.bits();
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

/// Looks for an accepted run, and at it a second time.
fn finds_one(graph: &mut Graph, violations: &Violations, options: &LtlOptions) -> bool {
    let interpretation = &interpretation();
    let product = ProductCounts::default();
    let mut search = Search { graph, interpretation, options, observer: &mut unobserved, product };
    let found = search.first(violations);
    let Some(trace) = found.expect("no limit was set") else { return false };
    let model = graph.space().model();
    assert_eq!(trace.replay(model), Ok(()));
    let parts = violations.alternatives[0].automata.iter();
    let accepted = match word(&trace, model, interpretation, options.runs).expect("computable") {
        Some(Word::Infinite(stem, cycle)) => {
            parts.clone().all(|part| part.accepts_lasso(&stem, &cycle))
        }
        Some(Word::Finite(letters)) => {
            let Automaton { initial, edges, .. } = violations.alternatives[0].automata[0].clone();
            let is_final = violations.finals.clone().expect("finite runs count");
            FiniteAutomaton { initial, edges, is_final }.accepts(&letters)
        }
        None => false,
    };
    assert!(accepted, "{options:?}: {trace:?}");
    let fair = FairTasks::new(&options.fairness, model.signature().tasks.len());
    assert_eq!(is_fair(&trace, model, &fair), Ok(()));
    true
}

#[test]
fn both_searches_agree_with_the_slow_way_on_random_automata() {
    let mut n_violated = [0; 3];
    quadrille_workshop::check(10_000, |choices| {
        let model = random_model(choices);
        let mut graph = Graph::new(&model);
        let automaton = random_automaton(choices);
        for (position, runs) in ALL_RUNS.into_iter().enumerate() {
            let mut finals =
                || (0..automaton.n_locations()).map(|_| choices.below_u32(3) == 0).collect();
            let finals = (runs == Runs::Finite).then(&mut finals);
            let violations =
                Violations { alternatives: vec![Parts::from(automaton.clone())], finals };
            let expected = oracle::some_run_is_accepted(
                &model,
                &violations,
                &interpretation(),
                runs,
                &Fairness::default(),
            );
            n_violated[position] += u32::from(expected);
            for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested, LtlAlgorithm::Owcty] {
                let options = LtlOptions { runs, algorithm, ..LtlOptions::default() };
                let found = finds_one(&mut graph, &violations, &options);
                assert_eq!(found, expected, "{runs:?}, {algorithm:?}");
            }
        }
    });
    // A test that only ever sees one verdict shows nothing.
    assert!(
        n_violated.iter().all(|n_violated| (500..9_500).contains(n_violated)),
        "{n_violated:?}"
    );
}

#[test]
fn sets_that_shrink_are_the_same_for_any_number_of_workers() {
    let mut n_violated = 0;
    quadrille_workshop::check(300, |choices| {
        let model = random_model(choices);
        let formula = sparse(choices, 4, 5, 4);
        let with = |workers| {
            let algorithm = LtlAlgorithm::Owcty;
            let options = LtlOptions { algorithm, workers, ..LtlOptions::default() };
            let mut report = run(&mut Graph::new(&model), &formula, &options).expect("small");
            report.product.bytes = 0;
            report
        };
        let alone = with(crate::Workers::default());
        n_violated += u32::from(alone.verdict != Verdict::Holds);
        for number in [2, 4] {
            assert_eq!(with(crate::Workers::eager(number)), alone, "{formula:?}");
        }
        let components = run(&mut Graph::new(&model), &formula, &LtlOptions::default());
        let components = components.expect("small");
        if components.verdict == Verdict::Holds {
            assert_eq!(components.product.nodes, alone.product.nodes, "{formula:?}");
        }
    });
    assert!((30..270).contains(&n_violated), "{n_violated}");
}

/// Random models and formulas: both searches give the verdict that follows from the definition of
/// the operators, with every mode of runs.
fn agree_on_formulas(seeds: RangeInclusive<u64>) {
    let (mut n_violated, n_seeds) = ([0; 3], seeds.end() - seeds.start());
    quadrille_workshop::check_seeds(seeds, |choices| {
        let model = random_model(choices);
        let formula = sparse(choices, 4, 5, 4);
        let mut graph = Graph::new(&model);
        for (position, runs) in ALL_RUNS.into_iter().enumerate() {
            let expected = semantics::some_run_violates(&model, &formula, &interpretation(), runs);
            n_violated[position] += u64::from(expected);
            for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested, LtlAlgorithm::Owcty] {
                let options = LtlOptions { runs, algorithm, ..LtlOptions::default() };
                let report = run(&mut graph, &formula, &options);
                let verdict = report.map(|report| report.verdict);
                let as_expected = match verdict {
                    Ok(Verdict::Violated(Some(_))) => expected,
                    Ok(Verdict::Holds) => !expected,
                    _ => false,
                };
                assert!(as_expected, "{options:?}: {formula:?} {verdict:?}");
            }
        }
    });
    let both = n_seeds / 20..n_seeds * 19 / 20;
    assert!(n_violated.iter().all(|n_violated| both.contains(n_violated)), "{n_violated:?}");
}

#[test]
fn formulas_mean_what_their_definition_says_part_1() {
    agree_on_formulas(1..=5_000);
}

#[test]
fn formulas_mean_what_their_definition_says_part_2() {
    agree_on_formulas(5_001..=10_000);
}

fn random_tasks(choices: &mut Choices, model: &Explicit) -> Tasks {
    match choices.below_u32(3) {
        0 => Tasks::None,
        1 => Tasks::All,
        _ => {
            let groups = 0..model.labels().len() as u32;
            Tasks::Some(groups.filter(|_| choices.coin()).map(TaskId::new).collect())
        }
    }
}

#[test]
fn fairness_agrees_with_the_slow_way() {
    let mut n_changed = 0;
    quadrille_workshop::check(10_000, |choices| {
        let model = random_model(choices);
        let automaton = random_persistence(choices);
        let violations = Violations { alternatives: vec![Parts::from(automaton)], finals: None };
        let fairness =
            Fairness { weak: random_tasks(choices, &model), strong: random_tasks(choices, &model) };
        let mut graph = Graph::new(&model);
        for runs in [Runs::Infinite, Runs::Maximal] {
            let expected = |fairness: &Fairness| {
                oracle::some_run_is_accepted(&model, &violations, &interpretation(), runs, fairness)
            };
            n_changed += u32::from(expected(&fairness) != expected(&Fairness::default()));
            let options = LtlOptions { runs, fairness: fairness.clone(), ..LtlOptions::default() };
            let found = finds_one(&mut graph, &violations, &options);
            assert_eq!(found, expected(&fairness), "{runs:?}, {fairness:?}");
        }
    });
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

fn atom(number: usize) -> Formula {
    Formula::Atom(AtomId::from_usize(number))
}

/// Again and again `formula`.
fn infinitely_often(formula: Formula) -> Formula {
    Formula::unary(Unary::Always, Formula::unary(Unary::Eventually, formula))
}

fn run(graph: &mut Graph, formula: &Formula, options: &LtlOptions) -> Result<Report, Error> {
    check_ltl(graph, formula, &interpretation(), options, &mut unobserved)
}

/// The actions of the counterexample, with the ones that repeat in parentheses, or the verdict.
fn check(model: &Explicit, options: &LtlOptions, expected: &expect_test::Expect) {
    let report = run(&mut Graph::new(model), &infinitely_often(atom(0)), options);
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
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested, LtlAlgorithm::Owcty] {
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
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested, LtlAlgorithm::Owcty] {
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
    let one = || Tasks::Some(vec![TaskId::new(1)]);
    check(&always, &fair(Tasks::None, Tasks::None), &expect!["( 0 )"]);
    check(&always, &fair(Tasks::All, Tasks::None), &expect!["Holds"]);
    check(&sometimes, &fair(one(), Tasks::None), &expect!["( 0 0 )"]);
    check(&sometimes, &fair(Tasks::None, one()), &expect!["Holds"]);
    let other = Tasks::Some(vec![TaskId::new(2)]);
    check(&always, &fair(Tasks::None, other), &expect!["( 0 )"]);
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let table = model(&[(0, 0, 0)], &[], &[]);
    let fairness = Fairness { weak: Tasks::All, strong: Tasks::None };
    let nested = LtlOptions { fairness, algorithm: LtlAlgorithm::Nested, ..LtlOptions::default() };
    check(&table, &nested, &expect!["nested depth-first search cannot respect fairness"]);
    let groups = Tasks::Some(vec![TaskId::new(7)]);
    let fairness = Fairness { weak: Tasks::None, strong: groups };
    let unknown = LtlOptions { fairness, ..LtlOptions::default() };
    check(&table, &unknown, &expect!["no task has number 7"]);
    let branching = Formula::Unary(Path::All, Unary::Always, Box::new(atom(0)));
    let refused = run(&mut Graph::new(&table), &branching, &LtlOptions::default());
    assert_eq!(refused, Err(Error::Translation(TranslationError::Branching)));
    let mut graph = Graph::new(&table);
    let options = LtlOptions::default();
    let unknown = Meaning::Proposition(PropositionId::new(2));
    let atoms = Interpretation::new(vec![unknown]);
    let refused =
        check_ltl(&mut graph, &infinitely_often(atom(0)), &atoms, &options, &mut unobserved);
    assert_eq!(refused, Err(Error::UnknownProposition(PropositionId::new(2))));
    let atoms = Interpretation::default();
    let refused =
        check_ltl(&mut graph, &infinitely_often(atom(0)), &atoms, &options, &mut unobserved);
    assert_eq!(refused, Err(Error::UnknownAtom(AtomId::from_usize(0))));
}

/// A ring of `n_states` states; p holds in the last.
fn ring(n_states: u32) -> Explicit {
    let edges: Vec<_> = (0..n_states).map(|from| (from, 0, (from + 1) % n_states)).collect();
    model(&edges, &[n_states - 1], &[])
}

#[test]
fn limits_and_observers_end_in_unknown() {
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested, LtlAlgorithm::Owcty] {
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
            let report = check_ltl(
                &mut graph,
                &infinitely_often(atom(0)),
                &interpretation(),
                &options,
                &mut stop,
            );
            let verdict = report.map(|report| report.verdict);
            assert_eq!(verdict, Ok(Verdict::Unknown(Bound::Interrupted)));
        }
    }
}

#[test]
fn a_deep_product_needs_no_deep_stack_and_formulas_share_the_graph() {
    let table = ring(300_000);
    let mut graph = Graph::new(&table);
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested, LtlAlgorithm::Owcty] {
        let options = LtlOptions { algorithm, ..LtlOptions::default() };
        let report =
            run(&mut graph, &infinitely_often(atom(0)), &options).expect("nothing to refuse");
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!((report.product.nodes, report.product.moves), (599_999, 899_997));
        assert_eq!((graph.counts().states, graph.counts().transitions), (300_000, 300_000));
    }
}

#[test]
fn the_product_of_five_philosophers_is_as_large_as_spin_finds_it() {
    let model = crate::toys::Phil::new(5, true);
    let eats = |philosopher| Meaning::Proposition(PropositionId::new(philosopher));
    let atoms = Interpretation::new((0..5).map(eats).collect());
    let formula = infinitely_often(Formula::or((0..5).map(atom)));
    for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested, LtlAlgorithm::Owcty] {
        let options = LtlOptions { algorithm, ..LtlOptions::default() };
        let mut graph = Graph::new(&model);
        let report = check_ltl(&mut graph, &formula, &atoms, &options, &mut unobserved);
        let report = report.expect("nothing to refuse");
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!(report.product.nodes, 2646);
    }
}

//! Linear time in sorted runs against linear time in a table.

use std::ops::ControlFlow;
use std::path::Path;

use quadrille_logic::{AtomId, Formula, Unary};
use quadrille_model::{Bound, Model, Network, PropositionId};
use quadrille_workshop::formulas::sparse;
use quadrille_workshop::{Choices, check};

use super::*;
use crate::ltl::LtlAlgorithm;
use crate::ltl::tests::{interpretation, random_automaton, random_model};
use crate::toys::{Phil, random_network};
use crate::{Graph, Meaning, Progress, Workers, check_ltl, check_never, unobserved};

const ALL_RUNS: [Runs; 3] = [Runs::Finite, Runs::Maximal, Runs::Infinite];

fn disk(path: &Path, resume: bool) -> RunStore {
    RunStore::Disk { folder: Folder::new(path), resume, identity: Identity::default() }
}

fn with_workers(number: usize) -> Config {
    Config { workers: Workers::eager(number), ..Config::default() }
}

/// What a table says.
fn expected(
    model: &dyn Model,
    formula: &Formula,
    (interpretation, runs): (&Interpretation<'_>, Runs),
) -> Report {
    let options = LtlOptions { runs, algorithm: LtlAlgorithm::Owcty, ..LtlOptions::default() };
    let graph = &mut Graph::new(model);
    check_ltl(graph, formula, interpretation, &options, &mut unobserved).expect("small")
}

#[test]
fn formulas_on_random_tables_have_the_verdicts_of_a_search_in_memory() {
    let mut n_violated = [0; 3];
    check(400, |choices| {
        let model = random_model(choices);
        let formula = sparse(choices, 4, 5, 4);
        for (position, runs) in ALL_RUNS.into_iter().enumerate() {
            let interpretation = interpretation();
            let asked = (&interpretation, runs);
            let known = expected(&model, &formula, asked);
            n_violated[position] += u32::from(known.verdict != Verdict::Holds);
            let config = with_workers(1 + choices.below(3));
            let store = &RunStore::Memory;
            let found = check_ltl_runs(&model, &formula, asked, store, &config, &mut unobserved);
            let found = found.expect("small").report;
            assert_eq!(found.verdict.word(), known.verdict.word(), "{runs:?} {formula:?}");
        }
    });
    assert!(n_violated.iter().all(|n| (40..360).contains(n)), "{n_violated:?}");
}

#[test]
fn automata_on_random_tables_have_the_verdicts_of_a_search_in_memory() {
    let mut n_violated = 0;
    check(600, |choices| {
        let model = random_model(choices);
        let automaton = random_automaton(choices);
        let interpretation = interpretation();
        for runs in [Runs::Maximal, Runs::Infinite] {
            let options = LtlOptions { runs, ..LtlOptions::default() };
            let graph = &mut Graph::new(&model);
            let known = check_never(graph, &automaton, &interpretation, &options, &mut unobserved);
            let known = known.expect("small").verdict;
            n_violated += u32::from(known != Verdict::Holds);
            let (asked, config) = ((&interpretation, runs), with_workers(1 + choices.below(2)));
            let store = &RunStore::Memory;
            let found =
                check_never_runs(&model, &automaton, asked, store, &config, &mut unobserved);
            assert_eq!(found.expect("small").report.verdict.word(), known.word(), "{automaton:?}");
        }
    });
    assert!((200..1000).contains(&n_violated), "{n_violated}");
}

/// Atoms 0 and 1 are the propositions of a random network, atom 2 its action 1, atom 3 any of two.
fn of_network() -> Interpretation<'static> {
    let one_of = |labels: &'static [&'static str]| {
        Meaning::Action(Box::new(move |action| labels.contains(&&*action.label)))
    };
    Interpretation::new(vec![
        Meaning::Proposition(PropositionId::new(0)),
        Meaning::Proposition(PropositionId::new(1)),
        one_of(&["1"]),
        one_of(&["0", "2"]),
    ])
}

fn in_runs(
    network: &Network,
    formula: &Formula,
    store: &RunStore,
    workers: usize,
) -> Result<LinearOutcome, Error> {
    let (interpretation, config) = (of_network(), with_workers(workers));
    let asked = (&interpretation, Runs::Maximal);
    check_ltl_runs(network, formula, asked, store, &config, &mut unobserved)
}

#[test]
fn networks_have_the_same_verdicts_and_counts_in_memory_and_on_disk() {
    let mut n_violated = 0;
    check(150, |choices| {
        let network = random_network(choices);
        let formula = sparse(choices, 4, 5, 4);
        let known = expected(&network, &formula, (&of_network(), Runs::Maximal));
        let folder = tempfile::tempdir().expect("a folder");
        let mut first: Option<LinearOutcome> = None;
        for store in [RunStore::Memory, disk(folder.path(), false), disk(folder.path(), true)] {
            let mut found =
                in_runs(&network, &formula, &store, 1 + choices.below(3)).expect("small");
            found.report.product.bytes = 0;
            assert_eq!(found.report.verdict.word(), known.verdict.word(), "{formula:?}");
            // Safety formulas have an automaton of their own in memory.
            if known.verdict == Verdict::Holds && !formula.is_safety() {
                assert_eq!(found.report.product.nodes, known.product.nodes, "{formula:?}");
            }
            // Counterexamples do not depend on workers or stores either.
            assert_eq!(*first.get_or_insert_with(|| found.clone()), found, "{formula:?}");
        }
        n_violated += u32::from(known.verdict != Verdict::Holds);
    });
    assert!((20..130).contains(&n_violated), "{n_violated}");
}

/// An atom holds again and again.
fn again(atom: usize) -> Formula {
    let atom = Formula::atom(AtomId::from_usize(atom));
    Formula::unary(Unary::Always, Formula::unary(Unary::Eventually, atom))
}

#[test]
fn philosophers_may_go_hungry() {
    let model = Phil::new(5, false);
    let whole = crate::check(&model, vec![], &Config::default(), &mut unobserved);
    let whole = whole.expect("counts").counts;
    let label = model.action(quadrille_model::ActionId::new(0)).label;
    let interpretation =
        Interpretation::new(vec![Meaning::Action(Box::new(move |action| action.label == label))]);
    let asked = (&interpretation, Runs::Infinite);
    let config = with_workers(2);
    for (formula, word) in [(again(0), "violated"), (again(0).implies(again(0)), "holds")] {
        let store = &RunStore::Memory;
        let found = check_ltl_runs(&model, &formula, asked, store, &config, &mut unobserved);
        let found = found.expect("small");
        assert_eq!(found.report.verdict.word(), word);
        assert_eq!(found.report.verdict.word(), expected(&model, &formula, asked).verdict.word());
        if word == "violated" {
            assert_eq!(found.states, whole.states);
        }
    }
}

#[test]
fn a_search_for_cycles_that_is_interrupted_or_finds_no_room_goes_on() {
    let (mut n_interrupted, mut n_full) = (0, 0);
    check(25, |choices: &mut Choices| {
        let network = random_network(choices);
        let formula = sparse(choices, 4, 5, 4);
        let known = expected(&network, &formula, (&of_network(), Runs::Maximal)).verdict;
        let folder = tempfile::tempdir().expect("a folder");
        let (mut n_allowed, mut room) = (0, 100);
        let found = loop {
            n_allowed += 1 + choices.below(3);
            room += 30 + choices.below(300) as i64;
            let mut n_looks = n_allowed;
            let mut interrupt = |_: &Progress| match n_looks {
                0 => ControlFlow::Break(Bound::Interrupted),
                _ => {
                    n_looks -= 1;
                    ControlFlow::Continue(())
                }
            };
            let folder = Folder::new(folder.path()).with_room(room);
            let store = RunStore::Disk { folder, resume: true, identity: Identity::default() };
            let (interpretation, config) = (of_network(), with_workers(1));
            let asked = (&interpretation, Runs::Maximal);
            match check_ltl_runs(&network, &formula, asked, &store, &config, &mut interrupt) {
                Ok(found) => match found.report.verdict {
                    Verdict::Unknown(Bound::Interrupted) => n_interrupted += 1,
                    verdict => break verdict,
                },
                Err(Error::Store(trouble)) => {
                    assert!(trouble.message.contains("cannot write"), "{trouble}");
                    n_full += 1;
                }
                Err(error) => panic!("{error}"),
            }
        };
        assert_eq!(found.word(), known.word());
        let names = Folder::new(folder.path()).names().expect("names");
        assert!(!names.iter().any(|name| name.starts_with("set-")), "{names:?}");
    });
    assert!(n_interrupted > 5 && n_full > 2, "{n_interrupted} {n_full}");
}

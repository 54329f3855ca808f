//! One, two and four processes answer like one search in memory. `QUADRILLE_ROUNDS=25` asks 500 random
//! models of each kind.

use std::cell::RefCell;

use quadrille_cluster::Told;
use quadrille_engine::disk::{Folder, Identity, RunStore};
use quadrille_engine::{Config, Limits, Outcome, Property, check, unobserved};
use quadrille_model::{Bound, Counts, Model, PropositionId, Verdict};
use quadrille_workshop::{Widened, networks};

use crate::numbered::Numbered;
use crate::{Plan, together};

/// What is asked of every network.
pub(crate) fn questions<M: Model>(model: &M) -> Vec<Property<'_>> {
    let mut all =
        vec![Property::DeadlockFree, Property::Never(Box::new(|action| action.index() == 1))];
    if !model.signature().propositions.is_empty() {
        let explorer = RefCell::new(model.explorer());
        let always =
            move |values: &[u32]| explorer.borrow_mut().holds(PropositionId::new(0), values);
        all.push(Property::Always(Box::new(always)));
    }
    all
}

/// What must be the same however many search.
pub(crate) fn essence(outcome: &Outcome) -> (Vec<(&'static str, usize)>, Option<Counts>) {
    let length = |verdict: &Verdict| match verdict {
        Verdict::Violated(Some(run)) => run.steps.len(),
        _ => 0,
    };
    let verdicts: Vec<_> =
        outcome.verdicts.iter().map(|verdict| (verdict.word(), length(verdict))).collect();
    let whole = verdicts.is_empty() || verdicts.iter().any(|(word, _)| *word == "holds");
    (verdicts, whole.then_some(Counts { bytes: 0, ..outcome.counts }))
}

pub(crate) fn by_ref<M>(models: &[M]) -> Vec<&M> {
    models.iter().collect()
}

/// What one search in memory answers.
pub(crate) fn alone<M: Model>(model: &M) -> Outcome {
    check(model, questions(model), &Config::default(), &mut unobserved).expect("no problem")
}

/// The answer of a cluster, on which all of its processes agree.
pub(crate) fn agreed(told: Vec<Result<Told, quadrille_engine::Error>>) -> Told {
    let mut told = told.into_iter().map(|told| told.expect("no failure"));
    let first = told.next().expect("a process");
    for other in told {
        assert_eq!(essence(&other.found.outcome), essence(&first.found.outcome));
        assert_eq!(other.found.stored, first.found.stored);
    }
    first
}

#[test]
fn any_number_of_processes_answers_like_one_search() {
    quadrille_workshop::check(20, |choices| {
        let network = networks::network(choices);
        let expected = essence(&alone(&network));
        for (n_processes, workers) in [(1, 1), (1, 3), (2, 1), (2, 2), (4, 1)] {
            let models = vec![&network; n_processes];
            let plan = Plan { workers, ..Plan::default() };
            let told = agreed(together(&models, &plan, &|model| questions(model)));
            assert_eq!(essence(&told.found.outcome), expected, "{n_processes} × {workers}");
        }
    });
}

#[test]
fn counterexamples_do_not_depend_on_the_number_of_processes() {
    quadrille_workshop::check(10, |choices| {
        let network = networks::loose_network(choices);
        let plan = Plan::default();
        let outcome = |n_processes: usize| {
            let models = vec![&network; n_processes];
            let told = agreed(together(&models, &plan, &|model| questions(model)));
            told.found.outcome.verdicts
        };
        assert_eq!(outcome(1), outcome(3));
    });
}

#[test]
fn wide_states_travel_like_narrow_ones() {
    quadrille_workshop::check(10, |choices| {
        let network = Widened::new(networks::loose_network(choices));
        let expected = essence(&alone(&network));
        let models = vec![&network; 3];
        let told = agreed(together(&models, &Plan::default(), &|model| questions(model)));
        assert_eq!(essence(&told.found.outcome), expected);
    });
}

#[test]
fn values_travel_by_content() {
    quadrille_workshop::check(20, |choices| {
        let network = networks::network(choices);
        let expected = essence(&alone(&network));
        let made = |process| Numbered::new(network.clone(), process * 7_u32);
        let folder = tempfile::tempdir().expect("a folder");
        let on_disk = |_| RunStore::Disk {
            folder: Folder::new(folder.path()),
            resume: true,
            identity: Identity::default(),
        };
        let models: Vec<Numbered> = (0..3).map(made).collect();
        let told = agreed(together(&by_ref(&models), &Plan::default(), &|model| questions(model)));
        assert_eq!(essence(&told.found.outcome), expected);
        let plan = Plan { runs: &on_disk, ..Plan::default() };
        // The second time, it goes on where nothing is left to do.
        for _ in 0..2 {
            let models: Vec<Numbered> = (0..3).map(made).collect();
            let told = agreed(together(&by_ref(&models), &plan, &|model| questions(model)));
            assert_eq!(essence(&told.found.outcome), expected);
        }
    });
}

/// Counters that a step each moves on, by themselves.
pub(crate) fn counters(n: usize) -> quadrille_model::Network {
    use quadrille_model::{Automaton, LocalId, NetworkBuilder, Template};
    let mut builder = NetworkBuilder::default();
    for number in 0..n {
        let states = ["a", "b", "c", "d"];
        let counter = builder.participant(Automaton::new(format!("C{number}"), states));
        let counter = counter.expect("a participant");
        for state in 0..3 {
            let [from, to] = [state, state + 1].map(LocalId::new);
            let template = Template::new(format!("up{number}")).step(counter, from, to);
            builder.template(template).expect("a template");
        }
    }
    builder.build().expect("a network")
}

#[test]
fn limits_end_all_processes_in_unknown() {
    let network = counters(6);
    let models = vec![&network; 2];
    let limits = Limits { states: Some(500), memory: None };
    let plan = Plan { limits, ..Plan::default() };
    let told = agreed(together(&models, &plan, &|_| Vec::new()));
    assert_eq!(told.found.outcome.bound, Some(Bound::States(500)));
    let interrupts = |process, progress: &quadrille_engine::Progress| match process {
        1 if progress.states > 100 => std::ops::ControlFlow::Break(Bound::Interrupted),
        _ => std::ops::ControlFlow::Continue(()),
    };
    let network = counters(9);
    let models = vec![&network; 3];
    let plan = Plan { observer: &interrupts, ..Plan::default() };
    let told = together(&models, &plan, &|_| Vec::new());
    for told in told {
        let told = told.expect("no failure");
        assert_eq!(told.found.outcome.bound, Some(Bound::Interrupted), "one told the others");
    }
}

#[test]
fn a_level_that_fits_no_memory_is_spilled() {
    let network = counters(7);
    let models = vec![&network; 2];
    let limits = Limits { states: None, memory: Some(1 << 20) };
    let folder = tempfile::tempdir().expect("a folder");
    let on_disk = |_| RunStore::Disk {
        folder: Folder::new(folder.path()),
        resume: false,
        identity: Identity::default(),
    };
    let plan = Plan { limits, runs: &on_disk, ..Plan::default() };
    let told = agreed(together(&models, &plan, &|_| Vec::new()));
    let counts = told.found.outcome.counts;
    assert_eq!((counts.states, counts.transitions), (1 << 14, (7 * 3) << 12));
    assert_eq!((counts.deadlocks, counts.depth), (1, Some(21)));
    assert!(told.workers.iter().any(|worker| worker.sent > 0), "{:?}", told.workers);
}

//! Random walks against exact searches.

use quadrille_model::{PropositionId, Verdict};
use quadrille_workshop::check;
use quadrille_workshop::formulas::sparse;

use super::*;
use crate::toys::{Phil, random_network};
use crate::{
    Config, Graph, Interpretation, LtlOptions, Meaning, Property, check as check_exactly,
    check_ltl, explore, look_again, monitor_of, unobserved,
};

fn config(seed: u64, workers: Workers) -> Simulation {
    Simulation { seed, walks: 100, depth: 60, limits: Limits::default(), workers }
}

fn atoms() -> Interpretation<'static> {
    Interpretation::new(vec![
        Meaning::Proposition(PropositionId::new(0)),
        Meaning::Proposition(PropositionId::new(1)),
        Meaning::Action(Box::new(|action| action.label == "0")),
        Meaning::Action(Box::new(|action| ["0", "1"].contains(&&*action.label))),
    ])
}

#[test]
fn what_walks_find_is_there_and_as_short_as_they_say() {
    let (mut n_found, mut n_missed, mut n_formulas) = (0, 0, 0);
    check(200, |choices| {
        let model = random_network(choices);
        let formula = sparse(choices, 3, 3, 4);
        let monitor = monitor_of(&formula);
        let seed = choices.bits();
        let probes = || -> Vec<Probe<'_>> {
            let mut probes = vec![Probe::Property(Property::DeadlockFree)];
            if let Some(monitor) = &monitor {
                probes[0] = Probe::Formula(monitor, atoms());
            }
            probes
        };
        let found = simulate(&model, &probes, &config(seed, Workers::default()), &mut unobserved);
        let found = found.expect("networks never fail");
        for workers in [2, 4, 7] {
            let other =
                simulate(&model, &probes, &config(seed, Workers::eager(workers)), &mut unobserved);
            assert_eq!(other.as_ref(), Ok(&found), "{workers} workers");
        }
        let whole = explore(&model, &Config::default(), &mut [], &mut unobserved);
        assert!(found.states <= whole.counts().states);
        let verdict = match &monitor {
            None => {
                let all = vec![Property::DeadlockFree];
                let outcome = check_exactly(&model, all, &Config::default(), &mut unobserved);
                outcome.expect("networks never fail").verdicts.remove(0)
            }
            Some(_) => {
                n_formulas += 1;
                let options = LtlOptions::default();
                let mut graph = Graph::new(&model);
                check_ltl(&mut graph, &formula, &atoms(), &options, &mut unobserved)
                    .expect("it was translated")
                    .verdict
            }
        };
        match (&found.found, verdict) {
            (None, Verdict::Holds) => {}
            (None, _) => n_missed += 1,
            (Some(found), Verdict::Violated(Some(shortest))) => {
                n_found += 1;
                assert!(found.trace.steps.len() as u64 <= found.steps);
                assert!(found.is_shortest, "the model is small");
                assert_eq!(found.trace.steps.len(), shortest.steps.len());
                if monitor.is_some() {
                    let again = look_again(
                        &found.trace,
                        &formula,
                        &model,
                        &atoms(),
                        &LtlOptions::default(),
                    );
                    assert_eq!(again, Ok(()));
                }
            }
            (Some(found), verdict) => panic!("{found:?} though {verdict:?}"),
        }
    });
    assert!(
        n_found > 30 && n_formulas > 10 && n_missed * 20 < n_found,
        "{n_found} {n_missed} {n_formulas}"
    );
}

#[test]
fn walks_cover_a_model_and_repeat_by_their_seed() {
    let model = Phil::new(5, true);
    let walk = |seed, walks| {
        let config = Simulation { walks, depth: 2_500, ..config(seed, Workers::default()) };
        simulate(&model, &Vec::new, &config, &mut unobserved).expect("philosophers never fail")
    };
    let one = walk(1, 20);
    assert_eq!(one, walk(1, 20));
    assert_ne!(one, walk(2, 20));
    assert_eq!((one.walks, one.longest, one.found.is_none()), (20, 2_500, true));
    let whole = explore(&model, &Config::default(), &mut [], &mut unobserved).counts();
    assert!(one.states * 10 > whole.states * 9, "{} of {}", one.states, whole.states);
    assert!(one.taken.iter().all(|&taken| taken > 0));
}

#[test]
fn limits_end_walks() {
    let model = Phil::new(5, true);
    let few = Limits { states: Some(100), ..Limits::default() };
    let within = Simulation { limits: few, ..config(0, Workers::default()) };
    let walked = simulate(&model, &Vec::new, &within, &mut unobserved).expect("never fails");
    assert_eq!(walked.bound, Some(Bound::States(100)));
    let mut stop = |_: &Progress| ControlFlow::Break(Bound::Interrupted);
    let walked = simulate(&model, &Vec::new, &config(0, Workers::eager(2)), &mut stop);
    let walked = walked.expect("never fails");
    assert_eq!(walked.bound, Some(Bound::Interrupted));
    assert!(walked.steps > 0);
}

//! Lossy searches against exact ones.

use quadrille_model::PropositionId;
use quadrille_workshop::check;

use super::*;
use crate::toys::{Phil, random_network};
use crate::{Config, check as check_exactly, unobserved};

#[test]
fn what_is_found_is_there_and_what_is_not_is_unknown() {
    let (mut n_violated, mut n_missed) = (0, 0);
    check(200, |choices| {
        let model = random_network(choices);
        let properties = || -> Vec<Property<'_>> {
            let explorer = std::cell::RefCell::new(model.explorer());
            let never = move |values: &[Value]| {
                Ok(!explorer.borrow_mut().holds(PropositionId::new(0), values)?)
            };
            vec![
                Property::DeadlockFree,
                Property::Always(Box::new(never)),
                Property::Never(Box::new(|action| action.index() == 1)),
            ]
        };
        let exact = check_exactly(&model, properties(), &Config::default(), &mut unobserved);
        let exact = exact.expect("networks never fail");
        for lossy in [Lossy::Fingerprints, Lossy::Bits { bytes: 8 }] {
            let ask = |workers| {
                let with = (Limits::default(), workers);
                check_lossy(&model, &properties(), lossy, with, &mut unobserved)
                    .expect("networks never fail")
            };
            let found = ask(Workers::default());
            assert_eq!(ask(Workers::eager(3)), found);
            assert!(found.counts.states <= exact.counts.states);
            for (exact, found) in exact.verdicts.iter().zip(&found.verdicts) {
                match (exact, found) {
                    (Verdict::Violated(Some(shortest)), Verdict::Violated(Some(run))) => {
                        n_violated += 1;
                        // States of at most 64 bits have fingerprints of their own.
                        let is_exact = lossy == Lossy::Fingerprints;
                        assert!(!is_exact || run.steps.len() == shortest.steps.len());
                    }
                    (Verdict::Violated(_), Verdict::Unknown(Bound::Omission(_))) => {
                        n_missed += 1;
                        assert_ne!(lossy, Lossy::Fingerprints);
                    }
                    (Verdict::Holds, Verdict::Unknown(Bound::Omission(omission))) => {
                        assert!(omission.value() > 0.0);
                    }
                    (exact, found) => panic!("{lossy:?}: {exact:?} {found:?}"),
                }
            }
        }
    });
    assert!(n_violated > 200, "{n_violated} {n_missed}");
}

/// In tables of many sizes, something is left out where that is probable, and seldom where it is not.
#[test]
fn the_probability_is_that_of_leaving_something_out() {
    let model = Phil::new(5, true);
    let whole = crate::explore(&model, &Config::default(), &mut [], &mut unobserved).counts();
    let (mut probable, mut improbable) = ((0, 0), (0, 0));
    for bytes in (200..60_000).step_by(200) {
        let with = (Limits::default(), Workers::default());
        let lossy = Lossy::Bits { bytes };
        let found = check_lossy(&model, &[Property::DeadlockFree], lossy, with, &mut unobserved);
        let found = found.expect("philosophers never fail");
        let Verdict::Unknown(Bound::Omission(omission)) = found.verdicts[0] else {
            panic!("{found:?}")
        };
        let omits = i32::from(found.counts.states < whole.states);
        match omission.value() {
            value if value > 0.99 => probable = (probable.0 + 1, probable.1 + omits),
            value if value < 0.01 => improbable = (improbable.0 + 1, improbable.1 + omits),
            _ => {}
        }
    }
    assert!(probable.0 > 5 && probable.1 * 10 >= probable.0 * 9, "{probable:?}");
    assert!(improbable.0 > 50 && improbable.1 * 20 <= improbable.0, "{improbable:?}");
}

#[test]
fn long_runs_are_found_by_searching_again() {
    let mut table = quadrille_model::ExplicitBuilder::default();
    let id = quadrille_model::StateId::new;
    let step = table.action("step");
    table.initial(id(0));
    for state in 0..1_000 {
        table.edge(id(state), step, id(state + 1));
    }
    let model = table.build();
    let with = (Limits::default(), Workers::default());
    let found =
        check_lossy(&model, &[Property::DeadlockFree], Lossy::Fingerprints, with, &mut unobserved);
    let Verdict::Violated(Some(run)) = &found.expect("tables never fail").verdicts[0] else {
        panic!("it ends")
    };
    assert_eq!(run.steps.len(), 1_000);
}

#[test]
fn limits_end_in_unknown() {
    let model = Phil::new(6, true);
    let ask = |limits, lossy| {
        let with = (limits, Workers::default());
        let found = check_lossy(&model, &[Property::DeadlockFree], lossy, with, &mut unobserved);
        found.expect("philosophers never fail").verdicts.remove(0)
    };
    let few = Limits { states: Some(100), ..Limits::default() };
    assert_eq!(ask(few, Lossy::Fingerprints), Verdict::Unknown(Bound::States(100)));
    let little = Limits { memory: Some(10_000), ..Limits::default() };
    let bits = Lossy::Bits { bytes: 1 << 20 };
    assert_eq!(ask(little, bits), Verdict::Unknown(Bound::Memory(10_000)));
}

//! Designs as models: what they declare is true, their states are those of the naive evaluator, and
//! the engine answers their commands.

use quadrille_engine::{
    Config, Fairness, Graph, Interpretation, LtlOptions, Meaning as EngineMeaning, Tasks,
    check_ltl, explore, unobserved,
};
use quadrille_model::{Checked, Expected, Model};
use quadrille_relational::types::words::Fair;
use quadrille_relational::{Meaning, System};
use quadrille_workshop::{conformance, shared};

use crate::{counts, design};

const LAMPS: &str = "enum Light { Red, Green }
    sig Lamp { var shows : one Light, var next : lone Lamp, var seen : set Lamp }
    event change[l : Lamp] { l.shows' in Light - l.shows }
    event look[a, b : Lamp] { b not in a.seen  a.seen' = a.seen + b  a.next' = b }
    event forget { some seen  all l : Lamp | no l.seen' and no l.next' }
    init { no next  no seen  some Lamp.shows & Red } for 2 Lamp
    check red { always some Lamp.shows & Red } expect 1
    check looks { always (all a, b : Lamp | b in a.next implies b in a.seen) }
    check forgets { always (forget implies after no seen) }
    check remembers { always (all a : Lamp | look[a, Lamp$1] implies after Lamp$1 in a.seen) }
    check back { always (no seen or once (some a, b : Lamp | look[a, b]) or before some seen) }
    run green { eventually (no Lamp.shows & Red) }
    run never { eventually some l : Lamp | l in l.next and no l.seen } expect 0";

/// Asks all commands, and says what came out otherwise than expected.
fn surprises(text: &str) -> Vec<String> {
    let system = System::new(&design(text), None).expect("a system");
    let fair = |kind: Fair| {
        let tasks = system.fairness.iter().filter(|(_, fair)| *fair == kind);
        Tasks::Some(tasks.map(|(task, _)| *task).collect())
    };
    let fairness = Fairness { weak: fair(Fair::Weak), strong: fair(Fair::Strong) };
    let mut surprising = Vec::new();
    for asked in &system.asked {
        let meanings = asked.atoms.iter().map(|atom| match atom {
            Meaning::Proposition(id) => EngineMeaning::Proposition(*id),
            Meaning::Event(name) => {
                EngineMeaning::Action(Box::new(move |action| action.names().contains(name)))
            }
        });
        let interpretation = Interpretation::new(meanings.collect());
        let mut graph = Graph::new(&system);
        let options = LtlOptions { fairness: fairness.clone(), ..LtlOptions::default() };
        let report =
            check_ltl(&mut graph, &asked.formula, &interpretation, &options, &mut unobserved);
        let verdict = report.expect("an answer").verdict;
        if !asked.expected.is_met_by(&verdict) {
            surprising.push(format!("{}: {}", asked.name, verdict.word()));
        }
    }
    surprising
}

#[test]
fn models_declare_what_is_true_and_have_the_naive_states() {
    let system = System::new(&design(LAMPS), None).expect("a system");
    let violations = Checked::new(&system).walk(60);
    assert!(violations.is_empty(), "{violations:?}");
    let walked = explore(&system, &Config::default(), &mut [], &mut unobserved);
    let found = walked.counts();
    let (states, steps) = counts(LAMPS);
    assert_eq!((found.states, found.transitions), (states as u64, steps as u64));
}

#[test]
fn commands_come_out_as_expected() {
    assert_eq!(surprises(LAMPS), [""; 0]);
    let found_wrong =
        LAMPS.replace("always some Lamp.shows & Red } expect 1", "always some Lamp }");
    assert_eq!(surprises(&found_wrong), [""; 0]);
    let wrong = LAMPS.replace("{ always (forget implies after no seen) }", "{ always no seen }");
    assert_eq!(surprises(&wrong), ["forgets: violated"]);
}

#[test]
fn events_are_fair_as_they_say() {
    let text = "enum Light { Red, Green }
        sig Lamp { var shows : one Light, var done : set Lamp }
        event flip[l : Lamp] { l.shows' in Light - l.shows }
        event rest[l : Lamp] { l.shows = Red  no l.done  l.done' = l }
        init { Lamp.shows = Green  no done } for 2 Lamp
        check finished { eventually (all l : Lamp | some l.done) }";
    assert_eq!(surprises(text), ["finished: violated"]);
    // Flipping may go on for ever, and each flip ends what `rest` waits for.
    let weak =
        text.replace("event rest", "fair event rest").replace("event flip", "fair event flip");
    assert_eq!(surprises(&weak), ["finished: violated"]);
    let strong = weak.replace("fair event rest", "strong fair event rest");
    assert_eq!(surprises(&strong), [""; 0]);
    let one = strong.replace("fair event flip", "event flip");
    assert_eq!(surprises(&one), ["finished: violated"]);
}

#[test]
fn events_that_never_happen_are_warned_about_and_left_out() {
    let text = "enum Light { Red, Green, Blue }
        one sig Lamp { var shows : one Light }
        event go { Lamp.shows = Red  Lamp.shows' = Green }
        event stop { Lamp.shows = Green  Lamp.shows' = Red }
        event never { Lamp.shows = Blue  Lamp.shows' = Red }
        init { Lamp.shows = Red }";
    let system = System::new(&design(text), None).expect("a system");
    let warnings: Vec<&str> = system.warnings.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(warnings, ["`never` can never happen"]);
    let signature = system.signature();
    assert_eq!((signature.groups.len(), signature.slots[0].domain.size()), (2, Some(2)));
    assert!(system.never_fails());
}

#[conformance]
fn the_rings_have_their_verdicts() {
    let folder = shared::path("relational");
    let mut n_rings = 0;
    for row in shared::rows(&folder.join("expected.tsv")) {
        let is_ring = row["file"].starts_with("ring") && row["command"] == "check";
        if is_ring {
            let text = shared::text(&folder.join(&row["file"]));
            let expected =
                if row["expected"] == "holds" { Expected::Holds } else { Expected::Violated };
            let n_surprises = usize::from(expected == Expected::Violated);
            assert_eq!(surprises(&text).len(), n_surprises, "{}", row["file"]);
            n_rings += 1;
        }
    }
    assert_eq!(n_rings, 3);
}

//! Compositions against the definition of consent.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use quadrille_component::automata::Construction;
use quadrille_component::composition::{Composition, CompositionErrors, ErrorRun, Wiring};
use quadrille_engine::{Config, Limits, Property, Space, unobserved};
use quadrille_model::{Checked, StateId, Value, Verdict};
use quadrille_workshop::Choices;

use crate::conformance::replay;
use crate::oracle::compare;
use crate::table::Distances;
use crate::world::World;

/// A small protocol over events that all components share, as text.
pub fn protocol(choices: &mut Choices, depth: u32) -> String {
    const EVENTS: [&str; 12] =
        ["!a^", "?a^", "!b^", "?b^", "!c", "?c", "!c^", "?c^", "!b", "?b", "?a^", "NULL"];
    if depth == 0 {
        return choices.pick(&EVENTS).to_owned();
    }
    let (one, two) = (protocol(choices, depth - 1), protocol(choices, depth - 1));
    match choices.below(8) {
        0 => format!("({one} + {two})"),
        1 | 2 => format!("({one} | {two})"),
        3 => format!("({one})*"),
        4 => format!("?c {{ {one} }}"),
        _ => format!("({one} ; {two})"),
    }
}

#[test]
fn compositions_do_what_consent_says() {
    let mut verdicts = BTreeSet::new();
    quadrille_workshop::check(4000, |choices| {
        let n_units = 2 + choices.below(2);
        let text: String =
            (0..n_units).map(|unit| format!("X{unit}\n{}\n", protocol(choices, 3))).collect();
        let mut world = World::default();
        world.add(&crate::read(&text), None, Construction::Minimal);
        let (composition, errors) = world.compose(&Wiring::all(&world.alphabet));
        compare(&world, |_| true, (&composition, &errors), usize::MAX, &text);
        let table = Space::new(&composition).tabulate(Limits::default(), &mut unobserved);
        let defined = Distances::defined(&table.expect("no limit"), composition.settled());
        assert_eq!(Distances::found(&errors), defined, "{text}");
        replay(&composition, &errors);
        deadlocks_agree(&composition, &errors, &text);
        verdicts.insert(errors.verdict().to_string());
    });
    assert_eq!(verdicts.len(), 4, "{verdicts:?}");
}

/// What a search for deadlocks finds in the network with failure templates are the errors that were found.
fn deadlocks_agree(composition: &Composition, errors: &CompositionErrors, text: &str) {
    let network = composition.with_failures().expect("small");
    let mut space = Space::new(&network);
    let table = space.tabulate(Limits::default(), &mut unobserved).expect("no limit");
    let outcome = network.participants().last().expect("the outcome");
    let mut found: BTreeSet<String> = BTreeSet::new();
    let config = Config::default();
    let outcome_of = |state: &[Value]| outcome.states[state[state.len() - 1] as usize].clone();
    let is_dead = |state: StateId| table.edges(state).is_empty() && !table.is_end(state);
    for state in table.states().filter(|state| is_dead(*state)) {
        found.insert(outcome_of(&space.state(state)));
    }
    let last = |path: &ErrorRun| path.tokens(composition).pop().expect("an error token");
    let mut expected: BTreeSet<String> = errors.bad.iter().map(last).collect();
    expected.extend(errors.no_activity.iter().map(|_| "running".to_owned()));
    assert_eq!(found, expected, "{text}");
    let report =
        quadrille_engine::check(&network, vec![Property::DeadlockFree], &config, &mut unobserved);
    let verdicts = report.expect("repeatable").verdicts;
    let Verdict::Violated(Some(trace)) = &verdicts[0] else {
        assert_eq!(expected.len(), 0, "{text}");
        return;
    };
    assert!(expected.contains(&outcome_of(trace.last())), "{text}");
}

/// Verdict, trace and counts of the components of a text, with shared events bound.
pub fn outcome(text: &str) -> String {
    let mut world = World::default();
    world.add(&crate::read(text), None, Construction::Minimal);
    let wiring = Wiring::shared(&world.alphabet, &world.units);
    let (composition, errors) = world.compose(&wiring);
    let show = |path: &quadrille_component::composition::ErrorRun| {
        format!(": {}", path.tokens(&composition).join(" ; "))
    };
    let trace = errors.first().map_or(String::new(), show);
    let counts = format!("{} configurations, {} steps", errors.configurations, errors.steps);
    format!("{}{trace}\n{counts}\n", errors.verdict())
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&outcome(text));
}

#[test]
fn the_manual_says_the_truth() {
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/components.md");
    let text = std::fs::read_to_string(manual).expect("a manual");
    let mut blocks = text.split("```").skip(1).step_by(2);
    let mut n_examples = 0;
    while let Some(example) = blocks.next() {
        let example = example.strip_prefix("bp\n").expect("an example");
        let expected = blocks.next().and_then(|block| block.strip_prefix("text\n"));
        assert_eq!(Some(&outcome(example)[..]), expected, "{example}");
        n_examples += 1;
    }
    assert!(n_examples >= 8, "only {n_examples} examples");
}

#[test]
fn forks_with_something_beside_them_start_only_once() {
    check(
        "A ?go ; (!a^* | !b^*) + ?stop\nB !go ; (?a^ + ?b^)*",
        &expect![[r#"
        bad activity: ?stop^ ; ε!go^
        5 configurations, 6 steps
    "#]],
    );
    check(
        "A ((!a^* | !b^*) + !d^)\nB ?a^ ; ?d^ + ?b^* + ?d^",
        &expect![[r#"
        bad activity: τa^ ; ε!a^
        4 configurations, 4 steps
    "#]],
    );
}

#[test]
fn atomic_actions_happen_at_once() {
    check(
        "A ?s^ ; [!t^, ?u^]\nB !s^ ; !u^\nC ?t^",
        &expect![[r#"
            no error
            3 configurations, 2 steps
        "#]],
    );
    check(
        "A [!t^, ?u^]\nB !u^\nC NULL ; ?v^ + ?w^ ; ?t^\nD !w^",
        &expect![[r#"
        bad activity: ε!t^
        4 configurations, 3 steps
    "#]],
    );
}

#[test]
fn meetings_need_everybody() {
    check(
        "A &go ; !a^\nB &go ; ?a^\nC !x ; &go",
        &expect![[r#"
            no error
            5 configurations, 4 steps
        "#]],
    );
    check(
        "A &go\nB ?a^ ; &go",
        &expect![[r#"
            no error
            3 configurations, 2 steps
        "#]],
    );
}

#[test]
fn variables_are_part_of_the_configuration() {
    let types = "types { Mode = { OFF, ON } }\n";
    let lamp = "Lamp vars { Mode m = OFF }\n( ?l.set(Mode x) { m <- x ; !n.tell(m) } )* ;\n\
                switch (m) { ON: { !o.bye } }\n";
    let hand = "Hand !l.set(ON) { ?n.tell(Mode y) { NULL } } ; !l.set(OFF) { ?n.tell(Mode y) }\n";
    check(
        &format!("{types}{lamp}{hand}"),
        &expect![[r#"
            bad activity: τl.set(ON)^ ; τn.tell(ON)^ ; τn.tell$ ; τl.set$ ; !o.bye^ ; ε!l.set(OFF)^
            11 configurations, 10 steps
        "#]],
    );
    let lazy = "Hand !l.set(ON) { ?n.tell(Mode y) }\n";
    check(
        &format!("{types}{lamp}{lazy}"),
        &expect![[r#"
            no error
            7 configurations, 6 steps
        "#]],
    );
    let looping = "A vars { Mode m = OFF } while (m == OFF) { !a^ ; (m <- ON + NULL) } ; !b^\n";
    check(
        &format!("{types}{looping}B ?a^* ; ?b^"),
        &expect![[r#"
            no error
            3 configurations, 3 steps
        "#]],
    );
}

#[test]
fn compositions_keep_the_promises_of_models() {
    quadrille_workshop::check(200, |choices| {
        let text: String =
            (0..3).map(|unit| format!("X{unit}\n{}\n", protocol(choices, 3))).collect();
        let mut world = World::default();
        world.add(&crate::read(&text), None, Construction::Minimal);
        let (composition, _) = world.compose(&Wiring::all(&world.alphabet));
        let violations = Checked::new(&composition).walk(10_000);
        assert_eq!(violations, [], "{text}");
    });
}

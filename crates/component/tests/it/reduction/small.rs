//! Small systems: what is done to them, what is left, and how their errors are told.

use std::fmt::Write;

use expect_test::{Expect, expect};
use quadrille_component::automata::Construction;
use quadrille_component::composition::{Compatibility, Wiring};
use quadrille_component::reduction::{ComponentSystem, Rule, reduce};

use super::{class, complaint, complaint_about_paths, explore, log};
use crate::world::World;

/// The system of a text, in which everything is bound but the interface `out`.
fn bound(text: &str) -> ComponentSystem {
    let mut world = World::default();
    world.add(&crate::read(text), None, Construction::Minimal);
    let wiring = Wiring { external: vec!["out".to_owned()], ..Wiring::all(&world.alphabet) };
    ComponentSystem { alphabet: world.alphabet, units: world.units, wiring }
}

/// What was done to a system, what is left of it, and its error there and in the original.
fn check(text: &str, expect: &Expect) {
    let original = bound(text);
    let before = explore(&original).expect("small");
    let reduction = reduce(original, &Rule::ALL);
    let after = explore(&reduction.system).expect("small");
    let mut shown = log(&reduction);
    shown += &reduction.system.text().unwrap_or_default();
    assert_eq!(complaint_about_paths(&reduction, &before, &after), None);
    match after.errors.first() {
        None => shown += "no error",
        Some(path) => {
            let (original, reduced) = (&before.composition, &after.composition);
            let back = reduction.lift(original, reduced, path).expect("a way back");
            let tokens = [path.tokens(reduced), back.tokens(original)].map(|all| all.join(" ; "));
            writeln!(shown, "{}\n{}", tokens[0], tokens[1]).expect("a string");
        }
    }
    assert_eq!(class(&before.errors), class(&after.errors), "{shown}");
    expect.assert_eq(&shown);
}

#[test]
fn a_call_goes_in_two_steps() {
    check(
        "A (!i.m ; !i.n)* B (?i.m + ?i.n)*",
        &expect![[r#"
        simple method call | i.m$ | B, A
        simple method call | i.n$ | B, A
        simple cycle | i.m^ | B
        simple cycle | i.n^ | B
        external event | i.m^ | A
        external event | i.m^ | A
        external event | i.n^ | A
        redundant state |  | A
        B
        NULL
        no error"#]],
    );
}

#[test]
fn responses_matter_where_two_callers_meet() {
    check(
        "A !i.a* | !i.b* B (?i.a + ?i.b)*",
        &expect![[r#"
        redundant state |  | A
        A_1
        !i.a*
        A_2
        !i.b*
        B
        (?i.a + ?i.b)*
        τi.a^ ; ε!i.b^
        τi.a^ ; ε!i.b^
    "#]],
    );
}

#[test]
fn a_third_component_may_come_too_early() {
    check(
        "A !i.a^ B ?i.a^ ; ?j.b^ C !j.b^",
        &expect![[r#"
        A
        !i.a^
        B
        ?i.a^ ; ?j.b^
        C
        !j.b^
        ε!j.b^
        ε!j.b^
    "#]],
    );
}

#[test]
fn a_callback_holds_up_nobody_else() {
    check(
        "A !i.m { ?j.n } B ?i.m { !j.n }",
        &expect![[r#"
        simple method call | j.n$ | A, B
        serial invocation | j.n^ | B, A
        initial state transition | i.m^ | A, B
        initial state transition | i.m$ | B, A
        redundant state |  | A
        B
        NULL
        no error"#]],
    );
}

#[test]
fn an_external_choice_that_leads_astray_stays() {
    check(
        "A ?out.go ; ?i.b + !i.a^ ; ?i.b B ?i.a^ ; !i.b",
        &expect![[r#"
        simple method call | i.b$ | A, B
        A
        (!i.a^ + ?out.go) ; ?i.b^
        B
        ?i.a^ ; !i.b^
        ?out.go^ ; !out.go$ ; ε∅
        ?out.go^ ; !out.go$ ; ε∅
    "#]],
    );
}

#[test]
fn an_external_step_that_stops_accepting_stays() {
    check(
        "A (?i.a^)* ; ?out.stop^ ; !i.b^ B (!i.a^)* ; ?i.b^",
        &expect![[r#"
        A
        ?i.a^* ; ?out.stop^ ; !i.b^
        B
        !i.a^* ; ?i.b^
        ?out.stop^ ; ε!i.a^
        ?out.stop^ ; ε!i.a^
    "#]],
    );
}

#[test]
fn what_follows_a_fork_also_ends_it() {
    for text in [
        "A !i.a^ + NULL B (NULL | (?i.a^ + NULL)) ; (!out.x^)*",
        "A !i.a^ + NULL B (?i.a^ + (NULL | NULL)) ; ?out.y",
        "A !i.a^ + NULL B ((?i.a^ + NULL) | NULL) ; (!out.x^ | !out.x^)",
    ] {
        let errors = explore(&bound(text)).expect("small").errors;
        assert_eq!(errors.verdict(), Compatibility::BadActivity, "{text}");
        assert_eq!(complaint(bound(text), &Rule::ALL), None, "{text}");
    }
}

#[test]
fn what_waits_for_each_other_is_not_reduced() {
    check(
        "A (?i.c^ ; !j.d^)* ; ?i.a^ B (?j.d^ ; !i.c^)* ; !i.a^",
        &expect![[r#"
        A
        (?i.c^ ; !j.d^)* ; ?i.a^
        B
        (?j.d^ ; !i.c^)* ; !i.a^
        no error"#]],
    );
}

#[test]
fn running_for_ever_outside_is_found_again() {
    check(
        "A ?out.tick* ; ?i.b B ?out.tock* ; ?i.c",
        &expect![[r#"
        unbound action | i.b^ | A
        unbound action | i.c^ | B
        external event | out.tick^ | A
        external event | out.tick^ | A
        external event | out.tick$ | A
        external event | out.tock^ | B
        external event | out.tock^ | B
        external event | out.tock$ | B
        ε∅
        ε∞
    "#]],
    );
}

#[test]
fn unheard_calls_are_told_with_everything_before_them() {
    check(
        "A ?out.start ; !i.m ; ?out.go ; !i.late B ?i.m",
        &expect![[r#"
        unbound action | i.late$ | A
        external event | out.start^ | A
        external event | out.start$ | A
        external event | out.go^ | A
        external event | out.go$ | A
        simple method call | i.m$ | B, A
        initial state transition | i.m^ | A, B
        redundant state |  | B
        ε!i.late^
        ?out.start^ ; !out.start$ ; τi.m^ ; τi.m$ ; ?out.go^ ; !out.go$ ; ε!i.late^
    "#]],
    );
}

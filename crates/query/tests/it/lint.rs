//! What lint says about small protocols, as a user sees it.

use expect_test::{Expect, expect};
use quadrille_engine::{Limits, unobserved};
use quadrille_query::protocol::{Explored, lint, lint_roles};

use crate::protocol::{Session, protocol, rendered, session};

/// Findings with these codes, rendered.
#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check_session(session: &Session, codes: &[&str], expected: Expect) {
    let explored =
        Explored::new(&session.model, Limits::default(), &mut unobserved).expect("small");
    let declared: Vec<_> = session.program.roles().collect();
    let findings = lint(&explored, Limits::default(), &mut unobserved).expect("small");
    let wanted: Vec<_> = findings
        .into_iter()
        .map(|finding| finding.diagnostic)
        .chain(lint_roles(&declared, &[&explored]))
        .filter(|diagnostic| codes.contains(&diagnostic.code.id))
        .collect();
    expected.assert_eq(&rendered(&session.sources, &wanted));
}

fn check(body: &str, codes: &[&str], expected: Expect) {
    check_session(&protocol(body), codes, expected);
}

/// All rules but those about closing, which small examples leave out.
const ALL: &[&str] =
    &["L001", "L007", "L008", "L009", "L010", "L011", "L012", "L013", "L014", "L015", "L016"];

#[test]
fn nothing_to_say_about_turns() {
    check("(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))", ALL, expect![[""]]);
}

#[test]
fn who_told_the_clerk() {
    check(
        "  (s/cat (s/-->> X ::client ::server)\n         (s/-->> Y ::clerk ::archive))",
        ALL,
        expect![[r#"
            warning[L001]: the channel from clerk to archive has a sender that was not involved before
             --> p.dcj:3:10
              |
            3 |          (s/-->> Y ::clerk ::archive)))
              |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ here
              |
              = help: let another role send to the sender first
        "#]],
    );
}

#[test]
fn a_channel_is_closed_twice() {
    check(
        "  (s/cat (s/-->> X ::a ::b)\n         (s/close ::a ::b)\n         (s/close ::a ::b))",
        &["L002", "L003", "L004", "L005", "L006"],
        expect![[r#"
            warning[L005]: the channel from a to b may be closed twice
             --> p.dcj:4:10
              |
            4 |          (s/close ::a ::b)))
              |          ^^^^^^^^^^^^^^^^^ here
              |
              = note: shown by: a sends X to b; b receives X from a; a closes to b; a closes to b
              = help: close it once
        "#]],
    );
}

#[test]
fn a_loop_without_a_way_out() {
    check(
        "  (s/alt (s/-->> Stop ::a ::b)\n         (s/ω (s/-->> Go ::a ::b)))",
        ALL,
        expect![[r#"
            warning[L008]: the protocol can end, but not from every state
             --> p.dcj:3:15
              |
            3 |          (s/ω (s/-->> Go ::a ::b))))
              |               ^^^^^^^^^^^^^^^^^^^ no way to end after this
              |
              = note: no end can be reached after: a sends Go to b
              = help: give every branch a way to end, or none
        "#]],
    );
}

#[test]
fn a_choice_without_branches() {
    check(
        "  (s/cat (s/-->> X ::a ::b)\n         (s/loop forever [] (s/recur forever)))",
        ALL,
        expect![[r#"
            warning[L009]: the protocol can get stuck
             --> p.dcj:2:10
              |
            2 |   (s/cat (s/-->> X ::a ::b)
              |          ^^^^^^^^^^^^^^^^^^ nothing can happen after this
              |
              = note: after: a sends X to b; b receives X from a
              = help: give the protocol something to do there, or let it end
        "#]],
    );
}

#[test]
fn independent_choices() {
    check(
        "  (s/alt (s/--> X ::a ::b)\n         (s/--> Y ::c ::d))",
        ALL,
        expect![[r#"
            warning[L010]: `a passes X to b` and `c passes Y to d` are independent and exclude each other
             --> p.dcj:2:10
              |
            2 |   (s/alt (s/--> X ::a ::b)
              |          ^^^^^^^^^^^^^^^^^ either this
            3 |          (s/--> Y ::c ::d)))
              |          ----------------- or this
              |
              = note: at the start
              = help: put one role in charge, or let both happen
        "#]],
    );
}

#[test]
fn a_choice_by_two() {
    check(
        "  (s/alt (s/-->> X ::a ::b)\n         (s/-->> Y ::b ::a))",
        ALL,
        expect![[r#"
            warning[L011]: a choice between `a sends X to b` and `b sends Y to a` is not decided by one role
             --> p.dcj:2:10
              |
            2 |   (s/alt (s/-->> X ::a ::b)
              |          ^^^^^^^^^^^^^^^^^^ either this
            3 |          (s/-->> Y ::b ::a)))
              |          ------------------ or this
              |
              = note: at the start
              = help: let one role decide and tell the others
        "#]],
    );
}

#[test]
fn a_role_that_is_not_told() {
    check(
        "  (s/alt (s/cat (s/-->> X ::a ::b)\n                (s/-->> Y ::c ::b))\n         (s/-->> Z ::a ::b))",
        &["L012"],
        expect![[r#"
            warning[L012]: `c` cannot tell in time whether it may do `c sends Y to b`
             --> p.dcj:3:17
              |
            3 |                 (s/-->> Y ::c ::b))
              |                 ^^^^^^^^^^^^^^^^^^ in one branch only
            4 |          (s/-->> Z ::a ::b)))
              |          ------------------ not after this
              |
              = note: as far as it knows it may; but it must not after: a sends Z to b; b receives Z from a
              = help: let the role that chooses tell `c` in every branch
        "#]],
    );
}

#[test]
fn branches_that_begin_alike() {
    check(
        "  (s/alt (s/cat (s/-->> M ::a ::b) (s/-->> X ::b ::a))\n         (s/cat (s/-->> M ::a ::b) (s/-->> Y ::b ::a)))",
        ALL,
        expect![[r#"
            warning[L013]: two branches begin with `a sends M to b`
             --> p.dcj:2:17
              |
            2 |   (s/alt (s/cat (s/-->> M ::a ::b) (s/-->> X ::b ::a))
              |                 ^^^^^^^^^^^^^^^^^^ which branch is this?
            3 |          (s/cat (s/-->> M ::a ::b) (s/-->> Y ::b ::a))))
              |                 ------------------ which branch is this?
              |
              = note: at the start
              = help: take it out of the choice, or give the messages different names
        "#]],
    );
}

#[test]
fn a_role_that_is_passed_over() {
    check(
        "  (s/ω (s/alt (s/--> X ::a ::b)\n              (s/--> Y ::a ::c)))",
        ALL,
        expect![[r#"
            warning[L014]: role `b` can starve
             --> p.dcj:2:15
              |
            2 |   (s/ω (s/alt (s/--> X ::a ::b)
              |               ^^^^^^^^^^^^^^^^^ may never happen again
              |
              = note: at the start
              = note: the others can repeat for ever: a passes Y to c
              = help: let the others come round to it, or rely on fairness and say so in formulas
            warning[L014]: role `c` can starve
             --> p.dcj:3:15
              |
            3 |               (s/--> Y ::a ::c))))
              |               ^^^^^^^^^^^^^^^^^ may never happen again
              |
              = note: at the start
              = note: the others can repeat for ever: a passes X to b
              = help: let the others come round to it, or rely on fairness and say so in formulas
        "#]],
    );
}

#[test]
fn roles_that_are_not_used_or_not_declared() {
    let text = "(s/defrole ::a)\n(s/defrole ::b)\n(s/defsession ::p [] (s/--> X ::a ::c))";
    check_session(
        &session(text, "p", &[]),
        ALL,
        expect![[r#"
        warning[L015]: role `b` never takes part
         --> p.dcj:2:1
          |
        2 | (s/defrole ::b)
          | ^^^^^^^^^^^^^^^ declared here
        warning[L016]: role `c` is not declared
         --> p.dcj:3:22
          |
        3 | (s/defsession ::p [] (s/--> X ::a ::c))
          |                      ^^^^^^^^^^^^^^^^^ takes part here
    "#]],
    );
}

//! What is asked of modules, what comes out, and what a failing test says.

use std::panic::{AssertUnwindSafe, catch_unwind};

use expect_test::{Expect, expect};
use quadrille::runtime::plan::{Act, ActId};
use quadrille::runtime::{FaultInjection, InjectedFault};
use quadrille::{Answer, Check, Conformance, Form, Limits, Runs, Subject, Verify, check, replay};

use crate::letter::{Letter, origin, subject};

const CHESS: &str = include_str!("../../../../examples/protocols/chess.quad");

const COUNTER: &str = "(s/defsession ::counter []
  (s/ω (s/-->> Tick ::clock ::display)))";

const HASTY: &str = "(s/defsession ::hasty []
  (s/cat (s/-->> Order ::a ::b) (s/-->> Parcel ::c ::d)))";

const DOOR: &str = "(s/defsession ::door []
  (s/cat (s/--> Open ::guest ::door) (s/-->> Bell ::door ::host) (s/close ::door ::host)))";

fn chess() -> Subject<Letter> {
    subject(origin("chess.quad", CHESS, "chess", &[]))
}

fn door() -> Subject<Letter> {
    subject(origin("door.dcj", DOOR, "door", &[]))
}

/// What a failing test prints.
#[track_caller]
fn check_failure(asked: Check<Letter>, expected: &Expect) {
    let failure = catch_unwind(AssertUnwindSafe(|| asked.assert())).expect_err("it fails");
    let message = failure.downcast::<String>().expect("a text");
    expected.assert_eq(&message);
}

#[test]
fn a_generated_module_does_what_is_asked() {
    chess().ltl("!(Black sends Move) U (Black receives Move)").assert();
    chess().ctl("AG EF (White sends Move)").no_deadlock().at_most(1).conforms().assert();
    chess().properties().assert();
    chess().property("white_begins").holds("AG EF (White sends Move)").assert();
    let wrong = chess().property("white_begins").expect_violated().report();
    assert!(!wrong.passed(), "the file says that it holds, and it does");
    assert!(chess().report().passed());
    chess().assert();
    chess().ltl("G !(White receives Move)").expect_violated().assert();
    door().owl(r#"G ("guest SEND <O> TO door" -> X ("door SEND Bell"))"#, [("O", "Open")]).assert();
}

#[test]
fn a_property_about_variables_is_not_passed_over_where_it_is_asked_for() {
    let text = "message M; role a, b; variable n: 0..=1;
protocol p { M from a to b with n := 1; } property full: F n == 1;";
    let counted = || subject(origin("counted.quad", text, "p", &[]));
    counted().properties().assert();
    check_failure(
        counted().property("full"),
        &expect![[r#"
        `p` does not do what is asked of it

        cannot be answered in the strict form: full  (3 states, 2 steps)
          it speaks about variables, and a module has none

        cannot be answered in the liberal form: full  (3 states, 2 steps)
          it speaks about variables, and a module has none
    "#]],
    );
}

#[test]
fn one_module_can_be_asked_alone() {
    let subject = chess();
    for (_, module) in &subject.modules {
        check(module).ltl("G (White sends Move -> X Black receives Move)").assert();
        check(module).origin(subject.origin).conforms().assert();
    }
}

#[test]
fn a_violation_tells_the_run_and_how_to_perform_it_again() {
    check_failure(
        chess().only(Form::Liberal).runs(Runs::Infinite).ltl("F G !(White sends Move)"),
        &expect![[r#"
            `chess` does not do what is asked of it

            violated in the liberal form: F G !(White sends Move)  (6 states, 6 steps, infinite runs)

                   Black       White
              1      │ ◁─ Move ──┤
              2      │◀╌╌ Move ╌ │
                 ┌─ these steps repeat for ever
              3  │   ├─── Move ▷ │
              4  │   │ ╌╌ Move ╌▶│
              5  │   │ ◁─ Move ──┤
              6  │   │◀╌╌ Move ╌ │
                 └─ back to the state before step 3

            replay it: verify().replay(Form::Liberal, &[
                "White sends Move to Black",
                "Black receives Move from White",
                "Black sends Move to White",
                "White receives Move from Black",
                "White sends Move to Black",
                "Black receives Move from White",
            ]).unwrap();  // the steps from 3 on repeat
        "#]],
    );
    let run = ["White sends Move to Black", "Black receives Move from White"];
    let played = chess().replay(Form::Liberal, &run).expect("it is a run");
    assert_eq!(played.next, ["Black sends Move to White"]);
    let refused = chess().replay(Form::Strict, &run[1..]).expect_err("it is none");
    expect!["step 1, `Black receives Move from White`, is not possible; possible is: White sends Move to Black"].assert_eq(&refused.to_string());
    let (_, module) = &chess().modules[0];
    assert!(!replay(module, &run).expect("it is a run").may_end);
}

#[test]
fn what_is_expected_to_be_violated_must_be() {
    check_failure(
        chess().only(Form::Strict).ltl("G !(Black sends Move to Black)").expect_violated(),
        &expect![[r#"
            `chess` does not do what is asked of it

            holds in the strict form: G !(Black sends Move to Black)  (5 states, 5 steps, maximal runs)
              it was expected to be violated
        "#]],
    );
}

#[test]
fn a_formula_of_branching_time_may_have_no_run() {
    check_failure(
        chess().only(Form::Strict).ctl("EF (Black sends Move & White sends Move)"),
        &expect![[r#"
            `chess` does not do what is asked of it

            violated in the strict form: EF (Black sends Move & White sends Move)  (5 states, 5 steps)
              no single run shows it: it asks for the existence of runs
        "#]],
    );
}

#[test]
fn mistakes_in_formulas_are_told_at_once() {
    check_failure(
        door().ltl("G !(gest sends Open)").ctl("F (host receives Bel)"),
        &expect![[r#"
            `door` cannot be checked

            error[V001]: the module has no role `gest`
             --> question 1:1:5
              |
            1 | G !(gest sends Open)
              |     ^^^^^^^^^^^^^^^
              |
              = help: did you mean `guest`?
            error[V001]: the module has no message `Bel`
             --> question 2:1:4
              |
            1 | F (host receives Bel)
              |    ^^^^^^^^^^^^^^^^^
              |
              = help: did you mean `Bell`?
        "#]],
    );
    check_failure(
        chess().ltl("AG EF (White sends Move)"),
        &expect![[r#"
            `chess` cannot be checked

            error[V002]: this formula has path quantifiers
             --> question 1:1:1
              |
            1 | AG EF (White sends Move)
              | ^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: ask it with `ctl`
        "#]],
    );
    check_failure(
        chess().ltl("G !(Withe sends Move)"),
        &expect![[r#"
            `chess` cannot be checked

            error[Q103]: there is no role `Withe`
             --> question 1:1:5
              |
            1 | G !(Withe sends Move)
              |     ^^^^^ not declared
              |
              = help: declare it, or correct the name
        "#]],
    );
}

#[test]
fn queues_are_bounded_or_a_run_shows_more() {
    let counter = || subject(origin("counter.dcj", COUNTER, "counter", &[]));
    counter().at_most(1).assert();
    chess().bounded().assert();
    check_failure(
        counter().only(Form::Liberal).bounded(),
        &expect![[r#"
        `counter` does not do what is asked of it

        violated in the liberal form: no sender waits for room in a queue  (2 states, 2 steps)
          with one more place in each queue it could: do "clock sends Tick to display", do "clock sends Tick to display"
    "#]],
    );
    check_failure(
        counter().only(Form::Liberal).at_most(0),
        &expect![[r#"
            `counter` does not do what is asked of it

            violated in the liberal form: at most 0 messages under way between two roles  (2 states, 2 steps)
              1 message is under way from clock to display

                 clock      display
              1    ├─── Tick ▷ │

            replay it: verify().replay(Form::Liberal, &[
                "clock sends Tick to display",
            ]).unwrap();
        "#]],
    );
}

#[test]
fn how_a_module_conforms_is_told() {
    let found = |subject: Subject<Letter>| {
        let report = subject.conforms().report();
        report.forms.into_iter().map(|form| form.findings[0].answer.clone()).collect::<Vec<_>>()
    };
    let same = Answer::Conforms(Conformance::Protocol);
    assert_eq!(found(chess()), [same.clone(), same.clone()]);
    // `c` cannot know when `a` has sent; its module waits for no role.
    let hasty = subject(origin("hasty.dcj", HASTY, "hasty", &[]));
    let other = Answer::Conforms(Conformance::Projection { within_protocol: false });
    assert_eq!(found(hasty), [same, other]);
}

#[test]
fn a_bound_is_a_failure() {
    let limits = Limits { states: Some(2), ..Limits::default() };
    check_failure(
        chess().only(Form::Strict).limits(limits).no_deadlock(),
        &expect![[r#"
        `chess` does not do what is asked of it

        unknown in the strict form: no deadlock  (0 states, 0 steps)
          the bound of 2 states was reached
    "#]],
    );
}

#[test]
fn a_fault_fails_every_question() {
    let spoilt = |fault: InjectedFault| {
        let mut subject = chess();
        let is_first = |act: &Act| act.text == "White sends Move to Black";
        let first = subject.modules[0].1.plan().acts.iter().position(is_first);
        let act = ActId(first.expect("White begins") as u32);
        subject.modules = subject
            .modules
            .into_iter()
            .map(|(form, module)| (form, module.inject(FaultInjection { act, fault })))
            .collect();
        subject.only(Form::Liberal).ltl("!(Black sends Move) U (Black receives Move)")
    };
    check_failure(
        spoilt(InjectedFault::SkipWakeUp),
        &expect![[r#"
            `chess` does not do what is asked of it

            fault in the liberal form: `Black` waits and is not woken by: White sends Move to Black
              at the start, before anything happens

            what was found beside that is worth nothing
        "#]],
    );
    check_failure(
        spoilt(InjectedFault::LoseMessage),
        &expect![[r#"
            `chess` does not do what is asked of it

            fault in the liberal form: a message was lost, doubled or misplaced by: White sends Move to Black
              at the start, before anything happens

            what was found beside that is worth nothing
        "#]],
    );
}

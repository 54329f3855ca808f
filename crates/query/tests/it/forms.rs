//! The liberal form of small protocols: what its queues hold and whether it does what the protocol says.

use expect_test::{Expect, expect};
use quadrille_engine::{Limits, unobserved};
use quadrille_protocol::project::Queues;
use quadrille_query::protocol::{Explored, Faithfulness, InFlight, Which, liberal};

use crate::protocol::{protocol, rendered};

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(body: &str, expected: Expect) {
    let session = protocol(body);
    let explored =
        Explored::new(&session.model, Limits::default(), &mut unobserved).expect("small");
    let limits = Limits { states: Some(10_000), ..Limits::default() };
    let report = liberal(&explored, &Queues::PerPair, limits, &mut unobserved).expect("small");
    let mut shown = match &report.in_flight {
        InFlight::Bounded(most) => {
            let channels = most.iter().enumerate();
            let name = |channel| report.liberal.channel_name(channel);
            channels.map(|(channel, most)| format!("{} ≤ {most}\n", name(channel))).collect()
        }
        InFlight::Unbounded(pump) => {
            format!("{} grows\n", report.liberal.channel_name(pump.channel))
        }
        InFlight::Unknown(bound) => format!("{bound:?}\n"),
    };
    match &report.faithfulness {
        Faithfulness::Differs(deviation) => {
            let replayed = match deviation.which {
                Which::Added => deviation.trace.replay(&report.liberal),
                Which::Lost => deviation.trace.replay(explored.global()),
            };
            assert_eq!(replayed, Ok(()));
        }
        Faithfulness::Reordered(deviation) => {
            assert_eq!(deviation.trace.replay(&report.liberal), Ok(()));
        }
        other => shown += &format!("{other:?}\n"),
    }
    shown += &rendered(&session.sources, &report.diagnostics);
    expected.assert_eq(&shown);
}

#[test]
fn turns_are_faithful() {
    check(
        "(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))",
        expect![[r#"
            a->b ≤ 1
            b->a ≤ 1
            Faithful
        "#]],
    );
    check(
        "(s/par (s/-->> A ::p ::r) (s/-->> B ::q ::r))",
        expect![[r#"
        p->r ≤ 1
        q->r ≤ 1
        Faithful
    "#]],
    );
}

#[test]
fn who_is_not_told_to_wait_does_not() {
    check(
        "  (s/cat (s/-->> X ::a ::b)\n         (s/-->> Y ::c ::d))",
        expect![[r#"
            a->b ≤ 1
            c->d ≤ 1
            note[L029]: the liberal form is the same as the protocol up to reordering
             --> p.dcj:3:10
              |
            3 |          (s/-->> Y ::c ::d)))
              |          ^^^^^^^^^^^^^^^^^^ may happen before what other roles do first in the protocol
              |
              = note: each role keeps its own order, every message is received where the protocol has it, and no role gets stuck
        "#]],
    );
}

#[test]
fn two_who_decide() {
    check(
        "  (s/alt (s/-->> X ::a ::b)\n         (s/-->> Y ::b ::a))",
        expect![[r#"
            a->b ≤ 1
            b->a ≤ 1
            warning[L020]: the liberal form allows `b sends Y to a` where the protocol does not
             --> p.dcj:3:10
              |
            2 |   (s/alt (s/-->> X ::a ::b)
              |          ------------------ the protocol goes on here
            3 |          (s/-->> Y ::b ::a)))
              |          ^^^^^^^^^^^^^^^^^^ happens out of turn
              |
              = note: after: a sends X to b
              = note: `b` cannot tell from what it has done so far that it must wait
              = help: send a message to the role that must wait, or run the strict form
        "#]],
    );
}

#[test]
fn an_end_that_nobody_is_told_of() {
    check(
        "  (s/cat (s/--> X ::a ::b)\n         (s/close ::b ::a))",
        expect![[r#"
        Faithful
    "#]],
    );
}

#[test]
fn a_sender_that_does_not_wait() {
    check(
        "  (s/ω (s/-->> Tick ::clock ::display))",
        expect![[r#"
            clock->display grows
            warning[L022]: the queue clock->display can grow for ever in the liberal form
             --> p.dcj:2:8
              |
            2 |   (s/ω (s/-->> Tick ::clock ::display)))
              |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ repeated without waiting
              |
              = note: after: clock sends Tick to display
              = note: can be repeated for ever: clock sends Tick to display
              = help: let the receiver answer before the sender goes on
            warning[L020]: the liberal form allows `clock sends Tick to display` where the protocol does not
             --> p.dcj:2:8
              |
            2 |   (s/ω (s/-->> Tick ::clock ::display)))
              |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ happens out of turn
              |
              = note: after: clock sends Tick to display
              = note: `clock` cannot tell from what it has done so far that it must wait
              = help: send a message to the role that must wait, or run the strict form
        "#]],
    );
    check(
        "  (s/cat (s/-->> Start ::a ::b)\n         (s/ω (s/cat (s/-->> M ::a ::b) (s/-->> N ::b ::c))))",
        expect![[r#"
            a->b grows
            warning[L022]: the queue a->b can grow for ever in the liberal form
             --> p.dcj:3:22
              |
            3 |          (s/ω (s/cat (s/-->> M ::a ::b) (s/-->> N ::b ::c)))))
              |                      ^^^^^^^^^^^^^^^^^^ repeated without waiting
              |
              = note: after: a sends Start to b
              = note: can be repeated for ever: a sends M to b
              = help: let the receiver answer before the sender goes on
            warning[L020]: the liberal form allows `a sends M to b` where the protocol does not
             --> p.dcj:3:22
              |
            2 |   (s/cat (s/-->> Start ::a ::b)
              |          ---------------------- the protocol goes on here
            3 |          (s/ω (s/cat (s/-->> M ::a ::b) (s/-->> N ::b ::c)))))
              |                      ^^^^^^^^^^^^^^^^^^ happens out of turn
              |
              = note: after: a sends Start to b
              = note: `a` cannot tell from what it has done so far that it must wait
              = help: send a message to the role that must wait, or run the strict form
        "#]],
    );
}

/// Each round may be the last, so that a queue is always made longest by a run that is no loop.
#[test]
fn a_queue_that_grows_is_noticed_though_other_runs_make_it_grow_first() {
    check(
        "  (s/par (s/-->> M ::b ::a) (s/cat (s/* (s/-->> N ::a ::c)) (s/-->> M ::a ::c)))",
        expect![[r#"
            a->c grows
            warning[L022]: the queue a->c can grow for ever in the liberal form
             --> p.dcj:2:41
              |
            2 |   (s/par (s/-->> M ::b ::a) (s/cat (s/* (s/-->> N ::a ::c)) (s/-->> M ::a ::c))))
              |                                         ^^^^^^^^^^^^^^^^^^ repeated without waiting
              |
              = note: after: a sends N to c
              = note: can be repeated for ever: a sends N to c
              = help: let the receiver answer before the sender goes on
            warning[L020]: the liberal form allows `a sends N to c` where the protocol does not
             --> p.dcj:2:41
              |
            2 |   (s/par (s/-->> M ::b ::a) (s/cat (s/* (s/-->> N ::a ::c)) (s/-->> M ::a ::c))))
              |          ------------------             ^^^^^^^^^^^^^^^^^^ happens out of turn
              |          |
              |          the protocol goes on here
              |
              = note: after: a sends N to c
              = note: `a` cannot tell from what it has done so far that it must wait
              = help: send a message to the role that must wait, or run the strict form
        "#]],
    );
}

#[test]
fn messages_that_overtake() {
    check(
        "  (s/par (s/-->> M ::a ::b)\n         (s/-->> N ::a ::b))",
        expect![[r#"
        a->b ≤ 2
        warning[L021]: the liberal form does not allow `b receives N from a` where the protocol does
         --> p.dcj:3:10
          |
        2 |   (s/par (s/-->> M ::a ::b)
          |          ------------------ the protocol goes on here
        3 |          (s/-->> N ::a ::b)))
          |          ^^^^^^^^^^^^^^^^^^ cannot happen there
          |
          = note: after: a sends M to b; a sends N to b
          = help: let messages be received in the order they are sent, or run the strict form
    "#]],
    );
}

#[test]
fn branches_that_begin_alike() {
    check(
        "  (s/alt (s/cat (s/-->> M ::a ::b) (s/-->> X ::b ::a))\n         (s/cat (s/-->> M ::a ::b) (s/-->> Y ::b ::a)))",
        expect![[r#"
            a->b ≤ 1
            b->a ≤ 1
            Faithful
        "#]],
    );
}

//! What roles are told when something goes wrong: always an error that names role, state and awaited action,
//! never silence.

use std::thread;
use std::time::Duration;

use expect_test::{Expect, expect};
use quadrille_runtime::plan::{LabelId, RoleId};
use quadrille_runtime::{Cause, Error, Form};

use crate::support::{Named, Note, UNKNOWN, both, both_quad, soon};

const TURNS: &str = "(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))";
const MEETINGS: &str = "(s/* (s/cat (s/--> Ask ::a ::b) (s/--> Say ::b ::a)))";

/// What a role is told in both forms.
fn check(body: &str, play: impl Fn(&Named) -> Error + Send + Copy + 'static, expected: &Expect) {
    let told = both(body).map(|module| {
        let form = module.form;
        format!("{form:?}: {}\n", soon(move || play(&module)))
    });
    expected.assert_eq(&told.concat());
}

#[test]
fn a_role_that_is_dropped_before_its_end() {
    check(
        TURNS,
        |module| {
            let ([mut a, mut b], waits) = module.observed(["a", "b"]);
            a.send(module.note("Ask", 0), None).expect("sent");
            b.recv(None).expect("asked");
            let told = thread::spawn(move || a.recv(None).expect_err("nobody answers"));
            waits.until(1);
            drop(b);
            told.join().expect("no panic")
        },
        &expect![[r#"
            Strict: `a` in state 2, waiting for Say from b: `b` was dropped in state 2 before its end
            Liberal: `a` in state 1, waiting for Say from b: `b` was dropped in state 1 before its end
        "#]],
    );
}

#[test]
fn a_role_that_panics() {
    check(
        TURNS,
        |module| {
            let [mut a, mut b] = module.roles(["a", "b"]);
            a.send(module.note("Ask", 0), None).expect("sent");
            let panics = thread::spawn(move || {
                b.recv(None).expect("asked");
                std::panic::resume_unwind(Box::new("on purpose"));
            });
            let error = a.recv(None).expect_err("nobody answers");
            panics.join().expect_err("on purpose");
            error
        },
        &expect![[r#"
            Strict: `a` in state 2, waiting for Say from b: `b` panicked in state 2
            Liberal: `a` in state 1, waiting for Say from b: `b` panicked in state 1
        "#]],
    );
}

#[test]
fn messages_that_were_sent_arrive_before_the_error() {
    for module in both("(s/cat (s/-->> M ::a ::b) (s/-->> N ::a ::b) (s/-->> O ::a ::b))") {
        soon(move || {
            let [mut a, mut b] = module.roles(["a", "b"]);
            a.send(module.note("M", 1), None).expect("sent");
            if module.form == Form::Liberal {
                a.send(module.note("N", 2), None).expect("sent");
            }
            drop(a);
            assert_eq!(b.recv(None).expect("sent before").payload.1, 1);
            if module.form == Form::Liberal {
                assert_eq!(b.recv(None).expect("sent before").payload.1, 2);
            }
            let error = b.recv(None).expect_err("nothing more comes");
            assert!(matches!(error.cause, Cause::Dropped { .. }), "{error}");
        });
    }
}

#[test]
fn a_peer_that_has_finished() {
    check(
        TURNS,
        |module| {
            let ([a, mut b], waits) = module.observed(["a", "b"]);
            let told = thread::spawn(move || b.recv(None).expect_err("nobody asks"));
            waits.until(1);
            a.finish().expect("it may end here");
            told.join().expect("no panic")
        },
        &expect![[r#"
            Strict: `b` in state 0, waiting for Ask from a: `a` has finished
            Liberal: `b` in state 0, waiting for Ask from a: `a` has finished
        "#]],
    );
    check(
        TURNS,
        |module| {
            let [mut a, b] = module.roles(["a", "b"]);
            b.finish().expect("it may end here");
            a.send(module.note("Ask", 0), None).expect_err("nobody listens")
        },
        &expect![[r#"
            Strict: `a` in state 0, sending Ask to b: `b` has finished
            Liberal: `a` in state 0, sending Ask to b: `b` has finished
        "#]],
    );
}

#[test]
fn a_peer_that_has_closed() {
    check(
        "(s/alt (s/cat (s/-->> M ::a ::b) (s/close ::a ::b)) (s/close ::a ::b))",
        |module| {
            let ([mut a, mut b], waits) = module.observed(["a", "b"]);
            let told = thread::spawn(move || b.recv(None).expect_err("closed"));
            waits.until(1);
            a.close(RoleId(1)).expect("closed");
            told.join().expect("no panic")
        },
        &expect![[r#"
            Strict: `b` in state 2, waiting for a message: `a` has closed its channel
            Liberal: `b` in state 0, waiting for M from a: `a` has closed its channel
        "#]],
    );
}

#[test]
fn a_time_out() {
    let brief = Duration::from_millis(3);
    check(
        TURNS,
        move |module| {
            let [_a, mut b] = module.roles(["a", "b"]);
            b.set_timeout(Some(brief));
            b.recv(None).expect_err("nobody asks")
        },
        &expect![[r#"
            Strict: `b` in state 0, waiting for Ask from a: timed out
            Liberal: `b` in state 0, waiting for Ask from a: timed out
        "#]],
    );
    check(
        MEETINGS,
        move |module| {
            let [mut a, _b] = module.roles(["a", "b"]);
            a.set_timeout(Some(brief));
            a.send(module.note("Ask", 0), None).expect_err("nobody is there")
        },
        &expect![[r#"
            Strict: `a` in state 0, sending Ask to b: timed out
            Liberal: `a` in state 0, sending Ask to b: timed out
        "#]],
    );
}

#[test]
fn a_wrong_message_or_call() {
    check(
        TURNS,
        |module| {
            let [mut a, _b] = module.roles(["a", "b"]);
            a.send(module.note("Say", 0), None).expect_err("not its message")
        },
        &expect![[r#"
            Strict: `a` in state 0, sending Say: the protocol does not allow sending Say here; allowed: a sends Ask to b
            Liberal: `a` in state 0, sending Say: the protocol does not allow sending Say here; allowed: a sends Ask to b
        "#]],
    );
    check(
        TURNS,
        |module| {
            let [mut a, _b] = module.roles(["a", "b"]);
            a.send(module.note("Ask", 0), None).expect("sent");
            a.send(module.note("Ask", 0), Some(module.id("b"))).expect_err("not its turn")
        },
        &expect![[r#"
            Strict: `a` in state 1, sending Ask to b: the protocol does not allow sending Ask to b here; allowed: a receives Say from b
            Liberal: `a` in state 1, sending Ask to b: the protocol does not allow sending Ask to b here; allowed: a receives Say from b
        "#]],
    );
    check(
        TURNS,
        |module| {
            let [mut a, _b] = module.roles(["a", "b"]);
            a.recv(None).expect_err("it must ask first")
        },
        &expect![[r#"
            Strict: `a` in state 0, waiting for a message: the protocol does not allow receiving here; allowed: a sends Ask to b
            Liberal: `a` in state 0, waiting for a message: the protocol does not allow receiving here; allowed: a sends Ask to b
        "#]],
    );
    check(
        TURNS,
        |module| {
            let [mut a, _b] = module.roles(["a", "b"]);
            a.close(RoleId(9)).expect_err("nobody")
        },
        &expect![[r#"
            Strict: `a` in state 0, closing the channel to an unknown role: the protocol does not allow closing the channel to an unknown role here; allowed: a sends Ask to b
            Liberal: `a` in state 0, closing the channel to an unknown role: the protocol does not allow closing the channel to an unknown role here; allowed: a sends Ask to b
        "#]],
    );
    check(
        TURNS,
        |module| {
            let [mut a, _b] = module.roles(["a", "b"]);
            a.local_step(LabelId(77)).expect_err("nothing")
        },
        &expect![[r#"
            Strict: `a` in state 0, performing an unknown message: the protocol does not allow the local step an unknown message here; allowed: a sends Ask to b
            Liberal: `a` in state 0, performing an unknown message: the protocol does not allow the local step an unknown message here; allowed: a sends Ask to b
        "#]],
    );
}

#[test]
fn a_wrong_content() {
    check(
        TURNS,
        |module| {
            let [mut a, _b] = module.roles(["a", "b"]);
            a.send(Note(UNKNOWN, 0), None).expect_err("unknown")
        },
        &expect![[r#"
            Strict: `a` in state 0, sending an unknown message: the protocol has no message with this content; allowed: a sends Ask to b
            Liberal: `a` in state 0, sending an unknown message: the protocol has no message with this content; allowed: a sends Ask to b
        "#]],
    );
}

#[test]
fn finishing_where_it_is_not_an_end() {
    check(
        TURNS,
        |module| {
            let [mut a, b] = module.roles(["a", "b"]);
            a.send(module.note("Ask", 0), None).expect("sent");
            drop(b);
            a.finish().expect_err("an answer is due")
        },
        &expect![[r#"
            Strict: `a` in state 1, finishing: the protocol does not allow finishing here; allowed: a receives Say from b
            Liberal: `a` in state 1, finishing: the protocol does not allow finishing here; allowed: a receives Say from b
        "#]],
    );
}

/// Both roles wait for something that only the other could do.
#[test]
fn a_deadlock_is_reported_to_everybody_in_the_strict_form() {
    let body = "(s/alt (s/cat (s/--> M ::a ::b) (s/--> X ::a ::b)) (s/cat (s/--> N ::b ::a) (s/--> Y ::b ::a)))";
    let [strict, _] = both(body);
    let told = soon(move || {
        let [mut a, mut b] = strict.roles(["a", "b"]);
        let other = thread::spawn(move || b.recv(None).expect_err("deadlock"));
        let error = a.recv(None).expect_err("deadlock");
        format!("{error}\n{}\n", other.join().expect("no panic"))
    });
    expect![[r#"
        `a` in state 0, waiting for N from b: deadlock: `a` in state 0 is waiting for N from b; `b` in state 0 is waiting for M from a
        `b` in state 0, waiting for M from a: deadlock: `a` in state 0 is waiting for N from b; `b` in state 0 is waiting for M from a
    "#]].assert_eq(&told);
}

#[test]
fn a_chain_of_roles_comes_down_when_one_leaves() {
    let body = "(s/* (s/cat (s/-->> M ::a ::b) (s/-->> N ::b ::c) (s/-->> O ::c ::a)))";
    for module in both(body) {
        let told = soon(move || {
            let ([mut a, mut b, mut c], waits) = module.observed(["a", "b", "c"]);
            a.send(module.note("M", 0), None).expect("sent");
            b.recv(None).expect("received");
            let told = [
                thread::spawn(move || a.recv(None).expect_err("nothing comes")),
                thread::spawn(move || c.recv(None).expect_err("nothing comes")),
            ];
            waits.until(2);
            drop(b);
            told.map(|told| told.join().expect("no panic"))
        });
        for error in told {
            assert!(matches!(error.cause, Cause::Dropped { .. }), "{error}");
        }
    }
}

/// Everybody who is left waits for somebody else who is there: only together can they know that it is over.
#[test]
fn roles_that_wait_for_each_other_after_somebody_left() {
    let text = "message M, N; role a, b, c, d; protocol p { repeat forever { either
        { M from a to b; M from b to c; N from c to d; } or { M from d to b; M from c to b; N from b to a; } } }";
    let [_, liberal] = both_quad(text);
    let told = soon(move || {
        let ([a, mut b, mut c, mut d], waits) = liberal.observed(["a", "b", "c", "d"]);
        let told = [
            thread::spawn(move || b.recv(None).expect_err("nothing comes")),
            thread::spawn(move || c.recv(None).expect_err("nothing comes")),
            thread::spawn(move || d.recv(None).expect_err("nothing comes")),
        ];
        waits.until(3);
        drop(a);
        told.map(|told| told.join().expect("no panic"))
    });
    for error in told {
        assert!(matches!(error.cause, Cause::Dropped { .. }), "{error}");
    }
}

/// After one role has left others go on as long as they do not need it.
#[test]
fn others_go_on_without_a_role_that_left() {
    let text = "message M; role a, b, c; protocol p { par { repeat forever { M from a to b; M from b to a; } } and
        { repeat forever { M from c to b; } } }";
    for module in both_quad(text) {
        soon(move || {
            let [mut a, mut b, c] = module.roles(["a", "b", "c"]);
            drop(c);
            let m = module.label("M");
            let (me, it) = (module.id("a"), module.id("b"));
            let other = thread::spawn(move || {
                for _ in 0..200 {
                    b.recv(Some(me)).expect("received");
                    b.send(Note(m, 0), Some(me)).expect("sent");
                }
                b
            });
            for _ in 0..200 {
                a.send(Note(m, 0), Some(it)).expect("sent");
                a.recv(None).expect("received");
            }
            drop(other.join().expect("no panic"));
        });
    }
}

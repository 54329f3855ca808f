//! What roles are told when something goes wrong: always an error that names role, state and awaited action,
//! never silence.

use std::thread;

use expect_test::{Expect, expect};
use quadrille_runtime::Error;

use crate::support::{Named, both, soon};

const TURNS: &str = "(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))";

/// What comes of something in both forms.
fn check(body: &str, play: impl Fn(&Named) -> Error, expected: &Expect) {
    let told = both(body).map(|module| format!("{:?}: {}\n", module.form, play(&module)));
    expected.assert_eq(&told.concat());
}

#[test]
fn a_role_that_is_dropped_before_its_end() {
    check(
        TURNS,
        |module| {
            let [mut a, b] = module.roles(["a", "b"]);
            a.send(module.note("Ask", 0), None).expect("sent");
            let waits = thread::spawn(move || a.recv(None).expect_err("nobody answers"));
            thread::yield_now();
            soon(move || {
                let mut b = b;
                b.recv(None).expect("asked");
                drop(b);
                waits.join().expect("no panic")
            })
        },
        &expect![[r#"
            Strict: `a` in state 2, waiting for Say from b: `b` was dropped in state 2 before its end
            Liberal: `a` in state 1, waiting for Say from b: `b` was dropped in state 1 before its end
        "#]],
    );
}

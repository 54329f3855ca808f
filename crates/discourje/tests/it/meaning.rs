//! Texts that can be read but mean nothing: unknown names, evaluation that fails, bad arguments.

use expect_test::{Expect, expect};

use crate::{check, check_body, said};

#[test]
fn unknown_sessions_roles_loops_and_wrong_counts() {
    check_body(
        "(::other 1)",
        expect![[r#"
        error[D007]: there is no session `other`
         --> main.dcj:2:3
          |
        2 |   (::other 1))
          |   ^^^^^^^^^^^ not defined
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(::main 1 2)",
        expect![[r#"
        error[D008]: session `main` takes 0 arguments, and 2 are given
         --> main.dcj:2:3
          |
        2 |   (::main 1 2))
          |   ^^^^^^^^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> Long ::a 5)",
        expect![[r#"
        error[D009]: expected a role
         --> main.dcj:2:19
          |
        2 |   (s/--> Long ::a 5))
          |                   ^ not a role
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> Long ::a nobody)",
        expect![[r#"
        error[D009]: expected a role
         --> main.dcj:2:19
          |
        2 |   (s/--> Long ::a nobody))
          |                   ^^^^^^ not a role
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> Long ::a (::b \"x\"))",
        expect![[r#"
        error[D009]: the index of a role is an integer, not a string
         --> main.dcj:2:24
          |
        2 |   (s/--> Long ::a (::b "x")))
          |                        ^^^ no integer
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/recur nowhere)",
        expect![[r#"
        error[D010]: there is no loop of this name around
         --> main.dcj:2:3
          |
        2 |   (s/recur nowhere))
          |   ^^^^^^^^^^^^^^^^^ nowhere to go on
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/loop l [x 1] (s/--> x ::a ::b) (s/recur l 1 2))",
        expect![[r#"
        error[D008]: the loop has 1 variables, and 2 values are given
         --> main.dcj:2:37
          |
        2 |   (s/loop l [x 1] (s/--> x ::a ::b) (s/recur l 1 2)))
          |                                     ^^^^^^^^^^^^^^^ goes on with these
          |
          = note: while unfolding `l(1)`
    "#]],
    );
    check(
        "(s/defsession ::other [] (s/end))",
        expect![[r#"
            error[D007]: there is no session `main`
             --> main.dcj:1:1
              |
            1 | (s/defsession ::other [] (s/end))
              | ^ not defined here
              |
              = help: sessions here are: other
        "#]],
    );
}

#[test]
fn evaluation_that_fails() {
    check_body(
        "(s/--> Long ::a ::b) (s/if (= 1 (/ 1 0)) (s/end))",
        expect![[r#"
        error[D013]: division by zero
         --> main.dcj:2:35
          |
        2 |   (s/--> Long ::a ::b) (s/if (= 1 (/ 1 0)) (s/end)))
          |                                   ^^^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/alt-every [i 5] (s/--> i ::a ::b))",
        expect![[r#"
        error[D013]: 5 is no collection
         --> main.dcj:2:16
          |
        2 |   (s/alt-every [i 5] (s/--> i ::a ::b)))
          |                ^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> (foo) ::a ::b)",
        expect![[r#"
        error[D011]: `foo` has no meaning here
         --> main.dcj:2:11
          |
        2 |   (s/--> (foo) ::a ::b))
          |           ^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check(
        "(defn f [x] (f x))\n(s/defsession ::main [] (s/if (f 1) (s/end)))",
        expect![[r#"
        error[D014]: evaluation is nested too deeply
         --> main.dcj:1:13
          |
        1 | (defn f [x] (f x))
          |             ^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check(
        "(s/defsession ::main [] (::up 0))\n(s/defsession ::up [n] (::up (inc n)))",
        expect![[r#"
            error[P001]: no action comes before `up(999)`
             --> main.dcj:2:1
              |
            2 | (s/defsession ::up [n] (::up (inc n)))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unfolded again and again without an action
              |
              = help: put an action before the recursive call, or give the recursion an end
        "#]],
    );
    check(
        "(defn p [] (p))\n(s/defsession ::main [] (p))",
        expect![[r#"
        error[D014]: a function that makes a protocol calls itself without end
         --> main.dcj:1:12
          |
        1 | (defn p [] (p))
          |            ^^^ use a session instead
          |
          = note: while unfolding `main()`
    "#]],
    );
}

#[test]
fn bad_arguments() {
    let text = "(s/defsession ::main [n] (s/end))";
    let check = |arguments: &[&str], expected: Expect| {
        expected.assert_eq(&said(text, arguments));
    };
    check(
        &[],
        expect![[r#"
            error[D008]: session `main` takes 1 argument, and 0 are given
             --> main.dcj:1:1
              |
            1 | (s/defsession ::main [n] (s/end))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ takes [n]
              |
              = help: give as many arguments as it has, in order
        "#]],
    );
    check(
        &["1", "2"],
        expect![[r#"
            error[D008]: session `main` takes 1 argument, and 2 are given
             --> main.dcj:1:1
              |
            1 | (s/defsession ::main [n] (s/end))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ takes [n]
              |
              = help: give as many arguments as it has, in order
        "#]],
    );
    check(
        &["(/ 1 0)"],
        expect![[r#"
        error[D013]: division by zero
         --> argument 1:1:1
          |
        1 | (/ 1 0)
          | ^^^^^^^
    "#]],
    );
    check(
        &["1 2"],
        expect![[r#"
        error[D015]: an argument is one value
         --> argument 1:1:1
          |
        1 | 1 2
          | ^^^ expected one form
    "#]],
    );
    check(
        &["three"],
        expect![[r#"
        error[D011]: `three` has no meaning here
         --> argument 1:1:1
          |
        1 | three
          | ^^^^^
    "#]],
    );
    check(
        &["("],
        expect![[r#"
        error[D001]: `)` is missing
         --> argument 1:1:1
          |
        1 | (
          | ^ opened here, never closed
    "#]],
    );
}

//! Texts that cannot be read: brackets, definitions, forms.

use expect_test::expect;

use crate::{check, check_body, said};

#[test]
fn unreadable_text() {
    check(
        "(s/defsession ::main [",
        expect![[r#"
        error[D001]: `]` is missing
         --> main.dcj:1:22
          |
        1 | (s/defsession ::main [
          |                      ^ opened here, never closed
        error[D001]: `)` is missing
         --> main.dcj:1:1
          |
        1 | (s/defsession ::main [
          | ^ opened here, never closed
    "#]],
    );
    check(
        "(s/defsession ::main [] (s/end]))",
        expect![[r#"
        error[D001]: expected `)`, found `]`
         --> main.dcj:1:31
          |
        1 | (s/defsession ::main [] (s/end]))
          |                         -     ^ does not match
          |                         |
          |                         opened here
        error[D001]: `)` closes nothing
         --> main.dcj:1:33
          |
        1 | (s/defsession ::main [] (s/end]))
          |                                 ^ nothing is open here
    "#]],
    );
    check(
        ")",
        expect![[r#"
        error[D001]: `)` closes nothing
         --> main.dcj:1:1
          |
        1 | )
          | ^ nothing is open here
    "#]],
    );
    check(
        "(def x \"open",
        expect![[r#"
        error[D001]: a string does not end
         --> main.dcj:1:8
          |
        1 | (def x "open
          |        ^ starts here
        error[D001]: `)` is missing
         --> main.dcj:1:1
          |
        1 | (def x "open
          | ^ opened here, never closed
    "#]],
    );
    check(
        "(def x 12abc)",
        expect![[r#"
        error[D001]: not a number
         --> main.dcj:1:8
          |
        1 | (def x 12abc)
          |        ^^^^^ not a 64-bit integer, ratio or decimal number
    "#]],
    );
    check(
        "(def x `(a ~b))",
        expect![[r#"
            warning[D011]: `syntax-quote` has no meaning here
             --> main.dcj:1:8
              |
            1 | (def x `(a ~b))
              |        ^
            error[D007]: there is no session `main`
             --> main.dcj:1:1
              |
            1 | (def x `(a ~b))
              | ^ not defined here
              |
              = help: define one: `(s/defsession ::name [] …)`
        "#]],
    );
    check(
        "(def x {:a})",
        expect![[r#"
        error[D001]: a map has a key without a value
         --> main.dcj:1:8
          |
        1 | (def x {:a})
          |        ^^^^
    "#]],
    );
    check(
        "(def x #?(:clj 1))",
        expect![[r#"
        error[D012]: this reader form is not supported
         --> main.dcj:1:8
          |
        1 | (def x #?(:clj 1))
          |        ^^ known are `#{…}`, `#(…)`, `#_`, `#"…"`, `#'`
    "#]],
    );
    check(
        "(def x #(#(1)))",
        expect![[r#"
        error[D001]: `#(…)` inside `#(…)`
         --> main.dcj:1:10
          |
        1 | (def x #(#(1)))
          |          ^^ use `fn` here
    "#]],
    );
    check(
        "(def x \\nosuch)",
        expect![[r#"
        error[D001]: unknown character
         --> main.dcj:1:9
          |
        1 | (def x \nosuch)
          |         ^^^^^^
    "#]],
    );
    check(
        "(def x ')",
        expect![[r#"
        error[D001]: a form is missing before `)`
         --> main.dcj:1:8
          |
        1 | (def x ')
          |        ^ belongs to no form
    "#]],
    );
}

#[test]
fn deep_nesting_is_refused() {
    let text = format!("(def x {}{})", "[".repeat(100_000), "]".repeat(100_000));
    assert!(said(&text, &[]).starts_with("error[D002]: forms are nested too deeply"));
}

#[test]
fn bad_definitions() {
    check(
        "(s/defsession main)",
        expect![[r#"
        error[D003]: a session needs a name and parameters
         --> main.dcj:1:1
          |
        1 | (s/defsession main)
          | ^^^^^^^^^^^^^^^^^^^ write `(s/defsession ::name [parameter …] protocol …)`
    "#]],
    );
    check(
        "(s/defsession ::main [x x 5] (s/end))",
        expect![[r#"
        error[D003]: two parameters have one name
         --> main.dcj:1:25
          |
        1 | (s/defsession ::main [x x 5] (s/end))
          |                         ^
        error[D003]: a parameter is a name
         --> main.dcj:1:27
          |
        1 | (s/defsession ::main [x x 5] (s/end))
          |                           ^ not a name
    "#]],
    );
    check(
        "(s/defrole 5)",
        expect![[r#"
        error[D003]: a role needs a name
         --> main.dcj:1:1
          |
        1 | (s/defrole 5)
          | ^^^^^^^^^^^^^ write `(s/defrole ::name)`
    "#]],
    );
    check(
        "(defn f 5)\n(defn 5 [x] x)",
        expect![[r#"
        error[D003]: a function needs parameters
         --> main.dcj:1:1
          |
        1 | (defn f 5)
          | ^^^^^^^^^^ write `(defn name [x] …)`
        error[D003]: a function needs a name
         --> main.dcj:2:1
          |
        2 | (defn 5 [x] x)
          | ^^^^^^^^^^^^^^ write `(defn name [x] …)`
    "#]],
    );
    check(
        "(a/thread 1)\n(s/defsession ::main [] (s/end))",
        expect![[r#"
        warning[D004]: this form is passed over
         --> main.dcj:1:1
          |
        1 | (a/thread 1)
          | ^^^^^^^^^^^^ neither a role, a session nor a function
    "#]],
    );
    check(
        "(def x (rand))\n(s/defsession ::main [] (s/end))",
        expect![[r#"
        warning[D012]: `rand` is not part of the pure language
         --> main.dcj:1:8
          |
        1 | (def x (rand))
          |        ^^^^^^
    "#]],
    );
}

#[test]
fn bad_forms() {
    check_body(
        "(s/frobnicate ::a ::b)",
        expect![[r#"
        error[D005]: `s/frobnicate` is not a form that describes a protocol
         --> main.dcj:2:3
          |
        2 |   (s/frobnicate ::a ::b))
          |   ^^^^^^^^^^^^^^^^^^^^^^ not known to Discourje's language
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "5",
        expect![[r#"
        error[D005]: expected a protocol
         --> main.dcj:2:3
          |
        2 |   5)
          |   ^ not an action, a sequence, a choice or the like
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/--> Long ::a)",
        expect![[r#"
        error[D009]: expected a role
         --> main.dcj:2:10
          |
        2 |   (s/--> Long ::a))
          |          ^^^^ not a role
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/alt-every [i] (s/end))",
        expect![[r#"
        error[D006]: expected pairs of a name and a collection
         --> main.dcj:2:16
          |
        2 |   (s/alt-every [i] (s/end)))
          |                ^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/loop 5 [x 1] (s/end))",
        expect![[r#"
        error[D006]: this form has the wrong parts
         --> main.dcj:2:3
          |
        2 |   (s/loop 5 [x 1] (s/end)))
          |   ^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/loop l [x] (s/end))",
        expect![[r#"
        error[D006]: expected pairs of a name and a value
         --> main.dcj:2:13
          |
        2 |   (s/loop l [x] (s/end)))
          |             ^^^
          |
          = note: while unfolding `main()`
    "#]],
    );
    check_body(
        "(s/graph des (0) (0 \"what\" 1))",
        expect![[r#"
        error[D006]: expected `!(T,p,q)`, `?(p,q)`, `‽(T,p,q)` or `C(p,q)`
         --> main.dcj:2:20
          |
        2 |   (s/graph des (0) (0 "what" 1)))
          |                    ^^^^^^^^^^^^
          |
          = note: while unfolding `graph(0)`
    "#]],
    );
}

//! What atoms, quantifiers and options of properties mean.

use std::fmt::Write;

use expect_test::{Expect, expect};
use quadrille_diagnostic::Sources;
use quadrille_quad::load;

use crate::checking::checked;
use crate::rendered;

/// Verdicts of all properties of a text, `!` before those that come out unexpectedly.
#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(text: &str, expected: Expect) {
    let declarations = "parameter k = 3;\nenum Colour { red, green }\nrole A, B, X, G, w[0..k];\n\
         event E;\nmessage M, F, N(x: 1..=2, c: Colour);\nvariable n: 0..=2;\n";
    let mut sources = Sources::default();
    let id = sources.add("in.quad", format!("{text}{declarations}"));
    let (program, diagnostics) = load(&sources, id);
    let program = program.unwrap_or_else(|| panic!("{}", rendered(&sources, &diagnostics)));
    let mut shown = String::new();
    for session in program.sessions(&mut sources, &[]).unwrap_or_else(|_| panic!("starts")) {
        for checked in checked(&session) {
            let mark = if checked.is_as_expected() { "" } else { "! " };
            let _ = writeln!(shown, "{mark}{}: {}", checked.name, checked.word());
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn verbs() {
    check(
        r#"protocol p { M from A to B; M from A to B sync; A closes B; A does E; }
property a: F A sends M to B;
property b: F B receives M from A;
property c: F A passes M to B;
property d: F A closes B;
property e: F A does E;
property f (violated): F B sends *;
property g (violated): F A closes A;
"#,
        expect![[r#"
            a: holds
            b: holds
            c: holds
            d: holds
            e: holds
            f: violated
            g: violated
        "#]],
    );
}

#[test]
fn wildcards_and_indices() {
    check(
        r#"protocol p { for i in 0..k { M from w[i] to A; } }
property a: for every i in 0..k: F w[i] sends * to A;
property b: F w[*] sends M;
property c: G (* sends * -> X * receives *);
property d (violated): for some i in 1..k: X w[i] sends M;
property e: for every i in 0..k: for every j in 0..k where j > i: !(w[j] sends M) U w[i] sends M;
"#,
        expect![[r#"
            a: holds
            b: holds
            c: holds
            d: violated
            e: holds
        "#]],
    );
}

#[test]
fn empty_ranges() {
    check(
        r#"protocol p { A closes B; }
property a: for every i in 3..k: false;
property b (violated): for some i in 3..k: true;
"#,
        expect![[r#"
            a: holds
            b: violated
        "#]],
    );
}

#[test]
fn quantifiers_reach_as_far_as_they_can() {
    check(
        r#"protocol p { for i in 0..k { M from w[i] to A; } }
property a (violated): for some i in 0..k: w[i] sends M and X X false;
property b: (for some i in 0..k: w[i] sends M) and X X true;
"#,
        expect![[r#"
            a: violated
            b: holds
        "#]],
    );
}

#[test]
fn content() {
    check(
        r#"protocol p { N(any x, green) from A to B; N(x, red) from B to A; }
property a: for every v in 1..=2: (F A sends N(v, green)) -> F B sends N(v, *);
property b: G !(A sends N(*, red));
property c: for every c in Colour: G (B receives N(2, c) -> F A receives N(2, red));
property d (violated): F A sends N(1, *);
"#,
        expect![[r#"
            a: holds
            b: holds
            c: holds
            d: violated
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        r#"protocol p { loop when n < 2 { A does E with n := n + 1; } }
property a: G n <= 2;
property b (violated): F n == 2;
property c (infinite): F false;
property d: G (A does E -> n < 2);
property e (finite, violated): F A does E;
property f: AG (n >= 1 or EF n == 2);
"#,
        expect![[r#"
            a: holds
            b: violated
            c: holds
            d: holds
            e: violated
            f: holds
        "#]],
    );
}

#[test]
fn roles_named_like_operators() {
    check(
        r#"protocol p { F from X to G; F from G to X sync; }
property a: F X sends F;
property b: G (G sends F -> X receives F);
property c: X G receives F from X;
"#,
        expect![[r#"
            a: holds
            b: holds
            c: holds
        "#]],
    );
}

#[test]
fn runs() {
    check(
        r#"protocol p { loop { A closes B; } }
property a (violated): F A closes B;
property b (infinite): G A closes B;
property c (finite, violated): G A closes B;
property d (finite, violated): F A closes B;
"#,
        expect![[r#"
            a: violated
            b: holds
            c: violated
            d: violated
        "#]],
    );
}

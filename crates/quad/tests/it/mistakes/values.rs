//! Values that lie outside of their range, and evaluation without end.

use expect_test::expect;

use super::check;

#[test]
fn index_out_of_range() {
    check(
        r#"parameter k = 3;
message Token;
role worker[0..k];
protocol ring(i = 0) {
    Token from worker[i] to worker[i + 1];
    ring(i + 1);
}"#,
        expect![[r#"
            error[Q107]: `worker[3]` does not exist
             --> in.quad:5:29
              |
            5 |     Token from worker[i] to worker[i + 1];
              |                             ^^^^^^^^^^^^^ the index is 3 here; there are 0 to 2
              |
              = note: in `ring(2)`
              = help: correct the index, or declare more of them
        "#]],
    );
}

#[test]
fn index_out_of_range_in_a_property() {
    check(
        r#"role w[0..3], A;
protocol p { A closes w[0]; }
property x: G !(A closes w[3]);"#,
        expect![[r#"
            error[Q107]: `w[3]` does not exist
             --> in.quad:3:26
              |
            3 | property x: G !(A closes w[3]);
              |                          ^^^^ the index is 3 here
              |
              = help: correct the index; `[*]` means any
        "#]],
    );
}

#[test]
fn nobody_receives() {
    check(
        r#"message M;
role A, w[0..3];
protocol p { M from A to w[1..1]; }"#,
        expect![[r#"
            error[Q107]: a message without a receiver
             --> in.quad:3:14
              |
            3 | protocol p { M from A to w[1..1]; }
              |              ^^^^^^^^^^^^^^^^^^^^ the set of receivers is empty here
              |
              = note: in `p()`
              = help: send it only where there is a receiver: `if … { … }`
        "#]],
    );
}

#[test]
fn division_by_zero() {
    check(
        r#"parameter k = 0;
role w[0..3];
protocol p { w[0] closes w[1 / k]; }"#,
        expect![[r#"
            error[Q108]: division by zero
             --> in.quad:3:28
              |
            3 | protocol p { w[0] closes w[1 / k]; }
              |                            ^^^^^ the divisor is 0 here
              |
              = note: in `p()`
              = help: compute it only where it has a value: `if … then … else …`
        "#]],
    );
}

#[test]
fn beyond_64_bits() {
    check(
        r#"role w[0..3];
protocol p { w[0] closes w[9223372036854775807 + 1]; }"#,
        expect![[r#"
            error[Q108]: a number grew beyond 64 bits
             --> in.quad:2:28
              |
            2 | protocol p { w[0] closes w[9223372036854775807 + 1]; }
              |                            ^^^^^^^^^^^^^^^^^^^^^^^ computed from 9223372036854775807 and 1
              |
              = note: in `p()`
              = help: compute it only where it has a value: `if … then … else …`
        "#]],
    );
}

#[test]
fn too_many_steps_to_write_out() {
    check(
        r#"role A, B;
protocol p { for i in 0..1000, j in 0..1000, l in 0..1000 { A closes B; } }"#,
        expect![[r#"
            error[Q109]: this becomes too large
             --> in.quad:2:61
              |
            2 | protocol p { for i in 0..1000, j in 0..1000, l in 0..1000 { A closes B; } }
              |                                                             ^^^^^^^^^^^ grows beyond every reasonable size
              |
              = note: in `p()`
              = help: use smaller numbers or sets
        "#]],
    );
}

#[test]
fn too_long_a_range() {
    check(
        r#"role w[0..1000000000];
protocol p { w[0] closes w[1]; }"#,
        expect![[r#"
            error[Q109]: a range of more than 100000 numbers
             --> in.quad:1:8
              |
            1 | role w[0..1000000000];
              |        ^^^^^^^^^^^^^ grows beyond every reasonable size
              |
              = help: use smaller numbers or sets
        "#]],
    );
}

#[test]
fn too_many_subsets() {
    check(
        r#"role A, B;
protocol p { choose s in subsets(0..20) { A closes B; } }"#,
        expect![[r#"
            error[Q109]: too many subsets
             --> in.quad:2:26
              |
            2 | protocol p { choose s in subsets(0..20) { A closes B; } }
              |                          ^^^^^^^^^^^^^^ grows beyond every reasonable size
              |
              = note: in `p()`
              = help: use smaller numbers or sets
        "#]],
    );
}

#[test]
fn too_many_formulas() {
    check(
        r#"role w[0..1000];
protocol p { w[0] closes w[1]; }
property x: for every i in 0..1000: for every j in 0..1000: G !(w[i] closes w[j]);"#,
        expect![[r#"
            error[F004]: quantifiers write out more than 20000 formulas
             --> in.quad:3:61
              |
            3 | property x: for every i in 0..1000: for every j in 0..1000: G !(w[i] closes w[j]);
              |                                                             ^ written out for each value
              |
              = help: use a wildcard, or quantify over fewer values
        "#]],
    );
}

#[test]
fn recursion_without_an_action() {
    check(
        r#"role A, B;
protocol p { q(0); A closes B; }
protocol q(n) { q(n + 1); }"#,
        expect![[r#"
            error[P001]: no action comes before `q(999)`
             --> in.quad:3:10
              |
            3 | protocol q(n) { q(n + 1); }
              |          ^ unfolded again and again without an action
              |
              = help: put an action before the recursive call, or give the recursion an end
        "#]],
    );
}

#[test]
fn changing_sets() {
    check(
        r#"role A, w[0..3];
variable n: 0..=2, m: 0..=n;
protocol p { for i in 0..n { A closes w[i]; } for i in 0..3 where i < m { A closes w[i]; } }"#,
        expect![[r#"
            error[Q110]: the values of a variable or field must not depend on variables
             --> in.quad:2:23
              |
            2 | variable n: 0..=2, m: 0..=n;
              |                       ^^^^^ changes while the protocol runs
              |
              = help: use parameters and numbers
            error[Q110]: an index ranges over a changing set
             --> in.quad:3:23
              |
            3 | protocol p { for i in 0..n { A closes w[i]; } for i in 0..3 where i < m { A closes w[i]; } }
              |                       ^^^^ depends on variables
              |
              = help: take its value of that moment first: `let s = …;`
            error[Q110]: a filter must not depend on variables
             --> in.quad:3:67
              |
            3 | protocol p { for i in 0..n { A closes w[i]; } for i in 0..3 where i < m { A closes w[i]; } }
              |                                                                   ^^^^^ changes while the protocol runs
              |
              = help: use parameters and numbers
        "#]],
    );
}

#[test]
fn bad_domains() {
    check(
        r#"enum E { }
protocol p { }"#,
        expect![[r#"
            error[Q111]: an enumeration without values
             --> in.quad:1:6
              |
            1 | enum E { }
              |      ^ has no values
              |
              = help: name at least one
        "#]],
    );
}

#[test]
fn a_bad_start() {
    check(
        r#"role A, B;
event E;
variable v: 0..=3 = 7;
protocol p { A does E with v := 1; B does E; }"#,
        expect![[r#"
            error[Q111]: `v` cannot start as 7
             --> in.quad:3:21
              |
            3 | variable v: 0..=3 = 7;
              |                     ^ its values are 0 to 3
              |
              = help: widen the domain, or start with another value
        "#]],
    );
}

#[test]
fn content_outside_of_its_field() {
    check(
        r#"message Bid(price: 1..=10);
role A, B;
protocol p { Bid(12) from A to B; }"#,
        expect![[r#"
            error[Q111]: `price` cannot be 12
             --> in.quad:3:18
              |
            3 | protocol p { Bid(12) from A to B; }
              |                  ^^ the field's values are 1 to 10
              |
              = note: in `p()`
              = help: widen the field, or send another value
        "#]],
    );
}

#[test]
fn an_assignment_outside_of_its_domain() {
    check(
        r#"event E;
role A;
variable v: 0..=1;
protocol p { repeat forever { A does E with v := v + 1; } }"#,
        expect![[r#"
            error[P003]: `v` cannot hold 2: its values are 0 to 1
             --> in.quad:4:31
              |
            4 | protocol p { repeat forever { A does E with v := v + 1; } }
              |                               ^^^^^^^^^^^^^^^^^^^^^^^^^ in this step
        "#]],
    );
}

/// Two equal steps; only the second finds the variable too large.
#[test]
fn item_26_of_equal_steps_the_one_that_fails_is_shown() {
    check(
        r#"event E, F;
role A;
variable v: 0..=1;
protocol p {
  A does E with v := v + 1;
  A does F;
  A does E with v := v + 1;
}"#,
        expect![[r#"
            error[P003]: `v` cannot hold 2: its values are 0 to 1
             --> in.quad:7:3
              |
            7 |   A does E with v := v + 1;
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^ in this step
        "#]],
    );
}

#[test]
fn empty_domains_and_domains_with_gaps() {
    check(
        "role A, B;\nmessage M(x: 3..1);\nprotocol p { M from A to B; }",
        expect![[r#"
        error[Q111]: a domain without values
         --> in.quad:2:14
          |
        2 | message M(x: 3..1);
          |              ^^^^ this is empty
          |
          = help: `a..b` leaves out `b`; `a..=b` has it
    "#]],
    );
    check(
        "event E;\nrole A;\nvariable v: {1, 3};\nprotocol p { A does E with v := 1; }",
        expect![[r#"
            error[Q111]: a domain with gaps
             --> in.quad:3:13
              |
            3 | variable v: {1, 3};
              |             ^^^^^^ this is no range
              |
              = help: write a range such as `0..=3`
        "#]],
    );
}

#[test]
fn sets_again_and_again() {
    check(
        "role A, B;\nprotocol p { for i in 0..100000 where size(0..100000) > i { A closes B; } }",
        expect![[r#"
            error[Q109]: this becomes too large
             --> in.quad:2:44
              |
            2 | protocol p { for i in 0..100000 where size(0..100000) > i { A closes B; } }
              |                                            ^^^^^^^^^ grows beyond every reasonable size
              |
              = note: in `p()`
              = help: use smaller numbers or sets
        "#]],
    );
    check(
        "role A, B;\nprotocol p { A closes B; }\n\
         property x: for every i in 0..100000 where i in 0..100000: G A closes B;",
        expect![[r#"
            error[Q109]: this becomes too large
             --> in.quad:3:49
              |
            3 | property x: for every i in 0..100000 where i in 0..100000: G A closes B;
              |                                                 ^^^^^^^^^ grows beyond every reasonable size
              |
              = help: use smaller numbers or sets
        "#]],
    );
}

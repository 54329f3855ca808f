//! Every kind of mistake, as the user sees it.

use expect_test::{Expect, expect};

use crate::behaviour;

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&behaviour(text));
}

#[test]
fn no_declaration() {
    check(
        r#"Move from White to Black;"#,
        expect![[r#"
        error[Q101]: expected a declaration
         --> in.quad:1:1
          |
        1 | Move from White to Black;
          | ^^^^ not this
          |
          = help: a text is made of `parameter`, `enum`, `message`, `event`, `role`, `variable`, `protocol` and `property`
    "#]],
    );
}

#[test]
fn several_at_once() {
    check(
        r#"role White Black;
message Move,;
protocol p { Move from White to Black }
protocol q { Move White; Move from White Black; White resigns; }"#,
        expect![[r#"
            error[Q101]: expected `,` or `;`
             --> in.quad:1:11
              |
            1 | role White Black;
              |           ^ here
              |
              = help: a declaration or statement without braces ends in `;`
            error[Q101]: expected the name of a message
             --> in.quad:2:14
              |
            2 | message Move,;
              |              ^ not this
              |
              = help: a name is a letter, then letters, digits and `_`
            error[Q101]: expected `,`, `sync`, `with` or `;`
             --> in.quad:3:38
              |
            3 | protocol p { Move from White to Black }
              |                                      ^ here
              |
              = help: a declaration or statement without braces ends in `;`
            error[Q101]: expected `from`, `(`, `closes` or `does`
             --> in.quad:4:19
              |
            4 | protocol q { Move White; Move from White Black; White resigns; }
              |                   ^^^^^ not this
              |
              = help: write `Message from sender to receiver;`, `protocol(…);`, `role closes role;` or `role does Event;`
            error[Q101]: expected `to` and a receiver
             --> in.quad:4:42
              |
            4 | protocol q { Move White; Move from White Black; White resigns; }
              |                                          ^^^^^ not this
            error[Q101]: expected `from`, `(`, `closes` or `does`
             --> in.quad:4:55
              |
            4 | protocol q { Move White; Move from White Black; White resigns; }
              |                                                       ^^^^^^^ not this
              |
              = help: write `Message from sender to receiver;`, `protocol(…);`, `role closes role;` or `role does Event;`
        "#]],
    );
}

#[test]
fn unclosed() {
    check(
        r#"protocol p { either { } or { loop {"#,
        expect![[r#"
        error[Q101]: `}` is missing
         --> in.quad:1:35
          |
        1 | protocol p { either { } or { loop {
          |                                   ^ opened here
          |
          = help: close the block
    "#]],
    );
}

#[test]
fn stray_characters() {
    check(
        r#"role A § B;
protocol p { }"#,
        expect![[r#"
            error[Q101]: expected `,` or `;`
             --> in.quad:1:7
              |
            1 | role A § B;
              |       ^ here
              |
              = help: a declaration or statement without braces ends in `;`
            error[Q101]: no protocol contains this
             --> in.quad:1:8
              |
            1 | role A § B;
              |        ^ unknown character
              |
              = help: delete it
        "#]],
    );
}

#[test]
fn a_half_choice() {
    check(
        r#"protocol p { either { } }"#,
        expect![[r#"
        error[Q101]: expected `or` and another branch
         --> in.quad:1:25
          |
        1 | protocol p { either { } }
          |                         ^ not this
          |
          = help: a choice has two branches or more; for one that may be left out, write `opt`
    "#]],
    );
}

#[test]
fn a_half_par() {
    check(
        r#"protocol p { par { } }"#,
        expect![[r#"
        error[Q101]: expected `and` and another part
         --> in.quad:1:22
          |
        1 | protocol p { par { } }
          |                      ^ not this
    "#]],
    );
}

#[test]
fn repeat_what() {
    check(
        r#"protocol p { repeat { } }"#,
        expect![[r#"
        error[Q101]: expected `forever`
         --> in.quad:1:21
          |
        1 | protocol p { repeat { } }
          |                     ^ not this
          |
          = help: `loop { … }` repeats any number of times
    "#]],
    );
}

#[test]
fn bad_indexing() {
    check(
        r#"protocol p { for i of 0..3 { } }"#,
        expect![[r#"
            error[Q101]: expected `in` and a set, such as `0..k`
             --> in.quad:1:20
              |
            1 | protocol p { for i of 0..3 { } }
              |                    ^^ `of` is a word of the language
        "#]],
    );
}

#[test]
fn guarded_sequence() {
    check(
        r#"protocol p { for i in 0..3 when i > 1 { } }"#,
        expect![[r#"
        error[Q101]: only choices are guarded by `when`
         --> in.quad:1:33
          |
        1 | protocol p { for i in 0..3 when i > 1 { } }
          |                                 ^^^^^ a guard
          |
          = help: leave instances out with `where`, or guard a block with `when` inside
    "#]],
    );
}

#[test]
fn keywords_are_no_names() {
    check(
        r#"role from;
protocol loop { }"#,
        expect![[r#"
            error[Q101]: expected the name of a role
             --> in.quad:1:6
              |
            1 | role from;
              |      ^^^^ `from` is a word of the language
              |
              = help: a name is a letter, then letters, digits and `_`
            error[Q101]: expected the name of a protocol
             --> in.quad:2:10
              |
            2 | protocol loop { }
              |          ^^^^ `loop` is a word of the language
              |
              = help: a name is a letter, then letters, digits and `_`
        "#]],
    );
}

#[test]
fn comparisons_do_not_chain() {
    check(
        r#"parameter k = 1;
protocol p { if 0 < k < 2 { } }"#,
        expect![[r#"
            error[Q101]: two comparisons or ranges in a row
             --> in.quad:2:23
              |
            2 | protocol p { if 0 < k < 2 { } }
              |                       ^ the second one
              |
              = help: join two comparisons with `and`
        "#]],
    );
}

#[test]
fn huge_numbers() {
    check(
        r#"parameter k = 99999999999999999999;
protocol p { }"#,
        expect![[r#"
            error[Q101]: a number is beyond 64 bits
             --> in.quad:1:15
              |
            1 | parameter k = 99999999999999999999;
              |               ^^^^^^^^^^^^^^^^^^^^ too large
              |
              = help: write a smaller one
        "#]],
    );
}

#[test]
fn any_is_for_messages() {
    check(
        r#"protocol p { p(any); }"#,
        expect![[r#"
        error[Q101]: `any` is for messages
         --> in.quad:1:16
          |
        1 | protocol p { p(any); }
          |                ^^^ no value
          |
          = help: choose a value first: `choose v in … { … }`
    "#]],
    );
}

#[test]
fn unknown_option() {
    check(
        r#"protocol p { }
property x (maybe): true;"#,
        expect![[r#"
            error[Q101]: `maybe` says nothing about a property
             --> in.quad:2:13
              |
            2 | property x (maybe): true;
              |             ^^^^^ unknown option
              |
              = help: options are `holds`, `violated`; `maximal`, `infinite`, `finite`
        "#]],
    );
}

#[test]
fn empty_formula() {
    check(
        r#"protocol p { }
property x: ;"#,
        expect![[r#"
            error[Q101]: expected a formula
             --> in.quad:2:13
              |
            2 | property x: ;
              |             ^ not this
        "#]],
    );
}

#[test]
fn bad_formulas() {
    check(
        r#"role A, B;
message Mail;
protocol p { Mail from A to B; }
property a: G (A sends Mail -> );
property b: A sends Nail;
property c: C sends Mail;
property d: G F Mail;
property e: A sends Mail(1);
property f: G (1 + 1);
property g: for every i in 3: A sends Mail;
property h: for some i 0..3: A sends Mail;"#,
        expect![[r#"
            error[F001]: expected an action such as `White sends Move to Black`, a condition, `(` or `not`
             --> in.quad:4:32
              |
            4 | property a: G (A sends Mail -> );
              |                                ^ no operand starts with this
            error[Q103]: there is no message `Nail`
             --> in.quad:5:21
              |
            5 | property b: A sends Nail;
              |                     ^^^^ not declared
              |
              = help: did you mean `Mail`?
            error[Q103]: there is no role `C`
             --> in.quad:6:13
              |
            6 | property c: C sends Mail;
              |             ^ not declared
              |
              = help: did you mean `A`?
            error[Q103]: `Mail` is a message, not a value
             --> in.quad:7:17
              |
            7 | property d: G F Mail;
              |                 ^^^^ expected a value
              |
              = help: use another name
            error[Q106]: `Mail` takes 0 arguments, not 1
             --> in.quad:8:21
              |
            8 | property e: A sends Mail(1);
              |                     ^^^^ 1 given
              |
              = help: give it what it was declared with
            error[Q105]: a condition must be true or false
             --> in.quad:9:16
              |
            9 | property f: G (1 + 1);
              |                ^^^^^ this is a number
            error[Q105]: what an index ranges over must be a set
              --> in.quad:10:28
               |
            10 | property g: for every i in 3: A sends Mail;
               |                            ^ this is a number
            error[Q101]: expected `in` and a set, such as `0..k`
              --> in.quad:11:24
               |
            11 | property h: for some i 0..3: A sends Mail;
               |                        ^ not this
        "#]],
    );
}

#[test]
fn mixed_time() {
    check(
        r#"role A, B;
message M;
protocol p { M from A to B; }
property a: AG F A sends M;"#,
        expect![[r#"
            error[F005]: linear and branching time are mixed in one formula
             --> in.quad:4:13
              |
            4 | property a: AG F A sends M;
              |             ^^^^^^^^^^^^^^ has operators of both
              |
              = note: this would be a formula of CTL*, which is not supported
              = help: put `A` or `E` before every temporal operator or before none
        "#]],
    );
}

#[test]
fn unknown_names() {
    check(
        r#"message Move;
role White;
protocol p {
    Move from Wite to White;
    Mvoe from White to White;
    q();
    White does Move;
    White closes Move;
}"#,
        expect![[r#"
            error[Q103]: there is no role `Wite`
             --> in.quad:4:15
              |
            4 |     Move from Wite to White;
              |               ^^^^ not declared
              |
              = help: did you mean `White`?
            error[Q103]: there is no message `Mvoe`
             --> in.quad:5:5
              |
            5 |     Mvoe from White to White;
              |     ^^^^ not declared
              |
              = help: did you mean `Move`?
            error[Q103]: there is no protocol `q`
             --> in.quad:6:5
              |
            6 |     q();
              |     ^ not declared
              |
              = help: did you mean `p`?
            error[Q103]: `Move` is a message, not an event
             --> in.quad:7:16
              |
            7 |     White does Move;
              |                ^^^^ expected an event
              |
              = help: use another name
            error[Q103]: `Move` is a message, not a role
             --> in.quad:8:18
              |
            8 |     White closes Move;
              |                  ^^^^ expected a role
              |
              = help: use another name
        "#]],
    );
}

#[test]
fn parameters_come_before_their_use() {
    check(
        r#"parameter a = b, b = 1;
protocol p { }"#,
        expect![[r#"
            error[Q103]: `b` is used before it is declared
             --> in.quad:1:15
              |
            1 | parameter a = b, b = 1;
              |               ^ declared further down
              |
              = help: declare it first
        "#]],
    );
}

#[test]
fn declared_twice() {
    check(
        r#"role A, A;
message M(x: bool, x: bool);
variable v: bool;
protocol p { M from A to A with v := true, v := false; }
property q: true;
property q: true;"#,
        expect![[r#"
            error[Q104]: `A` is declared twice
             --> in.quad:1:9
              |
            1 | role A, A;
              |         ^ the second time
              |
              = help: rename one of the two
            error[Q104]: `x` is declared twice
             --> in.quad:2:20
              |
            2 | message M(x: bool, x: bool);
              |                    ^ the second time
              |
              = help: rename one of the two
            error[Q104]: a variable is assigned twice in one step
             --> in.quad:4:44
              |
            4 | protocol p { M from A to A with v := true, v := false; }
              |                                            ^ the second time
              |
              = help: the assignments of a step happen at once: write one
            error[Q104]: `q` is declared twice
             --> in.quad:6:10
              |
            6 | property q: true;
              |          ^ the second time
              |
              = help: rename one of the two
        "#]],
    );
}

#[test]
fn a_guard_is_true_or_false() {
    check(
        r#"role A, B;
variable n: 0..=3;
protocol p {
    when n { A closes B; }
    loop when n + 1 { A closes B; }
    if A { } 
}"#,
        expect![[r#"
            error[Q105]: a guard must be true or false
             --> in.quad:4:10
              |
            4 |     when n { A closes B; }
              |          ^ this is a number
            error[Q105]: a guard must be true or false
             --> in.quad:5:15
              |
            5 |     loop when n + 1 { A closes B; }
              |               ^^^^^ this is a number
            error[Q105]: a condition must be true or false
             --> in.quad:6:8
              |
            6 |     if A { } 
              |        ^ this is a role
        "#]],
    );
}

#[test]
fn types_do_not_fit() {
    check(
        r#"enum E { x, y }
role A, B, w[0..3];
message M(e: E, b: bool);
variable v: E;
protocol p {
    M(1, x) from A to B;
    M(x, true) from w[*] to B with v := 3;
    A closes w[*];
    for i in 3 { A closes w[true]; }
    let z = {1, x};
    let u = x + 1;
}"#,
        expect![[r#"
            error[Q105]: this field must be a value of `E`
             --> in.quad:6:7
              |
            6 |     M(1, x) from A to B;
              |       ^ this is a number
            error[Q105]: this field must be true or false
             --> in.quad:6:10
              |
            6 |     M(1, x) from A to B;
              |          ^ this is a value of `E`
            error[Q105]: the sender must be a role
             --> in.quad:7:21
              |
            7 |     M(x, true) from w[*] to B with v := 3;
              |                     ^^^^ this is several roles
            error[Q105]: what is assigned must be a value of `E`
             --> in.quad:7:41
              |
            7 |     M(x, true) from w[*] to B with v := 3;
              |                                         ^ this is a number
            error[Q105]: the other end of a channel must be a role
             --> in.quad:8:14
              |
            8 |     A closes w[*];
              |              ^^^^ this is several roles
            error[Q105]: what an index ranges over must be a set
             --> in.quad:9:14
              |
            9 |     for i in 3 { A closes w[true]; }
              |              ^ this is a number
            error[Q105]: an index must be a number
             --> in.quad:9:29
              |
            9 |     for i in 3 { A closes w[true]; }
              |                             ^^^^ this is true or false
            error[Q105]: each part of a set must be a number
              --> in.quad:10:17
               |
            10 |     let z = {1, x};
               |                 ^ this is a value of `E`
            error[Q105]: what stands beside `+` must be a number
              --> in.quad:11:13
               |
            11 |     let u = x + 1;
               |             ^ this is a value of `E`
        "#]],
    );
}

#[test]
fn wrong_numbers() {
    check(
        r#"role A, B, w[0..3];
message M(b: bool);
protocol p {
    M(true, false) from A to B;
    q();
    q(1, 2);
    A[0] closes w;
    let m = min(1);
}
protocol q(i) { w[i] closes A; }
property x of q: true;
property y: w sends M;"#,
        expect![[r#"
            error[Q106]: `M` takes 1 argument, not 2
             --> in.quad:4:5
              |
            4 |     M(true, false) from A to B;
              |     ^ 2 given
              |
              = help: give it what it was declared with
            error[Q106]: `q` takes 1 argument, not 0
             --> in.quad:5:5
              |
            5 |     q();
              |     ^ 0 given
              |
              = help: give it what it was declared with
            error[Q106]: `q` takes 1 argument, not 2
             --> in.quad:6:5
              |
            6 |     q(1, 2);
              |     ^ 2 given
              |
              = help: give it what it was declared with
            error[Q106]: `A` has no indices
             --> in.quad:7:5
              |
            7 |     A[0] closes w;
              |     ^^^^ here it has 1
              |
              = help: write `A`
            error[Q106]: `w` has one index
             --> in.quad:7:17
              |
            7 |     A[0] closes w;
              |                 ^ here it has 0
              |
              = help: write `w[i]`
            error[Q106]: `min` takes 2 arguments, not 1
             --> in.quad:8:13
              |
            8 |     let m = min(1);
              |             ^^^ 1 given
              |
              = help: give it what it was declared with
            error[Q106]: `q` takes 1 argument, not 0
              --> in.quad:11:15
               |
            11 | property x of q: true;
               |               ^ 0 given
               |
               = help: give it what it was declared with
        "#]],
    );
}

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
            error[Q107]: a message to nobody
             --> in.quad:3:14
              |
            3 | protocol p { M from A to w[1..1]; }
              |              ^^^^^^^^^^^^^^^^^^^^ the set of receivers is empty here
              |
              = note: in `p()`
              = help: send it only where somebody is there: `if … { … }`
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
              |                               ^^^^^^^^^^^^^^^^^^^^^^^^^ this step is left out
        "#]],
    );
}

#[test]
fn nothing_is_used() {
    check(
        r#"message M;
role A;
event E;
variable v: bool;
protocol p { }"#,
        expect![[r#"
            warning[Q112]: no protocol mentions `M`, a message
             --> in.quad:1:9
              |
            1 | message M;
              |         ^ declared and not used
              |
              = help: use it, or delete it
            warning[Q112]: no protocol mentions `A`, a role
             --> in.quad:2:6
              |
            2 | role A;
              |      ^ declared and not used
              |
              = help: use it, or delete it
            warning[Q112]: no protocol mentions `E`, an event
             --> in.quad:3:7
              |
            3 | event E;
              |       ^ declared and not used
              |
              = help: use it, or delete it
            warning[Q112]: no protocol mentions `v`, a variable
             --> in.quad:4:10
              |
            4 | variable v: bool;
              |          ^ declared and not used
              |
              = help: use it, or delete it
        "#]],
    );
}

#[test]
fn no_protocol() {
    check(
        r#"role A;"#,
        expect![[r#"
        error[Q113]: the text has no protocol
         --> in.quad:1:1
          |
        1 | role A;
          | ^ nothing can happen here
          |
          = help: add one: `protocol name { … }`
    "#]],
    );
}

#[test]
fn arguments_are_missing() {
    check(
        r#"role w[0..3];
protocol p(i) { w[i] closes w[0]; }"#,
        expect![[r#"
            error[Q106]: `p` takes 1 argument, not 0
             --> in.quad:2:10
              |
            2 | protocol p(i) { w[i] closes w[0]; }
              |          ^ 0 given
              |
              = help: give it what it was declared with
        "#]],
    );
}

#[test]
fn nesting_without_end() {
    let deep = |open: &str, close: &str| {
        format!("protocol p {{ {}{} }}", open.repeat(5_000), close.repeat(5_000))
    };
    check(
        &deep("loop {", "}"),
        expect![[r#"
        error[Q102]: this is nested more than 150 levels deep
         --> in.quad:1:121
          |
        1 | ...op {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {loop {...
          |                                                        ^^^^ too deep from here on
          |
          = note: the line is cut to fit; the place is its column 914
          = help: give a part of it a name of its own: a `protocol`, or a `let` further out
    "#]],
    );
    check(
        &format!("parameter k = {}1;", "(".repeat(5_000)),
        expect![[r#"
        error[Q102]: this is nested more than 150 levels deep
         --> in.quad:1:121
          |
        1 | ...((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((...
          |                                                         ^ too deep from here on
          |
          = note: the line is cut to fit; the place is its column 165
          = help: give a part of it a name of its own: a `protocol`, or a `let` further out
    "#]],
    );
    check(
        &format!("parameter k = 1{};", " + 1".repeat(5_000)),
        expect![[r#"
        error[Q102]: this is nested more than 150 levels deep
         --> in.quad:1:121
          |
        1 | ... + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 +...
          |                                                         ^ too deep from here on
          |
          = note: the line is cut to fit; the place is its column 617
          = help: give a part of it a name of its own: a `protocol`, or a `let` further out
    "#]],
    );
    check(
        &format!("protocol p {{ {} }}", "let x = 1;".repeat(5_000)),
        expect![[r#"
        error[Q102]: this is nested more than 150 levels deep
         --> in.quad:1:121
          |
        1 | ... = 1;let x = 1;let x = 1;let x = 1;let x = 1;let x = 1;let x = 1;let x = 1;let x = 1;let x = 1;let x = 1;let x = 1;let x = 1;let x...
          |                                                         ^ too deep from here on
          |
          = note: the line is cut to fit; the place is its column 1512
          = help: give a part of it a name of its own: a `protocol`, or a `let` further out
    "#]],
    );
    check(
        &deep("if true { } else ", ""),
        expect![[r#"
        error[Q102]: this is nested more than 150 levels deep
         --> in.quad:1:121
          |
        1 | ... true { } else if true { } else if true { } else if true { } else if true { } else if true { } else if true { } else if true { } e...
          |                                                        ^^^^ too deep from here on
          |
          = note: the line is cut to fit; the place is its column 2550
          = help: give a part of it a name of its own: a `protocol`, or a `let` further out
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

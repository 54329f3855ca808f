//! Texts that are not in the language.

use expect_test::expect;

use super::check;

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
              = help: declare it, or correct the name
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

//! Names that mean nothing, twice, or something of another type or number.

use expect_test::expect;

use super::check;

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
              = help: declare it, or correct the name
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
fn names_of_states() {
    check(
        r#"role a, b; message state;
protocol p {
    state Ready of a, b;
    state from a to b;
    state Ready of b;
    state Gone of c;
    state Lost;
    state 3 of a;
}"#,
        expect![[r#"
            error[Q101]: expected `of` and the role whose state it is
             --> in.quad:7:15
              |
            7 |     state Lost;
              |               ^ not this
              |
              = help: write `state Lost of role;`
            error[Q101]: expected `from`, `(`, `closes` or `does`
             --> in.quad:8:11
              |
            8 |     state 3 of a;
              |           ^ not this
              |
              = help: write `Message from sender to receiver;`, `protocol(…);`, `role closes role;` or `role does Event;`
        "#]],
    );
    check(
        r#"role a, b, state; message state_, M; event E;
protocol p {
    state Ready of a, state;
    state closes b;
    state does E;
    M from state to b;
    state Ready of b[0];
}"#,
        expect![[r#"
            error[Q106]: `b` has no indices
             --> in.quad:7:20
              |
            7 |     state Ready of b[0];
              |                    ^^^^ here it has 1
              |
              = help: write `b`
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

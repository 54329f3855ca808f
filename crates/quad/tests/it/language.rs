//! What each form of the language does, as transition systems.

use expect_test::{Expect, expect};

use crate::behaviour;

/// Declarations that every test here can use. Nothing is unused: a second protocol mentions it all.
const DECLARATIONS: &str = "
    parameter k = 3;
    enum Colour { red, green }
    message Move, Bid(price: 1..=2, last: bool), Paint(colour: Colour);
    event Crash;
    role White, Black, worker[0..k];
    variable n: 0..=2, up[0..k]: bool = true;
    protocol all {
        Move from White to Black;
        Bid from White to Black;
        Paint from White to Black;
        worker[n] does Crash with up[n] := false;
    }";

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(body: &str, expected: Expect) {
    expected.assert_eq(&behaviour(&format!("protocol main {{ {body} }} {DECLARATIONS}")));
}

#[test]
fn a_message_is_sent_and_then_received() {
    check(
        "Move from White to Black;",
        expect![[r#"
        0 [White sends Move to Black]→1
        1 [Black receives Move from White]→2
        2.
    "#]],
    );
}

#[test]
fn a_rendezvous_is_one_step() {
    check(
        "Move from White to Black sync;",
        expect![[r#"
        0 [White passes Move to Black]→1
        1.
    "#]],
    );
}

#[test]
fn one_message_to_several_receivers_arrives_in_any_order() {
    check(
        "Move from White to Black, worker[0];",
        expect![[r#"
        0 [White sends Move to Black, worker[0]]→1
        1 [Black receives Move from White]→2 [worker[0] receives Move from White]→3
        2 [worker[0] receives Move from White]→4
        3 [Black receives Move from White]→4
        4.
    "#]],
    );
}

#[test]
fn every_worker_and_some_workers() {
    check(
        "Move from White to worker[*] sync; Move from White to worker[1..3] sync;",
        expect![[r#"
            0 [White passes Move to worker[0], worker[1], worker[2]]→1
            1 [White passes Move to worker[1], worker[2]]→2
            2.
        "#]],
    );
}

#[test]
fn closing_and_acting_alone() {
    check(
        "White closes Black; worker[1] does Crash;",
        expect![[r#"
        0 [White closes to Black]→1
        1 [worker[1] does Crash]→2
        2.
    "#]],
    );
}

#[test]
fn choice() {
    check(
        "either { Move from White to Black sync; } or { White closes Black; } or {}",
        expect![[r#"
            0. [White passes Move to Black]→1 [White closes to Black]→1
            1.
        "#]],
    );
}

#[test]
fn parts_interleave() {
    check(
        "par { White closes Black; } and { Black closes White; }",
        expect![[r#"
        0 [White closes to Black]→1 [Black closes to White]→2
        1 [Black closes to White]→3
        2 [White closes to Black]→3
        3.
    "#]],
    );
}

#[test]
fn a_loop_may_end_after_every_round() {
    check(
        "loop { White closes Black; Black closes White; }",
        expect![[r#"
        0. [White closes to Black]→1
        1 [Black closes to White]→2
        2. [White closes to Black]→1
    "#]],
    );
}

#[test]
fn optional() {
    check(
        "opt { White closes Black; } Black closes White;",
        expect![[r#"
        0 [White closes to Black]→1 [Black closes to White]→2
        1 [Black closes to White]→2
        2.
    "#]],
    );
}

#[test]
fn for_ever() {
    check(
        "repeat forever { White closes Black; }",
        expect![[r#"
        0 [White closes to Black]→1
        1 [White closes to Black]→1
    "#]],
    );
}

#[test]
fn one_after_the_other() {
    check(
        "for i in 0..3 { White closes worker[i]; }",
        expect![[r#"
        0 [White closes to worker[0]]→1
        1 [White closes to worker[1]]→2
        2 [White closes to worker[2]]→3
        3.
    "#]],
    );
}

#[test]
fn one_of_them() {
    check(
        "choose i in 0..3, j in {0, 2} where i != j { worker[i] closes worker[j]; }",
        expect![[r#"
            0 [worker[0] closes to worker[2]]→1 [worker[1] closes to worker[0]]→1 [worker[1] closes to worker[2]]→1 [worker[2] closes to worker[0]]→1
            1.
        "#]],
    );
}

#[test]
fn all_at_once() {
    check(
        "par for i in 0..2 { worker[i] closes Black; }",
        expect![[r#"
        0 [worker[0] closes to Black]→1 [worker[1] closes to Black]→2
        1 [worker[1] closes to Black]→3
        2 [worker[0] closes to Black]→3
        3.
    "#]],
    );
}

#[test]
fn conditions_on_what_is_known() {
    check(
        "if k > 2 { White closes Black; } else if k > 1 { Black closes White; } else {}",
        expect![[r#"
            0 [White closes to Black]→1
            1.
        "#]],
    );
}

#[test]
fn names_for_values() {
    check(
        "let i = (0 - 1) % k; let s = (0..k) - {i}; for j in s + {i} { worker[j] closes worker[max(j, i)]; }",
        expect![[r#"
            0 [worker[0] closes to worker[2]]→1
            1 [worker[1] closes to worker[2]]→2
            2 [worker[2] closes to worker[2]]→3
            3.
        "#]],
    );
}

#[test]
fn recursion_in_tail_position() {
    check(
        "ring(0); } protocol ring(i) { worker[i] closes worker[(i + 1) % k]; ring((i + 1) % k);",
        expect![[r#"
            0 [worker[0] closes to worker[1]]→1
            1 [worker[1] closes to worker[2]]→2
            2 [worker[2] closes to worker[0]]→3
            3 [worker[0] closes to worker[1]]→1
        "#]],
    );
}

#[test]
fn recursion_that_comes_back() {
    check(
        "deep(2); } protocol deep(n) { if n > 0 { White closes worker[n]; deep(n - 1); Black closes worker[n]; }",
        expect![[r#"
            0 [White closes to worker[2]]→1
            1 [White closes to worker[1]]→2
            2 [Black closes to worker[1]]→3
            3 [Black closes to worker[2]]→4
            4.
        "#]],
    );
}

#[test]
fn protocols_that_call_each_other() {
    check(
        "ping(0); } protocol ping(i) { White closes worker[i]; pong(i); }
         protocol pong(i) { Black closes worker[i]; opt { ping((i + 1) % 2); }",
        expect![[r#"
            0 [White closes to worker[0]]→1
            1 [Black closes to worker[0]]→2
            2. [White closes to worker[1]]→3
            3 [Black closes to worker[1]]→4
            4. [White closes to worker[0]]→1
        "#]],
    );
}

#[test]
fn infinitely_many_states_are_met_one_by_one() {
    check(
        "nest(); } protocol nest { either { White closes Black; nest(); Black closes White; } or {}",
        expect![[r#"
            0. [White closes to Black]→1
            1 [White closes to Black]→2 [Black closes to White]→3
            2 [White closes to Black]→4 [Black closes to White]→5
            3.
            4 [White closes to Black]→6 [Black closes to White]→7
            5 [Black closes to White]→3
            6 [White closes to Black]→8 [Black closes to White]→9
            7 [Black closes to White]→5
            8 [White closes to Black]→10 [Black closes to White]→11
            9 [Black closes to White]→7
            10 [White closes to Black]→12 [Black closes to White]→13
            11 [Black closes to White]→9
            12 [White closes to Black]→14 [Black closes to White]→15
            13 [Black closes to White]→11
            14 [White closes to Black]→16 [Black closes to White]→17
            15 [Black closes to White]→13
            16 [White closes to Black]→18 [Black closes to White]→19
            17 [Black closes to White]→15
            18 [White closes to Black]→20 [Black closes to White]→21
            …
        "#]],
    );
}

#[test]
fn roles_and_sets_as_arguments() {
    check(
        "both(White, Black, 0..1); } protocol both(a: role, b: role, s: set) { for i in s { a closes b; b closes worker[i]; }",
        expect![[r#"
            0 [White closes to Black]→1
            1 [Black closes to worker[0]]→2
            2.
        "#]],
    );
}

#[test]
fn sets_of_sets() {
    check(
        "choose s in subsets({0, 1}) { for i in s { White closes worker[i]; } Black closes White; }",
        expect![[r#"
            0 [Black closes to White]→1 [White closes to worker[0]]→2 [White closes to worker[0]]→3 [White closes to worker[1]]→2
            1.
            2 [Black closes to White]→1
            3 [White closes to worker[1]]→2
        "#]],
    );
}

#[test]
fn content_that_is_fixed_open_and_named() {
    check(
        "Bid(2, true) from White to Black sync; Bid(any p, any) from Black to White sync; if p == 1 { White closes Black; }",
        expect![[r#"
            0 [White passes Bid(2, true) to Black]→1
            1 [Black passes Bid(1, false) to White]→2 [Black passes Bid(1, true) to White]→2 [Black passes Bid(2, false) to White]→3 [Black passes Bid(2, true) to White]→3
            2 [White closes to Black]→3
            3.
        "#]],
    );
}

#[test]
fn variables_guards_and_assignments() {
    check(
        "loop when n < 2 { White closes Black; worker[0] does Crash with n := n + 1; } when n == 2 { Black closes White; }",
        expect![[r#"
            0 [White closes to Black]→1
            1 [worker[0] does Crash]→2
            2 [White closes to Black]→3
            3 [worker[0] does Crash]→4
            4 [Black closes to White]→5
            5.
        "#]],
    );
}

#[test]
fn a_variable_decides_where_and_what() {
    check(
        "worker[0] does Crash with n := 2, up[1] := false; Bid(n, up[1]) from worker[n] to Black sync;",
        expect![[r#"
            0 [worker[0] does Crash]→1
            1 [worker[2] passes Bid(2, false) to Black]→2
            2.
        "#]],
    );
}

#[test]
fn what_has_no_value_is_not_possible() {
    check(
        "choose i in 0..3 { worker[i] does Crash with n := i, up[i] := false; }
         either when up[n - 1] { White closes Black; }
         or { worker[n] does Crash with up[n] := up[n + 1]; }
         or { White closes worker[2 / n]; }
         or { Bid(n, false) from White to Black sync; }",
        expect![[r#"
            0 [worker[0] does Crash]→1 [worker[1] does Crash]→2 [worker[2] does Crash]→3
            1 [worker[0] does Crash]→4
            2 [White closes to Black]→5 [worker[1] does Crash]→6 [White closes to worker[2]]→5 [White passes Bid(1, false) to Black]→5
            3 [White closes to Black]→7 [White closes to worker[1]]→7 [White passes Bid(2, false) to Black]→7
            4.
            5.
            6.
            7.
        "#]],
    );
}

#[test]
fn a_condition_on_variables_leaves_one_way() {
    check(
        "worker[0] does Crash with n := 1; if n in 1..=2 { White closes Black; } else { Black closes White; }",
        expect![[r#"
            0 [worker[0] does Crash]→1
            1 [White closes to Black]→2
            2.
        "#]],
    );
}

#[test]
fn a_name_keeps_the_value_of_its_moment() {
    check(
        "worker[0] does Crash with n := 1; let m = n; worker[0] does Crash with n := 2; White closes worker[m];",
        expect![[r#"
            0 [worker[0] does Crash]→1
            1 [worker[0] does Crash]→2
            2 [White closes to worker[1]]→3
            3.
        "#]],
    );
}

#[test]
fn enumerations() {
    check(
        "choose c in Colour where c != red { Paint(c) from White to Black sync; }",
        expect![[r#"
            0 [White passes Paint(green) to Black]→1
            1.
        "#]],
    );
}

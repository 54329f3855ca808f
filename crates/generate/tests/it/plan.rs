//! What is in a plan: queues chosen by what is proven, refusals with a reason.

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_engine::{Limits, unobserved};
use quadrille_generate::{Variants, Wanted, plan_of};
use quadrille_quad as quad;
use quadrille_query::protocol::Explored;
use quadrille_runtime::Plan;

fn show(plan: &Plan) -> String {
    let role = |role: quadrille_runtime::plan::RoleId| &*plan.roles[role.index()];
    let mut shown = format!(
        "{}: {} acts, {} states, {:?} local states, {} packets\n",
        plan.protocol,
        plan.acts.len(),
        plan.strict.len(),
        plan.locals.iter().map(|local| local.states.len()).collect::<Vec<_>>(),
        plan.packets.len(),
    );
    for queue in plan.queues.iter() {
        let from = queue.from.map_or("all", role);
        let waits = if queue.suffices { "suffices" } else { "senders wait" };
        shown += &format!("{from} -> {}: {} {waits}\n", role(queue.to), queue.capacity);
    }
    shown
}

fn check_wanted(text: &str, wanted: &Wanted, expected: &Expect) {
    let mut sources = Sources::default();
    let source = sources.add("test.quad", text);
    let (program, diagnostics) = quad::load(&sources, source);
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let session = program.start(&mut sources, None, &[], &[]).expect("starts");
    let limits = Limits { states: Some(10_000), ..Limits::default() };
    let explored = Explored::new(&session.model, limits, &mut unobserved).expect("small");
    let shown = match plan_of(&session.protocol, &explored, wanted, limits, &mut unobserved) {
        Ok(planned) => show(&planned.plan),
        Err(refused) => {
            refused.iter().map(|each| render(each, &sources, Style::Plain)).collect::<String>()
        }
    };
    expected.assert_eq(&shown);
}

fn check(text: &str, expected: &Expect) {
    check_wanted(text, &both(), expected);
}

/// Both variants, or a refusal.
fn both() -> Wanted {
    Wanted { variants: Variants::Both, ..Wanted::default() }
}

fn lenient() -> Wanted {
    Wanted { accept_differences: true, ..Wanted::default() }
}

#[test]
fn a_turn_needs_one_place() {
    check(
        "message Ping, Pong; role A, B;
         protocol p { repeat forever { Ping from A to B; Pong from B to A; } }",
        &expect![[r#"
            p: 4 acts, 4 states, [2, 2] local states, 2 packets
            B -> A: 1 suffices
            A -> B: 1 suffices
        "#]],
    );
}

#[test]
fn messages_under_way_are_counted() {
    check_wanted(
        "message M, N; role A, B;
         protocol p { par { for i in 0..3 { M from A to B; } } and { N from B to A; } }",
        &lenient(),
        &expect![[r#"
            p: 4 acts, 21 states, [8, 8] local states, 2 packets
            B -> A: 1 suffices
            A -> B: 3 suffices
        "#]],
    );
}

#[test]
fn who_may_choose_has_a_queue_for_each() {
    check_wanted(
        "message Go, Done; role m, w[0..3];
         protocol p { Go from m to w[*]; par for i in 0..3 { Done from w[i] to m; } }",
        &lenient(),
        &expect![[r#"
            p: 10 acts, 35 states, [3, 3, 3, 9] local states, 4 packets
            w[0] -> m: 1 suffices
            w[1] -> m: 1 suffices
            w[2] -> m: 1 suffices
            m -> w[0]: 1 suffices
            m -> w[1]: 1 suffices
            m -> w[2]: 1 suffices
        "#]],
    );
}

#[test]
fn who_takes_what_comes_first_has_an_inbox() {
    check(
        "message Go, Done, Next; role m, x, w[0..3];
         protocol p {
             repeat forever { choose i in 0..3 { Go from m to w[i]; Done from w[i] to x; Next from x to m; } }
         }",
        &expect![[r#"
            p: 14 acts, 12 states, [2, 2, 2, 2, 2] local states, 7 packets
            all -> x: 1 suffices
            m -> w[0]: 1 suffices
            m -> w[1]: 1 suffices
            m -> w[2]: 1 suffices
            x -> m: 1 suffices
        "#]],
    );
}

#[test]
fn in_turn_means_a_queue_for_each() {
    check_wanted(
        "message Go, Done; role m, w[0..2];
         protocol p { Go from m to w[*]; for i in 0..2 { Done from w[i] to m; } }",
        &lenient(),
        &expect![[r#"
            p: 7 acts, 9 states, [3, 3, 4] local states, 3 packets
            w[0] -> m: 1 suffices
            w[1] -> m: 1 suffices
            m -> w[0]: 1 suffices
            m -> w[1]: 1 suffices
        "#]],
    );
}

#[test]
fn senders_wait_where_a_queue_would_grow() {
    let text = "message Tick; role clock, display;
         protocol p { repeat forever { Tick from clock to display; } }";
    check(
        text,
        &expect![[r#"
        p: 2 acts, 2 states, [1, 1] local states, 1 packets
        clock -> display: 1 senders wait
    "#]],
    );
    let wanted = Wanted { capacity: 2, ..both() };
    check_wanted(
        text,
        &wanted,
        &expect![[r#"
            p: 2 acts, 2 states, [1, 1] local states, 1 packets
            clock -> display: 2 senders wait
        "#]],
    );
}

#[test]
fn a_liberal_form_that_differs_is_refused() {
    let text = "message Order, Parcel, Cancel, Letter; role A, B, C, D;
         protocol p {
             either { Order from A to B; Parcel from C to D; }
             or { Cancel from A to B; Letter from C to D; }
         }";
    check(
        text,
        &expect![[r#"
            error[G002]: the liberal form allows `C sends Letter to D` where the protocol does not
             --> test.quad:4:39
              |
            3 |              either { Order from A to B; Parcel from C to D; }
              |                       ------------------ the protocol goes on here
            4 |              or { Cancel from A to B; Letter from C to D; }
              |                                       ^^^^^^^^^^^^^^^^^^^ happens out of turn
              |
              = note: after: A sends Order to B
              = note: `C` cannot tell from what it has done so far that it must wait
              = note: to change that, send a message to the role that must wait, or run the strict form
              = help: generate the strict variant alone with `--variant strict`, or accept this with `--accept-differences`; in a build script, `.variants(Variants::Strict)` or `.accept_differences()`
        "#]],
    );
    let wanted = Wanted { variants: Variants::Strict, ..Wanted::default() };
    check_wanted(
        text,
        &wanted,
        &expect![[r#"
            p: 8 acts, 8 states, [] local states, 0 packets
        "#]],
    );
    check_wanted(
        text,
        &lenient(),
        &expect![[r#"
            p: 8 acts, 8 states, [2, 2, 2, 2] local states, 4 packets
            A -> B: 1 suffices
            C -> D: 1 suffices
        "#]],
    );
}

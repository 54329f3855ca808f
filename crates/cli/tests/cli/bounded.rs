//! `quadrille check --bounded`: what the queues of a liberal form hold.

use expect_test::expect;

use crate::folder::Folder;

const CLOCK: &[u8] = b"message Tick, Stop; role a, b;
protocol clock { loop { Tick from a to b; } }
protocol alarm { Tick from a to b; Tick from a to b; Stop from b to a; }";

#[test]
fn queues_and_the_run_that_makes_one_grow_are_shown() {
    let folder = Folder::new([("clock.quad", CLOCK)]);
    let check = ["check", "clock.quad", "--form", "liberal", "--bounded", "--protocol"];
    folder.check(
        &[&check[..], &["alarm"]].concat(),
        &expect![[r#"
            exit 0
            --- stdout
            holds: no deadlock  (8 states, 8 transitions; the liberal form, no reduction, no bounds)
            holds: all queues are bounded  (8 states, 8 transitions; the liberal form, no reduction, no bounds)
              queues  b->a at most 1, a->b at most 2
            2 checks: 2 passed
        "#]],
    );
    folder.check(
        &[&check[..], &["clock"]].concat(),
        &expect![[r#"
            exit 1
            --- stdout
            unknown: no deadlock  (1025 states, 2047 transitions; the liberal form, no reduction, at most 100000 states)
              there are infinitely many states: a queue or a place grows for ever; bound what grows, as by letting the receiver answer before the sender goes on
            violated: all queues are bounded  (1025 states, 2047 transitions; the liberal form, no reduction, at most 100000 states)
              queues  a->b unbounded

                 start               a->b: []
              1  a sends Tick to b   a->b: [] → [Tick]
              2  a sends Tick to b   a->b: [Tick] → [Tick Tick]

              replay: quadrille check clock.quad --protocol clock --form liberal --bounded --trace-out trace.json
                      quadrille replay clock.quad trace.json

            2 checks: 1 failed, 1 unknown
        "#]],
    );
}

#[test]
fn only_liberal_forms_have_queues() {
    let folder = Folder::new([
        ("clock.quad", CLOCK),
        ("t.aut", b"des (0, 1, 2)\n(0, \"go\", 1)\n"),
        ("part.bp", b"component Part { !I.go }"),
    ]);
    folder.check(
        &["check", "clock.quad", "--bounded"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: the question `bounded` cannot be asked about this kind of model
         |
         = help: ask it about the liberal form of a protocol: --form liberal
        see `quadrille explain Q012`
    "#]],
    );
    folder.check(
        &["check", "t.aut", "--bounded"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: --bounded is about the queues of protocols (.quad, .dcj)
         |
         = help: leave it out
        see `quadrille explain Q012`
    "#]],
    );
    folder.check(
        &["check", "part.bp", "--bounded"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: --bounded is about the queues of protocols (.quad, .dcj)
         |
         = help: leave it out
        see `quadrille explain Q012`
    "#]],
    );
}

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
    folder.check(&[&check[..], &["alarm"]].concat(), &expect![[r#""#]]);
    folder.check(&[&check[..], &["clock"]].concat(), &expect![[r#""#]]);
}

#[test]
fn only_liberal_forms_have_queues() {
    let folder = Folder::new([
        ("clock.quad", CLOCK),
        ("t.aut", b"des (0, 1, 2)\n(0, \"go\", 1)\n"),
        ("part.bp", b"component Part { !I.go }"),
    ]);
    folder.check(&["check", "clock.quad", "--bounded"], &expect![[r#""#]]);
    folder.check(&["check", "t.aut", "--bounded"], &expect![[r#""#]]);
    folder.check(&["check", "part.bp", "--bounded"], &expect![[r#""#]]);
}

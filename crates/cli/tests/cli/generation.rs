//! `quadrille generate`: modules that are checked in are up to date; what it says otherwise.

use std::path::Path;

use expect_test::expect;

use crate::folder::{Folder, shown};

/// With `UPDATE_EXPECT=1`, as for snapshots, it is written anew.
#[test]
fn the_checked_in_module_is_up_to_date() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = Folder::new([]);
    let [from, to] = ["protocols/chess.quad", "modules/src"]
        .map(|path| examples.join(path).display().to_string());
    let mut arguments = vec!["generate", &from, "--out", &to];
    if std::env::var_os("UPDATE_EXPECT").is_none() {
        arguments.push("--check");
    }
    let output = folder.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}

const PING: &[u8] = b"message Ping; role a, b; protocol ping { Ping from a to b; }";

#[test]
fn a_file_that_is_up_to_date_is_left_alone() {
    let folder = Folder::new([("ping.quad", PING)]);
    let generate = ["generate", "ping.quad", "--out", "."];
    let check = ["generate", "ping.quad", "--out", ".", "--check"];
    folder.check(
        &generate,
        &expect![[r#"
            exit 0
            --- stderr
            wrote ./ping.rs
        "#]],
    );
    folder.check(
        &check,
        &expect![[r#"
        exit 0
        --- stdout
        `./ping.rs` is up to date
    "#]],
    );
    let changed = folder.read("ping.rs").replace("exactly", "roughly");
    std::fs::write(folder.path().join("ping.rs"), changed).expect("a file");
    folder.check(
        &check,
        &expect![[r#"
            exit 1
            --- stdout
            `./ping.rs` is not up to date, from line 17 on; the same command without --check writes it
        "#]],
    );
    folder.check(
        &["generate", "ping.quad", "--out", "elsewhere"],
        &expect![[r#"
            exit 0
            --- stderr
            wrote elsewhere/ping.rs
        "#]],
    );
}

#[test]
fn what_cannot_be_generated_is_refused() {
    let folder = Folder::new([
        (
            "race.quad",
            b"message X, Y; role a, b, c, d;
protocol p { either { X from a to b; X from c to d; } or { Y from a to b; Y from c to d; } }",
        ),
        ("same.quad", b"message X; role a, A; protocol p { X from a to A; }"),
        ("ping.quad", PING),
        ("grow.quad", b"message X; role a, b; protocol p(n = 0) { X from a to b; p(n + 1); }"),
        ("notes.txt", b"not a protocol"),
    ]);
    folder.check(&["generate", "race.quad", "--variant", "both"], &expect![[r#"
        exit 2
        --- stderr
        error[G002]: the liberal form allows `c sends Y to d` where the protocol does not
         --> race.quad:2:75
          |
        2 | protocol p { either { X from a to b; X from c to d; } or { Y from a to b; Y from c to d; } }
          |                       -------------- the protocol goes on here            ^^^^^^^^^^^^^^ happens out of turn
          |
          = note: after: a sends X to b
          = note: `c` cannot tell from what it has done so far that it must wait
          = note: to change that, send a message to the role that must wait, or run the strict form
          = help: generate the strict variant alone with `--variant strict`, or accept this with `--accept-differences`; in a build script, `.variants(Variants::Strict)` or `.accept_differences()`
        see `quadrille explain G002`
    "#]]);
    folder.check(
        &["generate", "same.quad"],
        &expect![[r#"
            exit 2
            --- stderr
            error[G003]: roles `A` and `a` would both be `A` in Rust
             --> same.quad:1:36
              |
            1 | message X; role a, A; protocol p { X from a to A; }
              |                                    ^^^^^^^^^^^^^^ both are here
              |
              = help: rename one of them
            see `quadrille explain G003`
        "#]],
    );
    folder.check(
        &["generate", "grow.quad", "--max-states", "1000"],
        &expect![[r#"
        exit 3
        --- stderr
        error[G011]: cannot generate a module: there are more than 1000 states
         --> grow.quad:1:43
          |
        1 | message X; role a, b; protocol p(n = 0) { X from a to b; p(n + 1); }
          |                                           ^^^^^^^^^^^^^^ and so on
          |
          = note: one of its states: p(500)
          = note: reached by: … 988 steps …; a sends X to b; b receives X from a; a sends X to b; b receives X from a; a sends X to b; b receives X from a; a sends X to b; b receives X from a; a sends X to b; b receives X from a; a sends X to b; b receives X from a
          = help: generate for smaller arguments, or raise the bound
        see `quadrille explain G011`
        "#]],
    );
    folder.check(
        &["generate", "notes.txt"],
        &expect![[r#"
        exit 2
        --- stderr
        error[G006]: `notes.txt` is not a protocol
         |
         = help: protocols are in files that end in .quad or .dcj
        see `quadrille explain G006`
    "#]],
    );
    folder.check(
        &["generate", "ping.quad", "--type", "Pong=u8"],
        &expect![[r#"
        exit 2
        --- stderr
        error[G004]: there is no message `Pong`
         |
         = help: the messages are: Ping
        see `quadrille explain G004`
    "#]],
    );
    folder.check(
        &["generate", "ping.quad", "--type", "Ping=1 + 1"],
        &expect![[r#"
        exit 2
        --- stderr
        error[G004]: `1 + 1`, given for `Ping`, is not a type for messages
         |
         = help: write an owned type: `crate::Move`, `Vec<u8>`, `&'static str`
        see `quadrille explain G004`
    "#]],
    );
    folder.check(
        &["generate", "ping.quad", "--derive", "not a path"],
        &expect![[r#"
        exit 2
        --- stderr
        error[G004]: `not a path` is not a path of Rust
         |
         = note: unexpected token
        see `quadrille explain G004`
    "#]],
    );
}

#[test]
fn protocols_without_end_are_refused_with_a_run() {
    let folder = Folder::new([
        (
            "beside.quad",
            b"message X; role a, b;\nprotocol p { par { X from a to b; } and { p(); } }",
        ),
        (
            "before.quad",
            b"message X, Y; role a, b;\nprotocol p { X from a to b; either { p(); } or { } Y from b to a; }",
        ),
        (
            "wide.quad",
            b"parameter k = 2; message X; role a, w[0..k];\nprotocol farm { par for i in 0..k { X from a to w[i]; } }",
        ),
        ("before.dcj", b"(s/defsession ::p [] (s/-->> X ::a ::b) (::p) (s/-->> Y ::b ::a))"),
        ("last.quad", b"message X; role a, b;\nprotocol p(n = 0) { X from a to b; p(n + 1); }"),
    ]);
    folder.check(&["generate", "beside.quad"], &expect![[r#"
        exit 2
        --- stderr
        error[G001]: cannot generate a module: `p` has infinitely many states
         --> beside.quad:2:20
          |
        2 | protocol p { par { X from a to b; } and { p(); } }
          |                    ^^^^^^^^^^^^^^ each repetition leaves more to do
          |
          = note: at the start
          = note: can be repeated for ever: a sends X to b
          = help: let a protocol call itself only as the last thing it does, not before or beside something else
        see `quadrille explain G001`
    "#]]);
    folder.check(&["generate", "before.quad"], &expect![[r#"
        exit 2
        --- stderr
        error[G001]: cannot generate a module: `p` has infinitely many states
         --> before.quad:2:14
          |
        2 | protocol p { X from a to b; either { p(); } or { } Y from b to a; }
          |              ^^^^^^^^^^^^^^ each repetition leaves more to do
          |
          = note: after: a sends X to b
          = note: can be repeated for ever: b receives X from a; a sends X to b
          = help: let a protocol call itself only as the last thing it does, not before or beside something else
        see `quadrille explain G001`
    "#]]);
    folder.check(&["generate", "before.dcj"], &expect![[r#"
        exit 2
        --- stderr
        error[G001]: cannot generate a module: `p` has infinitely many states
         --> before.dcj:1:22
          |
        1 | (s/defsession ::p [] (s/-->> X ::a ::b) (::p) (s/-->> Y ::b ::a))
          |                      ^^^^^^^^^^^^^^^^^^ each repetition leaves more to do
          |
          = note: after: a sends X to b
          = note: can be repeated for ever: b receives X from a; a sends X to b
          = help: let a protocol call itself only as the last thing it does, not before or beside something else
        see `quadrille explain G001`
    "#]]);
    // Members of a family are one part of the text, however many there are.
    let output = folder.run(&["generate", "wide.quad", "--param", "k=50000"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.lines().count() < 300 && text.lines().all(|line| line.len() < 200), "{text}");
    folder.check(&["generate", "last.quad", "--max-states", "1500"], &expect![[r#"
        exit 3
        --- stderr
        error[G011]: cannot generate a module: there are more than 1500 states
         --> last.quad:2:21
          |
        2 | protocol p(n = 0) { X from a to b; p(n + 1); }
          |                     ^^^^^^^^^^^^^^ and so on
          |
          = note: one of its states: p(500)
          = note: reached by: … 988 steps …; a sends X to b; b receives X from a; a sends X to b; b receives X from a; a sends X to b; b receives X from a; a sends X to b; b receives X from a; a sends X to b; b receives X from a; a sends X to b; b receives X from a
          = help: generate for smaller arguments, or raise the bound
        see `quadrille explain G011`
    "#]]);
}

#[test]
fn what_is_missing_or_too_much_is_told_with_its_place() {
    let folder = Folder::new([
        ("empty.dcj", b"" as &[u8]),
        ("two.dcj", b"(s/defsession ::p [] (s/end))\n(s/defsession ::q [k] (s/end))"),
        ("nothing.quad", b"role a;\nprotocol p { }"),
        ("stuck.quad", b"message X; role a, b; variable n: 0..2;\nprotocol p { X from a to b; when n > 0 { X from b to a; } }"),
        ("farm.quad", b"parameter k = 2; message X; role a, w[0..k];\nprotocol farm { for i in 0..k { X from a to w[i]; } }"),
        ("ping.quad", PING),
    ]);
    folder.check(
        &["generate", "empty.dcj"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q015]: `empty.dcj` defines no session
             --> empty.dcj:1:1
              |
            1 |
              | ^ nothing is defined here
              |
              = help: a session is written `(s/defsession ::name [parameter …] protocol)`
            see `quadrille explain Q015`
        "#]],
    );
    folder.check(
        &["generate", "two.dcj"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q015]: `two.dcj` defines several sessions
             --> two.dcj:1:1
              |
            1 | (s/defsession ::p [] (s/end))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ p
            2 | (s/defsession ::q [k] (s/end))
              | ------------------------------ q k
              |
              = help: name one with --protocol, and give its arguments with --arg
            see `quadrille explain Q015`
        "#]],
    );
    folder.check(
        &["generate", "two.dcj", "--protocol", "q"],
        &expect![[r#"
        exit 2
        --- stderr
        error[D008]: session `q` takes 1 argument, and 0 are given
         --> two.dcj:2:1
          |
        2 | (s/defsession ::q [k] (s/end))
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ takes [k]
          |
          = help: give as many arguments as it has, in order
        see `quadrille explain D008`
    "#]],
    );
    folder.check(
        &["generate", "two.dcj", "--protocol", "r"],
        &expect![[r#"
            exit 2
            --- stderr
            error[D007]: there is no session `r`
             --> two.dcj:1:1
              |
            1 | (s/defsession ::p [] (s/end))
              | ^ not defined
            see `quadrille explain D007`
        "#]],
    );
    folder.check(
        &["generate", "two.dcj", "--protocol", "q", "--param", "k=1"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q012]: --parameter is for .quad files
             |
             = help: give the arguments of the session with --arg, in order
            see `quadrille explain Q012`
        "#]],
    );
    folder.check(
        &["generate", "nothing.quad"],
        &expect![[r#"
        exit 2
        --- stderr
        error[G008]: `p` has no actions
         --> nothing.quad:2:10
          |
        2 | protocol p { }
          |          ^ no role performs any action
          |
          = help: generate for other arguments
        see `quadrille explain G008`
    "#]],
    );
    folder.check(
        &["generate", "stuck.quad", "--out", "."],
        &expect![[r#"
            exit 0
            --- stderr
            warning[L009]: the protocol can get stuck
             --> stuck.quad:2:14
              |
            2 | protocol p { X from a to b; when n > 0 { X from b to a; } }
              |              ^^^^^^^^^^^^^^ nothing can happen after this
              |
              = note: after: a sends X to b; b receives X from a
              = help: give the protocol something to do there, or let it end
            see `quadrille explain L009`
            wrote ./p.rs
        "#]],
    );
    folder.check(
        &["generate", "farm.quad", "--param", "k=1", "--param", "k=2"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q104]: parameter `k` is given twice
         --> parameter k:1:1
          |
        1 | 2
          | ^ the second time
          |
          = help: give it once
        see `quadrille explain Q104`
    "#]],
    );
    folder.check(
        &["generate", "ping.quad", "--type", "Ping=&str"],
        &expect![[r#"
        exit 2
        --- stderr
        error[G004]: `&str`, given for `Ping`, is not a type for messages
         |
         = help: write an owned type: `crate::Move`, `Vec<u8>`, `&'static str`
        see `quadrille explain G004`
    "#]],
    );
}

#[test]
fn only_generated_files_are_replaced() {
    let folder = Folder::new([("ping.quad", PING), ("main.rs", b"fn main() {}\n")]);
    folder.check(
        &["generate", "ping.quad", "--out", "main.rs"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q002]: `main.rs` is no generated file, and would be lost
         |
         = help: move it away, or write to another file
        see `quadrille explain Q002`
    "#]],
    );
    assert_eq!(folder.read("main.rs"), "fn main() {}\n");
    folder.check(
        &["generate", "ping.quad", "--out", ".", "--check"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q001]: cannot read `./ping.rs`
             |
             = note: No such file or directory (os error 2)
             = help: the same command without --check writes it
            see `quadrille explain Q001`
        "#]],
    );
}

//! `quadrille generate`: modules that are checked in are up to date; what it says otherwise.

use std::path::Path;

use expect_test::expect;

use crate::folder::{Folder, shown};

/// Modules under `examples`, a line each: the protocol, where its module is, and how it is generated. With
/// `UPDATE_EXPECT=1`, as for snapshots, they are written anew.
const CHECKED_IN: &str = "
    protocols/chess.quad modules/src
    protocols/login.quad modules/src
    protocols/token-full-mesh.quad modules/src
    protocols/two-phase-commit.quad modules/src --type Vote=crate::bank::Vote --accept-differences
    modules/protocols/names.quad modules/src --accept-differences
    modules/protocols/farm.quad modules/src --param k=1..=4 --accept-differences
    chess/chess.quad chess/src/generated
    ../crates/bench/protocols/ping_pong.quad ../crates/bench/src/generated --no-typed --no-tests
    ../crates/bench/protocols/stream.quad ../crates/bench/src/generated/bytes.rs --form liberal --capacity 1024 --accept-differences --no-typed --no-tests --type Item=crate::generated::Byte
    ../crates/bench/protocols/stream.quad ../crates/bench/src/generated/lines.rs --form liberal --capacity 1024 --accept-differences --no-typed --no-tests --type Item=crate::generated::Line
    ../crates/bench/protocols/fork_join.quad ../crates/bench/src/generated/fork_join_4.rs --form liberal --accept-differences --no-typed --no-tests
    ../crates/bench/protocols/fork_join.quad ../crates/bench/src/generated/fork_join_12.rs --param k=12 --max-states 10000 --form liberal --accept-differences --no-typed --no-tests
";

#[test]
fn checked_in_modules_are_up_to_date() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = Folder::new([]);
    for line in CHECKED_IN.lines().filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [file, out, rest @ ..] = words.as_slice() else {
            panic!("a file and a folder: {line}")
        };
        let [from, to] = [file, out].map(|path| examples.join(path).display().to_string());
        let mut arguments = [&["generate", &from, "--out", &to], rest].concat();
        if std::env::var_os("UPDATE_EXPECT").is_none() {
            arguments.push("--check");
        }
        let output = folder.run(&arguments);
        assert_eq!(
            output.status.code(),
            Some(0),
            "quadrille generate examples/{file} --out examples/{out} {}\n{}",
            rest.join(" "),
            shown(&output)
        );
    }
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
        `./ping.rs` is not up to date, from line 13 on; the same command without --check writes it
    "#]],
    );
    folder.check(
        &["generate", "ping.quad", "--out", "elsewhere"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q002]: cannot write `elsewhere/ping.rs`
         |
         = note: No such file or directory (os error 2)
         = help: the folder must exist and be writable
        see `quadrille explain Q002`
    "#]],
    );
}

#[test]
fn what_cannot_be_generated_is_refused() {
    let folder = Folder::new([
        (
            "race.quad",
            b"message X, Y; role a, b, c, d; protocol p { X from a to b; Y from c to d; }",
        ),
        ("same.quad", b"message X; role a, A; protocol p { X from a to A; }"),
        ("ping.quad", PING),
        ("grow.quad", b"message X; role a, b; protocol p(n = 0) { X from a to b; p(n + 1); }"),
        ("notes.txt", b"not a protocol"),
    ]);
    folder.check(&["generate", "race.quad"], &expect![[r#"
        exit 2
        --- stderr
        error[G002]: the liberal form allows `c sends Y to d` where the protocol does not
         --> race.quad:1:60
          |
        1 | message X, Y; role a, b, c, d; protocol p { X from a to b; Y from c to d; }
          |                                             -------------- ^^^^^^^^^^^^^^ happens out of turn
          |                                             |
          |                                             the protocol goes on here
          |
          = note: at the start
          = note: `c` cannot tell from what it has done so far that it must wait
          = note: to change that, send a message to the role that must wait, or run the strict form
          = help: generate the strict form alone with `--form strict`, or accept this with `--accept-differences`
        see `quadrille explain G002`
    "#]]);
    folder.check(
        &["generate", "same.quad"],
        &expect![[r#"
            exit 2
            --- stderr
            error[G003]: roles `A` and `a` would both be `A` in Rust
             |
             = help: rename one of them
            see `quadrille explain G003`
        "#]],
    );
    folder.check(
        &["generate", "grow.quad", "--max-states", "1000"],
        &expect![[r#"
            exit 2
            --- stderr
            error[G001]: no module can be made: there are more than 1000 states
             |
             = help: generate for smaller arguments, or raise the bound
            see `quadrille explain G001`
        "#]],
    );
    folder.check(
        &["generate", "notes.txt"],
        &expect![[r#"
        exit 2
        --- stderr
        error[G006]: `notes.txt` is no protocol
         |
         = help: protocols are written in files that end in .quad or .dcj
        see `quadrille explain G006`
    "#]],
    );
    folder.check(
        &["generate", "ping.quad", "--type", "Pong=u8"],
        &expect![[r#"
        exit 2
        --- stderr
        error[G004]: there is no message `Pong` to give a type to
         |
         = help: messages here are: Ping
        see `quadrille explain G004`
    "#]],
    );
    folder.check(&["generate", "ping.quad", "--type", "Ping=1 + 1"], &expect![[r#"
        exit 2
        --- stderr
        error[G004]: `1 + 1`, given for `Ping`, is no Rust type
         |
         = note: expected one of: `for`, parentheses, `fn`, `unsafe`, `extern`, identifier, `::`, `<`, `dyn`, square brackets, `*`, `&`, `!`, `impl`, `_`, lifetime
        see `quadrille explain G004`
    "#]]);
    folder.check(
        &["generate", "ping.quad", "--derive", "not a path"],
        &expect![[r#"
        exit 2
        --- stderr
        error[G004]: `not a path` is no path of Rust
         |
         = note: unexpected token
        see `quadrille explain G004`
    "#]],
    );
}

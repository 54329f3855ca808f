//! What build scripts get: a file, or lines for cargo.
#![allow(clippy::disallowed_methods)] // writes protocols for the tests

use expect_test::{Expect, expect};
use quadrille_build::{Protocol, Variants};

fn check(text: impl AsRef<[u8]>, set_up: impl FnOnce(Protocol) -> Protocol, expected: &Expect) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.quad");
    std::fs::write(&file, text).expect("a file");
    let shown = match set_up(Protocol::new(&file)).generate_to(folder.path()) {
        Ok(written) => {
            let text = std::fs::read_to_string(&written.file).expect("the module");
            let name = written.file.file_name().expect("a name").to_string_lossy().into_owned();
            let functions = text.lines().filter(|line| line.starts_with("pub fn "));
            let functions: String = functions.map(|line| format!("{line}\n")).collect();
            format!("{name}\n{functions}{}", written.warnings.join("\n"))
        }
        Err(failed) => failed.messages.join("\n") + "\n" + &failed.shown,
    };
    let folder = folder.path().display().to_string();
    expected.assert_eq(&shown.replace(&format!("{folder}/"), ""));
}

#[test]
fn a_module_is_written() {
    let ping = "message Ping; role a, b; protocol ping { Ping from a to b; }";
    check(
        ping,
        |protocol| protocol,
        &expect![[r#"
            ping.rs
            pub fn strict() -> Module {
            pub fn liberal() -> Module {
            pub fn origin() -> runtime::Origin {
            pub fn verify() -> runtime::Subject<Payload> {
        "#]],
    );
    check(
        ping,
        |protocol| protocol.variants(Variants::Strict).without_samples().module("other"),
        &expect![[r#"
            other.rs
            pub fn strict() -> Module {
            pub fn origin() -> runtime::Origin {
        "#]],
    );
}

#[test]
fn mistakes_are_told_with_their_place() {
    check(
        "message Ping; role a; protocol p { Pong from a to b; }",
        |protocol| protocol,
        &expect![[r#"
            test.quad:1:36: there is no message `Pong` [Q103]
            test.quad:1:51: there is no role `b` [Q103]
            error[Q103]: there is no message `Pong`
             --> test.quad:1:36
              |
            1 | message Ping; role a; protocol p { Pong from a to b; }
              |                                    ^^^^ not declared
              |
              = help: did you mean `Ping`?
            error[Q103]: there is no role `b`
             --> test.quad:1:51
              |
            1 | message Ping; role a; protocol p { Pong from a to b; }
              |                                                   ^ not declared
              |
              = help: declare it, or correct the name
        "#]],
    );
    let race = "message X, Y; role a, b, c, d;\n\
                protocol p { either { X from a to b; X from c to d; } or { Y from a to b; Y from c to d; } }";
    check(
        race,
        |protocol| protocol,
        &expect![[r#"
            p.rs
            pub fn strict() -> Module {
            pub fn origin() -> runtime::Origin {
            pub fn verify() -> runtime::Subject<Payload> {
            test.quad:2:75: the module has no liberal variant: the liberal form allows `c sends Y to d` where the protocol does not [G002]"#]],
    );
    check(
        race,
        Protocol::accept_differences,
        &expect![[r#"
            p.rs
            pub fn strict() -> Module {
            pub fn liberal() -> Module {
            pub fn origin() -> runtime::Origin {
            pub fn verify() -> runtime::Subject<Payload> {
        "#]],
    );
}

#[test]
fn bytes_that_are_not_text() {
    check(
        b"message M\xff;\n",
        |protocol| protocol,
        &expect![[r#"
        test.quad:1:10: a protocol is written in UTF-8 [G006]
        error[G006]: a protocol is written in UTF-8
         --> test.quad:1:10
          |
        1 | message M�;
          |          ^ the byte 0xff is not text
          |
          = help: convert the file to UTF-8
    "#]],
    );
}

#[test]
fn a_file_that_is_not_there() {
    let failed = Protocol::new("nowhere.quad").generate_to(std::path::Path::new("."));
    let messages = failed.expect_err("there is no such file").messages;
    assert!(messages[0].starts_with("cannot read `nowhere.quad`"), "{messages:?}");
}

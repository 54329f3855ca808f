//! Generates modules of protocols in which everything is called like something else.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a build script reads, writes, tells cargo

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use quadrille_build::{Protocol, Variants};

fn main() {
    Protocol::new("odd.quad").accept_differences().tcp().generate();
    let texts = ["bargain", "farm"].map(|module| {
        let text = format!("../../crates/generate/tests/texts/{module}.rs");
        println!("cargo::rerun-if-changed={text}");
        std::fs::read_to_string(text).expect("a generated text")
    });
    let out = std::env::var("OUT_DIR").expect("cargo runs this");
    let taken = Path::new(&out).join("taken.quad");
    let texts = texts.concat();
    std::fs::write(&taken, protocol(&names(&items(&texts)), &names(&texts))).expect("a file");
    // Written by this script, so cargo must not watch it: it would always be newer than the last run.
    let taken = Protocol::new(taken).variants(Variants::Liberal);
    if let Err(failed) = taken.generate_to(Path::new(&out)) {
        panic!("{}", failed.shown);
    }
}

/// The lines of a text that begin an item of the module itself, and all that is imported there: roles give their
/// names to such items.
fn items(text: &str) -> String {
    let mut is_import = false;
    let belongs = |line: &&str| {
        let word = line.trim_start_matches("pub ").split([' ', '(']).next();
        let begins = matches!(word, Some("const" | "enum" | "fn" | "mod" | "struct" | "use"));
        is_import = word == Some("use") || is_import && !begins && !line.is_empty();
        begins || is_import
    };
    text.lines().filter(belongs).map(|line| format!("{line}\n")).collect()
}

/// All names in a text of Rust, but not two that differ only in case and underscores.
fn names(text: &str) -> Vec<&str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let words =
        code.flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
    let is_name = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.contains(char::is_lowercase)
    };
    let key = |word: &str| word.replace('_', "").to_lowercase();
    let names: BTreeMap<String, &str> =
        words.filter(is_name).map(|word| (key(word), word)).collect();
    names.into_values().collect()
}

/// A protocol whose roles have these names, and whose messages, events and values have those. Underscores tell them
/// apart there; Rust does not see them.
fn protocol(roles: &[&str], others: &[&str]) -> String {
    let all = |names: &[&str], underscores: &str| -> Vec<String> {
        names.iter().map(|name| format!("{name}{underscores}")).collect()
    };
    let roles = all(roles, "_");
    let [messages, events, values] = ["__", "___", "____"].map(|end| all(others, end));
    let (first, second, third) = (&roles[0], &roles[1], &roles[2]);
    let sent = messages.iter().map(|name| format!("{{ {name} from {first} to {second}; }}"));
    let done = events.iter().map(|name| format!("{{ {first} does {name}; }}"));
    let [sent, done] = [sent.collect(), done.collect()].map(|all: Vec<_>| all.join(" or "));
    let mut text = format!(
        "enum Values {{ {} }} message Pick(value: Values), {}; event {}; role {};
        protocol taken {{ either {done} either {sent} Pick(any) from {second} to {third};",
        values.join(", "),
        messages.join(", "),
        events.join(", "),
        roles.join(", ")
    );
    for (pair, message) in roles[2..].windows(2).zip(&messages) {
        write!(text, " {message} from {} to {};", pair[0], pair[1]).expect("a string");
    }
    text + " }\n"
}

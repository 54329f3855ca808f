//! Generates modules of protocols in which everything is called like something else.
#![allow(clippy::disallowed_methods)] // a build script reads and writes

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use quadrille_build::Protocol;

fn main() {
    Protocol::new("odd.quad").accept_differences().tcp().generate();
    let texts = ["bargain", "chess", "farm"].map(|module| {
        let text = format!("../../crates/generate/tests/texts/{module}.rs");
        std::fs::read_to_string(text).expect("a generated text")
    });
    let out = std::env::var("OUT_DIR").expect("cargo runs this");
    let taken = Path::new(&out).join("taken.quad");
    std::fs::write(&taken, protocol(&names(&texts.concat()))).expect("a file");
    Protocol::new(taken).tcp().generate();
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

/// A protocol whose roles, messages, events and values are all called so. Underscores tell them apart there; Rust
/// does not see them.
fn protocol(names: &[&str]) -> String {
    let all = |underscores: &str| {
        names.iter().map(|name| format!("{name}{underscores}")).collect::<Vec<_>>()
    };
    let [roles, messages, events, values] = ["_", "__", "___", "____"].map(all);
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

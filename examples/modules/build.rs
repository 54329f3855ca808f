//! Generates the modules that are not checked in, and one of every protocol of `examples/protocols` for the tests.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a build script reads, writes and tells cargo

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use quadrille_build::Protocol;

fn main() {
    for file in ["login", "token-full-mesh"] {
        Protocol::new(format!("../protocols/{file}.quad")).generate();
    }
    let commit = Protocol::new("../protocols/two-phase-commit.quad").accept_differences();
    commit.message_type("Vote", "crate::bank::Vote").generate();
    Protocol::new("protocols/names.quad").accept_differences().generate();
    let farm = Protocol::new("protocols/farm.quad").accept_differences();
    farm.parameter("k", "1..=4").generate();
    let pool = || Protocol::new("protocols/pool.quad");
    pool().parameter("k", "1..").generate();
    pool().parameter("k", "20").module("crew").generate();
    all("../protocols");
}

/// A module for every protocol of a folder, and a function that shows all of them to a visitor.
fn all(folder: &str) {
    println!("cargo::rerun-if-changed={folder}");
    let entries = fs::read_dir(folder).expect("a folder of the repository");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "quad"));
    files.sort();
    let (mut modules, mut visits) = (String::new(), String::new());
    for file in files {
        let stem = file.file_stem().expect("a name").to_string_lossy().into_owned();
        // It needs a type of this crate, and is generated with it above.
        if stem == "two-phase-commit" {
            continue;
        }
        let name = stem.replace('-', "_");
        let written = format!("all_{name}");
        Protocol::new(&file).accept_differences().module(&written).without_test().generate();
        let path = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join(written + ".rs");
        let _ =
            writeln!(modules, "/// From `{stem}.quad`.\npub mod {name} {{ include!({path:?}); }}");
        let _ = writeln!(visits, "    visitor.module({name:?}, &{name}::verify);");
    }
    let _ = write!(
        modules,
        "/// Shows a visitor all modules.\npub fn visit(visitor: &mut impl Visitor) {{\n{visits}}}\n"
    );
    let path = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("all.rs");
    fs::write(path, modules).expect("a file in OUT_DIR");
}

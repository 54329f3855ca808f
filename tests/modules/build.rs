//! Generates a module for every protocol, session and list of arguments that the tables of a folder name.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a build script reads, writes and tells cargo

mod rows;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::unobserved;
use quadrille_generate::{Request, Session, Variants, Wanted, generate};

fn main() {
    let (folder, is_named) = rows::folder();
    println!("cargo::rerun-if-env-changed=QUADRILLE_ROWS");
    println!("cargo::rerun-if-changed={}", folder.display());
    assert!(folder.is_dir() || !is_named, "QUADRILLE_ROWS: there is no {}", folder.display());
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let tables = ["expected.tsv", "lts.tsv"].map(|table| rows::read(&folder, table));
    // Tests of tables that are not there are reported as ignored, but verdicts must be in a folder that was named.
    println!("cargo::rustc-check-cfg=cfg(has_verdicts, has_sizes)");
    for (table, flag) in tables.iter().zip(["has_verdicts", "has_sizes"]) {
        if !table.is_empty() || (is_named && flag == "has_verdicts") {
            println!("cargo::rustc-cfg={flag}");
        }
    }
    let wanted: BTreeSet<rows::Session> =
        tables.into_iter().flatten().map(|row| row.session()).collect();
    let (mut modules, mut visits, mut problems) = (String::new(), String::new(), String::new());
    for (number, session) in wanted.iter().enumerate() {
        let name = session.to_string();
        let (text, problem) = module(&folder, session);
        // Rows about what there is no module of fail; all others can still be asked.
        if let Some(problem) = problem {
            println!("cargo::warning={name}: {}", problem.replace('\n', " "));
            let _ = writeln!(problems, "    ({name:?}, {problem:?}),");
        }
        let Some(text) = text else { continue };
        let path = Path::new(&out).join(format!("m{number}.rs"));
        fs::write(&path, text).expect("a file in OUT_DIR");
        let _ = writeln!(modules, "#[doc = {name:?}]\n#[path = {path:?}]\npub mod m{number};");
        let _ = writeln!(visits, "    visitor.module({name:?}, m{number}::verify());");
    }
    let unused = if visits.is_empty() { "_" } else { "" };
    let _ = write!(
        modules,
        "/// Shows a visitor all modules.\n\
        pub fn visit({unused}visitor: &mut impl Visitor) {{\n{visits}}}\n\n\
        /// Sessions of which there is no module, or only the strict form, and why.\n\
        pub const PROBLEMS: &[(&str, &str)] = &[\n{problems}];\n"
    );
    fs::write(Path::new(&out).join("modules.rs"), modules).expect("a file in OUT_DIR");
}

/// The text of a session's module, in strict form alone where there is no liberal one; and what went wrong.
fn module(folder: &Path, session: &rows::Session) -> (Option<String>, Option<String>) {
    let text = match fs::read_to_string(folder.join(&session.file)) {
        Ok(text) => text,
        Err(error) => return (None, Some(format!("it cannot be read: {error}"))),
    };
    match generated(&text, session, Variants::Both) {
        Ok(text) => (Some(text), None),
        Err(why) => (generated(&text, session, Variants::Strict).ok(), Some(why)),
    }
}

/// The text of a module. The published forms of some protocols differ from the protocol, so that is accepted.
fn generated(text: &str, session: &rows::Session, variants: Variants) -> Result<String, String> {
    let mut sources = Sources::default();
    let source = sources.add(&session.file, text);
    let (parameters, arguments): (Vec<&String>, Vec<&String>) =
        session.values.iter().partition(|value| value.contains('='));
    let pair = |value: &String| {
        value.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    let request = Request {
        session: Session {
            protocol: (!session.name.is_empty()).then(|| session.name.clone()),
            arguments: arguments.into_iter().cloned().collect(),
            parameters: parameters.into_iter().filter_map(pair).collect(),
            ..Session::default()
        },
        wanted: Wanted { variants, accept_differences: true, ..Wanted::default() },
        runtime: "quadrille::runtime".to_owned(),
        ..Request::default()
    };
    let module = generate(&mut sources, source, &request, &mut unobserved);
    let messages = |found: Vec<Diagnostic>| {
        let messages: Vec<String> = found.into_iter().map(|found| found.message).collect();
        messages.join("; ")
    };
    module.map(|module| module.text).map_err(messages)
}

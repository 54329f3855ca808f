//! Generates a module for every protocol, session and list of arguments that the shared tables name.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a build script reads, writes and tells cargo

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::unobserved;
use quadrille_generate::{Request, Session, Wanted, generate};

fn main() {
    let folder =
        Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/protocols");
    println!("cargo::rerun-if-changed={}", folder.display());
    let out = variable("OUT_DIR");
    let mut modules = String::new();
    let mut list = String::new();
    for (number, (file, session, arguments)) in wanted(&folder).into_iter().enumerate() {
        let text = fs::read_to_string(folder.join(&file)).expect("a protocol that the tables name");
        let text = match module(&file, &text, &session, &arguments) {
            Ok(text) => text,
            Err(why) => {
                // The rows about it fail; all others can still be asked.
                println!("cargo::warning={file} {session} {arguments}: {why}");
                continue;
            }
        };
        let path = Path::new(&out).join(format!("m{number}.rs"));
        fs::write(&path, text).expect("a file in OUT_DIR");
        let doc = format!("{file} {session} {arguments}");
        let path = path.display().to_string();
        let _ = writeln!(modules, "#[doc = {doc:?}]\n#[path = {path:?}]\npub mod m{number};");
        let _ = writeln!(list, "    visitor.module(m{number}::verify());");
    }
    let unused = if list.is_empty() { "_" } else { "" };
    let _ = writeln!(
        modules,
        "/// Shows a visitor all modules.\npub fn visit({unused}visitor: &mut impl Visitor) {{\n{list}}}"
    );
    fs::write(Path::new(&out).join("modules.rs"), modules).expect("a file in OUT_DIR");
}

fn variable(name: &str) -> String {
    env::var(name).expect("cargo sets it")
}

/// File, session and arguments of all rows, each once; none where there are no tables.
fn wanted(folder: &Path) -> BTreeSet<(String, String, String)> {
    let mut wanted = BTreeSet::new();
    for table in ["expected.tsv", "lts.tsv"] {
        let text = fs::read_to_string(folder.join(table)).unwrap_or_default();
        for line in text.lines().skip(1) {
            let mut fields = line.split('\t').map(str::to_owned);
            if let (Some(file), Some(session), Some(arguments)) =
                (fields.next(), fields.next(), fields.next())
            {
                wanted.insert((file, session, arguments));
            }
        }
    }
    wanted
}

/// The text of a module; the published forms of some protocols differ from the protocol.
fn module(file: &str, text: &str, session: &str, arguments: &str) -> Result<String, String> {
    let mut sources = Sources::default();
    let source = sources.add(file, text);
    let request = Request {
        session: Session {
            name: Some(session.to_owned()),
            arguments: arguments.split_whitespace().map(str::to_owned).collect(),
            ..Session::default()
        },
        wanted: Wanted { accept_differences: true, ..Wanted::default() },
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

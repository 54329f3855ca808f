//! The component tables of the conformance folder through the command.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use quadrille_component::automata::{EventKind, Role};
use quadrille_component::lint::{EventUse, uses};
use quadrille_diagnostic::Sources;
use quadrille_workshop::conformance;
use quadrille_workshop::shared::{self, Row, rows, text};
use serde_json::Value;

use crate::folder::Folder;

fn folder(name: &str) -> PathBuf {
    shared::path("components").join(name)
}

/// Runs `check --format json`; the exit code must fit the verdict.
fn check(arguments: &[String]) -> Value {
    let folder = Folder::new([]);
    let mut all = vec!["check", "--format", "json", "-q"];
    all.extend(arguments.iter().map(String::as_str));
    let output = folder.run(&all);
    let errors = String::from_utf8_lossy(&output.stderr);
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {arguments:?}: {errors}"));
    let expected = i32::from(document["verdict"] != "no error");
    assert_eq!(output.status.code(), Some(expected), "{arguments:?}");
    document
}

/// Runs a command on texts with an error that is found without composing them.
fn refuse(command: &str, arguments: &[String], expected: &str) {
    let mut all = vec![command];
    all.extend(arguments.iter().map(String::as_str));
    let output = Folder::new([]).run(&all);
    let told =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let is_told = |line: &str| {
        let message = line.strip_prefix("error[").and_then(|line| line.split_once("]: "));
        message.is_some_and(|(_, message)| format!("error: {message}") == expected)
    };
    assert!(told.iter().flat_map(|text| text.lines()).any(is_told), "{arguments:?}: {told:?}");
    assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}");
    assert!(!told[0].contains("no error"), "{arguments:?}: {told:?}");
}

fn trace(record: &Value) -> Vec<&str> {
    record["trace"].as_array().expect("a trace").iter().filter_map(Value::as_str).collect()
}

/// Components without anything in common are separate systems: together they have as many
/// configurations as the product of theirs, here one each.
fn assert_counts(record: &Value, row: &Row, [configurations, steps]: [&str; 2]) {
    if let Some(systems) = record["checks"].as_array() {
        let is_idle = |one: &Value| one["configurations"] == 1 && one["steps"] == 0;
        assert!(systems.iter().all(is_idle), "{record}");
        assert_eq!([&row[configurations][..], &row[steps][..]], ["1", "0"], "{row:?}");
        return;
    }
    assert_eq!(record["configurations"].to_string(), row[configurations], "{row:?}");
    assert_eq!(record["steps"].to_string(), row[steps], "{row:?}");
}

fn argument(path: &Path) -> String {
    path.display().to_string()
}

#[conformance]
fn micro() {
    let folder = folder("micro");
    for row in rows(&folder.join("expected.tsv")) {
        let found = check(&[argument(&folder.join(&row["file"]))]);
        assert_eq!(found["verdict"], row["verdict"], "{row:?}");
        let trace = trace(&found).join(" ; ");
        let as_good = row["file"] == "two-callers-one-loop.bp" && trace == "τb^ ; ε!a^";
        assert!(trace == row["trace"] || as_good, "{row:?}: {trace}");
        assert_counts(&found, &row, ["configurations", "steps"]);
    }
}

#[conformance]
fn models() {
    let folder = folder("models");
    for row in rows(&folder.join("expected.tsv")) {
        let found = check(&[argument(&folder.join(&row["file"]))]);
        assert_eq!(found["verdict"], row["verdict"], "{row:?}");
        assert_counts(&found, &row, ["configurations", "steps"]);
        if let Some((last, before)) = trace(&found).split_last() {
            assert_eq!(*last, row["error"], "{row:?}");
            assert_eq!(before.len().to_string(), row["steps_before_error"], "{row:?}");
        }
    }
}

#[conformance]
fn exceptions() {
    let folder = folder("exceptions");
    let throws = rows(&folder.join("throws.tsv"));
    for row in rows(&folder.join("expected.tsv")) {
        let is_static = row["check"] == "static";
        if !is_static && row["check"] != "composition" {
            continue;
        }
        let mut arguments = vec![argument(&folder.join(&row["file"]))];
        for one in throws.iter().filter(|one| one["file"] == row["file"]) {
            let exceptions = one["exceptions"].replace(' ', ",");
            arguments.extend(["--throws".to_owned(), format!("{}={exceptions}", one["method"])]);
        }
        if is_static {
            for command in ["check", "lint"] {
                refuse(command, &arguments, &row["expected"]);
            }
            continue;
        }
        let found = check(&arguments);
        let mut told = found["verdict"].as_str().expect("a verdict").to_owned();
        if !trace(&found).is_empty() {
            told += &format!(": {}", trace(&found).join(" ; "));
        }
        assert_eq!(told, row["expected"], "{row:?}");
        assert_counts(&found, &row, ["states", "transitions"]);
    }
}

#[conformance]
fn airport() {
    let folder = folder("airport");
    let methods = rows(&folder.join("bindings.tsv"));
    for row in rows(&folder.join("expected.tsv")) {
        let step = folder.join(format!("step-{}", row["step"]));
        let texts: String = std::fs::read_dir(&step)
            .expect("a step")
            .map(|file| text(&file.expect("a file").path()))
            .collect();
        let mut arguments = vec![argument(&step)];
        let mentioned = methods.iter().filter(|method| texts.contains(&method["method"]));
        for method in mentioned {
            arguments.extend(["--bind".to_owned(), method["method"].clone()]);
        }
        let found = check(&arguments);
        assert_eq!(found["verdict"], "no error", "{row:?}");
        assert_counts(&found, &row, ["states_minimised", "transitions_minimised"]);
    }
}

/// An architecture of what a folder of components says about its interfaces.
struct Draft {
    /// Per interface, its methods with their exceptions.
    interfaces: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// Per component, its interfaces and whether it provides them.
    components: BTreeMap<String, BTreeMap<String, bool>>,
}

impl Draft {
    fn new(folder: &Path) -> Self {
        let mut draft = Self { interfaces: BTreeMap::new(), components: BTreeMap::new() };
        for row in rows(&folder.join("throws.tsv")) {
            let (interface, method) = row["method"].split_once('.').expect("a method");
            let methods = draft.interfaces.entry(interface.to_owned()).or_default();
            let exceptions = row["exceptions"].split(' ').map(str::to_owned).collect();
            methods.insert(method.to_owned(), exceptions);
        }
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "bp") {
                let id = Sources::default().add("in.bp", "");
                for component in quadrille_component::parse(id, &text(&path)).0.components {
                    for one in uses(&component.protocol) {
                        draft.learn(&component.name.text, &one);
                    }
                }
            }
        }
        draft
    }

    fn learn(&mut self, component: &str, one: &EventUse) {
        let (interface, name) = one.path.rsplit_once('.').expect("an interface");
        let is_provided = (one.kind == EventKind::Request) == (one.role == Role::Accept);
        let ports = self.components.entry(component.to_owned()).or_default();
        ports.insert(interface.to_owned(), is_provided);
        let methods = self.interfaces.entry(interface.to_owned()).or_default();
        if !one.is_exception {
            methods.entry(name.to_owned()).or_default();
        } else if !methods.values().any(|exceptions| exceptions.contains(name)) {
            // Mistakes that are left in: nobody calls this method.
            methods.entry("undeclared".to_owned()).or_default().insert(name.to_owned());
        }
    }

    fn has(&self, component: &str, interface: &str) -> bool {
        self.components.get(component).is_some_and(|ports| ports.contains_key(interface))
    }

    fn text(&self, bindings: &[Row]) -> String {
        let mut text = String::new();
        for (name, methods) in &self.interfaces {
            let method = |(name, throws): (&String, &BTreeSet<String>)| match throws.len() {
                0 => name.clone(),
                _ => format!(
                    "{name} throws {}",
                    throws.iter().cloned().collect::<Vec<_>>().join(", ")
                ),
            };
            let methods: Vec<String> = methods.iter().map(method).collect();
            let _ = writeln!(text, "interface {name} {{ {} }}", methods.join("; "));
        }
        for (name, ports) in &self.components {
            let _ = writeln!(text, "component {name} {{");
            for (port, is_provided) in ports {
                let word = if *is_provided { "provides" } else { "requires" };
                let _ = writeln!(text, "  {word} {port}");
            }
            if name == "Reservation" {
                self.inside(&mut text, bindings);
            }
            let _ = writeln!(text, "  protocol in \"{name}.bp\"\n}}");
        }
        text
    }

    fn inside(&self, text: &mut String, bindings: &[Row]) {
        for part in self.components.keys().filter(|name| *name != "Reservation") {
            let _ = writeln!(text, "  contains {part}");
        }
        for row in bindings {
            let [interface, caller, provider] =
                ["interface", "caller", "provider"].map(|column| &row[column][..]);
            let _ = match &row["kind"][..] {
                "bound" => writeln!(text, "  bind {caller}.{interface} to {provider}.{interface}"),
                kind if kind.starts_with("bound where") => {
                    if self.has(provider, interface) {
                        writeln!(text, "  bind {caller}.{interface} to {provider}.{interface}")
                    } else {
                        writeln!(text, "  external {caller}.{interface}")
                    }
                }
                kind if kind.starts_with("delegated") => {
                    writeln!(text, "  delegate Reserv to {provider}.{interface}")
                }
                _ => writeln!(text, "  subsume {caller}.{interface} to {interface}"),
            };
        }
    }
}

#[conformance]
fn reservation() {
    let folder = folder("reservation");
    let bindings = rows(&folder.join("bindings.tsv"));
    for row in rows(&folder.join("expected.tsv")) {
        let own = Folder::new([]);
        let given = folder.join(&row["folder"]);
        for entry in std::fs::read_dir(&given).expect("a folder") {
            let path = entry.expect("an entry").path();
            std::fs::copy(&path, own.path().join(path.file_name().expect("a name")))
                .expect("a copy");
        }
        let draft = Draft::new(&given);
        std::fs::write(own.path().join("system.arch"), draft.text(&bindings)).expect("a file");
        let document = check(&[argument(&own.path().join("system.arch"))]);
        let checks = document["checks"].as_array().expect("checks");
        let wanted = |one: &&Value| one["check"]["kind"] == row["check"];
        let found = checks.iter().find(wanted).expect("the check");
        assert_eq!(found["check"]["verdict"], row["verdict"], "{row:?}");
        let bad = found["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .filter_map(|one| one["event"].as_str());
        let bad: BTreeSet<String> = bad.map(|event| format!("ε!{event}")).collect();
        assert_eq!(bad.into_iter().collect::<Vec<_>>().join(" "), row["bad_events"], "{row:?}");
        let n_expected =
            row["shortest_trace"].split(" ; ").filter(|token| !token.is_empty()).count();
        assert_eq!(trace(found).len(), n_expected, "{row:?}: {:?}", trace(found));
        assert_counts(found, &row, ["configurations", "steps"]);
    }
}

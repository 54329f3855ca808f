//! Every row of the component tables of the conformance folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use quadrille_component::automata::{Construction, Throws, flatten};
use quadrille_component::composition::{Binding, Composition, CompositionErrors, UnitId, Wiring};
use quadrille_component::lint::{InterfaceLink, KnownBindings};
use quadrille_component::syntax::{Component, File, Kind, Protocol, parse};
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_model::Model;
use quadrille_workshop::conformance;
use quadrille_workshop::shared::{self, Row, rows as table, text};

use crate::lint::findings;
use crate::world::World;

pub fn folder(name: &str) -> PathBuf {
    shared::path("components").join(name)
}

pub fn number(row: &Row, column: &str) -> usize {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// The texts of the `.bp` files of a folder, in order of their names.
fn texts(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bp"));
    paths.sort();
    paths.iter().map(|path| text(path)).collect()
}

/// The `.bp` files of a folder, in order of their names.
pub fn files(folder: &Path) -> Vec<File> {
    texts(folder).iter().map(|text| crate::read(text)).collect()
}

pub fn throws(rows: &[Row]) -> Throws {
    let entry = |row: &Row| {
        let exceptions = row["exceptions"].split(' ').map(str::to_owned).collect();
        (row["method"].clone(), exceptions)
    };
    Throws { methods: rows.iter().map(entry).collect() }
}

fn tokens(composition: &Composition, errors: &CompositionErrors) -> String {
    errors.first().map_or(String::new(), |path| path.tokens(composition).join(" ; "))
}

/// Traces are real: they replay, and end where the error is.
pub fn replay(composition: &Composition, errors: &CompositionErrors) {
    for path in errors.all() {
        assert_eq!(path.trace.replay(composition), Ok(()), "{path:?}");
    }
    for path in &errors.bad {
        let last = path.trace.last().to_vec();
        let name = path.tokens(composition).pop().expect("an error token");
        let names = composition.signature().propositions.iter();
        let mut held = names.enumerate().filter(|(position, _)| {
            composition.holds(quadrille_model::PropositionId::from_usize(*position), &last)
        });
        assert!(held.any(|(_, held)| held.name == name), "{name}");
    }
}

#[conformance]
fn micro() {
    let folder = folder("micro");
    for row in table(&folder.join("expected.tsv")) {
        let mut world = World::default();
        world.add(&crate::read(&text(&folder.join(&row["file"]))), None, Construction::Minimal);
        let (composition, errors) = world.compose(&Wiring::all(&world.alphabet));
        assert_eq!(errors.verdict().to_string(), row["verdict"], "{row:?}");
        let found = tokens(&composition, &errors);
        let as_good = row["file"] == "two-callers-one-loop.bp" && found == "τb^ ; ε!a^";
        assert!(found == row["trace"] || as_good, "{row:?}: {found}");
        assert_eq!(errors.configurations, number(&row, "configurations"), "{row:?}");
        assert_eq!(errors.steps, number(&row, "steps"), "{row:?}");
        replay(&composition, &errors);
    }
}

#[conformance]
fn models() {
    let folder = folder("models");
    for row in table(&folder.join("expected.tsv")) {
        let mut world = World::default();
        world.add(&crate::read(&text(&folder.join(&row["file"]))), None, Construction::Minimal);
        let wiring = Wiring::shared(&world.alphabet, &world.units);
        let (composition, errors) = world.compose(&wiring);
        assert_eq!(world.units.len(), number(&row, "components"));
        assert_eq!(errors.verdict().to_string(), row["verdict"], "{row:?}");
        if let Some(path) = errors.first() {
            let tokens = path.tokens(&composition);
            assert_eq!(tokens.last(), Some(&row["error"]), "{row:?}");
            assert_eq!(tokens.len() - 1, number(&row, "steps_before_error"), "{row:?}");
        }
        assert_eq!(errors.configurations, number(&row, "configurations"), "{row:?}");
        assert_eq!(errors.steps, number(&row, "steps"), "{row:?}");
        replay(&composition, &errors);
    }
}

#[conformance]
fn exceptions() {
    let folder = folder("exceptions");
    let all_throws = table(&folder.join("throws.tsv"));
    let throws_of = |file: &str| {
        let own: Vec<_> = all_throws.iter().filter(|row| row["file"] == file).cloned().collect();
        throws(&own)
    };
    for row in table(&folder.join("expected.tsv")) {
        let file = crate::read(&text(&folder.join(&row["file"])));
        let throws = throws_of(&row["file"]);
        let mut world = World::default();
        world.add(&file, Some(&throws), Construction::Minimal);
        match &row["check"][..] {
            "minimal LTS" => {
                let flat = flatten(&world.units[0].dfa).expect("small");
                let n_edges: usize = flat.states.iter().map(|state| state.edges.len()).sum();
                let expected = (number(&row, "states"), number(&row, "transitions"));
                assert_eq!((flat.states.len(), n_edges), expected, "{row:?}");
                if !row["same_language_as"].is_empty() {
                    let same = crate::read(&text(&folder.join(&row["same_language_as"])));
                    world.add(&same, None, Construction::Minimal);
                    assert_eq!(flatten(&world.units[1].dfa).expect("small"), flat, "{row:?}");
                }
            }
            "composition" => {
                let wiring = Wiring::shared(&world.alphabet, &world.units);
                let (composition, errors) = world.compose(&wiring);
                let mut found = errors.verdict().to_string();
                if let Some(path) = errors.first() {
                    found += &format!(": {}", path.tokens(&composition).join(" ; "));
                }
                assert_eq!(found, row["expected"]);
                assert_eq!(errors.configurations, number(&row, "states"), "{row:?}");
                assert_eq!(errors.steps, number(&row, "transitions"), "{row:?}");
                replay(&composition, &errors);
            }
            other => {
                assert_eq!(other, "static");
                let messages =
                    findings(std::slice::from_ref(&file), &throws, &KnownBindings::default());
                let found = messages.iter().any(|one| {
                    one.is_error() && format!("error: {}", one.message) == row["expected"]
                });
                assert!(found, "{row:?}: {messages:?}");
            }
        }
    }
}

#[conformance]
fn airport() {
    let folder = folder("airport");
    let methods = table(&folder.join("bindings.tsv"));
    let bind = |row: &Row| Binding { name: row["method"].clone(), between: None };
    let all: Vec<Binding> = methods.iter().map(bind).collect();
    let firewall = |binding: &Binding| binding.name.starts_with("IFirewall.");
    for row in table(&folder.join("expected.tsv")) {
        let files = files(&folder.join(format!("step-{}", row["step"])));
        let check = |construction, with_firewall: bool, column: &str| {
            let mut world = World::default();
            for file in &files {
                if with_firewall || !file.components[0].name.text.starts_with("Firewall") {
                    world.add(file, None, construction);
                }
            }
            let bindings = all.iter().filter(|binding| with_firewall || !firewall(binding));
            let wiring = Wiring { bindings: bindings.cloned().collect(), ..Wiring::default() };
            let (_, errors) = world.compose(&wiring);
            let found = (errors.configurations, errors.steps);
            let expected = (
                number(&row, &format!("states_{column}")),
                number(&row, &format!("transitions_{column}")),
            );
            assert_eq!(found, expected, "{column} of {row:?}");
            assert_eq!(errors.verdict().to_string(), "no error");
        };
        check(Construction::Minimal, true, "minimised");
        check(Construction::Published, false, "recomputed");
        check(Construction::Published, true, "with_firewall");
    }
}

/// The parts of a finding that a diagnostic must have: its code, and words of its message.
fn expected_finding(row: &Row) -> (&'static str, &'static str) {
    let finding = &row["finding"];
    let has = |word: &str| finding.contains(word);
    match &row["kind"][..] {
        "syntax" if has("trailing") => ("C003", ""),
        "precedence" => ("C005", ""),
        "name" if has("Blacklist") => ("C014", "`Blacklist`"),
        "name" if has("Strg.Access") => {
            ("C011", "Strg.Access is called and never accepted by Storage")
        }
        "name" if has("PreReservationExcpetion") => ("C009", "PreReservationExcpetion"),
        "never accepted" if has("Strg.finish") => ("C011", "Strg.finish"),
        "never accepted" if has("DatM.free") => ("C011", "DatM.free"),
        "unbound acceptance" => ("C012", "DatM.finish"),
        "unhandled exception" => ("C008", "DatM.ReservationException of DatM.commit"),
        "never thrown" => ("C013", "DatM.DatabaseException"),
        "vertical" => ("C018", "TicketManager calls Log.print while it answers Usr.returnTicket"),
        "name" if has("verify where the frame") => {
            ("C011", "Blacklist.verify is called and never accepted by (environment)")
        }
        other => panic!("{other}"),
    }
}

/// What the frame lets the environment do: calls on its `Reserv` go to the `Usr` of a part.
fn environment(mut frame: Component) -> Component {
    frame.name.text = "(environment)".to_owned();
    rename(&mut frame.protocol, "Reserv", "Usr");
    let span = frame.protocol.span;
    frame.protocol = Protocol { kind: Kind::Invert(Box::new(frame.protocol)), span };
    frame
}

#[conformance]
fn reservation_findings() {
    let folder = folder("reservation");
    let link = |row: &Row| InterfaceLink {
        name: row["interface"].clone(),
        between: [row["caller"].clone(), row["provider"].clone()],
    };
    let links: Vec<InterfaceLink> = table(&folder.join("bindings.tsv")).iter().map(link).collect();
    // What is said about a folder, each with the component in whose text it is said first.
    let of = |name: &str| {
        let folder = folder.join(name);
        let throws = throws(&table(&folder.join("throws.tsv")));
        let (mut sources, mut said) = (Sources::default(), Vec::new());
        let mut files = Vec::new();
        for text in texts(&folder) {
            let (file, slips) = parse(sources.add("in.bp", &text[..]), &text);
            said.extend(slips);
            files.push(file);
        }
        let names: Vec<_> = files
            .iter()
            .map(|file| file.components[0].name.clone())
            .map(|name| (name.span.source, name.text))
            .collect();
        let (frames, parts): (Vec<File>, Vec<File>) =
            files.into_iter().partition(|file| file.components[0].name.text == "Reservation");
        said.extend(findings(&frames, &throws, &KnownBindings::default()));
        let frame = frames[0].components[0].clone();
        let knowledge = KnownBindings {
            links: links.clone(),
            environment: Some(environment(frame)),
            ..KnownBindings::default()
        };
        said.extend(findings(&parts, &throws, &knowledge));
        let whose = |one: &Diagnostic| {
            let source = one.labels[0].span.source;
            names.iter().find(|(known, _)| *known == source).expect("a component").1.clone()
        };
        said.into_iter().map(|one| (whose(&one), one)).collect::<Vec<_>>()
    };
    for row in table(&folder.join("findings.tsv")) {
        let (code, words) = expected_finding(&row);
        let found = of(&row["folder"]);
        let fits = |(component, one): &&(String, Diagnostic)| {
            // A part does what the frame does not say: that is said where the part does it.
            let is_there = row["kind"] == "vertical" || *component == row["component"];
            one.code.id == code && one.message.contains(words) && is_there
        };
        let n_expected = if row["finding"].contains("in two places") { 2 } else { 1 };
        assert!(found.iter().filter(fits).count() >= n_expected, "{row:?}: {found:?}");
    }
    assert_eq!(of("corrected"), []);
}

/// Calls an interface by another name.
fn rename(protocol: &mut Protocol, from: &str, to: &str) {
    if let Kind::Call { path, .. } = &mut protocol.kind
        && path.interface() == from
    {
        path.text = format!("{to}.{}", path.method());
    }
    match &mut protocol.kind {
        Kind::Sequence(parts) | Kind::Alternative(parts) => {
            parts.iter_mut().for_each(|part| rename(part, from, to));
        }
        Kind::Repeat(inner) | Kind::Call { body: Some(inner), .. } => rename(inner, from, to),
        _ => {}
    }
}

/// The reservation system of a folder, alone or against its frame.
pub fn reservation_system(folder: &Path, vertical: bool) -> (World, Wiring) {
    let throws = throws(&table(&folder.join("throws.tsv")));
    let mut world = World::default();
    for mut file in files(folder) {
        let component = &mut file.components[0];
        if component.name.text == "Reservation" {
            if !vertical {
                continue;
            }
            *component = environment(component.clone());
        }
        world.add(&file, Some(&throws), Construction::Minimal);
    }
    let position = |name: &str| world.units.iter().position(|unit| unit.name == name);
    let mut wiring = Wiring { closed: vertical, ..Wiring::default() };
    for (interface, caller, provider) in [
        ("Card", "TicketManager", "VISA"),
        ("DatM", "TicketManager", "DatabaseManager"),
        ("Strg", "DatabaseManager", "Storage"),
        ("Oper", "VISA", "OperatorVerification"),
        ("Usr", "(environment)", "TicketManager"),
        ("Log", "TicketManager", "(environment)"),
        ("BlackList", "VISA", "(environment)"),
    ] {
        match (position(caller), position(provider)) {
            (Some(caller), Some(provider)) => {
                let between = [caller, provider].map(|unit| UnitId(unit as u32));
                let name = interface.to_owned();
                wiring.bindings.push(Binding { name, between: Some(between) });
            }
            _ if interface == "Oper" => wiring.external.push("Oper".to_owned()),
            _ => assert!(!vertical, "{interface}"),
        }
    }
    (world, wiring)
}

#[conformance]
fn reservation() {
    let folder = folder("reservation");
    for row in table(&folder.join("expected.tsv")) {
        let folder = folder.join(&row["folder"]);
        let (world, wiring) = reservation_system(&folder, row["check"] == "vertical");
        let (composition, errors) = world.compose(&wiring);
        assert_eq!(errors.verdict().to_string(), row["verdict"], "{row:?}");
        let last = |path: &quadrille_component::composition::ErrorRun| {
            path.tokens(&composition).pop().expect("an error token")
        };
        let found: BTreeSet<String> = errors.bad.iter().map(last).collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>().join(" "), row["bad_events"], "{row:?}");
        let n_tokens = |text: &str| text.split(" ; ").count();
        let shortest = tokens(&composition, &errors);
        assert_eq!(n_tokens(&shortest), n_tokens(&row["shortest_trace"]), "{row:?}: {shortest}");
        assert_eq!(errors.configurations, number(&row, "configurations"), "{row:?}");
        assert_eq!(errors.steps, number(&row, "steps"), "{row:?}");
        replay(&composition, &errors);
    }
}

//! The manual and the pages of the codes say the truth: their examples run here.
#![allow(clippy::disallowed_methods)] // reads the manual

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_quad::{ALL, load, parse};

use crate::checking::checked;
use crate::{explored, rendered};

/// The fenced blocks of a Markdown text, with their language.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                blocks.push((language.to_owned(), String::new()));
            }
        } else if let (true, Some((_, text))) = (inside, blocks.last_mut()) {
            text.push_str(line);
            text.push('\n');
        }
    }
    blocks
}

/// What is wrong with a text: when it is read, started, or explored.
fn wrong(sources: &mut Sources, text: &str) -> Vec<Diagnostic> {
    let id = sources.add("example", text);
    let (program, mut found) = load(sources, id);
    if let Some(program) = program {
        match program.start(sources, None, &[], &[]) {
            Err(more) => found.extend(more),
            Ok(session) => {
                found.extend(explored(&session.model, 60).1);
            }
        }
    }
    found
}

#[test]
fn every_page_shows_its_code() {
    for code in ALL {
        let page = code.page();
        let [(language, text)] = &blocks(&page)[..] else {
            panic!("{}: not exactly one example", code.id);
        };
        assert_eq!(language, "quad");
        let mut sources = Sources::default();
        let found = wrong(&mut sources, text);
        let ids: Vec<&str> = found.iter().map(|diagnostic| diagnostic.code.id).collect();
        assert_eq!(ids, [code.id], "{}", rendered(&sources, &found));
        for diagnostic in &found {
            assert!(!diagnostic.labels.is_empty(), "{}: no place", code.id);
        }
    }
}

#[test]
fn every_example_of_the_manual_is_true() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/quad.md");
    let page = std::fs::read_to_string(page).expect("the manual");
    let mut n_examples = 0;
    for (language, text) in blocks(&page) {
        if language != "quad" {
            assert_eq!(language, "text", "an example in {language}");
            continue;
        }
        n_examples += 1;
        let mut sources = Sources::default();
        let found = wrong(&mut sources, &text);
        assert_eq!(rendered(&sources, &found), "", "\n{text}");
        let id = sources.add("example", text.clone());
        let program = load(&sources, id).0.expect("no errors");
        let sessions = program.sessions(&mut sources, &[]).unwrap_or_else(|_| panic!("starts"));
        for checked in sessions.iter().flat_map(checked) {
            assert!(checked.is_as_expected(), "{} {}\n{text}", checked.name, checked.word());
        }
    }
    assert!(n_examples >= 9, "only {n_examples} examples");
}

/// The code in the first cells of the tables with this heading.
fn cells(page: &str, heading: &str) -> Vec<String> {
    let heading = format!("| {heading} |");
    let below = page.lines().skip_while(|line| !line.starts_with(&heading)).skip(2);
    let mut cells = Vec::new();
    for line in below.take_while(|line| line.starts_with('|')) {
        let first = line.split(" | ").next().unwrap_or(line);
        cells.extend(first.split('`').skip(1).step_by(2).map(|code| code.replace('…', "")));
    }
    cells
}

#[test]
fn every_line_of_the_tables_can_be_written() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/quad.md");
    let page = std::fs::read_to_string(page).expect("the manual");
    let mut texts = cells(&page, "declaration");
    let statements = cells(&page, "statement");
    texts.extend(statements.iter().map(|statement| format!("protocol p {{ {statement} }}")));
    assert!(texts.len() >= 25, "only {} lines", texts.len());
    for text in texts {
        let mut sources = Sources::default();
        let id = sources.add("line", text.clone());
        let (_, found) = parse(&sources, id);
        assert_eq!(rendered(&sources, &found), "", "{text}");
    }
    let atoms = cells(&page, "atom");
    assert!(atoms.len() >= 7, "only {} atoms", atoms.len());
    for atom in atoms {
        let text = format!(
            "role White, Black, worker[0..2]; message Move; event Crash;
             variable votes: 0..=3, free: bool;
             protocol p {{
                 Move from White to Black with votes := 1, free := true;
                 worker[0] does Crash;
             }}
             property x: {atom};"
        );
        let mut sources = Sources::default();
        let found = wrong(&mut sources, &text);
        assert_eq!(rendered(&sources, &found), "", "{atom}");
    }
}

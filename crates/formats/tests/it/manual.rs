//! The manuals and the pages of the codes say the truth: their examples run here.
#![allow(clippy::disallowed_methods)] // reads the manuals

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_formats::{codes, read_aut, read_net};

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

fn read(language: &str, text: &str) -> (bool, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let id = sources.add("example", text);
    let (good, diagnostics) = match language {
        "aut" => {
            let (table, diagnostics) = read_aut(id, text);
            (table.is_some(), diagnostics)
        }
        "net" => {
            let (network, diagnostics) = read_net(id, text);
            (network.is_some(), diagnostics)
        }
        other => panic!("an example in {other}"),
    };
    (good, diagnostics, sources)
}

#[test]
fn every_example_of_the_manuals_is_read() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut n_examples = 0;
    for page in ["net.md", "aut.md"] {
        let text = std::fs::read_to_string(docs.join(page)).expect("a manual");
        for (language, text) in blocks(&text) {
            let (good, diagnostics, sources) = read(&language, &text);
            assert!(good, "{page}:\n{text}{}", crate::rendered(&sources, &diagnostics));
            n_examples += 1;
        }
    }
    assert!(n_examples >= 6, "only {n_examples} examples");
}

#[test]
fn every_page_shows_its_code() {
    for code in codes::ALL {
        let page = code.page();
        let [(language, text)] = &blocks(&page)[..] else {
            panic!("{}: not exactly one example", code.id);
        };
        let (good, diagnostics, _) = read(language, text);
        let ids: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
        assert_eq!((good, &ids[..]), (false, &[code.id][..]), "{}", code.id);
        for diagnostic in &diagnostics {
            assert!(diagnostic.help.is_some(), "{}: no advice", code.id);
            assert!(!diagnostic.labels.is_empty(), "{}: no place", code.id);
        }
    }
}

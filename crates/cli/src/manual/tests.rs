//! Every code has a page.
#![allow(clippy::disallowed_methods)] // reads the sources of all crates

use std::path::Path;

use super::*;

/// The ids that a source file declares with `codes!`.
fn declared(file: &Path, ids: &mut Vec<String>) {
    let text = std::fs::read_to_string(file).expect("a source file");
    for line in text.lines() {
        let Some((id, name)) = line.trim().split_once(" = ") else { continue };
        let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_id = id.len() == letters.len() + 3
            && !letters.is_empty()
            && letters.chars().all(|c| c.is_ascii_uppercase());
        if is_id && name.ends_with(';') && letters != "T" {
            ids.push(id.to_owned());
        }
    }
}

fn walk(folder: &Path, ids: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            walk(&path, ids);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            declared(&path, ids);
        }
    }
}

/// `T` is the letter of codes in tests.
#[test]
fn every_declared_code_can_be_explained() {
    let mut ids = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for entry in std::fs::read_dir(crates).expect("the crates") {
        walk(&entry.expect("a crate").path().join("src"), &mut ids);
    }
    assert!(ids.len() > 30, "the search for codes found only {ids:?}");
    let known: Vec<&str> = all().iter().map(|code| code.id).collect();
    ids.retain(|id| !known.contains(&id.as_str()));
    assert!(ids.is_empty(), "add the tables of {ids:?} to `all` in this file");
}

#[test]
fn ids_are_unique_and_pages_say_something() {
    let codes = all();
    for pair in codes.windows(2) {
        assert!(pair[0].id < pair[1].id, "two codes are called {}", pair[1].id);
    }
    for code in codes {
        assert!(code.lines.len() >= 3, "{} has no page worth the name", code.id);
    }
}

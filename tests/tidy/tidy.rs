//! Keeps the repository's promises about itself: the code map, file headers, edges between crates.
#![allow(clippy::disallowed_methods)] // reads the repository

mod edges;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_code_map_lists_exactly_the_crates() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let listed: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `crates/")?.split('`').next())
        .filter(|name| !name.contains('/')) // a file of another table
        .map(str::to_owned)
        .collect();
    let present: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .expect("crates/")
        .map(|entry| entry.expect("a crate").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(listed, present, "the code map of ARCHITECTURE.md and crates/ differ");
}

#[test]
fn every_dependency_has_its_reason() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let missing: Vec<&str> = manifest
        .split("[workspace.dependencies]")
        .nth(1)
        .and_then(|rest| rest.split("\n[").next())
        .expect("a dependency table")
        .lines()
        .filter_map(|line| line.split_once(" = ").map(|(name, _)| name))
        .filter(|name| !name.starts_with("quadrille"))
        .filter(|name| !page.contains(&format!("| `{name}` |")))
        .collect();
    assert!(missing.is_empty(), "no reason in ARCHITECTURE.md for {missing:?}");
}

#[test]
fn every_source_file_says_what_it_owns() {
    let mut files = Vec::new();
    for folder in ["crates", "examples", "tests", "xtask"] {
        rust_files(&root().join(folder), &mut files);
    }
    let silent: Vec<_> = files
        .into_iter()
        .filter(|path| {
            let text = fs::read_to_string(path).expect("a source file");
            !text.starts_with("//!") && !text.contains("@generated")
        })
        .collect();
    assert!(silent.is_empty(), "no //! header: {silent:?}");
}

#[test]
fn two_commands_of_the_readme_do_everything() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let ci = fs::read_to_string(root().join(".ci/run")).expect(".ci/run");
    let (main_job, tests) = (
        "cargo run --release -p quadrille-cli -- check examples/philosophers.net",
        "cargo test --workspace",
    );
    for command in [main_job, tests] {
        assert!(readme.lines().any(|line| line == command), "README.md: no line `{command}`");
    }
    assert!(ci.lines().any(|line| line.starts_with(tests)), ".ci/run does not call `{tests}`");
}

#[test]
fn a_library_that_is_not_tested_has_no_unit_tests() {
    let mut idle = Vec::new();
    for folder in ["crates", "examples", "tests"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder of the repository") {
            let package = entry.expect("a readable entry").path();
            let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
            if manifest.contains("[lib]\ntest = false") {
                let mut files = Vec::new();
                rust_files(&package.join("src"), &mut files);
                let read = |path: &PathBuf| fs::read_to_string(path).expect("a source file");
                idle.extend(files.into_iter().filter(|path| read(path).contains("#[test]")));
            }
        }
    }
    assert!(idle.is_empty(), "never run, as their manifests say `test = false`: {idle:?}");
}

/// A program with a generated module, built or by the macro, compiles the runtime: no engine, checker, parser or drawing.
#[test]
fn production_code_compiles_no_checker() {
    for package in ["quadrille-example-built", "quadrille-example-inline"] {
        let edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
        let tree = Command::new(env!("CARGO"))
            .args(["tree", "--offline", "--locked", "--package", package])
            .args(edges)
            .current_dir(root())
            .output()
            .expect("cargo runs");
        assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
        let tree = String::from_utf8(tree.stdout).expect("text");
        let names = tree.lines().filter_map(|line| line.split(' ').next());
        let ours: BTreeSet<&str> =
            names.filter(|name| name.starts_with("quadrille") && *name != package).collect();
        let expected = match package {
            "quadrille-example-inline" => {
                &["quadrille", "quadrille-interaction", "quadrille-runtime"][..]
            }
            // It has roles in several processes, which know a secret.
            _ => &["quadrille-interaction", "quadrille-runtime", "quadrille-secret"][..],
        };
        assert!(ours.iter().eq(expected), "{package} compiles {ours:?}");
    }
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            pages(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Tables, headings and blocks of code cannot be wrapped.
#[test]
fn prose_is_wrapped_at_100_columns() {
    let mut files = Vec::new();
    pages(&root(), &mut files);
    let mut long = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("a page");
        let mut in_block = false;
        for (number, line) in text.lines().enumerate() {
            in_block ^= line.trim_start().starts_with("```");
            let is_prose = !in_block && !line.trim_start().starts_with(['|', '#', '`']);
            if is_prose && line.chars().count() > 100 && line.trim_start().contains(' ') {
                long.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "wider than 100 columns: {long:?}");
}

/// A bar inside a cell that is not escaped breaks the table, also in code.
#[test]
fn rows_of_a_table_have_as_many_cells_as_its_heading() {
    let mut files = Vec::new();
    pages(&root(), &mut files);
    for path in files {
        let text = fs::read_to_string(&path).expect("a page");
        let (mut in_block, mut heading) = (false, None);
        for (number, line) in text.lines().enumerate() {
            in_block ^= line.trim_start().starts_with("```");
            if in_block || !line.starts_with('|') {
                heading = None;
                continue;
            }
            let n_bars = line.matches('|').count() - line.matches("\\|").count();
            let expected = *heading.get_or_insert(n_bars);
            assert_eq!(n_bars, expected, "{}:{}: {line}", path.display(), number + 1);
        }
    }
}

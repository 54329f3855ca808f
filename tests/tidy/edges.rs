//! The edges between crates, their compiler and their unsafe code, as the tables of `ARCHITECTURE.md`
//! allow them. The tables are the source: nothing is listed here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::{root, rust_files};

fn page() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

/// The cells of the table that begins with this header.
fn table(page: &str, header: &str) -> Vec<Vec<String>> {
    let lines = page.lines().map(str::trim).skip_while(|line| *line != header).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|')).map(|line| {
        let cells = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned());
        cells.collect::<Vec<_>>()
    });
    let rows: Vec<_> = rows.collect();
    assert!(!rows.is_empty(), "no table {header}");
    rows
}

/// What stands in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = String> + '_ {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--locked", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    document["packages"].as_array().expect("packages").clone()
}

/// `quadrille-engine` is called `engine` on the page.
fn short(name: &Value) -> String {
    let name = name.as_str().expect("a name");
    name.strip_prefix("quadrille-").unwrap_or(name).to_owned()
}

/// The crates of ours that a package needs to be built, tests aside.
fn needs(package: &Value) -> BTreeSet<String> {
    let edges = package["dependencies"].as_array().expect("dependencies").iter();
    edges
        .filter(|edge| edge["kind"] != "dev" && !edge["path"].is_null())
        .map(|edge| short(&edge["name"]))
        .collect()
}

#[test]
fn crates_depend_on_what_their_layer_may_use() {
    let layers = table(&page(), "| layer | crates | may use |");
    let mut layer_of = BTreeMap::new();
    for row in &layers {
        for name in quoted(&row[1]) {
            let known = layer_of.insert(name.clone(), row[0].clone());
            assert_eq!(known, None, "{name} is in two layers");
        }
    }
    let all: BTreeSet<&str> = layers.iter().map(|row| &row[0][..]).collect();
    let may_use = |layer: &str| -> BTreeSet<&str> {
        let cell = &layers.iter().find(|row| row[0] == layer).expect("a layer")[2];
        let mut used = match cell.strip_prefix("all but ") {
            Some(others) => {
                let others: Vec<&str> = others.split(" and ").collect();
                assert!(others.iter().all(|other| all.contains(other)), "{cell}");
                all.iter().copied().filter(|name| !others.contains(name)).collect()
            }
            None => cell.split(", ").filter(|name| !name.is_empty()).collect::<BTreeSet<_>>(),
        };
        used.extend(all.get(layer));
        assert!(used.is_subset(&all), "{cell}");
        used
    };
    let mut wrong = Vec::new();
    for package in packages() {
        let name = short(&package["name"]);
        if name.starts_with("example-") {
            continue;
        }
        let Some(layer) = layer_of.remove(&name) else {
            wrong.push(format!("{name} is in no layer"));
            continue;
        };
        let allowed = may_use(&layer);
        for other in needs(&package).iter().filter(|other| !other.starts_with("example-")) {
            let found = layers.iter().find(|row| quoted(&row[1]).any(|it| it == *other));
            if !found.is_some_and(|row| allowed.contains(&row[0][..])) {
                wrong.push(format!("{name} ({layer}) depends on {other}"));
            }
        }
    }
    wrong.extend(layer_of.keys().map(|name| format!("there is no crate {name}")));
    assert!(wrong.is_empty(), "against the layers of ARCHITECTURE.md: {wrong:#?}");
}

#[test]
fn the_lowest_crates_stand_alone() {
    for package in packages() {
        let name = short(&package["name"]);
        let allowed: &[&str] = match &name[..] {
            "interaction" | "graph" => &[],
            "model" => &["interaction"],
            _ => continue,
        };
        assert!(needs(&package).iter().eq(allowed), "{name}");
    }
}

/// There is one declared version, all crates inherit it, and it is no newer than this compiler's.
#[test]
fn all_crates_inherit_the_version_of_rust() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let declared = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let declared = declared.expect("a version").trim_matches('"').to_owned();
    for package in packages() {
        let path = package["manifest_path"].as_str().expect("a path");
        assert_eq!(package["rust_version"], *declared, "{path}");
        let text = fs::read_to_string(path).expect("a manifest");
        assert!(text.contains("\nrust-version.workspace = true\n"), "{path} does not inherit it");
    }
    let rustc = Command::new("rustc").arg("--version").current_dir(root()).output();
    let rustc = String::from_utf8(rustc.expect("rustc runs").stdout).expect("text");
    let numbers = |version: &str| -> Vec<u32> {
        version.split('.').take(2).filter_map(|number| number.parse().ok()).collect()
    };
    let used = rustc.split(' ').nth(1).expect("a version");
    assert!(numbers(used) >= numbers(&declared), "{rustc} is older than {declared}");
}

/// Whether a line of code, not of a comment, has an unsafe block, function, trait or attribute.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    ["unsafe {", "unsafe fn ", "unsafe impl", "unsafe trait ", "unsafe extern ", "unsafe("]
        .iter()
        .any(|start| code.contains(start))
}

#[test]
fn unsafe_code_is_where_the_page_says() {
    let listed = table(&page(), "| where | what for |");
    let listed: BTreeSet<String> = listed.iter().flat_map(|row| quoted(&row[0])).collect();
    let mut files = Vec::new();
    for folder in ["crates", "tests", "xtask"] {
        rust_files(&root().join(folder), &mut files);
    }
    let root = root();
    let mut used = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in files {
        let path = file.strip_prefix(&root).expect("below the root").display().to_string();
        let text = fs::read_to_string(&file).expect("a source file");
        if !path.contains("/src/") || !text.lines().any(is_unsafe) {
            continue;
        }
        match listed.iter().find(|listed| path.starts_with(&listed[..])) {
            Some(place) => drop(used.insert(place.clone())),
            None => wrong.push(path),
        }
    }
    assert!(wrong.is_empty(), "unsafe code that ARCHITECTURE.md does not name: {wrong:?}");
    assert_eq!(used, listed, "ARCHITECTURE.md names what has no unsafe code");
    let may = |package: &str| listed.iter().any(|place| place.starts_with(&format!("{package}/")));
    for entry in fs::read_dir(root.join("crates")).expect("crates/") {
        let path = entry.expect("a crate").path();
        let name = path.strip_prefix(&root).expect("below the root").display().to_string();
        let library = fs::read_to_string(path.join("src/lib.rs")).expect("a library");
        let forbids = library.contains("\n#![forbid(unsafe_code)]\n");
        assert_ne!(forbids, may(&name), "{name}: forbids unsafe code exactly if it has none");
    }
}

#[test]
fn a_crate_has_one_test_binary() {
    let page = page().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut wrong = Vec::new();
    for package in packages() {
        let targets = package["targets"].as_array().expect("targets").iter();
        let tests = targets.filter(|target| target["kind"][0] == "test");
        let tests: Vec<&str> = tests.filter_map(|target| target["name"].as_str()).collect();
        let is_named =
            |test: &&&str| page.contains(&format!("`{test}` of `{}`", short(&package["name"])));
        let n_others = tests.iter().filter(|test| !is_named(test)).count();
        if n_others > 1 {
            wrong.push(format!("{}: {tests:?}", package["name"]));
        }
    }
    assert!(wrong.is_empty(), "more than one test binary: {wrong:#?}");
}

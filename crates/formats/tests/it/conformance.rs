//! The shared tables of interfering automata, explored in full.
#![allow(clippy::disallowed_methods)] // reads test data
#![allow(clippy::print_stderr)] // says that it skipped

use std::collections::BTreeSet;
use std::path::Path;

use quadrille_diagnostic::Sources;
use quadrille_formats::read_net;
use quadrille_model::{Checked, Model, Value};

#[test]
fn interfering_automata_have_the_known_states() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/conformance/components/representatives"
    );
    let folder = Path::new(folder);
    if !folder.exists() {
        eprintln!("skipped: {} is absent", folder.display());
        return;
    }
    let expected = std::fs::read_to_string(folder.join("expected.tsv")).expect("expected.tsv");
    let mut n_rows = 0;
    for row in expected.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [file, "full exploration", states, transitions, deadlocks] = columns[..] else {
            continue;
        };
        let text = std::fs::read_to_string(folder.join(file)).expect("a table");
        let (n_states, n_transitions, mut stuck) = explore(&text);
        stuck.sort();
        let stuck: Vec<String> = stuck.iter().map(|state| show(state)).collect();
        assert_eq!(n_states.to_string(), states, "{file}");
        assert_eq!(n_transitions.to_string(), transitions, "{file}");
        assert_eq!(stuck.join(" "), deadlocks, "{file}");
        n_rows += 1;
    }
    assert_eq!(n_rows, 4);
}

fn show(state: &[Value]) -> String {
    let values: Vec<String> = state.iter().map(ToString::to_string).collect();
    format!("<{}>", values.join(","))
}

/// States, transitions and deadlocks.
fn explore(text: &str) -> (usize, usize, Vec<Vec<Value>>) {
    let mut sources = Sources::default();
    let id = sources.add("table", text);
    let (network, diagnostics) = read_net(id, text);
    let network = network.unwrap_or_else(|| panic!("{}", crate::rendered(&sources, &diagnostics)));
    let checked = Checked::new(network);
    let (mut seen, mut todo) = (BTreeSet::new(), Vec::new());
    let mut explorer = checked.explorer();
    assert_eq!(explorer.each_initial(|state| todo.push(state.to_vec())), Ok(()));
    seen.extend(todo.iter().cloned());
    let (mut n_transitions, mut stuck) = (0, Vec::new());
    while let Some(state) = todo.pop() {
        let before = n_transitions;
        let expanded = explorer.each_successor(&state, |_, _, next| {
            n_transitions += 1;
            if seen.insert(next.to_vec()) {
                todo.push(next.to_vec());
            }
        });
        assert_eq!(expanded, Ok(()));
        if n_transitions == before && explorer.may_end(&state) == Ok(false) {
            stuck.push(state);
        }
    }
    assert_eq!(checked.violations(), []);
    (seen.len(), n_transitions, stuck)
}

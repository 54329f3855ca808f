//! The shared tables of interfering automata, explored in full.

use std::collections::BTreeSet;

use quadrille_diagnostic::Sources;
use quadrille_formats::read_net;
use quadrille_model::{Checked, Model, Value};
use quadrille_workshop::{conformance, shared};

#[conformance]
fn interfering_automata_have_the_known_states() {
    let folder = shared::path("components/representatives");
    let mut n_rows = 0;
    for row in shared::fields(&folder.join("expected.tsv")) {
        let columns: Vec<&str> = row.iter().map(String::as_str).collect();
        let [file, "full exploration", states, transitions, deadlocks] = columns[..] else {
            continue;
        };
        let text = shared::text(&folder.join(file));
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
    let (mut seen, mut todo) = (BTreeSet::new(), Vec::new());
    let mut explorer = network.explorer();
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
    assert_eq!(Checked::new(&network).walk(10_000), []);
    (seen.len(), n_transitions, stuck)
}

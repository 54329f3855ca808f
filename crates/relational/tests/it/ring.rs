//! The ring of Taino, as it is printed and corrected: its counts are published.

use quadrille_workshop::{conformance, shared};

use crate::{complaints, counts};

/// The ring with `n` nodes, made of that with four.
fn ring(text: &str, n: usize) -> String {
    let (head, rest) = text.split_once("init {").expect("an init");
    let (_, tail) = rest.split_once("for 4 Node, 4 Int").expect("a scope");
    let nodes: Vec<String> = (1..=n)
        .map(|i| {
            let next = i % n + 1;
            format!(
                "Node$i.max = {i}  Node$i.succ = Node${next}  no Node$i.inbox  Node$i.state = Send"
            )
            .replace("$i", &format!("${i}"))
        })
        .collect();
    format!("{head}init {{ no elected {} }} for {n} Node, {n} Int{tail}", nodes.join("\n"))
}

#[conformance]
fn the_ring_has_as_many_states_as_published() {
    let folder = shared::path("relational");
    let text = shared::text(&folder.join("ring-at-most-one.tno"));
    let mut n_rows = 0;
    for row in shared::rows(&folder.join("golden.tsv")) {
        let n: usize = row["n"].parse().expect("a number");
        if row["table"] == "T3" && row["mode"] == "full" && n <= 5 {
            let (states, steps) = counts(&ring(&text, n));
            assert_eq!(
                (states.to_string(), steps.to_string()),
                (row["states"].clone(), row["transitions"].clone(),)
            );
            n_rows += 1;
        }
    }
    assert_eq!(n_rows, 2);
}

#[conformance]
fn the_ring_as_printed_is_refused_with_advice() {
    let text = shared::text(&shared::path("relational").join("ring-as-printed.tno"));
    let found = complaints(&text);
    let expected = ["did you mean `Send`?", "did you mean `Receive`?", "`Node$3`"];
    for advice in expected {
        assert!(found.iter().any(|one| one.contains(advice)), "{advice}: {found:#?}");
    }
    let rest = text.replace("= send", "= Send").replace("= receive", "= Receive");
    let found = complaints(&rest.replace("Node3.", "Node$3."));
    assert!(found.len() == 1 && found[0].contains("E010"), "{found:#?}");
}

//! The ring of Taino, as it is printed and corrected: its counts are published.

use std::collections::BTreeSet;

use quadrille_engine::{Config, explore, unobserved};
use quadrille_model::{Counts, Model, PropositionId};
use quadrille_reduction::{Reduced, Seen};
use quadrille_relational::System;
use quadrille_workshop::{conformance, shared};

use crate::{complaints, design};

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

/// The largest ring: those with more nodes take seconds without optimisation. The environment variable
/// asks for others, up to 12.
fn most_nodes() -> usize {
    let asked = std::env::var("QUADRILLE_RING").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(8)
}

/// The counts of a mode and a table, by the number of nodes, as far as they are asked for.
fn golden(table: &str, mode: &str) -> Vec<(usize, u64, Option<u64>)> {
    let folder = shared::path("relational");
    let rows = shared::rows(&folder.join("golden.tsv"));
    let rows = rows.into_iter().filter(|row| row["table"] == table && row["mode"] == mode);
    let number = |text: &String| text.parse::<u64>().ok();
    let counts = rows.map(|row| {
        let n = row["n"].parse().expect("a number");
        (n, number(&row["states"]).expect("a number"), number(&row["transitions"]))
    });
    counts.filter(|(n, ..)| *n <= most_nodes()).collect()
}

fn system(file: &str, n: usize) -> System {
    let text = shared::text(&shared::path("relational").join(file));
    System::new(&design(&ring(&text, n)), None).expect("a system")
}

fn counted(model: &dyn Model) -> Counts {
    explore(model, &Config::default(), &mut [], &mut unobserved).counts()
}

#[conformance]
fn the_ring_has_as_many_states_as_published() {
    let golden = golden("T3", "full");
    assert!(golden.len() >= 5, "{golden:?}");
    for (n, states, transitions) in golden {
        let found = counted(&system("ring-at-most-one.tno", n));
        assert_eq!((found.states, Some(found.transitions)), (states, transitions), "{n}");
    }
}

/// States and steps of the product with the automaton that the tables use: it waits, and guesses that
/// there is no single leader from now on.
fn product(model: &dyn Model) -> (u64, u64) {
    let leader = PropositionId::new(0);
    let (mut explorer, mut seen) = (model.explorer(), BTreeSet::new());
    let mut todo = Vec::new();
    explorer.each_initial(|state| todo.push((state.to_vec(), 0))).expect("a start");
    seen.extend(todo.iter().cloned());
    let mut n_steps = 0;
    while let Some((state, _)) = todo.pop() {
        let ways = if explorer.holds(leader, &state).expect("a leader") { 1 } else { 2 };
        let mut reached = Vec::new();
        explorer.each_successor(&state, |_, _, next| reached.push(next.to_vec())).expect("steps");
        for next in reached.into_iter().flat_map(|next| (0..ways).map(move |q| (next.clone(), q))) {
            n_steps += 1;
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    (seen.len() as u64, n_steps)
}

#[conformance]
fn the_product_of_the_ring_has_as_many_states_as_published() {
    let full = golden("T4", "full");
    assert!(full.len() >= 5, "{full:?}");
    for (n, states, transitions) in full {
        let (found, n_steps) = product(&system("ring.tno", n));
        assert_eq!((found, Some(n_steps)), (states, transitions), "{n}");
    }
    for (n, states, _) in golden("T4", "por, and effect-aware enabling sets") {
        let system = system("ring.tno", n);
        let propositions = vec![PropositionId::new(0)];
        let seen = Seen { propositions, ends: true, ..Seen::default() };
        let found = product(&Reduced::new(&system, &seen).expect("reducible")).0;
        assert!(found <= states, "{n}: {found} > {states}");
    }
}

#[conformance]
fn the_reduced_ring_is_at_most_as_large_as_the_smallest_known() {
    let golden = golden("T3", "por, and effect-aware enabling sets");
    assert!(golden.len() >= 5, "{golden:?}");
    for (n, states, _) in golden {
        let system = system("ring-at-most-one.tno", n);
        let seen = Seen { propositions: vec![PropositionId::new(0)], ..Seen::default() };
        let found = counted(&Reduced::new(&system, &seen).expect("reducible")).states;
        assert!(found <= states, "{n}: {found} > {states}");
    }
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

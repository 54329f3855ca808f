//! Writes automata in the Hanoi format, with labels and acceptance on edges.

use std::fmt::Write as _;

use crate::automaton::{Automaton, Cube};
use crate::lexer::quote;

/// The automaton as text. `atoms[i]` is the name of atom `i`; all that labels mention must be named.
///
/// # Panics
/// When a label mentions an atom without a name.
pub fn write_hoa(automaton: &Automaton, atoms: &[String]) -> String {
    let mut text = format!("HOA: v1\nStates: {}\n", automaton.n_locations());
    for start in &automaton.initial {
        line(&mut text, format_args!("Start: {}", start.0));
    }
    let names: String = atoms.iter().map(|name| format!(" {}", quote(name, '"'))).collect();
    line(&mut text, format_args!("AP: {}{names}", atoms.len()));
    match automaton.n_sets {
        0 => text.push_str("acc-name: all\nAcceptance: 0 t\n"),
        1 => text.push_str("acc-name: Buchi\nAcceptance: 1 Inf(0)\n"),
        n_sets => {
            let sets: Vec<String> = (0..n_sets).map(|set| format!("Inf({set})")).collect();
            line(&mut text, format_args!("acc-name: generalized-Buchi {n_sets}"));
            line(&mut text, format_args!("Acceptance: {n_sets} {}", sets.join("&")));
        }
    }
    text.push_str("properties: trans-labels explicit-labels trans-acc\n--BODY--\n");
    for (location, edges) in automaton.edges.iter().enumerate() {
        line(&mut text, format_args!("State: {location}"));
        for edge in edges {
            let marks: Vec<String> = (0..automaton.n_sets)
                .filter(|set| edge.marks >> set & 1 == 1)
                .map(|set| set.to_string())
                .collect();
            let marks =
                if marks.is_empty() { String::new() } else { format!(" {{{}}}", marks.join(" ")) };
            let label = label(edge.label, atoms.len());
            line(&mut text, format_args!("[{label}] {}{marks}", edge.to.0));
        }
    }
    text.push_str("--END--\n");
    text
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "{content}").expect("a string takes all");
}

fn label(cube: Cube, n_atoms: usize) -> String {
    let named = if n_atoms >= 64 { u64::MAX } else { (1 << n_atoms) - 1 };
    assert!((cube.positive | cube.negative) & !named == 0, "a label mentions a nameless atom");
    let literals: Vec<String> = (0..n_atoms)
        .filter_map(|atom| match (cube.positive >> atom & 1, cube.negative >> atom & 1) {
            (1, _) => Some(atom.to_string()),
            (_, 1) => Some(format!("!{atom}")),
            _ => None,
        })
        .collect();
    if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
}

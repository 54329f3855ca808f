//! Atoms and their diagnostics.

use quadrille_diagnostic::{Sources, Span};
use quadrille_logic::parse;

use super::*;

/// The atoms of a formula, or what is wrong with it.
fn check(text: &str, expected: &str) {
    let mut sources = Sources::default();
    let source = sources.add("formula", text);
    let parsed = parse(&sources, Span::new(source, 0..text.len()), &mut ActionAtoms);
    let shown: Vec<String> = match parsed.formula {
        None => parsed.diagnostics.iter().map(|found| found.message.clone()).collect(),
        Some(_) => {
            let atom = |atom: &Atom| match atom {
                Atom::Action(pattern) => pattern.to_string(),
                Atom::Label(label) => format!("{label:?}"),
                Atom::Proposition(_) => unreachable!("there are none here"),
            };
            parsed.atoms.iter().map(|(_, found)| atom(found)).collect()
        }
    };
    assert_eq!(shown.join("; "), expected, "{text}");
}

#[test]
fn atoms_read_like_labels() {
    check(
        "G (white sends Move -> X black receives Move from white)",
        "white sends Move to *; black receives Move from white",
    );
    check("F worker[0] sends a.b.Token to worker[*]", "worker[0] sends a.b.Token to worker[*]");
    check(
        "!(* sends *) U worker[-1][2] passes T to x",
        "* sends * to *; worker[-1][2] passes T to x",
    );
    check("F a closes to b & F a closes b", "a closes b");
    check("F a does work", "a does work");
    check("F \"a sends T to b, c\"", "\"a sends T to b, c\"");
    check("F `tic-tac` sends `b-c` to *", "tic-tac sends b-c to *");
    // Operators can be names of roles.
    check("G G sends T to X", "G sends T to X");
}

#[test]
fn mistakes_are_told() {
    check("a sends", "expected the type of the message or `*`, found the end");
    check("a[x] sends T", "expected an index or `*`, found `x`");
    check("a closes", "expected the name of a role or `*`, found the end");
    check(
        "F p",
        "expected an action such as `white sends Move to black`, a label in double quotes, `(` or `not`",
    );
}

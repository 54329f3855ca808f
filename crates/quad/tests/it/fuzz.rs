//! Arbitrary and mutated texts: the reader answers, and neither panics nor hangs. What it reads, the printer
//! writes such that it reads the same.

use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_quad::{load, parse, print};
use quadrille_workshop::check;
use quadrille_workshop::texts::{bytes, spoilt};

use crate::examples::texts;
use crate::explored;

/// Reads a text, prints it, reads it again, and explores a little of what it does.
fn feed(text: &str) {
    let mut sources = Sources::default();
    let id = sources.add("fuzz", text);
    let (tree, wrong) = parse(&sources, id);
    if wrong.is_empty() {
        let printed = print(&tree);
        let again = sources.add("printed", printed.clone());
        let (tree, wrong) = parse(&sources, again);
        assert!(wrong.is_empty(), "{text:?}\n{printed}");
        assert_eq!(print(&tree), printed, "{text:?}");
    }
    let (program, found) = load(&sources, id);
    assert_eq!(program.is_none(), found.iter().any(Diagnostic::is_error), "{text:?}");
    for diagnostic in found.iter().take(3) {
        assert!(!diagnostic.labels.is_empty(), "{text:?}: {}", diagnostic.message);
        assert!(!render(diagnostic, &sources, Style::Plain).is_empty());
    }
    if let Some(Ok(session)) = program.map(|program| program.start(&mut sources, None, &[], &[])) {
        explored(&session.model, 30);
    }
}

#[test]
fn the_examples_read_the_same_after_printing() {
    for (_, text) in texts() {
        feed(&text);
    }
}

const TOKENS: &str = "parameter enum message event role variable protocol property either or par and \
    loop opt repeat forever for choose in if else let when where with sync from to closes does any not \
    true false of a b M w r v p 0 1 2 99999999999 { } { } ( ) [ ] ; ; , : := = == != < <= .. ..= + - * \
    / % every some sends receives G F U -> // \" ` é § bool int set min size subsets";

#[test]
fn arbitrary_bytes() {
    check(2000, |choices| feed(&bytes(choices, 120)));
}

#[test]
fn arbitrary_tokens() {
    let tokens: Vec<&str> = TOKENS.split(' ').filter(|token| !token.is_empty()).collect();
    check(4000, |choices| {
        let text = choices.list(0, 39, |choices| choices.pick(&tokens)).join(" ");
        feed(&text);
        let declared = "message M(x: 0..=1); role a, b, w[0..2]; variable v: bool;";
        feed(&format!("{declared} protocol p(i = 0) {{ {text} }}"));
        feed(&format!("{declared} protocol p {{}} property q: {text};"));
    });
}

#[test]
fn mutated_examples() {
    let tokens: Vec<&str> = TOKENS.split(' ').filter(|token| !token.is_empty()).collect();
    let texts = texts();
    check(1500, |choices| {
        let (_, text) = &texts[choices.below(texts.len())];
        feed(&spoilt(choices, text, &tokens));
    });
}

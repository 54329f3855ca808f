//! Arbitrary and mutated texts: the reader answers, and neither panics nor hangs. What it reads, the printer
//! writes such that it reads the same.

use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_quad::{load, parse, print};

use crate::examples::texts;
use crate::{Random, explored};

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

#[test]
fn arbitrary_bytes() {
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let length = random.below(120);
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        feed(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn arbitrary_tokens() {
    let tokens: Vec<&str> = "parameter enum message event role variable protocol property either or par \
        and loop opt repeat forever for choose in if else let when where with sync from to closes does any \
        not true false of a b M w r v p 0 1 2 99999999999 { } { } ( ) [ ] ; ; , : := = == != < <= .. ..= \
        + - * / % every some sends receives G F U -> // \" ` é § bool int set min size subsets"
        .split(' ')
        .collect();
    let mut random = Random::new(2);
    for _ in 0..4000 {
        let mut text = String::new();
        for _ in 0..random.below(40) {
            text.push_str(tokens[random.below(tokens.len())]);
            text.push_str(if random.below(30) == 0 { "\n" } else { " " });
        }
        feed(&text);
        let declared = "message M(x: 0..=1); role a, b, w[0..2]; variable v: bool;";
        feed(&format!("{declared} protocol p(i = 0) {{ {text} }}"));
        feed(&format!("{declared} protocol p {{}} property q: {text};"));
    }
}

#[test]
fn mutated_examples() {
    let texts = texts();
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let (_, text) = &texts[random.below(texts.len())];
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next() as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b" ;{}()[],*:=0-"[random.below(14)]),
                _ => {
                    let to = (at + random.below(80)).min(bytes.len());
                    let piece = bytes[at..to].to_vec();
                    let into = random.below(bytes.len());
                    bytes.splice(into..into, piece);
                }
            }
        }
        feed(&String::from_utf8_lossy(&bytes));
    }
}

//! Arbitrary and mutated texts: the readers answer, and never panic.

use quadrille_diagnostic::{Sources, Style, render};
use quadrille_formats::{read_aut, read_net, write_aut, write_net};
use quadrille_workshop::check;
use quadrille_workshop::networks::network;
use quadrille_workshop::texts::{bytes, pieces, spoilt};

/// Reads a text both ways and renders what is wrong with it.
fn feed(text: &str) {
    let mut sources = Sources::default();
    let id = sources.add("fuzz", text);
    let (table, wrong_table) = read_aut(id, text);
    assert_eq!(table.is_some(), wrong_table.is_empty(), "{text:?}");
    if let Some(table) = table {
        write_aut(&table).expect("one initial state");
    }
    let (network, wrong_network) = read_net(id, text);
    assert_eq!(network.is_some(), wrong_network.is_empty(), "{text:?}");
    if let Some(network) = network {
        let written = write_net(&network);
        let (again, _) = read_net(id, &written);
        assert_eq!(again.as_ref(), Some(&network), "{text:?}\n{written}");
    }
    for diagnostic in wrong_table.iter().chain(&wrong_network).take(3) {
        assert!(!render(diagnostic, &sources, Style::Plain).is_empty());
    }
}

const TOKENS: &[&str] = &[
    "participant",
    "participants",
    "channel",
    "prop",
    "A",
    "B",
    "c",
    "x",
    "y",
    "0",
    "1",
    "9",
    ":",
    "*",
    ",",
    "->",
    "=",
    "!",
    "?",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "\n",
    "\n",
    " ",
    "\"",
    "_",
    "in",
    "and",
    "or",
    "not",
    "empty",
    "full",
    "head",
    "contains",
    "from",
    "to",
    "of",
    "starts",
    "true",
    "//",
    "des",
    "(0,",
    "\\",
    "\r\n",
    "é",
    "→",
    "\u{feff}",
];

#[test]
fn arbitrary_bytes() {
    check(3000, |choices| feed(&bytes(choices, 120)));
}

#[test]
fn arbitrary_tokens() {
    check(5000, |choices| {
        let text = pieces(choices, TOKENS, 60);
        feed(&text);
        feed(&format!("participant A: x y\nparticipants B:2\nchannel c [2] of x y\n{text}"));
    });
}

#[test]
fn mutated_texts() {
    let aut = "des (0, 4, 3)\n(0, \"a, b\", 1)\n(1, \"a\\\"\", 2)\r\n(2, c, 0)\n(2, i, 2)\n";
    check(1500, |choices| {
        let valid = if choices.once_in(3) { aut.to_owned() } else { write_net(&network(choices)) };
        feed(&spoilt(choices, &valid, TOKENS));
    });
}

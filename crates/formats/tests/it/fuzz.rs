//! Arbitrary and mutated texts: the readers answer, and never panic.

use quadrille_diagnostic::{Sources, Style, render};
use quadrille_formats::{read_aut, read_net, write_aut, write_net};

use crate::random::{Random, network};

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

#[test]
fn arbitrary_bytes() {
    let mut random = Random::new(1);
    for _ in 0..3000 {
        let length = random.below(120);
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        feed(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn arbitrary_tokens() {
    let tokens = [
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
    let mut random = Random::new(2);
    for _ in 0..5000 {
        let length = random.below(60);
        let mut text = String::new();
        for _ in 0..length {
            text.push_str(tokens[random.below(tokens.len())]);
            if random.once_in(2) {
                text.push(' ');
            }
        }
        feed(&text);
        feed(&format!("participant A: x y\nparticipants B:2\nchannel c [2] of x y\n{text}"));
    }
}

#[test]
fn mutated_texts() {
    let aut = "des (0, 4, 3)\n(0, \"a, b\", 1)\n(1, \"a\\\"\", 2)\r\n(2, c, 0)\n(2, i, 2)\n";
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let valid =
            if random.once_in(3) { aut.to_owned() } else { write_net(&network(&mut random)) };
        let mut bytes = valid.into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next() as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b" \n\"{}<>:,*!?0->"[random.below(15)]),
                _ => {
                    let to = at + random.below(bytes.len() - at);
                    let piece = bytes[at..to].to_vec();
                    let into = random.below(bytes.len());
                    bytes.splice(into..into, piece);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        feed(&String::from_utf8_lossy(&bytes));
    }
}

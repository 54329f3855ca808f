//! Protocols of random automata have the language of the automaton.

use std::collections::BTreeSet;

use quadrille_diagnostic::Sources;

use super::*;
use crate::automata::{Alphabet, Construction, DfaStateId, ForkedDfa, Letter, Target, build};
use crate::syntax::{Component, Direction, Name, Path, Phase, Token};

const LETTERS: [&str; 2] = ["a", "b"];

/// Numbers below a limit (xorshift: Marsaglia 2003).
fn below(seed: &mut u64, limit: u64) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed % limit) as usize
}

fn random(seed: &mut u64, span: Span) -> (Automaton, Vec<(usize, usize, usize)>) {
    let n_states = 2 + below(seed, 4);
    let mut plain = Vec::new();
    let mut edges = Vec::new();
    for _ in 0..n_states + below(seed, 6) {
        let (from, to) = (below(seed, n_states as u64), below(seed, n_states as u64));
        let letter = below(seed, 2);
        let path = Path { text: LETTERS[letter].to_owned(), span };
        let token = Token { direction: Direction::Emit, path, phase: Phase::Request };
        edges.push((
            AutomatonState(from),
            Protocol { kind: Kind::Event(token), span },
            AutomatonState(to),
        ));
        plain.push((from, letter, to));
    }
    let ends = (0..n_states).map(|_| below(seed, 2) == 0).collect();
    (Automaton { edges, ends, span }, plain)
}

/// Whether each word of up to five letters belongs to an automaton, by trying.
fn words(plain: &[(usize, usize, usize)], ends: &[bool]) -> BTreeSet<Vec<usize>> {
    let mut found = BTreeSet::new();
    let mut open = vec![(Vec::new(), 0)];
    while let Some((word, state)) = open.pop() {
        if ends[state] {
            found.insert(word.clone());
        }
        for &(_, letter, to) in plain.iter().filter(|edge| edge.0 == state && word.len() < 5) {
            let mut longer = word.clone();
            longer.push(letter);
            open.push((longer, to));
        }
    }
    found
}

fn dfa_words(alphabet: &Alphabet, dfa: &ForkedDfa) -> BTreeSet<Vec<usize>> {
    let mut found = BTreeSet::new();
    let mut open = vec![(Vec::new(), DfaStateId::START)];
    while let Some((word, at)) = open.pop() {
        if dfa.state(at).accepting {
            found.insert(word.clone());
        }
        for &(letter, target) in dfa.state(at).edges.iter().filter(|_| word.len() < 5) {
            let (Letter::Step(step), Target::State(to)) = (letter, target) else {
                continue;
            };
            let path = &alphabet.event_of(alphabet.step_events(step)[0].event).path;
            let mut longer = word.clone();
            longer.extend(LETTERS.iter().position(|letter| letter == path));
            open.push((longer, to));
        }
    }
    found
}

#[test]
fn protocols_have_the_language_of_their_automaton() {
    let source = Sources::default().add("in", "");
    let span = Span::new(source, 0..0);
    let mut n_written = 0;
    for number in 1..=500u64 {
        let mut seed = number * 0x9e37_79b9;
        let (automaton, plain) = random(&mut seed, span);
        let Ok(protocol) = automaton.protocol() else { continue };
        n_written += 1;
        let name = Name { text: "X".to_owned(), span };
        let component = Component { name, variables: Vec::new(), protocol };
        let mut alphabet = Alphabet::default();
        let dfa = build(&mut alphabet, &[], &component, None, Construction::Minimal);
        let found = dfa_words(&alphabet, &dfa.expect("small"));
        let expected = words(&plain, &automaton.ends);
        assert_eq!(found, expected, "seed {number}: {component}");
    }
    assert!(n_written > 100, "only {n_written} automata could be written");
}

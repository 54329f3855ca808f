//! Protocols of random automata have the language of the automaton.

use std::collections::BTreeSet;

use quadrille_diagnostic::Sources;
use quadrille_workshop::{Choices, check};

use super::*;
use crate::automata::{Alphabet, Construction, DfaStateId, ForkedDfa, Letter, Target, build};
use crate::syntax::{Component, Direction, Name, Path, Phase, Token};

const LETTERS: [&str; 2] = ["a", "b"];

fn random(choices: &mut Choices, span: Span) -> (Automaton, Vec<(usize, usize, usize)>) {
    let n_states = 2 + choices.below(4);
    let mut plain = Vec::new();
    let mut edges = Vec::new();
    for _ in 0..n_states + choices.below(6) {
        let (from, to) = (choices.below(n_states), choices.below(n_states));
        let letter = choices.below(2);
        let path = Path { text: LETTERS[letter].to_owned(), span };
        let token = Token { direction: Direction::Emit, path, phase: Phase::Request };
        edges.push((
            AutomatonState(from),
            Protocol { kind: Kind::Event(token), span },
            AutomatonState(to),
        ));
        plain.push((from, letter, to));
    }
    let ends = (0..n_states).map(|_| choices.coin()).collect();
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
    check(500, |choices| {
        let (automaton, plain) = random(choices, span);
        let Ok(protocol) = automaton.protocol() else { return };
        n_written += 1;
        let name = Name { text: "X".to_owned(), span };
        let component = Component { name, variables: Vec::new(), protocol };
        let mut alphabet = Alphabet::default();
        let dfa = build(&mut alphabet, &[], &component, None, Construction::Minimal);
        let found = dfa_words(&alphabet, &dfa.expect("small"));
        let expected = words(&plain, &automaton.ends);
        assert_eq!(found, expected, "{component}");
    });
    assert!(n_written > 100, "only {n_written} automata could be written");
}

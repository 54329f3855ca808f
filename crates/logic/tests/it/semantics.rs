//! Automata against the direct evaluation of formulas, on random formulas and words.

use quadrille_logic::{Formula, Letter, translate, translate_finite};
use quadrille_workshop::formulas::{Past, linear, word};
use quadrille_workshop::{Choices, check};

/// Pairs of a formula and a word: more where the code is optimised.
const N_PAIRS: u64 = if cfg!(debug_assertions) { 5_000 } else { 100_000 };

/// Words tried on each formula.
const N_WORDS: u64 = 10;

/// A formula over as many atoms as are returned; a third of the formulas may look back.
fn formula(choices: &mut Choices, max_size: usize) -> (usize, Formula) {
    let n_atoms = 1 + choices.below(3);
    let size = 2 + choices.below(max_size - 1);
    let past = choices.pick(&[Past::None, Past::None, Past::Some]);
    (n_atoms, linear(choices, size, n_atoms, past))
}

/// The stem and the cycle of a lasso.
fn lasso(choices: &mut Choices, n_atoms: usize) -> (Vec<Letter>, Vec<Letter>) {
    let (stem, cycle) = (choices.below(5), 1 + choices.below(4));
    (word(choices, stem, n_atoms), word(choices, cycle, n_atoms))
}

#[test]
fn automata_accept_exactly_the_words_on_which_the_formula_holds() {
    check(N_PAIRS / N_WORDS, |choices| {
        let (n_atoms, formula) = formula(choices, 13);
        let automaton = translate(&formula).expect("small formulas have automata");
        let negation = translate(&!formula.clone()).expect("small formulas have automata");
        for _ in 0..N_WORDS {
            let (stem, cycle) = lasso(choices, n_atoms);
            let holds = formula.holds_on_lasso(&stem, &cycle);
            let context = || format!("{formula:?} on {stem:?} ({cycle:?})");
            assert_eq!(automaton.accepts_lasso(&stem, &cycle), holds, "{}", context());
            assert_eq!(negation.accepts_lasso(&stem, &cycle), !holds, "not: {}", context());
        }
    });
}

#[test]
fn finite_automata_accept_exactly_the_words_on_which_the_formula_holds() {
    check(N_PAIRS / N_WORDS, |choices| {
        let (n_atoms, formula) = formula(choices, 13);
        let automaton = translate_finite(&formula).expect("small formulas have automata");
        let negation = translate_finite(&!formula.clone()).expect("small formulas have automata");
        for length in 0..N_WORDS as usize {
            let word = word(choices, length, n_atoms);
            let holds = formula.holds_on_word(&word);
            let context = || format!("{formula:?} on {word:?}");
            assert_eq!(automaton.accepts(&word), holds, "{}", context());
            assert_eq!(negation.accepts(&word), !holds, "not: {}", context());
        }
    });
}

#[test]
fn simplification_keeps_the_meaning_and_is_done_in_one_go() {
    check(N_PAIRS / N_WORDS, |choices| {
        let (n_atoms, formula) = formula(choices, 21);
        let simplified = formula.simplified();
        assert_eq!(simplified.simplified(), simplified, "{formula:?}");
        for _ in 0..N_WORDS {
            let (stem, cycle) = lasso(choices, n_atoms);
            assert_eq!(
                formula.holds_on_lasso(&stem, &cycle),
                simplified.holds_on_lasso(&stem, &cycle),
                "{formula:?} became {simplified:?}; {stem:?} ({cycle:?})"
            );
        }
    });
}

//! Automata against the direct evaluation of formulas, on random formulas and words.

use quadrille_logic::{translate, translate_finite};

use crate::random::{Past, Random};

/// Pairs of a formula and a word: more where the code is optimised.
const N_PAIRS: u64 = if cfg!(debug_assertions) { 5_000 } else { 100_000 };

/// Words tried on each formula.
const N_WORDS: u64 = 10;

fn past_for(seed: u64) -> Past {
    if seed.is_multiple_of(3) { Past::Some } else { Past::None }
}

#[test]
fn automata_accept_exactly_the_words_on_which_the_formula_holds() {
    for seed in 0..N_PAIRS / N_WORDS {
        let mut random = Random::new(seed);
        let n_atoms = 1 + random.below(3);
        let size = 2 + random.below(12);
        let formula = random.formula(size, n_atoms, past_for(seed));
        let automaton = translate(&formula).expect("small formulas have automata");
        let negation = translate(&!formula.clone()).expect("small formulas have automata");
        for _ in 0..N_WORDS {
            let (stem, cycle) = (random.below(5), 1 + random.below(4));
            let (stem, cycle) = (random.word(stem, n_atoms), random.word(cycle, n_atoms));
            let holds = formula.holds_on_lasso(&stem, &cycle);
            let context = || format!("seed {seed}: {formula:?} on {stem:?} ({cycle:?})");
            assert_eq!(automaton.accepts_lasso(&stem, &cycle), holds, "{}", context());
            assert_eq!(negation.accepts_lasso(&stem, &cycle), !holds, "not: {}", context());
        }
    }
}

#[test]
fn finite_automata_accept_exactly_the_words_on_which_the_formula_holds() {
    for seed in 0..N_PAIRS / N_WORDS {
        let mut random = Random::new(seed ^ 0xF1);
        let n_atoms = 1 + random.below(3);
        let size = 2 + random.below(12);
        let formula = random.formula(size, n_atoms, past_for(seed));
        let automaton = translate_finite(&formula).expect("small formulas have automata");
        let negation = translate_finite(&!formula.clone()).expect("small formulas have automata");
        for length in 0..N_WORDS as usize {
            let word = random.word(length, n_atoms);
            let holds = formula.holds_on_word(&word);
            let context = || format!("seed {seed}: {formula:?} on {word:?}");
            assert_eq!(automaton.accepts(&word), holds, "{}", context());
            assert_eq!(negation.accepts(&word), !holds, "not: {}", context());
        }
    }
}

#[test]
fn simplification_keeps_the_meaning_and_is_done_in_one_go() {
    for seed in 0..N_PAIRS / N_WORDS {
        let mut random = Random::new(seed ^ 0x51);
        let n_atoms = 1 + random.below(3);
        let size = 2 + random.below(20);
        let formula = random.formula(size, n_atoms, past_for(seed));
        let simplified = formula.simplified();
        assert_eq!(simplified.simplified(), simplified, "seed {seed}: {formula:?}");
        for _ in 0..N_WORDS {
            let (stem, cycle) = (random.below(5), 1 + random.below(4));
            let (stem, cycle) = (random.word(stem, n_atoms), random.word(cycle, n_atoms));
            assert_eq!(
                formula.holds_on_lasso(&stem, &cycle),
                simplified.holds_on_lasso(&stem, &cycle),
                "seed {seed}: {formula:?} became {simplified:?}; {stem:?} ({cycle:?})"
            );
        }
    }
}

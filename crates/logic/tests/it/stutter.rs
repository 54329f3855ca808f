//! Invariance under stuttering, normal forms, and automata with one acceptance set.

use quadrille_logic::{Formula, PlainAtom, translate};
use quadrille_workshop::formulas::{Past, linear, word};
use quadrille_workshop::{Choices, check};

use crate::parsing::plain;

fn formula(text: &str) -> Formula {
    plain(text).0.formula.expect("a formula")
}

/// One formula of three looks back.
fn some_past(choices: &mut Choices) -> Past {
    choices.pick(&[Past::None, Past::None, Past::Some])
}

#[test]
fn some_formulas_with_next_are_stutter_invariant() {
    // Entering b from outside is visible however long it takes.
    let invariant = ["G (a -> F b)", "X F G a", "G F X a", "F (!b & X b)"];
    let sensitive = ["X a", "F (a & X a)", "G (a -> X b)", "G (a -> Y b)"];
    for text in invariant {
        assert_eq!(formula(text).is_stutter_invariant(), Ok(true), "{text}");
    }
    for text in sensitive {
        assert_eq!(formula(text).is_stutter_invariant(), Ok(false), "{text}");
    }
}

#[test]
fn the_stutter_test_agrees_with_repeated_letters() {
    let (mut found_invariant, mut found_sensitive) = (0, 0);
    check(300, |choices| {
        let size = 2 + choices.below(8);
        let past = some_past(choices);
        let formula = linear(choices, size, 2, past);
        if formula.is_next_free() {
            return;
        }
        let Ok(is_invariant) = formula.is_stutter_invariant() else { return };
        let mut differs = false;
        for _ in 0..60 {
            let (stem, cycle) = (choices.below(4), 1 + choices.below(3));
            let (stem, cycle) = (word(choices, stem, 2), word(choices, cycle, 2));
            let mut repeat = |word: &[u64]| -> Vec<u64> {
                word.iter().flat_map(|&letter| vec![letter; 1 + choices.below(3)]).collect()
            };
            let (long_stem, long_cycle) = (repeat(&stem), repeat(&cycle));
            differs |= formula.holds_on_lasso(&stem, &cycle)
                != formula.holds_on_lasso(&long_stem, &long_cycle);
        }
        assert!(!(differs && is_invariant), "{formula:?}");
        found_invariant += u32::from(is_invariant);
        found_sensitive += u32::from(differs);
    });
    assert!(found_invariant > 20 && found_sensitive > 20, "{found_invariant} {found_sensitive}");
}

/// A formula, and which of its atoms are about actions: all but `p`.
fn about_actions(text: &str) -> (Formula, u64) {
    let parsed = plain(text).0;
    let is_action = |atom: &PlainAtom| *atom != PlainAtom::Proposition("p".to_owned());
    let actions = parsed.atoms.iter().filter(|(_, atom)| is_action(atom));
    let letter = actions.fold(0, |all, (id, _)| all | 1 << id.index());
    (parsed.formula.expect("a formula"), letter)
}

#[test]
fn formulas_about_actions_may_see_steps_without_any() {
    let ignores = ["F a", "G !a", "G (a -> F b)", "G F a", "!a U b", "G (a -> p)", "F (a & F b)"];
    let sees = ["a U b", "G a", "a", "F (a & X b)", "X a", "G (a -> X b)", "G (p -> a)", "F !a"];
    for text in ignores {
        let (formula, actions) = about_actions(text);
        assert_eq!(formula.ignores_unseen_steps(actions), Ok(true), "{text}");
    }
    for text in sees {
        let (formula, actions) = about_actions(text);
        assert_eq!(formula.ignores_unseen_steps(actions), Ok(false), "{text}");
    }
    // The same formula about states, and the test for repeated letters.
    assert_eq!(about_actions("a U b").0.ignores_unseen_steps(0), Ok(true));
    assert_eq!(about_actions("a U b").0.is_stutter_invariant(), Ok(true));
}

#[test]
fn the_test_for_unseen_steps_agrees_with_inserted_steps() {
    // Atom 0 is about states, 1 and 2 are about actions.
    let actions = 0b110;
    let (mut n_ignoring, mut n_seeing) = (0, 0);
    check(400, |choices| {
        let size = 2 + choices.below(8);
        let past = some_past(choices);
        let formula = linear(choices, size, 3, past);
        let Ok(ignores) = formula.ignores_unseen_steps(actions) else { return };
        let mut differs = false;
        for _ in 0..60 {
            let (stem, cycle) = (choices.below(4), 1 + choices.below(3));
            let (stem, cycle) = (word(choices, stem, 3), word(choices, cycle, 3));
            let mut delayed = |word: &[u64]| -> Vec<u64> {
                let delay = |&letter: &u64| {
                    let mut late = vec![letter & !actions; choices.below(3)];
                    late.push(letter);
                    late
                };
                word.iter().flat_map(delay).collect()
            };
            let (long_stem, long_cycle) = (delayed(&stem), delayed(&cycle));
            differs |= formula.holds_on_lasso(&stem, &cycle)
                != formula.holds_on_lasso(&long_stem, &long_cycle);
        }
        assert!(!(differs && ignores), "{formula:?}");
        n_ignoring += u32::from(ignores);
        n_seeing += u32::from(differs);
    });
    assert!(n_ignoring > 20 && n_seeing > 20, "{n_ignoring} {n_seeing}");
}

#[test]
fn negation_normal_form_keeps_the_meaning() {
    fn is_normal(formula: &Formula) -> bool {
        let own = match formula {
            Formula::Not(a) => {
                matches!(**a, Formula::Atom(_) | Formula::Unary(..) | Formula::Binary(..))
            }
            Formula::Implies(..) => false,
            _ => true,
        };
        own && formula.operands().into_iter().all(is_normal)
    }
    check(500, |choices| {
        let size = 2 + choices.below(20);
        let formula = linear(choices, size, 3, Past::Some);
        let normal = formula.negation_normal_form();
        assert!(is_normal(&normal), "{normal:?}");
        for _ in 0..10 {
            let (stem, cycle) = (word(choices, 3, 3), word(choices, 2, 3));
            let (a, b) =
                (formula.holds_on_lasso(&stem, &cycle), normal.holds_on_lasso(&stem, &cycle));
            assert_eq!(a, b, "{formula:?} became {normal:?}");
        }
    });
}

#[test]
fn a_formula_and_its_negation_have_no_common_word() {
    check(300, |choices| {
        let size = 2 + choices.below(10);
        let past = some_past(choices);
        let formula = linear(choices, size, 2, past);
        let (with, without) = (translate(&formula), translate(&!formula.clone()));
        let (with, without) = (with.expect("small"), without.expect("small"));
        assert!(with.and(&without).is_empty(), "{formula:?}");
        assert!(!(with.is_empty() && without.is_empty()), "{formula:?}");
    });
}

#[test]
fn one_acceptance_set_accepts_the_same() {
    check(300, |choices| {
        let size = 4 + choices.below(14);
        let formula = linear(choices, size, 3, Past::None);
        let automaton = translate(&formula).expect("small");
        let single = automaton.degeneralise();
        assert_eq!(single.n_sets, 1);
        for _ in 0..10 {
            let (stem, cycle) = (word(choices, 2, 3), word(choices, 3, 3));
            let (a, b) =
                (automaton.accepts_lasso(&stem, &cycle), single.accepts_lasso(&stem, &cycle));
            assert_eq!(a, b, "{formula:?}");
        }
    });
    let fair = translate(&formula("G F a & G F b & G F c")).expect("small");
    assert_eq!((fair.n_locations(), fair.n_sets), (1, 3));
    assert_eq!(fair.degeneralise().n_locations(), 3);
}

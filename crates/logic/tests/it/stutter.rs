//! Invariance under stuttering, normal forms, and automata with one acceptance set.

use quadrille_logic::{Formula, translate};
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

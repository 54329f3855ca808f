//! What strangers write first, and what they are told; parts that make no difference, wherever they
//! stand.

use crate::complaints;

#[test]
fn habits_of_other_languages_are_answered_with_what_to_write() {
    for (text, words) in [
        ("sig A { var f : lone A } event e[a : A] { a.f := a } init { no f }", "write `=`"),
        ("sig A { var n : one Int } event e[a : A] { a.n' = a.n / 2 } init { }", "`div[a, b]`"),
        ("sig A { var n : one Int } event e[a : A] { a.n = 1..3 } init { }", "`x >= 0 and x =< 3`"),
        ("sig A { var n : one Int } event e[a : A] { a.n == 1 } init { }", "a single `=`"),
        ("signature A { }", "this is written `sig`"),
        ("sig A {}\npredicate p { some A }", "this is written `pred`"),
        ("sig A { var until : lone A }", "a name needs to be another one"),
    ] {
        let found = complaints(text);
        assert!(found.iter().any(|one| one.contains(words)), "{text}: {found:#?}");
    }
}

#[test]
fn what_makes_no_difference_is_found_wherever_it_stands() {
    let head = "sig A { f : set A, g : set B } sig B { h : set A } sig C {}";
    for (formula, part) in [
        ("some A <: (f + h)", Some("`h`")),
        ("some ~(f + h).A", Some("`h`")),
        ("some ~(f + h).C", None),
        ("some f & (^(f + ~g))", Some("`~g`")),
        ("some (A + C).f", Some("`C`")),
        ("some f.(A + C)", Some("`C`")),
        ("some (f + g) & (A -> A)", Some("`g`")),
        ("some ((A + C) -> B) & g", Some("`C`")),
        ("some (f + h) :> A", None),
        ("all a : A + C | a in A + C", None),
        ("some { a : A | a in (B + A) }", Some("`B`")),
        ("#((f + h) & f) > 0", Some("`h`")),
        ("A = (A + B) and some f ++ f", Some("`B`")),
        ("some (some B implies f else g).B", None),
        ("let both = (A + C) & A | some both", Some("`C`")),
    ] {
        let found = complaints(&format!("{head} init {{ {formula} }} for 1 A, 1 B, 1 C"));
        let of: Vec<&String> =
            found.iter().filter(|one| one.contains("makes no difference")).collect();
        match part {
            Some(part) => {
                assert!(of.len() == 1 && of[0].contains(part), "{formula}: {found:#?}");
            }
            None => assert!(of.is_empty(), "{formula}: {found:#?}"),
        }
        assert!(found.iter().all(|one| !one.starts_with("E005")), "{formula}: {found:#?}");
    }
}

/// What is empty is told where it begins, and not again of all that it stands in.
#[test]
fn what_is_empty_is_told_once() {
    let text = "sig A { f : set A } sig B {} init { no (A & B).f & A  some (B.f + A) }
        for 1 A, 1 B";
    let found = complaints(text);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].contains("this intersection is always empty `A & B`"), "{found:#?}");
    assert!(found[1].contains("this join is always empty `B.f`"), "{found:#?}");
}

/// A set that changes and belongs to nothing holds whatever is put into it, as in Taino.
#[test]
fn sets_of_whatever_is_put_into_them_meet_everything() {
    let text = "var sig chosen {} sig A {} event choose[a : A] { chosen' = chosen + a }
        init { no chosen } for 2 A  check c { always lone chosen & A } expect 1";
    assert_eq!(complaints(text), Vec::<String>::new());
}

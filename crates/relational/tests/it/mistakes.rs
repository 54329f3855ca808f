//! Every manual page shows a text that is answered with its code.

use quadrille_relational::codes;

use crate::complaints;

#[test]
fn every_page_shows_its_mistake() {
    let mut n_shown = 0;
    for code in codes::ALL {
        let page = code.page();
        let Some((_, rest)) = page.split_once("```qev\n") else { continue };
        let text = rest.split("```").next().unwrap_or("");
        let found = complaints(text);
        assert!(found.iter().any(|one| one.starts_with(code.id)), "{}: {found:#?}", code.id);
        n_shown += 1;
    }
    assert!(n_shown > 11, "{n_shown}");
}

#[test]
fn mistakes_have_places_and_advice() {
    let text = "sig Node { var next : lone Node }
        event link[a, b : Nodee] { no a.nxt  a.next' = b }
        init { no next }
        check nothing";
    let found = complaints(text);
    assert_eq!(
        found,
        [
            "E003 the name `Nodee` is not declared `Nodee` (did you mean `Node`?)",
            "E003 the name `nxt` is not declared `nxt` (did you mean `next`?)",
            "E003 there is no assertion or predicate `nothing` `nothing` (declare it: `assert nothing { … }`)",
        ]
    );
}

#[test]
fn types_are_checked() {
    let found = complaints("sig A { f : set A } sig B {} init { some A.f & B  A.f.f = f  A in B }");
    let codes: Vec<&str> = found.iter().map(|one| &one[..4]).collect();
    assert_eq!(codes, ["E007", "E005", "E007"], "{found:#?}");
}

#[test]
fn multiplicities_that_would_be_ignored_are_refused() {
    let fields = ["A -> lone B -> C", "A lone -> B -> C", "A -> lone (B -> C)", "A -> B one -> C"];
    for field in fields {
        let text = format!("sig A, B, C {{}} one sig D {{ f : {field} }} init {{ no f }}");
        let found = complaints(&text);
        assert!(found.iter().any(|one| one.starts_with("E012")), "{field}: {found:#?}");
    }
    let found = complaints("sig A, B, C {} one sig D { f : A -> B -> lone C } init { no f }");
    assert!(found.is_empty(), "{found:#?}");
}

//! The language word by word: what each part of it does, shown by counts of states and steps, or by
//! the message that refuses it.

use quadrille_model::Model as _;
use quadrille_relational::System;

use crate::oracle::compare;
use crate::{complaints, counts, design};

/// States and steps, which the compiled model has as well.
fn explored(text: &str) -> (usize, usize) {
    let found = counts(text);
    compare(&design(text), None, 3_000);
    found
}

/// What goes wrong in the first step that cannot be computed, naively and compiled.
fn failure(text: &str) -> String {
    let design = design(text);
    compare(&design, None, 3_000);
    let world = quadrille_relational::World::new(&design, None).expect("a scope");
    let evaluator = quadrille_relational::eval::Evaluator::new(&design, &world);
    let mut todo = evaluator.initial().expect("initial states");
    let mut seen = std::collections::BTreeSet::new();
    while let Some(state) = todo.pop() {
        match evaluator.steps(&state) {
            Err(failure) => return failure.message,
            Ok(steps) if seen.insert(state) => todo.extend(steps.into_iter().map(|it| it.next)),
            Ok(_) => {}
        }
    }
    "nothing fails".to_owned()
}

#[test]
fn a_range_of_numbers_of_atoms_leaves_open_how_many_there_are() {
    let text = "sig Lamp { var on : set Lamp }
        event flip[l : Lamp] { no l.on  l.on' = l }
        init { no on } for 1..3 Lamp";
    // One, two or three lamps.
    assert_eq!(explored(text), (2 + 4 + 8, 1 + 4 + 12));
    let text = "abstract sig Part {}  sig Old, New extends Part {}
        var sig used in Part {}
        event use[p : Part - used] { used' = used + p }
        init { no used  #Part = 2 } for 0..2 Old, 1..2 New";
    // One old and one new, or two new ones.
    assert_eq!(explored(text), (4 + 4, 4 + 4));
    let text = "sig A { f : one A, g : A -> lone A }
        init { #univ = #iden  #*f = 3  no g } for 1..3 A";
    // Two nodes of which one leads to the other: the atom that is missing is in no `iden`.
    assert_eq!(explored(text).0, 1 + 2);
}

#[test]
fn ranges_are_checked() {
    let sig = "sig Node {} sig Server extends Node {}";
    let bad = complaints(&format!("{sig} init {{}} for 3..1 Node"));
    assert!(bad.iter().any(|one| one.contains("this range is empty")), "{bad:?}");
    let bad = complaints(&format!("{sig} init {{}} for 4 Node, 1..2 Server"));
    assert!(bad.iter().any(|one| one.contains("number of atoms is open")), "{bad:?}");
    let bad = complaints("sig Node {} init { some Node$2 } for 1..3 Node");
    assert!(bad.iter().any(|one| one.contains("at least 1 are sure to exist")), "{bad:?}");
}

#[test]
fn lone_signatures_have_an_atom_or_none() {
    assert_eq!(explored("lone sig Boss {} init {}"), (2, 0));
    assert_eq!(explored("lone sig Boss {} init { some Boss }"), (1, 0));
}

#[test]
fn subsets_have_the_multiplicity_and_the_bounds_of_their_declaration() {
    let sigs = "sig A {}  one sig chosen in A {}  var lone sig best in A {}";
    assert_eq!(explored(&format!("{sigs} init {{ no best }} for 2 A")).0, 2);
    let text = format!("{sigs} event e {{ best' = A }} init {{ no best }} for 2 A");
    assert_eq!(failure(&text), "`best` would get a value that its declaration does not allow");
    let text = "var sig v in A {}  var sig w in v {}  sig A {}
        event e[a : A] { w' = w + a }  init { v = A$1  no w } for 2 A";
    assert_eq!(failure(text), "`w` would get a value that its declaration does not allow");
    let text = "var sig up in A {}  sig A { var f : set up }
        event leave[a : up] { up' = up - a }  init { up = A  all a : A | a.f = a } for 2 A";
    assert_eq!(failure(text), "`f` would get a value that its declaration does not allow");
}

#[test]
fn overflow_is_an_error_or_wraps_as_declared() {
    let text = "one sig G { var n : one Int }
        event up { G.n' = plus[G.n, 1] }  event down { G.n' = minus[G.n, 1] }
        init { G.n = 0 } for 0..3 Int";
    assert_eq!(failure(text), "the number -1 is outside of 0 to 3");
    assert_eq!(explored(&format!("overflow wraps {text}")), (4, 8));
    let text = "overflow wraps  one sig G { var n : one Int }
        event up { G.n < 3  G.n' = mul[plus[G.n, 1], 3] }
        init { G.n = 0 } for 4 Int";
    // 0, 3: 3 is not below 3.
    assert_eq!(explored(text), (2, 1));
    // Comparisons are exact: a number out of range is no value.
    let text = "one sig G { var n : one Int }  var sig last in G {}
        event end { G.n != plus[G.n, 4]  no last  last' = G  plus[G.n, 4] not in Int }
        init { G.n = 0  no last } for 0..3 Int";
    assert_eq!(explored(text), (2, 1));
    let bad = complaints(
        "one sig G { var n : one Int }
        event up { mul[G.n, 9223372036854775807] > 3  G.n' = 0 }  init { G.n = 0 } for 0..3 Int",
    );
    assert!(bad.iter().any(|one| one.contains("may leave 64 bits")), "{bad:?}");
}

#[test]
fn sequences_have_the_functions_of_alloy() {
    let all = |formula: &str| {
        format!(
            "enum W {{ A, B, C }}  one sig L {{ s, t : seq W }}
            init {{ L.s = 0 -> A + 1 -> B  L.t = 0 -> C  {formula} }} for 3 seq, 0..4 Int"
        )
    };
    for formula in [
        "L.s.append[L.t] = L.s.add[C]",
        "L.t.append[L.s] = 0 -> C + 1 -> A + 2 -> B",
        "L.s.insert[0, C] = 0 -> C + 1 -> A + 2 -> B",
        "L.s.insert[1, C] = 0 -> A + 1 -> C + 2 -> B",
        "L.s.insert[2, C] = L.s.add[C]",
        "L.s.delete[0] = 0 -> B",
        "L.s.delete[1] = 0 -> A",
        "L.s.setAt[1, C] = 0 -> A + 1 -> C",
        "L.s.subseq[1, 1] = 0 -> B",
        "L.s.subseq[0, 1] = L.s",
        "L.s.idxOf[B] = 1  no L.s.idxOf[C]",
        "L.s.setAt[1, A].idxOf[A] = 0  L.s.setAt[1, A].lastIdxOf[A] = 1",
        "L.s.setAt[1, A].indsOf[A] = 0 + 1",
        "L.s.lastIdx = 1  L.s.afterLastIdx = 2",
        "no L.s.add[C].afterLastIdx",
        "L.s.setAt[1, A].hasDups  not L.s.hasDups",
        "L.s.first = A  L.s.last = B  L.s.rest = 0 -> B  L.s.butlast = 0 -> A",
        "L.s.elems = A + B  L.s.inds = 0 + 1  not L.s.isEmpty  L.s[1] = B",
    ] {
        assert_eq!(explored(&all(formula)), (1, 0), "{formula}");
        let bad = complaints(&all(&format!("not {{ {formula} }}")));
        assert!(bad.iter().any(|one| one.contains("there is no initial state")), "{formula}");
    }
}

#[test]
fn sequences_are_bounded_and_without_gaps() {
    let text = |effect: &str| {
        format!(
            "enum W {{ A, B }}  one sig L {{ var s : seq W }}
            event e {{ {effect} }}  init {{ no L.s }} for 2 seq, 0..5 Int"
        )
    };
    let misfit = "`s` would get a value that its declaration does not allow";
    for effect in [
        "L.s' = L.s.add[A]",
        "L.s' = L.s.insert[0, A]",
        "L.s' = L.s.append[0 -> A + 1 -> B]",
        "L.s' = 1 -> A",
    ] {
        assert_eq!(failure(&text(effect)), misfit, "{effect}");
    }
    // Those that are left open are all without gaps.
    let text = "enum W { A, B }  one sig L { s : seq W }  init {} for 2 seq";
    assert_eq!(explored(text).0, 1 + 2 + 4);
}

#[test]
fn facts_are_assumed_or_checked_as_they_say() {
    let text = |word: &str| {
        format!(
            "sig Lamp {{ var on : set Lamp }}
            {word} fact Few {{ always lone Lamp.on }}
            event flip[l : Lamp] {{ no l.on  l.on' = l }}
            init {{ no on }} for 2 Lamp"
        )
    };
    assert_eq!(explored(&text("")), (3, 2));
    assert_eq!(explored(&text("assume")), (3, 2));
    assert_eq!(explored(&text("check")), (4, 4));
    let checked = design(&text("check"));
    let system = System::new(&checked, None).expect("a system");
    assert_eq!(system.asked.len(), 1);
    assert_eq!(system.asked[0].name, "Few");
}

#[test]
fn a_set_with_one_member_is_one_value_and_never_fails() {
    let text = "sig Node {} one var sig best in Node {}
        event choose { best' in Node - best }
        event tick {}
        init { best = Node$1 } for 3 Node";
    let system = System::new(&design(text), None).expect("a system");
    assert!(system.never_fails());
    assert_eq!(system.signature().slots.len(), 1);
    assert_eq!(explored(text), (3, 9));
}

#[test]
fn a_command_in_the_scope_of_init_has_none_of_its_own() {
    let text = "sig Node { var next : lone Node } init { no next } for 2 Node
        check { no next } for 2 Node
        check { no next } for exactly 2 Node
        check { no next } for 3 Node";
    let found: Vec<bool> = design(text).commands.iter().map(|it| it.scope.is_some()).collect();
    assert_eq!(found, [false, false, true]);
}

#[test]
fn semicolons_separate_the_conditions_of_a_step() {
    let text = "sig Client {}  var sig looked, owns in Client {}
        event look[c : Client] { no owns; c not in looked; looked' = looked + c }
        event take[c : Client] { c in looked; looked' = looked - c; owns' = owns + c; }
        event leave[c : Client] {
            owns = c implies { no owns'; no looked' } else { c in owns; owns' = owns - c }
        }
        init { no looked; no owns } for 2 Client
        end { no looked; no owns }";
    let lines = text.replace(';', "\n");
    assert_eq!(explored(text), explored(&lines));
    assert!(explored(text).0 > 4);
    // In a formula about runs it is still *and then*.
    let then = design(&format!("{text} run both {{ (some looked and no owns) ; some owns }}"));
    assert_eq!(then.commands.len(), 1);
}

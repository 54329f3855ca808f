//! Texts that Alloy accepts are read, and texts that it rejects are refused where the mistake is.

use quadrille_workshop::{conformance, shared};

use crate::world;

fn accepts(text: &str) {
    if let Err(shown) = world(text) {
        panic!("{text}\n{shown}");
    }
}

fn refuses(text: &str, code: &str, part: &str) {
    match world(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(shown) => assert!(shown.contains(code) && shown.contains(part), "{text}\n{shown}"),
    }
}

#[test]
fn what_alloy_accepts_is_read() {
    accepts("sig A { f : lone A, g : A one -> lone A } run { some f and no g.A } for 3 but 2 A");
    accepts("open util/ordering[A] sig A {} run { some first.next }");
    accepts("open util/ordering[A] as o sig A {} check { o/first in A } for exactly 4 A expect 0");
    accepts("enum E { P, Q } fact { first = P }");
    accepts("sig A { s : seq A } run { some a : A | a.s.isEmpty and #a.s.elems > 0 }");
    accepts("var sig A {} fact { always A' in A } run { eventually no A } for 1..5 steps");
    accepts("sig A { var f : set A } pred p[a : A] { a.f' = a.f ; no a.f } run p");
    accepts("let twice[x] = x + x  sig A {} run { some twice[A] }");
    accepts(
        "sig A { f : A } { f != this and @f in A->A } pred A.ok { some this.f } run { all a : A | a.ok }",
    );
    accepts("sig A {} fun few[s : set A] : set A { s } run few");
    accepts("open util/integer run { some x : Int | plus[x, 1] < x } for 4 Int");
    accepts("first: run { some univ } second : check { no none }");
    accepts(
        "abstract sig A {} one sig B, C extends A {} sig D in B + C {} run { disj[B, C] and A - D != B }",
    );
    accepts("sig A { f : A } run { all disj a, b : A | a.f = b.f => a in b.*f else b in a.^f }");
    accepts(
        "sig A {} run { (sum a : A | 1) = #A and { a : A | some a } = A and let b = A | some b }",
    );
    accepts("sig A {} fact { \"text\" in String }");
}

#[test]
fn overloads_are_decided_by_what_is_around() {
    accepts("sig A { f : A } sig B { f : B } run { some A.f and some b : B | b.f = b }");
    accepts("sig A { p : set A } pred p[b : B] { some b } sig B {} run { some b : B | p[b] }");
    refuses("sig A { f : univ } sig B { f : univ } run { some f }", "Y004", "several meanings");
}

#[test]
fn what_follows_a_semicolon_is_behind_quantifiers() {
    let sigs = "sig A { var f : set A } pred p [a : A] { some a.f }";
    refuses(&format!("{sigs} run {{ some a : A | p[a] ; no a.f }}"), "Y003", "`a`");
    refuses(&format!("{sigs} run {{ let b = A | some b ; no b }}"), "Y003", "`b`");
    accepts(&format!("{sigs} run {{ some a : A | (p[a] ; no a.f) }}"));
    accepts(&format!("{sigs} run {{ some a : A {{ p[a] ; no a.f }} ; some A }}"));
}

#[test]
fn mistakes_are_told_where_they_are() {
    refuses("sig A { next lone A }", "Y001", "expected `:`");
    refuses("sig A {} run { some B }", "Y003", "nothing here is called `B`");
    refuses("sig A {} run { A }", "Y005", "not a formula");
    refuses("sig A { f : A } run { f = A }", "Y006", "columns");
    refuses("sig A extends B {} sig B extends A {}", "Y010", "belongs to itself");
    refuses("sig A { f : A, f : A }", "Y011", "two fields");
    refuses("sig A { f : A } sig B extends A { f : B }", "Y011", "overlap");
    refuses("open util/orderin[A] sig A {}", "Y008", "no module");
    refuses("sig A {} run p", "Y003", "no predicate or function `p`");
    refuses("sig A {} pred p[a : A] { some a } run { p }", "Y003", "has 1 parameters");
    refuses("sig A {} fact { all a : A | some a } and no A }", "Y001", "expected");
}

#[test]
fn what_is_generated_without_end_is_refused_and_not_followed() {
    let chain =
        |operator: &str| format!("sig A {{}} run {{ some {} }}", vec!["A"; 50_000].join(operator));
    refuses(&chain(" + "), "Y002", "nested too deeply");
    refuses(&chain("."), "Y002", "nested too deeply");
    let many = format!("sig A {{}} run {{ some A{} }}", "'".repeat(50_000));
    refuses(&many, "Y002", "nested too deeply");
    let deep = format!("sig A {{}} run {{ some {}A{} }}", "(".repeat(50_000), ")".repeat(50_000));
    refuses(&deep, "Y002", "nested too deeply");
}

#[conformance]
fn published_texts_are_read() {
    let folder = shared::path("relational/fragments");
    let table = shared::text(&folder.join("expected.tsv"));
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let text = shared::text(&folder.join(columns[0]));
        let mut sources = quadrille_diagnostic::Sources::default();
        let source = sources.add(columns[0], &*text);
        let read = quadrille_alloy::parse(source, &text);
        assert_eq!(read.is_ok(), columns[2] == "parses", "{}", columns[0]);
    }
}

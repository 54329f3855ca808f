//! Mistakes: every manual page shows a text that is answered with its code; what people get to see.

use expect_test::expect;
use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_relational::eval::Evaluator;
use quadrille_relational::{World, codes, read};

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
fn parts_that_make_no_difference_are_told() {
    let text = "sig A { f : set A } sig B {}
        init { some (A + B).f  A = A  no none - A  some A & (A + B)  A in (A + A) + B }";
    let found = complaints(text);
    let expected = "E007 this part makes no difference here `B` (leave it out, or correct it)";
    assert_eq!(found, [expected, expected, expected], "{found:#?}");
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let head = "sig Node { var next : lone Node } sig Key {} pred linked[n : Node] { some n.next }
        fun none_of[n : Node, m : n.next] : set Node { n - m }
        event link[a, b : Node] { a.next' = b } init { no next } for 2 Node, 2 Key";
    let asked = |formula: &str| complaints(&format!("{head} check {{ {formula} }}"));
    for (formula, words) in [
        ("always not linked[Key]", "argument of `linked` does not fit its parameter `n` `Key`"),
        ("linked[next]", "argument of `linked` does not fit its parameter `n` `next`"),
        ("Key.linked", "argument of `linked` does not fit its parameter `n` `Key`"),
        ("no none_of[Node, Key]", "argument of `none_of` does not fit its parameter `m` `Key`"),
        (
            "always not link[Node$1, Key$1]",
            "argument of `link` does not fit its parameter `b` `Key$1`",
        ),
    ] {
        let found = asked(formula);
        assert!(found.len() == 1 && found[0].contains(words), "{formula}: {found:#?}");
        assert!(found[0].starts_with("E005"), "{found:#?}");
    }
    assert_eq!(asked("always not linked[none]"), Vec::<String>::new());
    assert_eq!(asked("all n : Node | no none_of[n, n.next]"), Vec::<String>::new());
}

#[test]
fn what_designs_do_not_have_is_refused_and_not_ignored() {
    for (text, words) in [
        ("sig A { disj f, g : set A } init {}", "a field with `disj`"),
        ("sig A { f : disj A } init {}", "a field with `disj`"),
        ("sig A { f : set A, g = f } init {}", "given by `=`"),
        ("sig A {} sig B = A {} init {}", "exactly a union"),
        ("sig A {} let all_of[x] { x } init {}", "is a macro"),
        ("sig A {} init { \"text\" in A }", "strings are not supported"),
        ("sig A { f : set A } init { A in one A }", "stand in declarations only"),
        ("sig A {} init {} run { some A } expect 3", "says nothing"),
    ] {
        let found = complaints(text);
        assert!(found.iter().any(|one| one.contains(words)), "{text}: {found:#?}");
    }
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

/// What a text is answered with, as people see it: by its declarations, its scope, its initial states,
/// and the first step that cannot be computed.
fn rendered(text: &str) -> String {
    let mut sources = Sources::default();
    let source = sources.add("design.qev", text);
    let (design, mut found) = read(source, text);
    if let Some(design) = design {
        match World::new(&design, None) {
            Err(more) => found.extend(more),
            Ok(world) => {
                let evaluator = Evaluator::new(&design, &world);
                let mut failed = |problem: Box<Diagnostic>| found.push(*problem);
                match evaluator.initial() {
                    Err(problem) => failed(problem),
                    Ok(states) => {
                        let steps = states.iter().map(|state| evaluator.steps(state));
                        steps.filter_map(Result::err).take(1).for_each(&mut failed);
                    }
                }
            }
        }
    }
    found.iter().map(|one| render(one, &sources, Style::Plain)).collect()
}

#[test]
fn an_unknown_literal_is_told_with_the_one_that_is_meant() {
    expect![[r#"
        error[E006]: a set is wanted, `send` is an event
         --> design.qev:3:34
          |
        3 | event send[n : Node] { n.state = send  n.state' = Receive }
          |                                  ^^^^ true or false, nothing else
          |
          = help: did you mean `Send`?
        error[E003]: the name `Recieve` is not declared
         --> design.qev:4:34
          |
        4 | event wait[n : Node] { n.state = Recieve  n.state' = Send }
          |                                  ^^^^^^^ unknown
          |
          = help: did you mean `Receive`?
    "#]]
    .assert_eq(&rendered(
        "enum State { Send, Receive }
sig Node { var state : one State }
event send[n : Node] { n.state = send  n.state' = Receive }
event wait[n : Node] { n.state = Recieve  n.state' = Send }
init { Node.state = Send }
",
    ));
}

#[test]
fn an_atom_outside_of_its_scope_is_told_with_those_that_exist() {
    expect![[r#"
        error[E010]: the atom `Node$5` is outside of the scope
         --> design.qev:2:44
          |
        2 | init { Node$1.next = Node$2  Node$2.next = Node$5 } for 4 Node
          |                                            ^^^^^^
          |
          = help: `Node` has 4 atoms: `Node$1` to `Node$4`
    "#]]
    .assert_eq(&rendered(
        "sig Node { next : one Node }
init { Node$1.next = Node$2  Node$2.next = Node$5 } for 4 Node
",
    ));
}

#[test]
fn an_atom_without_its_sign_is_told_how_it_is_written() {
    expect![[r#"
        error[E003]: the name `Node2` is not declared
         --> design.qev:2:22
          |
        2 | init { Node$1.next = Node2  Node$2.next = Node$1 } for 2 Node
          |                      ^^^^^ unknown
          |
          = help: atoms are written with `$`: `Node$2`
    "#]]
    .assert_eq(&rendered(
        "sig Node { next : one Node }
init { Node$1.next = Node2  Node$2.next = Node$1 } for 2 Node
",
    ));
}

#[test]
fn arity_and_kind_are_told_with_what_would_fit() {
    expect![[r#"
        warning[E007]: this can hold of empty sets only
         --> design.qev:3:24
          |
        3 | event work[n : Node] { n.load' = n.next  heavy[n, n]  n.load }
          |                        ^^^^^^^^^^^^^^^^ by their types, the two have no member in common
          |
          = help: correct one of them, or leave this part out
        error[E005]: `heavy` has 1 parameters, 2 arguments are given
         --> design.qev:3:42
          |
        3 | event work[n : Node] { n.load' = n.next  heavy[n, n]  n.load }
          |                                          ^^^^^^^^^^^
          |
          = help: give one argument for each parameter, in order
        error[E006]: a formula is wanted, this is a set
         --> design.qev:3:55
          |
        3 | event work[n : Node] { n.load' = n.next  heavy[n, n]  n.load }
          |                                                       ^^^^^^ neither true nor false
          |
          = help: write `some …`, `no …`, or compare it with another set
        error[E005]: a set of arity 2 meets a set of arity 1
         --> design.qev:4:8
          |
        4 | init { next = Node  #next  Node.Node = Node  Node.load = 0 }
          |        ^^^^^^^^^^^ both sides need the same number of columns
          |
          = help: join one side with an atom, or make pairs with `->`
        error[E006]: a formula is wanted, this is a number
         --> design.qev:4:21
          |
        4 | init { next = Node  #next  Node.Node = Node  Node.load = 0 }
          |                     ^^^^^ neither true nor false
          |
          = help: compare it with another number
        error[E005]: a join of two plain sets has no columns left
         --> design.qev:4:28
          |
        4 | init { next = Node  #next  Node.Node = Node  Node.load = 0 }
          |                            ^^^^^^^^^ neither side is a relation
          |
          = help: join a set with a field: `node.next`
    "#]]
    .assert_eq(&rendered(
        "sig Node { next : one Node, var load : one Int }
pred heavy[n : Node] { n.load > 2 }
event work[n : Node] { n.load' = n.next  heavy[n, n]  n.load }
init { next = Node  #next  Node.Node = Node  Node.load = 0 }
",
    ));
}

#[test]
fn what_makes_no_difference_is_a_warning() {
    expect![[r#"
        warning[E007]: this intersection is always empty
         --> design.qev:4:20
          |
        4 | init { no load  no Node & Key  Key.load = none  Node - Key = Node } for 1 Node, 1 Key
          |                    ^^^^^^^^^^ by their types, the two have no member in common
          |
          = help: correct one of them, or leave this part out
        warning[E007]: this join is always empty
         --> design.qev:4:32
          |
        4 | init { no load  no Node & Key  Key.load = none  Node - Key = Node } for 1 Node, 1 Key
          |                                ^^^^^^^^ by their types, the two have no member in common
          |
          = help: correct one of them, or leave this part out
        warning[E007]: nothing is ever taken away here
         --> design.qev:4:49
          |
        4 | init { no load  no Node & Key  Key.load = none  Node - Key = Node } for 1 Node, 1 Key
          |                                                 ^^^^^^^^^^ by their types, the two have no member in common
          |
          = help: correct one of them, or leave this part out
    "#]].assert_eq(&rendered(
        "sig Node { var load : set Key }
sig Key {}
event take[n : Node, k : Key] { k not in n.load  n.load' = n.load + k }
init { no load  no Node & Key  Key.load = none  Node - Key = Node } for 1 Node, 1 Key
",
    ));
}

#[test]
fn a_scope_that_is_too_small_is_told_with_what_is_needed() {
    expect![[r#"
        error[E008]: the scope gives `Role` 1 atoms, its extensions have 2
         --> design.qev:3:9
          |
        3 | init {} for 1 Role
          |         ^^^^^^^^^^
          |
          = help: leave it out of the scope, or change those of its extensions
    "#]]
    .assert_eq(&rendered(
        "abstract sig Role {}
one sig Client, Server extends Role {}
init {} for 1 Role
",
    ));
    expect![[r#"
        error[E008]: `one sig Client` has one atom, not 2
         --> design.qev:2:9
          |
        2 | init {} for 2 Client
          |         ^^^^^^^^^^^^
          |
          = help: leave it out of the scope
    "#]]
    .assert_eq(&rendered(
        "one sig Client {}
init {} for 2 Client
",
    ));
    expect![[r#"
        error[E008]: `some sig Client` has no atom in this scope
         --> design.qev:2:9
          |
        2 | init {} for 0 Client
          |         ^^^^^^^^^^^^
          |
          = help: give it one
    "#]]
    .assert_eq(&rendered(
        "some sig Client {}
init {} for 0 Client
",
    ));
    expect![[r#"
        error[E003]: the signature `Clint` is not declared
         --> design.qev:2:15
          |
        2 | init {} for 2 Clint
          |               ^^^^^ unknown
          |
          = help: did you mean `Client`?
    "#]]
    .assert_eq(&rendered(
        "sig Client {}
init {} for 2 Clint
",
    ));
}

#[test]
fn a_number_that_is_out_of_range_is_never_silent() {
    expect![[r#"
        warning[E009]: the design has no event
         --> design.qev:1:9
          |
        1 | one sig Clock { var time : one Int }
          |         ^^^^^
          |
          = help: an event is written `event name[x : S] { guards  effects }`
        error[E014]: the number 9 is outside of 0 to 7
         --> design.qev:2:21
          |
        2 | init { Clock.time = 9 } for 0..7 Int
          |                     ^
          |
          = help: give `Int` a larger range in the scope, or guard the event
    "#]]
    .assert_eq(&rendered(
        "one sig Clock { var time : one Int }
init { Clock.time = 9 } for 0..7 Int
",
    ));
    expect![[r#"
        error[E014]: the number 8 is outside of 0 to 7
         --> design.qev:2:28
          |
        2 | event tick { Clock.time' = plus[Clock.time, 1] }
          |                            ^^^^^^^^^^^^^^^^^^^
          |
          = help: give `Int` a larger range in the scope, or guard the event
    "#]]
    .assert_eq(&rendered(
        "one sig Clock { var time : one Int }
event tick { Clock.time' = plus[Clock.time, 1] }
init { Clock.time = 7 } for 0..7 Int
",
    ));
    // Comparisons calculate exactly, whatever the range.
    let text = "one sig Clock { var time : one Int }
event tick { plus[Clock.time, 1] = 8  Clock.time' = 0 }
init { Clock.time = 7 } for 0..7 Int
";
    assert_eq!(rendered(text), "");
    assert_eq!(crate::counts(&text.replace("Clock.time' = 0", "Clock.time' = 6")), (2, 1));
}

#[test]
fn an_effect_that_its_declaration_forbids_is_told_where_the_event_stands() {
    expect![[r#"
        error[E015]: `next` would get a value that its declaration does not allow
         --> design.qev:2:7
          |
        2 | event cut[n : Node] { no n.next' }
          |       ^^^
          |
          = help: correct the effect, or declare the field as `lone` or `set`
    "#]]
    .assert_eq(&rendered(
        "sig Node { var next : one Node }
event cut[n : Node] { no n.next' }
init { Node.next = Node$1 } for 2 Node
",
    ));
}

#[test]
fn primes_and_temporal_operators_out_of_place_are_told() {
    expect![[r#"
        error[E009]: an event cannot have temporal operators
         --> design.qev:2:7
          |
        2 | event a[n : Node] { eventually some n.load }
          |       ^
          |
          = help: an event speaks about this state and the next; check the rest with `check`
        error[E009]: this never changes
         --> design.qev:3:23
          |
        3 | event b[n : Node] { n.next' = Node }
          |                       ^^^^^ a prime means nothing here
          |
          = help: declare the field or the signature with `var`
        error[E009]: this says nothing that can be done
         --> design.qev:4:21
          |
        4 | event c[n : Node] { some n.load' }
          |                     ^^^^^^^^^^^^
          |
          = help: write `n.f' = e`, `s' = e`, `n.f' in e` or `no n.f'`, without primes in `e`
        error[E006]: `init` speaks about initial states only
         --> design.qev:5:1
          |
        5 | init { always no load }
          | ^^^^
          |
          = help: move what has temporal operators to a `fact`
        error[E009]: `end` is about one state, and a prime about the next
         --> design.qev:6:5
          |
        6 | end { load' = load }
          |     ^^^^^^^^^^^^^^^^
          |
          = help: leave the prime out, or write a `fact` or a `check` for what is about runs
    "#]]
    .assert_eq(&rendered(
        "sig Node { var load : set Node, next : set Node }
event a[n : Node] { eventually some n.load }
event b[n : Node] { n.next' = Node }
event c[n : Node] { some n.load' }
init { always no load }
end { load' = load }
",
    ));
}

#[test]
fn a_block_without_end_is_told_where_it_begins_and_the_rest_is_read() {
    expect![[r#"
        error[E001]: expected `}` to close the block, found `init`
         --> design.qev:3:1
          |
        2 | event link[a, b : Node] { no a.next  a.next' = b
          |                         - begins here
        3 | init { no next } for 2 Node
          | ^^^^
          |
          = help: a paragraph begins here: is a `}` missing before it?
        error[E001]: expected `}` to close the block, found `event`
         --> design.qev:5:1
          |
        4 | check x { always no next
          |         - begins here
        5 | event foo { no }
          | ^^^^^
          |
          = help: a paragraph begins here: is a `}` missing before it?
        error[E001]: expected an expression, found `}`
         --> design.qev:5:16
          |
        5 | event foo { no }
          |                ^
          |
          = help: see docs/relational.md for the language
    "#]]
    .assert_eq(&rendered(
        "sig Node { var next : lone Node }
event link[a, b : Node] { no a.next  a.next' = b
init { no next } for 2 Node
check x { always no next
event foo { no }
",
    ));
}

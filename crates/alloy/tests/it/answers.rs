//! Commands have their answers: of published models, and of small texts about what is easily wrong.

use quadrille_alloy::{Answer, Options, Question, Reach, World, answer};
use quadrille_workshop::conformance;
use quadrille_workshop::shared::{self, text};

use crate::world;

fn ask(world: &World, name: &str, options: Options) -> Answer {
    let command = world.commands.iter().find(|command| command.name == name);
    let command = command.unwrap_or_else(|| panic!("no command {name}"));
    let question = Question { options, ..Question::default() };
    answer(world, command, &question).expect("an answer")
}

fn is_found(text: &str) -> bool {
    let world = world(text).unwrap_or_else(|shown| panic!("{text}\n{shown}"));
    let question = Question::default();
    let answer = answer(&world, &world.commands[0], &question).expect("an answer");
    answer.is_found().expect("nothing stops it")
}

#[conformance]
fn published_models_have_their_verdicts_and_shortest_counterexamples() {
    let folder = shared::path("relational/models");
    let mut proved = 0;
    for line in text(&folder.join("expected.tsv")).lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let model = text(&folder.join(columns[0]));
        let model = world(&model).unwrap_or_else(|shown| panic!("{}\n{shown}", columns[0]));
        let answer = ask(&model, columns[1], Options::default());
        let length = answer.instances.first().map(|instance| instance.length().to_string());
        let expected = columns.get(7).copied().filter(|text| !text.is_empty());
        assert_eq!(length.as_deref(), expected, "{line}");
        proved += usize::from(answer.reach == Some(Reach::Everything));
    }
    assert!(proved >= 7, "only {proved} are proved for every length");
}

#[conformance]
fn the_pool_has_no_more_workers_than_it_may_have() {
    let pool = text(&shared::path("relational").join("poolboy-no-fairness.als"));
    let pool = world(&pool).unwrap_or_else(|shown| panic!("{shown}"));
    let starved = ask(&pool, "client_gets_worker", Options::default());
    assert_eq!(starved.instances.first().map(quadrille_alloy::Instance::length), Some(5));
    let received = ask(&pool, "eventually_receive", Options::default());
    assert_eq!(received.instances.first().map(quadrille_alloy::Instance::length), Some(4));
}

#[test]
fn numbers_wrap_around() {
    let text = "open util/integer one sig M in Int {}
        run wraps { M > 0 and not plus[M, M] > 0 }
        check grows { M > 0 implies plus[M, M] > 0 }
        run least { some x : Int | plus[x, 1] < x }
        run divided { div[-7, 2] = -3 and rem[-7, 2] = -1 and mul[3, -2] = -6 }";
    let text = world(text).unwrap_or_else(|shown| panic!("{shown}"));
    let wraps = Options { wraps: true, ..Options::default() };
    let avoids = Options { wraps: false, ..Options::default() };
    assert_eq!(ask(&text, "wraps", wraps.clone()).is_found(), Some(true));
    assert_eq!(ask(&text, "grows", wraps).is_found(), Some(true));
    let avoided = ask(&text, "grows", avoids);
    assert_eq!((avoided.is_found(), avoided.wraps), (Some(false), true));
    assert_eq!(ask(&text, "least", Options::default()).is_found(), Some(true));
    assert_eq!(ask(&text, "divided", Options::default()).is_found(), Some(true));
}

#[test]
fn scopes_say_how_many_atoms_there_are() {
    assert!(is_found("sig A {} run { #A = 3 }"));
    assert!(!is_found("sig A {} run { #A = 4 }"));
    assert!(is_found("sig A {} run { #A = 4 } for 4"));
    assert!(!is_found("sig A {} run { no A } for exactly 2 A"));
    assert!(is_found(
        "abstract sig A {} sig B, C extends A {} run { #B = 2 and #A = 3 } for 3 but 2 B"
    ));
    assert!(!is_found("abstract sig A {} sig B, C extends A {} run { #C = 2 } for 3 A, 2 B"));
    assert!(is_found("var sig A {} run { eventually no A and some A } for 2 A"));
    assert!(!is_found(
        "var sig A {} run { some x, y : univ | x != y and x + y in A } for 1 A, 4 Int"
            .replace("x + y in A", "(eventually x in A) and (eventually y in A)")
            .as_str()
    ));
    assert!(is_found("enum E { P, Q, R } run { first = P and last = R and P.next = Q }"));
    assert!(!is_found("enum E { P, Q, R } run { first = Q }"));
}

#[test]
fn sets_and_relations_can_be_looked_for() {
    assert!(is_found("sig A {} run { some s : set A | #s = 2 }"));
    assert!(is_found("sig A {} run { some r : A -> A | #r = 5 and no r & iden } for 3"));
    assert!(!is_found("sig A {} check { all s : set A | s in A } for 3"));
    assert!(is_found("sig A {} run { all s : set A | some t : set A | t = A - s } for 2"));
    assert!(is_found("sig A {} pred p [s : set A, a : A] { a not in s and some s } run p for 2"));
}

#[test]
fn arguments_change_with_time_where_they_stand() {
    let text = "sig A {} var sig B in A {}
        pred stays [s : set A] { always some s and eventually s != B' }
        run { stays[B] } for 2";
    assert!(is_found(text));
    let text = "sig A {} var sig B in A {} pred gone [s : set A] { eventually no s } run { some B and gone[B] }";
    assert!(is_found(text));
}

#[test]
fn contradictions_are_told_as_places() {
    let text = "sig A { f : one A }\nfact { all a : A | a.f = a }\nfact { some A }\nrun r { no f }";
    let text = world(text).unwrap_or_else(|shown| panic!("{shown}"));
    let answer = ask(&text, "r", Options { core: true, ..Options::default() });
    assert_eq!(answer.is_found(), Some(false));
    assert!(!answer.core.is_empty());
    assert!(answer.core.len() <= 3, "{:?}", answer.core);
}

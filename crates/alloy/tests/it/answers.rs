//! Commands have their answers: of published models, and of small texts about what is easily wrong.

use quadrille_alloy::{Answer, Engine, Options, Question, Reach, World, answer as answer_of};
use quadrille_workshop::conformance;
use quadrille_workshop::shared::{self, text};

use crate::world;

fn ask(world: &World, name: &str, options: Options) -> Answer {
    let command = world.commands.iter().find(|command| command.name == name);
    let command = command.unwrap_or_else(|| panic!("no command {name}"));
    let question = Question { options, ..Question::default() };
    answer_of(world, command, &question).expect("an answer")
}

fn is_found(text: &str) -> bool {
    let world = world(text).unwrap_or_else(|shown| panic!("{text}\n{shown}"));
    let question = Question::default();
    let answer = answer_of(&world, &world.commands[0], &question).expect("an answer");
    answer.is_found().expect("nothing stops it")
}

#[conformance]
fn published_models_have_their_verdicts_and_shortest_counterexamples() {
    let folder = shared::path("relational/models");
    let (mut proved, mut explored) = (0, 0);
    for line in text(&folder.join("expected.tsv")).lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let model = text(&folder.join(columns[0]));
        let model = world(&model).unwrap_or_else(|shown| panic!("{}\n{shown}", columns[0]));
        let answer = ask(&model, columns[1], Options::default());
        let length = answer.instances.first().map(|instance| instance.length().to_string());
        let expected = columns.get(7).copied().filter(|text| !text.is_empty());
        assert_eq!(length.as_deref(), expected, "{line}");
        proved += usize::from(answer.reach == Some(Reach::Everything));
        let both = Question { engine: Engine::Both, ..Question::default() };
        let command = model.commands.iter().find(|command| command.name == columns[1]);
        let both = answer_of(&model, command.expect("a command"), &both).expect("they agree");
        assert_eq!(both.is_found(), answer.is_found(), "{line}");
        explored += usize::from(both.explored.is_some());
    }
    assert_eq!((proved, explored), (10, 10), "all that holds holds for every length");
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

/// Appendix A says that there is none. There is one in which `size` and `MaxOverflow` do not fit, and
/// one of ten states in which everything does, which takes too long for a test: see docs/benchmarks.md.
#[conformance]
fn workers_are_too_many_where_their_bound_wraps_around() {
    let pool = text(&shared::path("relational").join("poolboy.als"));
    let pool = world(&pool).unwrap_or_else(|shown| panic!("{shown}"));
    let beyond = ask(&pool, "maximum_workers", Options::default());
    assert_eq!((beyond.is_found(), beyond.wraps), (Some(true), true));
}

#[test]
fn what_quantifiers_chose_is_shown() {
    let text = "sig A { f : set A }
        check mutual { all x, y : A | x in y.f implies y in x.f } for 2
        pred beside [u : A, s : set A] { u in s and some v : s - u | v in u.f }
        run beside for 2";
    let text = world(text).unwrap_or_else(|shown| panic!("{shown}"));
    for (command, names) in [("mutual", vec!["$x", "$y"]), ("beside", vec!["$s", "$u", "$v"])] {
        let answer = ask(&text, command, Options::default());
        let shown = answer.instances[0].skolems.iter().map(|it| it.name.as_str());
        assert_eq!(shown.collect::<Vec<_>>(), names);
    }
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
    assert_eq!(avoided.is_found(), Some(false));
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
    assert!(is_found("sig A {} run { always some A } for 2 but 1..4 steps"));
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

#[test]
fn fairness_is_kept_in_runs_of_every_length() {
    let text = "abstract sig P {} one sig X, Y extends P {} var one sig turn in P {}
        fact { turn = X and always (turn' = turn or turn' = P - turn) }
        fact fair { always eventually turn = Y }
        check waits { always eventually turn = Y } for 3
        check back { always (turn = Y implies eventually turn = X) } for 3
        run never { always turn = X } for 3
        check late { not eventually (turn = Y and after always turn = Y) } for 3 but 1..1 steps";
    let text = world(text).unwrap_or_else(|shown| panic!("{shown}"));
    let explicit = |name: &str| {
        let command = text.commands.iter().find(|command| command.name == name).expect("known");
        let question = Question { engine: Engine::Explicit, ..Question::default() };
        answer_of(&text, command, &question).expect("an answer")
    };
    assert_eq!(explicit("waits").explored, Some((2, 4)));
    assert_eq!(explicit("back").is_found(), Some(true));
    assert_eq!(explicit("never").reach, Some(Reach::Everything));
    // Within one step there is none, and the answer says that there is a longer one.
    let late = ask(&text, "late", Options::default());
    assert_eq!(late.reach, Some(Reach::Steps(1)));
    assert!(late.longer.is_some_and(|n| n > 1), "{late:?}");
}

#[test]
fn traces_say_what_happens() {
    let by_predicates = "sig N { var at : lone N }
        pred move [n, m : N] { no n.at and n.at' = m and others[n] }
        pred others [n : N] { all o : N - n | o.at' = o.at }
        pred rest { at' = at }
        fact { no at and always (rest or some n, m : N | move[n, m]) }
        run { some at ; always rest } for exactly 2 N
        run moved { after some at } for exactly 1 N";
    let text = world(by_predicates).unwrap_or_else(|shown| panic!("{shown}"));
    let moved = ask(&text, "moved", Options::default());
    assert_eq!(
        moved.instances[0].events,
        [vec!["move[N$0, N$0]".to_owned()], vec!["rest".to_owned()]]
    );
    let by_signatures = "one var abstract sig Event {}
        var sig Up, Down extends Event {} one sig X { var up : lone X }
        var sig Set extends Event { var of : X } { up' = X -> of }
        fact { no up and always (some Up implies up' = up) and always (some Down implies no up') }
        run ups { some Set ; always some Up } for 3 Event";
    let text = world(by_signatures).unwrap_or_else(|shown| panic!("{shown}"));
    let ups = ask(&text, "ups", Options::default());
    assert_eq!(ups.instances[0].events[..2], [vec!["Set[X$0]".to_owned()], vec!["Up".to_owned()]]);
}

#[test]
fn numbers_need_no_module() {
    assert!(is_found("run { plus[3, 4] = 7 and integer/max = 7 and some x : Int | x.gt[6] }"));
    assert!(is_found(
        "sig A { f : set A } pred gt [a, b : A] { b in a.f } run { gt[A, A] and gt[3, 2] } for 1"
    ));
    assert!(is_found("pred pos { no none } run pos"));
    // Only as many bits of the second number count as the width needs.
    assert!(is_found("run { 1 << 5 = 2 and -8 >> 7 = -1 and -8 >>> 3 = 1 and 1 << 4 = 1 }"));
    assert!(is_found("run { 1 << 8 = 1 and 1 << 5 = 0 and 1 << -1 = 0 } for 3 but 5 Int"));
    assert!(world("fun plus [a, b : Int] : Int { a } run { plus[3, 4] = 3 }").is_err());
}

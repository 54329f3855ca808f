//! The fast algorithms against the definitions on random tables, and how differences read.

mod oracle;

use expect_test::{Expect, expect};
use quadrille_model::{Bound, Ending, Explicit, ExplicitBuilder, StateId};
use quadrille_workshop::Choices;
use quadrille_workshop::tables::{Shape, mutated, table as random_table};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Bisimulation, Comparison, Difference, Observation, Relation, Side, View, compare,
    minimal_automaton, quotient,
};
use crate::limits::{Limits, unobserved};
use oracle::Oracle;

const KINDS: [Bisimulation; 3] =
    [Bisimulation::Strong, Bisimulation::Branching, Bisimulation::Weak];

/// The quotient, without limits.
fn small(table: &Explicit, kind: Bisimulation, view: &View) -> Explicit {
    quotient(table, kind, view, Limits::default(), &mut unobserved).expect("no limit")
}

#[test]
fn item_10_limits_act_on_comparisons() {
    let mut builder = ExplicitBuilder::default();
    let step = builder.action("a");
    for number in 0..2_000 {
        builder.edge(StateId::new(number), step, StateId::new(number + 1));
    }
    let chain = builder.initial(StateId::new(0)).clone().build();
    let limits = Limits { memory: Some(50_000), ..Limits::default() };
    let mut stop = |_: &crate::Progress| std::ops::ControlFlow::Break(Bound::Interrupted);
    for kind in [Bisimulation::Strong, Bisimulation::Branching, Bisimulation::Weak] {
        let relation = Relation::Bisimilar(kind);
        let view = View::default();
        let compared = compare(&chain, &chain, relation, &view, limits, &mut unobserved);
        assert_eq!(compared, Comparison::Unknown(Bound::Memory(50_000)), "{kind:?}");
        let compared = compare(&chain, &chain, relation, &view, Limits::default(), &mut stop);
        assert_eq!(compared, Comparison::Unknown(Bound::Interrupted), "{kind:?}");
        assert_eq!(
            quotient(&chain, kind, &view, limits, &mut unobserved),
            Err(Bound::Memory(50_000))
        );
    }
}

/// What is allocated at a time while two tables are compared, as the observer sees it.
#[test]
fn item_10_comparisons_count_what_they_allocate() {
    let mut builder = ExplicitBuilder::default();
    let steps: Vec<_> = (0..10).map(|number| builder.action(number.to_string())).collect();
    for from in 0..2_000 {
        for (number, step) in steps.iter().enumerate() {
            let to = (from * 7 + number as u32 * 13) % 2_000;
            builder.edge(StateId::new(from), *step, StateId::new(to));
        }
    }
    let table = builder.initial(StateId::new(0)).clone().build();
    for kind in KINDS {
        let mut peak = 0;
        let mut see = |progress: &crate::Progress| {
            peak = peak.max(progress.bytes);
            unobserved(progress)
        };
        let relation = Relation::Bisimilar(kind);
        let (view, none) = (View::default(), Limits::default());
        assert_eq!(compare(&table, &table, relation, &view, none, &mut see), Comparison::Holds);
        // Both tables, both joined, and that backwards: eight bytes per edge each.
        let edges = 2 * table.n_edges() as u64 * 8;
        assert!(peak > 3 * edges && peak < 10 * edges, "{kind:?}: {peak} for {edges}");
        let less = Limits { memory: Some(peak - 1), ..none };
        let stopped = compare(&table, &table, relation, &view, less, &mut unobserved);
        assert_eq!(stopped, Comparison::Unknown(Bound::Memory(peak - 1)), "{kind:?}");
        let enough = Limits { memory: Some(peak), ..none };
        let compared = compare(&table, &table, relation, &view, enough, &mut unobserved);
        assert_eq!(compared, Comparison::Holds, "{kind:?}");
    }
}

fn internal_i() -> View {
    View { internal: ["i".to_owned()].into(), ..View::default() }
}

fn compared(left: &Explicit, right: &Explicit, relation: Relation, view: &View) -> Comparison {
    compare(left, right, relation, view, Limits::default(), &mut unobserved)
}

/// Edges as `from label to`, ends as `!state`, separated by `;`. The first state named is initial.
fn table(text: &str) -> Explicit {
    let mut builder = ExplicitBuilder::default();
    let mut actions = FxHashMap::default();
    let state = |word: &str| StateId::new(word.parse().expect("a state"));
    for (position, part) in text.split(';').enumerate() {
        let words: Vec<&str> = part.split_whitespace().collect();
        let first = match words.as_slice() {
            [end] => {
                let end = state(end.trim_start_matches('!'));
                builder.end(end);
                end
            }
            [from, label, to] => {
                let action =
                    *actions.entry(label.to_string()).or_insert_with(|| builder.action(*label));
                builder.edge(state(from), action, state(to));
                state(from)
            }
            _ => panic!("not a part of a table: {part}"),
        };
        if position == 0 {
            builder.initial(first);
        }
    }
    builder.build()
}

fn show_table(table: &Explicit) -> String {
    let mut parts = Vec::new();
    for from in table.states() {
        for &(action, to) in table.edges(from) {
            let label = &table.labels()[action.index()];
            parts.push(format!("{} {label} {}", from.number(), to.number()));
        }
        if table.is_end(from) {
            parts.push(format!("!{}", from.number()));
        }
    }
    parts.join("; ")
}

fn show(comparison: &Comparison) -> String {
    let observations =
        |list: &[Observation]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match comparison {
        Comparison::Holds => "holds".to_owned(),
        Comparison::Unknown(bound) => format!("unknown: {bound:?}"),
        Comparison::Differs(Difference::Word(word)) => {
            let ending = word.run.ending;
            format!("{:?} can {} ({ending:?})", word.side, observations(&word.observations))
        }
        Comparison::Differs(Difference::Formulas { side, formulas }) => {
            let formulas: Vec<String> = formulas.iter().map(ToString::to_string).collect();
            format!("{side:?} {}", formulas.join(" and "))
        }
        Comparison::Differs(Difference::Moves(moves)) => format!("differ after {moves} moves"),
    }
}

#[track_caller]
fn check(left: &str, right: &str, relation: Relation, expected: &Expect) {
    let comparison = compared(&table(left), &table(right), relation, &internal_i());
    expected.assert_eq(&show(&comparison));
}

const STRONG: Relation = Relation::Bisimilar(Bisimulation::Strong);
const BRANCHING: Relation = Relation::Bisimilar(Bisimulation::Branching);
const WEAK: Relation = Relation::Bisimilar(Bisimulation::Weak);

const FREE: &str = "0 coin 1; 1 tea 0; 1 coffee 0";
const MEAN: &str = "0 coin 1; 0 coin 2; 1 tea 0; 2 coffee 0";

#[test]
fn a_vending_machine_that_chooses_for_you() {
    check(FREE, MEAN, Relation::SameTraces, &expect!["holds"]);
    for kind in KINDS {
        check(
            FREE,
            MEAN,
            Relation::Bisimilar(kind),
            &expect![[r#"Left can do "coin" then (can do "coffee" and can do "tea")"#]],
        );
    }
}

#[test]
fn a_missing_trace_is_shown_with_its_run() {
    let small = "0 a 1; 1 i 2; 2 b 0; !1";
    let large = "0 a 1; 1 b 0; 1 c 0; !1";
    check(small, large, Relation::TracesIncluded, &expect!["holds"]);
    check(
        large,
        small,
        Relation::TracesIncluded,
        &expect![[r#"Left can do "a", do "c" (Prefix)"#]],
    );
    check(small, large, WEAK, &expect![[r#"Right can do "a", do "c" (Prefix)"#]]);
    check(
        "0 a 1; !1",
        "0 a 1; 1 i 2",
        Relation::SameTraces,
        &expect![[r#"Left can do "a", end (Finished)"#]],
    );
    check("!0", "0 i 1; !1", BRANCHING, &expect!["holds"]);
}

#[test]
fn branching_bisimulation_sees_what_is_possible_on_the_way() {
    // Milner's third law for internal steps holds for weak bisimulation only.
    let left = "0 a 1; 1 b 3; 1 i 2; 2 c 3";
    let right = "0 a 1; 1 b 3; 1 i 2; 2 c 3; 0 a 4; 4 c 3";
    check(left, right, WEAK, &expect!["holds"]);
    check(left, right, BRANCHING, &expect![[r#"Right can do "a" then (cannot do "b")"#]]);
    check(left, right, STRONG, &expect![[r#"Right can do "a", do "c" (Prefix)"#]]);
    // Both can do everything at the start; only one can leave "b" behind without being able to do
    // "a" at once.
    let early = "0 a 3; 0 i 1; 1 b 3; 1 i 2; 2 c 3";
    let late = "0 a 3; 0 i 1; 1 b 3; 1 i 2; 2 c 3; 0 i 2";
    check(early, late, WEAK, &expect!["holds"]);
    check(
        early,
        late,
        BRANCHING,
        &expect![[
            r#"Right can, while it can do "a", step internally then (cannot do "a" and cannot do "b")"#
        ]],
    );
}

#[test]
fn divergence_counts_on_request() {
    let (calm, busy) = (table("0 a 1"), table("0 a 1; 1 i 1"));
    let watchful = View { divergence: true, ..internal_i() };
    assert_eq!(compared(&calm, &busy, BRANCHING, &internal_i()), Comparison::Holds);
    let difference = compared(&calm, &busy, BRANCHING, &watchful);
    expect![[r#"Right can do "a", step internally for ever (Loop { from: 1 })"#]]
        .assert_eq(&show(&difference));
}

#[test]
fn systems_that_cannot_start() {
    let nothing = ExplicitBuilder::default().build();
    let something = table("0 a 0");
    for relation in [Relation::SameTraces, WEAK] {
        assert_eq!(compared(&nothing, &nothing, relation, &View::default()), Comparison::Holds);
        let Comparison::Differs(Difference::Word(word)) =
            compared(&nothing, &something, relation, &View::default())
        else {
            panic!("one can start, the other cannot");
        };
        assert_eq!((word.side, word.observations), (Side::Right, vec![]));
    }
}

#[test]
fn quotients_and_automata_are_written_breadth_first() {
    let given = table("0 a 1; 0 a 2; 1 i 3; 3 i 1; 2 b 4; 3 b 5; !4; 5 i 6; !6");
    let small = |kind| show_table(&small(&given, kind, &internal_i()));
    expect!["0 a 1; 0 a 2; 1 i 3; 2 b 4; 3 i 1; 3 b 5; !4; 5 i 4"]
        .assert_eq(&small(Bisimulation::Strong));
    expect!["0 a 1; 1 b 2; !2"].assert_eq(&small(Bisimulation::Branching));
    expect!["0 a 1; 1 b 2; !2"].assert_eq(&small(Bisimulation::Weak));
    let given = table("0 a 1; 0 a 2; 1 b 1; 1 c 3; 2 b 2; 2 d 3; !3");
    let minimal = minimal_automaton(&given, &View::default(), Limits::default(), &mut unobserved);
    expect!["0 a 1; 1 b 1; 1 c 2; 1 d 2; !2"].assert_eq(&show_table(&minimal.expect("no limit")));
}

#[test]
fn limits_make_traces_unknown() {
    // The n-th letter from the end is an a: 2^n sets of states.
    let mut builder = ExplicitBuilder::default();
    let [a, b] = ["a", "b"].map(|label| builder.action(label));
    let [zero, one] = [0, 1].map(StateId::new);
    builder.initial(zero).edge(zero, a, zero).edge(zero, b, zero).edge(zero, a, one);
    for state in 1..20 {
        let [from, to] = [state, state + 1].map(StateId::new);
        builder.edge(from, a, to).edge(from, b, to);
    }
    builder.end(StateId::new(20));
    let hard = builder.build();
    let limits = Limits { states: Some(100), ..Limits::default() };
    let view = View::default();
    assert!(minimal_automaton(&hard, &view, limits, &mut unobserved).is_err());
    let [free, mean] = [FREE, MEAN].map(table);
    let limits = Limits { states: Some(1), ..Limits::default() };
    let comparison = compare(&free, &mean, Relation::SameTraces, &view, limits, &mut unobserved);
    expect!["unknown: States(1)"].assert_eq(&show(&comparison));
}

/// A pair of tables and a view; half of the pairs are nearly alike. The label "i" is meant to be
/// internal.
fn random_pair(choices: &mut Choices) -> (Explicit, Explicit, View) {
    let n_labels = 2 + choices.below(3);
    let shape = Shape {
        max_states: 5,
        labels: &["i", "a", "b", "c"][..n_labels],
        max_initial: 2,
        ..Shape::default()
    };
    let left = random_table(choices, &shape);
    let right =
        if choices.coin() { mutated(choices, &left) } else { random_table(choices, &shape) };
    let view = View { endings: !choices.once_in(3), divergence: choices.coin(), ..internal_i() };
    (left, right, view)
}

#[test]
fn bisimulations_agree_with_their_definitions() {
    let mut n_formulas = [0; 3];
    quadrille_workshop::check(4000, |choices| {
        let (left, right, view) = random_pair(choices);
        let oracle = Oracle::new(&[&left, &right], &view);
        for (position, kind) in KINDS.into_iter().enumerate() {
            let comparison = compared(&left, &right, Relation::Bisimilar(kind), &view);
            let context = format!("{kind:?}: {}", show(&comparison));
            assert_eq!(comparison == Comparison::Holds, oracle.bisimilar(kind), "{context}");
            match comparison {
                Comparison::Holds => {}
                Comparison::Unknown(_) => panic!("{context}"),
                Comparison::Differs(difference) => {
                    check_difference(&oracle, &difference, kind, &context);
                    if let Difference::Formulas { .. } = difference {
                        n_formulas[position] += 1;
                    }
                }
            }
        }
    });
    assert!(n_formulas.iter().all(|&n| n > 50), "too few formulas were tested: {n_formulas:?}");
}

fn check_difference(
    oracle: &Oracle<'_>,
    difference: &Difference,
    kind: Bisimulation,
    context: &str,
) {
    match difference {
        Difference::Word(word) => {
            let own = word.side.of(0, 1);
            assert!(oracle.has_trace(own, &word.observations, kind), "{context}");
            assert!(!oracle.has_trace(1 - own, &word.observations, kind), "{context}");
            if let Some(Observation::Divergence) = word.observations.last() {
                assert!(matches!(word.run.ending, Ending::Loop { .. }), "{context}");
            }
        }
        Difference::Formulas { side, formulas } => {
            let own = side.of(0, 1);
            let true_in = |point| formulas.iter().all(|formula| oracle.holds(formula, point, kind));
            assert!(oracle.initial(own).into_iter().any(true_in), "{context}");
            assert!(!oracle.initial(1 - own).into_iter().any(true_in), "{context}");
            for own in [0, 1] {
                assert_eq!(oracle.shortest_missing(own, 4, kind), None, "{context}");
            }
        }
        Difference::Moves(_) => panic!("{context}: small systems have short formulas"),
    }
}

#[test]
fn traces_agree_with_their_definition() {
    const LONGEST: usize = 5;
    quadrille_workshop::check(2000, |choices| {
        let (left, right, view) = random_pair(choices);
        let view = View { divergence: false, ..view };
        let oracle = Oracle::new(&[&left, &right], &view);
        let included = |own| oracle.shortest_missing(own, LONGEST, Bisimulation::Weak);
        let (of_left, of_right) = (included(0), included(1));
        let shortest = match (&of_left, &of_right) {
            (Some(l), Some(r)) => Some(l.len().min(r.len())),
            (one, other) => one.as_ref().or(other.as_ref()).map(Vec::len),
        };
        let expected = [
            (Relation::TracesIncluded, of_left.map(|word| word.len())),
            (Relation::SameTraces, shortest),
        ];
        for (relation, expected) in expected {
            let comparison = compared(&left, &right, relation, &view);
            let context = format!("{relation:?}: {}", show(&comparison));
            match comparison {
                Comparison::Holds => assert_eq!(expected, None, "{context}"),
                Comparison::Differs(Difference::Word(word)) => {
                    assert_eq!(
                        expected.unwrap_or(word.observations.len()),
                        word.observations.len()
                    );
                    assert!(expected.is_some() || word.observations.len() > LONGEST, "{context}");
                    let difference = Difference::Word(word);
                    check_difference(&oracle, &difference, Bisimulation::Weak, &context);
                }
                _ => panic!("{context}"),
            }
        }
    });
}

#[test]
fn quotients_are_equivalent_and_smallest() {
    quadrille_workshop::check(2000, |choices| {
        let (table, _, view) = random_pair(choices);
        for kind in KINDS {
            let small = small(&table, kind, &view);
            let context = format!("{kind:?}: {}", show_table(&small));
            let oracle = Oracle::new(&[&table, &small], &view);
            assert!(oracle.bisimilar(kind), "{context}");
            let n_classes = Oracle::new(&[&table], &view).n_reachable_classes(kind);
            assert_eq!(small.n_states(), n_classes, "{context}");
        }
    });
}

#[test]
fn minimal_automata_are_deterministic_equivalent_and_smallest() {
    quadrille_workshop::check(2000, |choices| {
        let (table, _, view) = random_pair(choices);
        let view = View { divergence: false, ..view };
        let minimal = minimal_automaton(&table, &view, Limits::default(), &mut unobserved);
        let minimal = minimal.expect("no limit");
        let context = show_table(&minimal);
        for state in minimal.states() {
            let mut labels = FxHashSet::default();
            for (action, _) in minimal.edges(state) {
                let label = &minimal.labels()[action.index()];
                assert!(!view.internal.contains(label) && labels.insert(label), "{context}");
            }
        }
        let oracle = Oracle::new(&[&table, &minimal], &view);
        for own in [0, 1] {
            assert_eq!(oracle.shortest_missing(own, 4, Bisimulation::Weak), None, "{context}");
        }
        let same = compared(&table, &minimal, Relation::SameTraces, &view);
        assert_eq!(same, Comparison::Holds, "{context}");
        let classes = Oracle::new(&[&minimal], &view).n_reachable_classes(Bisimulation::Strong);
        assert_eq!(classes, minimal.n_states(), "{context}");
    });
}

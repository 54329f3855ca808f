//! Labelling against iterated fixpoints on random tables and formulas, evidence against a second
//! evaluation, and what verdicts look like.

mod oracle;

use expect_test::{Expect, expect};
use quadrille_logic::{AtomId, Binary, Formula, Path, Unary};
use quadrille_model::{
    Action, ActionId, Bound, Ending, Explicit, ExplicitBuilder, StateId, Verdict,
};
use quadrille_workshop::Choices;
use quadrille_workshop::formulas::branching;
use quadrille_workshop::tables::{Shape, table};

use super::check_ctl;
use crate::limits::{Limits, unobserved};
use crate::{Error, Graph, Interpretation, Meaning};
use oracle::{Atom, Oracle};

/// A table whose labels are "a0", "a1", … so that a test can match an action by its label.
fn random_table(choices: &mut Choices) -> Explicit {
    let shape = Shape {
        labels: &["a0", "a1", "a2"],
        propositions: &["p", "q"],
        max_initial: 2,
        ..Shape::default()
    };
    table(choices, &shape)
}

fn atoms() -> [Atom; 4] {
    [
        Atom::Proposition(quadrille_model::PropositionId::new(0)),
        Atom::Proposition(quadrille_model::PropositionId::new(1)),
        Atom::Action(ActionId::new(0)),
        Atom::Action(ActionId::new(1)),
    ]
}

fn interpretation(atoms: &[Atom]) -> Interpretation<'static> {
    let meanings = atoms.iter().map(|atom| match *atom {
        Atom::Proposition(proposition) => Meaning::Proposition(proposition),
        Atom::Action(action) => {
            let label = format!("a{}", action.number());
            Meaning::Action(Box::new(move |action: &Action| action.label == label))
        }
    });
    Interpretation::new(meanings.collect())
}

fn random_atom(choices: &mut Choices) -> Formula {
    Formula::atom(AtomId::from_usize(choices.below(4)))
}

fn verdict(table: &Explicit, formula: &Formula) -> Verdict {
    checked(&mut Graph::new(table), formula, &interpretation(&atoms())).expect("branching time")
}

fn checked(
    graph: &mut Graph<'_>,
    formula: &Formula,
    interpretation: &Interpretation<'_>,
) -> Result<Verdict, Error> {
    let report = check_ctl(graph, formula, interpretation, Limits::default(), &mut unobserved)?;
    Ok(report.verdict)
}

#[test]
fn labelling_agrees_with_iterated_fixpoints() {
    let (mut n_violated, mut n_shown) = (0, 0);
    quadrille_workshop::check(6000, |choices| {
        let table = random_table(choices);
        let atoms = atoms();
        let oracle = Oracle::new(&table, &atoms);
        let mut graph = Graph::new(&table);
        for _ in 0..3 {
            let formula = branching(choices, 4, 4);
            let verdict = checked(&mut graph, &formula, &interpretation(&atoms));
            let verdict = verdict.expect("branching");
            let expected = oracle.is_true(&formula);
            assert_eq!(verdict == Verdict::Holds, expected, "{formula:?}");
            n_violated += u32::from(!expected);
            n_shown += u32::from(matches!(verdict, Verdict::Violated(Some(_))));
        }
    });
    assert!(n_violated > 5000 && n_shown > 2000, "{n_violated} violated, {n_shown} shown");
}

/// A formula that one run refutes where it fails.
fn random_linear(choices: &mut Choices, depth: u32) -> Formula {
    let plain = |choices: &mut Choices| match choices.below(3) {
        0 => !random_atom(choices),
        1 => Formula::and([random_atom(choices), random_atom(choices)]),
        _ => random_atom(choices),
    };
    let all = |operator, operand| Formula::Unary(Path::All, operator, Box::new(operand));
    if depth == 0 {
        return plain(choices);
    }
    match choices.below(7) {
        0 => all(Unary::Next, random_linear(choices, depth - 1)),
        1 | 2 => all(Unary::Always, random_linear(choices, depth - 1)),
        3 => all(Unary::Eventually, plain(choices)),
        4 => Formula::Binary(
            Path::All,
            Binary::Until,
            Box::new(plain(choices)),
            Box::new(plain(choices)),
        ),
        5 => plain(choices).implies(random_linear(choices, depth - 1)),
        _ => Formula::and([plain(choices), random_linear(choices, depth - 1)]),
    }
}

#[test]
fn evidence_refutes_the_formula_by_itself() {
    let mut endings = [0; 4];
    quadrille_workshop::check(20_000, |choices| {
        let table = random_table(choices);
        let formula = random_linear(choices, 3);
        match verdict(&table, &formula) {
            Verdict::Holds => {}
            Verdict::Violated(Some(trace)) => {
                let atoms = atoms();
                let refutes = Oracle::new(&table, &atoms).refutes(&trace, &formula);
                assert!(refutes, "{formula:?} {trace:?}");
                endings[match trace.ending {
                    Ending::Prefix => 0,
                    Ending::Stuck => 1,
                    Ending::Finished => 2,
                    Ending::Loop { .. } => 3,
                }] += 1;
            }
            other => panic!("{formula:?} {other:?}"),
        }
    });
    assert!(endings.iter().all(|&n| n > 300), "too few of some kind: {endings:?}");
}

/// States 0 to 3: 0 -a0-> 1 -a1-> 2 -a0-> 0, 1 -a1-> 3. State 3 is stuck; in 2 the system may stop.
fn small() -> Explicit {
    let mut builder = ExplicitBuilder::default();
    let [a0, a1] = ["a0", "a1"].map(|label| builder.action(label));
    let p = builder.proposition("p");
    builder.proposition("q");
    let [zero, one, two, three] = [0, 1, 2, 3].map(StateId::new);
    builder.initial(zero).edge(zero, a0, one).edge(one, a1, two).edge(two, a0, zero);
    builder.edge(one, a1, three).end(two).holds(zero, p).holds(one, p);
    builder.build()
}

#[track_caller]
fn check(formula: &Formula, expected: &Expect) {
    let shown = match verdict(&small(), formula) {
        Verdict::Holds => "holds".to_owned(),
        Verdict::Violated(None) => "violated".to_owned(),
        Verdict::Unknown(bound) => format!("unknown: {bound:?}"),
        Verdict::Violated(Some(trace)) => {
            let steps = trace.steps.iter();
            let steps: String =
                steps.map(|s| format!(" -a{}-> {}", s.action.number(), s.state[0])).collect();
            format!("violated: {}{steps}, {:?}", trace.initial[0], trace.ending)
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn verdicts_come_with_the_shortest_way_to_the_fault() {
    use Path::{All, Some};
    let unary = |path, operator, operand| Formula::Unary(path, operator, Box::new(operand));
    let [p, _, a0, a1] = [0, 1, 2, 3].map(|atom| Formula::atom(AtomId::from_usize(atom)));
    check(&unary(All, Unary::Always, p.clone()), &expect!["violated: 0 -a0-> 1 -a1-> 2, Prefix"]);
    check(&unary(All, Unary::Eventually, a1.clone()), &expect!["holds"]);
    let response = a1.clone().implies(unary(All, Unary::Eventually, a0.clone()));
    check(&unary(All, Unary::Always, response), &expect!["violated: 0 -a0-> 1 -a1-> 2, Finished"]);
    check(&unary(All, Unary::Eventually, !p.clone()), &expect!["holds"]);
    check(&unary(All, Unary::Next, a1.clone()), &expect!["violated: 0 -a0-> 1, Prefix"]);
    check(&unary(Some, Unary::Next, a1.clone()), &expect!["violated"]);
    check(
        &unary(All, Unary::Always, unary(Some, Unary::Eventually, p.clone())),
        &expect!["violated: 0 -a0-> 1 -a1-> 3, Prefix"],
    );
    let earlier = a1.implies(unary(All, Unary::Once, a0));
    check(&unary(All, Unary::Always, earlier), &expect!["holds"]);
    let start = unary(All, Unary::Previous, Formula::False);
    check(&start, &expect!["holds"]);
    check(&unary(All, Unary::Next, start), &expect!["violated: 0 -a0-> 1, Prefix"]);
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let table = small();
    let limits = Limits { states: Some(2), ..Limits::default() };
    let known = interpretation(&atoms());
    let stopped =
        check_ctl(&mut Graph::new(&table), &Formula::True, &known, limits, &mut unobserved);
    assert_eq!(stopped.map(|report| report.verdict), Ok(Verdict::Unknown(Bound::States(2))));
    let mut graph = Graph::new(&table);
    let meanings =
        [7].map(|number| Meaning::Proposition(quadrille_model::PropositionId::new(number)));
    let interpretation = Interpretation::new(Vec::from(meanings));
    let [first, second] = [0, 1].map(|atom| Formula::atom(AtomId::from_usize(atom)));
    let unknown = checked(&mut graph, &first, &interpretation);
    assert!(matches!(unknown, Err(Error::UnknownProposition(_))));
    let unknown = checked(&mut graph, &second, &interpretation);
    assert!(matches!(unknown, Err(Error::UnknownAtom(_))));
    let linear = Formula::unary(Unary::Always, Formula::True);
    assert_eq!(checked(&mut graph, &linear, &interpretation), Err(Error::Linear));
    assert_eq!(checked(&mut graph, &Formula::True, &known), Ok(Verdict::Holds));
    let counts = graph.counts();
    assert_eq!((counts.states, counts.transitions, counts.deadlocks), (4, 4, 1));
}

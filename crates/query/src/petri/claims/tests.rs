//! Claims with every operator mean the same to the engines and, as formulas of the contest, to the portfolio.

use quadrille_diagnostic::SourceId;
use quadrille_engine::{
    Graph, Interpretation, LtlOptions, Meaning, check_ctl, check_ltl, unobserved,
};
use quadrille_logic::{AtomId, Kind};
use quadrille_model::{PropositionId, Verdict};
use quadrille_petri::{PlaceId, Slots, bounds, read_pnml, semiflows};
use quadrille_workshop::{Choices, check};

use super::*;
use crate::Unwatched;
use crate::petri::{Exam, Found, Settings, Task, TaskKind, examine};

/// Nets with dead markings, without, and with a choice between a loop and an end.
const NETS: [&str; 3] = [
    "a:1 b:0 c:2; t a>b, u b>a, v bc>a",
    "a:2 b:0 c:0; t a>b, u b>c, v c>a",
    "a:1 b:1 c:0; t a>a, u ab>c, v c>b",
];

/// A net from `place:tokens …; transition places>places, …`, as a file.
fn pnml(net: &str) -> String {
    let (places, transitions) = net.split_once(';').expect("places and transitions");
    let mut text = "<pnml><net id='n' type='ptnet'><page id='g'>".to_owned();
    for place in places.split_whitespace() {
        let (id, tokens) = place.split_once(':').expect("a name and tokens");
        text += &format!(
            "<place id='{id}'><initialMarking><text>{tokens}</text></initialMarking></place>"
        );
    }
    for transition in transitions.split(',') {
        let (id, arcs) = transition.trim().split_once(' ').expect("a name and arcs");
        let (take, put) = arcs.split_once('>').expect("what is taken and put");
        text += &format!("<transition id='{id}'/>");
        for place in take.chars() {
            text += &format!("<arc id='{id}{place}1' source='{place}' target='{id}'/>");
        }
        for place in put.chars() {
            text += &format!("<arc id='{id}{place}2' source='{id}' target='{place}'/>");
        }
    }
    text + "</page></net></pnml>"
}

fn logic(choices: &mut Choices, depth: usize, is_linear: bool) -> Logic {
    let atom = |choices: &mut Choices| Logic::atom(AtomId::from_usize(choices.below(3)));
    if depth == 0 {
        return atom(choices);
    }
    let mut part = || Box::new(logic(choices, depth - 1, is_linear));
    let (one, other) = (part(), part());
    let path = match choices.below(2) {
        _ if is_linear => Path::This,
        0 => Path::All,
        _ => Path::Some,
    };
    match choices.below(12) {
        0 => atom(choices),
        1 => !*one,
        2 => Logic::and([*one, *other]),
        3 => Logic::or([*one, *other]),
        4 => Logic::Implies(one, other),
        5 => Logic::Iff(one, other),
        6 => Logic::Unary(path, Unary::Next, one),
        7 => Logic::Unary(path, Unary::Always, one),
        8 => Logic::Unary(path, Unary::Eventually, one),
        9 => Logic::Binary(path, Binary::Until, one, other),
        10 => Logic::Binary(path, Binary::Release, one, other),
        _ => Logic::Binary(
            path,
            [Binary::WeakUntil, Binary::StrongRelease][choices.below(2)],
            one,
            other,
        ),
    }
}

#[test]
fn claims_mean_the_same_as_formulas_of_the_contest() {
    check(400, |choices| {
        let text = pnml(NETS[choices.below(3)]);
        let net = read_pnml(SourceId::new(0), &text).0.expect("a net");
        let flows = semiflows(&net);
        let known = bounds(&net, &flows);
        let mut model = NetModel::new(net.clone(), Slots::shared(&net, &flows), &known, true);
        let atoms: Vec<PropositionId> = (0..3)
            .map(|place| {
                let formula = Formula::at_least(PlaceId::from_usize(place), 1);
                model.proposition(&format!("p{place}"), &formula)
            })
            .collect();
        let is_linear = choices.coin();
        let kind = if is_linear { Kind::Linear } else { Kind::Branching };
        let formula = logic(choices, 2, is_linear);
        let statement = Statement::from((formula.clone(), kind));
        let claim =
            Claim { statement, atoms: atoms.iter().map(|&id| Atom::Proposition(id)).collect() };

        let meant = Interpretation::new(atoms.into_iter().map(Meaning::Proposition).collect());
        let graph = &mut Graph::new(&model);
        let report = if is_linear {
            check_ltl(graph, &formula, &meant, &LtlOptions::default(), &mut unobserved)
        } else {
            check_ctl(graph, &formula, &meant, Default::default(), &mut unobserved)
        };
        let holds = report.expect("it can be checked").verdict == Verdict::Holds;

        let there = formula_of(&model, &claim).expect("it is about markings");
        let ask = TaskKind::Formula(there);
        let task = Task { exam: Exam::CtlCardinality, id: String::new(), ask };
        let settings = Settings { steps: 500, ..Settings::default() };
        examine(&net, &[task], &settings, &mut Unwatched, &mut |_, reply| {
            assert_eq!(reply.found, Found::Truth(holds), "{formula:?} of {text} by {:?}", reply.by);
        });
    });
}

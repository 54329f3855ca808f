//! Small networks of the kinds in which published reductions went wrong: all choices of a few steps
//! from a list, each with a list of formulas, reduced and whole. The published counterexamples
//! themselves are not among them, but for the last.
//!
//! - A set chosen anew for each location of an automaton, with a proviso on the product's stack, loses
//!   runs (Siegel, CAV 2019): takes a cycle of steps that are not seen beside a step that is.
//! - Steps with several results, taken in another order, may pass states with other labels
//!   (*inconsistent labelling*: Neele, Valmari & Willemse, FoSSaCS 2020).
//! - A step that nothing disables is taken alone although it disables another
//!   (behavior protocols, 5.3: `known.rs`).

use quadrille_engine::{
    Graph, Interpretation, LtlOptions, Meaning, check_ltl, replayed, unobserved,
};
use quadrille_logic::{AtomId, Binary, Formula, Unary};
use quadrille_model::{
    Automaton, LocalId, Model, Network, NetworkBuilder, ParticipantId, Predicate, PropositionId,
    Template, Verdict,
};
use quadrille_reduction::{Reduced, Seen, audit};

fn local(number: usize) -> LocalId {
    LocalId::from_usize(number)
}

/// The steps to choose from, of two participants with three states each: to and fro, and into one of
/// several states; of which some look at the other, and some change it.
fn menu() -> Vec<Template> {
    let [one, two] = [0, 1].map(ParticipantId::from_usize);
    let step = |name: &str| Template::new(name);
    vec![
        step("a").step(one, local(0), local(1)),
        step("b").step(one, local(1), local(0)),
        step("c").when(one, [local(0)]).becomes(one, [local(1), local(2)]),
        step("d").step(one, local(1), local(2)),
        step("e").step(two, local(0), local(1)),
        step("f").step(two, local(1), local(0)),
        step("g").when(two, [local(0)]).becomes(two, [local(1), local(2)]),
        step("h").when(one, [local(0)]).step(two, local(1), local(2)),
        step("i").step(one, local(1), local(0)).becomes(two, [local(2)]),
        step("j").when(one, [local(1), local(2)]).step(two, local(0), local(2)),
    ]
}

/// A network with these steps; `p` holds while the second participant is in its first state, `q` while
/// it is in its last.
fn network(steps: &[&Template]) -> Network {
    let mut builder = NetworkBuilder::default();
    for name in ["one", "two"] {
        let automaton = Automaton::new(name, (0..3).map(|state| format!("{name}{state}")));
        builder.participant(automaton).expect("a participant");
    }
    for &step in steps {
        builder.template(step.clone()).expect("a template");
    }
    let two = ParticipantId::from_usize(1);
    for (name, state) in [("p", 0), ("q", 2)] {
        let predicate = Predicate::In(two, [state].into_iter().collect());
        builder.proposition(name, predicate).expect("a proposition");
    }
    builder.build().expect("a network")
}

fn formulas() -> Vec<Formula> {
    let [p, q] = [0, 1].map(|atom| Formula::atom(AtomId::from_usize(atom)));
    let unary = |operator: Unary, of: &Formula| Formula::unary(operator, of.clone());
    let always = |of: &Formula| unary(Unary::Always, of);
    let finally = |of: &Formula| unary(Unary::Eventually, of);
    let until = Formula::binary(Binary::Until, p.clone(), q.clone());
    vec![
        always(&p),
        finally(&q),
        always(&finally(&p)),
        finally(&always(&!p.clone())),
        until.clone(),
        always(&finally(&until)),
        finally(&always(&q)),
    ]
}

fn is_violated(model: &dyn Model, formula: &Formula) -> bool {
    let atoms = [0, 1].map(|atom| Meaning::Proposition(PropositionId::new(atom)));
    let (options, mut graph) = (LtlOptions::default(), Graph::new(model));
    let atoms = Interpretation::new(atoms.into());
    let report = check_ltl(&mut graph, formula, &atoms, &options, &mut unobserved);
    match report.expect("no failure").verdict {
        Verdict::Violated(Some(run)) => replayed(model, run).is_ok(),
        verdict => verdict != Verdict::Holds,
    }
}

#[test]
fn no_small_network_shows_a_published_mistake() {
    let (menu, formulas) = (menu(), formulas());
    let (mut n_compared, mut n_violated, mut n_less) = (0, 0, 0);
    for choice in 0..1_usize << menu.len() {
        if !(2..=3).contains(&choice.count_ones()) {
            continue;
        }
        let chosen = (0..menu.len()).filter(|number| choice >> number & 1 == 1);
        let steps: Vec<&Template> = chosen.map(|number| &menu[number]).collect();
        let network = network(&steps);
        assert_eq!(audit(&network, 20), Vec::<String>::new(), "{steps:?}");
        let propositions = vec![PropositionId::new(0), PropositionId::new(1)];
        let seen = Seen { propositions, ends: true, ..Seen::default() };
        let Ok(reduced) = Reduced::new(&network, &seen) else { continue };
        for formula in &formulas {
            let expected = is_violated(&network, formula);
            assert_eq!(expected, is_violated(&reduced, formula), "{formula:?} of {steps:?}");
            n_compared += 1;
            n_violated += u32::from(expected);
        }
        let savings = reduced.savings();
        n_less += u32::from(savings.taken < savings.enabled);
    }
    let found = (n_compared, n_violated, n_less);
    assert!(n_compared > 500 && n_violated > 200 && n_less > 20, "{found:?}");
}

//! What went wrong in published reductions. First the structures that the papers tell of, as models in
//! which the mistake changes a verdict; then small networks of their kinds: all choices of a few steps
//! from a list, each with a list of formulas, reduced and whole.
//!
//! - A set chosen anew for each location of an automaton, with a proviso on the product, loses runs
//!   (Siegel, CAV 2019): a cycle of steps that are not seen is longer in the product than in the model,
//!   so that a proviso on the product allows to put off a step that is seen at the wrong places.
//! - Steps that are never seen where they are taken can still pass by a state that is (*inconsistent
//!   labelling*: Neele, Valmari & Willemse, FoSSaCS 2020, LMCS 2021).
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
use quadrille_workshop::naive::Naive;

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

/// The structure of *inconsistent labelling*: `a` commutes with `b c` as a whole, but is not enabled
/// between them. No `a` changes whether `p` holds; still, after `a` it never does, and before it it may.
#[test]
fn a_step_that_is_never_seen_is_not_taken_past_a_state_that_is() {
    let mut builder = NetworkBuilder::default();
    let mut add = |name: &str, size: usize| {
        let automaton = Automaton::new(name, (0..size).map(|state| format!("{name}{state}")));
        builder.participant(automaton).expect("a participant")
    };
    let (x, y, z) = (add("x", 3), add("y", 2), add("z", 3));
    for template in [
        Template::new("a").when(x, [local(0), local(2)]).step(y, local(0), local(1)),
        Template::new("b").step(x, local(0), local(1)),
        Template::new("c").step(x, local(1), local(2)),
        Template::new("else").step(z, local(0), local(1)),
        Template::new("else").step(z, local(1), local(2)),
    ] {
        builder.template(template).expect("a template");
    }
    let is = |participant, state: u32| Predicate::In(participant, [state].into_iter().collect());
    let p = Predicate::All(vec![is(x, 1), is(y, 0)]);
    builder.proposition("p", p).expect("a proposition");
    builder.proposition("q", is(z, 2)).expect("a proposition");
    let network = builder.build().expect("a network");
    let p = PropositionId::new(0);
    let naive = Naive::explore(&network, 20).expect("few states");
    let mut explorer = network.explorer();
    for (state, edges) in naive.states.iter().zip(&naive.edges) {
        for (action, target) in edges {
            let [here, there] = [state, &naive.states[*target]]
                .map(|state| explorer.holds(p, state).expect("it never fails"));
            assert!(network.action(*action).label != "a" || here == there, "`a` is never seen");
        }
    }
    let seen = Seen { propositions: vec![p], ends: true, ..Seen::default() };
    let never = Formula::unary(Unary::Always, !Formula::atom(AtomId::from_usize(0)));
    assert!(is_violated(&network, &never));
    let reduced = Reduced::new(&network, &seen).expect("a reduction");
    assert!(is_violated(&reduced, &never));
    let savings = reduced.savings();
    assert!(savings.taken < savings.enabled, "what has nothing to do with `p` is left out");
}

/// The structure of Siegel's programs: one process takes a step that is seen, another goes round in steps
/// that are not. Formulas whose automata go round too, with cycles of other lengths.
#[test]
fn a_step_that_is_seen_is_not_put_off_while_an_automaton_goes_round() {
    let (mut n_compared, mut n_violated, mut n_less) = (0, 0, 0);
    for (length, n_steps, has_witness) in
        [1, 2, 3].into_iter().flat_map(|it| [(it, 1, false), (it, 2, false), (it, 2, true)])
    {
        let mut builder = NetworkBuilder::default();
        let mut add = |name: &str, size: usize| {
            let automaton = Automaton::new(name, (0..size).map(|state| format!("{name}{state}")));
            builder.participant(automaton).expect("a participant")
        };
        let (worker, round, other) =
            (add("worker", n_steps + 1), add("round", length), add("other", 3));
        for state in 0..n_steps {
            let step = Template::new("seen").step(worker, local(state), local(state + 1));
            builder.template(step).expect("a template");
        }
        for state in 0..length {
            let step =
                Template::new("unseen").step(round, local(state), local((state + 1) % length));
            builder.template(step).expect("a template");
        }
        // Something else to leave out, which ends.
        for state in 0..2 {
            let step = Template::new("else").step(other, local(state), local(state + 1));
            let step = if has_witness { step.when(round, [local(0)]) } else { step };
            builder.template(step).expect("a template");
        }
        for (name, state) in [("p", 0), ("q", n_steps)] {
            let predicate = Predicate::In(worker, [state as u32].into_iter().collect());
            builder.proposition(name, predicate).expect("a proposition");
        }
        let network = builder.build().expect("a network");
        let propositions = vec![PropositionId::new(0), PropositionId::new(1)];
        let seen = Seen { propositions, ends: true, ..Seen::default() };
        let reduced = Reduced::new(&network, &seen).expect("a reduction");
        for formula in formulas().into_iter().chain(rounds()) {
            let expected = is_violated(&network, &formula);
            assert_eq!(expected, is_violated(&reduced, &formula), "{formula:?}, {length} round");
            n_compared += 1;
            n_violated += u32::from(expected);
        }
        let savings = reduced.savings();
        n_less += u32::from(savings.taken < savings.enabled);
    }
    let found = (n_compared, n_violated, n_less);
    assert!(n_compared >= 90 && n_violated > 20 && n_less > 5, "{found:?}");
}

/// Formulas with automata that go round in more than one location while `p` holds.
fn rounds() -> Vec<Formula> {
    let [p, q] = [0, 1].map(|atom| Formula::atom(AtomId::from_usize(atom)));
    let always = |of: Formula| Formula::unary(Unary::Always, of);
    let finally = |of: Formula| Formula::unary(Unary::Eventually, of);
    vec![
        always(finally(p.clone())).implies(always(finally(q.clone()))),
        Formula::or([always(p.clone()), finally(always(q.clone()))]),
        Formula::and([always(finally(p.clone())), always(finally(!q.clone()))]),
        always(p.clone().implies(finally(q.clone()))),
        Formula::or([finally(always(!p.clone())), always(finally(!q.clone()))]),
        always(finally(Formula::and([!p, !q]))),
    ]
}

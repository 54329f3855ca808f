//! Random networks, reduced and whole: the same deadlocks, invariants, forbidden actions and formulas.
//! `QUADRILLE_ROUNDS` asks for so many times as many of them.

use quadrille_engine::{
    Config, Graph, Interpretation, Limits, LtlOptions, Meaning, Property, check as search,
    check_ltl, look_again, replayed, unobserved,
};
use quadrille_logic::{AtomId, Formula, Letter};
use quadrille_model::{Action, Model, Network, PropositionId, Value, Verdict};
use quadrille_reduction::{Reduced, Represented, Seen, audit};
use quadrille_workshop::formulas::{Past, linear};
use quadrille_workshop::networks::{loose_network, network};
use quadrille_workshop::{Choices, check};

/// A network that can be explored quickly; most are loose.
fn any_network(choices: &mut Choices) -> Option<Network> {
    let network = if choices.once_in(5) { network(choices) } else { loose_network(choices) };
    let limits = Limits { states: Some(2_000), ..Limits::default() };
    let config = Config { limits, ..Config::default() };
    let explored = search(&network, Vec::new(), &config, &mut unobserved);
    (explored.expect("it never fails").bound.is_none()).then_some(network)
}

/// The states without successor, and those among them that are deadlocks.
fn ends(model: &dyn Model) -> (u64, Vec<Vec<Value>>) {
    let mut space = quadrille_engine::Space::new(model);
    let mut stuck = Vec::new();
    let mut next = 0;
    while next < space.n_states() {
        let id = quadrille_model::StateId::from_usize(next);
        if space.expand(id).expect("it never fails").is_empty() {
            stuck.push(space.state(id));
        }
        next += 1;
    }
    stuck.sort_unstable();
    (space.n_states() as u64, stuck)
}

#[test]
fn reduced_networks_end_in_the_same_states() {
    let (mut n_less, mut n_stuck) = (0, 0);
    check(300, |choices| {
        let Some(network) = any_network(choices) else { return };
        let Ok(reduced) = Reduced::new(&network, &Seen::default()) else { return };
        let ((whole, expected), (part, found)) = (ends(&network), ends(&reduced));
        assert_eq!(expected, found);
        assert!(part <= whole);
        n_less += u32::from(part < whole);
        n_stuck += u32::from(!found.is_empty());
    });
    assert!(n_less > 50 && n_stuck > 50, "{n_less} reduced, {n_stuck} with an end");
}

#[test]
fn represented_networks_end_in_the_same_states() {
    let (mut n_less, mut n_stuck) = (0, 0);
    check(300, |choices| {
        let Some(network) = any_network(choices) else { return };
        let represented = Represented::new(&network).expect("reducible");
        let ((whole, expected), (part, found)) = (ends(&network), ends(&represented));
        assert_eq!(expected, found);
        assert!(part <= whole);
        n_less += u32::from(part < whole);
        n_stuck += u32::from(!found.is_empty());
    });
    assert!(n_less > 20 && n_stuck > 50, "{n_less} reduced, {n_stuck} with an end");
}

/// What an atom of a formula means.
#[derive(Clone, Copy)]
pub(crate) enum Atom {
    Proposition(PropositionId),
    /// The action has this label.
    Label(usize),
}

pub(crate) fn has_label(action: &Action, label: usize) -> bool {
    action.label == format!("t{label}")
}

pub(crate) fn occur(formula: &Formula, atom: AtomId) -> bool {
    matches!(formula, Formula::Atom(id) if *id == atom)
        || formula.operands().into_iter().any(|operand| occur(operand, atom))
}

/// What a formula sees.
pub(crate) fn seen<'a>(formula: &Formula, atoms: &'a [Atom]) -> Seen<'a> {
    let used: Vec<Atom> = (0..atoms.len())
        .filter(|&number| occur(formula, AtomId::from_usize(number)))
        .map(|number| atoms[number])
        .collect();
    let propositions = used.iter().filter_map(|atom| match atom {
        Atom::Proposition(id) => Some(*id),
        Atom::Label(_) => None,
    });
    let propositions = propositions.collect();
    let labels: Vec<usize> = used
        .iter()
        .filter_map(|atom| match atom {
            Atom::Label(label) => Some(*label),
            Atom::Proposition(_) => None,
        })
        .collect();
    let looks = move |action: &Action| labels.iter().any(|&label| has_label(action, label));
    Seen { propositions, actions: Some(Box::new(looks)), ends: true, ..Seen::default() }
}

pub(crate) fn atoms(choices: &mut Choices, network: &Network) -> Vec<Atom> {
    let n_propositions = network.signature().propositions.len();
    let mut atom = |_| match n_propositions > 0 && choices.coin() {
        true => Atom::Proposition(PropositionId::from_usize(choices.below(n_propositions))),
        false => Atom::Label(choices.below(8)),
    };
    (0..3).map(&mut atom).collect()
}

pub(crate) fn verdict(model: &dyn Model, formula: &Formula, atoms: &[Atom]) -> Verdict {
    let meaning = |&atom: &Atom| match atom {
        Atom::Proposition(id) => Meaning::Proposition(id),
        Atom::Label(label) => Meaning::Action(Box::new(move |action| has_label(action, label))),
    };
    let interpretation = Interpretation::new(atoms.iter().map(meaning).collect());
    let (options, mut graph) = (LtlOptions::default(), Graph::new(model));
    let report = check_ltl(&mut graph, formula, &interpretation, &options, &mut unobserved);
    let verdict = report.expect("it never fails").verdict;
    if let Verdict::Violated(Some(run)) = &verdict {
        replayed(model, run.clone()).expect("a run");
        look_again(run, formula, model, &interpretation, &options).expect("a counterexample");
    }
    verdict
}

#[test]
fn reduced_networks_satisfy_the_same_formulas() {
    let (mut n_held, mut n_violated, mut n_less) = (0, 0, 0);
    check(400, |choices| {
        let Some(network) = any_network(choices) else { return };
        let atoms = atoms(choices, &network);
        let is_action = |atom: &Atom| matches!(atom, Atom::Label(_));
        let actions = atoms.iter().enumerate().filter(|(_, atom)| is_action(atom));
        let actions: Letter = actions.fold(0, |letter, (number, _)| letter | 1 << number);
        let size = 2 + choices.below(7);
        let formula = linear(choices, size, 3, Past::None);
        if formula.ignores_unseen_steps(actions) != Ok(true) {
            return;
        }
        let Ok(reduced) = Reduced::new(&network, &seen(&formula, &atoms)) else { return };
        let expected = verdict(&network, &formula, &atoms);
        let found = verdict(&reduced, &formula, &atoms);
        let is_violated = |verdict: &Verdict| matches!(verdict, Verdict::Violated(_));
        assert_eq!(is_violated(&expected), is_violated(&found), "{formula:?}");
        if let Verdict::Violated(Some(run)) = found {
            replayed(&network, run).expect("a run of the whole model");
            n_violated += 1;
        } else {
            n_held += 1;
        }
        let savings = reduced.savings();
        n_less += u32::from(savings.taken < savings.enabled);
    });
    let found = (n_held, n_violated, n_less);
    assert!(n_held > 20 && n_violated > 20 && n_less > 15, "{found:?}");
}

#[test]
fn reduced_networks_have_the_same_invariants_and_actions() {
    let (mut n_held, mut n_violated) = (0, 0);
    check(300, |choices| {
        let Some(network) = any_network(choices) else { return };
        let n_propositions = network.signature().propositions.len();
        if n_propositions == 0 {
            return;
        }
        let proposition = PropositionId::from_usize(choices.below(n_propositions));
        let label = choices.below(8);
        for is_about_actions in [false, true] {
            let seen = match is_about_actions {
                true => Seen {
                    propositions: Vec::new(),
                    actions: Some(Box::new(move |action: &Action| has_label(action, label))),
                    ..Seen::default()
                },
                false => Seen { propositions: vec![proposition], ..Seen::default() },
            };
            let Ok(reduced) = Reduced::new(&network, &seen) else { continue };
            let outcome = |model: &dyn Model| {
                let explorer = std::cell::RefCell::new(network.explorer());
                let holds = |state: &[Value]| explorer.borrow_mut().holds(proposition, state);
                let property = match is_about_actions {
                    true => Property::Never(Box::new(|id| has_label(&network.action(id), label))),
                    false => Property::Always(Box::new(holds)),
                };
                let found = search(model, vec![property], &Config::default(), &mut unobserved);
                matches!(found.expect("it never fails").verdicts[0], Verdict::Violated(_))
            };
            let (expected, found) = (outcome(&network), outcome(&reduced));
            assert_eq!(expected, found, "actions: {is_about_actions}");
            n_held += u32::from(!found);
            n_violated += u32::from(found);
        }
    });
    assert!(n_held > 50 && n_violated > 50, "{n_held} {n_violated}");
}

#[test]
fn what_is_derived_from_random_networks_is_true() {
    check(120, |choices| {
        let Some(network) = any_network(choices) else { return };
        assert_eq!(audit(&network, 60), Vec::<String>::new());
    });
}

#[test]
fn a_reduced_model_declares_what_is_true() {
    check(60, |choices| {
        let network = loose_network(choices);
        let Ok(reduced) = Reduced::new(&network, &Seen::default()) else { return };
        let broken = quadrille_model::Checked::new(&reduced).walk(40);
        let serious = |violation: &&quadrille_model::Violation| {
            // Choices depend on the state, so pairs of steps need not be there together.
            violation.promise != quadrille_model::Promise::Diamond
        };
        let shown: Vec<String> = broken.iter().filter(serious).map(ToString::to_string).collect();
        assert!(shown.is_empty(), "{shown:?}");
    });
}

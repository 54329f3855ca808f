//! Random networks with families, by representatives and whole: the same states up to who is who, the
//! same deadlocks and formulas; also where the representatives' steps are reduced.
//! `QUADRILLE_ROUNDS` asks for so many times as many of them.

use std::collections::BTreeSet;

use quadrille_engine::{
    Config, Interpretation, LtlOptions, Meaning, Property, Space, Workers, check as search,
    look_again, replayed, unobserved,
};
use quadrille_logic::{AtomId, Formula, Letter, Unary};
use quadrille_model::{
    Action, Automaton, Checked, Family, LocalId, Model, Network, NetworkBuilder, PropositionId,
    SlotId, StateId, Swap, Template, Value, Verdict,
};
use quadrille_reduction::{Asked, Asymmetry, Reduced, Seen, Symmetric, Symmetry};
use quadrille_workshop::formulas::{Past, linear};
use quadrille_workshop::networks::{family_network, loose_network, naming_network};
use quadrille_workshop::{Choices, check};

use crate::random::{Atom, atoms, has_label, occur, seen, verdict};

fn any_network(choices: &mut Choices) -> Network {
    match choices.below(8) {
        0..4 => naming_network(choices),
        4..7 => family_network(choices),
        _ => loose_network(choices),
    }
}

fn states(model: &dyn Model) -> BTreeSet<Vec<Value>> {
    let mut space = Space::new(model);
    let mut next = 0;
    while next < space.n_states() {
        space.expand(StateId::from_usize(next)).expect("it never fails");
        next += 1;
    }
    (0..next).map(|state| space.state(StateId::from_usize(state))).collect()
}

#[test]
fn representatives_are_those_of_all_states() {
    let mut n_less = 0;
    check(300, |choices| {
        let network = any_network(choices);
        let Ok(symmetry) = Symmetry::of(&network, &Asked::default()) else { return };
        let wrong = Checked::new(&network).walk(30);
        assert!(wrong.is_empty(), "{wrong:?}");
        let all = states(&network);
        let represent = |state: &Vec<Value>| {
            let mut state = state.clone();
            symmetry.represent(&mut state);
            state
        };
        let expected: BTreeSet<Vec<Value>> = all.iter().map(represent).collect();
        let symmetric = Symmetric::new(&network, symmetry.clone());
        assert_eq!(states(&symmetric), expected);
        n_less += u32::from(expected.len() < all.len());
        // Explored in any way, the savings add up to all states that are like those.
        let (n_explored, n_alike) = symmetric.savings();
        assert_eq!(n_explored, expected.len() as u64);
        assert!(n_alike >= all.len() as u64);
        let outcome = |model: &dyn Model, n_workers: usize| {
            let config = Config { workers: Workers::eager(n_workers), ..Config::default() };
            let found = search(model, vec![Property::DeadlockFree], &config, &mut unobserved);
            let mut found = found.expect("it never fails");
            (found.counts, found.verdicts.remove(0))
        };
        let (counts, found) = outcome(&symmetric, 1);
        assert_eq!((counts, found.clone()), outcome(&symmetric, 3));
        let (_, known) = outcome(&network, 1);
        let length = |verdict: &Verdict| match verdict {
            Verdict::Violated(Some(run)) => Some(run.steps.len()),
            _ => None,
        };
        assert_eq!(length(&known), length(&found), "shortest runs are as long");
        if let Verdict::Violated(Some(run)) = found {
            let told = symmetric.run_of_whole(&network, &run, &|_| 0).expect("a run of the whole");
            replayed(&network, told).expect("a run");
        }
    });
    assert!(n_less > 60, "{n_less}");
}

/// What a formula asks of states and actions.
fn asked<'a>(network: &Network, formula: &Formula, atoms: &'a [Atom]) -> Asked<'a> {
    let mut asked = Asked::default();
    for (number, atom) in atoms.iter().enumerate() {
        if let (Atom::Proposition(id), true) = (atom, occur(formula, AtomId::from_usize(number))) {
            match network.meaning(*id) {
                Some(condition) => asked.conditions.push(condition),
                None => asked.slots.extend(&network.signature().propositions[id.index()].support),
            }
        }
    }
    let labels = letters(formula, atoms);
    asked.actions = Some(Box::new(labels));
    asked
}

fn letters<'a>(formula: &Formula, atoms: &'a [Atom]) -> impl Fn(&Action) -> u64 + use<'a> {
    let used: Vec<bool> =
        (0..atoms.len()).map(|number| occur(formula, AtomId::from_usize(number))).collect();
    move |action| {
        let shows = |number: &usize| match atoms[*number] {
            Atom::Label(label) => used[*number] && has_label(action, label),
            Atom::Proposition(_) => false,
        };
        (0..atoms.len()).filter(shows).fold(0, |letters, number| letters | 1 << number)
    }
}

fn is_violated(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Violated(_))
}

#[test]
fn representatives_satisfy_the_same_formulas() {
    let (mut n_held, mut n_violated, mut n_both, mut n_apart) = (0, 0, 0, 0);
    check(500, |choices| {
        let network = any_network(choices);
        let atoms = atoms(choices, &network);
        let size = 2 + choices.below(7);
        let formula = linear(choices, size, 3, Past::None);
        let symmetry = match Symmetry::of(&network, &asked(&network, &formula, &atoms)) {
            Ok(symmetry) => symmetry,
            Err(Asymmetry::TellsApart) => {
                n_apart += 1;
                return;
            }
            Err(Asymmetry::NoFamily) => return,
        };
        let known = verdict(&network, &formula, &atoms);
        let told = |symmetric: &Symmetric<'_>| {
            let found = verdict(symmetric, &formula, &atoms);
            assert_eq!(is_violated(&known), is_violated(&found), "{formula:?}");
            let Verdict::Violated(Some(run)) = found else { return };
            let told = symmetric.run_of_whole(&network, &run, &letters(&formula, &atoms));
            let told = replayed(&network, told.expect("a run of the whole")).expect("a run");
            let meaning = |&atom: &Atom| match atom {
                Atom::Proposition(id) => Meaning::Proposition(id),
                Atom::Label(label) => Meaning::Action(Box::new(move |it| has_label(it, label))),
            };
            let atoms = Interpretation::new(atoms.iter().map(meaning).collect());
            let options = LtlOptions::default();
            look_again(&told, &formula, &network, &atoms, &options).expect("a counterexample");
        };
        told(&Symmetric::new(&network, symmetry.clone()));
        n_held += u32::from(!is_violated(&known));
        n_violated += u32::from(is_violated(&known));
        let actions: Letter = (0..atoms.len())
            .filter(|&number| matches!(atoms[number], Atom::Label(_)))
            .fold(0, |letter, number| letter | 1 << number);
        if formula.ignores_unseen_steps(actions) != Ok(true) {
            return;
        }
        let seen = Seen { exchanged: symmetry.families(), ..seen(&formula, &atoms) };
        if let Ok(reduced) = Reduced::new(&network, &seen) {
            told(&Symmetric::new(&reduced, symmetry.clone()));
            let savings = reduced.savings();
            n_both += u32::from(savings.taken < savings.enabled);
        }
    });
    let found = (n_held, n_violated, n_both, n_apart);
    assert!(n_held > 50 && n_violated > 50 && n_both > 5 && n_apart > 20, "{found:?}");
}

#[test]
fn reduced_representatives_have_the_same_deadlocks() {
    let mut n_both = 0;
    check(300, |choices| {
        let network = any_network(choices);
        let Ok(symmetry) = Symmetry::of(&network, &Asked::default()) else { return };
        let seen = Seen { exchanged: symmetry.families(), ..Seen::default() };
        let Ok(reduced) = Reduced::new(&network, &seen) else { return };
        let stuck = |model: &dyn Model| -> BTreeSet<Vec<Value>> {
            let mut explorer = model.explorer();
            let is_stuck = |state: &Vec<Value>| {
                let mut goes_on = false;
                explorer.each_successor(state, |_, _, _| goes_on = true).expect("it never fails");
                !goes_on
            };
            let mut stuck: Vec<Vec<Value>> = states(model).into_iter().filter(is_stuck).collect();
            stuck.iter_mut().for_each(|state| symmetry.represent(state));
            stuck.into_iter().collect()
        };
        let both = Symmetric::new(&reduced, symmetry.clone());
        assert_eq!(stuck(&network), stuck(&both));
        let savings = reduced.savings();
        n_both += u32::from(savings.taken < savings.enabled);
    });
    assert!(n_both > 50, "{n_both}");
}

/// Members that go round one after the other: a representative's loop is one round of one of them.
#[test]
fn a_loop_of_representatives_is_told_until_every_member_is_back() {
    let mut builder = NetworkBuilder::default();
    let local = LocalId::from_usize;
    let mut members = Vec::new();
    for number in 0..3 {
        let automaton = Automaton::new(format!("M{number}"), ["home", "out"]);
        members.push(builder.participant(automaton).expect("a participant"));
    }
    for (number, &member) in members.iter().enumerate() {
        for &other in members.iter().filter(|&&other| other != member) {
            let hands = Template::new(format!("hand {number}"));
            let hands = hands.step(member, local(1), local(0)).step(other, local(0), local(1));
            builder.template(hands).expect("a template");
        }
        let goes = Template::new(format!("go {number}")).step(member, local(0), local(1));
        let goes = members
            .iter()
            .filter(|&&other| other != member)
            .fold(goes, |goes, &other| goes.when(other, [local(0)]));
        builder.template(goes).expect("a template");
    }
    let network = builder.build().expect("a network");
    let symmetry = Symmetry::of(&network, &Asked::default()).expect("a family");
    let symmetric = Symmetric::new(&network, symmetry);
    assert_eq!((states(&network).len(), states(&symmetric).len()), (4, 2));
    let atoms = [Atom::Label(0)];
    let never = Formula::unary(Unary::Eventually, Formula::atom(AtomId::from_usize(0)));
    let Verdict::Violated(Some(run)) = verdict(&symmetric, &never, &atoms) else {
        panic!("there is a run")
    };
    let told = symmetric.run_of_whole(&network, &run, &|_| 0).expect("a run of the whole");
    assert!(told.steps.len() > run.steps.len());
    replayed(&network, told).expect("a run");
}

/// The proposition of one member: it is told apart, the others are not.
#[test]
fn members_that_a_question_names_are_told_apart() {
    let mut builder = NetworkBuilder::default();
    let local = LocalId::from_usize;
    for number in 0..4 {
        let automaton = Automaton::new(format!("M{number}"), ["off", "on"]);
        let member = builder.participant(automaton).expect("a participant");
        let step = Template::new("on").step(member, local(0), local(1));
        builder.template(step).expect("a template");
        if number == 0 {
            let on = quadrille_model::Predicate::In(member, [1].into_iter().collect());
            builder.proposition("first", on).expect("a proposition");
        }
    }
    let network = builder.build().expect("a network");
    let first = network.meaning(PropositionId::new(0)).expect("a meaning");
    let asked = Asked { conditions: vec![first], ..Asked::default() };
    let symmetry = Symmetry::of(&network, &asked).expect("a family is left");
    assert_eq!(symmetry.families()[0].members.len(), 3);
    assert_eq!(states(&Symmetric::new(&network, symmetry)).len(), 8);
    let whole = Symmetry::of(&network, &Asked::default()).expect("a family");
    assert_eq!(states(&Symmetric::new(&network, whole)).len(), 5);
}

/// Members that point at each other: too many exchanges to try all, so that states which are alike may
/// have several representatives, and two orders of what is found are compared.
#[test]
fn many_members_that_name_each_other_become_fewer() {
    let network = |n_members: usize| {
        let mut builder = NetworkBuilder::default();
        let local = LocalId::from_usize;
        let names = |it: usize| (0..it).map(|name| format!("m{name}")).collect::<Vec<_>>();
        let owner =
            Automaton::new("owner", ["nobody".to_owned()].into_iter().chain(names(n_members)));
        let owner = builder.participant(owner).expect("a participant");
        let mut members = Vec::new();
        for number in 0..n_members {
            let automaton = Automaton::new(format!("M{number}"), ["idle", "had"]);
            members.push(builder.participant(automaton).expect("a participant"));
        }
        for (number, &member) in members.iter().enumerate() {
            let take = Template::new("take").step(owner, local(0), local(number + 1));
            builder.template(take).expect("a template");
            let give = Template::new("give").step(owner, local(number + 1), local(0));
            builder.template(give.becomes(member, [local(1)])).expect("a template");
        }
        let slot = |participant: usize| SlotId::from_usize(participant);
        let beside = |one: usize| {
            let mut values: Vec<Value> = (0..=n_members as Value).collect();
            values.swap(one + 1, one + 2);
            Swap { slots: Vec::new(), values: vec![(slot(0), values)] }
        };
        let members = (1..=n_members).map(|member| vec![slot(member)]).collect();
        let beside = (0..n_members - 1).map(beside).collect();
        builder.build().expect("a network").with_family(Family { members, beside })
    };
    for (n_members, n_states) in [(3, 10), (6, 19), (8, 25)] {
        let network = network(n_members);
        assert_eq!(Checked::new(&network).walk(100), []);
        assert_eq!(states(&network).len(), (n_members + 1) << n_members);
        let symmetry = Symmetry::of(&network, &Asked::default()).expect("a family");
        assert_eq!(states(&Symmetric::new(&network, symmetry)).len(), n_states);
    }
}

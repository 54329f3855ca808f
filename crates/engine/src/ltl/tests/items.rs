//! One test for each defect of linear time that users met, named after its number in the list.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_logic::{Binary, Formula, Letter, Unary, translate};
use quadrille_model::{
    Ending, Explicit, ExplicitBuilder, Model, PropositionId, Runs, StateId, Trace, Value, Verdict,
};
use quadrille_workshop::Choices;

use super::{LtlAlgorithm, LtlOptions, atom, infinitely_often, interpretation, model, run};
use crate::toys::{Phil, random_network};
use crate::{Graph, Interpretation, Meaning, check_ltl, unobserved};

fn finally(formula: Formula) -> Formula {
    Formula::unary(Unary::Eventually, formula)
}

fn always(formula: Formula) -> Formula {
    Formula::unary(Unary::Always, formula)
}

#[test]
fn item_2_the_state_that_a_finite_run_ends_in_has_a_letter() {
    let done = model(&[(0, 0, 1)], &[1], &[1]);
    let options = LtlOptions { runs: Runs::Finite, ..LtlOptions::default() };
    let check = |formula: &Formula| {
        run(&mut Graph::new(&done), formula, &options).expect("nothing to refuse").verdict
    };
    assert_eq!(check(&finally(atom(0))), Verdict::Holds);
    // There is a next state, in which no action happens, and none after it.
    assert_eq!(check(&Formula::unary(Unary::Next, atom(0))), Verdict::Holds);
    let no_action = always(atom(2).implies(Formula::unary(Unary::Next, !atom(2))));
    assert_eq!(check(&no_action), Verdict::Holds);
    let twice = Formula::unary(Unary::Next, Formula::unary(Unary::Next, Formula::True));
    assert!(matches!(check(&twice), Verdict::Violated(Some(_))));
    assert!(matches!(check(&always(!atom(0))), Verdict::Violated(Some(_))));
}

#[test]
fn item_30_a_state_without_successors_may_follow_a_full_chunk_of_edges() {
    for length in [66_559, 66_560, 66_561] {
        let mut table = ExplicitBuilder::default();
        let step = table.action("0");
        let [p, _] = ["p", "q"].map(|name| table.proposition(name));
        for number in 0..length {
            table.edge(StateId::new(number), step, StateId::new(number + 1));
        }
        table.initial(StateId::new(0)).end(StateId::new(length)).holds(StateId::new(length), p);
        let chain = table.build();
        let report = run(&mut Graph::new(&chain), &finally(atom(0)), &LtlOptions::default());
        assert_eq!(report.map(|report| report.verdict), Ok(Verdict::Holds), "{length} steps");
    }
}

/// A safety formula over four atoms.
fn random_safety(choices: &mut Choices, depth: u32) -> Formula {
    let literal = |choices: &mut Choices| {
        let atom = atom(choices.below(4));
        if choices.coin() { atom } else { !atom }
    };
    if depth == 0 {
        return literal(choices);
    }
    let mut operand = || random_safety(choices, depth - 1);
    let (a, b) = (operand(), operand());
    match choices.below(9) {
        0 => Formula::and([a, b]),
        1 | 2 => Formula::or([a, b]),
        3 => Formula::unary(Unary::Next, a),
        4 | 5 => always(a),
        6 => Formula::binary(Binary::WeakUntil, a, b),
        7 => Formula::binary(Binary::Release, a, b),
        _ => literal(choices),
    }
}

/// What is left of a formula: one of these sets must hold as a whole; none contains another.
type Left = BTreeSet<BTreeSet<Formula>>;

fn either(left: Left, more: Left) -> Left {
    let all: Left = left.into_iter().chain(more).collect();
    let is_least =
        |set: &&BTreeSet<Formula>| !all.iter().any(|other| other != *set && other.is_subset(set));
    all.iter().filter(is_least).cloned().collect()
}

fn both(left: &Left, right: &Left) -> Left {
    let pairs = left.iter().flat_map(|one| right.iter().map(move |other| one | other));
    pairs.fold(Left::new(), |all, set| either(all, [set].into()))
}

/// What is left of a safety formula in negation normal form after one letter.
fn after(formula: &Formula, letter: Letter) -> Left {
    let given = |holds: bool| if holds { [BTreeSet::new()].into() } else { Left::new() };
    let owed = |formula: &Formula| -> Left { [[formula.clone()].into()].into() };
    let atom = |atom: &quadrille_logic::AtomId| letter >> atom.index() & 1 == 1;
    match formula {
        Formula::True => given(true),
        Formula::Atom(a) => given(atom(a)),
        Formula::Not(a) => given(matches!(&**a, Formula::Atom(a) if !atom(a))),
        Formula::And(all) => all.iter().fold(given(true), |left, a| both(&left, &after(a, letter))),
        Formula::Or(all) => all.iter().fold(Left::new(), |left, a| either(left, after(a, letter))),
        Formula::Unary(_, Unary::Next, a) => owed(a),
        Formula::Unary(_, Unary::Always, a) => both(&after(a, letter), &owed(formula)),
        Formula::Binary(_, Binary::WeakUntil, a, b) => {
            either(after(b, letter), both(&after(a, letter), &owed(formula)))
        }
        Formula::Binary(_, Binary::Release, a, b) => {
            both(&after(b, letter), &either(after(a, letter), owed(formula)))
        }
        _ => Left::new(),
    }
}

/// What is left of what is left.
fn after_all(left: &Left, letter: Letter) -> Left {
    left.iter().fold(Left::new(), |all, set| {
        let whole: Left = [BTreeSet::new()].into();
        either(all, set.iter().fold(whole, |left, formula| both(&left, &after(formula, letter))))
    })
}

/// Which sets of safety formulas something satisfies, each looked at once. Nothing is promised but kept for
/// ever, so an infinite path of what is left, by whatever letters, is a model.
#[derive(Default)]
struct Satisfiable(BTreeMap<BTreeSet<Formula>, bool>);

impl Satisfiable {
    fn is_hopeless(&mut self, left: &Left) -> bool {
        !left.iter().any(|set| self.is_satisfiable(set))
    }

    fn is_satisfiable(&mut self, set: &BTreeSet<Formula>) -> bool {
        if !self.0.contains_key(set) {
            self.explore(set);
        }
        self.0[set]
    }

    /// All that may be left of a set; then those that lead nowhere are struck out, until none does.
    fn explore(&mut self, set: &BTreeSet<Formula>) {
        let mut steps: BTreeMap<BTreeSet<Formula>, Left> = BTreeMap::new();
        let mut open = vec![set.clone()];
        while let Some(set) = open.pop() {
            if self.0.contains_key(&set) || steps.contains_key(&set) {
                continue;
            }
            let here: Left = [set.clone()].into();
            let next: Left = (0..16).flat_map(|letter| after_all(&here, letter)).collect();
            open.extend(next.iter().cloned());
            steps.insert(set, next);
        }
        self.0.extend(steps.keys().map(|set| (set.clone(), true)));
        loop {
            let is_dead = |(set, next): &(&BTreeSet<Formula>, &Left)| {
                self.0[*set] && !next.iter().any(|next| self.0[next])
            };
            let dead: Vec<_> = steps.iter().filter(is_dead).map(|(set, _)| set.clone()).collect();
            if dead.is_empty() {
                return;
            }
            self.0.extend(dead.into_iter().map(|set| (set, false)));
        }
    }
}

/// The length of a shortest violation, by a search over states and what is left of the formula:
/// nothing can satisfy it any more, whatever action follows, or after an end nothing does.
fn shortest(model: &dyn Model, formula: &Formula, atoms: &Interpretation<'_>) -> Option<usize> {
    let mut satisfiable = Satisfiable::default();
    let start: Left = [[formula.clone()].into()].into();
    let mut seen: BTreeMap<(Vec<Value>, Left), usize> = BTreeMap::new();
    let mut queue: VecDeque<(Vec<Value>, Left)> = VecDeque::new();
    let mut explorer = model.explorer();
    let started = explorer.each_initial(|state| {
        if seen.insert((state.to_vec(), start.clone()), 0).is_none() {
            queue.push_back((state.to_vec(), start.clone()));
        }
    });
    assert_eq!(started, Ok(()));
    while let Some((state, open)) = queue.pop_front() {
        let depth = seen[&(state.clone(), open.clone())];
        let here = atoms.state_letter(&mut *explorer, &state).expect("computable");
        // Atoms 2 and 3 are actions.
        let mut any_action =
            [0, 4, 8, 12].map(|actions| after_all(&open, here | actions)).into_iter();
        if satisfiable.is_hopeless(&open) || any_action.all(|open| satisfiable.is_hopeless(&open)) {
            return Some(depth);
        }
        let mut next = Vec::new();
        let expanded = explorer.each_successor(&state, |_, action, to| {
            next.push((atoms.action_letter(model, action), to.to_vec()));
        });
        assert_eq!(expanded, Ok(()));
        let satisfied = |set: &BTreeSet<Formula>| {
            set.iter().all(|formula| formula.holds_on_lasso(&[], &[here]))
        };
        if (next.is_empty() || explorer.may_end(&state) == Ok(true)) && !open.iter().any(satisfied)
        {
            return Some(depth);
        }
        for (action, to) in next {
            let entry = (to, after_all(&open, here | action));
            if !seen.contains_key(&entry) {
                seen.insert(entry.clone(), depth + 1);
                queue.push_back(entry);
            }
        }
    }
    None
}

#[test]
fn item_4_counterexamples_of_safety_formulas_are_shortest() {
    let (mut n_asked, mut n_violated, mut n_open, mut longest) = (0, 0, 0, 0);
    quadrille_workshop::check(500, |choices| {
        let network = random_network(choices);
        let atoms = interpretation();
        for _ in 0..2 {
            let mut formula = random_safety(choices, 2);
            if choices.below(3) == 0 {
                formula = always(formula);
            }
            assert!(formula.is_safety());
            let expected = shortest(&network, &formula, &atoms);
            for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested] {
                let options = LtlOptions { algorithm, ..LtlOptions::default() };
                let report = check_ltl(
                    &mut Graph::new(&network),
                    &formula,
                    &atoms,
                    &options,
                    &mut unobserved,
                );
                let found = match report.expect("a checkable formula").verdict {
                    Verdict::Holds => None,
                    Verdict::Violated(Some(trace)) => Some(trace),
                    other => panic!("{other:?}"),
                };
                let length = found.as_ref().map(|trace| trace.steps.len());
                assert_eq!(length, expected, "{formula:?} {found:?}");
                n_open += u32::from(found.is_some_and(|trace| trace.ending == Ending::Prefix));
            }
            n_asked += 1;
            n_violated += u32::from(expected.is_some());
            longest = longest.max(expected.unwrap_or(0));
        }
    });
    assert!((n_asked / 8..n_asked * 7 / 8).contains(&n_violated), "{n_violated} of {n_asked}");
    assert!(n_open > n_asked / 8 && longest > 3, "{n_open} open, longest {longest}");
}

#[test]
fn item_4_actions_and_propositions_may_be_mixed() {
    // 0 -0-> 1 -1-> 2 -0-> 2, p in 2: the first of `G !("0" & p)` is the step from 2.
    let table = model(&[(0, 0, 1), (1, 1, 2), (2, 0, 2)], &[2], &[]);
    let trace = |formula: &Formula| -> Trace {
        let report = run(&mut Graph::new(&table), formula, &LtlOptions::default());
        match report.expect("checkable").verdict {
            Verdict::Violated(Some(trace)) => trace,
            other => panic!("{other:?}"),
        }
    };
    let mixed = trace(&always(!Formula::and([atom(2), atom(0)])));
    assert_eq!((mixed.steps.len(), mixed.ending), (3, Ending::Prefix));
    let implied = trace(&always(atom(0).implies(!atom(2))));
    assert_eq!((implied.steps.len(), implied.ending), (3, Ending::Prefix));
    let of_states = trace(&always(!atom(0)));
    assert_eq!((of_states.steps.len(), of_states.ending), (2, Ending::Prefix));
    let past = trace(&always(!Formula::and([atom(0), Formula::unary(Unary::Once, atom(3))])));
    assert_eq!((past.steps.len(), past.ending), (2, Ending::Prefix));
}

/// Checks a formula about the propositions of eight philosophers.
fn check_phil(formula: &Formula, expected: bool) {
    let model = Phil::new(8, true);
    let eats = |philosopher| Meaning::Proposition(PropositionId::new(philosopher));
    let step = |philosopher: u32| {
        Meaning::Action(Box::new(move |action: &quadrille_model::Action| {
            action.label == format!("step{philosopher}")
        }))
    };
    // Atoms 0 to 7: philosopher i eats; atoms 8 to 15: philosopher i does something.
    let atoms = Interpretation::new((0..8).map(eats).chain((0..8).map(step)).collect());
    let mut graph = Graph::new(&model);
    let report = check_ltl(&mut graph, formula, &atoms, &LtlOptions::default(), &mut unobserved);
    let verdict = report.expect("a formula that is translated").verdict;
    assert_eq!(verdict == Verdict::Holds, expected, "{formula:?}");
}

#[test]
fn item_5_many_recurrences_may_be_assumed() {
    let all = Formula::and((0..12).map(|number| infinitely_often(atom(number))));
    check_phil(&all.clone().implies(infinitely_often(Formula::and([atom(0), atom(2)]))), false);
    // Who eats again and again does something again and again.
    check_phil(&all.implies(infinitely_often(atom(14))), true);
}

#[test]
fn item_5_chains_of_responses_may_be_assumed() {
    let response = |trigger, answer| always(atom(trigger).implies(finally(atom(answer))));
    let chain = |last| Formula::and((0..7).map(|i| response(i, i + 1)).chain([response(7, last)]));
    // The one who eats last lets the first eat again, or does something himself.
    check_phil(&chain(0).implies(infinitely_often(atom(3))), true);
    check_phil(&chain(15).implies(infinitely_often(atom(3))), false);
}

#[test]
fn item_5_untils_may_be_nested() {
    let nested =
        (0..12).rev().map(atom).reduce(|inner, outer| Formula::binary(Binary::Until, outer, inner));
    check_phil(&nested.expect("twelve atoms"), false);
    let nested = (0..12)
        .rev()
        .map(|number| !atom(number % 8))
        .reduce(|inner, outer| Formula::binary(Binary::Until, outer, inner));
    check_phil(&nested.expect("twelve atoms"), true);
}

/// What is translated in parts means the same as what is translated as a whole.
#[test]
fn item_5_parts_agree_with_the_whole() {
    use quadrille_logic::{Automaton, Parts};

    use super::super::Violations;
    use super::{finds_one, random_model};

    let recurrence = |choices: &mut Choices| {
        let literal = atom(choices.below(4));
        let literal = if choices.coin() { literal } else { !literal };
        match choices.below(3) {
            0 => infinitely_often(literal),
            1 => always(literal.implies(finally(atom(choices.below(4))))),
            _ => finally(always(literal)),
        }
    };
    let mut n_violated = 0;
    quadrille_workshop::check(3_000, |choices| {
        let table: Explicit = random_model(choices);
        let formulas: Vec<Formula> = (0..3).map(|_| recurrence(choices)).collect();
        let parts: Vec<Automaton> =
            formulas.iter().map(|formula| translate(formula).expect("small")).collect();
        let whole = translate(&Formula::and(formulas.clone())).expect("small");
        let split = Parts::of(&formulas).expect("small");
        for runs in [Runs::Maximal, Runs::Infinite] {
            let options = LtlOptions { runs, ..LtlOptions::default() };
            let several =
                Parts { automata: parts.clone(), others: Vec::new(), responses: Vec::new() };
            let found = [several, split.clone(), Parts::from(whole.clone())].map(|parts| {
                let violations = Violations { alternatives: vec![parts], finals: None };
                finds_one(&mut Graph::new(&table), &violations, &options)
            });
            assert_eq!(found, [found[0]; 3], "{runs:?}: {formulas:?}");
            n_violated += u32::from(found[0]);
        }
    });
    assert!((500..5_500).contains(&n_violated), "{n_violated}");
}

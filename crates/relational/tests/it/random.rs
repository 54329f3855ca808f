//! Random designs: the model against the naive evaluator, state by state, step by step; and commands
//! about runs, fair events included, against their definitions on the graph that the evaluator spans
//! (`runs.rs`). `QUADRILLE_ROUNDS=21` tries 5,040.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_engine::{
    Error, Fairness, Graph, Interpretation, LtlOptions, Meaning as EngineMeaning, Tasks, check_ltl,
    unobserved,
};
use quadrille_logic::TranslationError;
use quadrille_model::{Checked, Model, Verdict};
use quadrille_relational::eval::{Bindings, Evaluator, State};
use quadrille_relational::types::words::Fair;
use quadrille_relational::{Asked, Design, Meaning, System, World};
use quadrille_workshop::{check, designs};

use crate::design;
use crate::runs::{Act, Runs};

/// States that are compared; what lies behind is left out.
const MOST_STATES: usize = 60;

/// Where steps lead, with what they are called; `None` where something cannot be computed.
type Steps = Option<BTreeSet<(String, State)>>;

/// Steps that lead to states by position, with their acts.
type Edges = Vec<(Act, usize)>;

/// The graph that the evaluator spans, breadth first, as far as it is compared.
struct Naive {
    states: Vec<State>,
    n_initial: usize,
    /// Per state that was looked at, where it leads.
    steps: Vec<Option<Edges>>,
}

impl Naive {
    fn new(evaluator: &Evaluator<'_>, first: Vec<State>) -> Self {
        let n_initial = first.len();
        let mut known: BTreeMap<State, usize> =
            first.iter().cloned().enumerate().map(|(at, state)| (state, at)).collect();
        let mut found = Self { states: first, n_initial, steps: Vec::new() };
        while found.steps.len() < found.states.len().min(MOST_STATES) {
            let here = found.states[found.steps.len()].clone();
            let edges = evaluator.steps(&here).ok().map(|steps| {
                let mut edges = Vec::new();
                for step in steps {
                    let to = *known.entry(step.next).or_insert_with_key(|next| {
                        found.states.push(next.clone());
                        found.states.len() - 1
                    });
                    edges.push(((step.event, step.arguments), to));
                }
                edges
            });
            found.steps.push(edges);
        }
        found
    }

    fn is_complete(&self) -> bool {
        self.steps.len() == self.states.len()
    }
}

/// An event with its arguments, as the model calls it.
fn label(design: &Design, world: &World, (event, arguments): &Act) -> String {
    let name = &design.events[*event].name;
    let atoms: Vec<&str> =
        arguments.iter().map(|atom| world.names[*atom as usize].as_str()).collect();
    if atoms.is_empty() { name.clone() } else { format!("{name}[{}]", atoms.join(", ")) }
}

/// What random designs came out as.
#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    states: usize,
    several_initial: usize,
    failing: usize,
    refused: usize,
    commands: usize,
    violated: usize,
    fair: usize,
    symmetric: usize,
    /// Commands that only fairness makes hold.
    by_fairness: usize,
}

/// Walks through the model as far as the graph goes, and compares.
fn compare_steps(
    system: &System,
    (design, world): (&Design, &World),
    naive: &Naive,
    end_of: &dyn Fn(&State) -> Option<bool>,
    text: &str,
) {
    let mut explorer = system.explorer();
    let mut todo = VecDeque::new();
    explorer.each_initial(|state| todo.push_back(state.to_vec())).expect("initial states");
    let initial: BTreeSet<State> = todo.iter().map(|state| system.state(state)).collect();
    let expected: BTreeSet<State> = naive.states[..naive.n_initial].iter().cloned().collect();
    assert_eq!(initial, expected, "initial states\n{text}");
    let wanted: BTreeMap<&State, usize> =
        naive.states.iter().enumerate().map(|(at, state)| (state, at)).collect();
    let mut seen = BTreeSet::new();
    while let Some(vector) = todo.pop_front() {
        let state = system.state(&vector);
        if seen.contains(&state) {
            continue;
        }
        let Some(at) = wanted.get(&state) else {
            assert!(!naive.is_complete(), "{state:?} cannot be reached\n{text}");
            continue;
        };
        let Some(known) = naive.steps.get(*at) else { continue };
        let (mut steps, mut next) = (BTreeSet::new(), Vec::new());
        let found = explorer.each_successor(&vector, |_, action, to| {
            steps.insert((system.action(action).label, system.state(to)));
            next.push(to.to_vec());
        });
        if found.is_ok() {
            todo.extend(next);
        }
        let found: Steps = found.ok().map(|()| steps);
        let named =
            |(act, to): &(Act, usize)| (label(design, world, act), naive.states[*to].clone());
        let known: Steps = known.as_ref().map(|steps| steps.iter().map(named).collect());
        assert_eq!(found, known, "steps of {state:?}\n{text}");
        assert_eq!(explorer.may_end(&vector).ok(), end_of(&state), "end in {state:?}\n{text}");
        seen.insert(state);
    }
    assert_eq!(seen.len(), naive.steps.len(), "number of states\n{text}");
}

/// Whether the engine finds that every run is as asked; `None` if the formula is too large for it.
fn answer(system: &System, asked: &Asked, fairness: Fairness) -> Option<bool> {
    let meanings = asked.atoms.iter().map(|atom| match atom {
        Meaning::Proposition(id) => EngineMeaning::Proposition(*id),
        Meaning::Event(name) => {
            EngineMeaning::Action(Box::new(move |action| action.names().contains(name)))
        }
    });
    let interpretation = Interpretation::new(meanings.collect());
    let mut graph = Graph::new(system);
    let options = LtlOptions { fairness, ..LtlOptions::default() };
    let report = check_ltl(&mut graph, &asked.formula, &interpretation, &options, &mut unobserved);
    match report {
        Ok(report) => Some(matches!(report.verdict, Verdict::Holds)),
        Err(Error::Translation(TranslationError::TooLarge)) => None,
        Err(error) => panic!("{error}"),
    }
}

/// What the design declares as fair.
fn fairness(system: &System) -> Fairness {
    let of = |kind| {
        let tasks = system.fairness.iter().filter(|(_, fair)| *fair == kind);
        Tasks::Some(tasks.map(|(task, _)| *task).collect())
    };
    Fairness { weak: of(Fair::Weak), strong: of(Fair::Strong) }
}

fn compare(text: &str, tally: &mut Tally) {
    let design = design(text);
    let world = World::new(&design, None).expect("a scope");
    let evaluator = Evaluator::new(&design, &world);
    let (first, system) = (evaluator.initial(), System::new(&design, None));
    let (Ok(first), Ok(system)) = (first, &system) else {
        assert!(
            evaluator.initial().is_err() && system.is_err(),
            "initial states can be computed by one only\n{text}"
        );
        tally.refused += 1;
        return;
    };
    tally.compared += 1;
    tally.several_initial += usize::from(first.len() > 1);
    let naive = Naive::new(&evaluator, first);
    let end_of = |state: &State| match &design.end {
        None => Some(false),
        Some(end) => evaluator.holds(end, state, &Bindings::new()).ok(),
    };
    compare_steps(system, (&design, &world), &naive, &end_of, text);
    tally.symmetric += usize::from(!system.signature().families.is_empty());
    let lies = Checked::new(system).walk(4);
    assert!(lies.is_empty(), "{lies:?}\n{text}");
    tally.states += naive.steps.len();
    let edges: Option<Vec<Edges>> = naive.steps.iter().cloned().collect();
    let ends: Option<Vec<bool>> = naive.states.iter().map(end_of).collect();
    tally.failing += usize::from(edges.is_none());
    let (true, Some(edges), Some(ends)) = (naive.is_complete(), edges, ends) else { return };
    let states = (&naive.states[..], naive.n_initial);
    let runs = Runs::new(&design, &evaluator, states, &edges, &ends);
    for command in &design.commands {
        let Some(wanted) = runs.satisfy(command) else { continue };
        let asked = system.asked.iter().find(|asked| asked.name == command.name).expect("asked");
        let Some(holds) = answer(system, asked, fairness(system)) else { continue };
        assert_eq!(holds, wanted, "`{}`\n{text}", command.name);
        tally.commands += 1;
        tally.violated += usize::from(!wanted);
        tally.fair += usize::from(!system.fairness.is_empty());
        if holds && !system.fairness.is_empty() {
            tally.by_fairness +=
                usize::from(answer(system, asked, Fairness::default()) == Some(false));
        }
    }
}

#[test]
fn random_designs_step_and_run_as_the_evaluator_does() {
    let mut tally = Tally::default();
    check(240, |choices| compare(&designs::design(choices), &mut tally));
    // Something of everything was there.
    let Tally { compared, states, several_initial, failing, commands, violated, .. } = tally;
    let told = format!("{tally:?}");
    assert!(compared > 150 && states > 1_000 && several_initial > 20 && failing > 5, "{told}");
    assert!(commands > 100 && violated > 20 && violated + 20 < commands, "{told}");
    assert!(tally.fair > 40 && tally.by_fairness > 2 && tally.symmetric > 2, "{told}");
}

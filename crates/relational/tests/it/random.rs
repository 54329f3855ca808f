//! Random designs: the model against the naive evaluator, state by state, step by step; and commands
//! against a naive search of the graph that the evaluator spans. `QUADRILLE_ROUNDS=25` tries 5,000.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_engine::{
    Graph, Interpretation, LtlOptions, Meaning as EngineMeaning, check_ltl, unobserved,
};
use quadrille_model::{Model, Value, Verdict};
use quadrille_relational::eval::{Bindings, Evaluator, State};
use quadrille_relational::types::core::{Formula, Temporal};
use quadrille_relational::{Design, Meaning, System, World};
use quadrille_workshop::{check, designs};

use crate::design;

/// States that are compared; what lies behind is left out.
const MOST_STATES: usize = 150;

/// A state in names: the tuples of everything that has a slot.
type Named = BTreeSet<String>;

/// What can happen in a state; `None` where something cannot be computed.
type Steps = Option<BTreeSet<(String, Named)>>;

/// What can be reached, in names.
#[derive(PartialEq, Debug, Default)]
struct Reached {
    initial: BTreeSet<Named>,
    steps: BTreeMap<Named, Steps>,
    ends: BTreeMap<Named, Option<bool>>,
}

/// A state by the names of its tuples.
fn of_state(design: &Design, world: &World, state: &State) -> Named {
    let mut named = Named::new();
    for (relation, tuples) in design.relations.iter().zip(&state.0) {
        for tuple in tuples {
            let names: Vec<&str> =
                tuple.iter().map(|atom| world.names[*atom as usize].as_str()).collect();
            named.insert(format!("{}: {}", relation.name, names.join(" ")));
        }
    }
    named
}

fn reached_by_model(system: &System, design: &Design, world: &World) -> Reached {
    let of_vector = |state: &[Value]| of_state(design, world, &system.state(state));
    let mut reached = Reached::default();
    let mut explorer = system.explorer();
    let mut todo = VecDeque::new();
    explorer.each_initial(|state| todo.push_back(state.to_vec())).expect("initial states");
    reached.initial = todo.iter().map(|state| of_vector(state)).collect();
    while let Some(state) = todo.pop_front() {
        let named = of_vector(&state);
        if reached.steps.contains_key(&named) || reached.steps.len() >= MOST_STATES {
            continue;
        }
        let (mut steps, mut next) = (BTreeSet::new(), Vec::new());
        let found = explorer.each_successor(&state, |_, action, to| {
            steps.insert((system.action(action).label, of_vector(to)));
            next.push(to.to_vec());
        });
        if found.is_ok() {
            todo.extend(next);
        }
        reached.ends.insert(named.clone(), explorer.may_end(&state).ok());
        reached.steps.insert(named, found.ok().map(|()| steps));
    }
    reached
}

/// The graph that the evaluator spans: states, and for each the positions it leads to.
struct Naive {
    states: Vec<State>,
    initial: usize,
    steps: Vec<Option<Vec<(String, usize)>>>,
    is_complete: bool,
}

fn naive(design: &Design, world: &World, evaluator: &Evaluator<'_>, first: Vec<State>) -> Naive {
    let initial = first.len();
    let mut found = Naive { states: first, initial, steps: Vec::new(), is_complete: true };
    while found.steps.len() < found.states.len() && found.steps.len() < 4 * MOST_STATES {
        let here = found.states[found.steps.len()].clone();
        let Ok(steps) = evaluator.steps(&here) else {
            found.steps.push(None);
            continue;
        };
        let mut edges = Vec::new();
        for step in steps {
            let known = found.states.iter().position(|state| *state == step.next);
            let to = known.unwrap_or(found.states.len());
            if known.is_none() {
                found.states.push(step.next);
            }
            let name = &design.events[step.event].name;
            let atoms: Vec<&str> =
                step.arguments.iter().map(|atom| world.names[*atom as usize].as_str()).collect();
            let label = if atoms.is_empty() {
                name.clone()
            } else {
                format!("{name}[{}]", atoms.join(", "))
            };
            edges.push((label, to));
        }
        found.steps.push(Some(edges));
    }
    found.is_complete = found.steps.len() == found.states.len();
    found
}

impl Naive {
    /// In names, breadth first, as far as the model is explored.
    fn reached(
        &self,
        (design, world): (&Design, &World),
        ends: &dyn Fn(&State) -> Option<bool>,
    ) -> Reached {
        let name = |at: usize| of_state(design, world, &self.states[at]);
        let initial = (0..self.initial).map(name).collect();
        let mut reached = Reached { initial, ..Reached::default() };
        for (at, steps) in self.steps.iter().enumerate() {
            let named = |(label, to): &(String, usize)| (label.clone(), name(*to));
            let steps = steps.as_ref().map(|steps| steps.iter().map(named).collect());
            reached.ends.insert(name(at), ends(&self.states[at]));
            reached.steps.insert(name(at), steps);
        }
        reached
    }

    /// Whether every run satisfies a formula of one of the shapes that are drawn; `None` if a part of
    /// it cannot be computed.
    fn satisfies(
        &self,
        evaluator: &Evaluator<'_>,
        ends: &[bool],
        formula: &Formula,
    ) -> Option<bool> {
        let holds = |formula: &Formula| -> Option<Vec<bool>> {
            let each =
                self.states.iter().map(|state| evaluator.holds(formula, state, &Bindings::new()));
            each.collect::<Result<_, _>>().ok()
        };
        let starts = 0..self.initial;
        match formula {
            Formula::Unary(Temporal::Eventually, p) => {
                let avoided = self.can_avoid(ends, &holds(p)?);
                Some(!starts.into_iter().any(|at| avoided[at]))
            }
            Formula::Unary(Temporal::Always, body) => match &**body {
                Formula::If(p, q, _) if q.is_temporal() => {
                    let p = holds(p)?;
                    let bad: Vec<bool> = match &**q {
                        Formula::Unary(Temporal::Eventually, q) => self.can_avoid(ends, &holds(q)?),
                        Formula::Unary(Temporal::After, q) => {
                            let q = holds(q)?;
                            (0..self.states.len())
                                .map(|at| self.nexts(ends, at).iter().any(|to| !q[*to]))
                                .collect()
                        }
                        _ => return None,
                    };
                    Some(!(0..self.states.len()).any(|at| p[at] && bad[at]))
                }
                body if !body.is_temporal() => Some(holds(body)?.iter().all(|holds| *holds)),
                _ => None,
            },
            formula if !formula.is_temporal() => {
                let all = holds(formula)?;
                Some(starts.into_iter().all(|at| all[at]))
            }
            _ => None,
        }
    }

    /// Where a run can go from a state; one that ends there stays there.
    fn nexts(&self, ends: &[bool], at: usize) -> Vec<usize> {
        let steps = self.steps[at].as_deref().unwrap_or(&[]);
        let mut nexts: Vec<usize> = steps.iter().map(|(_, to)| *to).collect();
        if steps.is_empty() || ends[at] {
            nexts.push(at);
        }
        nexts
    }

    /// The states from which a run never meets a state with the property: a greatest fixed point.
    fn can_avoid(&self, ends: &[bool], property: &[bool]) -> Vec<bool> {
        let mut avoids: Vec<bool> = property.iter().map(|holds| !holds).collect();
        loop {
            let next: Vec<bool> = (0..avoids.len())
                .map(|at| avoids[at] && self.nexts(ends, at).iter().any(|to| avoids[*to]))
                .collect();
            if next == avoids {
                return avoids;
            }
            avoids = next;
        }
    }
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
}

fn compare(text: &str, tally: &mut Tally) {
    let design = design(text);
    let world = World::new(&design, None).expect("a scope");
    let evaluator = Evaluator::new(&design, &world);
    let (first, system) = (evaluator.initial(), System::new(&design, None));
    let (Ok(first), Ok(system)) = (&first, &system) else {
        let (naive, model) = (first.is_ok(), system.is_ok());
        assert_eq!(naive, model, "initial states can be computed by one only\n{text}");
        tally.refused += 1;
        return;
    };
    tally.compared += 1;
    tally.several_initial += usize::from(first.len() > 1);
    let naive = naive(&design, &world, &evaluator, first.clone());
    let end_of = |state: &State| match &design.end {
        None => Some(false),
        Some(end) => evaluator.holds(end, state, &Bindings::new()).ok(),
    };
    let model = reached_by_model(system, &design, &world);
    let expected = naive.reached((&design, &world), &end_of);
    assert_eq!(model.initial, expected.initial, "initial states\n{text}");
    for (state, steps) in &model.steps {
        let Some(wanted) = expected.steps.get(state) else {
            assert!(!naive.is_complete, "{state:?} cannot be reached\n{text}");
            continue;
        };
        assert_eq!(steps, wanted, "steps of {state:?}\n{text}");
        assert_eq!(model.ends[state], expected.ends[state], "end in {state:?}\n{text}");
        tally.states += 1;
    }
    if naive.is_complete && naive.states.len() <= MOST_STATES {
        assert_eq!(model.steps.len(), naive.states.len(), "number of states\n{text}");
    }
    let fails = naive.steps.iter().any(Option::is_none);
    let ends: Option<Vec<bool>> = naive.states.iter().map(end_of).collect();
    tally.failing += usize::from(fails);
    let (true, false, Some(ends)) = (naive.is_complete, fails, ends) else { return };
    for command in &design.commands {
        let Some(wanted) = naive.satisfies(&evaluator, &ends, &command.formula) else { continue };
        let asked = system.asked.iter().find(|asked| asked.name == command.name).expect("asked");
        let meanings = asked.atoms.iter().map(|atom| match atom {
            Meaning::Proposition(id) => EngineMeaning::Proposition(*id),
            Meaning::Event(name) => {
                EngineMeaning::Action(Box::new(move |action| action.names().contains(name)))
            }
        });
        let interpretation = Interpretation::new(meanings.collect());
        let mut graph = Graph::new(system);
        let options = LtlOptions::default();
        let report =
            check_ltl(&mut graph, &asked.formula, &interpretation, &options, &mut unobserved);
        let holds = matches!(report.expect("an answer").verdict, Verdict::Holds);
        assert_eq!(holds, wanted, "`{}`\n{text}", command.name);
        tally.commands += 1;
        tally.violated += usize::from(!wanted);
    }
}

#[test]
fn random_designs_step_as_the_evaluator_does() {
    let mut tally = Tally::default();
    check(200, |choices| compare(&designs::design(choices), &mut tally));
    // Something of everything was there.
    let Tally { compared, states, several_initial, failing, commands, violated, .. } = tally;
    let told = format!("{tally:?}");
    assert!(compared > 100 && states > 1_000 && several_initial > 20 && failing > 5, "{told}");
    assert!(commands > 50 && violated > 15 && violated + 10 < commands, "{told}");
}

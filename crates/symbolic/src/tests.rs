//! The diagrams and what is computed with them, against naive sets and the explicit engine.

mod binary;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use quadrille_engine::{
    Config, Graph, Interpretation, Limits, LtlOptions, Meaning, Observer, Progress, Property,
    Report, check, check_ctl, check_ltl, unobserved,
};
use quadrille_logic::{AtomId, Formula, Path, Unary};
use quadrille_model::{
    Automaton, Bound, Channel, Counts, Explorer, Flow, GroupId, LocalId, MessageId, Model, Network,
    NetworkBuilder, Problem, PropositionId, Signature, Successors, Template, Value, Verdict,
};
use quadrille_workshop::{Choices, formulas, networks};

use crate::ldd::{EMPTY, Ldd, Node};
use crate::natural::Natural;
use crate::{Budget, Ended, MOST_SLOTS, Meter, Symbolic};

/// Explores without limits.
pub(crate) fn with<T>(
    model: &dyn Model,
    budget: Budget,
    ask: impl FnOnce(&mut Symbolic<'_>, &mut Meter<'_>) -> Result<T, Ended>,
) -> Result<T, Ended> {
    let mut observer = unobserved;
    let mut meter = Meter::new(Limits::default(), budget, &mut observer);
    let mut symbolic = Symbolic::explore(model, budget, &mut meter)?;
    ask(&mut symbolic, &mut meter)
}

/// Nodes are given back whenever possible.
pub(crate) const THRIFTY: Budget =
    Budget { nodes: u32::MAX as u64, steps: u64::MAX, collect_at: 0 };

fn explicit(model: &dyn Model) -> Option<(Counts, Verdict)> {
    let limits = Limits { states: Some(20_000), memory: None };
    let config = Config { limits, ..Config::default() };
    let all = check(model, Vec::new(), &config, &mut unobserved).expect("no problem");
    if all.bound.is_some() {
        return None;
    }
    let dead = check(model, vec![Property::DeadlockFree], &config, &mut unobserved);
    Some((all.counts, dead.expect("no problem").verdicts.remove(0)))
}

/// Counts and the verdict on deadlock are those of the explicit engine, runs as short.
fn agree(model: &dyn Model, budget: Budget) -> bool {
    let Some((counts, deadlock)) = explicit(model) else { return false };
    let found = with(model, budget, |symbolic, meter| {
        Ok((symbolic.size(meter)?, symbolic.check_deadlock(meter)?))
    });
    let (size, verdict) = found.expect("no limit");
    assert_eq!(size.states.to_u64(), Some(counts.states), "states");
    assert_eq!(size.transitions.to_u64(), Some(counts.transitions), "transitions");
    assert_eq!(size.deadlocks.to_u64(), Some(counts.deadlocks), "deadlocks");
    match (verdict, deadlock) {
        (Verdict::Violated(Some(run)), Verdict::Violated(Some(known))) => {
            assert_eq!(run.steps.len(), known.steps.len());
        }
        (one, other) => assert_eq!(one, other),
    }
    true
}

#[test]
fn random_networks_have_the_states_that_the_explicit_engine_finds() {
    let mut compared = 0;
    quadrille_workshop::check(3000, |choices| {
        let network: Network = networks::network(choices);
        compared += usize::from(agree(&network, Budget::default()));
    });
    assert!(compared > 2000, "{compared}");
}

#[test]
fn giving_nodes_back_at_every_chance_changes_nothing() {
    quadrille_workshop::check(500, |choices| {
        agree(&networks::network(choices), THRIFTY);
    });
}

/// Propositions first, then the actions `t0`, `t1`, …
fn interpretation(network: &Network) -> Interpretation<'static> {
    let propositions = 0..network.signature().propositions.len();
    let propositions = propositions.map(|id| Meaning::Proposition(PropositionId::from_usize(id)));
    let actions = (0..3).map(|number| {
        let name = format!("t{number}");
        Meaning::Action(Box::new(move |action: &quadrille_model::Action| action.label == name))
    });
    Interpretation::new(propositions.chain(actions).collect())
}

/// A network that does not say what its propositions mean.
struct Untold<'a>(&'a Network);

impl Model for Untold<'_> {
    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        self.0.explorer()
    }
}

/// The verdict on a formula of branching time is that of the explicit engine, with a run where it
/// finds one.
fn agree_on(network: &Network, formula: &Formula, budget: Budget) {
    let limits = Limits { states: Some(2_000), memory: None };
    let interpretation = interpretation(network);
    let mut graph = Graph::new(network);
    let known = check_ctl(&mut graph, formula, &interpretation, limits, &mut unobserved);
    let known = known.expect("no problem").verdict;
    if matches!(known, Verdict::Unknown(_)) {
        return;
    }
    for model in [network as &dyn Model, &Untold(network)] {
        let found = with(model, budget, |symbolic, meter| {
            symbolic.check_ctl(formula, &interpretation, meter)
        });
        let found = found.expect("no limit");
        assert_eq!(found.word(), known.word(), "{formula:?}");
        if let (Verdict::Violated(run), Verdict::Violated(known)) = (&found, &known) {
            assert_eq!(run.is_some(), known.is_some(), "{formula:?}");
        }
    }
}

#[test]
fn formulas_of_branching_time_are_judged_as_the_explicit_engine_does() {
    quadrille_workshop::check(4000, |choices| {
        let network = networks::network(choices);
        let n_atoms = network.signature().propositions.len() + 3;
        let formula = formulas::branching(choices, 4, n_atoms);
        let budget = if choices.once_in(5) { THRIFTY } else { Budget::default() };
        agree_on(&network, &formula, budget);
    });
}

#[test]
fn formulas_of_linear_time_are_judged_as_the_explicit_engine_does() {
    quadrille_workshop::check(3000, |choices| {
        let network = networks::network(choices);
        let n_atoms = network.signature().propositions.len() + 3;
        let size = 1 + choices.below(8);
        let formula = formulas::linear(choices, size, n_atoms, formulas::Past::Some);
        let limits = Limits { states: Some(2_000), memory: None };
        let interpretation = interpretation(&network);
        let options = LtlOptions { limits, ..LtlOptions::default() };
        let mut graph = Graph::new(&network);
        // All of it, not what the explicit engine needs.
        let small =
            check(&network, Vec::new(), &Config { limits, ..Config::default() }, &mut unobserved);
        if small.expect("no problem").bound.is_some() {
            return;
        }
        let known = check_ltl(&mut graph, &formula, &interpretation, &options, &mut unobserved);
        let Ok(Report { verdict: known, .. }) = known else { return };
        if matches!(known, Verdict::Unknown(_)) {
            return;
        }
        let budget = if choices.once_in(5) { THRIFTY } else { Budget::default() };
        let found = with(&network, budget, |symbolic, meter| {
            symbolic.check_ltl(&formula, &interpretation, meter)
        });
        assert_eq!(found.expect("no limit").word(), known.word(), "{formula:?}");
    });
}

#[test]
fn invariants_are_refuted_by_runs_as_short_as_those_of_the_explicit_engine() {
    quadrille_workshop::check(1000, |choices| {
        let network = networks::network(choices);
        let atom = AtomId::from_usize(choices.below(network.signature().propositions.len() + 1));
        let always = |body| Formula::Unary(Path::All, Unary::Always, Box::new(body));
        let formula = always(!Formula::atom(atom));
        let property = match network.signature().propositions.len() {
            n if n > atom.index() => Property::Always(Box::new(|state| {
                let id = PropositionId::from_usize(atom.index());
                network.explorer().holds(id, state).map(|holds| !holds)
            })),
            _ => Property::Never(Box::new(|action| network.action(action).label == "t0")),
        };
        let limits = Limits { states: Some(2_000), memory: None };
        let config = Config { limits, ..Config::default() };
        let known = check(&network, vec![property], &config, &mut unobserved);
        let known = known.expect("no problem").verdicts.remove(0);
        if matches!(known, Verdict::Unknown(_)) {
            return;
        }
        let meanings = interpretation(&network);
        let ask = |symbolic: &mut Symbolic<'_>, meter: &mut Meter<'_>| {
            symbolic.check_ctl(&formula, &meanings, meter)
        };
        // What is refuted at once may be large: the symbolic engine explores all of it.
        let budget = Budget { steps: 100_000, ..Budget::default() };
        let found = match with(&network, budget, ask) {
            Err(Ended::Budget) => return,
            found => found.expect("no limit"),
        };
        match (found, known) {
            (Verdict::Violated(Some(run)), Verdict::Violated(Some(known))) => {
                assert_eq!(run.steps.len(), known.steps.len());
            }
            (one, other) => assert_eq!(one, other),
        }
    });
}

fn random_set(choices: &mut Choices, n: usize, size: u32) -> BTreeSet<Vec<Value>> {
    let vectors = choices.list(0, 12, |choices| (0..n).map(|_| choices.below_u32(size)).collect());
    vectors.into_iter().collect()
}

fn node(ldd: &mut Ldd, set: &BTreeSet<Vec<Value>>, meter: &mut Meter<'_>) -> Node {
    let mut sum = EMPTY;
    for vector in set {
        let one = ldd.vector(vector, meter).expect("no limit");
        sum = ldd.union(sum, one, meter).expect("no limit");
    }
    sum
}

fn members(ldd: &Ldd, set: Node) -> BTreeSet<Vec<Value>> {
    let mut all = BTreeSet::new();
    ldd.each(set, &mut Vec::new(), &mut |vector| {
        all.insert(vector.to_vec());
        Ok(())
    })
    .expect("no limit");
    all
}

#[test]
fn sets_are_like_sets() {
    quadrille_workshop::check(2000, |choices| {
        let mut observer = unobserved;
        let meter = &mut Meter::new(Limits::default(), Budget::default(), &mut observer);
        let mut ldd = Ldd::new(0);
        let (n, size) = (choices.below(4), 1 + choices.below_u32(12));
        let (a, b) = (random_set(choices, n, size), random_set(choices, n, size));
        let (one, other) = (node(&mut ldd, &a, meter), node(&mut ldd, &b, meter));
        let union = ldd.union(one, other, meter).expect("no limit");
        ldd.collect([one, other, union].into_iter());
        let both = ldd.intersection(one, other, meter).expect("no limit");
        let rest = ldd.difference(one, other, meter).expect("no limit");
        assert_eq!(members(&ldd, union), &a | &b);
        assert_eq!(members(&ldd, both), &a & &b);
        assert_eq!(members(&ldd, rest), &a - &b);
        let count = ldd.count(union, &mut rustc_hash::FxHashMap::default());
        assert_eq!(count.to_u64(), Some((&a | &b).len() as u64));
        // Equal sets are one node, also after nodes were given back.
        assert_eq!(node(&mut ldd, &(&a | &b), meter), union);
    });
}

#[test]
fn numbers_of_any_size_are_added_and_printed() {
    let mut number = Natural::from(1);
    for _ in 0..127 {
        let same = number.clone();
        number.add(&same);
    }
    assert_eq!(number.to_string(), (1u128 << 127).to_string());
    assert_eq!(number.to_u64(), None);
    assert_eq!(Natural::from(u64::MAX).to_u64(), Some(u64::MAX));
    assert_eq!(Natural::from(1_000_000_007_000_000_000).to_string(), "1000000007000000000");
    assert!(Natural::default().is_zero());
    assert_eq!(Natural::default().to_string(), "0");
}

/// Participants that count to three on their own: four to the power of `n` states.
fn counters(n: usize) -> Network {
    let mut builder = NetworkBuilder::default();
    for number in 0..n {
        let counter = Automaton::new(format!("c{number}"), ["0", "1", "2", "3"]);
        let counter = builder.participant(counter).expect("four states");
        for step in 0..3 {
            let step =
                Template::new("count").step(counter, LocalId::new(step), LocalId::new(step + 1));
            builder.template(step).expect("one step");
        }
    }
    builder.build().expect("counters")
}

#[test]
fn limits_and_budgets_end_a_computation() {
    let network = counters(30);
    let explore = |limits: Limits, budget: Budget, observer: &mut Observer<'_>| {
        let mut observe = |progress: &Progress| observer(progress);
        let mut meter = Meter::new(limits, budget, &mut observe);
        let mut symbolic = Symbolic::explore(&network, budget, &mut meter)?;
        Ok(symbolic.size(&mut meter)?.states.to_string())
    };
    let bound = |bound: Bound| Err(Ended::Stopped(bound.into()));
    let all = explore(Limits::default(), Budget::default(), &mut unobserved);
    assert_eq!(all, Ok((1u128 << 60).to_string()));
    let few = Limits { states: Some(20), ..Limits::default() };
    assert_eq!(explore(few, Budget::default(), &mut unobserved), bound(Bound::States(20)));
    let nodes = Budget { nodes: 20, ..Budget::default() };
    assert_eq!(explore(Limits::default(), nodes, &mut unobserved), Err(Ended::Budget));
    let steps = Budget { steps: 300, ..Budget::default() };
    assert_eq!(explore(Limits::default(), steps, &mut unobserved), Err(Ended::Budget));
}

#[test]
fn long_states_fit_the_stack_and_longer_ones_are_left_to_others() {
    let nodes =
        |n: usize| with(&counters(n), Budget::default(), |symbolic, _| Ok(symbolic.n_nodes() > n));
    assert_eq!(nodes(MOST_SLOTS), Ok(true));
    assert_eq!(nodes(MOST_SLOTS + 1), Err(Ended::Budget));
}

#[test]
fn memory_and_the_observer_end_a_computation() {
    // A queue of eighteen places whose contents have no structure at all.
    let mut builder = NetworkBuilder::default();
    let writer = builder.participant(Automaton::new("w", ["w"])).expect("one state");
    let channel = builder.channel(Channel::new("c", 18, ["a", "b", "c"]).between(writer, writer));
    let channel = channel.expect("a channel");
    for message in (0..3).map(MessageId::new) {
        builder.template(Template::new("put").send(channel, message)).expect("a send");
        builder.template(Template::new("get").receive(channel, message)).expect("a receive");
    }
    let network = builder.build().expect("a network");
    let explore = |limits: Limits, observer: &mut Observer<'_>| {
        let mut observe = |progress: &Progress| observer(progress);
        let mut meter = Meter::new(limits, Budget::default(), &mut observe);
        Symbolic::explore(&network, Budget::default(), &mut meter).map(drop)
    };
    let memory = Limits { memory: Some(4 << 20), ..Limits::default() };
    let ended = explore(memory, &mut unobserved);
    assert_eq!(ended, Err(Ended::Stopped(Bound::Memory(4 << 20).into())));
    let mut calls = 0;
    let mut interrupt = |_: &Progress| {
        calls += 1;
        if calls < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(Bound::Interrupted) }
    };
    let ended = explore(Limits::default(), &mut interrupt);
    assert_eq!(ended, Err(Ended::Stopped(Bound::Interrupted.into())));
}

/// A model whose only step cannot be computed.
struct Failing(Network);

impl Model for Failing {
    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(FailingExplorer(self.0.explorer()))
    }
}

struct FailingExplorer<'a>(Box<dyn Explorer + 'a>);

impl Explorer for FailingExplorer<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.0.initial(sink)
    }

    fn successors(&mut self, _: GroupId, _: &[Value], _: &mut dyn Successors) -> Flow {
        ControlFlow::Break(Box::new(Problem::new("division by zero")).into())
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.successors(GroupId::new(0), state, sink)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.0.may_end(state)
    }
}

#[test]
fn a_step_that_cannot_be_computed_is_no_verdict() {
    let failing = Failing(counters(1));
    let ended = with(&failing, Budget::default(), |symbolic, meter| {
        symbolic.size(meter).map(|size| size.states)
    });
    let problem = Box::new(Problem::new("division by zero"));
    assert_eq!(ended, Err(Ended::from(problem)));
}

/// Philosophers who get hungry, take one fork and another, eat, and put them down one by one; the
/// last takes them in the other order. As many states as the Lucas number of three times their number.
fn philosophers(n: usize) -> Network {
    let mut builder = NetworkBuilder::default();
    let positions = ["thinks", "hungry", "one fork", "eats", "one left"];
    let people: Vec<_> = (0..n)
        .map(|number| Automaton::new(format!("p{number}"), positions))
        .map(|person| builder.participant(person).expect("a philosopher"))
        .collect();
    let forks: Vec<_> = (0..n)
        .map(|number| Automaton::new(format!("f{number}"), ["free", "taken"]))
        .map(|fork| builder.participant(fork).expect("a fork"))
        .collect();
    let [free, taken] = [0, 1].map(LocalId::new);
    for (number, &person) in people.iter().enumerate() {
        let next = forks[(number + 1) % n];
        let (first, second) =
            if number + 1 < n { (forks[number], next) } else { (next, forks[number]) };
        let step = |from: u32| {
            let (from, to) = (LocalId::new(from), LocalId::new((from + 1) % 5));
            Template::new("step").step(person, from, to)
        };
        let steps = [
            step(0),
            step(1).step(first, free, taken),
            step(2).step(second, free, taken),
            step(3).step(first, taken, free),
            step(4).step(second, taken, free),
        ];
        for step in steps {
            builder.template(step).expect("a step");
        }
    }
    builder.build().expect("a table")
}

/// Two consecutive Fibonacci numbers around the `n`th make the Lucas number.
fn lucas(n: usize) -> Natural {
    let (mut one, mut other) = (Natural::from(2), Natural::from(1));
    for _ in 0..n {
        one.add(&other);
        std::mem::swap(&mut one, &mut other);
    }
    one
}

#[test]
fn a_hundred_philosophers_are_counted() {
    for n in [2, 3, 8, 16, 100] {
        let found = with(&philosophers(n), Budget::default(), |symbolic, meter| {
            Ok((symbolic.size(meter)?, symbolic.check_deadlock(meter)?))
        });
        let (size, verdict) = found.expect("no limit");
        assert_eq!(size.states, lucas(3 * n), "{n}");
        assert!(size.deadlocks.is_zero() && verdict == Verdict::Holds);
        assert!(size.nodes < 200_000, "{} nodes for {n}", size.nodes);
    }
    assert_eq!(lucas(48).to_string(), "10749957122");
}

//! Searches against a naive one, against known counts, and against limits.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};

use quadrille_model::{
    Explicit, ExplicitBuilder, Explorer, GroupId, Misfit, PropositionId, Signature, Successors,
    Trace,
};

use super::*;
use crate::limits::{Limits, Progress, unobserved};
use crate::toys::{Phil, Scrambled, scrambled_table};
use crate::{Config, Order};

const P: PropositionId = PropositionId::new(0);
const ACTION: ActionId = ActionId::new(3);

/// What a search without packing, table or limits finds: counts, and the length of the shortest
/// trace to a deadlock, to a state where [`P`] holds, and through [`ACTION`].
fn naive(model: &dyn Model) -> (Counts, [Option<u64>; 3]) {
    let mut depths = BTreeMap::new();
    let mut queue = VecDeque::new();
    let mut explorer = model.explorer();
    let started = explorer.each_initial(|state| {
        if depths.insert(state.to_vec(), 0).is_none() {
            queue.push_back(state.to_vec());
        }
    });
    assert_eq!(started, Ok(()));
    let mut counts = Counts { depth: Some(0), ..Counts::default() };
    let mut shortest = [None; 3];
    while let Some(state) = queue.pop_front() {
        let depth = depths[&state];
        counts.depth = Some(depth);
        let mut edges = Vec::new();
        let expanded =
            explorer.each_successor(&state, |_, action, next| edges.push((action, next.to_vec())));
        assert_eq!(expanded, Ok(()));
        counts.transitions += edges.len() as u64;
        if edges.is_empty() && explorer.may_end(&state) == Ok(false) {
            counts.deadlocks += 1;
            shortest[0].get_or_insert(depth);
        }
        if explorer.holds(P, &state) == Ok(true) {
            shortest[1].get_or_insert(depth);
        }
        for (action, next) in edges {
            if action == ACTION {
                shortest[2].get_or_insert(depth + 1);
            }
            if !depths.contains_key(&next) {
                depths.insert(next.clone(), depth + 1);
                queue.push_back(next);
            }
        }
    }
    counts.states = depths.len() as u64;
    (counts, shortest)
}

fn properties(model: &dyn Model) -> Vec<Property<'_>> {
    vec![
        Property::DeadlockFree,
        Property::Always(Box::new(|state| Ok(!model.explorer().holds(P, state)?))),
        Property::Never(Box::new(|action| action == ACTION)),
    ]
}

fn run(model: &dyn Model, properties: Vec<Property>, order: Order) -> Outcome {
    let config = Config { order, ..Config::default() };
    check(model, properties, &config, &mut unobserved).expect("the model repeats itself")
}

fn explore(model: &dyn Model, order: Order) -> Counts {
    let outcome = run(model, Vec::new(), order);
    assert_eq!((outcome.verdicts.len(), outcome.bound), (0, None));
    outcome.counts
}

fn trace(verdict: &Verdict) -> Option<&Trace> {
    match verdict {
        Verdict::Violated(trace) => trace.as_ref(),
        Verdict::Holds => None,
        Verdict::Unknown(bound) => panic!("unexpected bound {bound:?}"),
    }
}

/// Whether a trace shows what it should; that it is a run was replayed before.
fn shows(model: &dyn Model, property: usize, trace: &Trace) -> bool {
    match property {
        0 => trace.ending == Ending::Stuck,
        1 => model.explorer().holds(P, trace.last()) == Ok(true),
        _ => trace.steps.last().is_some_and(|step| step.action == ACTION),
    }
}

fn compare_with_naive(model: &dyn Model) {
    let (counts, shortest) = naive(model);
    for order in [Order::Breadth, Order::Depth] {
        let found = explore(model, order);
        let depth = counts.depth.filter(|_| order == Order::Breadth);
        assert_eq!(Counts { bytes: 0, ..found }, Counts { depth, ..counts }, "{order:?}");
        let together = run(model, properties(model), order);
        for (position, property) in properties(model).into_iter().enumerate() {
            let alone = run(model, vec![property], order);
            for verdict in [&alone.verdicts[0], &together.verdicts[position]] {
                let found = trace(verdict);
                assert_eq!(found.is_some(), shortest[position].is_some(), "property {position}");
                let Some(trace) = found else { continue };
                assert!(shows(model, position, trace), "property {position}: {trace:?}");
                let length = trace.steps.len() as u64;
                let expected = shortest[position].unwrap_or_default();
                assert!(length == expected || order == Order::Depth && length > expected);
            }
        }
    }
}

#[test]
fn random_models_are_searched_like_the_naive_way() {
    quadrille_workshop::check(300, |choices| {
        let model = Scrambled::new(choices);
        let caught = std::panic::catch_unwind(|| compare_with_naive(&model));
        assert!(caught.is_ok(), "{model:?}");
    });
}

#[test]
fn random_tables_are_searched_like_the_naive_way() {
    quadrille_workshop::check(500, |choices| {
        let model = scrambled_table(choices);
        let caught = std::panic::catch_unwind(|| compare_with_naive(&model));
        assert!(caught.is_ok(), "{model:?}");
    });
}

#[test]
fn philosophers_are_as_many_as_lucas_numbers_say() {
    for order in [Order::Breadth, Order::Depth] {
        let counts = explore(&Phil::new(8, true), order);
        assert_eq!((counts.states, counts.transitions, counts.deadlocks), (103_682, 687_768, 0));
        let counts = explore(&Phil::new(6, false), order);
        assert_eq!((counts.states, counts.deadlocks), (5777, 1));
    }
}

#[test]
fn a_state_takes_at_most_sixteen_bytes_more_than_its_bits() {
    let model = Phil::new(8, true);
    let counts = explore(&model, Order::Breadth);
    let budget = 16.0 + f64::from(model.signature().packed_bits()) / 8.0;
    let spent = counts.bytes as f64 / counts.states as f64;
    assert!(spent <= budget, "{spent} of {budget} bytes");
}

#[test]
fn the_shortest_way_into_the_deadlock_is_found() {
    let model = Phil::new(5, false);
    let outcome = run(&model, vec![Property::DeadlockFree], Order::Breadth);
    let trace = trace(&outcome.verdicts[0]).expect("a deadlock");
    // Each becomes hungry and takes the first fork.
    assert_eq!((trace.steps.len(), trace.ending), (10, Ending::Stuck));
}

fn run_within(limits: Limits, observer: &mut Observer<'_>) -> Outcome {
    let model = Phil::new(8, true);
    let config = Config { limits, ..Config::default() };
    check(&model, vec![Property::DeadlockFree], &config, observer)
        .expect("the model repeats itself")
}

#[test]
fn limits_end_in_unknown() {
    let limits = Limits { states: Some(5000), ..Limits::default() };
    let outcome = run_within(limits, &mut unobserved);
    assert_eq!(outcome.verdicts, [Verdict::Unknown(Bound::States(5000))]);
    assert_eq!(outcome.counts.states, 5000);

    let limits = Limits { memory: Some(1 << 19), ..Limits::default() };
    let outcome = run_within(limits, &mut unobserved);
    assert_eq!(outcome.bound, Some(Bound::Memory(1 << 19)));
    assert!(outcome.counts.states > 5000 && outcome.counts.bytes < 1 << 21);

    let limits = Limits { states: Some(103_682), ..Limits::default() };
    assert_eq!(run_within(limits, &mut unobserved).verdicts, [Verdict::Holds]);
}

#[test]
fn the_observer_sees_progress_and_can_end_the_search() {
    let mut seen: Vec<Progress> = Vec::new();
    let outcome = run_within(Limits::default(), &mut |progress: &Progress| {
        seen.push(*progress);
        if seen.len() < 10 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Bound::Interrupted)
        }
    });
    assert_eq!(outcome.verdicts, [Verdict::Unknown(Bound::Interrupted)]);
    // It is asked again while nothing new is counted.
    seen.dedup();
    assert!(seen.is_sorted_by(|one, two| {
        one.states < two.states && one.transitions < two.transitions && one.depth <= two.depth
    }));
    assert_eq!(seen.last().map(|progress| progress.states), Some(outcome.counts.states));
    assert!(seen.iter().all(|progress| progress.frontier < progress.states && progress.bytes > 0));
}

/// A model whose second step is different each time it is asked.
struct Fickle {
    inner: Explicit,
    asked: AtomicU32,
}

impl Model for Fickle {
    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(self)
    }
}

impl Explorer for &Fickle {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.inner.explorer().initial(sink)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let wanders = state == [1];
        let mut wander = |group: GroupId, action, to: &[Value]| {
            let wandered = [to[0] + self.asked.fetch_add(1, Ordering::Relaxed)];
            sink.next(group, action, if wanders { &wandered } else { to })
        };
        self.inner.explorer().successors(group, state, &mut wander)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.successors(GroupId::new(0), state, sink)
    }

    fn may_end(&mut self, _: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(false)
    }
}

#[test]
fn a_model_that_does_not_repeat_itself_gets_no_verdict() {
    let mut table = ExplicitBuilder::default();
    let step = table.action("step");
    for number in 0..2 {
        table.edge(StateId::new(number), step, StateId::new(number + 1));
    }
    table.initial(StateId::new(0)).states(100);
    let model = Fickle { inner: table.build(), asked: AtomicU32::new(0) };
    let outcome = check(&model, vec![Property::DeadlockFree], &Config::default(), &mut unobserved);
    assert_eq!(outcome, Err(Error::Unrepeatable(Misfit::Step(1))));
}

/// Where a [`Broken`] model cannot be computed.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Break {
    Initial,
    Step,
    Proposition,
    End,
}

/// A model that goes from 0 to 1 to 2, where it may end, and breaks on the way.
struct Broken {
    inner: Explicit,
    place: Break,
}

impl Broken {
    fn new(place: Break) -> Self {
        let mut table = ExplicitBuilder::default();
        let step = table.action("step");
        table.proposition("p");
        for number in 0..2 {
            table.edge(StateId::new(number), step, StateId::new(number + 1));
        }
        table.initial(StateId::new(0)).end(StateId::new(2));
        Self { inner: table.build(), place }
    }

    fn fails(&self, place: Break, is_there: bool) -> Result<(), Box<Problem>> {
        let fails = is_there && self.place == place;
        if fails { Err(Box::new(Problem::new("division by zero"))) } else { Ok(()) }
    }
}

impl Model for Broken {
    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn allows_workers(&self) -> bool {
        true
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(self)
    }
}

impl Explorer for &Broken {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        match self.fails(Break::Initial, true) {
            Ok(()) => self.inner.explorer().initial(sink),
            Err(problem) => Flow::Break(problem.into()),
        }
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        match self.fails(Break::Step, state == [1]) {
            Ok(()) => self.inner.explorer().successors(group, state, sink),
            Err(problem) => Flow::Break(problem.into()),
        }
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.successors(GroupId::new(0), state, sink)
    }

    fn holds(&mut self, _: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.fails(Break::Proposition, state == [1]).map(|()| false)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.fails(Break::End, state == [2])?;
        self.inner.explorer().may_end(state)
    }
}

/// No algorithm says that something holds over what could not be computed.
#[test]
fn a_problem_reaches_every_verdict() {
    use quadrille_logic::{AtomId, Formula, Path, Unary};

    use crate::{
        Graph, Interpretation, LtlAlgorithm, LtlOptions, Meaning, Space, Stopped, check_ctl,
        check_ltl,
    };

    let problem = |found: &Error| matches!(found, Error::Problem(p) if p.message.contains("zero"));
    for place in [Break::Initial, Break::Step, Break::Proposition, Break::End] {
        let model = &Broken::new(place);
        let never =
            || -> Box<StateTest<'_>> { Box::new(|state| Ok(!model.explorer().holds(P, state)?)) };
        for order in [Order::Breadth, Order::Depth] {
            let config = Config { order, ..Config::default() };
            let properties = vec![Property::DeadlockFree, Property::Always(never())];
            let found = check(model, properties, &config, &mut unobserved);
            assert!(found.as_ref().is_err_and(problem), "{place:?}: {found:?}");
        }
        let found = Space::new(model).tabulate(Limits::default(), &mut unobserved);
        let is_failed = |stopped: &Stopped| matches!(stopped, Stopped::Failed(e) if problem(e));
        assert!(found.as_ref().is_err_and(is_failed), "{place:?}: {found:?}");
        let atoms = Interpretation::new(vec![Meaning::Proposition(P)]);
        let not_p = || !Formula::atom(AtomId::from_usize(0));
        let always = Formula::unary(Unary::Always, not_p());
        for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested] {
            let options = LtlOptions { algorithm, ..LtlOptions::default() };
            let mut graph = Graph::new(model);
            let found = check_ltl(&mut graph, &always, &atoms, &options, &mut unobserved);
            assert!(found.as_ref().is_err_and(problem), "{place:?}, {algorithm:?}: {found:?}");
        }
        let all = Formula::Unary(Path::All, Unary::Always, Box::new(not_p()));
        let limits = Limits::default();
        let found = check_ctl(&mut Graph::new(model), &all, &atoms, limits, &mut unobserved);
        assert!(found.as_ref().is_err_and(problem), "{place:?}: {found:?}");
    }
}

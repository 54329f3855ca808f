//! Searches against a naive one, against known counts, and against limits.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};

use quadrille_model::{
    Action, Explicit, ExplicitBuilder, Group, GroupId, Layout, Misfit, ParticipantId,
    PropositionId, Successors, Trace,
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
    model.initial(&mut |state| {
        if depths.insert(state.to_vec(), 0).is_none() {
            queue.push_back(state.to_vec());
        }
    });
    let mut counts = Counts { depth: Some(0), ..Counts::default() };
    let mut shortest = [None; 3];
    while let Some(state) = queue.pop_front() {
        let depth = depths[&state];
        counts.depth = Some(depth);
        let mut edges = Vec::new();
        model.expand(&state, &mut |_: GroupId, action: ActionId, next: &[Value]| {
            edges.push((action, next.to_vec()));
        });
        counts.transitions += edges.len() as u64;
        if edges.is_empty() && !model.may_end(&state) {
            counts.deadlocks += 1;
            shortest[0].get_or_insert(depth);
        }
        if model.holds(P, &state) {
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
        Property::Always(Box::new(|state| !model.holds(P, state))),
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
        1 => model.holds(P, trace.last()),
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
    for seed in 0..300 {
        let model = Scrambled::new(seed);
        let caught = std::panic::catch_unwind(|| compare_with_naive(&model));
        assert!(caught.is_ok(), "seed {seed}: {model:?}");
    }
}

#[test]
fn random_tables_are_searched_like_the_naive_way() {
    for seed in 0..500 {
        let model = scrambled_table(seed);
        let caught = std::panic::catch_unwind(|| compare_with_naive(&model));
        assert!(caught.is_ok(), "seed {seed}: {model:?}");
    }
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
    let budget = 16.0 + f64::from(model.layout().packed_bits()) / 8.0;
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
    fn layout(&self) -> &Layout {
        self.inner.layout()
    }

    fn groups(&self) -> &[Group] {
        self.inner.groups()
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        self.inner.initial(sink);
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        let wanders = state == [1];
        self.inner.successors(group, state, &mut |group: GroupId, action, to: &[Value]| {
            let wandered = [to[0] + self.asked.fetch_add(1, Ordering::Relaxed)];
            sink.next(group, action, if wanders { &wandered } else { to });
        });
    }

    fn action(&self, action: ActionId) -> Action {
        self.inner.action(action)
    }

    fn n_actions(&self) -> usize {
        self.inner.n_actions()
    }

    fn participant(&self, participant: ParticipantId) -> String {
        self.inner.participant(participant)
    }

    fn may_end(&self, _: &[Value]) -> bool {
        false
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

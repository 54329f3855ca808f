//! What holds across questions: one exploration for all, one meter for every phase.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_logic::{AtomId, Formula, Path, Unary};
use quadrille_model::{
    Action, ActionId, Bound, Domain, Effect, Explorer, Flow, Group, GroupId, Model, Problem,
    PropositionId, Signature, Slot, SlotId, Successors, Value, Verdict,
};
use quadrille_workshop::Counted;

use crate::toys::Phil;
use crate::{
    Config, Graph, Interpretation, Limits, LtlAlgorithm, LtlOptions, Meaning, Occurrences,
    Progress, Property, Safety, check_ctl, check_ltl, explore, unobserved,
};

fn atom(number: usize) -> Formula {
    Formula::atom(AtomId::from_usize(number))
}

/// Atom `i`: philosopher `i` eats.
fn eats(n: u32) -> Interpretation<'static> {
    let meaning = |philosopher| Meaning::Proposition(PropositionId::new(philosopher));
    Interpretation::new((0..n).map(meaning).collect())
}

fn linear(operator: Unary, formula: Formula) -> Formula {
    Formula::unary(operator, formula)
}

fn branching(path: Path, operator: Unary, formula: Formula) -> Formula {
    Formula::Unary(path, operator, Box::new(formula))
}

#[test]
fn item_31_all_questions_share_one_exploration() {
    let n_expansions = AtomicU64::new(0);
    let model = Counted::new(Phil::new(5, true), &n_expansions);
    let mut no_deadlock = Safety::new(Property::DeadlockFree);
    let mut never_alike =
        Safety::new(Property::Always(Box::new(|state| Ok(!(state[0] == 3 && state[1] == 3)))));
    let mut no_ninth = Safety::new(Property::Never(Box::new(|action| action.number() == 9)));
    let mut occurred = Occurrences::new(&model);
    let config = Config { edges: true, ..Config::default() };
    let mut explored = explore(
        &model,
        &config,
        &mut [&mut no_deadlock, &mut never_alike, &mut no_ninth, &mut occurred],
        &mut unobserved,
    );
    for safety in [&no_deadlock, &never_alike, &no_ninth] {
        assert_eq!(safety.verdict(&explored), Ok(Verdict::Holds));
    }
    assert_eq!(occurred.actions_missing(&model).count(), 0);
    assert_eq!(occurred.groups_missing().count(), 0);
    assert!(occurred.propositions_missing().is_empty());
    assert_eq!(occurred.values_missing().count(), 0);
    let counts = explored.counts();
    let atoms = eats(5);
    let someone = || Formula::or((0..5).map(atom));
    let neighbours = Formula::and([atom(0), atom(1)]);
    let formulas = [
        linear(Unary::Always, !neighbours.clone()),
        linear(Unary::Always, linear(Unary::Eventually, someone())),
        linear(Unary::Eventually, someone()),
    ];
    for (formula, algorithm) in formulas.iter().flat_map(|formula| {
        [LtlAlgorithm::Components, LtlAlgorithm::Nested].map(|algorithm| (formula, algorithm))
    }) {
        let options = LtlOptions { algorithm, ..LtlOptions::default() };
        let report = check_ltl(&mut explored.graph, formula, &atoms, &options, &mut unobserved);
        assert_eq!(report.map(|report| report.verdict), Ok(Verdict::Holds), "{formula:?}");
    }
    let possible = branching(Path::Some, Unary::Eventually, atom(2));
    for formula in [
        branching(Path::All, Unary::Always, possible),
        branching(Path::All, Unary::Always, !neighbours),
    ] {
        let (graph, limits) = (&mut explored.graph, Limits::default());
        let report = check_ctl(graph, &formula, &atoms, limits, &mut unobserved);
        assert_eq!(report.map(|report| report.verdict), Ok(Verdict::Holds), "{formula:?}");
    }
    assert_eq!(n_expansions.load(Ordering::Relaxed), counts.states);
    let later = explored.counts();
    assert_eq!((later.states, later.transitions), (counts.states, counts.transitions));
}

#[test]
fn item_31_a_formula_that_is_stopped_does_not_stop_the_others() {
    let n_expansions = AtomicU64::new(0);
    let model = Counted::new(Phil::new(6, true), &n_expansions);
    let mut graph = Graph::new(&model);
    let (atoms, options) = (eats(6), LtlOptions::default());
    let recurs = linear(Unary::Always, linear(Unary::Eventually, Formula::or((0..6).map(atom))));
    let mut late = |_: &Progress| ControlFlow::Break(Bound::Time(1));
    let stopped = check_ltl(&mut graph, &recurs, &atoms, &options, &mut late);
    assert_eq!(stopped.map(|r| r.verdict), Ok(Verdict::Unknown(Bound::Time(1))));
    let report = check_ltl(&mut graph, &recurs, &atoms, &options, &mut unobserved);
    assert_eq!(report.map(|report| report.verdict), Ok(Verdict::Holds));
    assert_eq!(n_expansions.load(Ordering::Relaxed), graph.counts().states);
}

/// Always possible that a philosopher eats.
fn possible() -> Formula {
    branching(Path::All, Unary::Always, branching(Path::Some, Unary::Eventually, atom(0)))
}

#[test]
fn item_10_the_limit_of_memory_holds_for_branching_time() {
    let model = Phil::new(7, true);
    let whole = check_ctl(
        &mut Graph::new(&model),
        &possible(),
        &eats(7),
        Limits::default(),
        &mut unobserved,
    );
    let whole = whole.expect("checkable");
    assert_eq!(whole.verdict, Verdict::Holds);
    for memory in [100_000, whole.product.bytes / 2, whole.product.bytes * 4 / 5] {
        let limits = Limits { memory: Some(memory), ..Limits::default() };
        let mut graph = Graph::new(&model);
        let report = check_ctl(&mut graph, &possible(), &eats(7), limits, &mut unobserved);
        let report = report.expect("checkable");
        assert_eq!(report.verdict, Verdict::Unknown(Bound::Memory(memory)));
        // What is met between two looks at the limits goes beyond: a chunk of edges and some states.
        assert!(graph.bytes() as u64 <= memory + 1_500_000, "{}", graph.bytes());
    }
}

#[test]
fn item_10_the_observer_is_called_while_formulas_are_labelled() {
    let model = Phil::new(7, true);
    let mut graph = Graph::new(&model);
    let limits = Limits::default();
    let explored = check_ctl(&mut graph, &Formula::True, &eats(7), limits, &mut unobserved);
    assert_eq!(explored.map(|report| report.verdict), Ok(Verdict::Holds));
    let mut stop = |_: &Progress| ControlFlow::Break(Bound::Interrupted);
    let report = check_ctl(&mut graph, &possible(), &eats(7), limits, &mut stop);
    assert_eq!(report.map(|r| r.verdict), Ok(Verdict::Unknown(Bound::Interrupted)));
}

#[test]
fn item_11_branching_time_takes_sixteen_bytes_per_edge() {
    let model = Phil::new(8, true);
    let mut graph = Graph::new(&model);
    let limits = Limits::default();
    let report = check_ctl(&mut graph, &possible(), &eats(8), limits, &mut unobserved);
    let report = report.expect("checkable");
    assert_eq!(report.verdict, Verdict::Holds);
    let beside = report.product.bytes - graph.space().bytes() as u64;
    let per_edge = beside as f64 / graph.counts().transitions as f64;
    assert!(per_edge <= 16.0, "{per_edge} bytes per edge");
}

#[test]
fn item_11_nested_search_keeps_no_edges() {
    let model = Phil::new(7, true);
    let formula = linear(Unary::Always, linear(Unary::Eventually, Formula::or((0..7).map(atom))));
    let beside = [LtlAlgorithm::Components, LtlAlgorithm::Nested].map(|algorithm| {
        let mut graph = Graph::new(&model);
        let options = LtlOptions { algorithm, ..LtlOptions::default() };
        let report = check_ltl(&mut graph, &formula, &eats(7), &options, &mut unobserved);
        assert_eq!(report.map(|report| report.verdict), Ok(Verdict::Holds));
        assert_eq!(graph.counts().transitions, 142_065);
        graph.bytes() - graph.space().bytes()
    });
    assert!(beside[0] > 142_065 * 8 && beside[1] < 142_065 * 4, "{beside:?}");
}

/// One state with very many successors, which are large.
struct Wide {
    signature: Signature,
}

const N_SLOTS: usize = 64;
const WIDTH: u32 = 1_000_000;

impl Wide {
    fn new() -> Self {
        let slot = |number| Slot::new(format!("s{number}"), Domain::Interned);
        let mut signature = Signature::new((0..N_SLOTS).map(slot).collect());
        let slots: Vec<SlotId> = signature.slot_ids().collect();
        let effects = slots.iter().copied().map(Effect::any).collect();
        signature.groups.push(Group { reads: slots, effects, ..Group::default() });
        signature.tasks.push("t".to_owned());
        signature.actions.push(Action::anonymous("a"));
        Self { signature }
    }
}

impl Model for Wide {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn allows_workers(&self) -> bool {
        true
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(self)
    }
}

impl Explorer for &Wide {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        sink(&[0; N_SLOTS])
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let width = if state[0] == 0 { WIDTH } else { 0 };
        let mut numbers = 1..=width;
        numbers.try_for_each(|number| sink.next(group, ActionId::new(0), &[number; N_SLOTS]))
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.successors(GroupId::new(0), state, sink)
    }

    fn may_end(&mut self, _: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(true)
    }
}

#[test]
fn item_27_limits_act_inside_one_expansion() {
    let model = Wide::new();
    let run = |limits, observer: &mut crate::Observer<'_>| {
        let explored = explore(&model, &Config { limits, ..Config::default() }, &mut [], observer);
        let stopped = explored.stopped().cloned();
        let Some(crate::Stopped::Bound(bound)) = stopped else { panic!("{stopped:?}") };
        (bound, explored.counts())
    };
    let limits = Limits { states: Some(100), ..Limits::default() };
    let (bound, counts) = run(limits, &mut unobserved);
    assert_eq!((bound, counts.states), (Bound::States(100), 100));
    let limits = Limits { memory: Some(10_000_000), ..Limits::default() };
    let (bound, counts) = run(limits, &mut unobserved);
    assert_eq!(bound, Bound::Memory(10_000_000));
    assert!(counts.bytes < 20_000_000, "{} bytes", counts.bytes);
    let mut stop = |_: &Progress| ControlFlow::Break(Bound::Time(3));
    let (bound, counts) = run(Limits::default(), &mut stop);
    assert_eq!(bound, Bound::Time(3));
    assert!(counts.states < 50_000, "{} states", counts.states);
}

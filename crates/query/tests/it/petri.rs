//! Petri nets: every part of the portfolio, every rule that makes nets smaller and every model of a net
//! gives the answers of naive code, on random bounded nets with random formulas. `QUADRILLE_ROUNDS=84`
//! tries 5,040 nets on the parts of the portfolio.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;

use quadrille_diagnostic::Sources;
use quadrille_engine::{Graph, LtlOptions, Progress, check_ctl, check_ltl, unobserved};
use quadrille_model::{Bound, Checked, Model, Verdict};
use quadrille_petri::{
    Formula, Keep, Kind, Net, NetModel, PlaceId, Rule, Slots, Tokens, Transition, bounds, replay,
    semiflows, smaller,
};
use quadrille_query::petri::{
    Exam, Found, Row, Rules, Settings, Task, TaskKind, examine, expected_answers, read_instance,
};
use quadrille_query::{Memory, Unwatched, Watcher};
use quadrille_workshop::{Choices, check, conformance, shared};

/// Markings of a net that is small enough.
struct Markings {
    all: Vec<Vec<Tokens>>,
    next: Vec<Vec<usize>>,
}

const MOST: usize = 250;

impl Markings {
    /// All of them, unless there are too many.
    fn of(net: &Net) -> Option<Self> {
        let mut all = vec![net.initial.clone()];
        let mut numbers = BTreeMap::from([(net.initial.clone(), 0)]);
        let (mut next, mut queue) = (Vec::new(), VecDeque::from([0]));
        while let Some(number) = queue.pop_front() {
            let mut successors = Vec::new();
            for id in net.transition_ids() {
                let mut marking: Vec<Tokens> = all[number].clone();
                if !net.is_enabled(id, &marking) {
                    continue;
                }
                assert!(net.fire(id, &mut marking));
                let known = *numbers.entry(marking.clone()).or_insert_with(|| {
                    all.push(marking);
                    queue.push_back(all.len() - 1);
                    all.len() - 1
                });
                successors.push(known);
            }
            next.push(successors);
            if all.len() > MOST || all.iter().flatten().any(|&tokens| tokens > 40) {
                return None;
            }
        }
        Some(Self { all, next })
    }

    /// Where a formula of branching time holds, by its definition.
    fn satisfying(&self, net: &Net, formula: &Formula) -> Vec<bool> {
        if formula.is_state() {
            return self.all.iter().map(|marking| formula.holds(net, marking)).collect();
        }
        let inner = |part: &Formula| self.satisfying(net, part);
        let not = |values: Vec<bool>| values.into_iter().map(|value| !value).collect::<Vec<_>>();
        let each = |parts: &[Formula], all: bool| {
            let columns: Vec<Vec<bool>> = parts.iter().map(inner).collect();
            let row = |state: usize| {
                let mut values = columns.iter().map(|column| column[state]);
                if all { values.all(|value| value) } else { values.any(|value| value) }
            };
            (0..self.all.len()).map(row).collect::<Vec<bool>>()
        };
        match formula {
            Formula::Not(part) => not(inner(part)),
            Formula::And(parts) => each(parts, true),
            Formula::Or(parts) => each(parts, false),
            Formula::Some(part) => match &**part {
                Formula::Next(body) => {
                    let body = inner(body);
                    self.next.iter().map(|next| next.iter().any(|&state| body[state])).collect()
                }
                Formula::Finally(body) => self.until(&vec![true; self.all.len()], inner(body)),
                Formula::Until(hold, goal) => self.until(&inner(hold), inner(goal)),
                Formula::Globally(body) => self.always(inner(body)),
                other => inner(other),
            },
            Formula::All(part) => match &**part {
                Formula::Next(body) => {
                    let body = inner(body);
                    self.next.iter().map(|next| next.iter().all(|&state| body[state])).collect()
                }
                Formula::Finally(body) => not(self.always(not(inner(body)))),
                Formula::Globally(body) => {
                    not(self.until(&vec![true; self.all.len()], not(inner(body))))
                }
                Formula::Until(hold, goal) => {
                    // Some run never meets the goal, or leaves `hold` before.
                    let (hold, goal) = (inner(hold), inner(goal));
                    let neither = hold.iter().zip(&goal).map(|(a, b)| !a && !b).collect();
                    let one = self.until(&not(goal.clone()), neither);
                    let other = self.always(not(goal));
                    one.iter().zip(other).map(|(a, b)| !a && !b).collect()
                }
                other => inner(other),
            },
            other => panic!("{other:?} is not of branching time"),
        }
    }

    fn until(&self, hold: &[bool], goal: Vec<bool>) -> Vec<bool> {
        let mut found = goal;
        loop {
            let before = found.clone();
            for state in 0..found.len() {
                found[state] |= hold[state] && self.next[state].iter().any(|&next| found[next]);
            }
            if found == before {
                return found;
            }
        }
    }

    fn always(&self, body: Vec<bool>) -> Vec<bool> {
        let mut found = body;
        loop {
            let before = found.clone();
            for state in 0..found.len() {
                let next = &self.next[state];
                found[state] &= next.is_empty() || next.iter().any(|&next| found[next]);
            }
            if found == before {
                return found;
            }
        }
    }
}

/// A net of a few places. Most transitions take as much as they give.
fn net(choices: &mut Choices) -> Net {
    let n_places = 1 + choices.below(6);
    let bag = |choices: &mut Choices, most: usize| {
        let mut bag: BTreeMap<PlaceId, Tokens> = BTreeMap::new();
        for _ in 0..choices.below(most + 1) {
            let place = PlaceId::from_usize(choices.below(n_places));
            *bag.entry(place).or_default() += 1;
        }
        bag.into_iter().collect::<Vec<_>>()
    };
    let transitions = (0..1 + choices.below(7)).map(|number| {
        let take = bag(choices, 3);
        let n_taken: Tokens = take.iter().map(|entry| entry.1).sum();
        let more = usize::from(choices.once_in(12));
        let put = bag(choices, n_taken as usize + more);
        Transition { id: format!("t{number}"), take, put }
    });
    let transitions = transitions.collect();
    let initial = (0..n_places).map(|_| [0, 1, 1, 2, 3][choices.below(5)]).collect();
    Net {
        id: "random".to_owned(),
        places: (0..n_places).map(|place| format!("p{place}")).collect(),
        transitions,
        initial,
        ..Net::default()
    }
}

fn about_marking(choices: &mut Choices, net: &Net, depth: usize) -> Formula {
    let place = |choices: &mut Choices| PlaceId::from_usize(choices.below(net.n_places()));
    match choices.below(if depth == 0 { 3 } else { 6 }) {
        0 => Formula::at_most(vec![(place(choices), 1)], choices.below(3) as i64),
        1 => {
            let transition =
                quadrille_petri::TransitionId::from_usize(choices.below(net.transitions.len()));
            Formula::fireable(net, &[transition])
        }
        2 => {
            let (one, other) = (place(choices), place(choices));
            let factor = [1, -1, 2][choices.below(3)];
            Formula::at_most(vec![(one, 1), (other, factor)], choices.below(4) as i64 - 1)
        }
        3 => !about_marking(choices, net, depth - 1),
        4 => Formula::and([
            about_marking(choices, net, depth - 1),
            about_marking(choices, net, depth - 1),
        ]),
        _ => Formula::or([
            about_marking(choices, net, depth - 1),
            about_marking(choices, net, depth - 1),
        ]),
    }
}

fn temporal(choices: &mut Choices, mut inner: impl FnMut(&mut Choices) -> Formula) -> Formula {
    let one = Box::new(inner(choices));
    match choices.below(4) {
        0 => Formula::Finally(one),
        1 => Formula::Globally(one),
        2 => Formula::Until(one, Box::new(inner(choices))),
        _ => Formula::Next(one),
    }
}

fn branching(choices: &mut Choices, net: &Net, depth: usize) -> Formula {
    let below = |choices: &mut Choices| match depth {
        0 => about_marking(choices, net, 1),
        _ => branching(choices, net, depth - 1),
    };
    match choices.below(5) {
        0 => about_marking(choices, net, 1),
        1 => !below(choices),
        2 => Formula::and([below(choices), below(choices)]),
        3 => Formula::All(Box::new(temporal(choices, below))),
        _ => Formula::Some(Box::new(temporal(choices, below))),
    }
}

fn linear(choices: &mut Choices, net: &Net, depth: usize) -> Formula {
    let below = |choices: &mut Choices| match depth {
        0 => about_marking(choices, net, 1),
        _ => linear(choices, net, depth - 1),
    };
    match choices.below(5) {
        0 => about_marking(choices, net, 1),
        1 => !below(choices),
        2 => Formula::or([below(choices), below(choices)]),
        _ => temporal(choices, below),
    }
}

fn plain(net: &Net) -> NetModel {
    NetModel::new(net.clone(), Slots::plain(net), &vec![None; net.n_places()], true)
}

/// The questions of every kind, with the answers of naive code.
fn questions(choices: &mut Choices, net: &Net, markings: &Markings) -> Vec<(Task, Found)> {
    let mut all = Vec::new();
    let mut add = |exam, ask, found| all.push((Task { exam, id: String::new(), ask }, found));
    let n_edges: usize = markings.next.iter().map(Vec::len).sum();
    let most = markings.all.iter().flatten().max().copied().unwrap_or(0);
    let total = markings.all.iter().map(|it| it.iter().sum::<Tokens>()).max().unwrap_or(0);
    let figures =
        [markings.all.len().to_string(), n_edges.to_string(), most.to_string(), total.to_string()];
    add(Exam::StateSpace, TaskKind::StateSpace, Found::Size(figures));
    let fireable = |id| {
        markings.satisfying(net, &Formula::fireable(net, &[id])).into_iter().collect::<Vec<_>>()
    };
    let fires = |id| fireable(id).contains(&true);
    add(Exam::QuasiLiveness, TaskKind::QuasiLive, Found::Truth(net.transition_ids().all(fires)));
    let again = |id| {
        markings.until(&vec![true; markings.all.len()], fireable(id)).into_iter().all(|value| value)
    };
    add(Exam::Liveness, TaskKind::Live, Found::Truth(net.transition_ids().all(again)));
    let is_stable = |place: PlaceId| {
        markings.all.iter().all(|it| it[place.index()] == net.initial[place.index()])
    };
    add(Exam::StableMarking, TaskKind::Stable, Found::Truth(net.place_ids().any(is_stable)));
    let places: Vec<PlaceId> = net.place_ids().filter(|_| choices.coin()).collect();
    if !places.is_empty() {
        let sum = |marking: &Vec<Tokens>| {
            places.iter().map(|place| u64::from(marking[place.index()])).sum::<u64>()
        };
        let bound = markings.all.iter().map(sum).max().unwrap_or(0);
        add(Exam::UpperBounds, TaskKind::Bound(places), Found::Number(bound));
    }
    let mut formulas = vec![Formula::Some(Box::new(Formula::Finally(Box::new(Formula::Dead))))];
    for _ in 0..2 {
        let goal = about_marking(choices, net, 2);
        formulas.push(Formula::Some(Box::new(Formula::Finally(Box::new(goal)))));
        let always = about_marking(choices, net, 2);
        formulas.push(Formula::All(Box::new(Formula::Globally(Box::new(always)))));
        formulas.push(branching(choices, net, 2));
    }
    for formula in formulas {
        let holds = markings.satisfying(net, &formula)[0];
        add(Exam::CtlFireability, TaskKind::Formula(formula), Found::Truth(holds));
    }
    for _ in 0..2 {
        let formula = Formula::All(Box::new(linear(choices, net, 2)));
        if formula.kind() == Kind::Linear {
            let holds = by_graph(net, &formula);
            add(Exam::LtlFireability, TaskKind::Formula(formula), Found::Truth(holds));
        }
    }
    all
}

/// A formula on all markings one by one, each place in a slot of its own.
fn by_graph(net: &Net, formula: &Formula) -> bool {
    use quadrille_query::petri::prepared;
    let mut model = plain(net);
    let (formula, interpretation, is_linear) = prepared(&mut model, formula);
    let graph = &mut Graph::new(&model);
    let report = if is_linear {
        check_ltl(graph, &formula, &interpretation, &LtlOptions::default(), &mut unobserved)
    } else {
        check_ctl(graph, &formula, &interpretation, Default::default(), &mut unobserved)
    };
    report.expect("it can be checked").verdict == Verdict::Holds
}

/// Lets everything go on, with a thread that helps.
struct Helped;

impl Watcher for Helped {
    fn begin(&mut self, _: &str) {}

    fn look(&mut self, _: &Progress) -> ControlFlow<Bound> {
        ControlFlow::Continue(())
    }

    fn seconds(&self) -> f64 {
        0.0
    }

    fn helper(&self) -> Option<Box<dyn Watcher + Send>> {
        Some(Box::new(Unwatched))
    }
}

fn answers(
    net: &Net,
    questions: &[(Task, Found)],
    settings: &Settings,
    watcher: &mut dyn Watcher,
) -> Vec<Found> {
    let tasks: Vec<Task> = questions.iter().map(|(task, _)| task.clone()).collect();
    let mut found = vec![None; tasks.len()];
    examine(net, &tasks, settings, watcher, &mut |task, reply| {
        assert!(found[task].is_none(), "answered twice");
        found[task] = Some(reply.found);
    });
    found.into_iter().map(|found| found.expect("every question is answered")).collect()
}

/// A smaller net need not be bounded.
const LIMITS: quadrille_engine::Limits =
    quadrille_engine::Limits { states: Some(20_000), memory: None };

const NOTHING: Settings = Settings {
    limits: LIMITS,
    seconds: None,
    structural: false,
    traps: false,
    random: false,
    steps: 1000,
    symbolic: false,
    rules: Rules::NONE,
    explicit: false,
    runs: false,
};

#[test]
fn every_part_of_the_portfolio_gives_the_naive_answer() {
    check(60, |choices| {
        let net = net(choices);
        let Some(markings) = Markings::of(&net) else { return };
        let questions = questions(choices, &net, &markings);
        let all = Rules::ALL;
        let mut settings = vec![
            (Settings { structural: true, ..NOTHING }, false),
            (Settings { structural: true, traps: true, ..NOTHING }, false),
            (Settings { symbolic: true, ..NOTHING }, true),
            (Settings { explicit: true, ..NOTHING }, false),
            (Settings { random: true, rules: all, ..NOTHING }, false),
            (Settings { explicit: true, rules: all, ..NOTHING }, false),
            (Settings { steps: 1000, limits: LIMITS, ..Settings::default() }, true),
        ];
        let rule = choices.below(Rule::ALL.len());
        settings.push((Settings { explicit: true, rules: Rules::only(rule), ..NOTHING }, false));
        for (settings, is_complete) in settings {
            let watcher: &mut dyn Watcher =
                if choices.coin() { &mut Helped } else { &mut Unwatched };
            let found = answers(&net, &questions, &settings, watcher);
            for ((task, expected), found) in questions.iter().zip(found) {
                let is_unknown = matches!(found, Found::Unknown(_));
                assert!(
                    !is_unknown || !is_complete,
                    "{settings:?} does not answer {task:?} of {net:?}"
                );
                assert!(
                    is_unknown || found == *expected,
                    "{settings:?} says {found:?} and not {expected:?} to {task:?} of {net:?}"
                );
            }
        }
    });
}

#[test]
fn smaller_nets_reach_the_same_and_their_runs_are_runs_of_the_net() {
    check(150, |choices| {
        let net = net(choices);
        let Some(markings) = Markings::of(&net) else { return };
        let goal = about_marking(choices, &net, 2);
        let mut kept = vec![false; net.n_places()];
        goal.mark_places(&mut kept);
        let keep = [Keep::Reachability, Keep::Deadlock, Keep::Everything][choices.below(3)];
        let goal = if keep == Keep::Deadlock { Formula::Dead } else { goal };
        let one = Rule::ALL[choices.below(Rule::ALL.len())];
        let rules = if choices.coin() { &Rule::ALL[..] } else { &[one] };
        let small = smaller(&net, &kept, keep, rules);
        let Some(there) = Markings::of(&small.net) else { return };
        let goal_there = goal.renamed(&small.places).expect("places of the goal are kept");
        let reached = |net: &Net, markings: &Markings, goal: &Formula| {
            markings.all.iter().any(|marking| goal.holds(net, marking))
        };
        assert_eq!(
            reached(&small.net, &there, &goal_there),
            reached(&net, &markings, &goal),
            "{rules:?} {keep:?} of {goal:?} in {net:?}"
        );
        for id in
            small.net.transition_ids().filter(|&id| small.net.is_enabled(id, &small.net.initial))
        {
            let end = replay(&net, &small.unreduced(&[id])).expect("a run of the net");
            let mut marking = small.net.initial.clone();
            assert!(small.net.fire(id, &mut marking));
            for place in net.place_ids().filter(|place| kept[place.index()]) {
                let there = small.places[place.index()].expect("it is kept");
                assert_eq!(
                    end[place.index()],
                    marking[there.index()],
                    "{:?} of {net:?}",
                    small.net
                );
            }
        }
    });
}

#[test]
fn what_models_of_nets_declare_is_true() {
    check(150, |choices| {
        let net = net(choices);
        let Some(markings) = Markings::of(&net) else { return };
        let flows = semiflows(&net);
        for flow in &flows {
            for marking in &markings.all {
                let sum: i64 = flow
                    .weights
                    .iter()
                    .map(|&(place, weight)| weight * i64::from(marking[place.index()]))
                    .sum();
                assert_eq!(sum, flow.sum, "{flow:?} of {net:?}");
            }
        }
        let known = bounds(&net, &flows);
        for (slots, known) in [
            (Slots::shared(&net, &flows), known.clone()),
            (Slots::plain(&net), vec![Some(40); net.n_places()]),
        ] {
            let mut model = NetModel::new(net.clone(), slots, &known, true);
            let formula = about_marking(choices, &net, 2);
            let proposition = model.proposition("p", &formula);
            let violations = Checked::new(&model).walk(200);
            assert!(violations.is_empty(), "{violations:?} of {net:?}");
            assert_eq!(quadrille_reduction::audit(&model, 200), Vec::<String>::new(), "{net:?}");
            let mut explorer = model.explorer();
            for marking in &markings.all {
                let state = model.slots().state(marking);
                assert_eq!(model.slots().marking(&state), *marking);
                let holds = explorer.holds(proposition, &state).expect("it can be computed");
                assert_eq!(holds, formula.holds(&net, marking), "{formula:?} in {marking:?}");
            }
        }
    });
}

#[test]
fn the_state_equation_refutes_nothing_that_is_reachable() {
    check(300, |choices| {
        let net = net(choices);
        let Some(markings) = Markings::of(&net) else { return };
        let equation = quadrille_petri::Equation::new(&net, choices.coin());
        let goal = about_marking(choices, &net, 2);
        let is_reached = markings.all.iter().any(|marking| goal.holds(&net, marking));
        if equation.refutes(&goal.pushed(false), &mut || true) {
            assert!(!is_reached, "{goal:?} of {net:?}");
        }
        for place in net.place_ids() {
            let most =
                markings.all.iter().map(|it| i64::from(it[place.index()])).max().unwrap_or(0);
            if let Some(bound) = equation.bound(&vec![(place, 1)]) {
                assert!(bound >= most, "{place:?} of {net:?}");
            }
        }
    });
}

/// Small nets of the contest; `cargo xtask bench petri` asks about all that are beside the repository.
const SMALL: [&str; 12] = [
    "AutonomousCar-PT-01a",
    "CircadianClock-PT-000001",
    "Eratosthenes-PT-010",
    "LamportFastMutEx-PT-2",
    "NQueens-PT-05",
    "ResAllocation-PT-R002C002",
    "ResAllocation-PT-R003C003",
    "ShieldRVs-PT-001A",
    "Sudoku-PT-AN01",
    "Sudoku-PT-AN02",
    "TokenRing-PT-005",
    "UtilityControlRoom-PT-Z2T4N02",
];

/// The files of a net, in memory.
fn files_of(folder: &Path) -> Memory {
    let words = Exam::ALL.map(|exam| format!("{}.xml", exam.word()));
    let names = words.iter().map(String::as_str).chain(["model.pnml"]);
    let present = names.filter(|name| folder.join(name).is_file());
    let name = folder.file_name().expect("the folder of a net");
    let file =
        |file: &str| (Path::new(name).join(file), shared::text(&folder.join(file)).into_bytes());
    Memory(present.map(file).collect())
}

#[conformance]
fn small_nets_of_the_contest_get_the_agreed_answers() {
    let folder = shared::path("petri");
    let expected = expected_answers(&shared::text(&folder.join("expected.tsv")));
    for name in SMALL {
        let mut sources = Sources::default();
        let files = files_of(&folder.join(name));
        let instance = read_instance(&files, &mut sources, Path::new(name), &Exam::ALL)
            .unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        assert!(instance.problems.is_empty(), "{name}: {:?}", instance.problems);
        let answer = |task: &Task, what: &str| {
            let is_it = |row: &&Row| {
                row.instance == name && row.exam == task.exam.word() && row.what == what
            };
            expected.iter().find(is_it).map(|row| row.answer.clone())
        };
        let settings = Settings { steps: 5000, ..Settings::default() };
        let mut n_compared = 0;
        examine(&instance.net, &instance.tasks, &settings, &mut Unwatched, &mut |task, reply| {
            let task = &instance.tasks[task];
            let (found, wanted) = match &reply.found {
                Found::Truth(value) => (value.to_string(), answer(task, &task.id)),
                Found::Number(number) => (number.to_string(), answer(task, &task.id)),
                Found::Size([states, ..]) => (states.clone(), answer(task, "states")),
                Found::Unknown(why) => (format!("unknown: {why}"), answer(task, &task.id)),
            };
            if let Some(wanted) = wanted {
                n_compared += 1;
                assert_eq!(found, wanted.to_lowercase(), "{name} {task:?} by {:?}", reply.by);
            }
        });
        assert!(n_compared > 10, "{name}: only {n_compared} answers were compared");
    }
}

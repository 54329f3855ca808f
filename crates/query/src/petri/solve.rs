//! The portfolio: what follows from the net alone, then random walks, then sets of markings, then for each
//! question a smaller net that answers it.

use quadrille_engine::Progress;
use quadrille_model::Bound;
use quadrille_petri::{
    Facts, Formula, Goals, Kind, Net, NetModel, Slots, Sum, Tokens, bounds, growing, replay,
    semiflows, walk,
};
use quadrille_symbolic::{Budget, Ended, Meter, Symbolic};

use super::alone::Alone;
use super::formulas::Prepared;
use super::settings::Settings;
use super::{Found, Reply, Task, TaskKind};
use crate::ask::Watcher;

/// Steps that look for a place which grows without end.
const GROWING_STEPS: u64 = 200_000;
/// More bounds are not asked of the state equation.
const MOST_BOUNDS: usize = 400;

/// A marking that is looked for, for a question.
pub(super) struct Part {
    task: usize,
    pub goal: Formula,
    /// Whether it is reachable, when that is known.
    reached: Option<bool>,
}

/// The state of an examination.
struct Portfolio<'n, 'w> {
    net: &'n Net,
    tasks: &'n [Task],
    settings: &'n Settings,
    watcher: &'w mut dyn Watcher,
    tell: &'w mut dyn FnMut(usize, Reply),
    facts: Facts<'n>,
    /// Per question, its formula as far as that was simplified.
    formulas: Vec<Option<Formula>>,
    /// Per question, the most that is not excluded, where a number is asked for.
    most: Vec<Option<i64>>,
    parts: Vec<Part>,
    is_open: Vec<bool>,
    is_unbounded: bool,
    is_bounded: bool,
}

/// Answers the questions about a net, and tells each answer once, in the order in which they are found.
pub fn examine(
    net: &Net,
    tasks: &[Task],
    settings: &Settings,
    watcher: &mut dyn Watcher,
    tell: &mut dyn FnMut(usize, Reply),
) {
    watcher.begin("what follows from the net");
    let flows = semiflows(net);
    let mut known = bounds(net, &flows);
    if settings.structural && known.contains(&None) && net.n_places() <= MOST_BOUNDS {
        let equation = quadrille_petri::Equation::new(net);
        let mut go_on = shared(&mut *watcher, settings, 0.2);
        for place in net.place_ids() {
            if known[place.index()].is_none() && go_on() {
                let bound = equation.bound(&vec![(place, 1)]);
                known[place.index()] = bound.and_then(|bound| Tokens::try_from(bound).ok());
            }
        }
    }
    let known = known;
    let facts = Facts::new(net, known.clone(), settings.structural);
    let mut portfolio = Portfolio {
        net,
        tasks,
        settings,
        watcher,
        tell,
        facts,
        formulas: vec![None; tasks.len()],
        most: vec![None; tasks.len()],
        parts: Vec::new(),
        is_open: vec![true; tasks.len()],
        is_unbounded: false,
        is_bounded: known.iter().all(Option::is_some),
    };
    portfolio.unbounded(&known);
    portfolio.structural(&known);
    if settings.random {
        portfolio.random();
    }
    let slots = Slots::shared(net, &flows);
    let mut model = NetModel::new(net.clone(), slots, &known, true);
    let is_explored = settings.symbolic && !portfolio.is_unbounded && portfolio.by_sets(&mut model);
    portfolio.alone(is_explored);
    portfolio.give_up();
}

/// The techniques, in the words of the contest.
const STRUCTURAL: &[&str] = &["STRUCTURAL", "STATE_EQUATION"];
const RANDOM: &[&str] = &["RANDOM_WALK"];
const SETS: &[&str] = &["DECISION_DIAGRAMS", "TOPOLOGICAL"];
const GROWTH: &[&str] = &["COVERING"];

impl<'n> Portfolio<'n, '_> {
    fn settle(&mut self, task: usize, found: Found, by: &[&'static str]) {
        if std::mem::replace(&mut self.is_open[task], false) {
            (self.tell)(task, Reply { found, by: by.to_vec() });
        }
    }

    /// Looks for a place that grows without end, where nothing bounds some place.
    fn unbounded(&mut self, known: &[Option<Tokens>]) {
        if known.iter().all(Option::is_some) || !self.settings.structural {
            return;
        }
        let watcher = &mut *self.watcher;
        let mut go_on = || watcher.look(&Progress::default()).is_continue();
        let Some((_, run)) =
            growing(self.net, 1, GROWING_STEPS.min(self.settings.steps), &mut go_on)
        else {
            return;
        };
        if replay(self.net, &run).is_none() {
            return;
        }
        self.is_unbounded = true;
        for task in 0..self.tasks.len() {
            if self.tasks[task].ask == TaskKind::StateSpace {
                let figures = std::array::from_fn(|_| "+inf".to_owned());
                self.settle(task, Found::Size(figures), GROWTH);
            }
        }
    }

    /// Simplifies all questions, and divides those about reachable markings into parts.
    fn structural(&mut self, known: &[Option<Tokens>]) {
        for task in 0..self.tasks.len() {
            self.watcher.begin(&self.tasks[task].id);
            match &self.tasks[task].ask {
                TaskKind::StateSpace => {}
                TaskKind::Formula(formula) => {
                    let simple = match self.settings.structural {
                        true => {
                            let mut go_on = shared(&mut *self.watcher, self.settings, 0.2);
                            self.facts.simplified(formula, &mut go_on)
                        }
                        false => formula.clone(),
                    };
                    if let Formula::Constant(value) = simple {
                        self.settle(task, Found::Truth(value), STRUCTURAL);
                    }
                    match (&simple, simple.kind()) {
                        (Formula::Some(inner), Kind::Reachable) => {
                            if let Formula::Finally(goal) = &**inner {
                                self.part(task, (**goal).clone());
                            }
                        }
                        (Formula::All(inner), Kind::Invariant) => {
                            if let Formula::Globally(always) = &**inner {
                                self.part(task, always.pushed(true));
                            }
                        }
                        _ => {}
                    }
                    self.formulas[task] = Some(simple);
                }
                TaskKind::Bound(places) => self.bound(task, places, known),
                TaskKind::QuasiLive | TaskKind::Live => {
                    if self.tasks[task].ask == TaskKind::Live && !self.net.transitions.is_empty() {
                        self.part(task, Formula::Dead);
                    }
                    for transition in self.net.transition_ids() {
                        let goal = Formula::fireable(self.net, &[transition]);
                        self.part(task, goal);
                    }
                }
                TaskKind::Stable => {
                    for place in self.net.place_ids() {
                        let here = i64::from(self.net.initial[place.index()]);
                        let less = Formula::AtMost(vec![(place, 1)], here - 1);
                        let more = Formula::AtMost(vec![(place, -1)], -here - 1);
                        self.part(task, Formula::or([less, more]));
                    }
                }
            }
            self.conclude(task, STRUCTURAL);
        }
    }

    fn bound(
        &mut self,
        task: usize,
        places: &[quadrille_petri::PlaceId],
        known: &[Option<Tokens>],
    ) {
        let sum: Sum = places.iter().map(|&place| (place, 1)).collect();
        let by_flows: Option<i64> =
            places.iter().map(|place| known[place.index()].map(i64::from)).sum::<Option<i64>>();
        let by_equation = (self.net.n_places() <= MOST_BOUNDS && self.settings.structural)
            .then(|| quadrille_petri::Equation::new(self.net).bound(&sum))
            .flatten();
        let most = match (by_flows, by_equation) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self.most[task] = most;
        if let Some(most) = most {
            let turned = sum.iter().map(|&(place, factor)| (place, -factor)).collect();
            let goal = Formula::at_most(turned, -most);
            self.parts.push(Part { task, goal, reached: None });
        }
    }

    /// A marking that is looked for, unless it is known whether there is one.
    fn part(&mut self, task: usize, goal: Formula) {
        let mut reached = None;
        if self.settings.structural {
            let watcher = &mut *self.watcher;
            let mut go_on = shared(watcher, self.settings, 0.2);
            let asked = Formula::Some(Box::new(Formula::Finally(Box::new(goal.clone()))));
            if let Formula::Constant(value) = self.facts.simplified(&asked, &mut go_on) {
                reached = Some(value);
            }
        }
        self.parts.push(Part { task, goal, reached });
    }

    /// Answers a question whose parts say enough.
    fn conclude(&mut self, task: usize, by: &[&'static str]) {
        if !self.is_open[task] {
            return;
        }
        let parts = || self.parts.iter().filter(|part| part.task == task);
        let any = |wanted: bool| parts().any(|part| part.reached == Some(wanted));
        let all = |wanted: bool| parts().all(|part| part.reached == Some(wanted));
        let found = match &self.tasks[task].ask {
            TaskKind::Formula(_) => {
                let is_invariant =
                    self.formulas[task].as_ref().is_some_and(|it| it.kind() == Kind::Invariant);
                let reached = parts().next().and_then(|part| part.reached);
                reached.map(|reached| Found::Truth(reached != is_invariant))
            }
            TaskKind::QuasiLive if any(false) => Some(Found::Truth(false)),
            TaskKind::QuasiLive if all(true) => Some(Found::Truth(true)),
            TaskKind::Stable if any(false) => Some(Found::Truth(true)),
            TaskKind::Stable if all(true) => Some(Found::Truth(false)),
            TaskKind::Live => {
                let dead =
                    parts().any(|part| part.goal == Formula::Dead && part.reached == Some(true));
                let never =
                    parts().any(|part| part.goal != Formula::Dead && part.reached == Some(false));
                (dead || never).then_some(Found::Truth(false))
            }
            TaskKind::Bound(_) => {
                let most = self.most[task].map(|most| Found::Number(most.max(0).unsigned_abs()));
                most.filter(|_| any(true))
            }
            TaskKind::StateSpace | TaskKind::QuasiLive | TaskKind::Stable => None,
        };
        if let Some(found) = found {
            self.settle(task, found, by);
        }
    }

    /// Walks at random for all parts together. What a walk meets is looked at again from the start.
    fn random(&mut self) {
        self.watcher.begin("random walks");
        let open: Vec<usize> = (0..self.parts.len())
            .filter(|&part| {
                self.parts[part].reached.is_none() && self.is_open[self.parts[part].task]
            })
            .collect();
        if open.is_empty() {
            return;
        }
        let wanted: Vec<Formula> = open.iter().map(|&part| self.parts[part].goal.clone()).collect();
        let mut goals = Goals::new(&wanted);
        let mut go_on = shared(&mut *self.watcher, self.settings, 0.3);
        walk(self.net, &mut goals, 7, self.settings.steps, &mut go_on);
        drop(go_on);
        for ((&part, run), goal) in open.iter().zip(&goals.met).zip(&wanted) {
            let end = run.as_ref().and_then(|run| replay(self.net, run));
            if end.is_some_and(|marking| goal.holds(self.net, &marking)) {
                self.parts[part].reached = Some(true);
                self.conclude(self.parts[part].task, RANDOM);
            }
        }
    }

    /// Explores by sets, and asks everything that is open of the result; whether that came to an end.
    fn by_sets(&mut self, model: &mut NetModel) -> bool {
        if !self.is_open.contains(&true) {
            return true;
        }
        let prepared: Vec<Option<Prepared>> = (0..self.tasks.len())
            .map(|task| {
                let formula = match &self.tasks[task].ask {
                    _ if !self.is_open[task] => return None,
                    TaskKind::Live => Some(live(self.net)),
                    _ => self.formulas[task].clone(),
                };
                formula.map(|formula| Prepared::new(model, &formula))
            })
            .collect();
        let model = &*model;
        self.watcher.begin("the markings of the net");
        let (watcher, limits) = (&mut *self.watcher, self.settings.limits);
        let mut look = |progress: &Progress| watcher.look(progress);
        let mut meter = Meter::new(limits, Budget::default(), &mut look);
        let Ok(mut symbolic) = Symbolic::explore(model, Budget::default(), &mut meter) else {
            return false;
        };
        for task in 0..self.tasks.len() {
            if !self.is_open[task] {
                continue;
            }
            self.watcher.begin(&self.tasks[task].id);
            let watcher = &mut *self.watcher;
            let mut look = |progress: &Progress| watcher.look(progress);
            let mut meter = Meter::new(limits, Budget::default(), &mut look);
            let parts: Vec<usize> = (0..self.parts.len())
                .filter(|&part| self.parts[part].task == task && self.parts[part].reached.is_none())
                .collect();
            let found = match (&self.tasks[task].ask, prepared[task].as_ref()) {
                (TaskKind::StateSpace, _) => size(model, &mut symbolic, &mut meter).map(Some),
                (TaskKind::Bound(places), _) => {
                    let sum: Sum = places.iter().map(|&place| (place, 1)).collect();
                    let most = symbolic.heaviest(&model.weights(&sum), &mut meter);
                    most.map(|most| Some(Found::Number(most.max(0).unsigned_abs())))
                }
                (_, Some(prepared))
                    if parts.is_empty() || self.tasks[task].ask == TaskKind::Live =>
                {
                    checked(&mut symbolic, prepared, &mut meter)
                        .map(|holds| Some(Found::Truth(holds)))
                }
                _ => {
                    let mut ended = Ok(None);
                    for part in parts {
                        let meaning = model.meaning_of(&self.parts[part].goal);
                        match symbolic.meets(&meaning, &mut meter) {
                            Ok(meets) => self.parts[part].reached = Some(meets),
                            Err(why) => ended = Err(why),
                        }
                    }
                    ended
                }
            };
            match found {
                Ok(Some(found)) => self.settle(task, found, SETS),
                _ => self.conclude(task, SETS),
            }
        }
        true
    }

    /// Answers what is left, each question on a net of its own.
    fn alone(&mut self, is_explored: bool) {
        for task in 0..self.tasks.len() {
            if !self.is_open[task] {
                continue;
            }
            self.watcher.begin(&self.tasks[task].id);
            let mut alone = Alone {
                net: self.net,
                settings: self.settings,
                watcher: &mut *self.watcher,
                is_explored,
                is_unbounded: self.is_unbounded,
                is_bounded: self.is_bounded,
                by: Vec::new(),
            };
            let parts: Vec<usize> =
                (0..self.parts.len()).filter(|&part| self.parts[part].task == task).collect();
            if parts.is_empty() {
                let found = match (&self.tasks[task].ask, &self.formulas[task]) {
                    (TaskKind::StateSpace, _) => alone.size(),
                    (TaskKind::Formula(_), Some(formula)) => {
                        alone.formula(formula).map(Found::Truth)
                    }
                    _ => None,
                };
                let by = alone.by;
                if let Some(found) = found {
                    self.settle(task, found, &by);
                }
                continue;
            }
            for part in parts {
                if self.parts[part].reached.is_none() && self.is_open[task] {
                    self.parts[part].reached = alone.reachable(&self.parts[part].goal);
                }
            }
            let by = alone.by;
            self.conclude(task, &by);
        }
    }

    fn give_up(&mut self) {
        for task in 0..self.tasks.len() {
            let why = if self.is_unbounded { "the net is not bounded" } else { "time or memory" };
            self.settle(task, Found::Unknown(why.to_owned()), &[]);
        }
    }
}

/// Whether to go on, within a share of the time of a question.
pub(super) fn shared<'w>(
    watcher: &'w mut dyn Watcher,
    settings: &Settings,
    share: f64,
) -> impl FnMut() -> bool + 'w {
    let most = settings.seconds.map(|seconds| seconds * share);
    move || {
        most.is_none_or(|most| watcher.seconds() < most)
            && watcher.look(&Progress::default()).is_continue()
    }
}

/// What ends a search after a share of the time of a question.
pub(super) fn look_until<'w>(
    watcher: &'w mut dyn Watcher,
    settings: &Settings,
    share: f64,
) -> impl FnMut(&Progress) -> std::ops::ControlFlow<Bound> + 'w {
    let most = settings.seconds.map(|seconds| seconds * share);
    move |progress| match most {
        Some(most) if watcher.seconds() >= most => {
            std::ops::ControlFlow::Break(Bound::Time((most * 1000.0) as u64))
        }
        _ => watcher.look(progress),
    }
}

/// Every transition can always fire again.
fn live(net: &Net) -> Formula {
    Formula::and(net.transition_ids().map(|transition| {
        let fires = Formula::fireable(net, &[transition]);
        let again = Formula::Some(Box::new(Formula::Finally(Box::new(fires))));
        Formula::All(Box::new(Formula::Globally(Box::new(again))))
    }))
}

fn size(
    model: &NetModel,
    symbolic: &mut Symbolic<'_>,
    meter: &mut Meter<'_>,
) -> Result<Found, Ended> {
    let net = model.net();
    let size = symbolic.size(meter)?;
    let mut most = 0;
    for place in net.place_ids() {
        most = most.max(symbolic.heaviest(&model.weights(&[(place, 1)]), meter)?);
    }
    let all: Sum = net.place_ids().map(|place| (place, 1)).collect();
    let total = symbolic.heaviest(&model.weights(&all), meter)?;
    let figures = [size.states.to_string(), size.transitions.to_string()];
    let [states, transitions] = figures;
    Ok(Found::Size([states, transitions, most.to_string(), total.to_string()]))
}

/// Whether a formula holds in the initial marking, by sets.
pub(super) fn checked(
    symbolic: &mut Symbolic<'_>,
    prepared: &Prepared,
    meter: &mut Meter<'_>,
) -> Result<bool, Ended> {
    let interpretation = prepared.interpretation();
    let holds = match prepared.is_linear {
        // For a run, the negation was made already.
        true => symbolic.satisfies_ltl(&prepared.formula, &interpretation, meter)?,
        false => symbolic.satisfies_ctl(&prepared.formula, &interpretation, meter)?,
    };
    Ok(holds != prepared.asks_some)
}

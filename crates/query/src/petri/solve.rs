//! The portfolio: what follows from the net alone, then random walks, then sets of markings, then for each
//! question a smaller net that answers it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use quadrille_engine::{Limits, Progress};
use quadrille_model::{Bound, Condition, Ending};
use quadrille_petri::{
    Equation, Facts, Formula, Goals, Net, NetModel, Slots, Sum, Tokens, TransitionId, bounds,
    growing, replay, semiflows_while, walk,
};
use quadrille_symbolic::{Budget, Ended, MOST_SLOTS, Meter, Symbolic};

use super::formulas::Prepared;
use super::goals::goals;
use super::question::{Answer, Means, Part, Question};
use super::settings::Settings;
use super::{Found, Reply, Task, TaskKind};
use crate::ask::Watcher;

/// Steps that look for a place which grows without end.
const GROWING_STEPS: u64 = 200_000;
/// What the search for all markings is ahead of the thread that helps.
const HEAD_START: Duration = Duration::from_millis(300);
/// More bounds are not asked of the state equation.
const MOST_BOUNDS: usize = 400;

/// The state of an examination.
struct Portfolio<'n, 'w> {
    net: &'n Net,
    tasks: &'n [Task],
    settings: &'n Settings,
    watcher: &'w mut dyn Watcher,
    tell: &'w mut dyn FnMut(usize, Reply),
    facts: Facts<'n>,
    questions: Vec<Question>,
    is_open: Vec<bool>,
    /// Seconds that were spent for all of them together.
    spent_together: f64,
    /// The place that grows without end, if one was found.
    grows: Option<String>,
}

/// Answers the questions about a net once, and tells each answer in the order in which they are found.
pub(super) fn portfolio(
    net: &Net,
    tasks: &[Task],
    settings: &Settings,
    watcher: &mut dyn Watcher,
    tell: &mut dyn FnMut(usize, Reply),
) {
    watcher.begin("what follows from the net");
    let mut go_on = shared(&mut *watcher, settings, 0.3);
    let flows = semiflows_while(net, &mut go_on);
    drop(go_on);
    let mut known = bounds(net, &flows);
    if settings.structural && known.contains(&None) && net.n_places() <= MOST_BOUNDS {
        let equation = Equation::new(net, false);
        let mut go_on = shared(&mut *watcher, settings, 0.1);
        for place in net.place_ids() {
            if known[place.index()].is_none() && go_on() {
                let bound = equation.bound(&vec![(place, 1)]);
                known[place.index()] = bound.and_then(|bound| Tokens::try_from(bound).ok());
            }
        }
    }
    let known = known;
    let facts = Facts::new(net, known.clone(), settings.equation(net));
    let mut portfolio = Portfolio {
        net,
        tasks,
        settings,
        watcher,
        tell,
        facts,
        questions: tasks.iter().map(|task| Question::new(task.ask.clone())).collect(),
        is_open: vec![true; tasks.len()],
        spent_together: 0.0,
        grows: None,
    };
    portfolio.unbounded(&known);
    portfolio.structural(&known);
    if settings.random {
        portfolio.random();
    }
    let slots = Slots::shared(net, &flows);
    let mut model = NetModel::new(net.clone(), slots, &known, true);
    portfolio.searched(&mut model, &known);
    portfolio.give_up();
}

/// What a helper found, and what it need not look for any more.
struct Replies<'a> {
    receiver: mpsc::Receiver<(usize, Option<Answer>)>,
    is_settled: &'a [AtomicBool],
}

/// A helper's watcher, which also ends what is settled meanwhile.
struct Until<'a> {
    watcher: Box<dyn Watcher + Send>,
    is_settled: &'a AtomicBool,
}

impl Watcher for Until<'_> {
    fn begin(&mut self, question: &str) {
        self.watcher.begin(question);
    }

    fn look(&mut self, progress: &Progress) -> ControlFlow<Bound> {
        match self.is_settled.load(Ordering::Relaxed) {
            true => ControlFlow::Break(Bound::Interrupted),
            false => self.watcher.look(progress),
        }
    }

    fn seconds(&self) -> f64 {
        self.watcher.seconds()
    }
}

/// The techniques, in the words of the contest.
const STRUCTURAL: &[&str] = &["STRUCTURAL", "STATE_EQUATION"];
const RANDOM: &[&str] = &["RANDOM_WALK"];
const SETS: &[&str] = &["DECISION_DIAGRAMS", "TOPOLOGICAL"];
const GROWTH: &[&str] = &["COVERING"];

impl<'n> Portfolio<'n, '_> {
    fn settle(&mut self, task: usize, found: Found, by: &[&'static str]) {
        if std::mem::replace(&mut self.is_open[task], false) {
            let grows = self.grows.as_ref().filter(|_| by == GROWTH);
            let note = grows.map(|place| format!("place `{place}` grows without end"));
            let run = self.questions[task].run();
            (self.tell)(task, Reply { found, by: by.to_vec(), note, run });
        }
    }

    /// Looks for a place that grows without end, where nothing bounds some place.
    fn unbounded(&mut self, known: &[Option<Tokens>]) {
        if known.iter().all(Option::is_some) || !self.settings.structural {
            return;
        }
        let watcher = &mut *self.watcher;
        let mut go_on = shared(watcher, self.settings, 0.2);
        let found = growing(self.net, 1, GROWING_STEPS.min(self.settings.steps), &mut go_on);
        drop(go_on);
        self.spent_together += self.watcher.seconds();
        let Some((place, run)) = found else { return };
        if replay(self.net, &run).is_none() {
            return;
        }
        self.grows = Some(self.net.places[place.index()].clone());
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
                    for goal in goals(&simple) {
                        self.part(task, goal);
                    }
                    self.questions[task].formula = Some(simple);
                }
                TaskKind::Bound(places) => self.bound(task, places, known),
                TaskKind::QuasiLive | TaskKind::Live => {
                    if self.tasks[task].ask == TaskKind::Live && !self.net.transitions.is_empty() {
                        self.part(task, Formula::Dead);
                    }
                    for (_, transitions) in self.net.written_transitions() {
                        let goal = Formula::fireable(self.net, &transitions);
                        self.part(task, goal);
                    }
                }
                TaskKind::Stable => {
                    for (_, places) in self.net.written_places() {
                        let here =
                            places.iter().map(|place| i64::from(self.net.initial[place.index()]));
                        let here = here.sum::<i64>();
                        let sum = |factor| places.iter().map(|&place| (place, factor)).collect();
                        let less = Formula::at_most(sum(1), here - 1);
                        let more = Formula::at_most(sum(-1), -here - 1);
                        self.part(task, Formula::or([less, more]));
                    }
                }
            }
            self.conclude(task, STRUCTURAL);
            self.questions[task].spent += self.watcher.seconds();
        }
    }

    /// A share of the time of a question, as far as all together take more of it the more they are.
    fn share_of_all(&self, each: f64, most: f64) -> f64 {
        (each * self.is_open.iter().filter(|open| **open).count() as f64).min(most)
    }

    /// Seconds of a question's clock that are left for it alone.
    fn seconds_left(&self, task: usize) -> f64 {
        let all = self.settings.seconds.unwrap_or(f64::INFINITY);
        let together = self.spent_together / self.tasks.len() as f64;
        (all - self.questions[task].spent - together).max(all / 10.0)
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
            .then(|| Equation::new(self.net, false).bound(&sum))
            .flatten();
        let most = match (by_flows, by_equation) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self.questions[task].most = most;
        if let Some(most) = most {
            let turned = sum.iter().map(|&(place, factor)| (place, -factor)).collect();
            let goal = Formula::at_most(turned, -most);
            self.questions[task].parts.push(Part { goal, reached: None, run: None });
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
        self.questions[task].parts.push(Part { goal, reached, run: None });
    }

    /// Answers a question whose parts say enough.
    fn conclude(&mut self, task: usize, by: &[&'static str]) {
        if self.is_open[task]
            && let Some(found) = self.questions[task].conclusion(self.net)
        {
            self.settle(task, found, by);
        }
    }

    /// Walks at random for all parts together. What a walk meets is looked at again from the start.
    fn random(&mut self) {
        self.watcher.begin("random walks");
        let of = |task: usize| {
            let parts = self.questions[task].parts.iter().enumerate();
            parts.filter(|(_, part)| part.reached.is_none()).map(move |(part, _)| (task, part))
        };
        let open_tasks = (0..self.tasks.len()).filter(|&task| self.is_open[task]);
        let open: Vec<(usize, usize)> = open_tasks.flat_map(of).collect();
        if open.is_empty() {
            return;
        }
        let goal = |&(task, part): &(usize, usize)| self.questions[task].parts[part].goal.clone();
        let wanted: Vec<Formula> = open.iter().map(goal).collect();
        let mut goals = Goals::new(&wanted);
        let share = self.share_of_all(0.1, 0.3);
        let mut go_on = shared(&mut *self.watcher, self.settings, share);
        walk(self.net, &mut goals, 7, self.settings.steps, &mut go_on);
        drop(go_on);
        self.spent_together += self.watcher.seconds();
        let mut concluded = Vec::new();
        for (at, holds) in goals.replayed(self.net, &wanted).into_iter().enumerate() {
            let (task, part) = open[at];
            let question = &mut self.questions[task];
            if holds {
                // Only where it decides, and there is one to show.
                let run = goals.run(at).filter(|_| question.parts.len() == 1);
                let part = &mut question.parts[part];
                (part.reached, part.run) = (Some(true), run.map(<[_]>::to_vec));
                concluded.push(task);
            }
        }
        concluded.dedup();
        concluded.into_iter().for_each(|task| self.conclude(task, RANDOM));
    }

    /// Explores by sets, and asks everything that is open of the result; whether that came to an end.
    fn by_sets(&mut self, model: &mut NetModel, limits: Limits, replies: &Replies<'_>) -> bool {
        if !self.is_open.contains(&true) {
            return true;
        }
        if model.slots().slots.len() > MOST_SLOTS {
            return false;
        }
        let prepared: Vec<Option<Prepared>> = (0..self.tasks.len())
            .map(|task| {
                let formula = match &self.tasks[task].ask {
                    _ if !self.is_open[task] => return None,
                    TaskKind::Live => Some(live(self.net)),
                    _ => self.questions[task].formula.clone(),
                };
                formula.map(|formula| Prepared::new(model, &formula))
            })
            .collect();
        let model = &*model;
        self.watcher.begin("the markings of the net");
        let share = self.share_of_all(0.35, 1.0);
        let mut look = look_until(&mut *self.watcher, self.settings, share);
        let mut meter = Meter::new(limits, Budget::default(), &mut look);
        let explored = Symbolic::explore(model, Budget::default(), &mut meter);
        drop(look);
        self.spent_together += self.watcher.seconds();
        let Ok(mut symbolic) = explored else { return false };
        for task in 0..self.tasks.len() {
            self.take_replies(replies);
            if !self.is_open[task] {
                continue;
            }
            self.watcher.begin(&self.tasks[task].id);
            let is_reachability = self.questions[task].is_reachability();
            let mut look = look_until(&mut *self.watcher, self.settings, 0.3);
            let mut meter = Meter::new(limits, Budget::default(), &mut look);
            let mut parts: Vec<&mut Part> = self.questions[task].parts.iter_mut().collect();
            parts.retain(|part| part.reached.is_none());
            let found = match (&self.tasks[task].ask, prepared[task].as_ref()) {
                (TaskKind::StateSpace, _) => size(model, &mut symbolic, &mut meter).map(Some),
                (TaskKind::Bound(places), _) => {
                    let sum: Sum = places.iter().map(|&place| (place, 1)).collect();
                    let most = symbolic.heaviest(&model.weights(&sum), &mut meter);
                    most.map(|most| Some(Found::Number(most.max(0).unsigned_abs())))
                }
                (_, Some(prepared)) if parts.is_empty() || !is_reachability => {
                    checked(&mut symbolic, prepared, &mut meter)
                        .map(|holds| Some(Found::Truth(holds)))
                }
                _ => {
                    let mut ended = Ok(None);
                    for part in parts {
                        let meaning = model.meaning_of(&part.goal);
                        match symbolic.meets(&meaning, &mut meter) {
                            Ok(meets) => {
                                part.reached = Some(meets);
                                if meets && self.settings.runs {
                                    part.run = run_to(model, &mut symbolic, &meaning, &mut meter);
                                }
                            }
                            Err(why) => ended = Err(why),
                        }
                    }
                    ended
                }
            };
            drop(look);
            self.questions[task].spent += self.watcher.seconds();
            match found {
                Ok(Some(found)) => self.settle(task, found, SETS),
                _ => self.conclude(task, SETS),
            }
        }
        true
    }

    /// Answers what is left by searching: sets of all markings here, while a helper, if there is one,
    /// answers questions one by one, the last first; then the others one by one here as well.
    fn searched(&mut self, model: &mut NetModel, known: &[Option<Tokens>]) {
        let open: Vec<usize> = (0..self.tasks.len()).filter(|&task| self.is_open[task]).collect();
        if open.is_empty() {
            return;
        }
        let helper = self.watcher.helper();
        let mut settings = *self.settings;
        if helper.is_some() {
            settings.limits.memory = settings.limits.memory.map(|memory| memory / 2);
        }
        let is_unbounded = self.grows.is_some();
        let means =
            Means { net: self.net, settings: &settings, known, is_explored: false, is_unbounded };
        let snapshot: Vec<(Question, f64)> = (0..self.tasks.len())
            .map(|task| (self.questions[task].clone(), self.seconds_left(task)))
            .collect();
        let queue = Mutex::new(open);
        let is_settled: Vec<AtomicBool> =
            self.is_open.iter().map(|open| AtomicBool::new(!open)).collect();
        let (sender, receiver) = mpsc::channel();
        let (starter, start) = mpsc::channel::<()>();
        let replies = Replies { receiver, is_settled: &is_settled };
        std::thread::scope(|scope| {
            let (queue, snapshot, is_settled) = (&queue, &snapshot, &is_settled);
            if let Some(helper) = helper {
                scope.spawn(move || {
                    // What sets answer at once is not answered twice, and always by the same.
                    let _ = start.recv_timeout(HEAD_START);
                    let mut watcher = Until { watcher: helper, is_settled: &is_settled[0] };
                    loop {
                        let task = queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
                        let Some(task) = task else { break };
                        if is_settled[task].load(Ordering::Relaxed) {
                            continue;
                        }
                        watcher.is_settled = &is_settled[task];
                        watcher.begin("");
                        let (mut question, seconds) = snapshot[task].clone();
                        let found = question.alone(means, seconds, &mut watcher);
                        // Who asked may have stopped listening.
                        let _ = sender.send((task, found));
                    }
                });
            } else {
                drop(sender);
            }
            let is_explored = settings.symbolic
                && !is_unbounded
                && self.by_sets(model, settings.limits, &replies);
            self.take_replies(&replies);
            drop(starter);
            let means = Means { is_explored, ..means };
            loop {
                self.take_replies(&replies);
                let mut left = queue.lock().unwrap_or_else(PoisonError::into_inner);
                let task = (!left.is_empty()).then(|| left.remove(0));
                drop(left);
                let Some(task) = task else { break };
                if !self.is_open[task] {
                    continue;
                }
                self.watcher.begin(&self.tasks[task].id);
                let seconds = self.seconds_left(task);
                let mut question = self.questions[task].clone();
                let found = question.alone(means, seconds, &mut *self.watcher);
                self.take_reply(task, found);
            }
            // What the helper is at ends by its own clock.
            while let Ok((task, found)) = replies.receiver.recv() {
                self.take_reply(task, found);
            }
        });
    }

    fn take_replies(&mut self, replies: &Replies<'_>) {
        for (open, is_settled) in self.is_open.iter().zip(replies.is_settled) {
            is_settled.store(!open, Ordering::Relaxed);
        }
        while let Ok((task, found)) = replies.receiver.try_recv() {
            self.take_reply(task, found);
        }
    }

    fn take_reply(&mut self, task: usize, found: Option<Answer>) {
        if let Some(Answer { found, by, run }) = found
            && self.is_open[task]
        {
            if let [part] = &mut self.questions[task].parts[..] {
                part.reached = part.reached.or(run.is_some().then_some(true));
                part.run = part.run.take().or(run);
            }
            self.settle(task, found, &by);
        }
    }

    fn give_up(&mut self) {
        for task in 0..self.tasks.len() {
            let why = match &self.grows {
                Some(place) => format!("the net is not bounded: place `{place}` grows without end"),
                None => "time or memory".to_owned(),
            };
            self.settle(task, Found::Unknown(why), &[]);
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
    Formula::and(net.written_transitions().into_iter().map(|(_, transitions)| {
        let fires = Formula::fireable(net, &transitions);
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

/// A run to a marking that meets a condition, if it is found in time.
pub(super) fn run_to(
    model: &NetModel,
    symbolic: &mut Symbolic<'_>,
    meaning: &Condition,
    meter: &mut Meter<'_>,
) -> Option<Vec<TransitionId>> {
    let run = symbolic.run_where(meaning, Ending::Prefix, meter).ok()??;
    Some(run.steps.iter().map(|step| model.transition(step.group)).collect())
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

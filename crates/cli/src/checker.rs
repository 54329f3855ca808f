//! Which algorithm answers which question about a model: deadlock, and formulas of linear and of
//! branching time.

mod invariant;

use std::cell::RefCell;

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{
    Config, CtlGraph, Fairness, Graph, Interpretation, Limits, LtlAlgorithm, LtlOptions, Order,
    Progress, Property, check_ltl,
};
use quadrille_logic::Kind;
use quadrille_model::{Action, ActionId, Bound, Counts, Finding, Model, Runs, Verdict};
use quadrille_report::{Outcome, Story};

use crate::codes;
use crate::formulas::{Actions, Claim, Question, Subject, refused};
use crate::input::unrepeatable;
use crate::watch::Watcher;
use crate::world::Moment;
use invariant::Invariant;

/// The name of the property that every model should have.
pub(crate) const NO_DEADLOCK: &str = "no deadlock";

/// How questions are answered.
#[derive(Clone, Default)]
pub(crate) struct Method {
    /// Which runs count beside what a question says about them.
    pub(crate) fairness: Fairness,
    /// How violations of linear formulas are searched for.
    pub(crate) algorithm: LtlAlgorithm,
    /// Whether all linear formulas share one exploration. Otherwise those that a single state or
    /// action refutes are searched for on their own, which gives shortest traces.
    pub(crate) shared: bool,
}

/// Answers questions about one model; what was explored for one is kept for the next.
pub(crate) struct Checker<'m> {
    model: &'m dyn Model,
    method: Method,
    limits: Limits,
    linear: Option<Graph<'m>>,
    branching: Option<Explored<'m>>,
}

/// A model explored for branching time, or how far it was explored until a bound was reached.
enum Explored<'m> {
    Whole(Box<CtlGraph<'m>>),
    Part(Bound, Counts),
}

impl<'m> Checker<'m> {
    /// A checker that has explored nothing yet.
    pub(crate) fn new(model: &'m dyn Model, method: Method, limits: Limits) -> Self {
        Self { model, method, limits, linear: None, branching: None }
    }

    /// Answers a question: what it says holds if all its claims do.
    pub(crate) fn answer(
        &mut self,
        question: &Question,
        watcher: &mut Watcher,
    ) -> Result<Outcome, Vec<Diagnostic>> {
        let start = watcher.world().now();
        watcher.begin(&question.property);
        let mut verdict = Verdict::Holds;
        let mut counts = Counts::default();
        for claim in &question.claims {
            let (found, explored) = match claim.kind {
                Kind::Branching => self.branching(question, claim, watcher)?,
                Kind::Linear => {
                    let every_state_counts = question.runs == Runs::Maximal
                        && self.method.fairness.is_none()
                        && !self.method.shared;
                    match Invariant::of(claim) {
                        Some(invariant) if every_state_counts => {
                            self.invariant(&invariant, watcher)?
                        }
                        _ => self.linear(question, claim, watcher)?,
                    }
                }
            };
            counts = together(counts, explored);
            match found {
                Verdict::Holds => {}
                Verdict::Unknown(_) => verdict = found,
                Verdict::Violated(_) => {
                    verdict = found;
                    break;
                }
            }
        }
        let linear = question.claims.iter().all(|claim| claim.kind == Kind::Linear);
        let runs = linear.then_some(question.runs);
        let finding = Finding { property: question.property.clone(), verdict, runs, counts };
        Ok(told(finding, self.model, start))
    }

    fn linear(
        &mut self,
        question: &Question,
        claim: &Claim,
        watcher: &mut Watcher,
    ) -> Result<(Verdict, Counts), Vec<Diagnostic>> {
        let graph = self.linear.get_or_insert_with(|| Graph::new(self.model));
        let interpretation = Interpretation::new(claim.meanings());
        let options = LtlOptions {
            runs: question.runs,
            fairness: self.method.fairness.clone(),
            algorithm: self.method.algorithm,
            limits: self.limits,
        };
        let mut look = |progress: &_| watcher.look(progress);
        let report = check_ltl(graph, &claim.formula, &interpretation, &options, &mut look);
        let report = report.map_err(|error| refused(error, question.span))?;
        Ok((report.verdict, report.counts))
    }

    /// Checks a formula that one state or one action refutes, with a shortest trace.
    fn invariant(
        &self,
        invariant: &Invariant,
        watcher: &mut Watcher,
    ) -> Result<(Verdict, Counts), Vec<Diagnostic>> {
        let config = Config { order: Order::Breadth, limits: self.limits };
        let property = invariant.property(self.model);
        let mut look = |progress: &_| watcher.look(progress);
        let found = quadrille_engine::check(self.model, &[property], config, &mut look);
        let mut found = found.map_err(unrepeatable)?;
        Ok((found.verdicts.pop().unwrap_or(Verdict::Holds), found.counts))
    }

    fn branching(
        &mut self,
        question: &Question,
        claim: &Claim,
        watcher: &mut Watcher,
    ) -> Result<(Verdict, Counts), Vec<Diagnostic>> {
        if question.runs != Runs::Maximal || !self.method.fairness.is_none() {
            let message = "--runs and --fair do not apply to a formula of branching time";
            return Err(vec![
                Diagnostic::error(&codes::CONTRADICTION, message)
                    .at(question.span, "has path quantifiers")
                    .help("leave the options out, or write a linear formula"),
            ]);
        }
        let explored = self
            .branching
            .get_or_insert_with(|| Explored::explore(self.model, self.limits, watcher));
        match explored {
            Explored::Part(bound, counts) => Ok((Verdict::Unknown(*bound), *counts)),
            Explored::Whole(graph) => {
                let interpretation = Interpretation::new(claim.meanings());
                let verdict = graph.check(&claim.formula, &interpretation).map_err(|error| {
                    vec![Diagnostic::error(&codes::UNREPEATABLE, error.to_string())]
                })?;
                Ok((verdict, graph.counts()))
            }
        }
    }
}

impl<'m> Explored<'m> {
    fn explore(model: &'m dyn Model, limits: Limits, watcher: &Watcher) -> Self {
        let mut last = Progress::default();
        let mut look = |progress: &Progress| {
            last = *progress;
            watcher.look(progress)
        };
        match CtlGraph::explore(model, limits, &mut look) {
            Ok(graph) => Explored::Whole(Box::new(graph)),
            Err(bound) => {
                let met = if let Bound::States(states) = bound { states } else { 0 };
                let counts = Counts {
                    states: last.states.max(met),
                    transitions: last.transitions,
                    bytes: last.bytes,
                    ..Counts::default()
                };
                Explored::Part(bound, counts)
            }
        }
    }
}

/// Whether the model gets stuck.
pub(crate) fn deadlock(
    model: &dyn Model,
    order: Order,
    watcher: &mut Watcher,
) -> Result<Outcome, Vec<Diagnostic>> {
    let config = Config { order, limits: watcher.limits() };
    let start = watcher.world().now();
    watcher.begin(NO_DEADLOCK);
    let mut look = |progress: &_| watcher.look(progress);
    let found = quadrille_engine::check(model, &[Property::DeadlockFree], config, &mut look);
    let mut found = found.map_err(unrepeatable)?;
    let verdict = found.verdicts.pop().unwrap_or(Verdict::Holds);
    let finding =
        Finding { property: NO_DEADLOCK.to_owned(), verdict, runs: None, counts: found.counts };
    Ok(told(finding, model, start))
}

/// The atoms that no reachable action satisfies. Actions that are known already are tried first;
/// only what is left is searched for.
pub(crate) fn unmatched<'q, 'm>(
    questions: &'q [Question<'m>],
    model: &dyn Model,
    watcher: &mut Watcher,
) -> Result<Vec<&'q Actions<'m>>, Vec<Diagnostic>> {
    let known: Vec<Action> =
        (0..model.n_actions()).map(|id| model.action(ActionId::from_usize(id))).collect();
    let subjects = questions.iter().flat_map(|q| &q.claims).flat_map(|claim| &claim.subjects);
    let mut suspects: Vec<&Actions> = Vec::new();
    for subject in subjects {
        let Subject::Actions(actions) = subject else { continue };
        let is_new = !suspects.iter().any(|s| s.text == actions.text && s.span == actions.span);
        if is_new && !known.iter().any(&actions.matches) {
            suspects.push(actions);
        }
    }
    if suspects.is_empty() {
        return Ok(suspects);
    }
    let mut properties = Vec::new();
    for actions in &suspects {
        properties.push(Property::Never(Box::new(remembered(model, &actions.matches))));
    }
    let config = Config { order: Order::Breadth, limits: watcher.limits() };
    let mut look = |progress: &_| watcher.look(progress);
    let found = quadrille_engine::check(model, &properties, config, &mut look);
    let verdicts = found.map_err(unrepeatable)?.verdicts;
    drop(properties);
    let never = suspects.into_iter().zip(verdicts).filter(|(_, found)| *found == Verdict::Holds);
    Ok(never.map(|(actions, _)| actions).collect())
}

/// A predicate on actions by their ids; each action is looked at once.
fn remembered<'a>(
    model: &'a dyn Model,
    matches: impl Fn(&Action) -> bool + 'a,
) -> impl Fn(ActionId) -> bool + 'a {
    let answers: RefCell<Vec<Option<bool>>> = RefCell::default();
    move |id| {
        let mut answers = answers.borrow_mut();
        if answers.len() <= id.index() {
            answers.resize(id.index() + 1, None);
        }
        *answers[id.index()].get_or_insert_with(|| matches(&model.action(id)))
    }
}

/// What two searches explored together.
fn together(a: Counts, b: Counts) -> Counts {
    Counts {
        states: a.states + b.states,
        transitions: a.transitions + b.transitions,
        deadlocks: a.deadlocks + b.deadlocks,
        depth: a.depth.max(b.depth),
        bytes: a.bytes.max(b.bytes),
    }
}

/// A finding with the story of its trace.
fn told(finding: Finding, model: &dyn Model, start: Moment) -> Outcome {
    let story = match &finding.verdict {
        Verdict::Violated(Some(trace)) => Some(Story::tell(&finding.property, trace, model)),
        Verdict::Violated(None) | Verdict::Holds | Verdict::Unknown(_) => None,
    };
    Outcome { finding, story, seconds: start.seconds() }
}

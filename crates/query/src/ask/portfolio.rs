//! Questions about a net that a short walk leaves open, answered by the portfolio of examinations.

use std::ops::ControlFlow;

use quadrille_engine::{Limits, Progress, replayed};
use quadrille_model::{ActionId, Bound, Ending, GroupId, Model, Runs, Step, Trace, Verdict};
use quadrille_petri::{Formula, NetModel, TransitionId};
use rustc_hash::FxHashMap;

use super::walk::Walk;
use super::{Answered, Config, Engine, FEW_STATES, Watcher};
use crate::answer::Answer;
use crate::petri::{Exam, Found, Reply, Settings, Task, TaskKind, examine, formula_of};
use crate::question::Question;
use crate::subject::Subject;

/// What the portfolio is called where it found nothing.
const PORTFOLIO: &str = "portfolio";
const NOT_SHORTEST: &str = "the run need not be a shortest one";

impl Subject<'_> {
    /// Answers questions about a net: those that a walk refuted already by what it found, those that are none
    /// for the portfolio state by state. `None` where this is no net, or nothing is for the portfolio.
    pub(super) fn try_portfolio(
        &self,
        questions: &[Question<'_>],
        walk: &mut Walk<'_>,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Option<Vec<Answered>> {
        let model = self.net_model().filter(|_| config.engine == Engine::Auto)?;
        let refuted = |walk: &Walk<'_>, at: usize| {
            matches!(walk.found[at], Some(Err(_) | Ok(Verdict::Violated(_))))
        };
        let mut tasks: Vec<(usize, Task)> = Vec::new();
        let mut others = Vec::new();
        for (at, question) in questions.iter().enumerate() {
            if refuted(walk, at) || matches!(question, Question::Unused) {
                continue;
            }
            let Some(formulas) = self.formulas(model, question, config) else {
                others.push(at);
                continue;
            };
            for formula in formulas {
                let (exam, id) = (Exam::CtlFireability, question.name());
                tasks.push((at, Task { exam, id, ask: TaskKind::Formula(formula) }));
            }
        }
        if tasks.is_empty() {
            return None;
        }
        let asked: Vec<Task> = tasks.iter().map(|(_, task)| task.clone()).collect();
        let mut replies: Vec<Option<Reply>> = vec![None; asked.len()];
        // Without a bound, a search of a net that grows would not come to an end.
        let limits = Limits {
            states: config.limits.states.filter(|_| self.grows().is_some()),
            ..config.limits
        };
        let seconds = watcher.seconds_each();
        let settings = Settings { limits, seconds, runs: true, ..Settings::default() };
        examine(model.net(), &asked, &settings, watcher, &mut |task, reply| {
            replies[task] = Some(reply);
        });
        let is_open = |reply: &Option<Reply>| {
            reply.as_ref().is_none_or(|reply| matches!(reply.found, Found::Unknown(_)))
        };
        let bound = match watcher.look(&Progress::default()) {
            _ if self.grows().is_some() => Bound::Infinite,
            ControlFlow::Break(bound) => bound,
            ControlFlow::Continue(()) => match (seconds, config.limits.memory) {
                (Some(seconds), _) => Bound::Time((seconds * 1000.0) as u64),
                (None, Some(memory)) => Bound::Memory(memory),
                // Nothing ended the portfolio, and it did not answer.
                (None, None) if replies.iter().any(is_open) => return None,
                (None, None) => Bound::States(FEW_STATES),
            },
        };
        let mut answers = Vec::new();
        for (at, question) in questions.iter().enumerate() {
            if refuted(walk, at) {
                let found = walk.found[at].take()?;
                answers.push(found.map(|verdict| self.walked(question, verdict, walk, config)));
                continue;
            }
            if others.contains(&at) {
                let config = Config { engine: Engine::Explicit, ..config.clone() };
                answers.extend(self.answers(&questions[at..=at], &config, watcher));
                continue;
            }
            let of = tasks.iter().zip(&replies).filter(|((task, _), _)| *task == at);
            let of: Vec<Option<&Reply>> = of.map(|(_, reply)| reply.as_ref()).collect();
            answers.push(Ok(self.concluded(model, question, &of, bound, config)));
        }
        Some(answers)
    }

    /// What a question asks, as formulas that must all hold.
    fn formulas(
        &self,
        model: &NetModel,
        question: &Question<'_>,
        config: &Config,
    ) -> Option<Vec<Formula>> {
        match question {
            Question::Deadlock => {
                let reached = Formula::Finally(Box::new(Formula::Dead));
                Some(vec![!Formula::Some(Box::new(reached))])
            }
            Question::Property(property) => {
                let is_plain =
                    property.runs == Runs::Maximal && !self.needs_fairness(property, config);
                let claims = property.claims.iter().filter(|_| is_plain);
                let found: Option<Vec<Formula>> =
                    claims.map(|claim| formula_of(model, claim)).collect();
                found.filter(|found| found.len() == property.claims.len())
            }
            _ => None,
        }
    }

    /// The answer to a question whose formulas got these replies.
    fn concluded(
        &self,
        model: &NetModel,
        question: &Question<'_>,
        replies: &[Option<&Reply>],
        bound: Bound,
        config: &Config,
    ) -> Answer {
        let mut answer = self.blank(question, config, PORTFOLIO);
        if matches!(question, Question::Unused) {
            return Answer { verdict: Verdict::Unknown(bound), ..answer };
        }
        let is = |reply: &Option<&Reply>, wanted: bool| {
            reply.is_some_and(|reply| reply.found == Found::Truth(wanted))
        };
        let refuted = replies.iter().find(|reply| is(reply, false)).copied().flatten();
        let by: Vec<&Reply> = match refuted {
            Some(refuted) => vec![refuted],
            None => replies.iter().copied().flatten().collect(),
        };
        let mut words: Vec<&str> = by.iter().flat_map(|reply| reply.by.iter().copied()).collect();
        words.dedup();
        if !words.is_empty() {
            answer.assumptions.engine = words.join(" ").to_lowercase().replace('_', "-").into();
        }
        answer.verdict = match refuted {
            Some(refuted) => {
                let is_dead = matches!(question, Question::Deadlock);
                let ending = if is_dead { Ending::Stuck } else { Ending::Prefix };
                let run = refuted.run.as_ref().and_then(|run| trace(model, run, ending));
                answer.assumptions.reduction = run.as_ref().map(|_| NOT_SHORTEST.to_owned());
                Verdict::Violated(run)
            }
            None if replies.iter().all(|reply| is(reply, true)) => Verdict::Holds,
            None => Verdict::Unknown(bound),
        };
        answer
    }
}

/// A run of a net as one of its model, where it is one.
fn trace(model: &NetModel, run: &[TransitionId], ending: Ending) -> Option<Trace> {
    let n_groups = model.signature().groups.len();
    let groups: FxHashMap<TransitionId, GroupId> =
        (0..n_groups).map(GroupId::from_usize).map(|id| (model.transition(id), id)).collect();
    let (net, slots) = (model.net(), model.slots());
    let mut marking = net.initial.clone();
    let initial = slots.state(&marking);
    let mut steps = Vec::new();
    for &transition in run {
        let group = *groups.get(&transition)?;
        if !net.is_enabled(transition, &marking) || !net.fire(transition, &mut marking) {
            return None;
        }
        let (action, state) = (ActionId::from_usize(group.index()), slots.state(&marking));
        steps.push(Step { group, action, state });
    }
    replayed(model, Trace { initial, steps, ending }).ok()
}

//! Questions of users answered: with the time it took, the story of a violation, and diagnostics where
//! there is no answer. Which algorithm answers is decided in `quadrille_check`.

use quadrille_check::{Actions, Method, Unanswered};
use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{Config, Limits, Order, Property};
use quadrille_logic::Kind;
use quadrille_model::{Finding, Model, Verdict};
use quadrille_report::{Outcome, Story};

use crate::codes;
use crate::formulas::{Question, refused};
use crate::input::unrepeatable;
use crate::watch::Watcher;
use crate::world::Moment;

/// The name of the property that every model should have.
pub(crate) const NO_DEADLOCK: &str = "no deadlock";

/// Answers questions about one model; what was explored for one is kept for the next.
pub(crate) struct Checker<'m> {
    model: &'m dyn Model,
    checker: quadrille_check::Checker<'m>,
}

impl<'m> Checker<'m> {
    /// A checker that has explored nothing yet.
    pub(crate) fn new(model: &'m dyn Model, method: Method, limits: Limits) -> Self {
        Self { model, checker: quadrille_check::Checker::new(model, method, limits) }
    }

    /// Answers a question: what it says holds if all its claims do.
    pub(crate) fn answer(
        &mut self,
        question: &Question,
        watcher: &mut Watcher,
    ) -> Result<Outcome, Vec<Diagnostic>> {
        let start = watcher.world().now();
        watcher.begin(&question.property);
        let mut look = |progress: &_| watcher.look(progress);
        let found = self.checker.answer(&question.claims, question.runs, &mut look);
        let (verdict, counts) = found.map_err(|error| unanswered(error, question))?;
        let linear = question.claims.iter().all(|claim| claim.kind == Kind::Linear);
        let runs = linear.then_some(question.runs);
        let finding = Finding { property: question.property.clone(), verdict, runs, counts };
        Ok(told(finding, self.model, start))
    }
}

fn unanswered(error: Unanswered, question: &Question) -> Vec<Diagnostic> {
    match error {
        Unanswered::Linear(error) => refused(error, question.span),
        Unanswered::RunsOfBranching => {
            let message = "--runs and --fair do not apply to a formula of branching time";
            vec![
                Diagnostic::error(&codes::CONTRADICTION, message)
                    .at(question.span, "has path quantifiers")
                    .help("leave the options out, or write a linear formula"),
            ]
        }
        error => vec![Diagnostic::error(&codes::UNREPEATABLE, error.to_string())],
    }
}

/// Whether the model gets stuck.
pub(crate) fn deadlock(
    model: &dyn Model,
    order: Order,
    watcher: &mut Watcher,
) -> Result<Outcome, Vec<Diagnostic>> {
    let config = Config { order, limits: watcher.limits(), ..Config::default() };
    let start = watcher.world().now();
    watcher.begin(NO_DEADLOCK);
    let mut look = |progress: &_| watcher.look(progress);
    let found = quadrille_engine::check(model, vec![Property::DeadlockFree], &config, &mut look);
    let mut found = found.map_err(unrepeatable)?;
    let verdict = found.verdicts.pop().unwrap_or(Verdict::Holds);
    let finding =
        Finding { property: NO_DEADLOCK.to_owned(), verdict, runs: None, counts: found.counts };
    Ok(told(finding, model, start))
}

/// The atoms that no reachable action satisfies.
pub(crate) fn unmatched<'q, 'm>(
    questions: &'q [Question<'m>],
    model: &dyn Model,
    watcher: &mut Watcher,
) -> Result<Vec<&'q Actions<'m>>, Vec<Diagnostic>> {
    let claims = questions.iter().flat_map(|question| &question.claims);
    let limits = watcher.limits();
    let mut look = |progress: &_| watcher.look(progress);
    quadrille_check::unmatched(claims, model, limits, &mut look).map_err(unrepeatable)
}

/// A finding with the story of its trace.
fn told(finding: Finding, model: &dyn Model, start: Moment) -> Outcome {
    let story = match &finding.verdict {
        Verdict::Violated(Some(trace)) => Some(Story::tell(&finding.property, trace, model)),
        Verdict::Violated(None) | Verdict::Holds | Verdict::Unknown(_) => None,
    };
    Outcome { finding, story, seconds: start.seconds() }
}

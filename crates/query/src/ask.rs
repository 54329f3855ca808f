//! From questions to answers: one exploration serves all questions that it can, and what is explored for
//! one formula is kept for the next.

mod compare;
mod compatibility;
mod conforms;
mod estimate;
pub(crate) mod fits;
mod formula;
mod lint;
mod lossy;
mod occurrences;
mod portfolio;
mod reduction;
mod represented;
mod runs;
mod simulate;
mod symbolic;
mod symmetry;
mod walk;

use quadrille_engine::Error;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::disk::{RunStore, RunsOutcome, Trouble};
use quadrille_engine::{
    Fairness, Graph, Limits, Lossy, LtlAlgorithm, Observer, Order, Progress,
    Property as SearchProperty, Workers, unobserved,
};
use quadrille_model::{Bound, Counts, Expected, Model, Verdict};

use crate::answer::{Answer, Assumptions, Evidence, fairness_words};
use crate::claim::Aim;
use crate::codes::{CLUSTER, CONTRADICTION, UNREPEATABLE, UNUSABLE};
use crate::protocol::{Explored, Stopped, liberal};
use crate::question::Question;
use crate::subject::Subject;
use formula::Formulas;
use walk::{Walk, few_of_many, not_every_state};

pub use compatibility::composition_errors;
pub use conforms::{Conformance, ImplementedQueue};
pub use estimate::{Cost, Estimate, Known};
pub use reduction::Reduction;
pub use simulate::{WALKS, Walked};
pub use symbolic::{Engine, FEW_STATES, SYMBOLIC, counts_of};

/// How questions are answered.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// When to give up.
    pub limits: Limits,
    /// Which state is expanded next in a search for deadlock.
    pub order: Order,
    /// Which infinite runs count for formulas of linear time.
    pub fairness: Fairness,
    /// How violations of linear formulas are searched for.
    pub algorithm: LtlAlgorithm,
    /// Which engine answers what a walk can answer.
    pub engine: Engine,
    /// Whether the explicit engine leaves out steps that commute.
    pub reduction: Reduction,
    /// Whether it makes one of states that differ only in which member of a family is where.
    pub symmetry: Reduction,
    /// How many threads explore; answers do not depend on it.
    pub workers: Workers,
    /// Whether states are only remembered in part: then nothing *holds*.
    pub lossy: Option<Lossy>,
    /// Where states are kept in sorted runs instead of a table.
    pub runs: Option<RunStore>,
    /// Who searches in these runs, if not this process alone.
    pub elsewhere: Option<Arc<dyn Elsewhere>>,
}

/// The properties of a search; every thread that asks them makes them for itself.
pub type Asked<'a> = dyn Fn() -> Vec<SearchProperty<'a>> + Sync + 'a;

/// A search that several processes share: it answers like one of this process alone.
pub trait Elsewhere: fmt::Debug + Send + Sync {
    /// Searches a model.
    fn search(
        &self,
        model: &dyn Model,
        properties: &Asked<'_>,
        runs: &RunStore,
        limits: Limits,
        observer: &mut Observer<'_>,
    ) -> Result<RunsOutcome, Error>;
}

/// Follows the answering of questions: shows progress, reads the clock, stops.
pub trait Watcher {
    /// A question is being answered from now on.
    fn begin(&mut self, question: &str);

    /// Looks at a search; a bound as the answer ends it.
    fn look(&mut self, progress: &Progress) -> ControlFlow<Bound>;

    /// Seconds since the last `begin`.
    fn seconds(&self) -> f64;

    /// Another one for a thread that helps, with the same bounds; `None` where there is to be no such thread.
    fn helper(&self) -> Option<Box<dyn Watcher + Send>> {
        None
    }

    /// Seconds that a question may take by itself, where that is bounded.
    fn seconds_each(&self) -> Option<f64> {
        None
    }

    /// While it holds, some of the time that is left is kept for questions that follow.
    fn keep_time(&mut self, _keep: bool) {}
}

/// Lets everything go on and measures nothing.
pub struct Unwatched;

impl Watcher for Unwatched {
    fn begin(&mut self, _question: &str) {}

    fn look(&mut self, progress: &Progress) -> ControlFlow<Bound> {
        unobserved(progress)
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}

/// An answer, or why there is none.
pub type Answered = Result<Answer, Refused>;

/// Why a question has no answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Refused {
    /// Something is wrong with the question or with what it is about.
    Diagnostics(Vec<Diagnostic>),
    /// A projection ended early: a bound was reached, or it became too large.
    Stopped(Stopped),
}

impl From<Vec<Diagnostic>> for Refused {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Refused::Diagnostics(diagnostics)
    }
}

impl From<Stopped> for Refused {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Problems(problems) => Refused::Diagnostics(problems),
            stopped => Refused::Stopped(stopped),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Diagnostics(diagnostics) => {
                let messages: Vec<&str> =
                    diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
                f.write_str(&messages.join("; "))
            }
            Refused::Stopped(stopped) => stopped.fmt(f),
        }
    }
}

/// Why the engine has no answer: a problem in the words of the model's language, or a model that does
/// not repeat itself.
#[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
pub(crate) fn unrepeatable(error: Error) -> Refused {
    if let Error::Store(trouble) = &error {
        return vec![unusable(trouble)].into();
    }
    if let Error::Peers(message) = &error {
        return vec![unshared(message)].into();
    }
    let generic = || Diagnostic::error(&UNREPEATABLE, error.to_string());
    Refused::Diagnostics(vec![Diagnostic::behind(&error).cloned().unwrap_or_else(generic)])
}

/// What to say where the files of a search cannot be used.
pub fn unusable(trouble: &Trouble) -> Diagnostic {
    Diagnostic::error(&UNUSABLE, trouble.to_string()).help(trouble.help)
}

/// What to say where processes that share a search cannot go on.
pub fn unshared(message: &str) -> Diagnostic {
    Diagnostic::error(&CLUSTER, message)
        .help("nothing is lost that was written down: with --store disk=FOLDER, go on by --resume")
}

impl Subject<'_> {
    /// Answers questions, in order. The model is walked through once for all that a walk can answer
    /// (deadlock, invariants, what never happened); formulas are checked on the graph that it leaves.
    pub fn ask(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        // No search of a net that is not bounded comes to an end.
        let is_endless = self.grows().is_some() && config.limits.states.is_none();
        if !is_endless {
            return self.answers(questions, config, watcher);
        }
        let limits = few_of_many(config.limits);
        // Sets of ever larger numbers would take all memory first.
        let engine = if config.engine == Engine::Symbolic { Engine::Auto } else { config.engine };
        let config = Config { limits, engine, ..config.clone() };
        let mut answers = self.answers(questions, &config, watcher);
        let few = limits.states.map(Bound::States);
        for answer in answers.iter_mut().flatten() {
            if matches!(answer.verdict, Verdict::Unknown(bound) if Some(bound) == few) {
                answer.verdict = Verdict::Unknown(Bound::Infinite);
            }
        }
        answers
    }

    fn answers(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        let fairness = config.fairness.with(&self.fairness);
        if config.algorithm == LtlAlgorithm::Nested && !self.fairness.is_none() {
            let message = "nested depth-first search cannot respect `fair` events";
            let help = "use --algorithm scc, or leave --algorithm out";
            let refused = || vec![Diagnostic::error(&CONTRADICTION, message).help(help)].into();
            return questions.iter().map(|_| Err(refused())).collect();
        }
        let config = &Config { fairness, ..config.clone() };
        let is_walked = |question: &Question<'_>| {
            matches!(
                question,
                Question::Deadlock | Question::Property(_) | Question::Unused | Question::Bounded
            )
        };
        let asks_bounds = questions.iter().any(|question| matches!(question, Question::Bounded));
        if asks_bounds && let Some(refused) = not_every_state(config) {
            return questions.iter().map(|_| Err(vec![refused.clone()].into())).collect();
        }
        let is_walked = questions.iter().any(is_walked);
        if let (true, Some(lossy)) = (is_walked, config.lossy) {
            return self.ask_lossy(questions, lossy, config, watcher);
        }
        if let (true, Some(runs)) = (is_walked, &config.runs) {
            return self.ask_runs(questions, runs, config, watcher);
        }
        if is_walked && config.reduction == Reduction::Representatives {
            return self.ask_represented(questions, config, watcher);
        }
        if is_walked && [config.reduction, config.symmetry].contains(&Reduction::Check) {
            return self.compare_fewer(questions, config, watcher);
        }
        if is_walked && config.engine == Engine::Symbolic {
            return self.only_sets(questions, config, watcher);
        }
        let allows_more = config.limits.states.is_none_or(|most| most > FEW_STATES);
        let may_be_large =
            is_walked && !asks_bounds && config.order == Order::Breadth && allows_more;
        let tries_sets =
            may_be_large && config.engine == Engine::Auto && self.suits_sets(questions, config);
        let tries_fewer =
            may_be_large && [config.reduction, config.symmetry].contains(&Reduction::Auto);
        let is_trial = tries_sets || tries_fewer;
        let n_few = if tries_sets { FEW_STATES } else { reduction::FEW_WHOLE };
        let few = Limits { states: Some(n_few), ..config.limits };
        let first = if is_trial { few } else { config.limits };
        let mut walk = is_walked.then(|| self.walk(questions, config, first, watcher));
        let is_large = |walk: &Walk<'_>| walk.bound == Some(Bound::States(n_few));
        let is_large = is_trial && walk.as_ref().is_some_and(is_large);
        let ends_early = is_large || self.grows().is_some();
        if let Some(walk) = walk.as_mut().filter(|walk| ends_early && !walk.complete)
            && let Some(answers) = self.try_portfolio(questions, walk, config, watcher)
        {
            return answers;
        }
        if is_large {
            drop(walk);
            if tries_sets && let Some(answers) = self.try_sets(questions, config, watcher) {
                return answers;
            }
            if tries_fewer && let Some(answers) = self.try_fewer(questions, config, watcher) {
                return answers;
            }
            walk = Some(self.walk(questions, config, config.limits, watcher));
        }
        let is_infinite = |walk: &Walk<'_>| walk.bound == Some(Bound::Infinite);
        let config = &match walk.as_ref().is_some_and(is_infinite) {
            true => Config { limits: few_of_many(config.limits), ..config.clone() },
            false => config.clone(),
        };
        let mut formulas = None;
        let mut answers = Vec::new();
        for (position, question) in questions.iter().enumerate() {
            let answer = match (&mut walk, question.applies(self)) {
                (_, Err(refused)) => Err(refused.into()),
                (Some(walk), _) if walk.found[position].is_some() => {
                    let found = walk.found[position].take().unwrap_or(Ok(Verdict::Holds));
                    found.map(|verdict| self.walked(question, verdict, walk, config))
                }
                (walk, _) => {
                    watcher.begin(&question.name());
                    let graph = walk.as_mut().and_then(|walk| walk.graph.as_mut());
                    let formulas = formulas.get_or_insert_with(|| Formulas::new(self, config));
                    let answer = self.answer(question, config, formulas, graph, watcher);
                    answer.map(|answer| Answer { seconds: watcher.seconds(), ..answer })
                }
            };
            answers.push(answer);
        }
        if is_large && tries_fewer {
            self.explain_all(questions, &mut answers, config);
        }
        answers
    }

    fn answer<'s>(
        &'s self,
        question: &Question<'_>,
        config: &Config,
        formulas: &mut Formulas<'s>,
        graph: Option<&mut Graph<'s>>,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        match question {
            Question::Deadlock | Question::Unused | Question::Bounded => Err(Vec::new().into()),
            Question::Property(property) => match graph {
                Some(graph) => formulas.answer(property, graph, watcher),
                None => formulas.answer(property, &mut Graph::new(self.model()), watcher),
            },
            Question::FitsTogether { reduced } => self.fits_together(*reduced, config, watcher),
            Question::Faithful { queues } => {
                let Some(protocol) = self.protocol() else { return Err(Vec::new().into()) };
                let limits = config.limits;
                let mut look = |progress: &_| watcher.look(progress);
                let explored = Explored::new(&protocol.model, limits, &mut look)?;
                let report = liberal(&explored, queues, limits, &mut look)?;
                let (verdict, counts) = (report.faithfulness.verdict(), explored.counts());
                let evidence = Evidence::Liberal(Box::new((report, explored.into_global())));
                let engine = "partition refinement";
                Ok(Answer { verdict, counts, evidence, ..self.blank(question, config, engine) })
            }
            Question::Compare { other, relation, view } => {
                self.compare(question, (other.model(), *relation, view), config, watcher)
            }
            Question::Conforms { protocol, queues } => {
                self.conforms(question, (protocol, queues.as_deref()), config, watcher)
            }
            Question::Lint { properties } => {
                let findings = self.lint(properties, config, watcher)?;
                let engine = "branching-time labelling";
                let verdict =
                    if findings.is_empty() { Verdict::Holds } else { Verdict::Violated(None) };
                let evidence = Evidence::Findings(findings);
                Ok(Answer { verdict, evidence, ..self.blank(question, config, engine) })
            }
        }
    }

    /// An answer to be filled in.
    fn blank(&self, question: &Question<'_>, config: &Config, engine: &'static str) -> Answer {
        let (runs, fairness, expected) = match question {
            Question::Property(property) if property.is_linear() => (
                Some(property.runs),
                Some(fairness_words(&config.fairness, self.model())),
                property.expected,
            ),
            Question::Property(property) => (None, None, property.expected),
            Question::Deadlock => (None, None, self.no_deadlock),
            _ => (None, None, Expected::Holds),
        };
        Answer {
            question: question.info().word,
            name: question.name(),
            formula: match question {
                Question::Property(property) => property.named_formula(self.model()),
                _ => None,
            },
            verdict: Verdict::Holds,
            expected,
            aim: match question {
                Question::Property(property) => property.aim,
                _ => Aim::Prove,
            },
            counts: Counts::default(),
            size: None,
            product: None,
            evidence: Evidence::None,
            assumptions: Assumptions {
                runs,
                fairness,
                reduction: None,
                limits: config.limits,
                form: self.selection.session.form,
                engine: engine.into(),
            },
            seconds: 0.0,
        }
    }
}

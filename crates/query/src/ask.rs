//! From questions to answers: one exploration serves all questions that it can, and what is explored for
//! one formula is kept for the next.

mod compare;
pub(crate) mod fits;
mod formula;
mod lint;

use std::fmt;
use std::ops::ControlFlow;

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{
    Config as SearchConfig, Fairness, Limits, LtlAlgorithm, Order, Progress, Property as Search,
    unobserved,
};
use quadrille_model::{Bound, Counts, Expected, Runs, Verdict};

use crate::answer::{Answer, Assumptions, Evidence, fairness_words};
use crate::claim::ActionAtom;
use crate::codes::UNREPEATABLE;
use crate::invariant::{Invariant, remembered};
use crate::protocol::{Explored, Stopped, liberal};
use crate::question::Question;
use crate::subject::Subject;
use crate::vocabulary::Vocabulary;
use formula::Formulas;

pub use fits::{error_kind, errors_of};

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
}

/// Follows the answering of questions: shows progress, reads the clock, stops.
pub trait Watcher {
    /// A question is being answered from now on.
    fn begin(&mut self, question: &str);

    /// Looks at a search; a bound as the answer ends it.
    fn look(&mut self, progress: &Progress) -> ControlFlow<Bound>;

    /// Seconds since the last `begin`.
    fn seconds(&self) -> f64;
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

pub(crate) fn unrepeatable(error: impl fmt::Display) -> Refused {
    Refused::Diagnostics(vec![Diagnostic::error(&UNREPEATABLE, error.to_string())])
}

/// What one walk through the model found.
#[derive(Default)]
struct Walk {
    /// Verdicts in the order of the properties that were searched for.
    verdicts: Vec<Verdict>,
    counts: Counts,
    /// Whether every state was met.
    complete: bool,
    seconds: f64,
}

/// Where the walk answers a question: the positions of its verdicts.
type Place = Option<std::ops::Range<usize>>;

impl Subject<'_> {
    /// Answers questions, in order. The model is walked through once for all that a walk can answer:
    /// deadlock and invariants.
    pub fn ask(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        let (walk, places) = match self.walk(questions, config, watcher) {
            Ok(walked) => walked,
            Err(refused) => return questions.iter().map(|_| Err(refused.clone())).collect(),
        };
        let mut formulas = Formulas::new(self, config);
        let mut answers = Vec::new();
        for (question, place) in questions.iter().zip(places) {
            if let Err(refused) = question.applies(self) {
                answers.push(Err(refused.into()));
                continue;
            }
            let answer = match place {
                Some(place) => Ok(self.walked(question, &walk, place, config)),
                None => {
                    watcher.begin(&question.name());
                    let answer = self.answer(question, config, &mut formulas, watcher);
                    answer.map(|mut answer| {
                        answer.seconds = watcher.seconds();
                        // One model has one size, whatever an algorithm needed of it.
                        if walk.complete && matches!(question, Question::Property(_)) {
                            answer.counts = walk.counts;
                        }
                        answer
                    })
                }
            };
            answers
                .push(answer.and_then(|answer| self.sound().map(|()| answer).map_err(Into::into)));
        }
        answers
    }

    fn answer<'s>(
        &'s self,
        question: &Question<'_>,
        config: &Config,
        formulas: &mut Formulas<'s>,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        match question {
            Question::Deadlock => Err(Refused::Diagnostics(Vec::new())),
            Question::Property(property) => formulas.answer(property, watcher),
            Question::FitsTogether { reduced } => self.fits_together(*reduced, config, watcher),
            Question::Faithful { queues } => {
                let Some(protocol) = self.protocol() else { return Err(Vec::new().into()) };
                let limits = config.limits;
                let mut look = |progress: &_| watcher.look(progress);
                let explored = Explored::new(&protocol.model, limits, &mut look);
                protocol.sound()?;
                let explored = explored?;
                let report = liberal(&explored, queues, limits, &mut look)?;
                let (verdict, counts) = (report.faithfulness.verdict(), explored.counts());
                let evidence = Evidence::Liberal(Box::new((report, explored.into_global())));
                let engine = "partition refinement";
                Ok(Answer { verdict, counts, evidence, ..self.blank(question, config, engine) })
            }
            Question::Compare { other, relation, view } => {
                self.compare(question, (other, *relation, view), config, watcher)
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
            _ => (None, None, Expected::Holds),
        };
        Answer {
            question: question.info().word,
            name: question.name(),
            verdict: Verdict::Holds,
            expected,
            counts: Counts::default(),
            evidence: Evidence::None,
            assumptions: Assumptions {
                runs,
                fairness,
                reduction: None,
                limits: config.limits,
                form: self.selection.session.form,
                engine,
            },
            seconds: 0.0,
        }
    }

    /// Walks through the model once for all questions that this can answer.
    fn walk(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Result<(Walk, Vec<Place>), Refused> {
        let mut invariants = Vec::new();
        for question in questions {
            invariants.push(match question {
                Question::Property(property)
                    if property.runs == Runs::Maximal && config.fairness.is_none() =>
                {
                    let claims = property.claims.iter();
                    claims.map(|claim| Invariant::of(claim, self.terms())).collect()
                }
                _ => None::<Vec<Invariant<'_>>>,
            });
        }
        let (mut searches, mut places) = (Vec::new(), Vec::new());
        let mut name = None;
        for (question, invariants) in questions.iter().zip(&invariants) {
            let start = searches.len();
            match (question, invariants) {
                (Question::Deadlock, _) => searches.push(Search::DeadlockFree),
                (_, Some(all)) if !all.is_empty() => {
                    searches.extend(all.iter().map(|each| each.search(self.model())));
                }
                _ => {
                    places.push(None);
                    continue;
                }
            }
            name.get_or_insert_with(|| question.name());
            places.push(Some(start..searches.len()));
        }
        let Some(name) = name else { return Ok((Walk::default(), places)) };
        watcher.begin(&name);
        // Only deadlock may be searched for depth first: invariants promise a shortest run.
        let is_deadlock_alone = matches!(searches[..], [Search::DeadlockFree]);
        let order = if is_deadlock_alone { config.order } else { Order::Breadth };
        let search = SearchConfig { order, limits: config.limits };
        let mut look = |progress: &_| watcher.look(progress);
        let found = quadrille_engine::check(self.model(), &searches, search, &mut look);
        let found = found.map_err(unrepeatable)?;
        let complete = found.bound.is_none() && found.verdicts.contains(&Verdict::Holds);
        let seconds = watcher.seconds();
        Ok((Walk { verdicts: found.verdicts, counts: found.counts, complete, seconds }, places))
    }

    /// What the walk found about a question.
    fn walked(
        &self,
        question: &Question<'_>,
        walk: &Walk,
        place: std::ops::Range<usize>,
        config: &Config,
    ) -> Answer {
        let order = match config.order {
            Order::Breadth => "breadth-first search",
            Order::Depth => "depth-first search",
        };
        let found = &walk.verdicts[place];
        let first = |wanted: fn(&&Verdict) -> bool| found.iter().find(wanted).cloned();
        let violated = first(|verdict| matches!(verdict, Verdict::Violated(_)));
        let unknown = || first(|verdict| matches!(verdict, Verdict::Unknown(_)));
        let verdict = violated.or_else(unknown).unwrap_or(Verdict::Holds);
        let (counts, seconds) = (walk.counts, walk.seconds);
        Answer { verdict, counts, seconds, ..self.blank(question, config, order) }
    }

    /// The atoms of properties that no reachable action satisfies, where actions are found as the
    /// protocol is explored. Actions that are known already are tried first.
    pub fn unmatched<'q>(
        &self,
        properties: impl IntoIterator<Item = &'q crate::Property>,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<&'q ActionAtom>, Refused> {
        if !matches!(self.vocabulary, Vocabulary::Actions | Vocabulary::Quad(_)) {
            return Ok(Vec::new());
        }
        let (model, terms) = (self.model(), self.terms());
        let known: Vec<_> = (0..model.n_actions())
            .map(|id| model.action(quadrille_model::ActionId::from_usize(id)))
            .collect();
        let mut suspects: Vec<&ActionAtom> = Vec::new();
        for atom in properties.into_iter().flat_map(crate::Property::actions) {
            let is_new = !suspects.iter().any(|s| s.text == atom.text && s.span == atom.span);
            if is_new && !known.iter().any(|action| atom.matches(terms, action)) {
                suspects.push(atom);
            }
        }
        if suspects.is_empty() {
            return Ok(suspects);
        }
        let matches =
            |atom: &'q ActionAtom| remembered(model, |action| atom.matches(terms, action));
        let searches: Vec<Search<'_>> =
            suspects.iter().map(|atom| Search::Never(Box::new(matches(atom)))).collect();
        let search = SearchConfig { order: Order::Breadth, limits: config.limits };
        let mut look = |progress: &_| watcher.look(progress);
        let found = quadrille_engine::check(model, &searches, search, &mut look);
        let verdicts = found.map_err(unrepeatable)?.verdicts;
        drop(searches);
        let never = suspects.into_iter().zip(verdicts).filter(|(_, it)| *it == Verdict::Holds);
        Ok(never.map(|(atom, _)| atom).collect())
    }
}

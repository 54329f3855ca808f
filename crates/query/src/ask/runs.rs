//! Deadlock and invariants where states lie in sorted runs, in memory or on disk: one search for all
//! questions.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::disk::{RunStore, RunsOutcome, check_runs};
use quadrille_engine::{Config as SearchConfig, Property as Search};
use quadrille_model::{Bound, Runs, Verdict};

use super::{Answered, Config, FEW_STATES, Refused, Watcher, unrepeatable};
use crate::answer::Answer;
use crate::claim::Property;
use crate::codes::CONTRADICTION;
use crate::invariant::Invariant;
use crate::question::Question;
use crate::subject::Subject;

impl Subject<'_> {
    /// Answers questions of a walk by a search in sorted runs.
    pub(super) fn ask_runs(
        &self,
        questions: &[Question<'_>],
        runs: &RunStore,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        let engine = match (runs, &config.elsewhere) {
            (RunStore::Memory, None) => "breadth-first search in sorted runs",
            (RunStore::Disk { .. }, None) => "breadth-first search in sorted runs on disk",
            (RunStore::Memory, Some(_)) => "breadth-first search of a cluster",
            (RunStore::Disk { .. }, Some(_)) => "breadth-first search of a cluster, on disk",
        };
        let asked: Vec<_> = questions.iter().map(|it| self.in_runs(it, config)).collect();
        let model = self.model();
        let is_deadlock = |question: &Question<'_>| matches!(question, Question::Deadlock);
        let kinds: Vec<bool> = questions.iter().map(is_deadlock).collect();
        let searches = || {
            let mut searches = Vec::new();
            for (&is_deadlock, invariants) in kinds.iter().zip(&asked) {
                match (is_deadlock, invariants) {
                    (true, _) => searches.push(Search::DeadlockFree),
                    (_, Ok(all)) => searches.extend(all.iter().map(|each| each.search(model))),
                    (_, Err(_)) => {}
                }
            }
            searches
        };
        if asked.iter().any(Result::is_err) {
            // A search that leaves a question out would not go on with it later.
            let refuse = |(question, asked): (_, &Result<_, Refused>)| match asked {
                Err(refused) => Err(refused.clone()),
                Ok(_) => Err(refused_beside(question)),
            };
            return questions.iter().zip(&asked).map(refuse).collect();
        }
        watcher.begin(&questions.first().map(Question::name).unwrap_or_default());
        let (limits, workers) = (config.limits, config.workers);
        let search = SearchConfig { limits, workers, ..SearchConfig::default() };
        let mut look = |progress: &_| watcher.look(progress);
        let found = match &config.elsewhere {
            Some(cluster) => cluster.search(model, &searches, runs, limits, &mut look),
            None => check_runs(model, &searches(), runs, &search, &mut look),
        };
        let seconds = watcher.seconds();
        let RunsOutcome { outcome, .. } = match found.map_err(unrepeatable) {
            Ok(found) => found,
            Err(refused) => return questions.iter().map(|_| Err(refused.clone())).collect(),
        };
        let mut verdicts = outcome.verdicts.into_iter();
        let answer = |(question, asked): (&Question<'_>, &Result<Vec<_>, _>)| {
            let n_searches = match question {
                Question::Deadlock => 1,
                _ => asked.as_ref().map_or(0, Vec::len),
            };
            let mut verdict = match question {
                // Values and steps are not looked at one by one.
                Question::Unused => Verdict::Unknown(Bound::States(FEW_STATES)),
                _ => Verdict::Holds,
            };
            for one in verdicts.by_ref().take(n_searches) {
                verdict = match (verdict, one) {
                    (Verdict::Violated(run), _) | (_, Verdict::Violated(run)) => {
                        Verdict::Violated(run)
                    }
                    (Verdict::Unknown(bound), _) => Verdict::Unknown(bound),
                    (Verdict::Holds, one) => one,
                };
            }
            let counts = outcome.counts;
            Ok(Answer { verdict, counts, seconds, ..self.blank(question, config, engine) })
        };
        questions.iter().zip(&asked).map(answer).collect()
    }

    /// The invariants that a question is, or why it is none.
    fn in_runs<'q>(
        &'q self,
        question: &'q Question<'_>,
        config: &Config,
    ) -> Result<Vec<Invariant<'q>>, Refused> {
        question.applies(self)?;
        let found = match question {
            Question::Deadlock | Question::Unused => Some(Vec::new()),
            Question::Property(property)
                if property.runs == Runs::Maximal && config.fairness.is_none() =>
            {
                property.claims.iter().map(|claim| Invariant::of(claim, self.terms())).collect()
            }
            _ => None,
        };
        found.ok_or_else(|| refused(question))
    }
}

fn refused(question: &Question<'_>) -> Refused {
    let message = format!(
        "searches in sorted runs answer deadlock and invariants (`G p`), not `{}`",
        question.name()
    );
    let diagnostic = Diagnostic::error(&CONTRADICTION, message);
    let diagnostic = match question {
        Question::Property(Property { span, .. }) => diagnostic.at(*span, ""),
        _ => diagnostic,
    };
    vec![diagnostic.help("ask it with --store memory, or use --engine symbolic")].into()
}

fn refused_beside(question: &Question<'_>) -> Refused {
    let message =
        format!("`{}` was not asked, because another question was refused", question.name());
    vec![Diagnostic::error(&CONTRADICTION, message).help("ask them in two commands")].into()
}

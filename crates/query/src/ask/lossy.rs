//! Deadlock and invariants, explored with less memory than states take: what is not refuted is unknown.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{Lossy, Outcome, Property as Search, check_lossy};
use quadrille_model::{Bound, Runs, Verdict};

use super::{Answered, Config, FEW_STATES, Refused, Watcher, unrepeatable};
use crate::answer::Answer;
use crate::claim::Property;
use crate::codes::CONTRADICTION;
use crate::invariant::Invariant;
use crate::question::Question;
use crate::subject::Subject;

impl Subject<'_> {
    /// Answers questions of a walk by a search that may leave states out.
    pub(super) fn ask_lossy(
        &self,
        questions: &[Question<'_>],
        lossy: Lossy,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        let mut answers = Vec::new();
        for question in questions {
            watcher.begin(&question.name());
            let answer = self.answer_lossy(question, lossy, config, watcher);
            answers.push(answer.map(|answer| Answer { seconds: watcher.seconds(), ..answer }));
        }
        answers
    }

    fn answer_lossy(
        &self,
        question: &Question<'_>,
        lossy: Lossy,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        let engine = match lossy {
            Lossy::Bits { .. } => "bit-state search",
            Lossy::Fingerprints => "hash compaction",
        };
        let invariants: Option<Vec<Invariant<'_>>> = match question {
            Question::Deadlock => Some(Vec::new()),
            Question::Unused => {
                // What was not seen may be among what was left out.
                let verdict = Verdict::Unknown(Bound::States(FEW_STATES));
                return Ok(Answer { verdict, ..self.blank(question, config, engine) });
            }
            Question::Property(property) if property.runs == Runs::Maximal => {
                self.invariants(property)
            }
            _ => None,
        };
        let Some(invariants) = invariants else { return Err(refused(question)) };
        let model = self.model();
        let mut searches: Vec<Search<'_>> =
            invariants.iter().map(|invariant| invariant.search(model)).collect();
        if searches.is_empty() {
            searches.push(Search::DeadlockFree);
        }
        let mut look = |progress: &_| watcher.look(progress);
        let with = (config.limits, config.workers);
        let found = check_lossy(model, &searches, lossy, with, &mut look).map_err(unrepeatable)?;
        let Outcome { verdicts, counts, .. } = found;
        let is_violated = |verdict: &Verdict| matches!(verdict, Verdict::Violated(_));
        let position = verdicts.iter().position(is_violated).unwrap_or(0);
        let verdict = verdicts.into_iter().nth(position);
        // Nothing that was explored so holds.
        let verdict = verdict.unwrap_or(Verdict::Unknown(Bound::Endless));
        Ok(Answer { verdict, counts, ..self.blank(question, config, engine) })
    }
}

fn refused(question: &Question<'_>) -> Refused {
    let message =
        format!("--lossy answers deadlock and invariants (`G p`), not `{}`", question.name());
    let diagnostic = Diagnostic::error(&CONTRADICTION, message);
    let diagnostic = match question {
        Question::Property(Property { span, .. }) => diagnostic.at(*span, ""),
        _ => diagnostic,
    };
    vec![diagnostic.help("leave --lossy out")].into()
}

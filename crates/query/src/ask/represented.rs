//! Deadlocks by the second strategy of reduction: one step that represents all others.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::replayed;
use quadrille_model::{Bound, Verdict};
use quadrille_reduction::Represented;

use super::reduction::reason;
use super::{Answered, Config, FEW_STATES, Watcher, unrepeatable};
use crate::answer::Answer;
use crate::codes::CONTRADICTION;
use crate::question::Question;
use crate::subject::Subject;

impl Subject<'_> {
    /// Answers the question of deadlock on what representatives leave; others are refused.
    pub(super) fn ask_represented(
        &self,
        questions: &[Question<'_>],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Vec<Answered> {
        questions
            .iter()
            .map(|question| self.by_representatives(question, config, watcher))
            .collect()
    }

    fn by_representatives(
        &self,
        question: &Question<'_>,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        if matches!(question, Question::Unused) {
            // What never happens may be among what is left out.
            let verdict = Verdict::Unknown(Bound::States(FEW_STATES));
            return Ok(Answer { verdict, ..self.blank(question, config, "none") });
        }
        if !matches!(question, Question::Deadlock) {
            let message =
                format!("representatives keep deadlocks, and `{}` asks for more", question.name());
            let help = "use --reduction auto for formulas";
            return Err(vec![Diagnostic::error(&CONTRADICTION, message).help(help)].into());
        }
        watcher.begin(&question.name());
        let whole = self.model();
        let represented = match Represented::new(whole) {
            Ok(represented) => represented,
            Err(obstacle) => {
                let mut answer = self.search(question, whole, config.limits, config, watcher)?;
                answer.assumptions.reduction = Some(reason(obstacle).to_owned());
                return Ok(Answer { seconds: watcher.seconds(), ..answer });
            }
        };
        let mut answer = self.search(question, &represented, config.limits, config, watcher)?;
        if let Verdict::Violated(Some(run)) = answer.verdict {
            let run = replayed(whole, run).map_err(unrepeatable)?;
            answer.verdict = Verdict::Violated(Some(run));
        }
        answer.assumptions.reduction =
            Some("representatives: counts are of the reduced graph".to_owned());
        let answer = self.shortest(question, answer, config, watcher);
        Ok(Answer { seconds: watcher.seconds(), ..answer })
    }
}

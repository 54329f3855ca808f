//! Components: whether they fit together, in files, in an architecture, and after one was replaced; what
//! is left of them after reduction.

pub(crate) mod check;
pub(crate) mod monitor;
pub(crate) mod reduce;
pub(crate) mod substitute;
mod text;

use quadrille_diagnostic::Diagnostic;
use quadrille_query::{CompositionReport, Config, Question, Refused, Subject};
use quadrille_report::Outcome;

use crate::exit::Exit;
use crate::watch::Watcher;

/// A composition and what was found about it.
struct CompositionCheck {
    subject: Subject<'static>,
    outcome: Outcome,
}

impl CompositionCheck {
    /// Asks whether the components of a subject fit together.
    fn find(
        subject: Subject<'static>,
        reduced: bool,
        watcher: &mut Watcher<'_>,
    ) -> Result<Self, Refused> {
        let config = Config { limits: watcher.limits(), ..Config::default() };
        let questions = [Question::FitsTogether { reduced }];
        let answers = subject.ask(&questions, &config, watcher);
        watcher.end();
        let answers = answers.into_iter().collect::<Result<Vec<_>, Refused>>()?;
        let outcomes = answers.into_iter().map(|answer| Outcome::new(answer, &subject));
        let outcome = outcomes.last().expect("one question has one answer");
        Ok(Self { subject, outcome })
    }

    fn exit(&self) -> Exit {
        Exit::of(&self.outcome.answer, false)
    }

    /// The verdict in words.
    fn word(&self) -> String {
        self.outcome.answer.composition().map_or_else(String::new, CompositionReport::word)
    }
}

/// The verdict of several compositions together: the first error in the order of the words; without
/// one, whether something is unknown.
fn together<'a>(fits: impl IntoIterator<Item = &'a CompositionCheck>) -> (String, Exit) {
    let order = ["bad activity", "no activity", "infinite activity", "unknown", "no error"];
    let rank = |word: &str| order.iter().position(|known| *known == word).unwrap_or(order.len());
    let (mut verdict, mut exit) = ("no error".to_owned(), Exit::Holds);
    for fit in fits {
        let word = fit.word();
        if rank(&word) < rank(&verdict) {
            verdict = word;
        }
        exit = exit.and(fit.exit());
    }
    (verdict, exit)
}

/// Whether the texts have an error that their composition does not show: then there is no verdict.
fn is_hidden(warnings: &[Diagnostic], exit: Exit) -> bool {
    exit == Exit::Holds && warnings.iter().any(Diagnostic::is_error)
}

//! How the command ends.

use std::process::ExitCode;

use quadrille_diagnostic::Style;
use quadrille_model::Verdict;
use quadrille_query::{Aim, Answer};

/// What the exit code says. A bug in Quadrille is a panic, which gives 101.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Everything holds.
    Holds,
    /// Something is violated.
    Violated,
    /// Nothing could be run: bad input or bad usage.
    CannotRun,
    /// A bound was reached first.
    Unknown,
}

impl Exit {
    /// The exit of an answer; `strict` ones do not care what was expected: a property is to hold, a run
    /// to be found.
    pub(crate) fn of(answer: &Answer, strict: bool) -> Exit {
        let is_good = match (&answer.verdict, answer.aim) {
            (Verdict::Unknown(_), _) => return Exit::Unknown,
            (Verdict::Holds, Aim::Prove) | (Verdict::Violated(_), Aim::Find) => true,
            (Verdict::Holds, Aim::Find) | (Verdict::Violated(_), Aim::Prove) => false,
        };
        let is_good = if strict { is_good } else { answer.passed() };
        if is_good { Exit::Holds } else { Exit::Violated }
    }

    /// The exit of both together: a violation is certain whatever else is not known.
    #[must_use]
    pub(crate) fn and(self, other: Exit) -> Exit {
        let weight = |exit| match exit {
            Exit::Holds => 0,
            Exit::Unknown => 1,
            Exit::Violated => 2,
            Exit::CannotRun => 3,
        };
        if weight(other) > weight(self) { other } else { self }
    }

    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::CannotRun => 2,
            Exit::Unknown => 3,
        }
    }

    /// The exit of a process with this code, if it is one of ours.
    pub(crate) fn of_code(code: i32) -> Option<Exit> {
        let all = [Exit::Holds, Exit::Violated, Exit::CannotRun, Exit::Unknown];
        all.into_iter().find(|exit| i32::from(exit.code()) == code)
    }

    /// The verdict word; nothing that cannot run has a verdict.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Exit::Holds => "holds",
            Exit::Violated => "violated",
            Exit::Unknown | Exit::CannotRun => "unknown",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// A verdict in the colour of its exit code.
pub(crate) fn coloured(word: &str, exit: Exit, style: Style) -> String {
    let colour = match (style, exit) {
        (Style::Plain, _) => return word.to_owned(),
        (Style::Colour, Exit::Holds) => 32,
        (Style::Colour, Exit::Violated | Exit::CannotRun) => 31,
        (Style::Colour, Exit::Unknown) => 33,
    };
    format!("\x1b[1;{colour}m{word}\x1b[0m")
}

#[cfg(test)]
mod tests;

//! What Quadrille tells a user about their text: a [`Diagnostic`] is data with a [`Code`], spans
//! into [`Sources`], and advice; rendering is apart. Every front end reports through this crate.
//! It knows no language and prints nothing itself.
#![forbid(unsafe_code)]

mod code;
mod idle;
mod render;
mod similar;
mod source;

use std::fmt;

pub use code::Code;
pub use idle::{Activity, Fragment, activity, idle};
pub use render::{Style, render};
pub use similar::similar;
pub use source::{NotText, Position, SourceId, Sources, Span};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used and is probably not what was meant.
    Warning,
    /// Worth knowing.
    Note,
}

/// A place in a source and what to say about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is said there; may be empty.
    pub text: String,
}

/// One thing to tell the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of thing it is; `quadrille explain` prints the code's page.
    pub code: &'static Code,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// Where it is, and further places that explain it. The first is the primary one.
    pub labels: Vec<Label>,
    /// Facts that explain it.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Something that makes the input unusable.
    pub fn error(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message.into())
    }

    /// Something that is probably a mistake.
    pub fn warning(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message.into())
    }

    fn new(code: &'static Code, severity: Severity, message: String) -> Self {
        Self { code, severity, message, labels: Vec::new(), notes: Vec::new(), help: None }
    }

    /// Adds a place; the first one added is the primary one.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The diagnostic behind an error, if there is one.
    pub fn behind<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e Diagnostic> {
        let mut errors = std::iter::successors(Some(error), |error| error.source());
        errors.find_map(|error| error.downcast_ref())
    }

    /// Whether the input cannot be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

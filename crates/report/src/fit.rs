//! JSON about components: whether those that are put together fit, one record per composition, and what
//! is left of them after reduction. Fields are described in `docs/json.md`.

use quadrille_model::Bound;
use serde::Serialize;

use crate::Story;
use crate::json::{BoundRecord, SCHEMA, pretty};

/// What `check --format json` prints about components, about an architecture, and what `substitute`
/// prints.
#[derive(Serialize)]
pub struct FitDocument {
    schema: &'static str,
    files: Vec<String>,
    /// The verdict of all checks together.
    verdict: String,
    #[serde(flatten)]
    content: FitContent,
}

/// One composition, or several with names.
#[derive(Serialize)]
#[serde(untagged)]
pub enum FitContent {
    /// The components of the files together.
    One(Box<FitRecord>),
    /// One record per check.
    Several {
        /// The checks in order.
        checks: Vec<FitRecord>,
    },
}

/// What was found about one composition.
#[derive(Serialize)]
pub struct FitRecord {
    /// Which composition, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<FitCheck>,
    /// Number of configurations, if all were met.
    pub configurations: Option<usize>,
    /// Number of distinct steps, if all were met.
    pub steps: Option<usize>,
    /// What there is without reduction, where there was one and all was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreduced: Option<FitSize>,
    bound: Option<BoundRecord>,
    /// What happens up to the error of the verdict, and the error token.
    pub trace: Vec<String>,
    /// All errors, those of the verdict first.
    pub errors: Vec<FitError>,
    /// The trace as it can be replayed and drawn.
    pub story: Option<Story>,
    /// How long it took.
    pub seconds: f64,
}

/// How large a composition is.
#[derive(Clone, Copy, Serialize)]
pub struct FitSize {
    /// Number of configurations.
    pub configurations: usize,
    /// Number of distinct steps.
    pub steps: usize,
}

/// One of several checks.
#[derive(Clone, Serialize)]
pub struct FitCheck {
    /// The composite.
    pub name: String,
    /// What it must be.
    pub kind: String,
    /// The verdict.
    pub verdict: String,
}

/// An error of a composition.
#[derive(Serialize)]
pub struct FitError {
    /// The word of the verdict.
    pub kind: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The event that nobody accepts.
    pub event: Option<String>,
    /// The components that emit it, or that have not finished.
    pub components: Vec<String>,
    /// Where it comes from.
    pub places: Vec<FitPlace>,
    /// A shortest way there, and the error token.
    pub trace: Vec<String>,
}

/// A place in a text.
#[derive(Serialize)]
pub struct FitPlace {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is there.
    pub text: String,
}

impl FitRecord {
    /// A record of a composition without error; the other fields are public.
    pub fn new(seconds: f64) -> Self {
        Self {
            check: None,
            configurations: None,
            steps: None,
            unreduced: None,
            bound: None,
            trace: Vec::new(),
            errors: Vec::new(),
            story: None,
            seconds,
        }
    }

    /// Says that a bound was reached first.
    #[must_use]
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = Some(BoundRecord::new(bound));
        self
    }
}

impl FitDocument {
    /// The document about some files.
    pub fn new(files: Vec<String>, verdict: String, content: FitContent) -> Self {
        Self { schema: SCHEMA, files, verdict, content }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// What `reduce --format json` prints.
#[derive(Serialize)]
pub struct ReduceDocument {
    schema: &'static str,
    files: Vec<String>,
    nothing_left: bool,
    text: Option<String>,
    steps: Vec<ReduceStep>,
}

/// A system before reduction, or after a rule was applied to it.
#[derive(Serialize)]
pub struct ReduceStep {
    /// The rule.
    pub rule: String,
    /// How often it was applied.
    pub applications: usize,
    /// States of all automata.
    pub states: usize,
    /// Transitions of all automata.
    pub transitions: usize,
    /// Configurations of the composition, if all were met.
    pub configurations: Option<usize>,
    /// Steps of the composition, if all were met.
    pub steps: Option<usize>,
    /// Whether the composition has an error, if that is known.
    pub error: Option<bool>,
}

impl ReduceDocument {
    /// The document about some files; `text` is what is left of them.
    pub fn new(
        files: Vec<String>,
        nothing_left: bool,
        text: Option<String>,
        steps: Vec<ReduceStep>,
    ) -> Self {
        Self { schema: SCHEMA, files, nothing_left, text, steps }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

//! JSON about components: whether those that are put together fit, one record per composition, and what
//! is left of them after reduction. Fields are described in `docs/json.md`.

use quadrille_component::composition::ErrorRun;
use quadrille_diagnostic::Sources;
use quadrille_model::Verdict;
use quadrille_query::{Composed, CompositionReport};
use serde::Serialize;

use crate::json::{AssumptionsRecord, BoundRecord, SCHEMA, pretty};
use crate::never::NeverRecord;
use crate::{Outcome, Story};

/// What `check --format json` prints about components, about an architecture, and what `substitute`
/// prints.
#[derive(Serialize)]
pub struct CompositionDocument {
    schema: &'static str,
    files: Vec<String>,
    /// The verdict of all checks together.
    verdict: String,
    #[serde(flatten)]
    content: CompositionContent,
}

/// One composition, or several with names.
#[derive(Serialize)]
#[serde(untagged)]
pub enum CompositionContent {
    /// The components of the files together.
    One(Box<CompositionRecord>),
    /// One record per check.
    Several {
        /// The checks in order.
        checks: Vec<CompositionRecord>,
    },
}

/// What was found about one composition.
#[derive(Serialize)]
pub struct CompositionRecord {
    /// Which composition, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<CheckRecord>,
    /// Number of configurations, if all were met.
    configurations: Option<usize>,
    /// Number of distinct steps, if all were met.
    steps: Option<usize>,
    /// What there is without reduction, where there was one and all was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreduced: Option<SizeRecord>,
    bound: Option<BoundRecord>,
    #[serde(flatten)]
    assumptions: AssumptionsRecord,
    /// What happens up to the error of the verdict, and the error token.
    trace: Vec<String>,
    /// All errors, those of the verdict first.
    errors: Vec<ErrorRecord>,
    /// The trace as it can be replayed and drawn.
    story: Option<Story>,
    /// What never happened, where there is no error and nothing was reduced.
    never: NeverRecord,
    /// How long it took.
    seconds: f64,
}

#[derive(Serialize)]
struct SizeRecord {
    configurations: usize,
    steps: usize,
}

#[derive(Serialize)]
struct CheckRecord {
    name: String,
    kind: String,
    verdict: String,
}

/// An error of a composition.
#[derive(Serialize)]
struct ErrorRecord {
    /// The word of the verdict.
    kind: String,
    /// What is wrong, in one sentence.
    message: String,
    /// The event that no component accepts.
    event: Option<String>,
    /// The components that emit it, or that have not finished.
    components: Vec<String>,
    /// Where it comes from.
    places: Vec<PlaceRecord>,
    /// A shortest way there, and the error token.
    trace: Vec<String>,
}

#[derive(Serialize)]
struct PlaceRecord {
    file: String,
    line: usize,
    column: usize,
    text: String,
}

impl CompositionRecord {
    /// The record of an answer about components.
    pub fn new(outcome: &Outcome, composed: &Composed, sources: &Sources) -> Self {
        let answer = &outcome.answer;
        let found = answer.composition();
        let paths: Vec<&ErrorRun> = found.into_iter().flat_map(CompositionReport::paths).collect();
        let errors = found.and_then(|found| found.errors.as_ref());
        let unreduced = found.and_then(|found| found.unreduced).and_then(Result::ok);
        let unused = &found.map(|found| found.unused.clone()).unwrap_or_default();
        Self {
            check: composed.compliance.as_ref().map(|(name, kind)| CheckRecord {
                name: name.clone(),
                kind: kind.clone(),
                verdict: found.map(CompositionReport::word).unwrap_or_default(),
            }),
            configurations: errors.map(|errors| errors.configurations),
            steps: errors.map(|errors| errors.steps),
            unreduced: unreduced
                .map(|(configurations, steps)| SizeRecord { configurations, steps }),
            bound: match answer.verdict {
                Verdict::Unknown(bound) => Some(BoundRecord::new(bound)),
                Verdict::Holds | Verdict::Violated(_) => None,
            },
            assumptions: AssumptionsRecord::new(&answer.assumptions),
            trace: paths.first().map(|path| composed.tokens(path)).unwrap_or_default(),
            errors: paths.iter().map(|path| ErrorRecord::new(path, composed, sources)).collect(),
            story: outcome.story.clone(),
            never: NeverRecord::new(unused, sources),
            seconds: answer.seconds,
        }
    }
}

impl ErrorRecord {
    fn new(path: &ErrorRun, composed: &Composed, sources: &Sources) -> Self {
        let told = composed.explain(path);
        let places = told.labels.iter().map(|label| {
            let position = sources.position(label.span);
            PlaceRecord {
                file: sources.name(label.span.source).to_owned(),
                line: position.line,
                column: position.column,
                text: label.text.clone(),
            }
        });
        Self {
            kind: path.kind.verdict().to_string(),
            message: told.message.clone(),
            event: composed.event(path),
            components: composed.culprits(path),
            places: places.collect(),
            trace: composed.tokens(path),
        }
    }
}

impl CompositionDocument {
    /// The document about some files.
    pub fn new(files: Vec<String>, verdict: String, content: CompositionContent) -> Self {
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

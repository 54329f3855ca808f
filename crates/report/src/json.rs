//! Quadrille's own JSON: one versioned schema for verdicts, counts and traces, described field by
//! field in `docs/json.md`. A trace can be read back.

use std::fmt;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use quadrille_model::{Bound, Counts, Verdict};
use quadrille_query::{Answer, Assumptions, Natural, SYMBOLIC, Size, Unused};
use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::findings::{DiagnosticRecord, QueueRecord};
use crate::never::NeverRecord;
use crate::outcome::{bound_phrase, runs_word};
use crate::{Mismatch, Outcome, SpecificationTests, Story, StoryEnding, Suite, codes};

/// The schema every document names. The number grows when a field changes its meaning.
pub const SCHEMA: &str = "quadrille/1";

/// What `check --format json` prints.
#[derive(Serialize)]
pub struct CheckDocument<'a> {
    schema: &'static str,
    file: String,
    verdict: &'static str,
    findings: Vec<FindingRecord>,
    never: NeverRecord,
    /// Why some questions have no answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<DiagnosticRecord<'a>>,
}

#[derive(Serialize)]
pub(crate) struct FindingRecord {
    property: String,
    verdict: &'static str,
    expected: &'static str,
    passed: bool,
    bound: Option<BoundRecord>,
    states: Whole,
    transitions: Whole,
    bytes: u64,
    product: Option<ProductRecord>,
    seconds: f64,
    #[serde(flatten)]
    assumptions: AssumptionsRecord,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queues: Vec<QueueRecord>,
    trace: Option<Story>,
}

/// The size of the product with a formula.
#[derive(Serialize)]
struct ProductRecord {
    nodes: u64,
    moves: u64,
}

/// What a verdict ranges over, and how it was found.
#[derive(Serialize)]
pub(crate) struct AssumptionsRecord {
    runs: Option<&'static str>,
    fairness: Option<String>,
    reduction: Option<String>,
    limits: LimitsRecord,
    form: &'static str,
    engine: String,
}

#[derive(Serialize)]
struct LimitsRecord {
    states: Option<u64>,
    bytes: Option<u64>,
}

impl AssumptionsRecord {
    pub(crate) fn new(assumptions: &Assumptions) -> Self {
        let Assumptions { runs, fairness, reduction, limits, form, engine } = assumptions;
        Self {
            runs: runs.map(runs_word),
            fairness: fairness.clone(),
            reduction: reduction.clone(),
            limits: LimitsRecord { states: limits.states, bytes: limits.memory },
            form: form.word(),
            engine: engine.to_string(),
        }
    }
}

/// What `states --format json` prints.
#[derive(Serialize)]
pub struct StatesDocument {
    schema: &'static str,
    file: String,
    complete: bool,
    bound: Option<BoundRecord>,
    #[serde(flatten)]
    counts: CountsRecord,
    seconds: f64,
    /// Said where sets of states were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<&'static str>,
    /// Nodes of the diagrams of these sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    /// Bytes of the coded states, where they lie in sorted runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_bytes: Option<u64>,
    /// Bytes of the files, where they lie on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    disk_bytes: Option<u64>,
    /// Steps per action or participant, or states per depth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<(String, u64)>,
}

#[derive(Serialize)]
struct CountsRecord {
    states: Whole,
    transitions: Whole,
    deadlocks: Whole,
    depth: Option<u64>,
    bytes: u64,
    bytes_per_state: f64,
}

/// A whole number: as a number where 64 bits hold it, else as its digits.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Whole {
    Number(u64),
    Digits(String),
}

impl Whole {
    /// The number, which `exact` says where there is one.
    pub(crate) fn new(number: u64, exact: Option<&Natural>) -> Self {
        match exact.filter(|exact| exact.to_u64().is_none()) {
            Some(exact) => Whole::Digits(exact.to_string()),
            None => Whole::Number(number),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct BoundRecord {
    kind: &'static str,
    limit: Option<u64>,
    /// That at least one state was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    message: String,
}

impl<'a> CheckDocument<'a> {
    /// The document for a file. `verdict` is the verdict of the whole, `diagnostics` say why some questions
    /// have no answer.
    pub fn new(
        file: &str,
        verdict: &'static str,
        findings: &[Outcome],
        unused: &Unused,
        diagnostics: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        Self {
            schema: SCHEMA,
            file: file.to_owned(),
            verdict,
            findings: findings.iter().map(FindingRecord::new).collect(),
            never: NeverRecord::new(unused, sources),
            diagnostics: diagnostics.iter().map(|it| DiagnosticRecord::new(it, sources)).collect(),
        }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

impl FindingRecord {
    pub(crate) fn new(Outcome { answer, story }: &Outcome) -> Self {
        Self {
            property: answer.name.clone(),
            verdict: answer.word(),
            expected: answer.expected_word(),
            passed: answer.passed(),
            bound: match answer.verdict {
                Verdict::Unknown(bound) => Some(BoundRecord::new(bound)),
                Verdict::Holds | Verdict::Violated(_) => None,
            },
            states: Whole::new(answer.counts.states, answer.size.as_ref().map(|it| &it.states)),
            transitions: Whole::new(
                answer.counts.transitions,
                answer.size.as_ref().map(|it| &it.transitions),
            ),
            bytes: answer.counts.bytes,
            product: answer
                .product
                .map(|product| ProductRecord { nodes: product.nodes, moves: product.moves }),
            seconds: answer.seconds,
            assumptions: AssumptionsRecord::new(&answer.assumptions),
            queues: answer.queues().iter().map(QueueRecord::from).collect(),
            trace: story.clone(),
        }
    }
}

impl StatesDocument {
    /// The document for a file; `bound` says why counting ended early, if it did, `parts` what each part of
    /// the model comes to.
    pub fn new(
        file: &str,
        (counts, size): (&Counts, Option<&Size>),
        bound: Option<Bound>,
        seconds: f64,
        parts: &[(String, u64)],
    ) -> Self {
        Self {
            schema: SCHEMA,
            file: file.to_owned(),
            complete: bound.is_none(),
            bound: bound.map(BoundRecord::new),
            counts: CountsRecord::new(counts, size),
            engine: size.map(|_| SYMBOLIC),
            nodes: size.map(|size| size.nodes),
            stored_bytes: None,
            disk_bytes: None,
            seconds,
            parts: parts.iter().map(|(name, number)| (name.clone(), *number)).collect(),
        }
    }

    /// Says what sorted runs take.
    #[must_use]
    pub fn in_runs(self, stored: u64, on_disk: Option<u64>) -> Self {
        Self { stored_bytes: Some(stored), disk_bytes: on_disk, ..self }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

impl CountsRecord {
    fn new(counts: &Counts, size: Option<&Size>) -> Self {
        let per_state = counts.bytes as f64 / counts.states.max(1) as f64;
        Self {
            states: Whole::new(counts.states, size.map(|it| &it.states)),
            transitions: Whole::new(counts.transitions, size.map(|it| &it.transitions)),
            deadlocks: Whole::new(counts.deadlocks, size.map(|it| &it.deadlocks)),
            depth: counts.depth,
            bytes: counts.bytes,
            bytes_per_state: (per_state * 100.0).round() / 100.0,
        }
    }
}

impl BoundRecord {
    pub(crate) fn new(bound: Bound) -> Self {
        let (kind, limit) = match bound {
            Bound::States(states) => ("states", Some(states)),
            Bound::Memory(bytes) => ("memory", Some(bytes)),
            Bound::Time(milliseconds) => ("time", Some(milliseconds)),
            Bound::Interrupted => ("interrupted", None),
            Bound::Walks(walks) => ("walks", Some(walks)),
            Bound::Endless => ("endless", None),
            Bound::Infinite => ("infinite", None),
            Bound::Omission(_) => ("omission", None),
        };
        let probability = match bound {
            Bound::Omission(probability) => Some(probability.value()),
            _ => None,
        };
        Self { kind, limit, probability, message: bound_phrase(bound) }
    }
}

/// What `test --format json` prints.
#[derive(Serialize)]
pub struct TestDocument<'a> {
    schema: &'static str,
    passed: usize,
    failed: usize,
    tests: Vec<TestRecord<'a>>,
    /// Per suite, what never happened.
    never: Vec<NeverRecord>,
    /// What came of specifications (.als).
    #[serde(skip_serializing_if = "<[SpecificationTests]>::is_empty")]
    specifications: &'a [SpecificationTests],
}

#[derive(Serialize)]
struct TestRecord<'a> {
    file: &'a str,
    protocol: Option<&'a str>,
    arguments: &'a [String],
    /// The scope of a design that has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'a str>,
    #[serde(flatten)]
    finding: FindingRecord,
}

impl<'a> TestDocument<'a> {
    /// The document for suites.
    pub fn new(suites: &'a [Suite], sources: &Sources) -> Self {
        let record = |suite: &'a Suite, outcome: &Outcome| TestRecord {
            file: &suite.file,
            protocol: suite.protocol.as_deref(),
            arguments: &suite.arguments,
            scope: suite.scope.as_deref(),
            finding: FindingRecord::new(outcome),
        };
        let tests: Vec<TestRecord> = suites
            .iter()
            .flat_map(|suite| suite.outcomes.iter().map(move |outcome| record(suite, outcome)))
            .collect();
        let passed = tests.iter().filter(|test| test.finding.passed).count();
        let never = suites.iter().map(|suite| NeverRecord::new(&suite.unused, sources)).collect();
        let failed = tests.len() - passed;
        Self { schema: SCHEMA, passed, failed, tests, never, specifications: &[] }
    }

    /// The same with commands of specifications.
    #[must_use]
    pub fn with_specifications(mut self, specifications: &'a [SpecificationTests]) -> Self {
        let commands = specifications.iter().flat_map(|file| &file.commands);
        let (passed, failed): (Vec<_>, Vec<_>) = commands.partition(|test| test.passed);
        self.passed += passed.len();
        self.failed += failed.len();
        self.specifications = specifications;
        self
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// What `replay --format json` prints.
#[derive(Serialize)]
pub struct ReplayDocument {
    schema: &'static str,
    file: String,
    fits: bool,
    /// The step that does not fit, from 0; null where the start or the end does not.
    step: Option<usize>,
    message: Option<String>,
    trace: Story,
}

impl ReplayDocument {
    /// The document for a trace on a file.
    pub fn new(file: &str, story: &Story, misfit: Option<&Mismatch>) -> Self {
        Self {
            schema: SCHEMA,
            file: file.to_owned(),
            fits: misfit.is_none(),
            step: match misfit {
                Some(Mismatch::Step { position, .. }) => Some(*position),
                _ => None,
            },
            message: misfit.map(|misfit| misfit.describe(story)),
            trace: story.clone(),
        }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// What `compare --format json` prints.
#[derive(Serialize)]
pub struct CompareDocument {
    schema: &'static str,
    left: String,
    right: String,
    relation: String,
    verdict: &'static str,
    bound: Option<BoundRecord>,
    difference: Option<DifferenceRecord>,
    #[serde(flatten)]
    assumptions: AssumptionsRecord,
    seconds: f64,
}

/// Why two models differ.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum DifferenceRecord {
    /// One has a trace that the other has not.
    Trace {
        /// `left` or `right`: the one that has it.
        side: &'static str,
        /// What is seen, in order.
        observations: Vec<String>,
        /// A run that shows it.
        trace: Story,
    },
    /// Something is true of the start of one only.
    Formulas {
        /// `left` or `right`.
        side: &'static str,
        /// What is true there, in words.
        formulas: Vec<String>,
    },
    /// They differ after this many moves; in words that would be too long.
    Moves {
        /// How many.
        moves: u32,
    },
}

impl CompareDocument {
    /// The document for two files.
    pub fn new(
        [left, right]: [&str; 2],
        relation: &str,
        verdict: &'static str,
        answer: &Answer,
        difference: Option<DifferenceRecord>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            left: left.to_owned(),
            right: right.to_owned(),
            relation: relation.to_owned(),
            verdict,
            bound: match answer.verdict {
                Verdict::Unknown(bound) => Some(BoundRecord::new(bound)),
                Verdict::Holds | Verdict::Violated(_) => None,
            },
            difference,
            assumptions: AssumptionsRecord::new(&answer.assumptions),
            seconds: answer.seconds,
        }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

#[derive(Serialize)]
struct TraceDocument<'a> {
    schema: &'static str,
    trace: &'a Story,
}

/// The story as a document of its own, ending in a newline.
pub fn story_json(story: &Story) -> String {
    pretty(&TraceDocument { schema: SCHEMA, trace: story })
}

pub(crate) fn pretty(document: &impl Serialize) -> String {
    // Keys are strings and floats are finite or written as null: serialising cannot fail.
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    format!("{text}\n")
}

/// Only the parts of a document that can hold a trace.
#[derive(Deserialize)]
struct AnyDocument {
    schema: Option<String>,
    #[serde(default, deserialize_with = "story_or_events")]
    trace: Option<Story>,
    story: Option<Story>,
    #[serde(default, alias = "tests", alias = "checks")]
    findings: Vec<AnyFinding>,
}

#[derive(Deserialize)]
struct AnyFinding {
    #[serde(default, deserialize_with = "story_or_events")]
    trace: Option<Story>,
    story: Option<Story>,
}

/// A story, if it is one: what was found about components has a list of events in its place.
fn story_or_events<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Story>, D::Error> {
    struct Either;
    impl<'de> Visitor<'de> for Either {
        type Value = Option<Story>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("struct Story")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<Self::Value, A::Error> {
            while events.next_element::<IgnoredAny>()?.is_some() {}
            Ok(None)
        }

        fn visit_map<A: MapAccess<'de>>(self, story: A) -> Result<Self::Value, A::Error> {
            Story::deserialize(MapAccessDeserializer::new(story)).map(Some)
        }
    }
    field.deserialize_any(Either)
}

/// Reads the trace of a document back: a trace's own, or the first one of a check.
pub fn read_story(source: SourceId, text: &str) -> Result<Story, Diagnostic> {
    let whole = Span::new(source, 0..0);
    let refuse = |span, message: String| {
        Err(Diagnostic::error(&codes::NOT_A_TRACE, message)
            .at(span, "")
            .help("`quadrille check … --trace-out FILE.json` writes traces that can be replayed"))
    };
    let document: AnyDocument = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(error) => {
            let at = byte_of(text, error.line(), error.column());
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            return refuse(Span::new(source, at..at), format!("not a trace: {message}"));
        }
    };
    match document.schema.as_deref() {
        Some(SCHEMA) => {}
        Some(other) => {
            let message = format!("the trace has schema `{other}`, not `{SCHEMA}`");
            return Err(Diagnostic::error(&codes::OTHER_SCHEMA, message).at(whole, ""));
        }
        None => return refuse(whole, "not a trace: the field `schema` is missing".to_owned()),
    }
    let mut findings = document.findings.into_iter();
    let first = document.trace.or(document.story);
    let Some(story) = first.or_else(|| findings.find_map(|one| one.trace.or(one.story))) else {
        return refuse(whole, "there is no trace in this document".to_owned());
    };
    match flaw(&story) {
        Some(message) => refuse(whole, message),
        None => Ok(story),
    }
}

/// What is wrong with a story beyond its syntax.
fn flaw(story: &Story) -> Option<String> {
    if let StoryEnding::Loop { from } = story.ending
        && from >= story.steps.len()
    {
        return Some(format!("the loop starts at step {from}, which does not exist"));
    }
    for (position, step) in story.steps.iter().enumerate() {
        if let Some((slot, _)) = step.changes.iter().find(|(s, _)| story.initial.get(s).is_none()) {
            return Some(format!("step {position} changes `{slot}`, which is not a slot"));
        }
        let strange = |name: &&String| !story.participants.contains(name);
        if let Some(name) = step.interaction.participants().into_iter().find(strange) {
            return Some(format!("step {position} mentions `{name}`, which is not a participant"));
        }
    }
    None
}

/// The byte at a line and column as `serde_json` counts them: from 1, columns in bytes.
fn byte_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

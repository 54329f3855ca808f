//! What lint and projection found about protocols, as JSON described in `docs/json.md`.

use quadrille_diagnostic::{Diagnostic, Severity, Sources};
use quadrille_model::Bound;
use quadrille_query::protocol::QueueBound;
use quadrille_query::{Finding, Level, Subject};
use serde::Serialize;

use crate::json::{BoundRecord, pretty};
use crate::outcome::story_of;
use crate::{SCHEMA, Story};

/// Something that is probably a mistake, with the story of its run.
#[derive(Clone, PartialEq, Debug)]
pub struct LintFinding {
    /// What to tell the user, and the channel it is about.
    pub finding: Finding,
    /// A run that shows it, if one can.
    pub trace: Option<Story>,
    /// What becomes of it.
    pub level: Level,
}

impl LintFinding {
    /// A finding about a subject.
    pub fn new(finding: Finding, subject: &Subject<'_>) -> Self {
        let tell = |run| story_of(subject, &finding.diagnostic.message, run);
        let trace = finding.trace.as_ref().map(tell);
        Self { finding, trace, level: Level::Warn }
    }
}

impl From<Diagnostic> for LintFinding {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { finding: diagnostic.into(), trace: None, level: Level::Warn }
    }
}

/// What any command prints in JSON where it has nothing else to say.
#[derive(Serialize)]
pub struct DiagnosticsDocument<'a> {
    schema: &'static str,
    bound: Option<BoundRecord>,
    diagnostics: Vec<DiagnosticRecord<'a>>,
}

impl<'a> DiagnosticsDocument<'a> {
    /// The document for diagnostics.
    pub fn new(diagnostics: &'a [Diagnostic], sources: &'a Sources) -> Self {
        let records = diagnostics.iter().map(|each| DiagnosticRecord::new(each, sources));
        Self { schema: SCHEMA, bound: None, diagnostics: records.collect() }
    }

    /// The document where a bound was reached before there was anything to say.
    pub fn unknown(bound: Bound) -> Self {
        let bound = Some(BoundRecord::new(bound));
        Self { schema: SCHEMA, bound, diagnostics: Vec::new() }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// What `lint --format json` prints.
#[derive(Serialize)]
pub struct LintDocument<'a> {
    schema: &'static str,
    file: &'a str,
    /// How many findings comments of the texts except.
    allowed: usize,
    findings: Vec<FindingRecord<'a>>,
}

#[derive(Serialize)]
struct FindingRecord<'a> {
    level: &'static str,
    #[serde(flatten)]
    diagnostic: DiagnosticRecord<'a>,
    channel: Option<ChannelRecord<'a>>,
    trace: Option<&'a Story>,
}

#[derive(Serialize)]
struct ChannelRecord<'a> {
    from: &'a str,
    to: &'a str,
}

#[derive(Serialize)]
pub(crate) struct DiagnosticRecord<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    places: Vec<PlaceRecord<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
}

#[derive(Serialize)]
pub(crate) struct PlaceRecord<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    text: &'a str,
}

impl<'a> DiagnosticRecord<'a> {
    pub(crate) fn new(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Self {
        let place = |label: &'a quadrille_diagnostic::Label| {
            let position = sources.position(label.span);
            PlaceRecord {
                file: sources.name(label.span.source),
                line: position.line,
                column: position.column,
                text: &label.text,
            }
        };
        Self {
            code: diagnostic.code.id,
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            message: &diagnostic.message,
            places: diagnostic.labels.iter().map(place).collect(),
            notes: &diagnostic.notes,
            help: diagnostic.help.as_deref(),
        }
    }
}

impl<'a> LintDocument<'a> {
    /// The document for a file.
    pub fn new(
        file: &'a str,
        findings: &'a [LintFinding],
        allowed: usize,
        sources: &'a Sources,
    ) -> Self {
        let record = |finding: &'a LintFinding| FindingRecord {
            level: finding.level.word(),
            diagnostic: DiagnosticRecord::new(&finding.finding.diagnostic, sources),
            channel: finding.finding.channel.as_ref().map(|(from, to)| ChannelRecord { from, to }),
            trace: finding.trace.as_ref(),
        };
        Self { schema: SCHEMA, file, allowed, findings: findings.iter().map(record).collect() }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// What projection found about a protocol.
#[derive(Clone, PartialEq, Debug)]
pub struct ProjectRecord {
    /// The protocol.
    pub protocol: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The verdict in one word.
    pub verdict: &'static str,
    /// The verdict in a sentence.
    pub message: String,
    /// The roles.
    pub roles: Vec<ProjectedRole>,
    /// The queues.
    pub queues: Vec<QueueRecord>,
    /// What to tell the user.
    pub findings: Vec<Diagnostic>,
    /// A shortest run that was added or lost.
    pub trace: Option<Story>,
}

/// A role of the liberal form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProjectedRole {
    /// Its name.
    pub role: String,
    /// How many states its automaton has.
    pub states: usize,
    /// States that have a name in the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<NamedState>,
}

/// A state of a role that has a name in the text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NamedState {
    /// Its number.
    pub state: usize,
    /// Its name.
    pub name: String,
}

/// A queue of the liberal form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QueueRecord {
    /// Sender and receiver: `a->b`.
    pub name: String,
    /// The most that ever waits in it, where that is known.
    pub most: Option<u32>,
    /// Whether it can grow for ever.
    pub unbounded: bool,
}

impl From<&QueueBound> for QueueRecord {
    fn from(queue: &QueueBound) -> Self {
        Self { name: queue.name.clone(), most: queue.most, unbounded: queue.grows }
    }
}

/// The queues of a liberal form and the most that waits in each.
pub fn queues_text(queues: &[QueueBound]) -> String {
    let queue = |queue: &QueueBound| match (queue.most, queue.grows) {
        (_, true) => format!("{} unbounded", queue.name),
        (Some(most), false) => format!("{} at most {most}", queue.name),
        (None, false) => format!("{} not known", queue.name),
    };
    queues.iter().map(queue).collect::<Vec<_>>().join(", ")
}

/// What `project --format json` prints.
#[derive(Serialize)]
pub struct ProjectDocument<'a> {
    schema: &'static str,
    file: &'a str,
    protocols: Vec<ProtocolRecord<'a>>,
}

#[derive(Serialize)]
struct ProtocolRecord<'a> {
    protocol: &'a str,
    arguments: &'a [String],
    verdict: &'static str,
    message: &'a str,
    roles: &'a [ProjectedRole],
    queues: &'a [QueueRecord],
    findings: Vec<DiagnosticRecord<'a>>,
    trace: Option<&'a Story>,
}

impl<'a> ProjectDocument<'a> {
    /// The document for a file.
    pub fn new(file: &'a str, protocols: Vec<&'a ProjectRecord>, sources: &'a Sources) -> Self {
        let record = |found: &'a ProjectRecord| ProtocolRecord {
            protocol: &found.protocol,
            arguments: &found.arguments,
            verdict: found.verdict,
            message: &found.message,
            roles: &found.roles,
            queues: &found.queues,
            findings: found.findings.iter().map(|it| DiagnosticRecord::new(it, sources)).collect(),
            trace: found.trace.as_ref(),
        };
        Self { schema: SCHEMA, file, protocols: protocols.into_iter().map(record).collect() }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

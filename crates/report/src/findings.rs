//! What lint and projection found about protocols, as JSON described in `docs/json.md`.

use quadrille_diagnostic::{Diagnostic, Severity, Sources};
use serde::Serialize;

use crate::json::pretty;
use crate::{SCHEMA, Story};

/// Something that is probably a mistake.
#[derive(Clone, PartialEq, Debug)]
pub struct LintFinding {
    /// What to tell the user.
    pub diagnostic: Diagnostic,
    /// The channel it is about, sender first, if it is about one.
    pub channel: Option<(String, String)>,
    /// A run that shows it, if one can.
    pub trace: Option<Story>,
}

impl From<Diagnostic> for LintFinding {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, channel: None, trace: None }
    }
}

/// What `lint --format json` prints.
#[derive(Serialize)]
pub struct LintDocument<'a> {
    schema: &'static str,
    file: &'a str,
    findings: Vec<FindingRecord<'a>>,
}

#[derive(Serialize)]
struct FindingRecord<'a> {
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
struct DiagnosticRecord<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    places: Vec<PlaceRecord<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct PlaceRecord<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    text: &'a str,
}

impl<'a> DiagnosticRecord<'a> {
    fn new(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Self {
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
    pub fn new(file: &'a str, findings: &'a [LintFinding], sources: &'a Sources) -> Self {
        let record = |finding: &'a LintFinding| FindingRecord {
            diagnostic: DiagnosticRecord::new(&finding.diagnostic, sources),
            channel: finding.channel.as_ref().map(|(from, to)| ChannelRecord { from, to }),
            trace: finding.trace.as_ref(),
        };
        Self { schema: SCHEMA, file, findings: findings.iter().map(record).collect() }
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
    /// The roles with their numbers of local states.
    pub roles: Vec<(String, usize)>,
    /// The queues.
    pub queues: Vec<QueueRecord>,
    /// What to tell the user.
    pub findings: Vec<Diagnostic>,
    /// A shortest run that was added or lost.
    pub trace: Option<Story>,
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
    roles: Vec<RoleRecord<'a>>,
    queues: &'a [QueueRecord],
    findings: Vec<DiagnosticRecord<'a>>,
    trace: Option<&'a Story>,
}

#[derive(Serialize)]
struct RoleRecord<'a> {
    role: &'a str,
    states: usize,
}

impl<'a> ProjectDocument<'a> {
    /// The document for a file.
    pub fn new(file: &'a str, protocols: Vec<&'a ProjectRecord>, sources: &'a Sources) -> Self {
        let record = |found: &'a ProjectRecord| ProtocolRecord {
            protocol: &found.protocol,
            arguments: &found.arguments,
            verdict: found.verdict,
            message: &found.message,
            roles: found.roles.iter().map(|(role, n)| RoleRecord { role, states: *n }).collect(),
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

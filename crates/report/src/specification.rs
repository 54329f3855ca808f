//! Answers to commands of Alloy specifications: as text, and as JSON.

use std::fmt::Write;

use quadrille_alloy::{Answer, Command, Instance, Reach};
use quadrille_diagnostic::Sources;
use serde::Serialize;

use crate::SCHEMA;

/// A command with its answer.
pub struct Answered<'a> {
    /// The command.
    pub command: &'a Command,
    /// The answer.
    pub answer: Answer,
    /// How long it took, in seconds.
    pub seconds: f64,
}

impl Answered<'_> {
    /// The verdict in one word or two: `holds`, `violated`, `found`, `none found`, `unknown`.
    pub fn word(&self) -> &'static str {
        match (self.answer.is_found(), self.command.is_check) {
            (None, _) => "unknown",
            (Some(true), true) => "violated",
            (Some(false), true) => "holds",
            (Some(true), false) => "found",
            (Some(false), false) => "none found",
        }
    }

    /// Whether a `check` has no counterexample, or a `run` has an instance; nothing if that is not known.
    pub fn is_good(&self) -> Option<bool> {
        self.answer.is_found().map(|is_found| is_found != self.command.is_check)
    }

    /// Whether it came out as `expect` says; without one, whether it is good.
    pub fn passed(&self) -> bool {
        match (self.answer.is_found(), self.command.expect) {
            (None, _) => false,
            (Some(is_found), Some(expect)) => is_found == (expect != 0),
            (Some(_), None) => self.is_good() == Some(true),
        }
    }

    /// What the verdict ranges over.
    pub fn extent(&self, sources: &Sources) -> String {
        let scope = scope(self.command, sources);
        let what = match (self.command.is_check, self.answer.instances.first()) {
            (true, Some(_)) => "counterexample",
            (true, None) => "no counterexample",
            (false, Some(_)) => "instance",
            (false, None) => "no instance",
        };
        let mut text = match (self.answer.instances.first(), self.answer.reach) {
            (Some(instance), _) if !instance.is_static() => {
                let n = instance.length();
                format!("{what} of {n} state{}, {scope}", if n == 1 { "" } else { "s" })
            }
            (Some(_), _) | (None, Some(Reach::Static)) => format!("{what}, {scope}"),
            (None, Some(Reach::Steps(n))) => format!("{what} up to {n} steps, {scope}"),
            (None, Some(Reach::Everything)) => {
                let how = match (self.answer.explored, self.answer.induction) {
                    (Some((states, steps)), _) => format!("{states} states, {steps} transitions"),
                    (None, depth) => format!("induction over {} steps", depth.unwrap_or(0)),
                };
                match self.command.is_check {
                    true => format!("holds for {scope}, every length; {how}"),
                    false => format!("{what}, {scope}, every length; {how}"),
                }
            }
            (None, None) if self.answer.is_too_large => {
                format!("too many states, {scope}: try --engine sat")
            }
            (None, None) => format!("stopped before there was an answer, {scope}"),
        };
        if let Some(n) = self.answer.longer {
            text.push_str(&format!("; but there is one of {n} states: --engine explicit"));
        }
        if self.answer.may_be_longer {
            text.push_str("; perhaps not the shortest: --engine sat");
        }
        if self.answer.wraps {
            text.push_str("; integers wrap around in it: --overflow avoid");
        }
        text
    }
}

/// The scope of a command as it is written, in one line.
fn scope(command: &Command, sources: &Sources) -> String {
    match command.scope_span {
        None if command.name == "Default" => "scope 4".to_owned(),
        None => "scope 3".to_owned(),
        Some(span) => {
            let words: Vec<&str> = sources.slice(span).split_whitespace().skip(1).collect();
            format!("scope {}", words.join(" "))
        }
    }
}

/// An answer as text: the verdict, instances, contradictory places, figures.
pub fn answered_text(answered: &Answered<'_>, sources: &Sources, has_figures: bool) -> String {
    let mut text =
        format!("{}: {}  ({})\n", answered.word(), answered.command.name, answered.extent(sources));
    let n = answered.answer.instances.len();
    for (number, instance) in answered.answer.instances.iter().enumerate() {
        text.push('\n');
        if n > 1 {
            let _ = writeln!(text, "     instance {}", number + 1);
        }
        for line in instance.text().lines() {
            let _ = writeln!(text, "     {line}");
        }
    }
    if !answered.answer.core.is_empty() {
        text.push_str("\n     these contradict each other:\n");
        for span in &answered.answer.core {
            let place = sources.position(*span);
            let words: Vec<&str> = sources.slice(*span).split_whitespace().collect();
            let _ = writeln!(
                text,
                "     {}:{}:{}  {}",
                sources.name(span.source),
                place.line,
                place.column,
                words.join(" ")
            );
        }
    }
    if has_figures {
        let (gates, solver) = answered.answer.statistics;
        let _ = writeln!(
            text,
            "     {gates} gates, {} variables, {} clauses, {} decisions, {} conflicts, {:.3} s",
            solver.variables, solver.clauses, solver.decisions, solver.conflicts, answered.seconds
        );
    }
    text
}

/// What came of the commands of one file under `test`.
#[derive(Serialize)]
pub struct SpecificationTests {
    /// The file.
    pub file: String,
    /// Its commands.
    pub commands: Vec<CommandTest>,
}

/// What came of one command under `test`.
#[derive(Serialize)]
pub struct CommandTest {
    /// Its name.
    pub command: String,
    /// `run` or `check`.
    pub kind: &'static str,
    /// `holds`, `violated`, `found`, `none found`, `unknown`.
    pub verdict: &'static str,
    /// What the verdict ranges over.
    pub extent: String,
    /// What `expect` says.
    pub expect: Option<i64>,
    /// Whether it came out as expected.
    pub passed: bool,
    /// How long it took.
    pub seconds: f64,
    /// The first instance, where there should be none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

impl SpecificationTests {
    /// Of answers to the commands of a file.
    pub fn new(file: String, answers: &[Answered<'_>], sources: &Sources) -> Self {
        let test = |answered: &Answered<'_>| CommandTest {
            command: answered.command.name.clone(),
            kind: if answered.command.is_check { "check" } else { "run" },
            verdict: answered.word(),
            extent: answered.extent(sources),
            expect: answered.command.expect,
            passed: answered.passed(),
            seconds: answered.seconds,
            trace: (!answered.passed())
                .then(|| answered.answer.instances.first().map(Instance::text))
                .flatten(),
        };
        Self { file, commands: answers.iter().map(test).collect() }
    }

    /// Whether all commands came out as expected.
    pub fn passed(&self) -> bool {
        self.commands.iter().all(|test| test.passed)
    }

    /// A line per command.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for test in &self.commands {
            let word = if test.passed { "passed" } else { "FAILED" };
            let expected = match test.expect {
                Some(expect) if !test.passed => format!("; expect {expect}"),
                _ => String::new(),
            };
            let CommandTest { command, verdict, extent, .. } = test;
            let _ =
                writeln!(text, "{word}: {}: {command}: {verdict} ({extent}{expected})", self.file);
        }
        text
    }
}

/// What `check --format json` prints about specifications.
#[derive(Serialize)]
pub struct SpecificationDocument<'a> {
    schema: &'static str,
    file: String,
    verdict: &'static str,
    commands: Vec<CommandRecord<'a>>,
}

#[derive(Serialize)]
struct CommandRecord<'a> {
    command: &'a str,
    kind: &'static str,
    verdict: &'static str,
    extent: String,
    /// How many steps were looked at; nothing where nothing changes or every length is covered.
    steps: Option<usize>,
    every_length: bool,
    /// The length of an instance that the steps of the scope leave out.
    longer: Option<usize>,
    /// How many states there are, where all were looked at.
    explored_states: Option<usize>,
    explored_transitions: Option<usize>,
    /// How many states the induction needed that proves it.
    induction: Option<usize>,
    expect: Option<i64>,
    passed: bool,
    instances: Vec<InstanceRecord<'a>>,
    core: Vec<PlaceRecord>,
    gates: usize,
    variables: u64,
    clauses: u64,
    conflicts: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct PlaceRecord {
    file: String,
    line: usize,
    column: usize,
    text: String,
}

#[derive(Serialize)]
struct InstanceRecord<'a> {
    back_to: Option<usize>,
    /// Of each state, what happens between it and the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<&'a [Vec<String>]>,
    /// What never changes.
    constant: Vec<RelationRecord<'a>>,
    /// Of each state, what may change.
    states: Vec<Vec<RelationRecord<'a>>>,
}

#[derive(Serialize)]
struct RelationRecord<'a> {
    name: &'a str,
    tuples: &'a [Vec<String>],
}

impl<'a> SpecificationDocument<'a> {
    /// A document of the answers to the commands of one file.
    pub fn new(
        file: String,
        verdict: &'static str,
        answers: &'a [Answered<'a>],
        sources: &Sources,
    ) -> Self {
        let commands = answers.iter().map(|answered| record(answered, sources)).collect();
        Self { schema: SCHEMA, file, verdict, commands }
    }

    /// The text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

fn record<'a>(answered: &'a Answered<'a>, sources: &Sources) -> CommandRecord<'a> {
    let (gates, solver) = answered.answer.statistics;
    let place = |span: &quadrille_diagnostic::Span| {
        let place = sources.position(*span);
        PlaceRecord {
            file: sources.name(span.source).to_owned(),
            line: place.line,
            column: place.column,
            text: sources.slice(*span).to_owned(),
        }
    };
    CommandRecord {
        command: &answered.command.name,
        kind: if answered.command.is_check { "check" } else { "run" },
        verdict: answered.word(),
        extent: answered.extent(sources),
        steps: match answered.answer.reach {
            Some(Reach::Steps(n)) => Some(n),
            _ => None,
        },
        every_length: answered.answer.reach == Some(Reach::Everything),
        longer: answered.answer.longer,
        explored_states: answered.answer.explored.map(|(states, _)| states),
        explored_transitions: answered.answer.explored.map(|(_, transitions)| transitions),
        induction: answered.answer.induction,
        expect: answered.command.expect,
        passed: answered.passed(),
        instances: answered.answer.instances.iter().map(instance).collect(),
        core: answered.answer.core.iter().map(place).collect(),
        gates,
        variables: solver.variables,
        clauses: solver.clauses,
        conflicts: solver.conflicts,
        seconds: answered.seconds,
    }
}

fn instance(instance: &Instance) -> InstanceRecord<'_> {
    let constant = instance.contents().filter(|content| !content.is_var);
    let states = (0..instance.length()).map(|state| {
        let changing = instance.contents().filter(|content| content.is_var);
        changing
            .map(|content| RelationRecord { name: &content.name, tuples: content.at(state) })
            .collect()
    });
    InstanceRecord {
        back_to: (!instance.is_static()).then(|| instance.back_to()),
        events: (!instance.is_static()).then_some(&instance.events[..]),
        constant: constant
            .map(|content| RelationRecord { name: &content.name, tuples: content.at(0) })
            .collect(),
        states: if instance.is_static() { Vec::new() } else { states.collect() },
    }
}

//! What never happened in a model that was explored completely: as lines, and as JSON.

use std::fmt::Write as _;

use quadrille_diagnostic::{Sources, Span};
use quadrille_query::{Unused, UnusedValue};
use serde::Serialize;

/// Most names that a line lists, and most statements.
const MAX_LISTED: usize = 12;

/// Most characters of a statement that are shown.
const MAX_SHOWN: usize = 60;

/// What never happened: steps and local states in a line each, then statements.
pub fn never_text(unused: &Unused, sources: &Sources) -> String {
    let mut text = String::new();
    let step = |(name, place): &(String, Option<Span>)| placed(name.clone(), *place, sources);
    let n_steps = unused.steps.len();
    list(&mut text, "never taken", n_steps, unused.steps.iter().map(step));
    let values = unused.values.iter().map(|UnusedValue { slot, value, place }| {
        placed(format!("{slot} {value}"), *place, sources)
    });
    list(&mut text, "never reached", unused.values.len(), values);
    for &statement in unused.statements.iter().take(MAX_LISTED) {
        let Placed { file, line, column, text: shown } = Placed::new(statement, sources);
        let _ = writeln!(text, "never happens: {file}:{line}:{column}  {shown}");
    }
    if unused.statements.len() > MAX_LISTED {
        let _ = writeln!(text, "never happens: {} more", unused.statements.len() - MAX_LISTED);
    }
    text
}

/// A name, and the line where it is written.
fn placed(name: String, place: Option<Span>, sources: &Sources) -> String {
    match place {
        Some(place) => format!("{name} (line {})", sources.position(place).line),
        None => name,
    }
}

fn list(text: &mut String, what: &str, n_names: usize, names: impl Iterator<Item = String>) {
    if n_names > 0 {
        let names: Vec<String> = names.take(MAX_LISTED).collect();
        let more = match n_names.saturating_sub(MAX_LISTED) {
            0 => String::new(),
            n_more => format!(" and {n_more} more"),
        };
        let _ = writeln!(text, "{what}: {}{more}", names.join(", "));
    }
}

/// What never happened, in documents.
#[derive(Serialize)]
pub(crate) struct NeverRecord {
    taken: Vec<String>,
    /// Where the steps that were never taken are written, as far as they are.
    lines: Vec<Placed>,
    reached: Vec<ValueRecord>,
    statements: Vec<Placed>,
}

#[derive(Serialize)]
struct ValueRecord {
    slot: String,
    value: String,
    place: Option<Placed>,
}

/// A piece of a text: where it starts, and its first line.
#[derive(Serialize)]
struct Placed {
    file: String,
    line: usize,
    column: usize,
    text: String,
}

impl Placed {
    fn new(span: Span, sources: &Sources) -> Self {
        let position = sources.position(span);
        let first = sources.slice(span).lines().next().unwrap_or_default().trim_end();
        let mut text: String = first.chars().take(MAX_SHOWN).collect();
        if text.len() < sources.slice(span).trim_end().len() {
            text.push_str(" …");
        }
        let file = sources.name(span.source).to_owned();
        Self { file, line: position.line, column: position.column, text }
    }
}

impl NeverRecord {
    pub(crate) fn new(unused: &Unused, sources: &Sources) -> Self {
        let placed = |span: &Span| Placed::new(*span, sources);
        let value = |UnusedValue { slot, value, place }: &UnusedValue| ValueRecord {
            slot: slot.clone(),
            value: value.clone(),
            place: place.as_ref().map(placed),
        };
        Self {
            taken: unused.steps.iter().map(|(name, _)| name.clone()).collect(),
            lines: unused
                .steps
                .iter()
                .filter_map(|(_, place)| place.as_ref().map(placed))
                .collect(),
            reached: unused.values.iter().map(value).collect(),
            statements: unused.statements.iter().map(placed).collect(),
        }
    }
}

//! Diagnostics as text, in the manner of rustc. Long lines are cut around the place in question,
//! so that a file of one enormous line is reported as quickly as any other.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::source::floor;
use crate::{Diagnostic, Label, Severity, SourceId, Sources};

/// Whether to use colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Bytes that any pipe can take.
    Plain,
    /// With terminal colours.
    Colour,
}

/// Bytes of a line shown on either side of a label.
const CONTEXT: usize = 120;

/// The diagnostic as text, ending in a newline.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut report =
        Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.code.id));
    for (source, labels) in by_source(&diagnostic.labels) {
        for window in windows(sources.text(source), &labels) {
            let mut snippet = Snippet::source(window.text)
                .path(sources.name(source))
                .line_start(window.first_line);
            for label in window.labels {
                let primary = std::ptr::eq(label, &raw const diagnostic.labels[0]);
                let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let start = (label.span.start as usize).saturating_sub(window.first_byte);
                let end = (label.span.end as usize).saturating_sub(window.first_byte);
                let start = floor(window.text, start).len();
                let end = floor(window.text, end).len().max(start);
                snippet = snippet.annotation(kind.span(start..end).label(&label.text));
            }
            report = report.element(snippet);
        }
    }
    // The header's column counts from where the line was cut.
    let primary = diagnostic.labels.first();
    let cut = primary.filter(|label| {
        let text = sources.text(label.span.source);
        is_cut(text, label) && label.span.start as usize - line_around(text, label).0 > CONTEXT
    });
    let place = cut.map(|label| {
        let column = sources.position(label.span).column;
        format!("the line is cut to fit; the place is its column {column}")
    });
    for note in place.iter().chain(&diagnostic.notes) {
        report = report.element(Level::NOTE.message(note));
    }
    if let Some(help) = &diagnostic.help {
        report = report.element(Level::HELP.message(help));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    format!("{}\n", renderer.render(&[report]))
}

/// Labels per source, the primary label's source first.
fn by_source(labels: &[Label]) -> Vec<(SourceId, Vec<&Label>)> {
    let mut groups: Vec<(SourceId, Vec<&Label>)> = Vec::new();
    for label in labels {
        match groups.iter_mut().find(|(source, _)| *source == label.span.source) {
            Some((_, group)) => group.push(label),
            None => groups.push((label.span.source, vec![label])),
        }
    }
    groups
}

/// A piece of a source that shows some labels.
struct Window<'a> {
    text: &'a str,
    first_byte: usize,
    first_line: usize,
    labels: Vec<&'a Label>,
}

/// The whole text in one window where its lines are short, else one cut-out per label.
fn windows<'a>(text: &'a str, labels: &[&'a Label]) -> Vec<Window<'a>> {
    if !labels.iter().any(|label| is_cut(text, label)) {
        return vec![Window { text, first_byte: 0, first_line: 1, labels: labels.to_vec() }];
    }
    let cut = |label: &&'a Label| {
        let (start, end) = line_around(text, label);
        let at = (label.span.start as usize).min(end);
        let from = text.ceil_char_boundary(start.max(at.saturating_sub(CONTEXT)));
        let to = text.floor_char_boundary(end.min(at.saturating_add(CONTEXT)));
        Window {
            text: &text[from..to],
            first_byte: from,
            first_line: floor(text, from).matches('\n').count() + 1,
            labels: vec![*label],
        }
    };
    labels.iter().map(cut).collect()
}

/// Whether the line a label starts in is too long to show whole.
fn is_cut(text: &str, label: &Label) -> bool {
    let (start, end) = line_around(text, label);
    end - start > 2 * CONTEXT
}

/// First byte and end of the line a label starts in.
fn line_around(text: &str, label: &Label) -> (usize, usize) {
    let before = floor(text, label.span.start as usize);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[before.len()..].find('\n').map_or(text.len(), |length| before.len() + length);
    (start, end)
}

#[cfg(test)]
mod tests;

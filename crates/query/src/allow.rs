//! Exceptions from the rules of lint, written where they are made: `// allow L011: the reason`. Finds them in
//! the comments of a text and says which findings they cover; which rule has which level is in `levels.rs`.

use std::ops::Range;
use std::path::Path;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};

use crate::language::language_of;
use crate::levels::{Group, RULES, rules_named};
use crate::protocol::codes::{BAD_ALLOW, UNUSED_ALLOW};

/// An exception.
struct Allow {
    /// The comment.
    span: Span,
    /// Numbers of the rules.
    rules: Vec<usize>,
    /// The bytes of the text that it covers.
    covers: Range<usize>,
    is_used: bool,
}

/// The exceptions of all texts of one invocation.
#[derive(Default)]
pub struct Allows {
    allows: Vec<Allow>,
    mistakes: Vec<Diagnostic>,
}

/// A line of a text.
struct Line<'t> {
    bytes: Range<usize>,
    /// What is neither blank nor a comment nor inside quotes.
    code: String,
    /// Where its comment begins, and what it says.
    comment: Option<(usize, &'t str)>,
}

impl Allows {
    /// Reads the comments of all texts whose names tell their language.
    pub fn of(sources: &Sources) -> Self {
        let mut allows = Self::default();
        for source in sources.ids() {
            let (mark, has_statements) = match language_of(Path::new(sources.name(source))) {
                Ok(language) if language.ending == "dcj" => (";", false),
                Ok(language) if language.has_protocols() => ("//", true),
                Ok(language) if language.has_components() => ("//", false),
                _ => continue,
            };
            allows.read(source, sources.text(source), mark, has_statements);
        }
        allows
    }

    /// What is wrong with exceptions.
    pub fn mistakes(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.mistakes)
    }

    /// Whether a finding is excepted; the exception counts as used then.
    pub fn covers(&mut self, finding: &Diagnostic) -> bool {
        let Some(rule) = RULES.iter().position(|rule| rule.code == finding.code) else {
            return false;
        };
        let place = finding.labels.first().map(|label| label.span);
        let is_covered = |allow: &&mut Allow| {
            let is_there = place.is_some_and(|place| {
                place.source == allow.span.source && allow.covers.contains(&(place.start as usize))
            });
            allow.rules.contains(&rule) && (is_there || allow.covers.start == 0 && place.is_none())
        };
        match self.allows.iter_mut().find(is_covered) {
            Some(allow) => {
                allow.is_used = true;
                true
            }
            None => false,
        }
    }

    /// Exceptions that covered nothing.
    pub fn unused(&self) -> impl Iterator<Item = Diagnostic> {
        let unused = self.allows.iter().filter(|allow| !allow.is_used);
        unused.map(|allow| {
            let names: Vec<&str> = allow.rules.iter().map(|&rule| RULES[rule].code.id).collect();
            let names = if names.len() > 3 { "these rules".to_owned() } else { names.join(", ") };
            let message = format!("nothing is found here that an exception from {names} covers");
            Diagnostic::warning(&UNUSED_ALLOW, message)
                .at(allow.span, "covers nothing")
                .help("remove it, or put it on the line before the finding")
        })
    }

    fn read(&mut self, source: SourceId, text: &str, mark: &str, has_statements: bool) {
        let lines = lines(text, mark);
        for (number, line) in lines.iter().enumerate() {
            let Some((start, comment)) = line.comment else { continue };
            let Some((names, reason)) = exception(comment, mark) else { continue };
            let span = Span::new(source, start..line.bytes.end);
            let mut refuse = |message: String, label: &str, help: String| {
                let diagnostic = Diagnostic::error(&BAD_ALLOW, message);
                self.mistakes.push(diagnostic.at(span, label).help(help));
            };
            let (names, in_file) = match names.strip_suffix("in file") {
                Some(names) => (names, true),
                None => (names, false),
            };
            let mut rules = Vec::new();
            for name in names.split(',').map(str::trim) {
                match rules_named(name) {
                    Ok(found) => rules.extend(found),
                    Err(unknown) => refuse(unknown.to_string(), "", unknown.help()),
                }
            }
            if reason.is_empty() {
                let names = names.trim();
                let help =
                    format!("write `{mark} allow {names}: …` with the reason behind the colon");
                refuse("an exception needs a reason".to_owned(), "why is it right here?", help);
                continue;
            }
            let covers =
                if in_file { 0..text.len() + 1 } else { covered(&lines, number, has_statements) };
            if !rules.is_empty() {
                self.allows.push(Allow { span, rules, covers, is_used: false });
            }
        }
    }
}

/// The names and the reason of a comment that is an exception.
fn exception<'t>(comment: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    let said = comment.trim_start_matches(mark).trim().strip_prefix("allow ")?;
    let (names, reason) = said.split_once(':').unwrap_or((said, ""));
    let first = names.split([',', ' ']).next().unwrap_or_default();
    let mut letters = first.chars();
    let is_code = first.len() == 4
        && letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_digit());
    // A sentence that begins with the name of a group is no exception; the list ends at its colon.
    let is_group = Group::ALL.iter().any(|group| group.word() == first)
        && names
            .strip_suffix("in file")
            .unwrap_or(names)
            .trim_end()
            .split(',')
            .all(|name| !name.trim().contains(' '));
    (is_code || is_group).then(|| (names.trim(), reason.trim()))
}

/// What an exception on a line covers: what begins on this line, or on the next one that has more than a
/// comment, until its brackets are closed and, where the language has statements, the statement ends.
fn covered(lines: &[Line<'_>], number: usize, has_statements: bool) -> Range<usize> {
    let is_code = |line: &Line<'_>| !line.code.is_empty();
    let Some(ahead) = lines[number..].iter().position(is_code) else {
        return lines[number].bytes.clone();
    };
    let first = number + ahead;
    let mut depth = 0_i64;
    let mut last = first;
    for (ahead, line) in lines[first..].iter().enumerate() {
        for c in line.code.chars() {
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                _ => {}
            }
        }
        last = first + ahead;
        let is_open = has_statements && !line.code.ends_with([';', '}']);
        if depth <= 0 && !is_open {
            break;
        }
    }
    lines[first].bytes.start..lines[last].bytes.end
}

/// The lines of a text, with quotes and comments taken apart from the rest.
fn lines<'t>(text: &'t str, mark: &str) -> Vec<Line<'t>> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut in_quotes = false;
    for line in text.split_inclusive('\n') {
        let (mut code, mut comment) = (String::new(), None);
        let mut rest = line.char_indices();
        while let Some((at, c)) = rest.next() {
            match c {
                '"' => in_quotes = !in_quotes,
                '\\' => drop(rest.next()),
                _ if in_quotes => {}
                _ if line[at..].starts_with(mark) => {
                    comment = Some((start + at, line[at..].trim_end()));
                    break;
                }
                _ => code.push(c),
            }
        }
        let end = start + line.trim_end().len();
        lines.push(Line { bytes: start..end, code: code.trim().to_owned(), comment });
        start += line.len();
    }
    lines
}

#[cfg(test)]
mod tests;

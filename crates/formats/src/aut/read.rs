//! Reads an Aldebaran text line by line. A label is looked at once, when it first appears; a line
//! whose label is known costs two numbers and a table lookup.

use std::borrow::Cow;

use quadrille_diagnostic::{Diagnostic, SourceId, Span};
use quadrille_model::{ActionId, Explicit, ExplicitBuilder, StateId};
use rustc_hash::FxHashMap;

use crate::codes::{AUT_COUNT, AUT_HEADER, AUT_STATE, AUT_TOO_LARGE, AUT_TRANSITION};
use crate::report::Report;

/// Reads an Aldebaran text. There is a table exactly if there is no error.
///
/// Labels may be quoted or not; a label is what stands between the first and the last comma of its
/// line. No state may end: one without edges is a deadlock.
pub fn read_aut(source: SourceId, text: &str) -> (Option<Explicit>, Vec<Diagnostic>) {
    let mut reader = Reader { source, text, report: Report::default() };
    let explicit = reader.read();
    (explicit.filter(|_| reader.report.is_silent()), reader.report.finish())
}

/// States that a header may announce beyond two per line of the file.
const SPARE_STATES: u64 = 1 << 20;

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    report: Report,
}

/// The three numbers of the header.
#[derive(Clone, Copy)]
struct Header {
    initial: u32,
    n_transitions: u32,
    n_states: u32,
    span: Span,
}

/// What keeps a line from being read, and where.
struct Fault<'a> {
    at: &'a str,
    expected: &'static str,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Option<Explicit> {
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(self.text);
        let mut lines = text.lines().filter(|line| !line.trim_ascii().is_empty());
        let header = self.header(lines.next())?;
        let body = lines.clone();
        if u64::from(header.n_states) > 2 * body.count() as u64 + SPARE_STATES {
            let message = format!("{} states, but far fewer transitions", header.n_states);
            let help = "correct the third number; only states with transitions matter";
            let diagnostic = Diagnostic::error(&AUT_TOO_LARGE, message).at(header.span, "");
            self.report.add(diagnostic.help(help));
            return None;
        }
        self.check_state(header.initial, header, header.span);
        let mut builder = ExplicitBuilder::default();
        builder.states(header.n_states);
        if header.initial < header.n_states {
            builder.initial(StateId::new(header.initial));
        }
        let mut labels = Labels::default();
        let mut n_lines = 0u64;
        for line in lines {
            n_lines += 1;
            match transition(line) {
                Ok((from, label, to)) => {
                    let good = self.check_state(from, header, self.span(line))
                        && self.check_state(to, header, self.span(line));
                    if good {
                        let action = labels.action(label, &mut builder);
                        builder.edge(StateId::new(from), action, StateId::new(to));
                    }
                }
                Err(fault) => {
                    let message = format!("expected {}", fault.expected);
                    let help = "a transition is written `(from, label, to)`";
                    let diagnostic = Diagnostic::error(&AUT_TRANSITION, message);
                    self.report.add(diagnostic.at(self.span(fault.at), "").help(help));
                }
            }
        }
        if n_lines != u64::from(header.n_transitions) {
            let (said, found) = (header.n_transitions, n_lines);
            let message = format!("the header says {said} transitions, the file has {found}");
            let help = "complete the file, or correct the second number of the header";
            let diagnostic = Diagnostic::error(&AUT_COUNT, message).at(header.span, "");
            self.report.add(diagnostic.help(help));
        }
        self.report.is_silent().then(|| builder.build())
    }

    fn header(&mut self, line: Option<&'a str>) -> Option<Header> {
        let help = "start the file with `des (first, transitions, states)`";
        let Some(line) = line else {
            let diagnostic = Diagnostic::error(&AUT_HEADER, "the file is empty");
            self.report.add(diagnostic.at(Span::new(self.source, 0..0), "").help(help));
            return None;
        };
        let span = self.span(line.trim_ascii());
        match header(line) {
            Ok([initial, n_transitions, n_states]) => {
                Some(Header { initial, n_transitions, n_states, span })
            }
            Err(fault) => {
                let message = format!("expected {} in the header", fault.expected);
                let diagnostic = Diagnostic::error(&AUT_HEADER, message);
                self.report.add(diagnostic.at(self.span(fault.at), "").help(help));
                None
            }
        }
    }

    fn check_state(&mut self, state: u32, header: Header, span: Span) -> bool {
        if state < header.n_states {
            return true;
        }
        let message = format!("there is no state {state}");
        let mut diagnostic = Diagnostic::error(&AUT_STATE, message).at(span, "");
        if span != header.span {
            diagnostic = diagnostic.at(header.span, format!("{} states", header.n_states));
        }
        let help = "states are numbered from 0; correct the number or the header";
        self.report.add(diagnostic.help(help));
        false
    }

    /// Where a piece of the text is in it.
    fn span(&self, piece: &str) -> Span {
        let start = piece.as_ptr().addr() - self.text.as_ptr().addr();
        Span::new(self.source, start..start + piece.len())
    }
}

/// The numbers of `des (first, transitions, states)`.
fn header(line: &str) -> Result<[u32; 3], Fault<'_>> {
    let rest = line.trim_ascii();
    let rest = after(rest, "des", "`des`")?;
    let rest = after(rest, "(", "`(`")?;
    let (initial, rest) = leading_number(rest)?;
    let rest = after(rest, ",", "`,`")?;
    let (n_transitions, rest) = leading_number(rest)?;
    let rest = after(rest, ",", "`,`")?;
    let (n_states, rest) = leading_number(rest)?;
    let rest = after(rest, ")", "`)`")?;
    if rest.is_empty() {
        Ok([initial, n_transitions, n_states])
    } else {
        Err(Fault { at: rest, expected: "the end of the line" })
    }
}

/// Source, raw label and target of a transition. The target is read from the right, because the
/// label may contain anything.
fn transition(line: &str) -> Result<(u32, &str, u32), Fault<'_>> {
    let rest = line.trim_ascii();
    let rest = after(rest, "(", "`(`")?;
    let (from, rest) = leading_number(rest)?;
    let rest = after(rest, ",", "`,`")?;
    let Some(rest) = rest.strip_suffix(')') else {
        return Err(Fault { at: &rest[rest.len()..], expected: "`)` at the end" });
    };
    let Some((label, to)) = rest.rsplit_once(',') else {
        return Err(Fault { at: rest, expected: "a label, a comma, and a state number" });
    };
    let (to, rest) = leading_number(to.trim_ascii_start())?;
    if !rest.is_empty() {
        return Err(Fault { at: rest, expected: "`)`" });
    }
    let label = label.trim_ascii();
    if label.is_empty() {
        return Err(Fault { at: label, expected: "a label" });
    }
    if label.starts_with('"') && (label.len() == 1 || !label.ends_with('"')) {
        return Err(Fault { at: label, expected: "a closing quote" });
    }
    Ok((from, label, to))
}

/// What follows a mark and blanks.
fn after<'a>(text: &'a str, mark: &str, expected: &'static str) -> Result<&'a str, Fault<'a>> {
    match text.strip_prefix(mark) {
        Some(rest) => Ok(rest.trim_ascii_start()),
        None => Err(Fault { at: first_character(text), expected }),
    }
}

/// A number, and what follows it and blanks.
fn leading_number(text: &str) -> Result<(u32, &str), Fault<'_>> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() {
        return Err(Fault { at: first_character(text), expected: "a number" });
    }
    match digits.parse() {
        Ok(number) => Ok((number, rest.trim_ascii_start())),
        Err(_) => Err(Fault { at: digits, expected: "a number below 2^32" }),
    }
}

fn first_character(text: &str) -> &str {
    &text[..text.chars().next().map_or(0, char::len_utf8)]
}

/// The labels seen so far, by how they are spelled and by what they mean.
#[derive(Default)]
struct Labels<'a> {
    by_spelling: FxHashMap<&'a str, ActionId>,
    by_meaning: FxHashMap<Cow<'a, str>, ActionId>,
}

impl<'a> Labels<'a> {
    fn action(&mut self, spelling: &'a str, builder: &mut ExplicitBuilder) -> ActionId {
        if let Some(action) = self.by_spelling.get(spelling) {
            return *action;
        }
        let meaning = match spelling.strip_prefix('"') {
            Some(quoted) => unescape(quoted.strip_suffix('"').unwrap_or(quoted)),
            None => Cow::Borrowed(spelling),
        };
        let entry = self.by_meaning.entry(meaning);
        let new = |label: &Cow<'a, str>| builder.action(label.as_ref());
        let action = *entry.or_insert_with_key(new);
        self.by_spelling.insert(spelling, action);
        action
    }
}

/// Resolves `\"`, `\\`, `\n` and `\r`; any other backslash stands for itself.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = match (character, characters.peek()) {
            ('\\', Some('"')) => '"',
            ('\\', Some('\\')) => '\\',
            ('\\', Some('n')) => '\n',
            ('\\', Some('r')) => '\r',
            _ => {
                out.push(character);
                continue;
            }
        };
        characters.next();
        out.push(escaped);
    }
    Cow::Owned(out)
}

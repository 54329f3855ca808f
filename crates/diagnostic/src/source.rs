//! Texts that users wrote, and places in them.

/// One of the texts of a [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceId(u32);

impl SourceId {
    /// The source with a number that one gave away.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The bare number, in order of addition.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A range of bytes of one source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The text it is in.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A range of bytes of a source.
    pub fn new(source: SourceId, range: std::ops::Range<usize>) -> Self {
        let clamp = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Self { source, start: clamp(range.start), end: clamp(range.end) }
    }

    /// The smallest span that covers both; they must be of one source.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.source, other.source);
        Span {
            source: self.source,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The bytes as a range.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place as people count: from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
}

struct Source {
    name: String,
    text: String,
}

/// Bytes that are not UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotText {
    /// Where it begins; the source has a replacement there.
    pub span: Span,
    /// The first byte that does not fit.
    pub byte: u8,
}

/// All texts of one invocation: files, and formulas given on the command line.
#[derive(Default)]
pub struct Sources {
    sources: Vec<Source>,
}

impl Sources {
    /// Takes a text under the name that diagnostics show.
    ///
    /// # Panics
    /// When there are more than `u32::MAX` sources.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = u32::try_from(self.sources.len()).expect("fewer than 2^32 sources");
        self.sources.push(Source { name: name.into(), text: text.into() });
        SourceId(id)
    }

    /// Takes bytes under the name that diagnostics show, if they are UTF-8. If not, what can be read of them is a source
    /// all the same, so that the place can be shown.
    pub fn add_bytes(
        &mut self,
        name: impl Into<String>,
        bytes: Vec<u8>,
    ) -> Result<SourceId, NotText> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(self.add(name, text)),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let byte = error.as_bytes()[at];
                let source = self.add(name, String::from_utf8_lossy(error.as_bytes()));
                Err(NotText { span: Span::new(source, at..at + 1), byte })
            }
        }
    }

    /// All sources, in order of addition.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..).take(self.sources.len()).map(SourceId)
    }

    /// The name of a source.
    pub fn name(&self, source: SourceId) -> &str {
        &self.sources[source.0 as usize].name
    }

    /// The text of a source.
    pub fn text(&self, source: SourceId) -> &str {
        &self.sources[source.0 as usize].text
    }

    /// The text of a span; what lies outside the source or inside a character is left out.
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.source).get(span.range()).unwrap_or("")
    }

    /// Where a span starts.
    pub fn position(&self, span: Span) -> Position {
        let before = floor(self.text(span.source), span.start as usize);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Position {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// The text up to a byte, or up to the character the byte is inside of.
pub(crate) fn floor(text: &str, byte: usize) -> &str {
    &text[..text.floor_char_boundary(byte)]
}

#[cfg(test)]
mod tests;

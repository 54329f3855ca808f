//! XML as a stream of events with places: elements with attributes, text, ends. Enough for PNML and
//! property files: entities, comments, CDATA, processing instructions and document types are read; name
//! spaces are left on names. Knows no net.

use std::borrow::Cow;
use std::ops::Range;

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use crate::codes::NOT_XML;

/// What comes next in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Event<'t> {
    /// An element begins. What is empty (`<a/>`) ends at once: an end follows.
    Start(Element<'t>),
    /// The innermost element ends.
    End,
    /// Text that is not blank.
    Text(Cow<'t, str>, Range<usize>),
    /// The end of the text, all elements being closed.
    Done,
}

/// The beginning of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Element<'t> {
    /// Its name without a prefix.
    pub name: &'t str,
    pub attributes: Vec<(&'t str, Cow<'t, str>)>,
    pub place: Range<usize>,
}

impl Element<'_> {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| &**value)
    }
}

/// An element with the elements in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node<'t> {
    pub element: Element<'t>,
    pub parts: Vec<Node<'t>>,
}

/// Elements in elements, where they are read as a tree.
const DEEPEST: usize = 1000;

/// A text that is being read.
pub(crate) struct Reader<'t> {
    pub source: SourceId,
    text: &'t str,
    at: usize,
    open: Vec<(&'t str, Range<usize>)>,
    /// An empty element began: its end comes next.
    ends: bool,
}

pub(crate) type Read<T> = Result<T, Box<Diagnostic>>;

impl<'t> Reader<'t> {
    pub(crate) fn new(source: SourceId, text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { source, text, at, open: Vec::new(), ends: false }
    }

    pub(crate) fn span(&self, place: &Range<usize>) -> Span {
        Span::new(self.source, place.clone())
    }

    fn bad(&self, message: impl Into<String>, place: Range<usize>, text: &str) -> Box<Diagnostic> {
        let diagnostic = Diagnostic::error(&NOT_XML, message);
        Box::new(diagnostic.at(Span::new(self.source, place), text))
    }

    /// The next event.
    pub(crate) fn next(&mut self) -> Read<Event<'t>> {
        if std::mem::take(&mut self.ends) {
            self.open.pop();
            return Ok(Event::End);
        }
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return match self.open.pop() {
                    None => Ok(Event::Done),
                    Some((name, place)) => {
                        Err(self.bad(format!("`<{name}>` is not closed"), place, "opened here"))
                    }
                };
            }
            if !rest.starts_with('<') {
                let end = rest.find('<').unwrap_or(rest.len());
                let place = self.at..self.at + end;
                self.at += end;
                let text = rest[..end].trim();
                if !text.is_empty() {
                    return Ok(Event::Text(self.decoded(text, &place)?, place));
                }
            } else if let Some(comment) = rest.strip_prefix("<!--") {
                self.pass(comment, "-->", 4)?;
            } else if let Some(verbatim) = rest.strip_prefix("<![CDATA[") {
                let start = self.at + 9;
                let place = self.pass(verbatim, "]]>", 9)?;
                let inner = start..place.end - 3;
                return Ok(Event::Text(Cow::Borrowed(&self.text[inner.clone()]), inner));
            } else if let Some(instruction) = rest.strip_prefix("<?") {
                self.pass(instruction, "?>", 2)?;
            } else if rest.starts_with("<!") {
                self.document_type()?;
            } else if rest.starts_with("</") {
                return self.close();
            } else {
                return self.element().map(Event::Start);
            }
        }
    }

    /// Passes over what ends in `mark` and says where it was.
    fn pass(&mut self, rest: &str, mark: &str, opening: usize) -> Read<Range<usize>> {
        let start = self.at;
        let Some(end) = rest.find(mark) else {
            return Err(self.bad(format!("`{mark}` is missing"), start..start + opening, ""));
        };
        self.at += opening + end + mark.len();
        Ok(start..self.at)
    }

    fn document_type(&mut self) -> Read<()> {
        let (start, mut depth) = (self.at, 0);
        for (offset, byte) in self.text[start..].bytes().enumerate() {
            match byte {
                b'<' | b'[' => depth += 1,
                b'>' | b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at = start + offset + 1;
                return Ok(());
            }
        }
        Err(self.bad("`>` is missing", start..start + 2, ""))
    }

    fn close(&mut self) -> Read<Event<'t>> {
        let start = self.at;
        let Some(end) = self.text[start..].find('>') else {
            return Err(self.bad("`>` is missing", start..start + 2, ""));
        };
        let name = self.text[start + 2..start + end].trim();
        self.at = start + end + 1;
        let place = start..self.at;
        match self.open.pop() {
            Some((open, _)) if open == name => Ok(Event::End),
            Some((open, opened)) => {
                let message = format!("`</{name}>` closes `<{open}>`");
                let diagnostic = self.bad(message, place, &format!("expected `</{open}>`"));
                Err(Box::new((*diagnostic).at(Span::new(self.source, opened), "opened here")))
            }
            None => Err(self.bad(format!("`</{name}>` closes nothing"), place, "")),
        }
    }

    fn element(&mut self) -> Read<Element<'t>> {
        let start = self.at;
        self.at += 1;
        let full = self.name("a name of an element")?;
        let mut attributes = Vec::new();
        loop {
            self.blank();
            let rest = &self.text[self.at..];
            if rest.starts_with("/>") {
                self.at += 2;
                self.ends = true;
                break;
            }
            if rest.starts_with('>') {
                self.at += 1;
                break;
            }
            let name = self.name("an attribute, `>` or `/>`")?;
            self.blank();
            if !self.text[self.at..].starts_with('=') {
                let place = self.here();
                return Err(self.bad(
                    format!("attribute `{name}` has no value"),
                    place,
                    "expected `=`",
                ));
            }
            self.at += 1;
            self.blank();
            let quote =
                self.text[self.at..].chars().next().filter(|mark| matches!(mark, '"' | '\''));
            let Some(quote) = quote else {
                let place = self.here();
                return Err(self.bad("attributes stand in quotes", place, "expected `\"`"));
            };
            let from = self.at + 1;
            let Some(len) = self.text[from..].find(quote) else {
                return Err(self.bad("the quote is not closed", self.at..from, ""));
            };
            let place = from..from + len;
            let value = self.decoded(&self.text[place.clone()], &place)?;
            self.at = from + len + 1;
            attributes.push((name, value));
        }
        let place = start..self.at;
        self.open.push((full, place.clone()));
        let name = full.rsplit(':').next().unwrap_or(full);
        Ok(Element { name, attributes, place })
    }

    fn blank(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn here(&self) -> Range<usize> {
        let len = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        self.at..self.at + len
    }

    fn name(&mut self, expected: &str) -> Read<&'t str> {
        let rest = &self.text[self.at..];
        let is_end =
            |mark: char| mark.is_whitespace() || matches!(mark, '=' | '>' | '/' | '<' | '"');
        let len = rest.find(is_end).unwrap_or(rest.len());
        if len == 0 {
            let place = self.here();
            return Err(self.bad("this is no XML", place, &format!("expected {expected}")));
        }
        self.at += len;
        Ok(&rest[..len])
    }

    /// A text with its entities replaced.
    fn decoded(&self, text: &'t str, place: &Range<usize>) -> Read<Cow<'t, str>> {
        if !text.contains('&') {
            return Ok(Cow::Borrowed(text));
        }
        let mut decoded = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('&') {
            decoded.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let end = rest.find(';').unwrap_or(0);
            let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok();
            let meant = match &rest[..end] {
                "lt" => Some('<'),
                "gt" => Some('>'),
                "amp" => Some('&'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                name => match (name.strip_prefix("#x"), name.strip_prefix('#')) {
                    (Some(hex), _) => number(hex, 16).and_then(char::from_u32),
                    (None, Some(digits)) => number(digits, 10).and_then(char::from_u32),
                    (None, None) => None,
                },
            };
            let Some(meant) = meant else {
                return Err(self.bad(
                    "`&` begins an unknown entity",
                    place.clone(),
                    "write `&amp;`",
                ));
            };
            decoded.push(meant);
            rest = &rest[end + 1..];
        }
        decoded.push_str(rest);
        Ok(Cow::Owned(decoded))
    }

    /// How many elements are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Passes over everything up to the end of the element that was innermost at this depth.
    pub(crate) fn leave(&mut self, depth: usize) -> Read<()> {
        while self.depth() >= depth {
            if self.next()? == Event::Done {
                break;
            }
        }
        Ok(())
    }

    /// Passes over the rest of the innermost element.
    pub(crate) fn skip(&mut self) -> Read<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Event::Start(_) => depth += 1,
                Event::End => depth -= 1,
                Event::Text(..) => {}
                Event::Done => break,
            }
        }
        Ok(())
    }

    /// The tree of an element that began.
    pub(crate) fn tree(&mut self, element: Element<'t>) -> Read<Node<'t>> {
        if self.depth() > DEEPEST {
            return Err(self.bad("elements are nested too deep", element.place, "this element"));
        }
        let mut parts = Vec::new();
        loop {
            match self.next()? {
                Event::Start(inner) => parts.push(self.tree(inner)?),
                Event::Text(..) => {}
                Event::End | Event::Done => return Ok(Node { element, parts }),
            }
        }
    }

    /// The text of the rest of the innermost element, without that of elements in it.
    pub(crate) fn content(&mut self) -> Read<(String, Range<usize>)> {
        let mut all = String::new();
        let mut place = self.at..self.at;
        loop {
            match self.next()? {
                Event::Start(_) => self.skip()?,
                Event::Text(text, at) => {
                    all.push_str(&text);
                    place = at;
                }
                Event::End | Event::Done => return Ok((all, place)),
            }
        }
    }
}

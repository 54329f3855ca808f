//! Cuts a `.net` text into tokens. Blanks and comments vanish; the end of a line is a token unless
//! the line is visibly unfinished.

use std::borrow::Cow;

use quadrille_diagnostic::{SourceId, Span};

use super::tree::Name;

#[derive(Clone, Debug)]
pub(super) enum Token<'a> {
    Name(Name<'a>),
    Mark(Mark, Span),
    /// The end of a line, or of the text.
    End(Span),
    /// Something that is no token: what it is, and where.
    Bad(&'static str, Span),
}

impl Token<'_> {
    pub(super) fn span(&self) -> Span {
        match self {
            Token::Name(name) => name.span,
            Token::Mark(_, span) | Token::End(span) | Token::Bad(_, span) => *span,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    Colon,
    Star,
    Comma,
    Arrow,
    Equals,
    Bang,
    Question,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftAngle,
    RightAngle,
    AtMost,
    AtLeast,
    Unequal,
    Plus,
    Minus,
}

impl Mark {
    const ALL: [(&'static str, Mark); 21] = [
        // What begins like another comes before it.
        ("->", Mark::Arrow),
        ("→", Mark::Arrow),
        ("<=", Mark::AtMost),
        (">=", Mark::AtLeast),
        ("!=", Mark::Unequal),
        ("+", Mark::Plus),
        ("-", Mark::Minus),
        (":", Mark::Colon),
        ("*", Mark::Star),
        (",", Mark::Comma),
        ("=", Mark::Equals),
        ("!", Mark::Bang),
        ("?", Mark::Question),
        ("{", Mark::LeftBrace),
        ("}", Mark::RightBrace),
        ("(", Mark::LeftParen),
        (")", Mark::RightParen),
        ("[", Mark::LeftBracket),
        ("]", Mark::RightBracket),
        ("<", Mark::LeftAngle),
        (">", Mark::RightAngle),
    ];

    /// How it is spelled.
    pub(super) fn text(self) -> &'static str {
        Mark::ALL.iter().find(|(_, mark)| *mark == self).map_or("", |(text, _)| text)
    }

    /// Whether a line that ends in it goes on in the next.
    fn is_unfinished(self) -> bool {
        use Mark::{Arrow, AtLeast, AtMost, Comma, Equals, LeftAngle, LeftBrace, LeftParen, Plus};
        let opens = matches!(self, LeftBrace | LeftParen | LeftAngle);
        opens || matches!(self, Comma | Arrow | Equals | AtLeast | AtMost | Plus)
    }
}

/// Whether a name can be written without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(starts_name) && characters.all(continues_name)
}

fn starts_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn continues_name(character: char) -> bool {
    starts_name(character) || matches!(character, '.' | '\'')
}

pub(super) struct Lexer<'a> {
    source: SourceId,
    text: &'a str,
    at: usize,
    /// Whether the last mark leaves its line unfinished.
    unfinished: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: SourceId, text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { source, text, at, unfinished: false }
    }

    /// Whether everything was read.
    pub(super) fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    /// Reads on behind the end of the current line.
    pub(super) fn skip_line(&mut self) {
        self.unfinished = false;
        let rest = &self.text[self.at..];
        self.at = rest.find('\n').map_or(self.text.len(), |length| self.at + length + 1);
    }

    /// The next token; at the end of the text, `End` again and again.
    pub(super) fn next(&mut self) -> Token<'a> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let start = self.at;
        let Some(first) = rest.chars().next() else {
            return Token::End(self.span_from(start));
        };
        if first == '\n' {
            self.at += 1;
            return Token::End(Span::new(self.source, start..start));
        }
        self.unfinished = false;
        if let Some((text, mark)) = Mark::ALL.iter().find(|(text, _)| rest.starts_with(text)) {
            self.at += text.len();
            self.unfinished = mark.is_unfinished();
            return Token::Mark(*mark, self.span_from(start));
        }
        if starts_name(first) {
            let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
            self.at += length;
            let (text, span) = (Cow::Borrowed(&rest[..length]), self.span_from(start));
            return Token::Name(Name { text, span, quoted: false });
        }
        if first == '"' {
            return self.quoted();
        }
        self.at += first.len_utf8();
        Token::Bad("this character has no meaning here", self.span_from(start))
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            match rest.chars().next() {
                Some('\n') if !self.unfinished => return,
                Some(blank) if blank.is_whitespace() => self.at += blank.len_utf8(),
                _ => return,
            }
        }
    }

    /// A name in quotes; `\"`, `\\`, `\n` and `\r` as in Aldebaran labels.
    fn quoted(&mut self) -> Token<'a> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = start + 1 + offset + 1;
                    let span = self.span_from(start);
                    return Token::Name(Name { text: Cow::Owned(text), span, quoted: true });
                }
                '\n' => break,
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                    _ => break,
                },
                other => text.push(other),
            }
        }
        self.at = start + 1;
        self.skip_to_line_end();
        Token::Bad("the quoted name does not end, or has an unknown escape", self.span_from(start))
    }

    fn skip_to_line_end(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.source, start..self.at)
    }
}

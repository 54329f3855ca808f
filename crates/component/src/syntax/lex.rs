//! Cuts a `.bp` text into tokens. Blanks and comments vanish.

use quadrille_diagnostic::{SourceId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lexeme<'a> {
    /// A word, with dots in it or not.
    Word(&'a str),
    Mark(Mark),
    /// What stands between double quotes, in one line.
    Text(&'a str),
    /// Something that is no token, and why.
    Bad(&'static str),
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    Accept,
    Emit,
    Meet,
    Request,
    Response,
    Semicolon,
    Plus,
    Star,
    Bar,
    DoubleBar,
    LeftParen,
    RightParen,
    LeftBrace,
    RightBrace,
    LeftBracket,
    RightBracket,
    Comma,
    Colon,
    Slash,
    Tilde,
    Inverse,
    Arrow,
    Equal,
    NotEqual,
    Assign,
}

impl Mark {
    /// Longer spellings before their beginnings.
    const ALL: [(&'static str, Mark); 27] = [
        ("||", Mark::DoubleBar),
        ("<-", Mark::Arrow),
        ("==", Mark::Equal),
        ("!=", Mark::NotEqual),
        ("⁻¹", Mark::Inverse),
        ("?", Mark::Accept),
        ("!", Mark::Emit),
        ("&", Mark::Meet),
        ("^", Mark::Request),
        ("↑", Mark::Request),
        ("$", Mark::Response),
        ("↓", Mark::Response),
        (";", Mark::Semicolon),
        ("+", Mark::Plus),
        ("*", Mark::Star),
        ("|", Mark::Bar),
        ("(", Mark::LeftParen),
        (")", Mark::RightParen),
        ("{", Mark::LeftBrace),
        ("}", Mark::RightBrace),
        ("[", Mark::LeftBracket),
        ("]", Mark::RightBracket),
        (",", Mark::Comma),
        (":", Mark::Colon),
        ("/", Mark::Slash),
        ("~", Mark::Tilde),
        ("=", Mark::Assign),
    ];

    /// How it is spelled.
    pub(crate) fn text(self) -> &'static str {
        Mark::ALL.iter().find(|(_, mark)| *mark == self).map_or("", |(text, _)| text)
    }
}

fn in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The tokens of a text with their places; the last is [`Lexeme::End`].
pub(crate) fn lex(source: SourceId, text: &str) -> Vec<(Lexeme<'_>, Span)> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let blank_problem = lexer.skip_blanks();
        if let Some(start) = blank_problem {
            let span = Span::new(source, start..start + 2);
            tokens.push((Lexeme::Bad("this comment does not end"), span));
        }
        let start = lexer.at;
        let lexeme = lexer.next();
        tokens.push((lexeme, Span::new(source, start..lexer.at)));
        if lexeme == Lexeme::End {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&mut self) -> Lexeme<'a> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Lexeme::End };
        if let Some((text, mark)) = Mark::ALL.iter().find(|(text, _)| rest.starts_with(text)) {
            self.at += text.len();
            return Lexeme::Mark(*mark);
        }
        if in_word(first) {
            let length = word_length(rest);
            self.at += length;
            return Lexeme::Word(&rest[..length]);
        }
        if let Some(text) = rest.strip_prefix('"')
            && let Some(length) = text.find(['"', '\n'])
            && text[length..].starts_with('"')
        {
            self.at += length + 2;
            return Lexeme::Text(&text[..length]);
        }
        self.at += first.len_utf8();
        Lexeme::Bad("this character has no meaning here")
    }

    /// Skips blanks and comments; gives the start of a comment that does not end.
    fn skip_blanks(&mut self) -> Option<usize> {
        if self.at == 0 && self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(length) = comment.find("*/") else {
                    let start = self.at;
                    self.at = self.text.len();
                    return Some(start);
                };
                self.at += 2 + length + 2;
            } else if let Some(blank) = rest.chars().next().filter(|c| c.is_whitespace()) {
                self.at += blank.len_utf8();
            } else {
                return None;
            }
        }
    }
}

/// Words joined by single dots.
fn word_length(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let mut following = text[length..].chars();
        let joined = following.next() == Some('.') && following.next().is_some_and(in_word);
        if !joined {
            return length;
        }
        length += 1;
    }
}

//! Tokens of the Hanoi format.

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};

use crate::codes;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// `States:`, without the colon.
    Header(String),
    /// `Inf`, `t`, `trans-acc`.
    Word(String),
    /// `@name`, without the sign.
    Alias(String),
    /// A number; those beyond 32 bits become the largest.
    Number(u32),
    /// In double quotes.
    Text(String),
    /// One of `!&|()[]{}`.
    Sign(char),
    /// `--BODY--`, `--END--` or `--ABORT--`.
    Mark(&'static str),
    End,
}

/// Cuts a source into tokens up to and including [`Token::End`].
pub(super) fn tokens(
    sources: &Sources,
    source: SourceId,
) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let text = sources.text(source);
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        let (start, rest) = (at + blank, &rest[blank..]);
        let Some(first) = rest.chars().next() else {
            tokens.push((Token::End, Span::new(source, start..start)));
            return Ok(tokens);
        };
        let unfinished = |what: &str| {
            Diagnostic::error(&codes::HOA_SYNTAX, format!("{what} does not end"))
                .at(Span::new(source, start..start + 1), "starts here")
        };
        let length_while =
            |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let mark =
            ["--BODY--", "--END--", "--ABORT--"].into_iter().find(|mark| rest.starts_with(mark));
        let (token, length) = if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").ok_or_else(|| unfinished("the comment"))?;
            at = start + end + 4;
            continue;
        } else if let Some(mark) = mark {
            (Token::Mark(mark), mark.len())
        } else if first == '"' {
            let (content, length) = quoted(rest).ok_or_else(|| unfinished("the quotation"))?;
            (Token::Text(content), length)
        } else if first.is_ascii_digit() {
            let length = length_while(|c| c.is_ascii_digit());
            (Token::Number(rest[..length].parse().unwrap_or(u32::MAX)), length)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = length_while(is_word);
            let word = rest[..length].to_owned();
            if rest[length..].starts_with(':') {
                (Token::Header(word), length + 1)
            } else {
                (Token::Word(word), length)
            }
        } else if first == '@' {
            let length = 1 + rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1);
            (Token::Alias(rest[1..length].to_owned()), length)
        } else if "!&|()[]{}".contains(first) {
            (Token::Sign(first), 1)
        } else {
            let span = Span::new(source, start..start + first.len_utf8());
            return Err(Diagnostic::error(&codes::HOA_SYNTAX, "the format has no such character")
                .at(span, "unknown"));
        };
        at = start + length;
        tokens.push((token, Span::new(source, start..at)));
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The content of a quotation at the start of a text, and its length with the quotes.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return Some((content, at + 1)),
            _ => {
                escaped = false;
                content.push(c);
            }
        }
    }
    None
}

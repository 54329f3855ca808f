//! Text into tokens. Words are told apart by the parser: `event` and `init` are names elsewhere.

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use crate::codes::SYNTAX;

/// A token with its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Whether it is the first of its line.
    pub(crate) opens_line: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TokenKind {
    Word(String),
    Number(i64),
    Symbol(&'static str),
    End,
}

/// Longer ones first.
const SYMBOLS: [&str; 44] = [
    "<=>", ">>>", "!in", "!=", "!<", "!>", "->", "++", "<:", ":>", "=>", "=<", ">=", "<=", "&&",
    "||", "..", "<<", ">>", "{", "}", "[", "]", "(", ")", ",", ";", ":", "|", ".", "'", "~", "^",
    "*", "+", "-", "&", "=", "<", ">", "#", "!", "@", "/",
];

/// The tokens of a text; the last is its end.
pub(crate) fn tokens(source: SourceId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let (mut tokens, mut bad) = (Vec::new(), Vec::new());
    let mut at = 0;
    let mut opens_line = true;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        if first.is_whitespace() {
            opens_line |= first == '\n';
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("--") || rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            let Some(length) = comment.find("*/") else {
                let span = Span::new(source, at..at + 2);
                bad.push(
                    Diagnostic::error(&SYNTAX, "a comment has no end")
                        .at(span, "begins here")
                        .help("write `*/` behind it"),
                );
                break;
            };
            at += length + 4;
            continue;
        }
        let kind = if first.is_alphabetic() || first == '_' {
            let word = word(rest);
            at += word.len();
            TokenKind::Word(word.to_owned())
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            at += length;
            let Ok(number) = rest[..length].parse() else {
                let span = Span::new(source, start..at);
                bad.push(
                    Diagnostic::error(&SYNTAX, "a number is too large")
                        .at(span, "")
                        .help("numbers have 64 bits"),
                );
                continue;
            };
            TokenKind::Number(number)
        } else if let Some(symbol) = symbol(rest) {
            at += symbol.len();
            TokenKind::Symbol(symbol)
        } else {
            at += first.len_utf8();
            let span = Span::new(source, start..at);
            let message = format!("`{first}` means nothing here");
            bad.push(Diagnostic::error(&SYNTAX, message).at(span, "").help("remove it"));
            continue;
        };
        tokens.push(Token { kind, span: Span::new(source, start..at), opens_line });
        opens_line = false;
    }
    let span = Span::new(source, text.len()..text.len());
    tokens.push(Token { kind: TokenKind::End, span, opens_line: true });
    (tokens, bad)
}

/// A name, qualified by `/` where a name follows it.
fn word(rest: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '"';
    let mut end = 0;
    loop {
        end += rest[end..].find(|c| !is_part(c)).unwrap_or(rest.len() - end);
        let mut behind = rest[end..].chars();
        let is_path = behind.next() == Some('/')
            && behind.next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !is_path {
            return &rest[..end];
        }
        end += 1;
    }
}

fn symbol(rest: &str) -> Option<&'static str> {
    let found = *SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol))?;
    // `!inbox` is not `!in box`.
    let is_cut = found == "!in" && word(&rest[1..]) != "in";
    Some(if is_cut { "!" } else { found })
}

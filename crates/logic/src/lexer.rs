//! Tokens of formulas, shared by every dialect and every syntax of atoms. Knows no grammar.

use quadrille_diagnostic::{Diagnostic, Sources, Span};

use crate::codes;

/// Longest formula in tokens: far beyond what people write, and quick to read.
const MAX_TOKENS: usize = 100_000;

/// A piece of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A letter or `_`, then letters, digits and `_`.
    Word,
    /// Digits.
    Number,
    /// In double quotes; `\"` and `\\` stand for `"` and `\`.
    Text,
    /// In back quotes: a name that need not look like one.
    Quoted,
    /// Anything of [`Symbol`].
    Symbol(Symbol),
    /// Behind the last token.
    End,
}

macro_rules! symbols {
    ($($name:ident = $($text:literal)|+;)*) => {
        /// Tokens that are neither words nor quoted. Spellings of one operator are one symbol.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Symbol {
            $(#[doc = concat!($("`", $text, "` "),+)] $name,)*
        }

        /// Every spelling, longer ones before their beginnings.
        const SPELLINGS: &[(&str, Symbol)] = &[$($(($text, Symbol::$name)),+),*];
    };
}

symbols! {
    Iff = "<->" | "<=>";
    Implies = "->" | "=>";
    Diamond = "<>";
    Box = "[]";
    And = "&&" | "&";
    Or = "||" | "|";
    NotEqual = "!=";
    Equal = "==" | "=";
    AtMost = "<=";
    AtLeast = ">=";
    Not = "!" | "~";
    Less = "<";
    Greater = ">";
    Open = "(";
    Close = ")";
    OpenBracket = "[";
    CloseBracket = "]";
    OpenBrace = "{";
    CloseBrace = "}";
    Dot = ".";
    Comma = ",";
    Colon = ":";
    Semicolon = ";";
    Plus = "+";
    Minus = "-";
    Star = "*";
    Slash = "/";
    Percent = "%";
    Question = "?";
    At = "@";
    Hash = "#";
    Request = "^" | "↑";
    Response = "$" | "↓";
}

/// A text cut into tokens, and a place in it.
pub struct Cursor<'a> {
    sources: &'a Sources,
    tokens: Vec<Token>,
    position: usize,
}

impl<'a> Cursor<'a> {
    /// Cuts the text of a span into tokens. Comments run from `//` to the end of the line.
    pub fn new(sources: &'a Sources, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let text = sources.slice(span);
        let mut lexer = Lexer { text, base: span, at: 0, tokens: Vec::new(), diagnostics };
        lexer.run();
        let end = Span { start: span.end, ..span };
        let mut tokens = lexer.tokens;
        tokens.push(Token { kind: TokenKind::End, span: end });
        Self { sources, tokens, position: 0 }
    }

    /// The next token.
    pub fn peek(&self) -> Token {
        self.peek_nth(0)
    }

    /// The token `ahead` places behind the next one.
    pub fn peek_nth(&self, ahead: usize) -> Token {
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }

    /// Takes the next token; at the end it stays there.
    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    /// The place of the next token, to come back to.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Comes back to a place.
    pub fn rewind(&mut self, position: usize) {
        self.position = position.min(self.tokens.len() - 1);
    }

    /// Takes the next token if it is this symbol.
    pub fn eat(&mut self, symbol: Symbol) -> bool {
        let found = self.peek().kind == TokenKind::Symbol(symbol);
        if found {
            self.bump();
        }
        found
    }

    /// The text of a token, quotes included.
    pub fn text(&self, token: Token) -> &'a str {
        self.sources.slice(token.span)
    }

    /// The next token's text if it is a word.
    pub fn word(&self) -> Option<&'a str> {
        self.nth_word(0)
    }

    /// The text of the token `ahead` places behind the next one if it is a word.
    pub fn nth_word(&self, ahead: usize) -> Option<&'a str> {
        let token = self.peek_nth(ahead);
        (token.kind == TokenKind::Word).then(|| self.text(token))
    }

    /// Whether the token `ahead` places behind the next one is this symbol and follows the token
    /// before it without a space.
    pub fn is_joined(&self, ahead: usize, symbol: Symbol) -> bool {
        let (before, token) = (self.peek_nth(ahead.saturating_sub(1)), self.peek_nth(ahead));
        token.kind == TokenKind::Symbol(symbol) && before.span.end == token.span.start
    }

    /// The last token taken, or the first one where none was.
    pub fn previous(&self) -> Token {
        self.tokens[self.position.saturating_sub(1)]
    }
}

struct Lexer<'a, 'd> {
    text: &'a str,
    base: Span,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Lexer<'_, '_> {
    fn run(&mut self) {
        loop {
            self.skip_blank();
            let Some(first) = self.rest().chars().next() else { return };
            if self.tokens.len() == MAX_TOKENS {
                let message = format!("the formula has more than {MAX_TOKENS} words and symbols");
                let diagnostic = Diagnostic::error(&codes::TOO_LARGE, message)
                    .at(self.span(self.at..self.at), "nothing is read from here on")
                    .help("check the parts of the formula one by one");
                self.diagnostics.push(diagnostic);
                return;
            }
            self.token(first);
        }
    }

    fn token(&mut self, first: char) {
        if is_word_start(first) {
            self.take(TokenKind::Word, |c| is_word_start(c) || c.is_ascii_digit());
        } else if first.is_ascii_digit() {
            self.take(TokenKind::Number, |c| c.is_ascii_digit());
        } else if first == '"' {
            self.quoted('"', TokenKind::Text);
        } else if first == '`' {
            self.quoted('`', TokenKind::Quoted);
        } else if let Some((text, symbol)) =
            SPELLINGS.iter().find(|(text, _)| self.rest().starts_with(text))
        {
            let start = self.at;
            self.at += text.len();
            self.push(TokenKind::Symbol(*symbol), start);
        } else {
            self.stray();
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, range: std::ops::Range<usize>) -> Span {
        let base = self.base.start as usize;
        Span::new(self.base.source, base + range.start..base + range.end)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let span = self.span(start..self.at);
        self.tokens.push(Token { kind, span });
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let comment = match rest[blank..].strip_prefix("//") {
                Some(comment) => 2 + comment.find('\n').unwrap_or(comment.len()),
                None => 0,
            };
            self.at += blank + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn take(&mut self, kind: TokenKind, belongs: impl Fn(char) -> bool) {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.push(kind, start);
    }

    fn quoted(&mut self, quote: char, kind: TokenKind) {
        let start = self.at;
        let mut escaped = false;
        for (offset, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\n' => break,
                _ if c == quote => {
                    self.at += offset + 1;
                    return self.push(kind, start);
                }
                _ => {}
            }
        }
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
        self.push(kind, start);
        let diagnostic = Diagnostic::error(&codes::UNBALANCED, "the quotation does not end")
            .at(self.span(start..start + 1), "it starts here")
            .help(format!("close it with {quote} on the same line"));
        self.diagnostics.push(diagnostic);
    }

    fn stray(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let ordinary = |c: char| {
            c.is_whitespace()
                || is_word_start(c)
                || c.is_ascii_digit()
                || matches!(c, '"' | '`')
                || SPELLINGS.iter().any(|(text, _)| text.starts_with(c))
        };
        self.at += rest.find(ordinary).unwrap_or(rest.len());
        let diagnostic = Diagnostic::error(&codes::STRAY_CHARACTER, "no formula contains this")
            .at(self.span(start..self.at), "unknown character")
            .help("labels of actions stand in double quotes");
        self.diagnostics.push(diagnostic);
    }
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// The text that stands between the quotes of a [`TokenKind::Text`] or [`TokenKind::Quoted`].
pub fn unquote(quoted: &str) -> String {
    let mut text = String::new();
    let mut escaped = false;
    let quote = quoted.chars().next().unwrap_or('"');
    for c in quoted.chars().skip(1) {
        match c {
            _ if escaped => {
                escaped = false;
                if c != quote && c != '\\' {
                    text.push('\\');
                }
                text.push(c);
            }
            '\\' => escaped = true,
            _ if c == quote => break,
            _ => text.push(c),
        }
    }
    text
}

/// A text between quotes, such that [`unquote`] gives it back.
pub fn quote(text: &str, quote: char) -> String {
    let mut quoted = String::from(quote);
    for c in text.chars() {
        if c == quote || c == '\\' {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push(quote);
    quoted
}

#[cfg(test)]
mod tests;

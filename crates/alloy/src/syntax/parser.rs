//! The token cursor, and what every part of the grammar uses.

use quadrille_diagnostic::{Diagnostic, Span};

use super::lexer::{Token, TokenKind};
use super::tree::Name;
use crate::codes::{NESTED, SYNTAX};

pub(super) type Parsed<T> = Result<T, Diagnostic>;

/// How deep expressions may lie within each other.
const DEEPEST: usize = 120;

pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// Whether `seq e` was read, which opens `util/sequniv`.
    pub(super) has_seq: Option<Span>,
}

impl Parser {
    pub(super) fn new(tokens: Vec<Token>) -> Self {
        Self { tokens, at: 0, depth: 0, has_seq: None }
    }

    fn token(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn span(&self) -> Span {
        self.token(0).span
    }

    /// From a place to the end of the last token.
    pub(super) fn since(&self, start: Span) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)].span;
        if last.start < start.start { start } else { start.to(last) }
    }

    pub(super) fn is_end(&self) -> bool {
        self.token(0).kind == TokenKind::End
    }

    pub(super) fn symbol_ahead(&self, ahead: usize) -> &'static str {
        match self.token(ahead).kind {
            TokenKind::Symbol(symbol) => symbol,
            _ => "",
        }
    }

    /// The symbol that was read last.
    pub(super) fn symbol_before(&self) -> &'static str {
        match self.at.checked_sub(1).map(|at| &self.tokens[at].kind) {
            Some(TokenKind::Symbol(symbol)) => symbol,
            _ => "",
        }
    }

    /// Whether a symbol is next.
    pub(super) fn sees(&self, symbol: &str) -> bool {
        !symbol.is_empty() && self.symbol_ahead(0) == symbol
    }

    pub(super) fn is_word(&self, ahead: usize) -> bool {
        matches!(self.token(ahead).kind, TokenKind::Word(_))
    }

    pub(super) fn number_ahead(&self) -> Option<i64> {
        match self.token(0).kind {
            TokenKind::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn text_ahead(&self) -> Option<String> {
        match &self.token(0).kind {
            TokenKind::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    pub(super) fn next(&mut self) {
        if !self.is_end() {
            self.at += 1;
        }
    }

    /// Where reading stands, to come back to.
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    pub(super) fn back(&mut self, mark: usize) {
        self.at = mark;
    }

    /// Takes a symbol if it is next.
    pub(super) fn takes(&mut self, symbol: &str) -> bool {
        let is_next = self.sees(symbol);
        if is_next {
            self.next();
        }
        is_next
    }

    pub(super) fn expect(&mut self, symbol: &str, behind: &str) -> Parsed<()> {
        if self.takes(symbol) {
            return Ok(());
        }
        Err(self.refuse(&format!("`{symbol}` {behind}")))
    }

    pub(super) fn number(&mut self, what: &str) -> Parsed<i64> {
        match self.number_ahead() {
            Some(number) => {
                self.next();
                Ok(number)
            }
            None => Err(self.refuse(what)),
        }
    }

    /// Whether a name, possibly a path, is next.
    pub(super) fn is_name(&self) -> bool {
        self.is_word(0)
            || (matches!(self.symbol_ahead(0), "this" | "seq")
                && self.symbol_ahead(1) == "/"
                && self.is_word(2))
    }

    /// A name, possibly a path.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let start = self.span();
        if !self.is_name() {
            return Err(self.refuse(what));
        }
        let mut text = match &self.token(0).kind {
            TokenKind::Word(word) => word.clone(),
            _ => self.symbol_ahead(0).to_owned(),
        };
        self.next();
        while self.sees("/") && self.is_word(1) {
            self.next();
            if let TokenKind::Word(word) = &self.token(0).kind {
                text.push('/');
                text.push_str(word);
            }
            self.next();
        }
        Ok(Name { text, span: self.since(start) })
    }

    /// A name that is declared, which has no `$`.
    pub(super) fn new_name(&mut self, what: &str) -> Parsed<Name> {
        let name = self.name(what)?;
        if name.text.contains('$') {
            let message = format!("the name `{}` contains `$`", name.text);
            let help = "`$` is kept for atoms; choose another name";
            return Err(Diagnostic::error(&SYNTAX, message).at(name.span, "").help(help));
        }
        Ok(name)
    }

    pub(super) fn new_names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.new_name(what)?];
        while self.takes(",") {
            names.push(self.new_name(what)?);
        }
        Ok(names)
    }

    /// Reports what was expected at the next token.
    pub(super) fn refuse(&self, expected: &str) -> Diagnostic {
        let found = match &self.token(0).kind {
            TokenKind::Word(word) => format!("`{word}`"),
            TokenKind::Number(number) => format!("`{number}`"),
            TokenKind::Text(text) => text.clone(),
            TokenKind::Symbol(symbol) => format!("`{symbol}`"),
            TokenKind::End => "the end of the text".to_owned(),
        };
        let message = format!("expected {expected}, found {found}");
        let diagnostic = Diagnostic::error(&SYNTAX, message).at(self.span(), "");
        diagnostic.help(self.advice())
    }

    fn advice(&self) -> &'static str {
        match (self.symbol_ahead(0), self.symbol_ahead(1)) {
            ("'", _) => "a prime stands directly behind an expression: `field'`",
            (".", ".") => "there is no ellipsis: write out what is left out",
            ("=", "=") => "write a single `=`",
            ("(", _) => "arguments stand in brackets: `p[x]`",
            (word, _) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                "this is a word of the language: a name needs to be another one"
            }
            _ => "see docs/alloy.md for the language",
        }
    }

    /// Runs one level deeper.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let help = "give a part of it a name of its own, with `pred` or `fun`";
            let diagnostic = Diagnostic::error(&NESTED, "this is nested too deeply");
            return Err(diagnostic.at(self.span(), "").help(help));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }
}

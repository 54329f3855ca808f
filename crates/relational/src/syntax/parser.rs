//! The token cursor of the parser, and what every part of the grammar uses: expecting, refusing,
//! going on behind a mistake.

use quadrille_diagnostic::{Diagnostic, Span};

use super::lexer::{Token, TokenKind};
use super::tree::Name;
use crate::codes::{NESTED, SYNTAX};

/// A mistake was reported; reading goes on at the next paragraph.
pub(super) struct Lost;

pub(super) type Parsed<T> = Result<T, Lost>;

/// How deep expressions may lie within each other.
const DEEPEST: usize = 64;

/// How many operators of one kind may follow each other.
const LONGEST: usize = 400;

pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Words that begin a paragraph.
const PARAGRAPHS: [&str; 22] = [
    "module",
    "open",
    "enum",
    "sig",
    "var",
    "abstract",
    "one",
    "lone",
    "some",
    "fact",
    "pred",
    "fun",
    "assert",
    "event",
    "init",
    "end",
    "run",
    "check",
    "fair",
    "strong",
    "invariant",
    "private",
];

/// Words that are no names.
const RESERVED: [&str; 48] = [
    "abstract",
    "after",
    "all",
    "always",
    "and",
    "as",
    "assert",
    "before",
    "but",
    "check",
    "disj",
    "else",
    "enum",
    "eventually",
    "exactly",
    "extends",
    "fact",
    "for",
    "fun",
    "historically",
    "iff",
    "implies",
    "in",
    "let",
    "lone",
    "module",
    "no",
    "not",
    "once",
    "one",
    "open",
    "or",
    "pred",
    "private",
    "releases",
    "run",
    "set",
    "seq",
    "sig",
    "since",
    "some",
    "sum",
    "triggered",
    "until",
    "var",
    "iden",
    "none",
    "univ",
];

impl Parser {
    pub(super) fn new(tokens: Vec<Token>) -> Self {
        Self { tokens, at: 0, depth: 0, diagnostics: Vec::new() }
    }

    fn token(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    /// Where the next token is.
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

    pub(super) fn word_ahead(&self, ahead: usize) -> Option<&str> {
        match &self.token(ahead).kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn symbol_ahead(&self, ahead: usize) -> Option<&'static str> {
        match self.token(ahead).kind {
            TokenKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    pub(super) fn number_ahead(&self, ahead: usize) -> Option<i64> {
        match self.token(ahead).kind {
            TokenKind::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn next(&mut self) {
        if !self.is_end() {
            self.at += 1;
        }
    }

    /// Takes the word if it is next.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let is_next = self.word_ahead(0) == Some(word);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Takes the symbol if it is next.
    pub(super) fn symbol(&mut self, symbol: &str) -> bool {
        let is_next = self.symbol_ahead(0) == Some(symbol);
        if is_next {
            self.next();
        }
        is_next
    }

    pub(super) fn expect(&mut self, symbol: &str, behind: &str) -> Parsed<()> {
        if self.symbol(symbol) {
            return Ok(());
        }
        Err(self.refuse(&format!("`{symbol}` {behind}")))
    }

    /// Whether a name is that many tokens ahead.
    pub(super) fn is_name(&self, ahead: usize) -> bool {
        self.word_ahead(ahead).is_some_and(|word| !RESERVED.contains(&word))
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.span();
        match self.word_ahead(0) {
            Some(word) if !RESERVED.contains(&word) => {
                let text = word.to_owned();
                self.next();
                Ok(Name { text, span })
            }
            Some(word) => {
                let message = format!("expected {what}, found the word `{word}` of the language");
                let help = format!("choose another name, such as `{word}_`");
                self.diagnostics.push(Diagnostic::error(&SYNTAX, message).at(span, "").help(help));
                Err(Lost)
            }
            None => Err(self.refuse(what)),
        }
    }

    /// Names between commas.
    pub(super) fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.symbol(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Reports what was expected at the next token.
    pub(super) fn refuse(&mut self, expected: &str) -> Lost {
        let found = match &self.token(0).kind {
            TokenKind::Word(word) => format!("`{word}`"),
            TokenKind::Number(number) => format!("`{number}`"),
            TokenKind::Symbol(symbol) => format!("`{symbol}`"),
            TokenKind::End => "the end of the text".to_owned(),
        };
        let message = format!("expected {expected}, found {found}");
        let mut diagnostic = Diagnostic::error(&SYNTAX, message).at(self.span(), "");
        if let Some(help) = self.advice() {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(diagnostic);
        Lost
    }

    /// What to do about signs of other languages.
    fn advice(&self) -> Option<&'static str> {
        Some(match self.symbol_ahead(0)? {
            "<=" => "write `=<` for less or equal",
            "'" => "a prime stands behind the name of a variable field or signature: `n.state'`",
            "=" if self.symbol_ahead(1) == Some("=") => "write a single `=`",
            "@" | "/" => "write the name alone",
            "(" => "arguments stand in brackets: `send[n]`",
            _ => return None,
        })
    }

    /// Runs one level deeper.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return self.too_deep();
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Counts one more operator of a chain.
    pub(super) fn link(&mut self, length: &mut usize) -> Parsed<()> {
        *length += 1;
        if *length < LONGEST { Ok(()) } else { self.too_deep() }
    }

    fn too_deep<T>(&mut self) -> Parsed<T> {
        let message = "this is nested too deeply";
        let help = "give a part of it a name of its own, with `pred` or `fun`";
        let diagnostic = Diagnostic::error(&NESTED, message).at(self.span(), "").help(help);
        self.diagnostics.push(diagnostic);
        Err(Lost)
    }

    /// Goes on at the next line that begins a paragraph.
    pub(super) fn recover(&mut self) {
        loop {
            let token = self.token(0);
            let opens = token.opens_line
                && matches!(&token.kind, TokenKind::Word(word)
                    if PARAGRAPHS.contains(&word.as_str()) && !self.is_quantifier());
            if self.is_end() || opens {
                break;
            }
            self.next();
        }
        self.depth = 0;
    }

    /// Whether the next word is a multiplicity that no signature follows.
    fn is_quantifier(&self) -> bool {
        let is_mult = matches!(self.word_ahead(0), Some("one" | "lone" | "some"));
        is_mult && !matches!(self.word_ahead(1), Some("sig" | "var" | "abstract"))
    }
}

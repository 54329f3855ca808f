//! The token cursor, and what every part of the grammar uses: expecting, refusing, going on behind a
//! mistake.

use quadrille_diagnostic::{Diagnostic, Span};

use crate::Dialect;
use crate::lexer::{Token, TokenKind};
use crate::tree::Name;

pub(super) type Parsed<T> = Result<T, Diagnostic>;

/// How many operators of one kind may follow each other.
const LONGEST: usize = 400;

/// Words that begin a paragraph; those of designs are names elsewhere.
const PARAGRAPHS: [&str; 15] = [
    "module", "open", "enum", "sig", "var", "abstract", "one", "lone", "some", "fact", "pred",
    "fun", "assert", "run", "check",
];
const OF_DESIGNS: [&str; 8] =
    ["event", "fair", "strong", "init", "end", "invariant", "overflow", "assume"];

pub(super) struct Parser {
    pub(super) dialect: Dialect,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// Whether `;` stands between the conditions of a block, and does not mean *and then*.
    pub(super) semicolon_separates: bool,
    /// Whether `seq e` was read, which opens `util/sequniv`.
    pub(super) has_seq: Option<Span>,
}

impl Parser {
    pub(super) fn new(dialect: Dialect, tokens: Vec<Token>) -> Self {
        Self { dialect, tokens, at: 0, depth: 0, semicolon_separates: false, has_seq: None }
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

    /// A word that is a name elsewhere, and means something in designs.
    pub(super) fn word_ahead(&self, ahead: usize) -> &str {
        match &self.token(ahead).kind {
            TokenKind::Word(word) => word,
            _ => "",
        }
    }

    /// Takes such a word if it is next.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let is_next = self.word_ahead(0) == word;
        if is_next {
            self.next();
        }
        is_next
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
            return Err(self.mistake(message).at(name.span, "").help(help));
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
        self.mistake(message).at(self.span(), "").help(self.advice())
    }

    /// A mistake in how something is written.
    pub(super) fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.dialect.syntax, message)
    }

    fn advice(&self) -> String {
        let advice = match (self.symbol_ahead(0), self.symbol_ahead(1)) {
            ("'", _) => "a prime stands directly behind an expression: `field'`",
            (":", "=") => "write `=`: of an effect the left side has a prime, `n.field' = e`",
            ("/", _) => "division is `div[a, b]`, the remainder `rem[a, b]`",
            (".", "") if matches!(self.token(1).kind, TokenKind::Number(_)) => {
                "a range stands in a scope only: write `x >= 0 and x =< 3`"
            }
            (".", ".") => "there is no ellipsis: write out what is left out",
            ("=", "=") => "write a single `=`",
            ("=", _) if self.symbol_before() == "=" => "write a single `=`",
            ("(", _) => "arguments stand in brackets: `p[x]`",
            ("for", _) => "is a `}` missing before it?",
            _ if self.opens_paragraph() => "a paragraph begins here: is a `}` missing before it?",
            (word, _) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                "this is a word of the language: a name needs to be another one"
            }
            _ => {
                return match self.longer_paragraph() {
                    Some(word) => format!("this is written `{word}`"),
                    None => format!("see {} for the language", self.dialect.manual),
                };
            }
        };
        advice.to_owned()
    }

    /// The word that begins a paragraph, where it is written out, such as `signature`.
    fn longer_paragraph(&self) -> Option<&'static str> {
        let found = self.word_ahead(0);
        let known = ["sig", "pred", "fun", "assert", "enum", "init", "event"];
        known.into_iter().find(|word| self.token(0).opens_line && found.starts_with(word))
    }

    /// Runs one level deeper.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.dialect.deepest {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Counts one more operator of a chain.
    pub(super) fn link(&self, length: &mut usize) -> Parsed<()> {
        *length += 1;
        if *length < LONGEST { Ok(()) } else { Err(self.too_deep()) }
    }

    fn too_deep(&self) -> Diagnostic {
        let help = "give a part of it a name of its own, with `pred` or `fun`";
        let diagnostic = Diagnostic::error(self.dialect.nested, "this is nested too deeply");
        diagnostic.at(self.span(), "").help(help)
    }

    /// Goes on at the next line that begins a paragraph, behind where the last one began.
    pub(super) fn recover(&mut self, begun: usize) {
        if self.at == begun {
            self.next();
        }
        while !self.is_end() && !self.opens_paragraph() {
            self.next();
        }
        self.depth = 0;
    }

    /// Whether the next token is the first of a line, and a word that begins a paragraph.
    pub(super) fn opens_paragraph(&self) -> bool {
        self.token(0).opens_line && self.begins_paragraph()
    }

    fn begins_paragraph(&self) -> bool {
        match self.symbol_ahead(0) {
            "" if !self.dialect.has_events => false,
            "" => match self.word_ahead(0) {
                "init" | "end" => self.symbol_ahead(1) == "{",
                "assume" => self.symbol_ahead(1) == "fact",
                word => OF_DESIGNS.contains(&word) && !self.word_ahead(1).is_empty(),
            },
            // What a multiplicity begins may be a formula.
            "one" | "lone" | "some" => matches!(self.symbol_ahead(1), "sig" | "var" | "abstract"),
            word => PARAGRAPHS.contains(&word) || word == "private",
        }
    }
}

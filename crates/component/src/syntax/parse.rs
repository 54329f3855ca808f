//! Reads a `.bp` text: recursive descent over `*` > `;` > `+` > `|` > `||`. After a mistake it goes
//! on where an operand or an operator is expected, so that one pass reports all of them.

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use super::lex::{Lexeme, Mark, lex};
use super::tree::{Component, EnumType, File, Kind, Name, Path, Protocol, Variable};
use crate::codes;

/// Brackets and prefixes may be nested this deep.
const MAX_DEPTH: usize = 100;
/// Postfix operators on one operand, and adjustments in one row: each is a level of the tree.
const MAX_CHAIN: usize = 8;
/// Diagnostics kept per file.
const MOST: usize = 50;
/// Words with a meaning of their own.
const KEYWORDS: [&str; 11] = [
    "NULL", "null", "throw", "try", "catch", "types", "vars", "while", "switch", "default", "case",
];

/// Reads a file. The tree covers what could be understood; it is what the text says if no
/// diagnostic is an error.
pub fn parse(source: SourceId, text: &str) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::new(source, text);
    let file = parser.file();
    (file, parser.finish())
}

/// Tokens being read. Architectures are read with it too.
pub(crate) struct Parser<'a> {
    tokens: Vec<(Lexeme<'a>, Span)>,
    at: usize,
    depth: usize,
    too_deep: bool,
    diagnostics: Vec<Diagnostic>,
    /// The token of the last syntax error: one mistake is reported once.
    last_error: Option<usize>,
    n_left_out: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(source: SourceId, text: &'a str) -> Self {
        Self {
            tokens: lex(source, text),
            at: 0,
            depth: 0,
            too_deep: false,
            diagnostics: Vec::new(),
            last_error: None,
            n_left_out: 0,
        }
    }

    /// What is to be said, in the order of the text.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span));
        if let (Some(last), 1..) = (diagnostics.last_mut(), self.n_left_out) {
            last.notes.push(format!("{} further problems are not shown", self.n_left_out));
        }
        diagnostics
    }

    pub(crate) fn peek(&self) -> Lexeme<'a> {
        self.tokens[self.at].0
    }

    pub(crate) fn peek_second(&self) -> Lexeme<'a> {
        self.tokens.get(self.at + 1).map_or(Lexeme::End, |token| token.0)
    }

    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The place of the token read last.
    pub(crate) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    pub(crate) fn advance(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    pub(crate) fn is(&self, mark: Mark) -> bool {
        self.peek() == Lexeme::Mark(mark)
    }

    pub(crate) fn eat(&mut self, mark: Mark) -> bool {
        let found = self.is(mark);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.peek() == Lexeme::Word(word)
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MOST {
            self.diagnostics.push(diagnostic);
        } else {
            self.n_left_out += 1;
        }
    }

    /// A syntax error at the current token, unless one was reported there.
    pub(crate) fn expected(&mut self, what: &str, help: &str) {
        if self.last_error == Some(self.at) {
            return;
        }
        self.last_error = Some(self.at);
        let found = match self.peek() {
            Lexeme::Word(word) => format!("found `{word}`"),
            Lexeme::Mark(mark) => format!("found `{}`", mark.text()),
            Lexeme::Text(_) => "found a text in quotes".to_owned(),
            Lexeme::Bad(why) => why.to_owned(),
            Lexeme::End => "found the end of the text".to_owned(),
        };
        let diagnostic = Diagnostic::error(&codes::SYNTAX, format!("expected {what}"))
            .at(self.span(), found)
            .help(help);
        self.report(diagnostic);
    }

    /// A closing mark; if it is missing, the opening one is shown.
    pub(crate) fn close(&mut self, mark: Mark, opened: Span) {
        if self.eat(mark) {
            return;
        }
        let n_before = self.diagnostics.len();
        self.expected(&format!("`{}`", mark.text()), "every bracket that is opened must be closed");
        if let Some(diagnostic) = self.diagnostics.get_mut(n_before) {
            *diagnostic = diagnostic.clone().at(opened, "opened here");
        }
    }

    pub(crate) fn open(&mut self, mark: Mark, help: &str) -> Span {
        if !self.is(mark) {
            self.expected(&format!("`{}`", mark.text()), help);
            return self.span();
        }
        self.advance()
    }

    fn file(&mut self) -> File {
        let mut file = File::default();
        loop {
            match self.peek() {
                Lexeme::End => return file,
                Lexeme::Word("types") => self.types(&mut file.types),
                Lexeme::Word(word) if is_name(word) => {
                    let component = self.component();
                    file.components.push(component);
                }
                _ => {
                    let help = "a file is a sequence of `NAME protocol`";
                    self.expected("the name of a component", help);
                    self.skip_to_name();
                }
            }
        }
    }

    /// Skips to what may be the name of a component.
    fn skip_to_name(&mut self) {
        loop {
            match self.peek() {
                Lexeme::End | Lexeme::Word("types") => return,
                Lexeme::Word(word) if is_name(word) => return,
                Lexeme::Mark(Mark::Accept | Mark::Emit | Mark::Meet) => {
                    self.advance();
                    if matches!(self.peek(), Lexeme::Word(_)) {
                        self.advance();
                    }
                }
                _ => {
                    self.advance();
                }
            }
        }
    }

    pub(crate) fn types(&mut self, types: &mut Vec<EnumType>) {
        let help = "write `types { Mode = { IDLE, BUSY } }`";
        self.advance();
        let opened = self.open(Mark::LeftBrace, help);
        while matches!(self.peek(), Lexeme::Word(word) if is_name(word)) {
            let name = self.name("the name of a type", help);
            if !self.eat(Mark::Assign) {
                self.expected("`=`", help);
            }
            let inner = self.open(Mark::LeftBrace, help);
            let values = self.list(|parser| parser.name("a value", help));
            self.close(Mark::RightBrace, inner);
            types.push(EnumType { name, values });
            self.separator();
        }
        self.close(Mark::RightBrace, opened);
    }

    fn component(&mut self) -> Component {
        let name = self.name("the name of a component", "a file is a sequence of `NAME protocol`");
        let mut variables = Vec::new();
        if self.is_word("vars") {
            self.variables(&mut variables);
        }
        let protocol = self.protocol();
        Component { name, variables, protocol }
    }

    pub(crate) fn variables(&mut self, variables: &mut Vec<Variable>) {
        let help = "write `vars { Mode m = IDLE }`";
        self.advance();
        let opened = self.open(Mark::LeftBrace, help);
        while matches!(self.peek(), Lexeme::Word(word) if is_name(word)) {
            let of = self.name("a type", help);
            let name = self.name("the name of a variable", help);
            if !self.eat(Mark::Assign) {
                self.expected("`=`", help);
            }
            let initial = self.name("a value", help);
            variables.push(Variable { of, name, initial });
            self.separator();
        }
        self.close(Mark::RightBrace, opened);
    }

    fn separator(&mut self) {
        if !self.eat(Mark::Comma) {
            self.eat(Mark::Semicolon);
        }
    }

    /// Things separated by commas, at least one.
    pub(crate) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut all = vec![one(self)];
        while self.eat(Mark::Comma) {
            all.push(one(self));
        }
        all
    }

    /// A word without a dot.
    pub(crate) fn name(&mut self, what: &str, help: &str) -> Name {
        match self.peek() {
            Lexeme::Word(word) if is_name(word) => {
                let span = self.advance();
                Name { text: word.to_owned(), span }
            }
            _ => {
                self.expected(what, help);
                Name { text: String::new(), span: self.span() }
            }
        }
    }

    pub(crate) fn path(&mut self, what: &str, help: &str) -> Path {
        match self.peek() {
            Lexeme::Word(word) if !KEYWORDS.contains(&word) => {
                let span = self.advance();
                Path { text: word.to_owned(), span }
            }
            _ => {
                self.expected(what, help);
                Path { text: String::new(), span: self.span() }
            }
        }
    }

    /// Goes one level deeper, or reports that it is too deep and skips what is nested.
    pub(crate) fn nested(&mut self, read: impl FnOnce(&mut Self) -> Protocol) -> Protocol {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            let protocol = read(self);
            self.depth -= 1;
            return protocol;
        }
        let span = self.span();
        self.last_error = Some(self.at);
        self.report_depth(span, "give parts of it to components of their own");
        self.skip_nested();
        Protocol { kind: Kind::Null, span }
    }

    /// Reports once per file that something is nested too deeply.
    fn report_depth(&mut self, span: Span, help: &str) {
        if !self.too_deep {
            self.too_deep = true;
            let message = "nested too deeply";
            self.report(Diagnostic::error(&codes::DEPTH, message).at(span, "").help(help));
        }
    }

    /// Skips up to the bracket that closes the current level.
    fn skip_nested(&mut self) {
        let mut open = 0usize;
        loop {
            match self.peek() {
                Lexeme::End => return,
                Lexeme::Mark(Mark::LeftParen | Mark::LeftBrace | Mark::LeftBracket) => open += 1,
                Lexeme::Mark(Mark::RightParen | Mark::RightBrace | Mark::RightBracket) => {
                    if open == 0 {
                        return;
                    }
                    open -= 1;
                }
                _ => {}
            }
            self.advance();
        }
    }

    pub(crate) fn protocol(&mut self) -> Protocol {
        self.nested(|parser| parser.operators(Mark::DoubleBar, Kind::OrParallel, Self::parallel))
    }

    /// Operands joined by one operator; a single operand stands for itself.
    fn operators(
        &mut self,
        operator: Mark,
        kind: fn(Vec<Protocol>) -> Kind,
        mut operand: impl FnMut(&mut Self) -> Protocol,
    ) -> Protocol {
        let mut parts = vec![operand(self)];
        while self.eat(operator) {
            parts.push(operand(self));
        }
        joined(kind, parts)
    }

    /// `A | B` and `A |{ names }| B`, from left to right.
    fn parallel(&mut self) -> Protocol {
        let alternative =
            |parser: &mut Self| parser.operators(Mark::Plus, Kind::Alternative, Self::sequence);
        let mut parts = vec![alternative(self)];
        let mut n_adjusted = 0;
        while self.eat(Mark::Bar) {
            if !self.is(Mark::LeftBrace) {
                parts.push(alternative(self));
                continue;
            }
            let names = self.names();
            if !self.eat(Mark::Bar) {
                self.expected("`|`", "adjustment is written `A |{ i.m, j }| B`");
            }
            let left = joined(Kind::Parallel, std::mem::take(&mut parts));
            let right = alternative(self);
            let span = left.span.to(right.span);
            n_adjusted += 1;
            if n_adjusted > MAX_CHAIN {
                self.report_depth(span, "put parentheses around parts of it");
                parts.push(right);
                continue;
            }
            let kind = Kind::Adjust(Box::new(left), names, Box::new(right));
            parts.push(Protocol { kind, span });
        }
        joined(Kind::Parallel, parts)
    }

    /// `{ i.m, j }`
    fn names(&mut self) -> Vec<Path> {
        let help = "list interfaces and methods: `{ i.m, j }`";
        let opened = self.open(Mark::LeftBrace, help);
        let names = self.list(|parser| parser.path("an interface or a method", help));
        self.close(Mark::RightBrace, opened);
        names
    }

    fn sequence(&mut self) -> Protocol {
        let mut parts = vec![self.postfix()];
        loop {
            if self.is(Mark::Semicolon) {
                let span = self.advance();
                if self.at_end_of_sequence() {
                    self.trailing(span);
                    break;
                }
                parts.push(self.postfix());
            } else if self.starts_operand() {
                self.expected("an operator", "join events by `;`, `+`, `|` or `||`");
                parts.push(self.postfix());
            } else {
                break;
            }
        }
        joined(Kind::Sequence, parts)
    }

    /// Whether what follows a `;` shows that it was the last of its sequence.
    fn at_end_of_sequence(&self) -> bool {
        use Mark::{Bar, DoubleBar, Plus, RightBrace, RightParen};
        match self.peek() {
            Lexeme::End => true,
            Lexeme::Mark(mark) => matches!(mark, RightBrace | RightParen | Plus | Bar | DoubleBar),
            Lexeme::Word(word) => is_name(word) && self.peek_second() != Lexeme::Mark(Mark::Arrow),
            Lexeme::Text(_) | Lexeme::Bad(_) => false,
        }
    }

    fn trailing(&mut self, span: Span) {
        let message = "`;` with nothing behind it";
        let diagnostic = Diagnostic::warning(&codes::TRAILING, message)
            .at(span, "")
            .help("`;` separates; leave the last one out");
        self.report(diagnostic);
    }

    fn starts_operand(&self) -> bool {
        use Mark::{Accept, Emit, LeftBrace, LeftBracket, LeftParen, Meet, Tilde};
        match self.peek() {
            Lexeme::Mark(mark) => {
                matches!(mark, Accept | Emit | Meet | LeftParen | LeftBracket | LeftBrace | Tilde)
            }
            Lexeme::Word("NULL" | "null" | "throw" | "try" | "while" | "switch") => true,
            Lexeme::Word(word) => is_name(word) && self.peek_second() == Lexeme::Mark(Mark::Arrow),
            Lexeme::Text(_) | Lexeme::Bad(_) | Lexeme::End => false,
        }
    }

    fn postfix(&mut self) -> Protocol {
        let mut protocol = self.operand();
        let mut n_postfixes = 0;
        loop {
            let kind: fn(Box<Protocol>, Vec<Path>) -> Kind = match self.peek() {
                Lexeme::Mark(Mark::Star) => |inner, _| Kind::Repeat(inner),
                Lexeme::Mark(Mark::Inverse) => |inner, _| Kind::Invert(inner),
                Lexeme::Mark(Mark::Slash) => Kind::Restrict,
                _ => return protocol,
            };
            let is_restriction = self.is(Mark::Slash);
            self.advance();
            let names = if is_restriction { self.names() } else { Vec::new() };
            let span = protocol.span.to(self.last_span());
            n_postfixes += 1;
            if n_postfixes > MAX_CHAIN {
                self.report_depth(span, "`**` means the same as `*`");
                continue;
            }
            protocol = Protocol { kind: kind(Box::new(protocol), names), span };
        }
    }
}

/// Whether a word may name a component, a type, a variable or a value.
pub(crate) fn is_name(word: &str) -> bool {
    !word.contains('.') && !KEYWORDS.contains(&word)
}

fn joined(kind: fn(Vec<Protocol>) -> Kind, mut parts: Vec<Protocol>) -> Protocol {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let span = parts[0].span.to(parts[parts.len() - 1].span);
    Protocol { kind: kind(parts), span }
}

//! Reads operands: events, calls with their bodies, exceptions, variables.

use quadrille_diagnostic::Diagnostic;

use super::lex::{Lexeme, Mark};
use super::parse::{Parser, is_name};
use super::tree::{
    Argument, Case, Catch, Direction, Kind, Name, Parameter, Phase, Protocol, Test, Token,
};
use crate::codes;

impl Parser<'_> {
    pub(super) fn operand(&mut self) -> Protocol {
        let start = self.span();
        let kind = match self.peek() {
            Lexeme::Word("NULL" | "null") => {
                self.advance();
                Kind::Null
            }
            Lexeme::Word("throw") => self.throw(),
            Lexeme::Word("try") => self.try_catch(),
            Lexeme::Word("while") => self.while_loop(),
            Lexeme::Word("switch") => self.switch(),
            Lexeme::Word(word)
                if is_name(word) && self.peek_second() == Lexeme::Mark(Mark::Arrow) =>
            {
                self.assignment()
            }
            Lexeme::Mark(Mark::Accept) => self.event_or_call(Direction::Accept),
            Lexeme::Mark(Mark::Emit) => self.event_or_call(Direction::Emit),
            Lexeme::Mark(Mark::Meet) => {
                self.advance();
                Kind::Meet(
                    self.path("a name", "`&i.m` is a joint step of all components that mention it"),
                )
            }
            Lexeme::Mark(Mark::LeftBracket) => self.atomic(),
            Lexeme::Mark(Mark::Tilde) => {
                self.advance();
                let inner = self.nested(Self::operand);
                Kind::Invert(Box::new(inner))
            }
            Lexeme::Mark(Mark::LeftParen) => {
                let opened = self.advance();
                let inner = self.protocol();
                self.close(Mark::RightParen, opened);
                return Protocol { kind: inner.kind, span: start.to(self.last_span()) };
            }
            Lexeme::Mark(Mark::LeftBrace) => {
                self.expected("a method before `{`", "a body belongs to a call: `?i.m { … }`");
                let opened = self.advance();
                let inner = self.protocol();
                self.close(Mark::RightBrace, opened);
                inner.kind
            }
            _ => {
                let help = "events are `?i.m`, `!i.m^`, `?i.m$`; nothing is `NULL`";
                self.expected("an event or a protocol", help);
                if matches!(self.peek(), Lexeme::Bad(_) | Lexeme::Text(_) | Lexeme::Mark(_))
                    && !self.is_follower()
                {
                    self.advance();
                }
                Kind::Null
            }
        };
        Protocol { kind, span: start.to(self.last_span().max(start)) }
    }

    /// Whether a caller up the stack can continue at the current token.
    fn is_follower(&self) -> bool {
        use Mark::{
            Bar, Comma, DoubleBar, Plus, RightBrace, RightBracket, RightParen, Semicolon, Star,
        };
        match self.peek() {
            Lexeme::Mark(mark) => matches!(
                mark,
                Bar | DoubleBar
                    | Plus
                    | RightBrace
                    | RightParen
                    | RightBracket
                    | Semicolon
                    | Star
                    | Comma
            ),
            _ => false,
        }
    }

    fn phase(&mut self) -> Option<Phase> {
        if self.eat(Mark::Request) {
            return Some(Phase::Request);
        }
        self.eat(Mark::Response).then_some(Phase::Response)
    }

    fn event_or_call(&mut self, direction: Direction) -> Kind {
        self.advance();
        let path = self.path("a method", "an event is `?i.m^` or `!i.m$`, a call `!i.m`");
        if let Some(phase) = self.phase() {
            return Kind::Event(Token { direction, path, phase });
        }
        let (mut arguments, mut parameters) = (Vec::new(), Vec::new());
        if self.is(Mark::LeftParen) {
            let opened = self.advance();
            match direction {
                Direction::Emit => arguments = self.list(Self::argument),
                Direction::Accept => parameters = self.list(Self::parameter),
            }
            self.close(Mark::RightParen, opened);
        }
        let mut body = None;
        if self.is(Mark::LeftBrace) {
            let opened = self.advance();
            if !self.is(Mark::RightBrace) {
                body = Some(Box::new(self.protocol()));
            }
            self.close(Mark::RightBrace, opened);
        }
        Kind::Call { direction, path, arguments, parameters, body }
    }

    fn argument(&mut self) -> Argument {
        self.name("a value or a variable", "arguments are written `!i.m(BUSY)`")
    }

    fn parameter(&mut self) -> Parameter {
        let help = "parameters are written `?i.m(Mode x) { … }`";
        let of = self.name("a type", help);
        Parameter { of, name: self.name("the name of a parameter", help) }
    }

    fn atomic(&mut self) -> Kind {
        let opened = self.advance();
        let tokens = self.list(|parser| {
            let help = "an atomic action lists single events: `[?a$, !b^]`";
            let direction = if parser.eat(Mark::Accept) {
                Direction::Accept
            } else {
                if !parser.eat(Mark::Emit) {
                    parser.expected("`?` or `!`", help);
                }
                Direction::Emit
            };
            let path = parser.path("a method", help);
            let phase = parser.phase().unwrap_or_else(|| {
                parser.expected("`^` or `$`", help);
                Phase::Request
            });
            Token { direction, path, phase }
        });
        self.close(Mark::RightBracket, opened);
        Kind::Atomic(tokens)
    }

    fn throw(&mut self) -> Kind {
        let help = "an exception is thrown by `throw !e`";
        self.advance();
        if !self.eat(Mark::Emit) {
            self.expected("`!`", help);
        }
        Kind::Throw(self.name("the name of an exception without an interface", help))
    }

    pub(crate) fn braced(&mut self, help: &str) -> Protocol {
        let opened = self.open(Mark::LeftBrace, help);
        let protocol = if self.is(Mark::RightBrace) {
            Protocol { kind: Kind::Null, span: self.span() }
        } else {
            self.protocol()
        };
        self.close(Mark::RightBrace, opened);
        protocol
    }

    fn try_catch(&mut self) -> Kind {
        let help = "write `try { … } catch { ?i.e : … }`";
        self.advance();
        let body = Box::new(self.braced(help));
        let mut catches = Vec::new();
        while self.is_word("catch") {
            self.advance();
            let opened = self.open(Mark::LeftBrace, help);
            let exceptions = self.list(|parser| {
                if !parser.eat(Mark::Accept) {
                    parser.expected("`?`", help);
                }
                parser.path("an interface and an exception", help)
            });
            if !self.eat(Mark::Colon) {
                self.expected("`:`", help);
            }
            let handler = self.protocol();
            self.close(Mark::RightBrace, opened);
            catches.push(Catch { exceptions, handler });
        }
        if catches.is_empty() {
            self.expected("`catch`", help);
        }
        Kind::Try { body, catches }
    }

    fn assignment(&mut self) -> Kind {
        let help = "write `m <- BUSY`";
        let variable = self.name("a variable", help);
        self.advance();
        Kind::Assign { variable, value: self.name("a value or a variable", help) }
    }

    fn while_loop(&mut self) -> Kind {
        let help = "write `while (m == BUSY) { … }`";
        self.advance();
        let opened = self.open(Mark::LeftParen, help);
        let variable = self.name("a variable", help);
        let equal = !self.is(Mark::NotEqual);
        if !self.eat(Mark::NotEqual) && !self.eat(Mark::Equal) {
            self.expected("`==` or `!=`", help);
        }
        let value = self.name("a value", help);
        self.close(Mark::RightParen, opened);
        let body = Box::new(self.braced(help));
        Kind::While { test: Test { variable, equal, value }, body }
    }

    fn switch(&mut self) -> Kind {
        let help = "write `switch (m) { IDLE: { … } default: { … } }`";
        self.advance();
        let opened = self.open(Mark::LeftParen, help);
        let variable = self.name("a variable", help);
        self.close(Mark::RightParen, opened);
        let opened = self.open(Mark::LeftBrace, help);
        let (mut cases, mut default) = (Vec::new(), None);
        loop {
            let is_default = self.is_word("default");
            let value = match self.peek() {
                Lexeme::Word("default") => Name { text: String::new(), span: self.advance() },
                Lexeme::Word(word) if is_name(word) => self.name("a value", help),
                _ => break,
            };
            if !self.eat(Mark::Colon) {
                self.expected("`:`", help);
            }
            let protocol = self.braced(help);
            if !is_default {
                cases.push(Case { value, protocol });
            } else if default.is_none() {
                default = Some(Box::new(protocol));
            } else {
                let message = "a second `default` in one `switch`";
                self.report(Diagnostic::error(&codes::TWICE, message).at(value.span, ""));
            }
        }
        self.close(Mark::RightBrace, opened);
        Kind::Switch { variable, cases, default }
    }
}

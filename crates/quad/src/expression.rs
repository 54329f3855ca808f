//! Expressions from tokens: shared by the statements of a text and the atoms of its properties.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_logic::{Cursor, Symbol, Token, TokenKind};

use super::codes;
use super::tree::{COMPARISON, Expr, ExprKind, Name, Operator, PREFIX, RANGE};

/// Deepest nesting of anything.
pub(super) const MAX_DEPTH: usize = 150;

/// Words that are no names.
pub(super) const KEYWORDS: &[&str] = &[
    "and",
    "any",
    "as",
    "bool",
    "choose",
    "closes",
    "does",
    "either",
    "else",
    "enum",
    "event",
    "every",
    "false",
    "for",
    "forever",
    "from",
    "if",
    "in",
    "int",
    "let",
    "loop",
    "message",
    "not",
    "of",
    "opt",
    "or",
    "par",
    "parameter",
    "passes",
    "property",
    "protocol",
    "receives",
    "repeat",
    "role",
    "sends",
    "set",
    "some",
    "sync",
    "then",
    "to",
    "true",
    "variable",
    "when",
    "where",
    "with",
];

/// Whether the next token is this word.
pub(super) fn at_word(cursor: &Cursor<'_>, word: &str) -> bool {
    cursor.word() == Some(word)
}

/// Takes the next token if it is this word.
pub(super) fn eat_word(cursor: &mut Cursor<'_>, word: &str) -> bool {
    let found = at_word(cursor, word);
    if found {
        cursor.bump();
    }
    found
}

pub(super) fn at(cursor: &Cursor<'_>, symbol: Symbol) -> bool {
    cursor.peek().kind == TokenKind::Symbol(symbol)
}

/// What was expected instead of the next token.
pub(super) fn unexpected(cursor: &Cursor<'_>, expected: &str) -> Diagnostic {
    let token = cursor.peek();
    let place = match (token.kind, cursor.text(token)) {
        (TokenKind::End, _) => "the text ends here".to_owned(),
        (TokenKind::Word, word) if KEYWORDS.contains(&word) => {
            format!("`{word}` is a word of the language")
        }
        _ => "not this".to_owned(),
    };
    Diagnostic::error(&codes::SYNTAX, format!("expected {expected}")).at(token.span, place)
}

/// Takes a name.
pub(super) fn name(cursor: &mut Cursor<'_>, what: &str) -> Result<Name, Diagnostic> {
    match cursor.word() {
        Some(word) if !KEYWORDS.contains(&word) => {
            Ok(Name { text: word.to_owned(), span: cursor.bump().span })
        }
        _ => Err(unexpected(cursor, what).help("a name is a letter, then letters, digits and `_`")),
    }
}

/// Takes a symbol.
pub(super) fn expect(
    cursor: &mut Cursor<'_>,
    symbol: Symbol,
    text: &str,
) -> Result<Token, Diagnostic> {
    if at(cursor, symbol) {
        return Ok(cursor.bump());
    }
    Err(unexpected(cursor, text))
}

/// Reads expressions.
pub(super) struct Expressions<'a, 'c> {
    pub(super) cursor: &'a mut Cursor<'c>,
    /// How deep the place is already.
    pub(super) depth: usize,
}

type Read = Result<Expr, Diagnostic>;

impl Expressions<'_, '_> {
    /// A whole expression.
    pub(super) fn whole(&mut self) -> Read {
        self.binary(0)
    }

    /// An expression of operators that bind at least as tightly as `level`.
    pub(super) fn binary(&mut self, level: u32) -> Read {
        self.deeper()?;
        let mut left = self.operand()?;
        let mut n_operators = 0;
        while let Some((operator, n_tokens)) = self.operator() {
            let own = operator.level();
            if own < level {
                break;
            }
            n_operators += 1;
            if n_operators > MAX_DEPTH {
                return Err(too_deep(self.cursor.peek().span));
            }
            for _ in 0..n_tokens {
                self.cursor.bump();
            }
            let right = self.binary(own + 1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(operator, left.into(), right.into()), span };
            if matches!(own, COMPARISON | RANGE)
                && let Some((next, _)) = self.operator()
                && next.level() == own
            {
                let span = self.cursor.peek().span;
                return Err(Diagnostic::error(
                    &codes::SYNTAX,
                    "two comparisons or ranges in a row",
                )
                .at(span, "the second one")
                .help("join two comparisons with `and`"));
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    fn deeper(&mut self) -> Result<(), Diagnostic> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep(self.cursor.peek().span));
        }
        Ok(())
    }

    fn operator(&self) -> Option<(Operator, usize)> {
        let two = |symbol| self.cursor.is_joined(1, symbol);
        Some(match self.cursor.peek().kind {
            TokenKind::Word => match self.cursor.word()? {
                "or" => (Operator::Or, 1),
                "and" => (Operator::And, 1),
                "in" => (Operator::In, 1),
                _ => return None,
            },
            TokenKind::Symbol(symbol) => match symbol {
                Symbol::Or => (Operator::Or, 1),
                Symbol::And => (Operator::And, 1),
                Symbol::Equal => (Operator::Equal, 1),
                Symbol::NotEqual => (Operator::NotEqual, 1),
                Symbol::Less => (Operator::Less, 1),
                Symbol::AtMost => (Operator::AtMost, 1),
                Symbol::Greater => (Operator::Greater, 1),
                Symbol::AtLeast => (Operator::AtLeast, 1),
                Symbol::Dot if two(Symbol::Dot) && self.cursor.is_joined(2, Symbol::Equal) => {
                    (Operator::RangeInclusive, 3)
                }
                Symbol::Dot if two(Symbol::Dot) => (Operator::Range, 2),
                Symbol::Plus => (Operator::Add, 1),
                Symbol::Minus => (Operator::Subtract, 1),
                Symbol::Star => (Operator::Multiply, 1),
                Symbol::Slash => (Operator::Divide, 1),
                Symbol::Percent => (Operator::Remainder, 1),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn operand(&mut self) -> Read {
        let token = self.cursor.peek();
        let text = self.cursor.text(token);
        match token.kind {
            TokenKind::Number => {
                self.cursor.bump();
                let kind = ExprKind::Number(text.parse().map_err(|_| {
                    Diagnostic::error(&codes::SYNTAX, "a number is beyond 64 bits")
                        .at(token.span, "too large")
                        .help("write a smaller one")
                })?);
                Ok(Expr { kind, span: token.span })
            }
            TokenKind::Symbol(Symbol::Open) => {
                self.cursor.bump();
                let inner = self.whole()?;
                let close = expect(self.cursor, Symbol::Close, "an operator or `)`")?;
                Ok(Expr { span: token.span.to(close.span), ..inner })
            }
            TokenKind::Symbol(Symbol::OpenBrace) => {
                self.cursor.bump();
                let parts = self.list(Symbol::CloseBrace, "`}`")?;
                Ok(self.from(token, ExprKind::Set(parts)))
            }
            TokenKind::Symbol(Symbol::Minus) => {
                self.cursor.bump();
                let inner = self.binary(PREFIX)?;
                Ok(self.from(token, ExprKind::Negate(inner.into())))
            }
            TokenKind::Symbol(Symbol::Not) => self.negated(COMPARISON),
            TokenKind::Word if text == "not" => self.negated(COMPARISON),
            TokenKind::Word if text == "if" => self.conditional(),
            TokenKind::Word if matches!(text, "true" | "false") => {
                self.cursor.bump();
                Ok(Expr { kind: ExprKind::Bool(text == "true"), span: token.span })
            }
            _ => self.named(),
        }
    }

    fn negated(&mut self, level: u32) -> Read {
        let token = self.cursor.bump();
        let inner = self.binary(level)?;
        Ok(self.from(token, ExprKind::Not(inner.into())))
    }

    fn conditional(&mut self) -> Read {
        let token = self.cursor.bump();
        let test = self.whole()?;
        if !eat_word(self.cursor, "then") {
            return Err(unexpected(self.cursor, "an operator or `then`"));
        }
        let then = self.whole()?;
        if !eat_word(self.cursor, "else") {
            return Err(unexpected(self.cursor, "an operator or `else`"));
        }
        let other = self.whole()?;
        Ok(self.from(token, ExprKind::If(test.into(), then.into(), other.into())))
    }

    /// `name`, `name[i][j]` or `name(a, b)`.
    pub(super) fn named(&mut self) -> Read {
        let token = self.cursor.peek();
        let name = if at_word(self.cursor, "bool") {
            Name { text: "bool".to_owned(), span: self.cursor.bump().span }
        } else {
            name(self.cursor, "a value")?
        };
        if self.cursor.eat(Symbol::Open) {
            let arguments = self.list(Symbol::Close, "`)`")?;
            return Ok(self.from(token, ExprKind::Call(name, arguments)));
        }
        let mut indices = Vec::new();
        while self.cursor.eat(Symbol::OpenBracket) {
            let star = self.cursor.peek();
            let every = star.kind == TokenKind::Symbol(Symbol::Star);
            indices.push(if every {
                self.cursor.bump();
                Expr { kind: ExprKind::Every, span: star.span }
            } else {
                self.whole()?
            });
            expect(self.cursor, Symbol::CloseBracket, "an operator or `]`")?;
        }
        Ok(self.from(token, ExprKind::Name(name.text, indices)))
    }

    /// Expressions between commas, up to and including what closes the list.
    pub(super) fn list(&mut self, close: Symbol, text: &str) -> Result<Vec<Expr>, Diagnostic> {
        let mut parts = Vec::new();
        while !self.cursor.eat(close) {
            parts.push(self.whole()?);
            if !self.cursor.eat(Symbol::Comma) && !at(self.cursor, close) {
                return Err(unexpected(self.cursor, &format!("an operator, `,` or {text}")));
            }
        }
        Ok(parts)
    }

    fn from(&self, first: Token, kind: ExprKind) -> Expr {
        Expr { kind, span: first.span.to(self.cursor.previous().span) }
    }
}

/// What to say about nesting without end.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("this is nested more than {MAX_DEPTH} levels deep");
    Diagnostic::error(&codes::NESTED, message)
        .at(span, "too deep from here on")
        .help("give a part of it a name of its own: a `protocol`, or a `let` further out")
}

//! From tokens to the tree, one statement per line. A mistake costs its line and no more.

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use super::lex::{Lexer, Mark, Token};
use super::tree::{
    Clause, ClauseKind, Comparison, Fields, Formula, Name, Starred, Statement, StatementKind,
    States, Term,
};
use crate::codes::{NET_DEPTH, NET_SYNTAX};
use crate::report::Report;

/// How deep parentheses and `not` may be nested.
const DEEPEST: usize = 100;

/// Reads all statements that can be read and reports the others.
pub(super) fn parse<'a>(
    source: SourceId,
    text: &'a str,
    report: &mut Report,
) -> Vec<Statement<'a>> {
    let mut lexer = Lexer::new(source, text);
    let token = lexer.next();
    let mut parser = Parser { lexer, token, depth: 0 };
    let mut statements = Vec::new();
    loop {
        if let Token::End(_) = parser.token {
            if parser.lexer.is_done() {
                return statements;
            }
            parser.advance();
            continue;
        }
        match parser.statement() {
            Ok(statement) => statements.push(statement),
            Err(diagnostic) => {
                report.add(*diagnostic);
                parser.recover();
            }
        }
    }
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Token<'a> {
        let next = self.lexer.next();
        std::mem::replace(&mut self.token, next)
    }

    /// Goes to the next line. The token at hand may already be the end of this one.
    fn recover(&mut self) {
        self.depth = 0;
        if !matches!(self.token, Token::End(_)) {
            self.lexer.skip_line();
        }
        self.advance();
    }

    fn wrong<T>(&self, expected: &str, help: &str) -> Parsed<T> {
        let span = self.token.span();
        let label = match &self.token {
            Token::Bad(what, _) => *what,
            Token::End(_) => "the line ends here",
            Token::Name(_) | Token::Mark(..) => "",
        };
        let message = format!("expected {expected}");
        Err(Box::new(Diagnostic::error(&NET_SYNTAX, message).at(span, label).help(help)))
    }

    fn at(&self, mark: Mark) -> bool {
        matches!(self.token, Token::Mark(found, _) if found == mark)
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(&self.token, Token::Name(name) if name.is(word))
    }

    fn eat(&mut self, mark: Mark) -> Option<Span> {
        if !self.at(mark) {
            return None;
        }
        Some(self.advance().span())
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, mark: Mark, help: &str) -> Parsed<Span> {
        match self.eat(mark) {
            Some(span) => Ok(span),
            None => self.wrong(&format!("`{}`", mark.text()), help),
        }
    }

    fn name(&mut self, what: &str, help: &str) -> Parsed<Name<'a>> {
        match &mut self.token {
            Token::Name(_) => match self.advance() {
                Token::Name(name) => Ok(name),
                _ => unreachable!("the token at hand is a name"),
            },
            _ => self.wrong(what, help),
        }
    }

    /// Passes over the end of a line that is visibly unfinished.
    fn go_on(&mut self) {
        while matches!(self.token, Token::End(_)) && !self.lexer.is_done() {
            self.advance();
        }
    }

    fn end(&mut self, help: &str) -> Parsed<()> {
        if matches!(self.token, Token::End(_)) {
            Ok(())
        } else {
            self.wrong("the end of the line", help)
        }
    }

    fn statement(&mut self) -> Parsed<Statement<'a>> {
        const HELP: &str =
            "a line is a `participant`, a `channel`, a `counter`, a `prop`, or `label: template`";
        let start = self.token.span();
        let first = self.name("a statement", HELP)?;
        let kind = if self.eat(Mark::Colon).is_some() {
            self.template(first)?
        } else if first.is("participant") {
            self.participants()?
        } else if first.is("participants") {
            self.positions()?
        } else if first.is("channel") {
            self.channel()?
        } else if first.is("counter") {
            self.counters()?
        } else if first.is("prop") {
            self.proposition()?
        } else {
            return self.wrong("`:` after the label of a template", HELP);
        };
        let span = start.to(Span { end: self.token.span().start.max(start.end), ..start });
        Ok(Statement { span, kind })
    }

    fn participants(&mut self) -> Parsed<StatementKind<'a>> {
        const HELP: &str = "write `participant Name: first second* third`";
        let mut names = vec![self.name("the name of a participant", HELP)?];
        while self.eat(Mark::Comma).is_some() {
            names.push(self.name("the name of a participant", HELP)?);
        }
        let starts = if self.eat_word("starts") {
            Some(self.name("the state it starts in", HELP)?)
        } else {
            None
        };
        self.expect(Mark::Colon, HELP)?;
        let mut states = vec![self.starred("a state", HELP)?];
        while !matches!(self.token, Token::End(_)) {
            self.eat(Mark::Comma);
            states.push(self.starred("a state", HELP)?);
        }
        Ok(StatementKind::Participants { names, starts, states })
    }

    fn positions(&mut self) -> Parsed<StatementKind<'a>> {
        const HELP: &str = "write `participants Left:2 Right:3`: names and numbers of states";
        let mut list = Vec::new();
        while list.is_empty() || !matches!(self.token, Token::End(_)) {
            let name = self.name("the name of a participant", HELP)?;
            self.expect(Mark::Colon, HELP)?;
            list.push((name, self.name("a number of states", HELP)?));
            self.eat(Mark::Comma);
        }
        Ok(StatementKind::Positions(list))
    }

    fn channel(&mut self) -> Parsed<StatementKind<'a>> {
        const HELP: &str = "write `channel name from A to B [4] of ping pong`";
        let name = self.starred("the name of a channel", HELP)?;
        let ends = if self.eat_word("from") {
            let from = self.name("the sender", HELP)?;
            if !self.eat_word("to") {
                return self.wrong("`to` and the receiver", HELP);
            }
            Some((from, self.name("the receiver", HELP)?))
        } else {
            None
        };
        self.expect(Mark::LeftBracket, HELP)?;
        let capacity = self.name("a capacity", HELP)?;
        self.expect(Mark::RightBracket, HELP)?;
        if !self.eat_word("of") {
            return self.wrong("`of` and the messages", HELP);
        }
        let mut messages = vec![self.name("a message", HELP)?];
        while !matches!(self.token, Token::End(_)) {
            self.eat(Mark::Comma);
            messages.push(self.name("a message", HELP)?);
        }
        Ok(StatementKind::Channel { name, ends, capacity, messages })
    }

    fn counters(&mut self) -> Parsed<StatementKind<'a>> {
        const HELP: &str = "write `counter name [5]` or `counter name [5] starts 2`";
        let mut names = vec![self.name("the name of a counter", HELP)?];
        while self.eat(Mark::Comma).is_some() {
            names.push(self.name("the name of a counter", HELP)?);
        }
        self.expect(Mark::LeftBracket, HELP)?;
        let most = self.name("the most it can be", HELP)?;
        self.expect(Mark::RightBracket, HELP)?;
        let starts = match self.eat_word("starts") {
            true => Some(self.name("the number it starts with", HELP)?),
            false => None,
        };
        self.end(HELP)?;
        Ok(StatementKind::Counters { names, most, starts })
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let found = match self.token {
            Token::Mark(Mark::AtMost, _) => Comparison::AtMost,
            Token::Mark(Mark::LeftAngle, _) => Comparison::Less,
            Token::Mark(Mark::AtLeast, _) => Comparison::AtLeast,
            Token::Mark(Mark::RightAngle, _) => Comparison::Greater,
            Token::Mark(Mark::Equals, _) => Comparison::Equal,
            Token::Mark(Mark::Unequal, _) => Comparison::Unequal,
            _ => return None,
        };
        self.advance();
        Some(found)
    }

    /// What is tested or counted, behind the name of a counter.
    fn counted(&mut self, help: &str) -> Parsed<Option<(ClauseKind<'a>, Span)>> {
        if let Some(comparison) = self.comparison() {
            let number = self.name("a number", help)?;
            let span = number.span;
            return Ok(Some((ClauseKind::Test(comparison, number), span)));
        }
        let (mut take, mut put) = (None, None);
        if self.eat(Mark::Minus).is_some() {
            take = Some(self.name("a number", help)?);
        }
        if self.eat(Mark::Plus).is_some() {
            put = Some(self.name("a number", help)?);
        }
        let last = put.as_ref().or(take.as_ref()).map(|number| number.span);
        Ok(last.map(|span| (ClauseKind::Count { take, put }, span)))
    }

    /// A sum, whose first term may have been read up to its first name.
    fn sum(&mut self, first: Option<Name<'a>>) -> Parsed<Vec<Term<'a>>> {
        let mut terms = Vec::new();
        let mut first = first;
        let mut minus = first.is_none() && self.eat(Mark::Minus).is_some();
        loop {
            let name = match first.take() {
                Some(name) => name,
                None => self.name("a counter or a number", SUM)?,
            };
            let is_number = !name.quoted && name.text.bytes().all(|byte| byte.is_ascii_digit());
            terms.push(match is_number {
                true if self.eat(Mark::Star).is_some() => {
                    let counter = Some(self.name("a counter", SUM)?);
                    Term { minus, factor: Some(name), counter }
                }
                true => Term { minus, factor: Some(name), counter: None },
                false => Term { minus, factor: None, counter: Some(name) },
            });
            minus = self.at(Mark::Minus);
            if self.eat(Mark::Minus).is_none() && self.eat(Mark::Plus).is_none() {
                return Ok(terms);
            }
        }
    }

    fn starred(&mut self, what: &str, help: &str) -> Parsed<Starred<'a>> {
        let name = self.name(what, help)?;
        let star = self.eat(Mark::Star).is_some();
        Ok(Starred { name, star })
    }

    fn template(&mut self, label: Name<'a>) -> Parsed<StatementKind<'a>> {
        const HELP: &str = "write `label: A here -> there, channel ! message`";
        if self.at(Mark::LeftAngle) {
            let condition = self.fields()?;
            self.expect(Mark::Arrow, POSITIONAL)?;
            let result = self.fields()?;
            self.end(POSITIONAL)?;
            return Ok(StatementKind::Positional { label, condition, result });
        }
        let mut clauses = Vec::new();
        while !matches!(self.token, Token::End(_)) {
            clauses.push(self.clause()?);
            if self.eat(Mark::Comma).is_none() && !matches!(self.token, Token::End(_)) {
                return self.wrong("`->`, `,` or the end of the line", HELP);
            }
        }
        // There may be very many templates, most of them with one clause.
        clauses.shrink_to_fit();
        Ok(StatementKind::Template { label, clauses })
    }

    fn clause(&mut self) -> Parsed<Clause<'a>> {
        const HELP: &str = "write `A here -> there` for a participant, `c ! message` or `c ? message` \
                            for a channel, `n >= 1`, `n - 1` or `n + 1` for a counter";
        let subject = self.name("a participant, a channel or a counter", HELP)?;
        if let Some((kind, last)) = self.counted(HELP)? {
            let span = subject.span.to(last);
            return Ok(Clause { subject, span, kind });
        }
        if self.eat(Mark::Question).is_some() {
            let message = self.name("a message", HELP)?;
            let span = subject.span.to(message.span);
            return Ok(Clause { subject, span, kind: ClauseKind::Receive(message) });
        }
        let when = if self.at(Mark::Arrow) { None } else { Some(self.states(HELP)?) };
        let becomes = if self.eat(Mark::Arrow).is_some() { Some(self.states(HELP)?) } else { None };
        let last = becomes.as_ref().or(when.as_ref()).map_or(subject.span, |states| states.span);
        let span = subject.span.to(last);
        Ok(Clause { subject, span, kind: ClauseKind::Move { when, becomes } })
    }

    fn states(&mut self, help: &str) -> Parsed<States<'a>> {
        let start = self.token.span();
        let negated = self.eat(Mark::Bang).is_some();
        let mut names = Vec::with_capacity(1);
        let end = if self.eat(Mark::LeftBrace).is_some() {
            loop {
                if let Some(end) = self.eat(Mark::RightBrace) {
                    break end;
                }
                if !names.is_empty() && self.eat(Mark::Comma).is_none() {
                    return self.wrong("`,` or `}`", help);
                }
                names.push(self.name("a state", help)?);
            }
        } else {
            names.push(self.name("a state", help)?);
            names[0].span
        };
        Ok(States { negated, names, span: start.to(end) })
    }

    fn fields(&mut self) -> Parsed<Fields<'a>> {
        let start = self.expect(Mark::LeftAngle, POSITIONAL)?;
        let mut fields = Vec::new();
        loop {
            let blank = self.at(Mark::Comma) || self.at(Mark::RightAngle) || self.eat_word("_");
            fields.push(if blank { None } else { Some(self.states(POSITIONAL)?) });
            if let Some(end) = self.eat(Mark::RightAngle) {
                return Ok(Fields { fields, span: start.to(end) });
            }
            if self.eat(Mark::Comma).is_none() {
                return self.wrong("`,` or `>`", POSITIONAL);
            }
        }
    }

    fn proposition(&mut self) -> Parsed<StatementKind<'a>> {
        const HELP: &str = "write `prop name = A in {here, there} or c empty`";
        let name = self.name("the name of a proposition", HELP)?;
        self.expect(Mark::Equals, HELP)?;
        let formula = self.any()?;
        self.end("join conditions with `and` and `or`")?;
        Ok(StatementKind::Proposition { name, formula })
    }

    fn any(&mut self) -> Parsed<Formula<'a>> {
        let mut parts = vec![self.all()?];
        while self.eat_word("or") {
            self.go_on();
            parts.push(self.all()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::Any(parts) })
    }

    fn all(&mut self) -> Parsed<Formula<'a>> {
        let mut parts = vec![self.unary()?];
        while self.eat_word("and") {
            self.go_on();
            parts.push(self.unary()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::All(parts) })
    }

    fn unary(&mut self) -> Parsed<Formula<'a>> {
        if self.depth > DEEPEST {
            let message = format!("nested more than {DEEPEST} deep");
            let diagnostic = Diagnostic::error(&NET_DEPTH, message).at(self.token.span(), "");
            return Err(Box::new(diagnostic.help("simplify the proposition, or split it")));
        }
        self.depth += 1;
        let formula = if self.eat_word("not") {
            self.go_on();
            Formula::Not(Box::new(self.unary()?))
        } else if self.eat(Mark::LeftParen).is_some() {
            let inner = self.any()?;
            self.expect(Mark::RightParen, "close the parenthesis")?;
            inner
        } else {
            self.atom()?
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn atom(&mut self) -> Parsed<Formula<'a>> {
        const HELP: &str = "write `A in {here, there}`, `c empty`, `c full`, `c contains m`, `c head m` or `n <= 3`";
        for (word, value) in [("true", true), ("false", false)] {
            if self.eat_word(word) {
                return Ok(Formula::Constant(value));
            }
        }
        if self.at(Mark::Minus) {
            return self.compared(None);
        }
        let subject = self.name("a participant, a channel or a sum of counters", HELP)?;
        let is_number = !subject.quoted && subject.text.bytes().all(|byte| byte.is_ascii_digit());
        let is_sum = matches!(
            self.token,
            Token::Mark(
                Mark::AtMost
                    | Mark::LeftAngle
                    | Mark::AtLeast
                    | Mark::RightAngle
                    | Mark::Equals
                    | Mark::Unequal
                    | Mark::Plus
                    | Mark::Minus,
                _
            )
        );
        if is_sum || is_number && self.at(Mark::Star) {
            return self.compared(Some(subject));
        }
        if self.eat_word("in") {
            Ok(Formula::In(subject, self.states(HELP)?))
        } else if self.eat_word("empty") {
            Ok(Formula::Empty(subject))
        } else if self.eat_word("full") {
            Ok(Formula::Full(subject))
        } else if self.eat_word("contains") {
            Ok(Formula::Contains(subject, self.name("a message", HELP)?))
        } else if self.eat_word("head") {
            Ok(Formula::Head(subject, self.name("a message", HELP)?))
        } else {
            self.wrong("`in`, `empty`, `full`, `contains`, `head` or a comparison", HELP)
        }
    }

    fn compared(&mut self, first: Option<Name<'a>>) -> Parsed<Formula<'a>> {
        let left = self.sum(first)?;
        match self.comparison() {
            Some(comparison) => Ok(Formula::Compare(left, comparison, self.sum(None)?)),
            None => self.wrong("`<=`, `<`, `>=`, `>`, `=` or `!=`", SUM),
        }
    }
}

const SUM: &str = "write `a + 2 * b <= 3`: numbers, and counters with a number before them";
const POSITIONAL: &str = "write `label: <0,_,!2> -> <1,_,_>`, one field per participant";

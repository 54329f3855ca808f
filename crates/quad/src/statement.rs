//! Blocks and statements, from tokens to the tree.

use quadrille_diagnostic::Diagnostic;
use quadrille_logic::{Symbol, TokenKind};

use super::codes;
use super::expression::{at, at_word, eat_word, expect, name, unexpected};
use super::parse::{Parser, Read};
use super::tree::{
    Assign, Block, Branch, Content, Expr, ExprKind, Indexing, Name, Statement, StatementKind,
};

impl Parser<'_> {
    /// Statements in braces. What is wrong inside is reported here, and reading goes on.
    pub(super) fn block(&mut self) -> Read<Block> {
        let open = expect(&mut self.cursor, Symbol::OpenBrace, "`{`")?;
        let outer = self.depth;
        self.deeper()?;
        let mut statements = Vec::new();
        while !at(&self.cursor, Symbol::CloseBrace) {
            if self.cursor.peek().kind == TokenKind::End {
                return Err(Diagnostic::error(&codes::SYNTAX, "`}` is missing")
                    .at(open.span, "opened here")
                    .help("close the block"));
            }
            if self.gave_up() {
                return Err(unexpected(&self.cursor, "a text with fewer mistakes"));
            }
            let inner = self.depth;
            let start = self.cursor.position();
            match self.statement() {
                Ok(statement) => {
                    self.depth = inner;
                    if binds(&statement) {
                        self.deeper()?;
                    }
                    statements.push(statement);
                }
                Err(diagnostic) => {
                    self.report(diagnostic);
                    self.depth = inner;
                    self.skip_statement();
                    if self.cursor.position() == start {
                        self.cursor.bump();
                    }
                }
            }
        }
        self.depth = outer;
        let close = self.cursor.bump();
        Ok(Block { statements, span: open.span.to(close.span) })
    }

    fn branch(&mut self) -> Read<Branch> {
        let when = if eat_word(&mut self.cursor, "when") { Some(self.expression()?) } else { None };
        Ok(Branch { when, body: self.block()? })
    }

    fn statement(&mut self) -> Read<Statement> {
        let first = self.cursor.peek().span;
        let kind = match self.cursor.word() {
            Some("either") => self.either()?,
            Some("par") => self.par()?,
            Some("loop") => {
                self.cursor.bump();
                StatementKind::Loop(self.branch()?)
            }
            Some("opt") => {
                self.cursor.bump();
                StatementKind::Opt(self.branch()?)
            }
            Some("repeat") => {
                self.cursor.bump();
                if !eat_word(&mut self.cursor, "forever") {
                    return Err(unexpected(&self.cursor, "`forever`")
                        .help("`loop { … }` repeats any number of times"));
                }
                StatementKind::Forever(self.block()?)
            }
            Some("when") => {
                self.cursor.bump();
                StatementKind::When(self.expression()?, self.block()?)
            }
            Some("for") => {
                self.cursor.bump();
                self.indexed(Indexing::For)?
            }
            Some("choose") => {
                self.cursor.bump();
                self.indexed(Indexing::Choose)?
            }
            Some("if") => self.conditional()?,
            Some("let") => self.binding()?,
            Some("state") if self.begins_state() => self.state()?,
            _ => self.action()?,
        };
        Ok(Statement { kind, span: first.to(self.cursor.previous().span) })
    }

    fn either(&mut self) -> Read<StatementKind> {
        self.cursor.bump();
        let mut branches = vec![self.branch()?];
        while eat_word(&mut self.cursor, "or") {
            branches.push(self.branch()?);
        }
        if branches.len() < 2 {
            return Err(unexpected(&self.cursor, "`or` and another branch").help(
                "a choice has two branches or more; for one that may be left out, write `opt`",
            ));
        }
        Ok(StatementKind::Either(branches))
    }

    fn par(&mut self) -> Read<StatementKind> {
        self.cursor.bump();
        if eat_word(&mut self.cursor, "for") {
            return self.indexed(Indexing::Par);
        }
        let mut parts = vec![self.block()?];
        while eat_word(&mut self.cursor, "and") {
            parts.push(self.block()?);
        }
        if parts.len() < 2 {
            return Err(unexpected(&self.cursor, "`and` and another part"));
        }
        Ok(StatementKind::Par(parts))
    }

    fn indexed(&mut self, indexing: Indexing) -> Read<StatementKind> {
        let mut bindings = Vec::new();
        loop {
            let name = name(&mut self.cursor, "the name of an index")?;
            if !eat_word(&mut self.cursor, "in") {
                return Err(unexpected(&self.cursor, "`in` and a set, such as `0..k`"));
            }
            bindings.push((name, self.expression()?));
            self.deeper()?;
            if !self.cursor.eat(Symbol::Comma) {
                break;
            }
        }
        let filter =
            if eat_word(&mut self.cursor, "where") { Some(self.expression()?) } else { None };
        let branch = self.branch()?;
        if let (Some(when), Indexing::For | Indexing::Par) = (&branch.when, indexing) {
            return Err(Diagnostic::error(&codes::SYNTAX, "only choices are guarded by `when`")
                .at(when.span, "a guard")
                .help("leave instances out with `where`, or guard a block with `when` inside"));
        }
        Ok(StatementKind::Indexed { indexing, bindings, filter, branch })
    }

    fn conditional(&mut self) -> Read<StatementKind> {
        self.cursor.bump();
        let condition = self.expression()?;
        let then = self.block()?;
        if !eat_word(&mut self.cursor, "else") {
            return Ok(StatementKind::If(condition, then, None));
        }
        if !at_word(&self.cursor, "if") {
            return Ok(StatementKind::If(condition, then, Some(self.block()?)));
        }
        self.deeper()?;
        let first = self.cursor.peek().span;
        let kind = self.conditional()?;
        let span = first.to(self.cursor.previous().span);
        let other = Block { statements: vec![Statement { kind, span }], span };
        Ok(StatementKind::If(condition, then, Some(other)))
    }

    fn binding(&mut self) -> Read<StatementKind> {
        self.cursor.bump();
        let name = name(&mut self.cursor, "a name for the value")?;
        expect(&mut self.cursor, Symbol::Equal, "`=` and a value")?;
        let value = self.expression()?;
        self.semicolon("an operator or ")?;
        Ok(StatementKind::Let(name, value))
    }

    /// Whether `state` is the word of the language here, not the name of a message, a role or a protocol.
    fn begins_state(&self) -> bool {
        self.cursor.nth_word(1).is_some_and(|word| !["from", "closes", "does"].contains(&word))
    }

    fn state(&mut self) -> Read<StatementKind> {
        self.cursor.bump();
        let label = name(&mut self.cursor, "a name for the state")?;
        if !eat_word(&mut self.cursor, "of") {
            return Err(unexpected(&self.cursor, "`of` and the role whose state it is")
                .help(format!("write `state {} of role;`", label.text)));
        }
        let mut of = vec![self.role()?];
        while self.cursor.eat(Symbol::Comma) {
            of.push(self.role()?);
        }
        self.semicolon("`,` or ")?;
        Ok(StatementKind::State(label, of))
    }

    /// A message, a close, an event or a call.
    fn action(&mut self) -> Read<StatementKind> {
        let first = name(&mut self.cursor, "a statement")
            .map_err(|diagnostic| diagnostic.help("a block is made of messages such as `Move from White to Black;`, and of `either`, `par`, `loop`, `opt`, `repeat`, `for`, `choose`, `if`, `when`, `let`"))?;
        let next_is_bracket = at(&self.cursor, Symbol::OpenBracket);
        if next_is_bracket || at_word(&self.cursor, "closes") || at_word(&self.cursor, "does") {
            return self.by_role(first);
        }
        let mut content = None;
        if self.cursor.eat(Symbol::Open) {
            content = Some(self.content()?);
        }
        if !eat_word(&mut self.cursor, "from") {
            let Some(content) = content else {
                return Err(unexpected(&self.cursor, "`from`, `(`, `closes` or `does`").help(
                    "write `Message from sender to receiver;`, `protocol(…);`, `role closes role;` or `role does Event;`",
                ));
            };
            return self.call(first, content);
        }
        let from = self.role()?;
        if !eat_word(&mut self.cursor, "to") {
            return Err(unexpected(&self.cursor, "`to` and a receiver"));
        }
        let mut to = vec![self.role()?];
        while self.cursor.eat(Symbol::Comma) {
            to.push(self.role()?);
        }
        let sync = eat_word(&mut self.cursor, "sync");
        let with = self.assignments()?;
        self.semicolon(if with.is_empty() { "`,`, `sync`, `with` or " } else { "`,` or " })?;
        let content = content.unwrap_or_default();
        Ok(StatementKind::Message { message: first, content, from, to, sync, with })
    }

    fn by_role(&mut self, first: Name) -> Read<StatementKind> {
        let mut role = Expr { kind: ExprKind::Name(first.text, Vec::new()), span: first.span };
        while self.cursor.eat(Symbol::OpenBracket) {
            let index = self.expression()?;
            let close = expect(&mut self.cursor, Symbol::CloseBracket, "an operator or `]`")?;
            role.span = role.span.to(close.span);
            if let ExprKind::Name(_, indices) = &mut role.kind {
                indices.push(index);
            }
        }
        if eat_word(&mut self.cursor, "closes") {
            let to = self.role()?;
            self.semicolon("")?;
            return Ok(StatementKind::Close { from: role, to });
        }
        if !eat_word(&mut self.cursor, "does") {
            return Err(unexpected(&self.cursor, "`closes` or `does`")
                .help("a message is written `Message from sender to receiver;`"));
        }
        let event = name(&mut self.cursor, "the name of an event")?;
        let with = self.assignments()?;
        self.semicolon(if with.is_empty() { "`with` or " } else { "`,` or " })?;
        Ok(StatementKind::Does { by: role, event, with })
    }

    fn call(&mut self, protocol: Name, content: Vec<Content>) -> Read<StatementKind> {
        self.semicolon("`from` or ")?;
        let mut arguments = Vec::new();
        for argument in content {
            match argument {
                Content::Value(value) => arguments.push(value),
                Content::Any(_, span) => {
                    return Err(Diagnostic::error(&codes::SYNTAX, "`any` is for messages")
                        .at(span, "no value")
                        .help("choose a value first: `choose v in … { … }`"));
                }
            }
        }
        Ok(StatementKind::Call(protocol, arguments))
    }

    /// What a message carries, up to and including `)`.
    fn content(&mut self) -> Read<Vec<Content>> {
        let mut content = Vec::new();
        while !self.cursor.eat(Symbol::Close) {
            let first = self.cursor.peek().span;
            if eat_word(&mut self.cursor, "any") {
                let named = !at(&self.cursor, Symbol::Comma) && !at(&self.cursor, Symbol::Close);
                let bound =
                    if named { Some(name(&mut self.cursor, "a name, `,` or `)`")?) } else { None };
                content.push(Content::Any(bound, first));
            } else {
                content.push(Content::Value(self.expression()?));
            }
            if !self.cursor.eat(Symbol::Comma) && !at(&self.cursor, Symbol::Close) {
                return Err(unexpected(&self.cursor, "an operator, `,` or `)`"));
            }
        }
        Ok(content)
    }

    fn assignments(&mut self) -> Read<Vec<Assign>> {
        let mut assignments = Vec::new();
        if !eat_word(&mut self.cursor, "with") {
            return Ok(assignments);
        }
        loop {
            let target = self.role()?;
            expect(&mut self.cursor, Symbol::Colon, "`:=` and a value")?;
            expect(&mut self.cursor, Symbol::Equal, "`:=` and a value")?;
            assignments.push(Assign { target, value: self.expression()? });
            if !self.cursor.eat(Symbol::Comma) {
                return Ok(assignments);
            }
        }
    }
}

/// Whether a statement names something for the rest of its block.
fn binds(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Let(..) => true,
        StatementKind::Message { content, .. } => {
            content.iter().any(|content| matches!(content, Content::Any(Some(_), _)))
        }
        _ => false,
    }
}

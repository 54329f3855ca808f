//! The grammar of paragraphs: signatures, events, facts, predicates, commands with their scopes.

use super::parser::{Lost, Parsed, Parser};
use super::tree::{
    Callable, Command, CommandKind, Decl, Event, Expr, ExprKind, Fair, Module, Mult, Paragraph,
    Parent, Scope, ScopeItem, Sig,
};

impl Parser {
    /// A whole text.
    pub(super) fn module(&mut self) -> Module {
        let mut module = Module::default();
        while !self.is_end() {
            match self.paragraph() {
                Ok(paragraph) => module.paragraphs.push(paragraph),
                Err(Lost) => {
                    self.next();
                    self.recover();
                }
            }
        }
        module
    }

    fn paragraph(&mut self) -> Parsed<Paragraph> {
        self.word("private");
        let start = self.span();
        let Some(word) = self.word_ahead(0).map(str::to_owned) else {
            return Err(self.refuse("a signature, an event, a predicate, or a command"));
        };
        match word.as_str() {
            "module" => {
                self.next();
                let name = self.name("the name of the module")?;
                if self.symbol("[") {
                    self.names("a parameter")?;
                    self.expect("]", "behind the parameters")?;
                }
                Ok(Paragraph::Module(name))
            }
            "open" => self.open(),
            "enum" => {
                self.next();
                let name = self.name("the name of the enumeration")?;
                self.expect("{", "before the literals")?;
                let literals = self.names("a literal")?;
                self.expect("}", "behind the literals")?;
                Ok(Paragraph::Enum { name, literals })
            }
            "fact" => self.fact(false),
            "assume" | "check" if self.word_ahead(1) == Some("fact") => {
                self.next();
                self.fact(word == "check")
            }
            "overflow" => {
                self.next();
                if self.word("wraps") {
                    return Ok(Paragraph::Wraps);
                }
                Err(self.refuse("`wraps`: without this line, overflow is an error"))
            }
            "pred" => Ok(Paragraph::Pred(self.callable(false)?)),
            "fun" => Ok(Paragraph::Fun(self.callable(true)?)),
            "assert" | "invariant" => {
                self.next();
                let name = self.name("a name")?;
                let is_invariant = word == "invariant";
                Ok(Paragraph::Assert { name, body: self.block()?, is_invariant })
            }
            "event" | "fair" | "strong" => Ok(Paragraph::Event(self.event()?)),
            "init" => {
                self.next();
                let body = self.block()?;
                let scope = self.scope()?;
                Ok(Paragraph::Init { body, scope, span: start })
            }
            "end" => {
                self.next();
                Ok(Paragraph::End { body: self.block()? })
            }
            "run" | "check" => Ok(Paragraph::Command(self.command()?)),
            _ => Ok(Paragraph::Sig(self.sig()?)),
        }
    }

    fn fact(&mut self, is_checked: bool) -> Parsed<Paragraph> {
        self.next();
        let name = if self.is_name(0) { Some(self.name("a name")?) } else { None };
        Ok(Paragraph::Fact { name, body: self.block()?, is_checked })
    }

    fn open(&mut self) -> Parsed<Paragraph> {
        self.next();
        let path = self.name("the path of a module")?;
        let mut arguments = Vec::new();
        if self.symbol("[") {
            arguments = self.names("a signature")?;
            self.expect("]", "behind the arguments")?;
        }
        let alias = if self.word("as") { Some(self.name("a name")?) } else { None };
        Ok(Paragraph::Open { path, arguments, alias })
    }

    fn sig(&mut self) -> Parsed<Sig> {
        let (mut is_var, mut is_abstract, mut mult) = (false, false, None);
        loop {
            match self.word_ahead(0) {
                Some("var") => is_var = true,
                Some("abstract") => is_abstract = true,
                Some("one") => mult = Some(Mult::One),
                Some("lone") => mult = Some(Mult::Lone),
                Some("some") => mult = Some(Mult::Some),
                Some("private") => {}
                Some("sig") => break,
                _ => return Err(self.refuse("a signature, an event, a predicate, or a command")),
            }
            self.next();
        }
        self.next();
        let names = self.names("the name of a signature")?;
        let parent = if self.word("extends") {
            Some(Parent::Extends(self.name("a signature")?))
        } else if self.word("in") {
            let mut of = vec![self.name("a signature")?];
            while self.symbol("+") {
                of.push(self.name("a signature")?);
            }
            Some(Parent::In(of))
        } else {
            None
        };
        self.expect("{", "before the fields")?;
        let mut fields = Vec::new();
        while self.symbol_ahead(0) != Some("}") {
            fields.push(self.decl()?);
            if !self.symbol(",") {
                break;
            }
        }
        self.expect("}", "behind the fields")?;
        let fact = if self.symbol_ahead(0) == Some("{") { Some(self.block()?) } else { None };
        Ok(Sig { names, is_var, is_abstract, mult, parent, fields, fact })
    }

    /// `var disj a, b : e`.
    pub(super) fn decl(&mut self) -> Parsed<Decl> {
        self.word("private");
        let is_var = self.word("var");
        let disj = self.word("disj");
        let names = self.names("a name")?;
        self.expect(":", "and what it is in")?;
        self.word("disj");
        let bound = self.bound()?;
        Ok(Decl { is_var, disj, names, bound })
    }

    fn parameters(&mut self) -> Parsed<Vec<Decl>> {
        let mut parameters = Vec::new();
        let close = match self.symbol_ahead(0) {
            Some("[") => "]",
            Some("(") => ")",
            _ => return Ok(parameters),
        };
        self.next();
        while self.symbol_ahead(0) != Some(close) {
            parameters.push(self.decl()?);
            if !self.symbol(",") {
                break;
            }
        }
        self.expect(close, "behind the parameters")?;
        Ok(parameters)
    }

    fn callable(&mut self, is_function: bool) -> Parsed<Callable> {
        self.next();
        let mut name = self.name("a name")?;
        let mut receiver = None;
        if self.symbol(".") {
            receiver = Some(std::mem::replace(&mut name, self.name("a name")?));
        }
        let parameters = self.parameters()?;
        let mut result = None;
        if is_function {
            self.expect(":", "and what the result is in")?;
            result = Some(self.bound()?);
        }
        let body = self.block()?;
        Ok(Callable { name, receiver, parameters, result, body })
    }

    fn event(&mut self) -> Parsed<Event> {
        let fairness = match self.word_ahead(0) {
            Some("strong") => Some(Fair::Strong),
            Some("fair") => Some(Fair::Weak),
            _ => None,
        };
        self.word("strong");
        self.word("fair");
        if !self.word("event") {
            return Err(self.refuse("`event`"));
        }
        let name = self.name("the name of the event")?;
        let parameters = self.parameters()?;
        let body = self.block()?;
        Ok(Event { name, parameters, body, fairness })
    }

    fn command(&mut self) -> Parsed<Command> {
        let start = self.span();
        let kind = if self.word("run") { CommandKind::Run } else { CommandKind::Check };
        if kind == CommandKind::Check {
            self.next();
        }
        let is_about_deadlock =
            kind == CommandKind::Check && self.word_ahead(1) == Some("deadlock") && self.word("no");
        let (mut name, mut body) = (None, None);
        if is_about_deadlock {
            self.next();
        } else {
            if self.is_name(0) {
                name = Some(self.name("a name")?);
            }
            if self.symbol_ahead(0) == Some("{") {
                body = Some(self.block()?);
            }
            if name.is_none() && body.is_none() {
                return Err(self.refuse("the name of an assertion, or a formula in braces"));
            }
        }
        let scope = self.scope()?;
        let mut expect = None;
        if self.word("expect") {
            expect = match self.number_ahead(0) {
                Some(number @ (0 | 1)) => Some(number == 1),
                _ => return Err(self.refuse("0 or 1")),
            };
            self.next();
        }
        Ok(Command { kind, name, body, scope, expect, span: self.since(start) })
    }

    /// `for 3 but exactly 2 Client, 1..4 Int`.
    fn scope(&mut self) -> Parsed<Option<Scope>> {
        let start = self.span();
        if !self.word("for") {
            return Ok(None);
        }
        let (mut overall, mut items) = (None, Vec::new());
        let is_overall = self.number_ahead(0).is_some()
            && !self.is_name(1)
            && self.word_ahead(1) != Some("seq")
            && self.symbol_ahead(1) != Some("..");
        if is_overall {
            overall = self.number_ahead(0);
            self.next();
            if !self.word("but") {
                return Ok(Some(Scope { overall, items, span: self.since(start) }));
            }
        }
        loop {
            self.word("exactly");
            let low = self.signed()?;
            let high = if self.symbol("..") { Some(self.signed()?) } else { None };
            let span = self.span();
            let sig = match self.word_ahead(0).map(str::to_owned) {
                Some(text) if text == "seq" => {
                    self.next();
                    super::tree::Name { text, span }
                }
                _ => self.name("a signature")?,
            };
            items.push(ScopeItem { low, high, sig });
            if !self.symbol(",") {
                break;
            }
        }
        Ok(Some(Scope { overall, items, span: self.since(start) }))
    }

    fn signed(&mut self) -> Parsed<i64> {
        let is_negative = self.symbol("-");
        let Some(number) = self.number_ahead(0) else {
            return Err(self.refuse("a number"));
        };
        self.next();
        Ok(if is_negative { -number } else { number })
    }

    /// `{ F G }`.
    pub(super) fn block(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.expect("{", "before the formulas")?;
        let mut formulas = Vec::new();
        while self.symbol_ahead(0) != Some("}") {
            if self.is_end() {
                return Err(self.refuse("`}` behind the formulas"));
            }
            formulas.push(self.expr()?);
        }
        self.next();
        Ok(Expr { kind: ExprKind::Block(formulas), span: self.since(start) })
    }
}

//! The grammar of paragraphs.

use quadrille_diagnostic::{Diagnostic, Span};

use super::expressions::as_multiplicity;
use super::parser::{Parsed, Parser};
use super::tree::{
    Command, Decl, Expr, Function, Header, Kind, Macro, Module, Mult, Name, Open, Parent, Scope,
    Sig, SigScope, Subject,
};
use crate::codes::{SCOPE, SYNTAX};

impl Parser {
    /// A whole text.
    pub(super) fn module(mut self) -> Parsed<Module> {
        let mut module = Module::default();
        let mut is_begun = false;
        while !self.is_end() {
            let start = self.span();
            let is_private = self.sees("private");
            let ahead = usize::from(is_private);
            match self.symbol_ahead(ahead) {
                "module" if !is_begun && module.header.is_none() && module.opens.is_empty() => {
                    module.header = Some(self.header()?);
                    continue;
                }
                "module" => {
                    let message = "`module` is not at the top of the file";
                    let help = "move it to the first line, or remove it";
                    return Err(Diagnostic::error(&SYNTAX, message).at(start, "").help(help));
                }
                "open" if !is_begun => {
                    let open = self.open()?;
                    module.opens.push(open);
                    continue;
                }
                "open" => {
                    let message = "`open` stands behind other paragraphs";
                    let help = "move it to the top, behind `module`";
                    return Err(Diagnostic::error(&SYNTAX, message).at(start, "").help(help));
                }
                _ => is_begun = true,
            }
            self.paragraph(&mut module)?;
        }
        if let Some(span) = self.has_seq {
            module.opens.push(implicit("util/sequniv", Vec::new(), Some("seq"), span));
        }
        Ok(module)
    }

    fn paragraph(&mut self, module: &mut Module) -> Parsed<()> {
        match self.symbol_ahead(0) {
            "fact" => {
                self.next();
                let name = self.label()?;
                let body = self.block()?;
                module.facts.push((name, body));
            }
            "assert" => {
                let span = self.span();
                self.next();
                let number = module.asserts.len() + 1;
                let text = self.label()?.unwrap_or(format!("assert${number}"));
                let body = self.block()?;
                module.asserts.push((Name { text, span: self.since(span) }, body));
            }
            "run" | "check" => self.command(module)?,
            _ => {
                let mark = self.mark();
                let is_private = self.takes("private");
                match self.symbol_ahead(0) {
                    "enum" => self.enumeration(module, is_private)?,
                    "fun" | "pred" => {
                        let function = self.function(is_private)?;
                        module.functions.push(function);
                    }
                    "let" => {
                        let found = self.macro_(is_private)?;
                        module.macros.push(found);
                    }
                    _ => {
                        self.back(mark);
                        self.sigs(module)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn label(&mut self) -> Parsed<Option<String>> {
        if let Some(text) = self.text_ahead() {
            self.next();
            return Ok(Some(text.trim_matches('"').to_owned()));
        }
        if self.is_name() { Ok(Some(self.new_name("a name")?.text)) } else { Ok(None) }
    }

    fn header(&mut self) -> Parsed<Header> {
        self.next();
        let name = self.new_name("the name of the module")?;
        let mut parameters = Vec::new();
        if self.takes("[") {
            loop {
                let is_exact = self.takes("exactly");
                parameters.push((self.new_name("a parameter")?, is_exact));
                if !self.takes(",") {
                    break;
                }
            }
            self.expect("]", "behind the parameters")?;
        }
        Ok(Header { name, parameters })
    }

    fn open(&mut self) -> Parsed<Open> {
        let is_private = self.takes("private");
        self.next();
        let path = self.new_name("the path of a module")?;
        let mut arguments = Vec::new();
        if self.takes("[") && !self.takes("]") {
            loop {
                arguments.push(self.sig_ref()?);
                if !self.takes(",") {
                    break;
                }
            }
            self.expect("]", "behind the arguments")?;
        }
        let alias = if self.takes("as") { Some(self.new_name("a name")?) } else { None };
        Ok(Open { path, arguments, alias, is_private })
    }

    fn enumeration(&mut self, module: &mut Module, is_private: bool) -> Parsed<()> {
        let start = self.span();
        self.next();
        let name = self.new_name("the name of the enumeration")?;
        self.expect("{", "before the literals")?;
        if self.sees("}") {
            let message = format!("`enum {}` has no literals", name.text);
            let help = "name at least one";
            return Err(Diagnostic::error(&SYNTAX, message).at(self.since(start), "").help(help));
        }
        let literals = self.new_names("a literal")?;
        self.expect("}", "behind the literals")?;
        let this = Name { text: format!("this/{}", name.text), span: name.span };
        let plain = |name: Name, parent: Parent| Sig {
            name,
            is_abstract: false,
            is_var: false,
            is_private,
            is_enum: false,
            mult: None,
            parent,
            fields: Vec::new(),
            fact: None,
        };
        let whole = plain(name.clone(), Parent::None);
        module.sigs.push(Sig { is_abstract: true, is_enum: true, ..whole });
        for literal in literals {
            let sig = plain(literal, Parent::Extends(this.clone()));
            module.sigs.push(Sig { mult: Some(Mult::One), ..sig });
        }
        let span = name.span;
        module.opens.push(implicit("util/ordering", vec![this], None, span));
        Ok(())
    }

    fn sigs(&mut self, module: &mut Module) -> Parsed<()> {
        let (mut seen, mut mult) = (Vec::new(), None);
        while !self.sees("sig") {
            let word = self.symbol_ahead(0);
            if !matches!(word, "abstract" | "var" | "private" | "one" | "lone" | "some") {
                return Err(self.refuse("a paragraph (`sig`, `fact`, `pred`, `fun`, `run`, …)"));
            }
            let message = match word {
                _ if seen.contains(&word) => "a qualifier is repeated",
                "one" | "lone" | "some" if mult.is_some() => "a signature has two multiplicities",
                _ => "",
            };
            if !message.is_empty() {
                let diagnostic = Diagnostic::error(&SYNTAX, message).at(self.span(), "");
                return Err(diagnostic.help("remove it"));
            }
            seen.push(word);
            match word {
                "one" => mult = Some(Mult::One),
                "lone" => mult = Some(Mult::Lone),
                "some" => mult = Some(Mult::Some),
                _ => {}
            }
            self.next();
        }
        self.next();
        let names = self.new_names("the name of a signature")?;
        let parent = self.parent()?;
        self.expect("{", "before the fields")?;
        let fields = self.fields()?;
        self.expect("}", "behind the fields")?;
        let fact = if self.sees("{") { Some(self.block()?) } else { None };
        for name in names {
            module.sigs.push(Sig {
                name,
                is_abstract: seen.contains(&"abstract"),
                is_var: seen.contains(&"var"),
                is_private: seen.contains(&"private"),
                is_enum: false,
                mult,
                parent: parent.clone(),
                fields: fields.clone(),
                fact: fact.clone(),
            });
        }
        Ok(())
    }

    fn parent(&mut self) -> Parsed<Parent> {
        if self.takes("extends") {
            return Ok(Parent::Extends(self.sig_ref()?));
        }
        let is_exact = self.sees("=");
        if !self.takes("in") && !self.takes("=") {
            return Ok(Parent::None);
        }
        let mut parents = vec![self.sig_ref()?];
        while self.takes("+") {
            parents.push(self.sig_ref()?);
        }
        Ok(if is_exact { Parent::Equals(parents) } else { Parent::In(parents) })
    }

    /// Fields or parameters between commas, of which some may be left over.
    fn fields(&mut self) -> Parsed<Vec<Decl>> {
        let mut fields = Vec::new();
        loop {
            while self.takes(",") {}
            if matches!(self.symbol_ahead(0), "}" | "]" | ")") {
                return Ok(fields);
            }
            fields.push(self.decl(true)?);
            if !self.sees(",") {
                return Ok(fields);
            }
        }
    }

    fn function(&mut self, is_private: bool) -> Parsed<Function> {
        let is_fun = self.sees("fun");
        self.next();
        let start = self.span();
        let first = self.sig_ref()?;
        let (receiver, name) = match self.takes(".") {
            true => (Some(first), self.new_name("the name behind the receiver")?),
            false => (None, first),
        };
        if name.text.contains('/') || name.text.contains('$') {
            let message = format!("`{}` cannot be the name of a predicate or function", name.text);
            let help = "leave out `/` and `$`";
            return Err(Diagnostic::error(&SYNTAX, message).at(name.span, "").help(help));
        }
        let mut parameters = Vec::new();
        if let Some(receiver) = receiver {
            let span = receiver.span;
            parameters.push(Decl {
                is_private: false,
                is_var: false,
                disj: false,
                disj_range: false,
                is_defined: false,
                names: vec![Name { text: "this".to_owned(), span }],
                bound: Expr { kind: Kind::Name(receiver.text), span },
            });
        }
        for (open, close) in [("[", "]"), ("(", ")")] {
            if self.takes(open) {
                parameters.extend(self.fields()?);
                self.expect(close, "behind the parameters")?;
                break;
            }
        }
        let result = match is_fun {
            true => {
                self.expect(":", "and what the result is in")?;
                Some(as_multiplicity(self.expr()?))
            }
            false => None,
        };
        let body = match self.sees("{") {
            true => self.block()?,
            false => return Err(self.refuse("`{` before the body")),
        };
        let name = Name { span: self.since(start).to(name.span), ..name };
        Ok(Function { name, is_private, parameters, result, body })
    }

    fn macro_(&mut self, is_private: bool) -> Parsed<Macro> {
        self.next();
        let name = self.new_name("the name of a macro")?;
        let mut parameters = Vec::new();
        for (open, close) in [("[", "]"), ("(", ")")] {
            if self.takes(open) {
                if !self.sees(close) {
                    parameters = self.new_names("a parameter")?;
                }
                self.expect(close, "behind the parameters")?;
                break;
            }
        }
        let body = if self.takes("=") { self.expr()? } else { self.block()? };
        Ok(Macro { name, is_private, parameters, body })
    }

    fn command(&mut self, module: &mut Module) -> Parsed<()> {
        let start = self.span();
        let is_check = self.sees("check");
        self.next();
        let (mut label, subject);
        if self.sees("{") {
            label = None;
            subject = Subject::Block(self.block()?);
        } else {
            let first = self.new_name("a predicate, an assertion or a block")?;
            if self.sees("{") {
                label = Some(first);
                subject = Subject::Block(self.block()?);
            } else if self.is_name() {
                label = Some(first);
                subject = Subject::Named(self.new_name("a predicate or an assertion")?);
            } else {
                label = None;
                subject = Subject::Named(first);
            }
        }
        let (begin, has_scope) = (self.span(), self.sees("for"));
        let scope = self.scope()?;
        let scope_span = has_scope.then(|| self.since(begin));
        let expect = if self.takes("expect") { Some(self.number("0 or 1")?) } else { None };
        if let (None, Subject::Block(_)) = (&label, &subject) {
            let word = if is_check { "check" } else { "run" };
            let text = format!("{word}${}", module.commands.len() + 1);
            label = Some(Name { text, span: start });
        }
        let span = self.since(start);
        module.commands.push(Command { is_check, label, subject, scope, scope_span, expect, span });
        if self.sees("=>") {
            let message = "commands that follow each other by `=>` are not supported";
            let help = "write the commands one below the other";
            return Err(Diagnostic::error(&SYNTAX, message).at(self.span(), "").help(help));
        }
        Ok(())
    }

    fn scope(&mut self) -> Parsed<Scope> {
        let mut scope = Scope::default();
        if !self.takes("for") {
            return Ok(scope);
        }
        let is_overall = self.number_ahead().is_some() && {
            let mark = self.mark();
            self.next();
            let next = self.symbol_ahead(0);
            let is_item = self.is_name()
                || matches!(next, "." | ":" | "Int" | "int" | "seq" | "String" | "steps")
                || matches!(next, "univ" | "none");
            self.back(mark);
            !is_item
        };
        if is_overall {
            scope.overall = Some(self.number("a number")?);
            if !self.takes("but") {
                return Ok(scope);
            }
        }
        loop {
            self.scope_item(&mut scope)?;
            if !self.takes(",") {
                return Ok(scope);
            }
        }
    }

    fn scope_item(&mut self, scope: &mut Scope) -> Parsed<()> {
        let span = self.span();
        let exactly = self.takes("exactly");
        let start = self.number("the number of atoms")?;
        let (mut end, mut increment, mut is_range) = (Some(start), 1, false);
        if self.sees(".") && self.symbol_ahead(1) == "." {
            self.next();
            self.next();
            is_range = true;
            end = self.number_ahead();
            if end.is_some() {
                self.next();
            }
        }
        if self.takes(":") {
            end = if is_range { end } else { None };
            increment = self.number("by how much the scope grows")?;
            is_range = true;
        }
        let is_exact = exactly || (is_range && end == Some(start));
        let what = self.symbol_ahead(0);
        let refuse = |parser: &Self, message: &str, help: &str| {
            let place = parser.since(span);
            Err(Diagnostic::error(&SCOPE, message).at(place, "").help(help))
        };
        match what {
            "Int" | "int" | "seq" => {
                self.next();
                if is_range || exactly {
                    return refuse(self, "this scope is one number", "write `4 Int` or `4 seq`");
                }
                let place = if what == "seq" { &mut scope.seq } else { &mut scope.bitwidth };
                if place.replace(start).is_some() {
                    return refuse(self, "this scope is given twice", "remove one of them");
                }
            }
            "steps" => {
                self.next();
                let message = match () {
                    () if start < 1 => "a trace has at least one step",
                    () if end.is_none() && start != 1 => "steps without bound begin at 1",
                    () if increment != 1 => "steps grow by one",
                    () if scope.steps.is_some() => "steps are given twice",
                    () => "",
                };
                if !message.is_empty() {
                    return refuse(self, message, "write `10 steps` or `1..10 steps`");
                }
                let least = if is_exact || is_range { start } else { 1 };
                scope.steps = Some((least, end));
            }
            "univ" | "none" => {
                return refuse(self, &format!("`{what}` has no scope"), "name a signature");
            }
            _ => {
                let sig = match what {
                    "String" => self.sig_ref()?,
                    _ => self.new_name("a signature behind the number of its atoms")?,
                };
                let end = end.unwrap_or(i64::from(i32::MAX));
                scope.sigs.push(SigScope { sig, is_exact, start, end, increment });
            }
        }
        Ok(())
    }
}

/// What is opened without being written.
fn implicit(path: &str, arguments: Vec<Name>, alias: Option<&str>, span: Span) -> Open {
    let name = |text: &str| Name { text: text.to_owned(), span };
    Open { path: name(path), arguments, alias: alias.map(name), is_private: false }
}

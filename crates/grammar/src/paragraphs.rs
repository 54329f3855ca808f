//! The grammar of paragraphs.

use quadrille_diagnostic::{Diagnostic, Span};

use crate::binders::as_multiplicity;
use crate::parser::{Parsed, Parser};
use crate::tree::{
    Command, Decl, Expr, Function, Header, Kind, Macro, Module, Mult, Name, Open, Parent, Sig,
    Subject,
};

impl Parser {
    /// A whole text, as far as it can be read, with all mistakes.
    pub(super) fn module(mut self) -> (Module, Vec<Diagnostic>) {
        let (mut module, mut mistakes) = (Module::default(), Vec::new());
        let mut is_begun = false;
        while !self.is_end() {
            let begun = self.mark();
            let read = match self.head(&mut module, is_begun) {
                Ok(false) => {
                    is_begun = true;
                    self.paragraph(&mut module)
                }
                Ok(true) => Ok(()),
                Err(mistake) => Err(mistake),
            };
            if let Err(mistake) = read {
                mistakes.push(mistake);
                self.recover(begun);
            }
        }
        if let Some(span) = self.has_seq.filter(|_| !self.dialect.has_events) {
            module.opens.push(implicit("util/sequniv", Vec::new(), Some("seq"), span));
        }
        (module, mistakes)
    }

    /// What stands before all else: whether there was some.
    fn head(&mut self, module: &mut Module, is_begun: bool) -> Parsed<bool> {
        let start = self.span();
        let is_late = is_begun && !self.dialect.has_events;
        match self.symbol_ahead(usize::from(self.sees("private"))) {
            "module" if !is_late && module.header.is_none() && module.opens.is_empty() => {
                module.header = Some(self.header()?);
            }
            "module" => {
                let help = "move it to the first line, or remove it";
                let mistake = self.mistake("`module` is not at the top of the file");
                return Err(mistake.at(start, "").help(help));
            }
            "open" if !is_late => {
                let open = self.open()?;
                module.opens.push(open);
            }
            "open" => {
                let help = "move it to the top, behind `module`";
                let mistake = self.mistake("`open` stands behind other paragraphs");
                return Err(mistake.at(start, "").help(help));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn paragraph(&mut self, module: &mut Module) -> Parsed<()> {
        if self.dialect.has_events && self.design(&mut module.behaviour)? {
            return Ok(());
        }
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
            return Err(self.mistake(message).at(self.since(start), "").help(help));
        }
        let literals = self.new_names("a literal")?;
        self.expect("}", "behind the literals")?;
        let path = if self.dialect.has_events { "" } else { "this/" };
        let this = Name { text: format!("{path}{}", name.text), span: name.span };
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
        if !self.dialect.has_events {
            module.opens.push(implicit("util/ordering", vec![this], None, name.span));
        }
        Ok(())
    }

    fn sigs(&mut self, module: &mut Module) -> Parsed<()> {
        let (mut seen, mut mult) = (Vec::new(), None);
        while !self.sees("sig") {
            let word = self.symbol_ahead(0);
            if !matches!(word, "abstract" | "var" | "private" | "one" | "lone" | "some") {
                return Err(self.refuse(match self.dialect.has_events {
                    true => "a signature, an event, a predicate, or a command",
                    false => "a paragraph (`sig`, `fact`, `pred`, `fun`, `run`, …)",
                }));
            }
            let message = match word {
                _ if seen.contains(&word) => "a qualifier is repeated",
                "one" | "lone" | "some" if mult.is_some() => "a signature has two multiplicities",
                _ => "",
            };
            if !message.is_empty() {
                return Err(self.mistake(message).at(self.span(), "").help("remove it"));
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
        let names = self.sig_names()?;
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

    /// `sig Int {}` of a design says that numbers begin at 1.
    fn sig_names(&mut self) -> Parsed<Vec<Name>> {
        let span = self.span();
        if self.dialect.has_events && self.takes("Int") {
            return Ok(vec![Name { text: "Int".to_owned(), span }]);
        }
        self.new_names("the name of a signature")
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
            return Err(self.mistake(message).at(name.span, "").help(help));
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
        parameters.extend(self.parameters()?);
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

    /// `[a : S, b : T]`, or nothing.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Decl>> {
        for (open, close) in [("[", "]"), ("(", ")")] {
            if self.takes(open) {
                let parameters = self.fields()?;
                self.expect(close, "behind the parameters")?;
                return Ok(parameters);
            }
        }
        Ok(Vec::new())
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
        let (scope, scope_span) = self.scope_with_place()?;
        let expect = self.expectation()?;
        if let (None, Subject::Block(_), false) = (&label, &subject, self.dialect.has_events) {
            let word = if is_check { "check" } else { "run" };
            let text = format!("{word}${}", module.commands.len() + 1);
            label = Some(Name { text, span: start });
        }
        let span = self.since(start);
        module.commands.push(Command { is_check, label, subject, scope, scope_span, expect, span });
        if self.sees("=>") {
            let help = "write the commands one below the other";
            let mistake = self.mistake("commands that follow each other by `=>` are not supported");
            return Err(mistake.at(self.span(), "").help(help));
        }
        Ok(())
    }

    pub(super) fn expectation(&mut self) -> Parsed<Option<i64>> {
        if self.takes("expect") { Ok(Some(self.number("0 or 1")?)) } else { Ok(None) }
    }
}

/// What is opened without being written.
fn implicit(path: &str, arguments: Vec<Name>, alias: Option<&str>, span: Span) -> Open {
    let name = |text: &str| Name { text: text.to_owned(), span };
    Open { path: name(path), arguments, alias: alias.map(name), is_private: false }
}

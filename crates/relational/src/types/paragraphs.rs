//! A whole text: all declarations first, then what is said about them.

use quadrille_diagnostic::{Diagnostic, Span};

use super::check::{Checker, Value};
use super::core::{EventDef, Formula, Set, Temporal};
use super::{CommandDef, DeadlockDef, effects};
use crate::codes::{EFFECT, KIND, TWICE, UNKNOWN, UNSUPPORTED};
use crate::syntax::tree::{Callable, Command, CommandKind, Module, Mult, Paragraph, Sig};

/// Modules whose functions are built in.
const BUILT_IN: [&str; 2] = ["util/integer", "util/sequence"];

/// An assertion, to be asked by a command.
struct Assertion<'t> {
    name: &'t str,
    formula: Formula,
    body: Span,
}

impl<'t> Checker<'t> {
    pub(super) fn module(&mut self, module: &'t Module) {
        self.signatures(module);
        for paragraph in &module.paragraphs {
            let (callable, is_function) = match paragraph {
                Paragraph::Pred(callable) => (callable, false),
                Paragraph::Fun(callable) => (callable, true),
                _ => continue,
            };
            let name = &callable.name;
            if let Some((first, _)) = self.callables.get(&name.text) {
                let first = first.name.span;
                self.twice(name, first);
            }
            self.callables.insert(name.text.clone(), (callable, is_function));
        }
        self.all_fields(module);
        self.constrain_sigs();
        self.event_heads(module);
        for paragraph in &module.paragraphs {
            self.paragraph(paragraph);
        }
        self.event_bodies(module);
        let mut asserts = Vec::new();
        for paragraph in &module.paragraphs {
            if let Paragraph::Fact { name, body, is_checked: true } = paragraph {
                let Ok(formula) = self.formula(body) else { continue };
                let number = self.design.commands.len() + 1;
                let unnamed = || format!("fact {number}");
                self.design.commands.push(CommandDef {
                    name: name.as_ref().map_or_else(unnamed, |name| name.text.clone()),
                    kind: CommandKind::Check,
                    formula,
                    scope: None,
                    expect: None,
                    span: name.as_ref().map_or(body.span, |name| name.span),
                    body: body.span,
                });
            }
            if let Paragraph::Assert { name, body, is_invariant } = paragraph {
                let Ok(formula) = self.formula(body) else { continue };
                if *is_invariant {
                    self.design.commands.push(CommandDef {
                        name: name.text.clone(),
                        kind: CommandKind::Check,
                        formula: Formula::Unary(Temporal::Always, Box::new(formula.clone())),
                        scope: None,
                        expect: None,
                        span: name.span,
                        body: body.span,
                    });
                }
                asserts.push(Assertion { name: &name.text, formula, body: body.span });
            }
        }
        for paragraph in &module.paragraphs {
            if let Paragraph::Command(command) = paragraph {
                self.command(command, &asserts);
            }
        }
        self.last_look();
    }

    fn paragraph(&mut self, paragraph: &'t Paragraph) {
        match paragraph {
            Paragraph::Open { path, .. } if !BUILT_IN.contains(&path.text.as_str()) => {
                let message = format!("the module `{}` cannot be opened", path.text);
                let help = "integers and sequences are built in; declare what else is needed here";
                let diagnostic = Diagnostic::error(&UNSUPPORTED, message).at(path.span, "");
                self.report(diagnostic.help(help));
            }
            Paragraph::Pred(callable) => self.standalone(callable, false),
            Paragraph::Fun(callable) => self.standalone(callable, true),
            Paragraph::Sig(sig) => self.sig_fact(sig),
            Paragraph::Fact { body, is_checked: false, .. } => {
                if let Ok(formula) = self.formula(body) {
                    self.assume(formula);
                }
            }
            Paragraph::Wraps => self.design.wraps = true,
            Paragraph::Init { body, scope, span } => {
                if let Ok(formula) = self.formula(body) {
                    self.about_one_state(&formula, "`init`", *span);
                    if formula.is_temporal() {
                        let message = "`init` speaks about initial states only";
                        let help = "move what has temporal operators to a `fact`";
                        self.report(Diagnostic::error(&KIND, message).at(*span, "").help(help));
                    }
                    let init = std::mem::replace(&mut self.design.init, Formula::Constant(true));
                    self.design.init = Formula::and([init, formula]);
                }
                if let Some(scope) = scope {
                    for item in &scope.items {
                        if item.sig.text != "seq" {
                            let _ = self.signature(&item.sig);
                        }
                    }
                    if self.design.scope.is_some() {
                        let message = "there are two scopes of `init`";
                        let help = "write one of them behind the commands that need it";
                        let diagnostic = Diagnostic::error(&TWICE, message).at(scope.span, "");
                        self.report(diagnostic.help(help));
                    }
                    self.design.scope = Some(scope.clone());
                }
            }
            Paragraph::End { body } => {
                if let Ok(formula) = self.formula(body) {
                    self.about_one_state(&formula, "`end`", body.span);
                    self.design.end = Some(match self.design.end.take() {
                        None => formula,
                        Some(other) => Formula::Or(vec![other, formula]),
                    });
                }
            }
            _ => {}
        }
    }

    /// Checks a predicate or function by itself, with its parameters as declared.
    fn standalone(&mut self, callable: &Callable, is_function: bool) {
        let depth = self.locals.len();
        if let Some(receiver) = &callable.receiver
            && let Ok(sig) = self.signature(receiver)
        {
            let this = self.fresh("this");
            let ty = self.design.type_of(sig);
            self.locals.push(("this".to_owned(), Value::Set(Set::Variable(this), ty)));
        }
        for decl in &callable.parameters {
            // A parameter may be a set: only its type matters here.
            let inner = match &decl.bound.kind {
                crate::syntax::tree::ExprKind::Unary(_, inner) => inner,
                _ => &decl.bound,
            };
            let Ok((_, ty)) = self.set(inner) else {
                self.locals.truncate(depth);
                return;
            };
            for name in &decl.names {
                let variable = self.fresh(&name.text);
                let value = Value::Set(Set::Variable(variable), ty.clone());
                self.locals.push((name.text.clone(), value));
            }
        }
        self.calling.push(callable.name.text.clone());
        if !is_function {
            let _ = self.formula(&callable.body);
        } else if let Ok(value) = self.value(&callable.body)
            && let Ok((_, ty)) = self.as_set(value, &callable.body)
            && let Some(result) = &callable.result
        {
            let inner = match &result.kind {
                crate::syntax::tree::ExprKind::Unary(_, inner) => inner,
                _ => result,
            };
            if let Ok((_, wanted)) = self.set(inner) {
                let _ = self.same_arity(&wanted, &ty, callable.body.span);
            }
        }
        self.calling.pop();
        self.locals.truncate(depth);
    }

    fn sig_fact(&mut self, sig: &Sig) {
        let Some(fact) = &sig.fact else { return };
        for name in &sig.names {
            let Some(id) = self.sig(&name.text) else { continue };
            let this = self.fresh("this");
            self.this = Some((this, id));
            let formula = self.formula(fact);
            self.this = None;
            if let Ok(formula) = formula {
                let set = Box::new(self.design.set_of(id));
                let all = Formula::All(this, set, Box::new(formula), name.span);
                self.assume(Formula::Unary(Temporal::Always, Box::new(all)));
            }
        }
    }

    /// A fact without temporal operators is about initial states; `always F` about every state; all
    /// else about runs.
    fn assume(&mut self, formula: Formula) {
        let parts = match formula {
            Formula::And(parts) => parts,
            other => vec![other],
        };
        for part in parts {
            match part {
                part if !part.is_temporal() && !part.is_primed() => {
                    let init = std::mem::replace(&mut self.design.init, Formula::Constant(true));
                    self.design.init = Formula::and([init, part]);
                }
                Formula::Unary(Temporal::Always, inner)
                    if !inner.is_temporal() && !inner.is_primed() =>
                {
                    self.design.invariants.push(*inner);
                }
                other => self.design.assumptions.push(other),
            }
        }
    }

    /// Parameters first: events may be named before they stand.
    fn event_heads(&mut self, module: &Module) {
        for paragraph in &module.paragraphs {
            let Paragraph::Event(event) = paragraph else { continue };
            if let Some(other) = self.event(&event.name.text) {
                let first = self.design.events[other.0].span;
                self.twice(&event.name, first);
            }
            let names = event.parameters.iter().flat_map(|decl| &decl.names);
            let names: Vec<String> = names.map(|name| name.text.clone()).collect();
            let depth = self.locals.len();
            let bound = self.bind(&event.parameters);
            self.locals.truncate(depth);
            let (parameters, differ) = match bound {
                Ok((bounds, differ, _)) => (bounds, differ),
                // The names are known all the same, so that one mistake is told once.
                Err(_) => {
                    let open = names.iter().map(|name| (self.fresh(name), Set::Univ));
                    (open.collect(), Formula::Constant(true))
                }
            };
            let parameters = parameters.into_iter().zip(names);
            self.design.events.push(EventDef {
                name: event.name.text.clone(),
                span: event.name.span,
                parameters: parameters.map(|((id, set), name)| (id, name, set)).collect(),
                body: differ,
                fairness: event.fairness,
            });
        }
    }

    fn event_bodies(&mut self, module: &Module) {
        let events = module.paragraphs.iter().filter_map(|paragraph| match paragraph {
            Paragraph::Event(event) => Some(event),
            _ => None,
        });
        for (number, event) in events.enumerate() {
            let def = self.design.events[number].clone();
            let depth = self.locals.len();
            for (variable, name, _) in &def.parameters {
                let ty = self.type_of_parameter(event, name);
                self.locals.push((name.clone(), Value::Set(Set::Variable(*variable), ty)));
            }
            let body = self.formula(&event.body);
            self.locals.truncate(depth);
            let Ok(body) = body else { continue };
            for diagnostic in effects::objections(&body, def.span) {
                self.report(diagnostic);
            }
            self.design.events[number].body = Formula::and([def.body, body]);
        }
    }

    fn type_of_parameter(
        &mut self,
        event: &crate::syntax::tree::Event,
        name: &str,
    ) -> super::bounding::Type {
        let decl = event.parameters.iter().find(|decl| decl.names.iter().any(|n| n.text == name));
        self.quiet += 1;
        let bound = decl.map(|decl| match &decl.bound.kind {
            crate::syntax::tree::ExprKind::Unary(_, inner) => &**inner,
            _ => &decl.bound,
        });
        let ty = bound.and_then(|bound| self.set(bound).ok()).map(|(_, ty)| ty);
        self.quiet -= 1;
        ty.unwrap_or(super::bounding::Type::of(super::UNIV))
    }

    fn command(&mut self, command: &Command, asserts: &[Assertion<'_>]) {
        if let Some(scope) = &command.scope {
            for item in &scope.items {
                if item.sig.text != "seq" {
                    let _ = self.signature(&item.sig);
                }
            }
        }
        if command.name.is_none() && command.body.is_none() {
            let (scope, span) = (command.scope.clone(), command.span);
            let is_expected = command.expect.unwrap_or(false);
            self.design.deadlocks.push(DeadlockDef { scope, is_expected, span });
            return;
        }
        let Some((formula, body)) = self.asked(command, asserts) else { return };
        let kind = if command.kind == CommandKind::Check { "check" } else { "run" };
        let numbered = format!("{kind} {}", self.design.commands.len() + 1);
        let name = command.name.as_ref().map_or(numbered, |name| name.text.clone());
        let mut unique = name.clone();
        while self.design.commands.iter().any(|other| other.name == unique) {
            unique = format!("{name} {}", self.design.commands.len() + 1);
        }
        self.design.commands.push(CommandDef {
            name: unique,
            kind: command.kind,
            formula,
            scope: command.scope.clone(),
            expect: command.expect,
            span: command.span,
            body,
        });
    }

    /// The formula of a command, and where it stands.
    fn asked(&mut self, command: &Command, asserts: &[Assertion<'_>]) -> Option<(Formula, Span)> {
        if let Some(body) = &command.body {
            return Some((self.formula(body).ok()?, body.span));
        }
        let name = command.name.as_ref()?;
        if let Some(known) = asserts.iter().find(|known| known.name == name.text) {
            return Some((known.formula.clone(), known.body));
        }
        let Some((callable, _)) = self.callables.get(&name.text).copied() else {
            let message = format!("there is no assertion or predicate `{}`", name.text);
            let known = asserts.iter().map(|known| known.name);
            let known = known.chain(self.callables.keys().map(String::as_str));
            let near = quadrille_diagnostic::similar(&name.text, known).first().copied();
            let help = near.map_or_else(
                || format!("declare it: `assert {} {{ … }}`", name.text),
                |near| format!("did you mean `{near}`?"),
            );
            let diagnostic = Diagnostic::error(&UNKNOWN, message).at(name.span, "unknown");
            self.report(diagnostic.help(help));
            return None;
        };
        // A run of a predicate is for some arguments, a check for all.
        let depth = self.locals.len();
        let bound = self.bind(&callable.parameters);
        let formula = bound.and_then(|(bounds, differ, _)| {
            let mut formula = self.formula(&callable.body)?;
            let is_run = command.kind == CommandKind::Run;
            formula = if is_run {
                Formula::and([differ, formula])
            } else {
                Formula::implies(differ, formula)
            };
            for (variable, set) in bounds.into_iter().rev() {
                let (set, body) = (Box::new(set), Box::new(formula));
                formula = if is_run {
                    Formula::Some(variable, set, body, name.span)
                } else {
                    Formula::All(variable, set, body, name.span)
                };
            }
            Ok(formula)
        });
        self.locals.truncate(depth);
        Some((formula.ok()?, callable.body.span))
    }

    /// What is about a single state has no primes.
    fn about_one_state(&mut self, formula: &Formula, what: &str, span: Span) {
        if formula.is_primed() {
            let message = format!("{what} is about one state, and a prime about the next");
            let help = "leave the prime out, or write a `fact` or a `check` for what is about runs";
            self.report(Diagnostic::error(&EFFECT, message).at(span, "").help(help));
        }
    }

    fn last_look(&mut self) {
        if design_is_idle(&self.design) {
            let place = self.design.place;
            self.report(
                Diagnostic::warning(&EFFECT, "the design has no event")
                    .at(place, "")
                    .help("an event is written `event name[x : S] { guards  effects }`"),
            );
        }
        let literal = self
            .design
            .sigs
            .iter()
            .find(|sig| sig.mult == Some(Mult::No) || (sig.is_abstract && sig.is_var));
        if let Some(sig) = literal {
            let (message, span) =
                (format!("`{}` cannot be `var` and `abstract`", sig.name), sig.span);
            let help = "let it be one of them: events are written `event`";
            self.report(Diagnostic::error(&UNSUPPORTED, message).at(span, "").help(help));
        }
    }
}

fn design_is_idle(design: &super::Design) -> bool {
    design.events.is_empty() && !design.relations.iter().all(|relation| !relation.is_var)
}

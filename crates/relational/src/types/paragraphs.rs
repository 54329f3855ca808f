//! A whole text: all declarations first, then what is said about them.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_grammar::tree::{
    Binary, Command, Event, Expr, Function, Init, Kind, Module, Scope as TextScope, Sig, Subject,
};

use super::check::{Checked, Checker, Value};
use super::core::{EventDef, Formula, Set, Temporal};
use super::declare::without_multiplicity;
use super::words::{CommandKind, Mult, Scope};
use super::{CommandDef, DeadlockDef, INDEX, Type, UNIV, effects};
use crate::codes::{EFFECT, KIND, SYNTAX, TWICE, UNKNOWN, UNSUPPORTED};

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
        for function in &module.functions {
            let name = &function.name;
            if let Some(first) = self.callables.get(&name.text) {
                let first = first.name.span;
                self.twice(name, first);
            }
            self.callables.insert(name.text.clone(), function);
        }
        self.refused(module);
        self.all_fields(module);
        self.constrain_sigs();
        self.event_heads(module);
        for function in &module.functions {
            self.standalone(function);
        }
        for sig in &module.sigs {
            self.sig_fact(sig);
        }
        for (_, body) in &module.facts {
            if let Ok(formula) = self.whole(body) {
                self.assume(formula);
            }
        }
        let behaviour = &module.behaviour;
        self.design.wraps = behaviour.wraps;
        for init in &behaviour.inits {
            self.init(init);
        }
        for body in &behaviour.ends {
            let Ok(formula) = self.whole(body) else { continue };
            self.about_one_state(&formula, "`end`", body.span);
            self.design.end = Some(match self.design.end.take() {
                None => formula,
                Some(other) => Formula::Or(vec![other, formula]),
            });
        }
        self.event_bodies(module);
        self.commands(module);
        self.last_look();
    }

    /// What Alloy has and a design has not.
    fn refused(&mut self, module: &Module) {
        for open in module.opens.iter().filter(|it| !BUILT_IN.contains(&it.path.text.as_str())) {
            let message = format!("the module `{}` cannot be opened", open.path.text);
            let help = "integers and sequences are built in; declare what else is needed here";
            let diagnostic = Diagnostic::error(&UNSUPPORTED, message).at(open.path.span, "");
            self.report(diagnostic.help(help));
        }
        for macro_ in &module.macros {
            let message = format!("`{}` is a macro, which designs do not have", macro_.name.text);
            let diagnostic = Diagnostic::error(&UNSUPPORTED, message).at(macro_.name.span, "");
            self.report(diagnostic.help("write a `pred` or a `fun`"));
        }
    }

    fn init(&mut self, init: &Init) {
        if let Ok(formula) = self.whole(&init.body) {
            self.about_one_state(&formula, "`init`", init.span);
            if formula.is_temporal() {
                let message = "`init` speaks about initial states only";
                let help = "move what has temporal operators to a `fact`";
                self.report(Diagnostic::error(&KIND, message).at(init.span, "").help(help));
            }
            let known = std::mem::replace(&mut self.design.init, Formula::Constant(true));
            self.design.init = Formula::and([known, formula]);
        }
        let Some(scope) = self.scope(&init.scope, init.scope_span) else { return };
        if self.design.scope.is_some() {
            let message = "there are two scopes of `init`";
            let help = "write one of them behind the commands that need it";
            let diagnostic = Diagnostic::error(&TWICE, message).at(scope.span, "");
            self.report(diagnostic.help(help));
        }
        self.design.scope = Some(scope);
    }

    /// A scope, of whose signatures unknown ones are reported.
    fn scope(&mut self, scope: &TextScope, place: Option<Span>) -> Option<Scope> {
        let scope = Scope::of(scope, place)?;
        for item in scope.items.iter().filter(|item| item.sig.text != "seq") {
            let _ = self.signature(&item.sig);
        }
        Some(scope)
    }

    /// The scope of a command, where it says something else than that of `init`.
    fn own_scope(&mut self, scope: &TextScope, place: Option<Span>) -> Option<Scope> {
        let scope = self.scope(scope, place)?;
        (self.design.scope.as_ref() != Some(&scope)).then_some(scope)
    }

    fn commands(&mut self, module: &Module) {
        let checked = |name: String, formula, span, body| CommandDef {
            name,
            kind: CommandKind::Check,
            formula,
            scope: None,
            expect: None,
            span,
            body,
        };
        for (name, body) in &module.behaviour.checked {
            let Ok(formula) = self.whole(body) else { continue };
            let number = self.design.commands.len() + 1;
            let text = name.as_ref().map_or_else(|| format!("fact {number}"), |it| it.text.clone());
            let span = name.as_ref().map_or(body.span, |name| name.span);
            self.design.commands.push(checked(text, formula, span, body.span));
        }
        let mut asserts = Vec::new();
        for (name, body) in &module.behaviour.invariants {
            let Ok(formula) = self.whole(body) else { continue };
            let always = Formula::Unary(Temporal::Always, Box::new(formula.clone()));
            self.design.commands.push(checked(name.text.clone(), always, name.span, body.span));
            asserts.push(Assertion { name: &name.text, formula, body: body.span });
        }
        for (name, body) in &module.asserts {
            let Ok(formula) = self.whole(body) else { continue };
            asserts.push(Assertion { name: &name.text, formula, body: body.span });
        }
        for asked in &module.behaviour.deadlocks {
            let scope = self.own_scope(&asked.scope, asked.scope_span);
            let is_expected = self.expectation(asked.expect, asked.span).unwrap_or(false);
            self.design.deadlocks.push(DeadlockDef { scope, is_expected, span: asked.span });
        }
        for command in &module.commands {
            self.command(command, &asserts);
        }
    }

    fn expectation(&mut self, expect: Option<i64>, span: Span) -> Option<bool> {
        let number = expect?;
        if !matches!(number, 0 | 1) {
            let message = format!("`expect {number}` says nothing");
            let help =
                "write `expect 1` where a counterexample or a run is expected, else `expect 0`";
            self.report(Diagnostic::error(&SYNTAX, message).at(span, "").help(help));
        }
        Some(number == 1)
    }

    /// What a parameter or a result is in, and its type. It may be a set: only its type matters.
    pub(super) fn declared(&mut self, bound: &Expr) -> Checked<Type> {
        if let Kind::Binary(Binary::SeqArrow, _, elements) = &bound.kind {
            let (_, ty) = self.set(elements)?;
            return Ok(Type::of(INDEX).product(&ty, &self.design));
        }
        Ok(self.set(without_multiplicity(bound))?.1)
    }

    /// Checks a predicate or function by itself, with its parameters as declared.
    fn standalone(&mut self, function: &Function) {
        let depth = self.locals.len();
        for decl in &function.parameters {
            let declared = self.declared(&decl.bound);
            self.doubts(&decl.bound);
            let Ok(ty) = declared else {
                self.locals.truncate(depth);
                return;
            };
            for name in &decl.names {
                let variable = self.fresh(&name.text);
                let value = Value::Set(Set::Variable(variable), ty.clone());
                self.locals.push((name.text.clone(), value));
            }
        }
        self.calling.push(function.name.text.clone());
        let body = &function.body;
        match &function.result {
            None => {
                let _ = self.whole(body);
            }
            Some(result) => {
                let value = self.value(body);
                self.doubts(body);
                if let Ok(value) = value
                    && let Ok((_, ty)) = self.as_set(value, body)
                    && let Ok(wanted) = self.declared(result)
                {
                    let _ = self.same_arity(&wanted, &ty, body.span);
                }
            }
        }
        self.calling.pop();
        self.locals.truncate(depth);
    }

    fn sig_fact(&mut self, sig: &Sig) {
        let Some(fact) = &sig.fact else { return };
        let Some(id) = self.sig(&sig.name.text) else { return };
        let this = self.fresh("this");
        self.this = Some((this, id));
        let formula = self.whole(fact);
        self.this = None;
        if let Ok(formula) = formula {
            let set = Box::new(self.design.set_of(id));
            let all = Formula::All(this, set, Box::new(formula), sig.name.span);
            self.assume(Formula::Unary(Temporal::Always, Box::new(all)));
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
        for event in &module.behaviour.events {
            if let Some(other) = self.event(&event.name.text) {
                let first = self.design.events[other.0].span;
                self.twice(&event.name, first);
            }
            let names = event.parameters.iter().flat_map(|decl| &decl.names);
            let names: Vec<String> = names.map(|name| name.text.clone()).collect();
            let depth = self.locals.len();
            let bound = self.bind(&event.parameters);
            event.parameters.iter().for_each(|decl| self.doubts(&decl.bound));
            self.locals.truncate(depth);
            let mut types = Vec::new();
            let (parameters, differ) = match bound {
                Ok((bounds, differ, found)) => {
                    types = found;
                    (bounds, differ)
                }
                // The names are known all the same, so that one mistake is told once.
                Err(_) => {
                    let open = names.iter().map(|name| (self.fresh(name), Set::Univ));
                    (open.collect(), Formula::Constant(true))
                }
            };
            self.event_types.push(types);
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
        for (number, event) in module.behaviour.events.iter().enumerate() {
            let def = self.design.events[number].clone();
            let depth = self.locals.len();
            for (variable, name, _) in &def.parameters {
                let ty = self.type_of_parameter(event, name);
                self.locals.push((name.clone(), Value::Set(Set::Variable(*variable), ty)));
            }
            let body = self.whole(&event.body);
            self.locals.truncate(depth);
            let Ok(body) = body else { continue };
            for diagnostic in effects::objections(&body, def.span) {
                self.report(diagnostic);
            }
            self.design.events[number].body = Formula::and([def.body, body]);
        }
    }

    fn type_of_parameter(&mut self, event: &Event, name: &str) -> Type {
        let decl = event.parameters.iter().find(|decl| decl.names.iter().any(|n| n.text == name));
        self.quiet += 1;
        let ty = decl.and_then(|decl| self.declared(&decl.bound).ok());
        self.quiet -= 1;
        ty.unwrap_or(Type::of(UNIV))
    }

    fn command(&mut self, command: &Command, asserts: &[Assertion<'_>]) {
        let scope = self.own_scope(&command.scope, command.scope_span);
        let expect = self.expectation(command.expect, command.span);
        let kind = if command.is_check { CommandKind::Check } else { CommandKind::Run };
        let Some((formula, body)) = self.asked(command, asserts) else { return };
        let word = if command.is_check { "check" } else { "run" };
        let named = match &command.subject {
            Subject::Named(name) => Some(name),
            Subject::Block(_) => None,
        };
        let numbered = || format!("{word} {}", self.design.commands.len() + 1);
        let name = command.label.as_ref().or(named).map_or_else(numbered, |name| name.text.clone());
        let mut unique = name.clone();
        while self.design.commands.iter().any(|other| other.name == unique) {
            unique = format!("{name} {}", self.design.commands.len() + 1);
        }
        let (name, span) = (unique, command.span);
        self.design.commands.push(CommandDef { name, kind, formula, scope, expect, span, body });
    }

    /// The formula of a command, and where it stands.
    fn asked(&mut self, command: &Command, asserts: &[Assertion<'_>]) -> Option<(Formula, Span)> {
        let name = match &command.subject {
            Subject::Block(body) => return Some((self.whole(body).ok()?, body.span)),
            Subject::Named(name) => name,
        };
        if let Some(known) = asserts.iter().find(|known| known.name == name.text) {
            return Some((known.formula.clone(), known.body));
        }
        let Some(callable) = self.callables.get(&name.text).copied() else {
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
            let is_run = !command.is_check;
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

//! Protocol forms to terms: what `s/cat`, `s/-->>` and the others mean in the core calculus. A body is
//! lowered when its call is unfolded; calls, loops and graphs inside it stay calls.

use std::sync::Arc;

use quadrille_diagnostic::Span;

use super::codes::{ARITY, BAD_FORM, ENDLESS, NO_LOOP, NO_SESSION, UNKNOWN_FORM};
use super::eval::{Env, Interp, Parameters};
use super::form::{Form, FormKind, Name};
use super::program::{Definition, Loop, Program};
use super::trap::{Result, Trap};
use super::value::Value;
use quadrille_protocol::core::intern::Interner;
use quadrille_protocol::core::{DefinitionId, Message, TermId, Terms, Word};

/// A form of the specification language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SpecForm {
    Sync,
    Async,
    Close,
    Cat,
    Alt,
    Par,
    CatEvery,
    AltEvery,
    ParEvery,
    Star,
    Plus,
    Optional,
    Omega,
    If,
    IfNot,
    When,
    WhenNot,
    Cond,
    Let,
    Loop,
    Recur,
    End,
    Any,
    Graph,
    Session,
}

impl SpecForm {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "-->" => SpecForm::Sync,
            "-->>" => SpecForm::Async,
            "close" => SpecForm::Close,
            "cat" | "do" => SpecForm::Cat,
            "alt" => SpecForm::Alt,
            "par" => SpecForm::Par,
            "cat-every" => SpecForm::CatEvery,
            "alt-every" => SpecForm::AltEvery,
            "par-every" => SpecForm::ParEvery,
            "*" => SpecForm::Star,
            "+" => SpecForm::Plus,
            "?" => SpecForm::Optional,
            "ω" | "omega" => SpecForm::Omega,
            "if" => SpecForm::If,
            "if-not" => SpecForm::IfNot,
            "when" => SpecForm::When,
            "when-not" => SpecForm::WhenNot,
            "cond" => SpecForm::Cond,
            "let" => SpecForm::Let,
            "loop" => SpecForm::Loop,
            "recur" => SpecForm::Recur,
            "end" => SpecForm::End,
            "any" => SpecForm::Any,
            "graph" => SpecForm::Graph,
            "session" => SpecForm::Session,
            _ => return None,
        })
    }
}

/// Stands for a variable that is not bound.
pub(crate) const UNBOUND: Word = Word::MAX;

/// Calls of functions that make protocols, within each other.
const MAX_CALLS: usize = 100;

/// What is visible where a form stands.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    pub(crate) env: Env,
    loops: Vec<OpenLoop>,
}

/// A loop around a form, and the words its calls carry besides their arguments.
#[derive(Clone)]
struct OpenLoop {
    definition: usize,
    words: Arc<[Word]>,
}

/// Lowers the forms of one body.
pub(crate) struct Lowering<'a> {
    pub(crate) interp: Interp<'a>,
    pub(crate) terms: &'a Terms,
    pub(crate) words: &'a Interner<Value>,
    pub(crate) n_calls: usize,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(program: &'a Program, terms: &'a Terms, words: &'a Interner<Value>) -> Self {
        Self { interp: Interp::new(program), terms, words, n_calls: 0 }
    }

    pub(crate) fn program(&self) -> &'a Program {
        self.interp.program
    }

    /// The body of a definition for these arguments.
    pub(crate) fn unfold(&mut self, definition: usize, arguments: &[Word]) -> Result<TermId> {
        match &self.program().definitions[definition] {
            Definition::Session(session) => {
                let mut scope = Scope::default();
                for (&parameter, &word) in session.parameters.iter().zip(arguments) {
                    scope.env = scope.env.bind(parameter, self.words.get(word).clone())?;
                }
                self.sequence(&session.parts[session.from..], &scope)
            }
            Definition::Loop(inner) => self.unfold_loop(inner, definition, arguments),
            Definition::Graph(graph) => self.vertex(definition, &graph.parts, arguments),
        }
    }

    /// The arguments of a loop are its variables, what it captured, and what each loop around it
    /// that it goes on with captured.
    fn unfold_loop(
        &mut self,
        inner: &Loop,
        definition: usize,
        arguments: &[Word],
    ) -> Result<TermId> {
        let (variables, closed) = arguments.split_at(inner.variables.len());
        let (captured, mut outer_words) = closed.split_at(inner.captured.len());
        let mut scope = Scope::default();
        for (&name, &word) in inner.captured.iter().zip(captured) {
            if word != UNBOUND {
                scope.env = scope.env.bind(name, self.words.get(word).clone())?;
            }
        }
        for &outer in &inner.outer {
            let (words, rest) = outer_words.split_at(self.n_closed(outer));
            scope.loops.push(OpenLoop { definition: outer, words: words.into() });
            outer_words = rest;
        }
        for (&name, &word) in inner.variables.iter().zip(variables) {
            scope.env = scope.env.bind(name, self.words.get(word).clone())?;
        }
        scope.loops.push(OpenLoop { definition, words: closed.into() });
        self.sequence(&inner.parts[3..], &scope)
    }

    /// How many words a loop's calls carry besides its variables.
    fn n_closed(&self, definition: usize) -> usize {
        let Definition::Loop(inner) = &self.program().definitions[definition] else { return 0 };
        let outer: usize = inner.outer.iter().map(|&outer| self.n_closed(outer)).sum();
        inner.captured.len() + outer
    }

    /// Forms in order.
    pub(crate) fn sequence(&mut self, forms: &[Form], scope: &Scope) -> Result<TermId> {
        let parts = self.all(forms, scope)?;
        Ok(self.terms.sequence(&parts))
    }

    fn all(&mut self, forms: &[Form], scope: &Scope) -> Result<Vec<TermId>> {
        forms.iter().map(|form| self.protocol(form, scope)).collect()
    }

    /// A form where a protocol is expected.
    pub(crate) fn protocol(&mut self, form: &Form, scope: &Scope) -> Result<TermId> {
        self.interp.spend(1).map_err(|trap| trap.at(form.span))?;
        match &form.kind {
            FormKind::Vector(parts) => self.sequence(parts, scope),
            FormKind::List(parts) if !parts.is_empty() => self.list(parts, form, scope),
            _ => Err(Trap::other(
                &UNKNOWN_FORM,
                form.span,
                "expected a protocol",
                "not an action, a sequence, a choice or the like",
            )),
        }
    }

    fn list(&mut self, parts: &[Form], form: &Form, scope: &Scope) -> Result<TermId> {
        let (head, rest) = (&parts[0], &parts[1..]);
        if let Some(name) = head.keyword() {
            return self.call(name, rest, form, scope);
        }
        let Some(name) = head.symbol() else {
            return Err(self.unknown(form, "a protocol form starts with a name"));
        };
        if let Some(spec) = self.program().meaning(name).spec {
            return self.spec_form(spec, rest, form, scope);
        }
        if let Some(Value::Function(_)) = self.program().global(name) {
            return self.function(name, rest, form, scope);
        }
        if self.program().sessions().any(|session| session.name == name) {
            return self.call(name, rest, form, scope);
        }
        let written = match &head.kind {
            FormKind::Symbol { text, .. } => self.program().text(*text),
            _ => self.program().text(name),
        };
        let message = format!("`{written}` is not a form that describes a protocol");
        Err(self.unknown(form, &message))
    }

    fn unknown(&self, form: &Form, message: &str) -> Box<Trap> {
        Trap::other(&UNKNOWN_FORM, form.span, message, "not known to Discourje's language")
    }

    fn spec_form(
        &mut self,
        spec: SpecForm,
        rest: &[Form],
        form: &Form,
        scope: &Scope,
    ) -> Result<TermId> {
        let terms = self.terms;
        match (spec, rest) {
            (SpecForm::Sync | SpecForm::Async, [.., _, _]) if rest.len() <= 3 => {
                let message = match rest {
                    [message, _, _] => self.message(message, scope)?,
                    _ => Message::new("Object"),
                };
                let from = self.role(&rest[rest.len() - 2], scope)?;
                let to = self.role(&rest[rest.len() - 1], scope)?;
                let term = match spec {
                    SpecForm::Sync => terms.synchronous(&message, from, &[to]),
                    _ => terms.asynchronous(&message, from, &[to]),
                };
                Ok(terms.written_at(term, form.span))
            }
            (SpecForm::Close, [from, to]) => {
                let term = terms.close(self.role(from, scope)?, self.role(to, scope)?);
                Ok(terms.written_at(term, form.span))
            }
            (SpecForm::Cat, _) => self.sequence(rest, scope),
            (SpecForm::Alt | SpecForm::Par | SpecForm::End, []) => Ok(TermId::SKIP),
            (SpecForm::Alt, _) => Ok(terms.choice(&self.all(rest, scope)?)),
            (SpecForm::Par, _) => Ok(terms.par(&self.all(rest, scope)?)),
            (SpecForm::CatEvery | SpecForm::AltEvery | SpecForm::ParEvery, [bindings, _, ..]) => {
                let parts = self.every(bindings, &rest[1..], scope)?;
                Ok(match spec {
                    SpecForm::CatEvery => terms.sequence(&parts),
                    SpecForm::AltEvery => terms.choice(&parts),
                    _ => terms.par(&parts),
                })
            }
            (SpecForm::Star, _) => Ok(terms.star(self.sequence(rest, scope)?)),
            (SpecForm::Plus, _) => {
                let body = self.sequence(rest, scope)?;
                let parts = self.all(rest, scope)?;
                Ok(terms.sequence(&[&parts[..], &[terms.star(body)]].concat()))
            }
            (SpecForm::Optional, _) => {
                let body = self.sequence(rest, scope)?;
                Ok(terms.choice(&[body, TermId::SKIP]))
            }
            (SpecForm::Omega, _) => Ok(terms.forever(self.sequence(rest, scope)?)),
            (SpecForm::If | SpecForm::IfNot, [test, then, other @ ..]) if other.len() <= 1 => {
                let holds = self.interp.eval(test, &scope.env)?.is_true();
                if holds == (spec == SpecForm::If) {
                    return self.protocol(then, scope);
                }
                other.first().map_or(Ok(TermId::SKIP), |other| self.protocol(other, scope))
            }
            (SpecForm::When | SpecForm::WhenNot, [test, body @ ..]) => {
                let holds = self.interp.eval(test, &scope.env)?.is_true();
                if holds == (spec == SpecForm::When) {
                    self.sequence(body, scope)
                } else {
                    Ok(TermId::SKIP)
                }
            }
            (SpecForm::Cond, _) if rest.len().is_multiple_of(2) => {
                for clause in rest.chunks_exact(2) {
                    if self.interp.eval(&clause[0], &scope.env)?.is_true() {
                        return self.protocol(&clause[1], scope);
                    }
                }
                Ok(TermId::SKIP)
            }
            (SpecForm::Let, [bindings, body @ ..]) => {
                let env = self.interp.bind_pairs(bindings, &scope.env)?;
                self.sequence(body, &Scope { env, loops: scope.loops.clone() })
            }
            (SpecForm::Loop, [name, _, ..]) if name.symbol().or(name.keyword()).is_some() => {
                self.open_loop(form, rest, scope)
            }
            (SpecForm::Recur, [name, values @ ..]) => self.recur(name, values, form, scope),
            (SpecForm::Any, [roles]) => self.any(roles, scope),
            (SpecForm::Graph, [_, header, ..]) => {
                let start = header.list().and_then(<[Form]>::first);
                let (Some(start), Some(definition)) = (start, self.program().placed(form.span))
                else {
                    return Err(bad_form(
                        form,
                        "expected `(s/graph des (start …) (from \"…\" to) …)`",
                    ));
                };
                let vertex = self.words.intern(self.program().quoted(start));
                Ok(self.terms.call(definition_id(definition), &[vertex]))
            }
            (SpecForm::Session, [name, arguments]) => match (name.keyword(), arguments.vector()) {
                (Some(name), Some(arguments)) => self.call(name, arguments, form, scope),
                _ => Err(bad_form(form, "expected `(s/session ::name [argument …])`")),
            },
            _ => Err(bad_form(form, "this form has the wrong parts")),
        }
    }

    /// One term per way to bind the variables.
    fn every(&mut self, bindings: &Form, body: &[Form], scope: &Scope) -> Result<Vec<TermId>> {
        let pairs = bindings.vector().filter(|pairs| pairs.len().is_multiple_of(2));
        let pairs =
            pairs.ok_or_else(|| bad_form(bindings, "expected pairs of a name and a collection"))?;
        let mut envs = Vec::new();
        self.interp
            .each(pairs, &scope.env, &mut |_, env| {
                envs.push(env.clone());
                Ok(())
            })
            .map_err(|trap| trap.at(bindings.span))?;
        envs.into_iter()
            .map(|env| self.sequence(body, &Scope { env, loops: scope.loops.clone() }))
            .collect()
    }

    fn words_of(&mut self, forms: &[Form], scope: &Scope) -> Result<Vec<Word>> {
        let words = self.words;
        forms.iter().map(|form| Ok(words.intern(self.interp.eval(form, &scope.env)?))).collect()
    }

    fn call(
        &mut self,
        name: Name,
        arguments: &[Form],
        form: &Form,
        scope: &Scope,
    ) -> Result<TermId> {
        let program = self.program();
        let Some(definition) = program.session(name, arguments.len()) else {
            return Err(no_session(program, name, arguments.len(), form.span));
        };
        let words = self.words_of(arguments, scope)?;
        Ok(self.terms.call(definition_id(definition), &words))
    }

    /// A function of the file whose body is a protocol.
    fn function(
        &mut self,
        name: Name,
        arguments: &[Form],
        form: &Form,
        scope: &Scope,
    ) -> Result<TermId> {
        let Some(Value::Function(closure)) = self.program().global(name) else {
            return Err(self.unknown(form, "expected a function"));
        };
        let clause = closure.clauses.iter().find(|clause| {
            matches!(&clause.parameters, Parameters::Written(names) if names.len() == arguments.len())
        });
        let Some(clause) = clause else {
            let text = self.program().text(name);
            let message = format!("`{text}` does not take {} arguments", arguments.len());
            return Err(Trap::other(&ARITY, form.span, message, ""));
        };
        if self.n_calls == MAX_CALLS {
            let message = "a function that makes a protocol calls itself without end";
            return Err(Trap::other(&ENDLESS, form.span, message, "use a session instead"));
        }
        let values = self.interp.eval_all(arguments, &scope.env)?;
        let mut inner = Scope::default();
        if let Parameters::Written(parameters) = &clause.parameters {
            for (parameter, value) in parameters.iter().zip(&values) {
                inner.env = self.interp.destructure(parameter, value, inner.env)?;
            }
        }
        self.n_calls += 1;
        let body = self.sequence(&clause.parts[clause.from..], &inner);
        self.n_calls -= 1;
        body
    }

    fn open_loop(&mut self, form: &Form, rest: &[Form], scope: &Scope) -> Result<TermId> {
        let definition = self.program().placed(form.span);
        let Some((index, Definition::Loop(inner))) =
            definition.map(|index| (index, &self.program().definitions[index]))
        else {
            return Err(bad_form(form, "expected `(s/loop name [variable value …] protocol …)`"));
        };
        let n_pairs = rest[1].vector().map_or(0, <[Form]>::len);
        if n_pairs != inner.variables.len() * 2 {
            return Err(bad_form(&rest[1], "expected pairs of a name and a value"));
        }
        let bound = self.interp.bind_pairs(&rest[1], &scope.env)?;
        let value = |name: &Name, env: &Env| {
            env.get(*name).map_or(UNBOUND, |value| self.words.intern(value.clone()))
        };
        let mut words: Vec<Word> = inner.variables.iter().map(|name| value(name, &bound)).collect();
        words.extend(inner.captured.iter().map(|name| {
            // Its own variables are bound anew each time round.
            if inner.variables.contains(name) { UNBOUND } else { value(name, &scope.env) }
        }));
        for &outer in &inner.outer {
            let open = scope.loops.iter().rev().find(|open| open.definition == outer);
            match open {
                Some(open) => words.extend_from_slice(&open.words),
                None => return Err(bad_form(form, "a loop around this one is not in scope")),
            }
        }
        Ok(self.terms.call(definition_id(index), &words))
    }

    fn recur(
        &mut self,
        name: &Form,
        values: &[Form],
        form: &Form,
        scope: &Scope,
    ) -> Result<TermId> {
        let wanted = name.keyword().or(name.symbol());
        let open = scope.loops.iter().rev().find_map(|open| {
            match &self.program().definitions[open.definition] {
                Definition::Loop(inner) if Some(inner.name) == wanted => Some((open, inner)),
                _ => None,
            }
        });
        let Some((open, inner)) = open else {
            let message = "there is no loop of this name around";
            return Err(Trap::other(&NO_LOOP, form.span, message, "nowhere to go on"));
        };
        if values.len() > inner.variables.len() {
            let message = format!(
                "the loop has {} variables, and {} values are given",
                inner.variables.len(),
                values.len()
            );
            return Err(Trap::other(&ARITY, form.span, message, "goes on with these"));
        }
        // Discourje takes variables without a value to be nil, and published files rely on it.
        let mut words = self.words_of(values, scope)?;
        words.resize(inner.variables.len(), self.words.intern(Value::Nil));
        words.extend_from_slice(&open.words);
        Ok(self.terms.call(definition_id(open.definition), &words))
    }
}

pub(crate) fn definition_id(definition: usize) -> DefinitionId {
    DefinitionId(u32::try_from(definition).expect("fewer than 2^32 definitions"))
}

pub(crate) fn bad_form(form: &Form, message: &str) -> Box<Trap> {
    Trap::other(&BAD_FORM, form.span, message, "")
}

/// Tells a wrong name from a wrong number of arguments.
pub(crate) fn no_session(
    program: &Program,
    name: Name,
    n_arguments: usize,
    span: Span,
) -> Box<Trap> {
    let text = program.text(name);
    let takes: Vec<String> = program
        .sessions()
        .filter(|session| session.name == name)
        .map(|session| session.parameters.len().to_string())
        .collect();
    if takes.is_empty() {
        let label = if program.is_role(name) { "a role, not a session" } else { "not defined" };
        return Trap::other(&NO_SESSION, span, format!("there is no session `{text}`"), label);
    }
    let takes = takes.join(" or ");
    let noun = if takes == "1" { "argument" } else { "arguments" };
    let verb = if n_arguments == 1 { "is" } else { "are" };
    let message = format!("session `{text}` takes {takes} {noun}, and {n_arguments} {verb} given");
    Trap::other(&ARITY, span, message, "")
}

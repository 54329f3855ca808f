//! The special forms of expressions. What a form evaluates, and when, is decided here.

use std::sync::Arc;

use super::eval::{Clause, Closure, Env, Flow, Interp, Parameters};
use super::form::{Form, FormKind, Name};
use super::trap::{Result, Trap};
use super::value::Value;

/// A form that does not simply evaluate all its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Special {
    And,
    Case,
    Comment,
    Cond,
    Condp,
    Do,
    Fn,
    For,
    If,
    IfLet,
    IfNot,
    Let,
    Loop,
    Or,
    Quote,
    Recur,
    ThreadFirst,
    ThreadLast,
    Throw,
    Try,
    When,
    WhenLet,
    WhenNot,
    /// Known, and not part of the pure language.
    Impure,
}

impl Special {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "and" => Special::And,
            "case" => Special::Case,
            "comment" => Special::Comment,
            "cond" => Special::Cond,
            "condp" => Special::Condp,
            "do" => Special::Do,
            "fn" | "fn*" => Special::Fn,
            "for" => Special::For,
            "if" => Special::If,
            "if-let" | "if-some" => Special::IfLet,
            "if-not" => Special::IfNot,
            "let" | "let*" => Special::Let,
            "loop" => Special::Loop,
            "or" => Special::Or,
            "quote" => Special::Quote,
            "recur" => Special::Recur,
            "->" => Special::ThreadFirst,
            "->>" => Special::ThreadLast,
            "throw" => Special::Throw,
            "try" => Special::Try,
            "when" => Special::When,
            "when-let" | "when-some" => Special::WhenLet,
            "when-not" => Special::WhenNot,
            "def" | "defn" | "defmacro" | "defrecord" | "set!" | "binding" | "doseq"
            | "dotimes" | "while" | "swap!" | "reset!" | "atom" | "deref" | "ref" | "dosync"
            | "new" | "letfn" | "as->" | "some->" | "some->>" | "cond->" | "cond->>" | "doto"
            | "var" | "future" | "promise" | "delay" | "lazy-seq" | "println" | "print" | "prn"
            | "rand" | "rand-int" | "rand-nth" | "shuffle" | "eval" | "read-string" | "slurp"
            | "spit" | "time" | "import" | "require" => Special::Impure,
            _ => return None,
        })
    }
}

impl Interp<'_> {
    /// Evaluates a special form; `parts[0]` is its name.
    pub(crate) fn special(
        &mut self,
        special: Special,
        parts: &Arc<[Form]>,
        form: &Form,
        env: &Env,
    ) -> Result<Flow> {
        let rest = &parts[1..];
        match special {
            Special::If => match rest {
                [test, then] => self.branch(test, then, None, true, env),
                [test, then, other] => self.branch(test, then, Some(other), true, env),
                _ => Err(Trap::arity("`if` takes two or three parts")),
            },
            Special::IfNot => match rest {
                [test, then] => self.branch(test, then, None, false, env),
                [test, then, other] => self.branch(test, then, Some(other), false, env),
                _ => Err(Trap::arity("`if-not` takes two or three parts")),
            },
            Special::When | Special::WhenNot => {
                let (test, body) = split(rest, "when")?;
                if self.eval(test, env)?.is_true() == (special == Special::When) {
                    self.body(body, env)
                } else {
                    Ok(Flow::Value(Value::Nil))
                }
            }
            Special::IfLet | Special::WhenLet => self.bound_branch(special, rest, env),
            Special::Cond => self.cond(rest, env),
            Special::Condp => self.condp(rest, env),
            Special::Case => self.case(rest, env),
            Special::And | Special::Or => self.all_or_any(special == Special::And, rest, env),
            Special::Do => self.body(rest, env),
            Special::Let => {
                let (bindings, body) = split(rest, "let")?;
                let env = self.bind_pairs(bindings, env)?;
                self.body(body, &env)
            }
            Special::Loop => self.plain_loop(rest, env).map(Flow::Value),
            Special::Recur => self.eval_all(rest, env).map(Flow::Again),
            Special::Fn => self.closure(parts, form, env).map(Flow::Value),
            Special::For => self.comprehension(rest, env).map(Flow::Value),
            Special::Quote => {
                let quoted = rest.first().map(|form| self.program.quoted(form));
                Ok(Flow::Value(quoted.unwrap_or(Value::Nil)))
            }
            Special::ThreadFirst | Special::ThreadLast => {
                let threaded = thread(rest, special == Special::ThreadFirst)?;
                self.flow(&threaded, env)
            }
            Special::Comment => Ok(Flow::Value(Value::Nil)),
            Special::Try => self.attempt(rest, env).map(Flow::Value),
            Special::Throw => {
                let (what, _) = split(rest, "throw")?;
                Err(Trap::thrown(self.eval(what, env)?.display()))
            }
            Special::Impure => {
                let name = parts[0].symbol().map_or("it", |name| self.program.text(name));
                Err(Trap::unsupported(format!("`{name}` is not part of the pure language")))
            }
        }
    }

    fn branch(
        &mut self,
        test: &Form,
        then: &Form,
        other: Option<&Form>,
        wanted: bool,
        env: &Env,
    ) -> Result<Flow> {
        let chosen = if self.eval(test, env)?.is_true() == wanted { Some(then) } else { other };
        chosen.map_or(Ok(Flow::Value(Value::Nil)), |form| self.flow(form, env))
    }

    /// `if-let` and `when-let`.
    fn bound_branch(&mut self, special: Special, rest: &[Form], env: &Env) -> Result<Flow> {
        let (bindings, body) = split(rest, "if-let")?;
        let Some([pattern, value]) = bindings.vector() else {
            return Err(Trap::unsupported("expected `[name value]`").at(bindings.span));
        };
        let value = self.eval(value, env)?;
        if value.is_true() {
            let env = self.destructure(pattern, &value, env.clone())?;
            let n_forms = if special == Special::IfLet { body.len().min(1) } else { body.len() };
            return self.body(&body[..n_forms], &env);
        }
        match (special, body) {
            (Special::IfLet, [_, other]) => self.flow(other, env),
            _ => Ok(Flow::Value(Value::Nil)),
        }
    }

    fn cond(&mut self, clauses: &[Form], env: &Env) -> Result<Flow> {
        for clause in clauses.chunks(2) {
            let [test, then] = clause else {
                return Err(Trap::arity("`cond` takes pairs of a test and a value"));
            };
            if self.eval(test, env)?.is_true() {
                return self.flow(then, env);
            }
        }
        Ok(Flow::Value(Value::Nil))
    }

    fn condp(&mut self, rest: &[Form], env: &Env) -> Result<Flow> {
        let [predicate, subject, clauses @ ..] = rest else {
            return Err(Trap::arity("`condp` takes a predicate, a value and clauses"));
        };
        let predicate = self.eval(predicate, env)?;
        let subject = self.eval(subject, env)?;
        for clause in clauses.chunks(2) {
            match clause {
                [test, then] => {
                    let test = self.eval(test, env)?;
                    if self.apply(&predicate, vec![test, subject.clone()])?.is_true() {
                        return self.flow(then, env);
                    }
                }
                [default] => return self.flow(default, env),
                _ => {}
            }
        }
        Err(Trap::argument("no clause of `condp` fits"))
    }

    fn case(&mut self, rest: &[Form], env: &Env) -> Result<Flow> {
        let (subject, clauses) = split(rest, "case")?;
        let subject = self.eval(subject, env)?;
        for clause in clauses.chunks(2) {
            let [constant, then] = clause else { return self.flow(&clause[0], env) };
            let fits = match &constant.kind {
                FormKind::List(options) => {
                    options.iter().any(|option| self.program.quoted(option) == subject)
                }
                _ => self.program.quoted(constant) == subject,
            };
            if fits {
                return self.flow(then, env);
            }
        }
        Err(Trap::argument(format!("no clause of `case` fits {}", subject.print())))
    }

    fn all_or_any(&mut self, all: bool, forms: &[Form], env: &Env) -> Result<Flow> {
        let Some((last, before)) = forms.split_last() else {
            return Ok(Flow::Value(if all { Value::Bool(true) } else { Value::Nil }));
        };
        for form in before {
            let value = self.eval(form, env)?;
            if value.is_true() != all {
                return Ok(Flow::Value(value));
            }
        }
        self.flow(last, env)
    }

    /// The variables of `[name value …]`, each visible to the next.
    pub(crate) fn bind_pairs(&mut self, bindings: &Form, env: &Env) -> Result<Env> {
        let pairs = pairs(bindings)?;
        let mut env = env.clone();
        for pair in pairs.chunks_exact(2) {
            let value = self.eval(&pair[1], &env)?;
            env = self.destructure(&pair[0], &value, env).map_err(|trap| trap.at(pair[0].span))?;
        }
        Ok(env)
    }

    fn plain_loop(&mut self, rest: &[Form], env: &Env) -> Result<Value> {
        let (bindings, body) = split(rest, "loop")?;
        let pairs = pairs(bindings)?;
        let mut inner = self.bind_pairs(bindings, env)?;
        loop {
            let again = match self.body(body, &inner)? {
                Flow::Value(value) => return Ok(value),
                Flow::Again(again) => again,
            };
            if again.len() * 2 != pairs.len() {
                return Err(Trap::arity("`recur` has not as many values as `loop` has variables"));
            }
            inner = env.clone();
            for (pair, value) in pairs.chunks_exact(2).zip(&again) {
                inner = self.destructure(&pair[0], value, inner)?;
            }
        }
    }

    fn closure(&mut self, parts: &Arc<[Form]>, form: &Form, env: &Env) -> Result<Value> {
        let name = parts.get(1).and_then(Form::symbol);
        let from = if name.is_some() { 2 } else { 1 };
        let clauses = clauses(parts, from).map_err(|trap| trap.at(form.span))?;
        Ok(Value::Function(Arc::new(Closure { span: form.span, name, clauses, env: env.clone() })))
    }

    /// `for` with `:when`, `:while` and `:let`.
    fn comprehension(&mut self, rest: &[Form], env: &Env) -> Result<Value> {
        let (bindings, body) = split(rest, "for")?;
        let pairs = pairs(bindings)?;
        let [body] = body else { return Err(Trap::arity("`for` takes one body")) };
        let mut found = Vec::new();
        self.each(pairs, env, &mut |interp, env| {
            found.push(interp.eval(body, env)?);
            Ok(())
        })?;
        Ok(Value::list(found))
    }

    /// Calls `visit` for every way to bind the pairs of a comprehension; false where `:while` ends.
    pub(crate) fn each(
        &mut self,
        pairs: &[Form],
        env: &Env,
        visit: &mut dyn FnMut(&mut Self, &Env) -> Result<()>,
    ) -> Result<bool> {
        let [pattern, source, rest @ ..] = pairs else {
            visit(self, env)?;
            return Ok(true);
        };
        if let Some(modifier) = pattern.keyword() {
            return match &**self.program.text(modifier) {
                "when" if !self.eval(source, env)?.is_true() => Ok(true),
                "while" if !self.eval(source, env)?.is_true() => Ok(false),
                "when" | "while" => self.each(rest, env, visit),
                "let" => {
                    let env = self.bind_pairs(source, env)?;
                    self.each(rest, &env, visit)
                }
                _ => Err(Trap::unsupported("this modifier is not supported").at(pattern.span)),
            };
        }
        let source = self.eval(source, env)?;
        for item in self.items(&source)? {
            self.spend(1)?;
            let inner = self.destructure(pattern, &item, env.clone())?;
            if !self.each(rest, &inner, visit)? {
                break;
            }
        }
        Ok(true)
    }

    fn attempt(&mut self, rest: &[Form], env: &Env) -> Result<Value> {
        let word = |form: &Form| {
            let head = form.list().and_then(<[Form]>::first).and_then(Form::symbol);
            head.map(|name| Arc::clone(self.program.text(name)))
        };
        let is = |form: &&Form, wanted: &str| word(form).as_deref() == Some(wanted);
        let n_body =
            rest.iter().take_while(|form| !is(form, "catch") && !is(form, "finally")).count();
        let handlers: Vec<Form> = rest.iter().filter(|form| is(form, "catch")).cloned().collect();
        let outcome = match self.body(&rest[..n_body], env) {
            Ok(Flow::Value(value)) => return Ok(value),
            Ok(Flow::Again(_)) => return Err(Trap::unsupported("`recur` cannot leave `try`")),
            Err(trap) => trap,
        };
        for handler in &handlers {
            let Some([_, class, variable, body @ ..]) = handler.list() else { continue };
            let FormKind::Symbol { text, .. } = class.kind else { continue };
            if !outcome.is_caught_by(self.program.text(text)) {
                continue;
            }
            let message = Value::text(outcome.message.as_str());
            let env = self.destructure(variable, &message, env.clone())?;
            return match self.body(body, &env)? {
                Flow::Value(value) => Ok(value),
                Flow::Again(_) => Err(Trap::unsupported("`recur` cannot leave `catch`")),
            };
        }
        Err(outcome)
    }
}

/// The first part and the others.
fn split<'f>(rest: &'f [Form], name: &str) -> Result<(&'f Form, &'f [Form])> {
    rest.split_first().ok_or_else(|| Trap::arity(format!("`{name}` needs more parts")))
}

/// The parts of `[name value …]`.
fn pairs(bindings: &Form) -> Result<&[Form]> {
    match bindings.vector() {
        Some(pairs) if pairs.len().is_multiple_of(2) => Ok(pairs),
        _ => Err(Trap::arity("expected a vector of names and values").at(bindings.span)),
    }
}

/// The clauses of a function whose parameters start at a position.
pub(crate) fn clauses(parts: &Arc<[Form]>, from: usize) -> Result<Vec<Clause>> {
    let vector = |form: Option<&Form>| match form.map(|form| &form.kind) {
        Some(FormKind::Vector(parameters)) => Some(Arc::clone(parameters)),
        _ => None,
    };
    if let Some(parameters) = vector(parts.get(from)) {
        let parameters = Parameters::Written(parameters);
        return Ok(vec![Clause { parameters, parts: Arc::clone(parts), from: from + 1 }]);
    }
    let mut clauses = Vec::new();
    for form in &parts[from.min(parts.len())..] {
        let FormKind::List(inner) = &form.kind else { continue };
        if let Some(parameters) = vector(inner.first()) {
            let parameters = Parameters::Written(parameters);
            clauses.push(Clause { parameters, parts: Arc::clone(inner), from: 1 });
        }
    }
    if clauses.is_empty() {
        Err(Trap::unsupported("a function needs parameters"))
    } else {
        Ok(clauses)
    }
}

/// `(-> x (f a) g)` as `(g (f x a))`; `->>` puts it last.
fn thread(forms: &[Form], first: bool) -> Result<Form> {
    let Some((start, steps)) = forms.split_first() else {
        return Err(Trap::arity("`->` needs a value"));
    };
    let mut threaded = start.clone();
    for step in steps {
        let mut parts = step.list().map_or_else(|| vec![step.clone()], <[Form]>::to_vec);
        let at = if first { 1.min(parts.len()) } else { parts.len() };
        parts.insert(at, threaded);
        threaded = Form { kind: FormKind::List(parts.into()), span: step.span };
    }
    Ok(threaded)
}

/// Names that a form mentions, in order of first mention.
pub(crate) fn mentioned(form: &Form, names: &mut Vec<Name>) {
    if let Some(name) = form.symbol()
        && !names.contains(&name)
    {
        names.push(name);
    }
    form.children().iter().for_each(|child| mentioned(child, names));
}

//! The interpreter of expressions: variables, calls, closures, fuel. Special forms are in `special`,
//! functions of Clojure in `builtin`. Pure: the same form in the same environment has the same value.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille_diagnostic::Span;

use super::form::{Form, FormKind, Name};
use super::program::Program;
use super::trap::{Result, Trap};
use super::value::{Extent, Value};
use quadrille_protocol::core::Role;

/// Steps that one evaluation may take.
pub(crate) const FUEL: u64 = 5_000_000;

/// Deepest nesting of evaluation; some ten thousand calls of a recursive function.
const MAX_EVAL_DEPTH: u32 = 60_000;

/// Nesting from which evaluation goes on with a stack of its own.
const DEEP: u32 = 150;
const DEEP_STACK: usize = 512 << 20;

/// Most variables in scope.
const MAX_SCOPE: u32 = 2_000;

/// Variables in scope, innermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Env(Option<Arc<Binding>>);

#[derive(Debug)]
struct Binding {
    name: Name,
    value: Value,
    length: u32,
    extent: Extent,
    outer: Env,
}

impl Env {
    /// With one variable more.
    pub(crate) fn bind(&self, name: Name, value: Value) -> Result<Env> {
        let length = self.0.as_ref().map_or(0, |top| top.length);
        if length == MAX_SCOPE {
            return Err(Trap::unsupported("too many variables in one scope"));
        }
        let extent = self.extent().and(value.extent());
        extent.check()?;
        let outer = self.clone();
        Ok(Env(Some(Arc::new(Binding { name, value, length: length + 1, extent, outer }))))
    }

    /// The value of a variable.
    pub(crate) fn get(&self, name: Name) -> Option<&Value> {
        let mut at = self;
        while let Some(binding) = &at.0 {
            if binding.name == name {
                return Some(&binding.value);
            }
            at = &binding.outer;
        }
        None
    }

    /// Of all values in scope.
    pub(crate) fn extent(&self) -> Extent {
        self.0.as_ref().map_or(Extent::default(), |top| top.extent)
    }

    pub(crate) fn bindings(&self) -> Vec<(Name, &Value)> {
        let (mut at, mut all) = (self, Vec::new());
        while let Some(binding) = &at.0 {
            all.push((binding.name, &binding.value));
            at = &binding.outer;
        }
        all
    }
}

/// One way to call a function.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) parameters: Parameters,
    /// The body is what follows position `from`.
    pub(crate) parts: Arc<[Form]>,
    pub(crate) from: usize,
}

/// What a clause takes.
#[derive(Clone, Debug)]
pub(crate) enum Parameters {
    /// The forms of a parameter vector.
    Written(Arc<[Form]>),
    /// `%1` to `%n`, and perhaps `%&`.
    Numbered(usize, bool),
}

/// A function with the variables it saw.
#[derive(Debug)]
pub(crate) struct Closure {
    pub(crate) span: Span,
    pub(crate) name: Option<Name>,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) env: Env,
}

impl Closure {
    /// Where it is written; what tells functions apart.
    pub(crate) fn place(&self) -> Span {
        self.span
    }
}

impl Ord for Closure {
    fn cmp(&self, other: &Self) -> Ordering {
        self.span.cmp(&other.span).then_with(|| self.env.bindings().cmp(&other.env.bindings()))
    }
}

impl PartialOrd for Closure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Closure {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Closure {}

/// What the last form of a body comes to.
pub(crate) enum Flow {
    Value(Value),
    /// `recur` with these arguments.
    Again(Vec<Value>),
}

/// One evaluation.
pub(crate) struct Interp<'p> {
    pub(crate) program: &'p Program,
    fuel: u64,
    depth: u32,
}

impl<'p> Interp<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self { program, fuel: FUEL, depth: 0 }
    }

    /// The value of a form.
    pub(crate) fn eval(&mut self, form: &Form, env: &Env) -> Result<Value> {
        match self.flow(form, env)? {
            Flow::Value(value) => Ok(value),
            Flow::Again(_) => {
                Err(Trap::unsupported("`recur` is not the last thing that happens").at(form.span))
            }
        }
    }

    /// The value of a form in tail position.
    pub(crate) fn flow(&mut self, form: &Form, env: &Env) -> Result<Flow> {
        let simple = match &form.kind {
            FormKind::Nil => Value::Nil,
            FormKind::Bool(value) => Value::Bool(*value),
            FormKind::Int(value) => Value::Int(*value),
            FormKind::Symbol { name, text } => {
                return self
                    .symbol(*name, *text, env)
                    .map(Flow::Value)
                    .map_err(|t| t.at(form.span));
            }
            _ => return self.deeper(form, env),
        };
        self.spend(1).map_err(|trap| trap.at(form.span))?;
        Ok(Flow::Value(simple))
    }

    /// Takes fuel.
    pub(crate) fn spend(&mut self, amount: u64) -> Result<()> {
        match self.fuel.checked_sub(amount) {
            Some(fuel) => {
                self.fuel = fuel;
                Ok(())
            }
            None => Err(Trap::endless("evaluation does not seem to end")),
        }
    }

    /// Takes fuel for comparing or printing these values.
    pub(crate) fn spend_on(&mut self, values: &[Value]) -> Result<()> {
        self.spend(Extent::of(values).size() >> 8)
    }

    fn deeper(&mut self, form: &Form, env: &Env) -> Result<Flow> {
        self.spend(1).map_err(|trap| trap.at(form.span))?;
        if self.depth == MAX_EVAL_DEPTH {
            return Err(Trap::endless("evaluation is nested too deeply").at(form.span));
        }
        self.depth += 1;
        let flow = if self.depth == DEEP {
            self.on_own_stack(form, env)
        } else {
            self.compound(form, env)
        };
        self.depth -= 1;
        flow.map_err(|trap| trap.at(form.span))
    }

    /// Goes on in a thread with a large stack: recursion in a specification may be far deeper than
    /// the stack of the exploring thread allows.
    fn on_own_stack(&mut self, form: &Form, env: &Env) -> Result<Flow> {
        std::thread::scope(|scope| {
            let deep = std::thread::Builder::new()
                .stack_size(DEEP_STACK)
                .spawn_scoped(scope, || self.compound(form, env));
            match deep.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(flow)) => flow,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(_) => Err(Trap::endless("evaluation is nested too deeply")),
            }
        })
    }

    fn compound(&mut self, form: &Form, env: &Env) -> Result<Flow> {
        Ok(Flow::Value(match &form.kind {
            FormKind::List(parts) => return self.list(parts, form, env),
            FormKind::Vector(parts) => Value::vector(self.eval_all(parts, env)?),
            FormKind::Set(parts) => {
                let values = self.eval_all(parts, env)?;
                self.spend_on(&values)?;
                Value::set(values.into_iter().collect::<BTreeSet<_>>())
            }
            FormKind::Map(parts) => {
                let values = self.eval_all(parts, env)?;
                self.spend_on(&values)?;
                let pairs = values.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
                Value::map(pairs.collect::<BTreeMap<_, _>>())
            }
            FormKind::Lambda { n_parameters, rest, body } => {
                let parameters = Parameters::Numbered(*n_parameters, *rest);
                let parts: Arc<[Form]> = Arc::from([(**body).clone()]);
                let clauses = vec![Clause { parameters, parts, from: 0 }];
                let closure = Closure { span: form.span, name: None, clauses, env: env.clone() };
                Value::Function(Arc::new(closure))
            }
            FormKind::Quote(inner) => self.program.quoted(inner),
            _ => self.program.quoted(form),
        }))
    }

    pub(crate) fn eval_all(&mut self, forms: &[Form], env: &Env) -> Result<Vec<Value>> {
        forms.iter().map(|form| self.eval(form, env)).collect()
    }

    /// A variable, something the file defines, a function of Clojure, or the name of a class.
    fn symbol(&mut self, name: Name, text: Name, env: &Env) -> Result<Value> {
        self.spend(1)?;
        if let Some(value) = env.get(name) {
            return Ok(value.clone());
        }
        if let Some(value) = self.program.global(name) {
            return Ok(value.clone());
        }
        let meaning = self.program.meaning(name);
        if let Some(constant) = meaning.constant() {
            return Ok(constant);
        }
        if let Some(builtin) = meaning.builtin {
            return Ok(Value::Builtin(builtin));
        }
        let written = self.program.text(text);
        if looks_like_class(written) {
            return Ok(Value::Symbol(Arc::clone(written)));
        }
        Err(Trap::unknown(format!("`{written}` has no meaning here")))
    }

    fn list(&mut self, parts: &Arc<[Form]>, form: &Form, env: &Env) -> Result<Flow> {
        let Some((head, rest)) = parts.split_first() else {
            return Ok(Flow::Value(Value::list(Vec::new())));
        };
        if let FormKind::Symbol { name, text } = &head.kind
            && env.get(*name).is_none()
            && self.program.global(*name).is_none()
        {
            if let Some(special) = self.program.meaning(*name).special {
                return self.special(special, parts, form, env);
            }
            let written = Arc::clone(self.program.text(*text));
            if let Some(method) = written.strip_prefix('.').filter(|method| !method.is_empty()) {
                let arguments = self.eval_all(rest, env)?;
                return self.method(method, &arguments).map(Flow::Value);
            }
            if let Some(class) = written.strip_suffix('.').filter(|class| looks_like_class(class)) {
                let arguments = self.eval_all(rest, env)?;
                return construct(class, &arguments).map(Flow::Value);
            }
        }
        let function = self.eval(head, env)?;
        let arguments = self.eval_all(rest, env)?;
        self.apply(&function, arguments).map(Flow::Value)
    }

    /// Calls anything that can be called.
    pub(crate) fn apply(&mut self, function: &Value, arguments: Vec<Value>) -> Result<Value> {
        match function {
            Value::Function(closure) => self.apply_closure(closure, arguments),
            Value::Builtin(builtin) => self.call_builtin(*builtin, arguments),
            Value::Partial(parts) => {
                let all = parts.1.iter().cloned().chain(arguments).collect();
                self.apply(&parts.0, all)
            }
            Value::Composed(functions) => {
                let mut arguments = arguments;
                for function in functions.items.iter().rev() {
                    arguments = vec![self.apply(function, arguments)?];
                }
                Ok(arguments.pop().unwrap_or(Value::Nil))
            }
            Value::Constantly(value) => Ok((**value).clone()),
            Value::Complement(function) => {
                Ok(Value::Bool(!self.apply(function, arguments)?.is_true()))
            }
            Value::Keyword(name, _) if makes_role(&arguments) => role(name, &arguments),
            Value::Keyword(..) | Value::Set(_) | Value::Map(_) | Value::Vector(_) => {
                self.spend_on(&arguments)?;
                look_up(function, &arguments)
            }
            _ => Err(Trap::class_cast(format!("{} cannot be called", function.kind()))),
        }
    }

    fn apply_closure(&mut self, closure: &Arc<Closure>, arguments: Vec<Value>) -> Result<Value> {
        let clause = closure
            .clauses
            .iter()
            .find(|clause| clause.parameters.take(arguments.len()))
            .ok_or_else(|| self.wrong_arity(closure, arguments.len()))?;
        let mut base = closure.env.clone();
        if let Some(name) = closure.name {
            base = base.bind(name, Value::Function(Arc::clone(closure)))?;
        }
        let mut arguments = arguments;
        loop {
            let env = self.bind_parameters(&clause.parameters, arguments, &base)?;
            match self.body(&clause.parts[clause.from..], &env)? {
                Flow::Value(value) => return Ok(value),
                Flow::Again(again) => arguments = again,
            }
        }
    }

    fn wrong_arity(&self, closure: &Closure, n_arguments: usize) -> Box<Trap> {
        let name = closure.name.map_or("this function", |name| self.program.text(name));
        Trap::arity(format!("`{name}` does not take {n_arguments} arguments"))
    }

    /// Forms in order; the value of the last.
    pub(crate) fn body(&mut self, forms: &[Form], env: &Env) -> Result<Flow> {
        let Some((last, before)) = forms.split_last() else { return Ok(Flow::Value(Value::Nil)) };
        for form in before {
            self.eval(form, env)?;
        }
        self.flow(last, env)
    }
}

impl Parameters {
    pub(crate) fn take(&self, n_arguments: usize) -> bool {
        match self {
            Parameters::Numbered(n_parameters, rest) => {
                n_arguments == *n_parameters || (*rest && n_arguments > *n_parameters)
            }
            // A rest parameter is `& name`; the reader gives `&` no other use in a vector.
            Parameters::Written(forms) => match forms.len().checked_sub(2).map(|at| &forms[at]) {
                Some(Form { kind: FormKind::Symbol { name, text }, .. })
                    if name == text && *name == super::program::AMPERSAND =>
                {
                    n_arguments >= forms.len() - 2
                }
                _ => n_arguments == forms.len(),
            },
        }
    }
}

/// Names with a dot or a capital first letter stand for classes.
pub(crate) fn looks_like_class(text: &str) -> bool {
    let last = text.rsplit('.').next().unwrap_or(text);
    last.starts_with(char::is_uppercase) || (text.contains('.') && !text.starts_with('.'))
}

/// `(Exception. "message")` and its like: exceptions are their messages.
fn construct(class: &str, arguments: &[Value]) -> Result<Value> {
    if class.ends_with("Exception") || class.ends_with("Error") {
        return Ok(Value::text(arguments.first().map(Value::display).unwrap_or_default()));
    }
    Err(Trap::unsupported(format!("`{class}.` makes a Java object")))
}

/// Whether a keyword called with these is a member of a family of roles, not a look-up.
fn makes_role(arguments: &[Value]) -> bool {
    !arguments.is_empty() && arguments.iter().all(Value::is_number)
}

/// A member of a family of roles.
pub(crate) fn role(name: &str, arguments: &[Value]) -> Result<Value> {
    let indices = arguments.iter().map(|argument| match argument {
        Value::Int(index) => Ok(*index),
        other => Err(Trap::argument(format!("{} is no index", other.print()))),
    });
    let indices: Vec<i64> = indices.collect::<Result<_>>()?;
    Ok(Value::Role(Arc::new(Role::indexed(name, indices))))
}

/// A collection or keyword called as a function; also `get`.
pub(crate) fn look_up(function: &Value, arguments: &[Value]) -> Result<Value> {
    let (Some(first), true) = (arguments.first(), arguments.len() <= 2) else {
        return Err(Trap::arity(format!("{} takes one or two arguments", function.kind())));
    };
    let (collection, key) = match function {
        Value::Keyword(..) => (first, function),
        _ => (function, first),
    };
    let found = match collection {
        Value::Set(set) => set.items.get(key).cloned(),
        Value::Map(map) => map.items.get(key).cloned(),
        Value::Vector(items) => match key {
            Value::Int(index) => {
                usize::try_from(*index).ok().and_then(|index| items.items.get(index)).cloned()
            }
            _ => None,
        },
        _ => None,
    };
    Ok(found.unwrap_or_else(|| arguments.get(1).cloned().unwrap_or(Value::Nil)))
}

//! A file as a whole: what it defines, found once when it is loaded. What the definitions mean is
//! found when they are unfolded, in `lower`.

use std::sync::Arc;

use quadrille_diagnostic::{Diagnostic, SourceId, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::builtin::Builtin;
use super::codes::{BAD_DEFINITION, PASSED_OVER};
use super::eval::{Closure, Env, Interp};
use super::form::{Form, FormKind, Name, Names};
use super::lower::SpecForm;
use super::reader;
use super::special::{Special, clauses, mentioned};
use super::value::Value;

/// The sessions that Discourje brings: `::s/pipe` and `::s/-->>not`. At most one loop, since loops are known
/// by their place.
const PREDEFINED: &str = "
    (s/defsession ::-->>not [t a b] (s/-->> (fn [x] (not= (type x) t)) a b))
    (s/defsession ::pipe [t r from to]
      (s/loop along [i from]
        (s/if (< i (dec to))
          (s/cat (s/-->> t (r i) (r (inc i))) (s/recur along (inc i))))))
    (s/defsession ::pipe [t r n] (::pipe t r 0 n))";

/// The name of the sign before a rest parameter; the first in every table of names.
pub(crate) const AMPERSAND: Name = Name(0);

/// What a name means where no variable and no definition of the file has it.
#[derive(Clone, Default)]
pub(crate) struct Meaning {
    pub(crate) special: Option<Special>,
    pub(crate) builtin: Option<Builtin>,
    pub(crate) spec: Option<SpecForm>,
    constant: Option<Value>,
}

impl Meaning {
    fn of(name: &str) -> Self {
        let constant = match name {
            "empty-set" => Some(Value::set(std::collections::BTreeSet::new())),
            "Math/PI" => Some(Value::Float(std::f64::consts::PI)),
            "Math/E" => Some(Value::Float(std::f64::consts::E)),
            "Long/MAX_VALUE" => Some(Value::Int(i64::MAX)),
            "Long/MIN_VALUE" => Some(Value::Int(i64::MIN)),
            "Integer/MAX_VALUE" => Some(Value::Int(i64::from(i32::MAX))),
            "Integer/MIN_VALUE" => Some(Value::Int(i64::from(i32::MIN))),
            _ => None,
        };
        Self {
            special: Special::from_name(name),
            builtin: Builtin::from_name(name),
            spec: SpecForm::from_name(name),
            constant,
        }
    }

    pub(crate) fn constant(&self) -> Option<Value> {
        self.constant.clone()
    }
}

/// Something a call in a term refers to.
#[derive(Clone)]
pub(crate) enum Definition {
    Session(Session),
    Loop(Loop),
    Graph(Graph),
}

/// `(s/defsession ::name [parameter …] protocol …)`
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Name>,
    /// The whole form; the body follows position `from`.
    pub(crate) parts: Arc<[Form]>,
    pub(crate) from: usize,
    pub(crate) span: Span,
}

impl Session {
    /// Whether Discourje brings it; it stands in no file then.
    pub(crate) fn is_predefined(&self) -> bool {
        self.span.start == self.span.end
    }
}

/// `(s/loop name [variable value …] protocol …)`
#[derive(Clone)]
pub(crate) struct Loop {
    pub(crate) name: Name,
    /// The names of the variables; patterns are not used here.
    pub(crate) variables: Vec<Name>,
    /// Variables from outside that the body may use.
    pub(crate) captured: Vec<Name>,
    /// Definitions of the loops around it that the body may go on with.
    pub(crate) outer: Vec<usize>,
    /// The whole form.
    pub(crate) parts: Arc<[Form]>,
    pub(crate) span: Span,
}

/// `(s/graph des (start …) (from "action" to) …)`
#[derive(Clone)]
pub(crate) struct Graph {
    /// The whole form.
    pub(crate) parts: Arc<[Form]>,
    pub(crate) span: Span,
}

/// A file.
#[derive(Clone, Default)]
pub(crate) struct Program {
    names: Names,
    meanings: Vec<Meaning>,
    globals: FxHashMap<Name, Value>,
    /// Names under which roles are shown.
    roles: FxHashMap<Name, Arc<str>>,
    /// The same names in order, and where they are declared.
    pub(crate) declared: Vec<(Arc<str>, Span)>,
    pub(crate) definitions: Vec<Definition>,
    /// Sessions by name and number of parameters.
    sessions: FxHashMap<(Name, usize), usize>,
    /// Loops and graphs by the place of their forms.
    placed: FxHashMap<Span, usize>,
}

impl Program {
    /// Reads a file.
    pub(crate) fn load(source: SourceId, text: &str) -> (Self, Vec<Diagnostic>) {
        let mut program = Program::default();
        program.names.intern("&");
        let (mut predefined, _) = reader::read(source, PREDEFINED, &mut program.names);
        predefined.iter_mut().for_each(Form::forget_place);
        let (forms, diagnostics) = reader::read(source, text, &mut program.names);
        program.learn_meanings();
        let mut loader = Loader { program, diagnostics, bound: FxHashSet::default() };
        for forms in [predefined, forms] {
            loader.bound.clear();
            forms.iter().for_each(|form| loader.find_bound(form));
            forms.iter().for_each(|form| loader.top(form));
        }
        (loader.program, loader.diagnostics)
    }

    /// Reads further forms, such as arguments, in the terms of this program.
    pub(crate) fn read(&mut self, source: SourceId, text: &str) -> (Vec<Form>, Vec<Diagnostic>) {
        let read = reader::read(source, text, &mut self.names);
        self.learn_meanings();
        read
    }

    fn learn_meanings(&mut self) {
        for number in self.meanings.len()..self.names.len() {
            let name = Name(number as u32);
            self.meanings.push(Meaning::of(self.names.text(name)));
        }
    }

    pub(crate) fn text(&self, name: Name) -> &Arc<str> {
        self.names.text(name)
    }

    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        self.names.find(text)
    }

    pub(crate) fn meaning(&self, name: Name) -> &Meaning {
        &self.meanings[name.0 as usize]
    }

    /// What the file defines with `def` and `defn`.
    pub(crate) fn global(&self, name: Name) -> Option<&Value> {
        self.globals.get(&name)
    }

    /// The name under which a role is shown.
    pub(crate) fn role_name(&self, name: &str) -> Arc<str> {
        let declared = self.find(name).and_then(|name| self.roles.get(&name));
        declared.cloned().unwrap_or_else(|| name.into())
    }

    /// Whether the file declares a role.
    pub(crate) fn is_role(&self, name: Name) -> bool {
        self.roles.contains_key(&name)
    }

    /// The definition of a session.
    pub(crate) fn session(&self, name: Name, n_arguments: usize) -> Option<usize> {
        self.sessions.get(&(name, n_arguments)).copied()
    }

    /// All sessions in order of definition.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.definitions.iter().filter_map(|definition| match definition {
            Definition::Session(session) => Some(session),
            _ => None,
        })
    }

    /// The loop or graph that is written at a place.
    pub(crate) fn placed(&self, span: Span) -> Option<usize> {
        self.placed.get(&span).copied()
    }

    /// A form as data.
    pub(crate) fn quoted(&self, form: &Form) -> Value {
        let all = |parts: &[Form]| parts.iter().map(|part| self.quoted(part)).collect::<Vec<_>>();
        match &form.kind {
            FormKind::Nil => Value::Nil,
            FormKind::Bool(value) => Value::Bool(*value),
            FormKind::Int(value) => Value::Int(*value),
            FormKind::Ratio(upper, lower) => {
                super::value::ratio(i128::from(*upper), i128::from(*lower)).unwrap_or(Value::Nil)
            }
            FormKind::Float(value) => Value::Float(*value),
            FormKind::Text(text) => Value::Text(Arc::clone(text)),
            FormKind::Char(character) => Value::Char(*character),
            FormKind::Regex(pattern) => Value::Regex(Arc::clone(pattern)),
            FormKind::Keyword { name, own } => Value::Keyword(Arc::clone(self.text(*name)), *own),
            FormKind::Symbol { text, .. } => Value::Symbol(Arc::clone(self.text(*text))),
            FormKind::List(parts) => Value::list(all(parts)),
            FormKind::Vector(parts) => Value::vector(all(parts)),
            FormKind::Set(parts) => Value::set(all(parts).into_iter().collect()),
            FormKind::Map(parts) => {
                let values = all(parts);
                let pairs = values.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
                Value::map(pairs.collect())
            }
            FormKind::Lambda { body, .. } | FormKind::Quote(body) => self.quoted(body),
        }
    }
}

/// Fills a program from the forms of a file.
struct Loader {
    program: Program,
    diagnostics: Vec<Diagnostic>,
    /// Names that occur inside some vector: only these can ever be variables.
    bound: FxHashSet<Name>,
}

impl Loader {
    fn find_bound(&mut self, form: &Form) {
        if let FormKind::Vector(parts) = &form.kind {
            for part in parts.iter() {
                let mut names = Vec::new();
                mentioned(part, &mut names);
                self.bound.extend(names);
            }
        }
        form.children().iter().for_each(|child| self.find_bound(child));
    }

    fn wrong(&mut self, span: Span, message: &str, label: &str) {
        self.diagnostics.push(Diagnostic::error(&BAD_DEFINITION, message).at(span, label));
    }

    fn pass_over(&mut self, form: &Form) {
        let warning = Diagnostic::warning(&PASSED_OVER, "this form is passed over");
        self.diagnostics.push(warning.at(form.span, "neither a role, a session nor a function"));
    }

    fn top(&mut self, form: &Form) {
        let FormKind::List(parts) = &form.kind else { return self.pass_over(form) };
        let Some(head) = parts.first().and_then(Form::symbol) else { return self.pass_over(form) };
        let head = Arc::clone(self.program.text(head));
        match &*head {
            "defsession" => self.session(parts, form),
            "defrole" => self.role(parts, form),
            "defroles" => self.roles(parts),
            "defn" | "defn-" => self.function(parts, form),
            "def" | "defonce" => self.value(parts, form),
            "do" => parts[1..].iter().for_each(|part| self.top(part)),
            "ns" | "in-ns" | "require" | "use" | "import" | "refer" | "refer-clojure"
            | "declare" | "comment" | "defrecord" | "deftype" | "defprotocol" | "load"
            | "load-file" => {}
            _ => self.pass_over(form),
        }
    }

    fn role(&mut self, parts: &[Form], form: &Form) {
        let name = parts.get(1).and_then(|name| name.keyword().or(name.symbol()));
        let shown = match parts.get(2).map(|shown| &shown.kind) {
            Some(FormKind::Text(text)) => Some(Arc::clone(text)),
            None => name.map(|name| Arc::clone(self.program.text(name))),
            Some(_) => None,
        };
        match (name, shown, parts.len()) {
            (Some(name), Some(shown), 2 | 3) => {
                self.program.declared.push((Arc::clone(&shown), form.span));
                self.program.roles.insert(name, shown);
            }
            _ => self.wrong(form.span, "a role needs a name", "write `(s/defrole ::name)`"),
        }
    }

    fn roles(&mut self, parts: &[Form]) {
        for part in &parts[1..] {
            match part.keyword().or(part.symbol()) {
                Some(name) => {
                    let shown = Arc::clone(self.program.text(name));
                    self.program.declared.push((Arc::clone(&shown), part.span));
                    self.program.roles.insert(name, shown);
                }
                None => self.wrong(part.span, "a role needs a name", "write `::name`"),
            }
        }
    }

    fn session(&mut self, parts: &Arc<[Form]>, form: &Form) {
        let name = parts.get(1).and_then(|name| name.keyword().or(name.symbol()));
        let from =
            2 + usize::from(matches!(parts.get(2).map(|part| &part.kind), Some(FormKind::Text(_))));
        let (Some(name), Some(parameters)) = (name, parts.get(from).and_then(Form::vector)) else {
            let label = "write `(s/defsession ::name [parameter …] protocol …)`";
            return self.wrong(form.span, "a session needs a name and parameters", label);
        };
        let mut names = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            match parameter.symbol() {
                Some(parameter) if !names.contains(&parameter) => names.push(parameter),
                Some(_) => self.wrong(parameter.span, "two parameters have one name", ""),
                None => self.wrong(parameter.span, "a parameter is a name", "not a name"),
            }
        }
        let index = self.program.definitions.len();
        if let Some(earlier) = self.program.sessions.insert((name, names.len()), index) {
            self.defined_twice(name, earlier, form.span);
        }
        self.program.definitions.push(Definition::Session(Session {
            name,
            parameters: names,
            parts: Arc::clone(parts),
            from: from + 1,
            span: form.span,
        }));
        let mut enclosing = Vec::new();
        parts[from + 1..].iter().for_each(|part| self.place(part, &mut enclosing));
    }

    /// As in Clojure, the later definition takes the place of the earlier one.
    fn defined_twice(&mut self, name: Name, earlier: usize, span: Span) {
        let Definition::Session(session) = &self.program.definitions[earlier] else { return };
        if session.is_predefined() {
            return;
        }
        let n_parameters = session.parameters.len();
        let noun = if n_parameters == 1 { "parameter" } else { "parameters" };
        let name = self.program.text(name);
        let message = format!("session `{name}` with {n_parameters} {noun} is defined twice");
        self.diagnostics.push(
            Diagnostic::warning(&BAD_DEFINITION, message)
                .at(span, "this one is taken")
                .at(session.span, "this one is never used")
                .help("rename one of them, or remove it"),
        );
    }

    fn function(&mut self, parts: &Arc<[Form]>, form: &Form) {
        let Some(name) = parts.get(1).and_then(Form::symbol) else {
            return self.wrong(form.span, "a function needs a name", "write `(defn name [x] …)`");
        };
        let is_doc = |form: &Form| matches!(form.kind, FormKind::Text(_) | FormKind::Map(_));
        let from = 2 + parts[2..].iter().take_while(|part| is_doc(part)).count();
        match clauses(parts, from) {
            Ok(clauses) => {
                let closure =
                    Closure { span: form.span, name: Some(name), clauses, env: Env::default() };
                self.program.globals.insert(name, Value::Function(Arc::new(closure)));
            }
            Err(_) => {
                let label = "write `(defn name [x] …)`";
                return self.wrong(form.span, "a function needs parameters", label);
            }
        }
        let mut enclosing = Vec::new();
        parts[from..].iter().for_each(|part| self.place(part, &mut enclosing));
    }

    fn value(&mut self, parts: &[Form], form: &Form) {
        let (Some(name), Some(value)) = (parts.get(1).and_then(Form::symbol), parts.last()) else {
            return self.wrong(form.span, "a definition needs a name", "write `(def name value)`");
        };
        if parts.len() < 3 {
            return;
        }
        match Interp::new(&self.program).eval(value, &Env::default()) {
            Ok(value) => {
                self.program.globals.insert(name, value);
            }
            // The value may belong to code that runs the protocol; a use of it is reported.
            Err(trap) => {
                let mut diagnostic = trap.diagnostic(value.span);
                diagnostic.severity = quadrille_diagnostic::Severity::Warning;
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// Numbers the loops and graphs inside a form. `enclosing` are the loops around it.
    fn place(&mut self, form: &Form, enclosing: &mut Vec<(Name, usize)>) {
        let FormKind::List(parts) = &form.kind else {
            return form.children().iter().for_each(|child| self.place(child, enclosing));
        };
        let head = parts.first().and_then(Form::symbol);
        let spec = head.and_then(|head| self.program.meaning(head).spec);
        let n_enclosing = enclosing.len();
        let index = self.program.definitions.len();
        let definition = match (spec, &parts[..]) {
            (Some(SpecForm::Loop), [_, name, bindings, body @ ..]) => {
                let name = name.keyword().or(name.symbol());
                let (Some(name), Some(bindings)) = (name, bindings.vector()) else {
                    return parts.iter().for_each(|part| self.place(part, enclosing));
                };
                let variables = bindings.iter().step_by(2).filter_map(Form::symbol).collect();
                let mut captured = Vec::new();
                body.iter().for_each(|form| mentioned(form, &mut captured));
                captured.retain(|name| self.bound.contains(name));
                let mut targets = Vec::new();
                body.iter().for_each(|form| self.recur_targets(form, &mut targets));
                let outer = enclosing.iter().filter(|(name, _)| targets.contains(name));
                let outer = outer.map(|&(_, index)| index).collect();
                enclosing.push((name, index));
                let parts = Arc::clone(parts);
                let span = form.span;
                Definition::Loop(Loop { name, variables, captured, outer, parts, span })
            }
            (Some(SpecForm::Graph), _) => {
                Definition::Graph(Graph { parts: Arc::clone(parts), span: form.span })
            }
            _ => return parts.iter().for_each(|part| self.place(part, enclosing)),
        };
        self.program.definitions.push(definition);
        self.program.placed.insert(form.span, index);
        parts.iter().for_each(|part| self.place(part, enclosing));
        enclosing.truncate(n_enclosing);
    }

    /// The names of loops that a form goes on with.
    fn recur_targets(&self, form: &Form, targets: &mut Vec<Name>) {
        if let Some([head, name, ..]) = form.list()
            && head.symbol().and_then(|head| self.program.meaning(head).spec)
                == Some(SpecForm::Recur)
        {
            targets.extend(name.keyword().or(name.symbol()));
        }
        form.children().iter().for_each(|child| self.recur_targets(child, targets));
    }
}

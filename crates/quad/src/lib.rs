//! The `.quad` language: protocols as people write them, with properties beside them.
//!
//! [`load`] reads a text and reports everything that is wrong with it; [`QuadProgram::sessions`] starts the
//! protocols that the properties speak about, [`QuadProgram::start`] any one of them. A [`Session`]
//! is a [`ProtocolModel`] and the properties to check on it.
//!
//! Tokens ([`quadrille_logic::Cursor`]) become a tree ([`tree`]); names and types are checked
//! (`resolve`, `scope`, `body`); what is left is evaluated and lowered into the core when a search reaches
//! it (`setting`, `eval`, `lower`, `message`). The language is described in `docs/quad.md`.
#![forbid(unsafe_code)]

pub mod atoms;
mod body;
mod codes;
mod eval;
mod expression;
mod idle;
mod lower;
mod message;
mod parse;
mod pattern;
mod print;
mod program;
mod properties;
mod resolve;
mod scope;
mod setting;
mod statement;
pub mod tree;

use std::sync::Arc;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span, similar};
use quadrille_logic::Cursor;
use quadrille_model::Expected;

pub use codes::*;
pub use parse::parse;
pub use pattern::{MessagePattern, Pattern, RolePattern, Verb};
pub use print::print;
pub use properties::{Atom, Claim, Property};

use expression::Expressions;
use lower::QuadDefinitions;
use program::{Program, PropertyDecl, ProtocolId, Type, Value};
use quadrille_protocol::core::intern::Interner;
use quadrille_protocol::core::{Identity, ProtocolModel, Terms};
use scope::{Scope, wrong_number};
use setting::Setting;

/// A text without errors.
#[derive(Clone)]
pub struct QuadProgram {
    program: Arc<Program>,
    whole: Span,
}

/// A protocol that a text declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProtocolInfo {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<String>,
    /// Where it is declared.
    pub span: Span,
}

/// A message that a text declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageInfo {
    /// Its name.
    pub name: String,
    /// Its fields. The content of a message shows their values in this order, with `, ` between.
    pub fields: Vec<FieldInfo>,
    /// The Rust type it stands for, as a path.
    pub rust_type: Option<String>,
}

/// A field of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldInfo {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: FieldKind,
}

/// What the values of a field are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// `true` and `false`.
    Bool,
    /// Numbers.
    Number,
    /// The values of an enumeration, by its name.
    Enumeration(String),
}

/// An enumeration that a text declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumerationInfo {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<String>,
}

/// A protocol that was started, and what is to be checked on it.
pub struct Session {
    /// The protocol's name.
    pub protocol: String,
    /// Its arguments, as people write them.
    pub arguments: Vec<String>,
    /// What it does.
    pub model: ProtocolModel,
    /// The properties that speak about it, in the order of the text.
    pub properties: Vec<Property>,
    /// Whether it gets stuck, as the text expects: `property NAME (violated): no deadlock;`.
    pub no_deadlock: Expected,
    /// Reads further formulas about it.
    pub formulas: Formulas,
}

/// Reads formulas about a session that was started, in the language of its text.
#[derive(Clone)]
pub struct Formulas {
    setting: Setting,
    protocol: ProtocolId,
}

impl Formulas {
    /// Reads a formula. Conditions on variables that are new become propositions of the model.
    pub fn read(
        &self,
        sources: &Sources,
        formula: Span,
        model: &mut ProtocolModel,
    ) -> Result<Property, Vec<Diagnostic>> {
        let decl = PropertyDecl {
            name: tree::Name { text: String::new(), span: formula },
            protocol: self.protocol,
            arguments: Vec::new(),
            runs: quadrille_model::Runs::Maximal,
            violated: false,
            formula,
        };
        let mut conditions = model.conditions();
        let n_known = conditions.len();
        let property =
            properties::read(sources, &self.setting, model.terms(), &decl, &mut conditions)?;
        for (text, condition) in conditions.split_off(n_known) {
            model.add_proposition(text, condition);
        }
        Ok(property)
    }
}

/// Reads a text. There is a program exactly when no diagnostic is an error.
pub fn load(sources: &Sources, source: SourceId) -> (Option<QuadProgram>, Vec<Diagnostic>) {
    let (file, mut diagnostics) = parse(sources, source);
    if !diagnostics.is_empty() {
        return (None, diagnostics);
    }
    let whole = Span::new(source, 0..sources.text(source).len());
    let (program, found) = resolve::resolve(&file, whole);
    diagnostics.extend(found);
    let mut program = QuadProgram { program: Arc::new(program), whole };
    if !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.extend(program.check(sources));
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span));
    diagnostics.dedup();
    let good = !diagnostics.iter().any(Diagnostic::is_error);
    program.whole.end = program.whole.start;
    (good.then_some(program), diagnostics)
}

impl QuadProgram {
    /// The protocols in order of declaration. The first is taken where none is named.
    pub fn protocols(&self) -> Vec<ProtocolInfo> {
        let info = |protocol: &program::Protocol| ProtocolInfo {
            name: protocol.name.text.clone(),
            parameters: protocol.parameters.iter().map(|each| each.name.text.clone()).collect(),
            span: protocol.name.span,
        };
        self.program.protocols.iter().map(info).collect()
    }

    /// The messages in order of declaration.
    pub fn messages(&self) -> Vec<MessageInfo> {
        let info = |message: &program::MessageKind| MessageInfo {
            name: message.name.text.clone(),
            fields: message.fields.iter().map(|field| self.field(field)).collect(),
            rust_type: message.rust_type.clone(),
        };
        self.program.messages.iter().map(info).collect()
    }

    fn field(&self, (name, domain): &(tree::Name, program::Domain)) -> FieldInfo {
        let kind = match domain {
            program::Domain::Bool => FieldKind::Bool,
            program::Domain::Range(_) => FieldKind::Number,
            program::Domain::Enum(id) => {
                FieldKind::Enumeration(self.program.enums[id.0].name.text.clone())
            }
        };
        FieldInfo { name: name.text.clone(), kind }
    }

    /// The names of roles and their families in order of declaration.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        self.program.families.iter().map(|family| family.name.text.as_str())
    }

    /// The enumerations in order of declaration.
    pub fn enumerations(&self) -> Vec<EnumerationInfo> {
        let info = |each: &program::Enumeration| EnumerationInfo {
            name: each.name.text.clone(),
            values: each.values.iter().map(|value| value.text.clone()).collect(),
        };
        self.program.enums.iter().map(info).collect()
    }

    /// Starts every protocol that properties speak about, once for each list of arguments; without
    /// properties, the first one. `parameters` replace the usual values of parameters of the text.
    pub fn sessions(
        &self,
        sources: &mut Sources,
        parameters: &[(&str, &str)],
    ) -> Result<Vec<Session>, Vec<Diagnostic>> {
        let setting = self.setting(sources, parameters)?;
        let mut starts: Vec<(ProtocolId, Vec<Value>)> = Vec::new();
        for decl in &self.program.properties {
            let start = (decl.protocol, arguments_of(&setting, decl)?);
            if !starts.contains(&start) {
                starts.push(start);
            }
        }
        if starts.is_empty() {
            starts.push(self.first(&setting)?);
        }
        let start = |(protocol, values): &(ProtocolId, Vec<Value>)| {
            self.session(sources, &setting, *protocol, values)
        };
        starts.iter().map(start).collect()
    }

    /// Starts a protocol; without a name, the first. Arguments and parameters are written as in the
    /// language; each becomes a source of its own, so that diagnostics can show it.
    pub fn start(
        &self,
        sources: &mut Sources,
        protocol: Option<&str>,
        arguments: &[&str],
        parameters: &[(&str, &str)],
    ) -> Result<Session, Vec<Diagnostic>> {
        let setting = self.setting(sources, parameters)?;
        let id = match protocol {
            None => ProtocolId(0),
            Some(name) => self.find(name).map_err(|unknown| vec![unknown])?,
        };
        let declared = &self.program.protocols[id.0];
        if arguments.len() > declared.parameters.len() {
            return Err(vec![wrong_number(
                &declared.name.text,
                declared.name.span,
                declared.parameters.len(),
                arguments.len(),
            )]);
        }
        let mut values = Vec::new();
        for (position, parameter) in declared.parameters.iter().enumerate() {
            values.push(match (arguments.get(position), &parameter.default) {
                (Some(text), _) => {
                    let source = sources.add(format!("argument {}", position + 1), *text);
                    let value = self.value(sources, source, &setting, &parameter.value_type);
                    value.map_err(|diagnostic| vec![diagnostic])?
                }
                (None, Some(default)) => setting.constant(default).map_err(unboxed)?,
                (None, None) => {
                    let (name, span) = (&declared.name.text, declared.name.span);
                    let wanted = declared.parameters.len();
                    return Err(vec![wrong_number(name, span, wanted, arguments.len())]);
                }
            });
        }
        self.session(sources, &setting, id, &values)
    }

    fn find(&self, name: &str) -> Result<ProtocolId, Diagnostic> {
        let protocols = &self.program.protocols;
        let found = protocols.iter().position(|protocol| protocol.name.text == name);
        found.map(ProtocolId).ok_or_else(|| {
            let known = protocols.iter().map(|protocol| protocol.name.text.as_str());
            let help = match similar(name, known.clone()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("protocols here are: {}", known.collect::<Vec<_>>().join(", ")),
            };
            Diagnostic::error(&UNKNOWN, format!("there is no protocol `{name}`"))
                .at(self.whole, "not declared in this text")
                .help(help)
        })
    }

    /// The first protocol with its usual arguments.
    fn first(&self, setting: &Setting) -> Result<(ProtocolId, Vec<Value>), Vec<Diagnostic>> {
        let protocol = &self.program.protocols[0];
        let defaults = protocol.parameters.iter().filter_map(|each| each.default.as_ref());
        let values = defaults.map(|value| setting.constant(value));
        let values: Vec<Value> = values.collect::<Result<_, _>>().map_err(unboxed)?;
        let wanted = protocol.parameters.len();
        if values.len() < wanted {
            let (name, span) = (&protocol.name.text, protocol.name.span);
            return Err(vec![wrong_number(name, span, wanted, values.len())]);
        }
        Ok((ProtocolId(0), values))
    }

    fn setting(
        &self,
        sources: &mut Sources,
        parameters: &[(&str, &str)],
    ) -> Result<Setting, Vec<Diagnostic>> {
        let usual = Setting::new(&self.program, &[])?;
        let mut given = Vec::new();
        for (name, text) in parameters {
            let source = sources.add(format!("parameter {name}"), *text);
            let known = self.program.parameters.iter().map(|(known, _)| known.text.as_str());
            if !known.clone().any(|known| known == *name) {
                let help = match similar(name, known.clone()).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if self.program.parameters.is_empty() => {
                        format!("declare it: `parameter {name} = {text};`")
                    }
                    None => {
                        format!("parameters here are: {}", known.collect::<Vec<_>>().join(", "))
                    }
                };
                let message = format!("there is no parameter `{name}`");
                let span = Span::new(source, 0..text.len());
                let unknown = Diagnostic::error(&UNKNOWN, message).at(span, "a value for it");
                return Err(vec![unknown.help(help)]);
            }
            if given.iter().any(|(other, _)| other == name) {
                let message = format!("parameter `{name}` is given twice");
                let span = Span::new(source, 0..text.len());
                let twice = Diagnostic::error(&TWICE, message).at(span, "the second time");
                return Err(vec![twice.help("give it once")]);
            }
            let value = self.value(sources, source, &usual, &Type::Int);
            let value = value.map_err(|diagnostic| vec![diagnostic])?;
            given.push(((*name).to_owned(), value.number().unwrap_or(0)));
        }
        Setting::new(&self.program, &given)
    }

    /// The value that a source holds.
    fn value(
        &self,
        sources: &Sources,
        source: SourceId,
        setting: &Setting,
        wanted: &Type,
    ) -> Result<Value, Diagnostic> {
        let whole = Span::new(source, 0..sources.text(source).len());
        let mut found = Vec::new();
        let mut cursor = Cursor::new(sources, whole, &mut found);
        let expr = Expressions { cursor: &mut cursor, depth: 0 }.whole()?;
        if cursor.peek().kind != quadrille_logic::TokenKind::End {
            return Err(expression::unexpected(&cursor, "one value"));
        }
        let mut scope = Scope::new(&self.program);
        let expr = scope.constant(&expr, wanted, "this argument");
        match scope.diagnostics.into_iter().next() {
            Some(diagnostic) => Err(diagnostic),
            None => setting.constant(&expr).map_err(|diagnostic| *diagnostic),
        }
    }

    fn session(
        &self,
        sources: &Sources,
        setting: &Setting,
        protocol: ProtocolId,
        values: &[Value],
    ) -> Result<Session, Vec<Diagnostic>> {
        let terms = Terms::new(Identity::Normal, setting.variables.clone());
        let mut conditions = Vec::new();
        let mut properties = Vec::new();
        let mut no_deadlock = Expected::Holds;
        for decl in self.program.properties.iter().filter(|decl| decl.protocol == protocol) {
            if arguments_of(setting, decl)? != values {
                continue;
            }
            if is_about_deadlock(sources, decl) {
                let violated = decl.violated;
                no_deadlock = if violated { Expected::Violated } else { Expected::Holds };
            } else {
                let property = properties::read(sources, setting, &terms, decl, &mut conditions)?;
                properties.push(property);
            }
        }
        let definitions = QuadDefinitions { setting: setting.clone(), words: Interner::default() };
        let start = definitions.start(&terms, protocol, values);
        let mut model = ProtocolModel::new(terms, start, Box::new(definitions));
        for (text, condition) in conditions {
            model.add_proposition(text, condition);
        }
        Ok(Session {
            protocol: self.program.protocols[protocol.0].name.text.clone(),
            arguments: values.iter().map(|value| self.program.show(value)).collect(),
            model,
            properties,
            no_deadlock,
            formulas: Formulas { setting: setting.clone(), protocol },
        })
    }

    /// What is wrong with values and formulas where the parameters have their usual values.
    fn check(&self, sources: &Sources) -> Vec<Diagnostic> {
        let setting = match Setting::new(&self.program, &[]) {
            Ok(setting) => setting,
            Err(diagnostics) => return diagnostics,
        };
        let terms = Terms::new(Identity::Normal, setting.variables.clone());
        let mut found = Vec::new();
        for decl in &self.program.properties {
            if let Err(diagnostics) = arguments_of(&setting, decl) {
                found.extend(diagnostics);
            }
            if !is_about_deadlock(sources, decl) {
                let read = properties::read(sources, &setting, &terms, decl, &mut Vec::new());
                found.extend(read.err().into_iter().flatten());
            }
        }
        found
    }
}

/// Whether a property is `no deadlock`, which is no formula.
fn is_about_deadlock(sources: &Sources, decl: &PropertyDecl) -> bool {
    sources.slice(decl.formula).split_whitespace().eq(["no", "deadlock"])
}

fn arguments_of(setting: &Setting, decl: &PropertyDecl) -> Result<Vec<Value>, Vec<Diagnostic>> {
    let values = decl.arguments.iter().map(|argument| setting.constant(argument));
    values.collect::<Result<_, _>>().map_err(unboxed)
}

#[expect(clippy::boxed_local, reason = "the shape in which errors come")]
fn unboxed(diagnostic: Box<Diagnostic>) -> Vec<Diagnostic> {
    vec![*diagnostic]
}

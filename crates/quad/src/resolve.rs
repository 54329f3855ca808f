//! Declarations: who is who. First every name is declared, then everything that mentions names is
//! looked at, so that the order of the text does not matter (but for parameters).

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_model::Runs;
use rustc_hash::FxHashSet;

use super::body::Bodies;
use super::codes;
use super::program::{
    Array, ArrayId, Domain, EnumId, Enumeration, EventId, Family, FamilyId, Global, MessageId,
    MessageKind, Parameter, ParameterId, Program, PropertyDecl, Protocol, ProtocolId, Sought, Type,
};
use super::properties::{PropertyOption, option};
use super::scope::{Scope, wrong_number};
use super::tree::{self, ExprKind, File, Item, Name};

/// Looks up every name of a text and checks every type. `whole` is the place of the text.
pub(super) fn resolve(file: &File, whole: Span) -> (Program, Vec<Diagnostic>) {
    let mut program = Program::default();
    let mut diagnostics = Vec::new();
    for item in &file.items {
        declare(&mut program, item, &mut diagnostics);
    }
    let mut used = FxHashSet::default();
    enter_domains(file, &mut program, &mut diagnostics, &mut used);
    enter_protocols(file, &mut program, &mut diagnostics, &mut used);
    enter_properties(file, &mut program, &mut diagnostics, &mut used);
    if program.protocols.is_empty() {
        diagnostics.push(
            Diagnostic::error(&codes::NO_PROTOCOL, "the text has no protocol")
                .at(Span { end: whole.start, ..whole }, "nothing can happen here")
                .help("add one: `protocol name { … }`"),
        );
    }
    if !diagnostics.iter().any(Diagnostic::is_error) {
        warn_of_unused(&program, &used, &mut diagnostics);
    }
    (program, diagnostics)
}

/// Enters the names of a declaration. What needs other names is filled in later.
fn declare(program: &mut Program, item: &Item, diagnostics: &mut Vec<Diagnostic>) {
    let mut enter = |name: &Name, global: Global| match program.names.get(&name.text) {
        None => {
            program.names.insert(name.text.clone(), global);
        }
        Some(_) => diagnostics.push(twice(name)),
    };
    match item {
        Item::Parameter(name, _) => {
            enter(name, Global::Parameter(ParameterId(program.parameters.len())));
            program.parameters.push((name.clone(), None));
        }
        Item::Enum(name, values) => {
            let id = EnumId(program.enums.len());
            enter(name, Global::Enum(id));
            for (position, value) in values.iter().enumerate() {
                enter(value, Global::Value(id, position as u32));
            }
            if values.is_empty() {
                diagnostics.push(
                    Diagnostic::error(&codes::DOMAIN, "an enumeration without values")
                        .at(name.span, "has no values")
                        .help("name at least one"),
                );
            }
            program.enums.push(Enumeration { name: name.clone(), values: values.clone() });
        }
        Item::Message(message) => {
            enter(&message.name, Global::Message(MessageId(program.messages.len())));
            program.messages.push(MessageKind {
                name: message.name.clone(),
                fields: Vec::new(),
                rust_type: message.rust_type.as_ref().map(|path| path.text.clone()),
            });
        }
        Item::Event(name) => {
            enter(name, Global::Event(EventId(program.events.len())));
            program.events.push(name.clone());
        }
        Item::Role(name, _) => {
            enter(name, Global::Role(FamilyId(program.families.len())));
            program.families.push(Family { name: name.clone(), dimensions: Vec::new() });
        }
        Item::Variable(variable) => {
            enter(&variable.name, Global::Variable(ArrayId(program.arrays.len())));
            program.arrays.push(Array {
                name: variable.name.clone(),
                dimensions: Vec::new(),
                domain: Domain::Bool,
                initial: None,
            });
        }
        Item::Protocol(protocol) => {
            enter(&protocol.name, Global::Protocol(ProtocolId(program.protocols.len())));
            program.protocols.push(Protocol {
                name: protocol.name.clone(),
                parameters: Vec::new(),
                body: Vec::new(),
                n_locals: 0,
            });
        }
        Item::Property(_) => {}
    }
}

fn twice(name: &Name) -> Diagnostic {
    Diagnostic::error(&codes::TWICE, format!("`{}` is declared twice", name.text))
        .at(name.span, "the second time")
        .help("rename one of the two")
}

/// Runs a part of the work in a scope of its own.
fn scoped<T>(
    program: &Program,
    diagnostics: &mut Vec<Diagnostic>,
    used: &mut FxHashSet<Global>,
    work: impl FnOnce(&mut Scope<'_>) -> T,
) -> T {
    let mut scope = Scope::new(program);
    let done = work(&mut scope);
    diagnostics.append(&mut scope.diagnostics);
    used.extend(scope.used);
    done
}

/// Parameters, domains and dimensions: constants all of them.
fn enter_domains(
    file: &File,
    program: &mut Program,
    diagnostics: &mut Vec<Diagnostic>,
    used: &mut FxHashSet<Global>,
) {
    let numbers = Type::set_of(Type::Int);
    let (mut parameter, mut message, mut family, mut array) = (0, 0, 0, 0);
    for item in &file.items {
        match item {
            Item::Parameter(_, value) => {
                let value = scoped(program, diagnostics, used, |scope| {
                    scope.n_parameters = parameter;
                    scope.constant(value, &Type::Int, "a parameter")
                });
                program.parameters[parameter].1 = Some(value);
                parameter += 1;
            }
            Item::Message(item) => {
                let fields = scoped(program, diagnostics, used, |scope| {
                    let mut names = FxHashSet::default();
                    for (name, _) in &item.fields {
                        if !names.insert(&name.text) {
                            scope.error(twice(name));
                        }
                    }
                    let fields = item.fields.iter();
                    fields.map(|(name, values)| (name.clone(), domain(scope, values))).collect()
                });
                program.messages[message].fields = fields;
                message += 1;
            }
            Item::Role(_, dimensions) => {
                let dimensions = scoped(program, diagnostics, used, |scope| {
                    let each = dimensions.iter();
                    each.map(|set| scope.constant(set, &numbers, "what a role is indexed by"))
                        .collect()
                });
                program.families[family].dimensions = dimensions;
                family += 1;
            }
            Item::Variable(item) => {
                let resolved = scoped(program, diagnostics, used, |scope| {
                    let dimensions = item.dimensions.iter();
                    let dimensions = dimensions
                        .map(|set| scope.constant(set, &numbers, "what an array is indexed by"))
                        .collect();
                    let domain = domain(scope, &item.domain);
                    let wanted = domain.value_type();
                    let initial = item.initial.as_ref();
                    let initial =
                        initial.map(|value| scope.constant(value, &wanted, "the initial value"));
                    Array { name: item.name.clone(), dimensions, domain, initial }
                });
                program.arrays[array] = resolved;
                array += 1;
            }
            Item::Enum(..) | Item::Event(_) | Item::Protocol(_) | Item::Property(_) => {}
        }
    }
}

/// The values of a variable or field: `bool`, an enumeration, or a range.
fn domain(scope: &mut Scope<'_>, expr: &tree::Expr) -> Domain {
    if let ExprKind::Name(name, indices) = &expr.kind
        && indices.is_empty()
    {
        if name == "bool" {
            return Domain::Bool;
        }
        if let Some(&Global::Enum(id)) = scope.program.names.get(name) {
            scope.used.insert(Global::Enum(id));
            return Domain::Enum(id);
        }
    }
    let numbers = Type::set_of(Type::Int);
    Domain::Range(scope.constant(expr, &numbers, "the values of a variable or field"))
}

fn enter_protocols(
    file: &File,
    program: &mut Program,
    diagnostics: &mut Vec<Diagnostic>,
    used: &mut FxHashSet<Global>,
) {
    let items: Vec<&tree::ProtocolItem> = file
        .items
        .iter()
        .filter_map(|item| if let Item::Protocol(item) = item { Some(item) } else { None })
        .collect();
    for (position, item) in items.iter().enumerate() {
        let parameters = scoped(program, diagnostics, used, |scope| {
            let parameters = item.parameters.iter();
            parameters.map(|parameter| protocol_parameter(scope, parameter)).collect()
        });
        program.protocols[position].parameters = parameters;
    }
    for (position, item) in items.iter().enumerate() {
        let parameters = &program.protocols[position].parameters;
        let (body, n_locals, has_state_names) = scoped(program, diagnostics, used, |scope| {
            let mut bodies = Bodies::new(scope);
            let (body, n_locals) = bodies.protocol(parameters, &item.body);
            (body, n_locals, bodies.has_state_names())
        });
        program.has_state_names |= has_state_names;
        program.protocols[position].body = body;
        program.protocols[position].n_locals = n_locals;
    }
}

fn protocol_parameter(scope: &mut Scope<'_>, item: &tree::ParameterItem) -> Parameter {
    let value_type = match &item.type_name {
        None => Type::Int,
        Some(name) => match name.text.as_str() {
            "int" => Type::Int,
            "bool" => Type::Bool,
            "role" => Type::Role,
            "set" => Type::set_of(Type::Unknown),
            other => match scope.global(other, name.span, Sought::Type) {
                Some(Global::Enum(id)) => Type::Enum(id),
                Some(global) => {
                    scope.wrong_kind(other, name.span, "a type", global);
                    Type::Unknown
                }
                None => Type::Unknown,
            },
        },
    };
    let default = item.default.as_ref();
    let default = default.map(|value| scope.constant(value, &value_type, "the usual value"));
    Parameter { name: item.name.clone(), value_type, default }
}

fn enter_properties(
    file: &File,
    program: &mut Program,
    diagnostics: &mut Vec<Diagnostic>,
    used: &mut FxHashSet<Global>,
) {
    let mut properties = Vec::new();
    let mut names = FxHashSet::default();
    for item in &file.items {
        let Item::Property(item) = item else { continue };
        if !names.insert(&item.name.text) {
            diagnostics.push(twice(&item.name));
        }
        let property = scoped(program, diagnostics, used, |scope| property(scope, item));
        properties.extend(property);
    }
    program.properties = properties;
}

fn property(scope: &mut Scope<'_>, item: &tree::PropertyItem) -> Option<PropertyDecl> {
    let (id, span, arguments) = match &item.of {
        None => (ProtocolId(0), item.name.span, &[][..]),
        Some((name, arguments)) => {
            let global = scope.global(&name.text, name.span, Sought::Protocol)?;
            let Global::Protocol(id) = global else {
                scope.wrong_kind(&name.text, name.span, "a protocol", global);
                return None;
            };
            (id, name.span, &arguments[..])
        }
    };
    let protocol = scope.program.protocols.get(id.0)?;
    let mut given = Vec::new();
    for (position, parameter) in protocol.parameters.iter().enumerate() {
        match (arguments.get(position), &parameter.default) {
            (Some(argument), _) => {
                given.push(scope.constant(argument, &parameter.value_type, "an argument"));
            }
            (None, Some(default)) => given.push(default.clone()),
            (None, None) => {}
        }
    }
    let wanted = protocol.parameters.len();
    if arguments.len() > wanted || given.len() < wanted {
        scope.error(wrong_number(&protocol.name.text, span, wanted, arguments.len()));
        return None;
    }
    let mut decl = PropertyDecl {
        name: item.name.clone(),
        protocol: id,
        arguments: given,
        runs: Runs::default(),
        violated: false,
        formula: item.formula,
    };
    for name in &item.options {
        match option(&name.text) {
            Some(PropertyOption::Runs(runs)) => decl.runs = runs,
            Some(PropertyOption::Violated(violated)) => decl.violated = violated,
            None => {}
        }
    }
    Some(decl)
}

/// Roles, messages, events and variables that no protocol mentions.
fn warn_of_unused(program: &Program, used: &FxHashSet<Global>, diagnostics: &mut Vec<Diagnostic>) {
    let mut warn = |name: &Name, global: Global| {
        if !used.contains(&global) {
            let message = format!("no protocol mentions `{}`, {}", name.text, global.kind());
            diagnostics.push(
                Diagnostic::warning(&codes::UNUSED, message)
                    .at(name.span, "declared and not used")
                    .help("use it, or delete it"),
            );
        }
    };
    for (position, family) in program.families.iter().enumerate() {
        warn(&family.name, Global::Role(FamilyId(position)));
    }
    for (position, message) in program.messages.iter().enumerate() {
        warn(&message.name, Global::Message(MessageId(position)));
    }
    for (position, event) in program.events.iter().enumerate() {
        warn(event, Global::Event(EventId(position)));
    }
    for (position, array) in program.arrays.iter().enumerate() {
        warn(&array.name, Global::Variable(ArrayId(position)));
    }
}

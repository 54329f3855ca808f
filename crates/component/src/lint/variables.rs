//! Types, variables and values: everything named is declared, and nothing is changed where others
//! could see it.

use quadrille_diagnostic::Diagnostic;

use super::{advice, twice};
use crate::codes;
use crate::syntax::{Component, EnumType, Kind, Name, Protocol};

pub(super) fn check_types(types: &[EnumType], diagnostics: &mut Vec<Diagnostic>) {
    twice("type", types.iter().map(|of| (&of.name.text[..], of.name.span)), diagnostics);
    for of in types {
        let values = of.values.iter().map(|value| (&value.text[..], value.span));
        twice("value", values, diagnostics);
    }
}

pub(super) fn check(types: &[EnumType], component: &Component, diagnostics: &mut Vec<Diagnostic>) {
    let variables = &component.variables;
    let names = variables.iter().map(|variable| (&variable.name.text[..], variable.name.span));
    twice("variable", names, diagnostics);
    let mut checker = Checker { types, scope: Vec::new(), n_fixed: 0, diagnostics };
    for variable in variables {
        let of = checker.type_named(&variable.of);
        checker.value_of(of, &variable.initial);
        checker.scope.push((&variable.name.text, of));
    }
    checker.visit(&component.protocol);
}

struct Checker<'a> {
    types: &'a [EnumType],
    /// Variables and their types, where those are known; innermost last.
    scope: Vec<(&'a str, Option<&'a EnumType>)>,
    /// So many of them, from the first, cannot be changed here.
    n_fixed: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn visit(&mut self, protocol: &'a Protocol) {
        match &protocol.kind {
            Kind::Call { arguments, parameters, body, .. } => {
                for argument in arguments {
                    self.argument(argument);
                }
                let n_before = self.scope.len();
                for parameter in parameters {
                    let of = self.type_named(&parameter.of);
                    self.scope.push((&parameter.name.text, of));
                }
                body.iter().for_each(|body| self.visit(body));
                self.scope.truncate(n_before);
            }
            Kind::Parallel(parts) | Kind::OrParallel(parts) => {
                let before = std::mem::replace(&mut self.n_fixed, self.scope.len());
                parts.iter().for_each(|part| self.visit(part));
                self.n_fixed = before;
            }
            Kind::Adjust(left, _, right) => {
                let scope = std::mem::take(&mut self.scope);
                self.visit(left);
                self.visit(right);
                self.scope = scope;
            }
            Kind::Assign { variable, value } => {
                let Some((position, of)) = self.variable(variable) else { return };
                if position < self.n_fixed {
                    let message =
                        format!("`{}` is changed beside a parallel branch", variable.text);
                    let diagnostic = Diagnostic::error(&codes::SHARED, message);
                    let help = "change it before the branches start, or after they are done";
                    self.diagnostics.push(diagnostic.at(variable.span, "").help(help));
                }
                if self.scope.iter().all(|(known, _)| *known != value.text) {
                    self.value_of(of, value);
                }
            }
            Kind::While { test, body } => {
                if let Some((_, of)) = self.variable(&test.variable) {
                    self.value_of(of, &test.value);
                }
                self.visit(body);
            }
            Kind::Switch { variable, cases, .. } => {
                if let Some((_, of)) = self.variable(variable) {
                    cases.iter().for_each(|case| self.value_of(of, &case.value));
                }
                let values = cases.iter().map(|case| (&case.value.text[..], case.value.span));
                twice("case", values, self.diagnostics);
                protocol.for_each_part(|part| self.visit(part));
            }
            _ => protocol.for_each_part(|part| self.visit(part)),
        }
    }

    fn unknown<'n>(&mut self, what: &str, name: &Name, known: impl Iterator<Item = &'n str>) {
        let message = format!("no {what} `{}` is known here", name.text);
        let help = advice(&name.text, known, "declare it, or correct the name");
        let diagnostic = Diagnostic::error(&codes::UNKNOWN, message).at(name.span, "");
        self.diagnostics.push(diagnostic.help(help));
    }

    fn type_named(&mut self, name: &Name) -> Option<&'a EnumType> {
        let types = self.types;
        let found = types.iter().find(|of| of.name.text == name.text);
        if found.is_none() {
            self.unknown("type", name, types.iter().map(|of| &of.name.text[..]));
        }
        found
    }

    fn value_of(&mut self, of: Option<&'a EnumType>, name: &Name) {
        let Some(of) = of else { return };
        if of.values.iter().all(|value| value.text != name.text) {
            self.unknown("value", name, of.values.iter().map(|value| &value.text[..]));
        }
    }

    fn variable(&mut self, name: &Name) -> Option<(usize, Option<&'a EnumType>)> {
        let found = self.scope.iter().rposition(|(known, _)| *known == name.text);
        let Some(position) = found else {
            let known: Vec<&str> = self.scope.iter().map(|(known, _)| *known).collect();
            self.unknown("variable", name, known.into_iter());
            return None;
        };
        Some((position, self.scope[position].1))
    }

    /// A variable, or a value of any type.
    fn argument(&mut self, name: &Name) {
        let types = self.types;
        let values = || types.iter().flat_map(|of| &of.values).map(|value| &value.text[..]);
        let variables: Vec<&str> = self.scope.iter().map(|(known, _)| *known).collect();
        if !variables.contains(&&name.text[..]) && values().all(|value| value != name.text) {
            self.unknown("variable or value", name, variables.into_iter().chain(values()));
        }
    }
}

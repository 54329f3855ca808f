//! The static rules of exceptions: where `throw` may stand, and that every exception of a call is
//! caught exactly once.

use std::collections::BTreeMap;

use quadrille_diagnostic::{Diagnostic, Span};

use super::advice;
use crate::automata::Throws;
use crate::codes;
use crate::syntax::{Catch, Direction, Kind, Name, Path, Protocol};

pub(super) fn check(
    protocol: &Protocol,
    throws: Option<&Throws>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    Checker { throws, accepted: Vec::new(), caught: Vec::new(), diagnostics }.visit(protocol);
}

struct Checker<'a> {
    throws: Option<&'a Throws>,
    /// The acceptances around, innermost last.
    accepted: Vec<&'a Path>,
    /// What the `try`s around catch.
    caught: Vec<&'a str>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn visit(&mut self, protocol: &'a Protocol) {
        match &protocol.kind {
            Kind::Call { direction: Direction::Accept, path, body, .. } => {
                self.accepted.push(path);
                body.iter().for_each(|body| self.visit(body));
                self.accepted.pop();
            }
            Kind::Call { direction: Direction::Emit, path, body, .. } => {
                self.call(path);
                body.iter().for_each(|body| self.visit(body));
            }
            Kind::Throw(exception) => self.throw(exception, protocol.span),
            Kind::Try { body, catches } => {
                let n_before = self.caught.len();
                let exceptions = catches.iter().flat_map(|catch| &catch.exceptions);
                self.caught.extend(exceptions.map(|exception| &exception.text[..]));
                self.visit(body);
                self.caught.truncate(n_before);
                self.caught_twice(catches);
                catches.iter().for_each(|catch| self.visit(&catch.handler));
            }
            _ => protocol.for_each_part(|part| self.visit(part)),
        }
    }

    fn call(&mut self, method: &Path) {
        let Some(throws) = self.throws else { return };
        for exception in throws.of(&method.text) {
            let path = on(method, exception);
            if !self.caught.contains(&&path[..]) {
                let message = format!("exception {path} of {method} is not caught");
                let help = format!("add `catch {{ ?{path} : … }}` to a `try` around the call");
                let diagnostic = Diagnostic::error(&codes::UNHANDLED, message);
                self.diagnostics.push(diagnostic.at(method.span, "").help(help));
            }
        }
    }

    fn throw(&mut self, exception: &Name, span: Span) {
        let Some(method) = self.accepted.last() else {
            let message = "throw is not inside the braces of an acceptance";
            let help = "an exception answers a call: `?i.m { … throw !e … }`";
            let diagnostic = Diagnostic::error(&codes::THROW_OUTSIDE, message);
            self.diagnostics.push(diagnostic.at(span, "").help(help));
            return;
        };
        let Some(throws) = self.throws else { return };
        let listed = throws.of(&method.text);
        if !listed.contains(&exception.text) {
            let path = on(method, &exception.text);
            let message = format!("exception {path} of {method} is not listed by its interface");
            let listed = listed.iter().map(String::as_str);
            let help = advice(&exception.text, listed, "list it there, or correct the name");
            let diagnostic = Diagnostic::warning(&codes::UNLISTED, message).at(span, "");
            self.diagnostics.push(diagnostic.help(help));
        }
    }

    fn caught_twice(&mut self, catches: &[Catch]) {
        let mut known: BTreeMap<&str, Span> = BTreeMap::new();
        for exception in catches.iter().flat_map(|catch| &catch.exceptions) {
            if let Some(first) = known.get(&exception.text[..]) {
                let message = format!("exception {exception} is caught twice in one try");
                let diagnostic = Diagnostic::error(&codes::CAUGHT_TWICE, message);
                self.diagnostics.push(diagnostic.at(exception.span, "").at(*first, "first here"));
            } else {
                known.insert(&exception.text, exception.span);
            }
        }
    }
}

/// An exception on the interface of a method.
fn on(method: &Path, exception: &str) -> String {
    match method.interface() {
        "" => exception.to_owned(),
        interface => format!("{interface}.{exception}"),
    }
}

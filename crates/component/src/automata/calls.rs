//! Calls and exceptions: an exception is a jump out of everything up to the braces of the method that
//! throws it, or up to the `try` that catches it.

use super::alphabet::{EventKind, Role};
use super::build::{Builder, JumpTarget, Scope};
use super::nfa::{Argument, Constant, Edge, EventPattern, Node, VariableId};
use crate::syntax::{Catch, Parameter, Path, Protocol};

impl Builder<'_> {
    /// `!i.m { body }`: while it waits, exceptions that an enclosing `try` catches may arrive.
    pub(super) fn emission(
        &mut self,
        entry: Node,
        path: &Path,
        arguments: Vec<Argument>,
        body: Option<&Protocol>,
    ) -> Node {
        let n_before = self.frame().interrupts.len();
        let half =
            |role, kind, arguments| EventPattern { role, path: path.text.clone(), arguments, kind };
        for (exception, place) in self.caught(path) {
            let mention = EventPattern {
                role: Role::Accept,
                path: exception,
                arguments: Vec::new(),
                kind: EventKind::Response,
            };
            let mentions = self.seen(vec![mention]);
            if !mentions.is_empty() {
                self.frame().interrupts.push((mentions, place));
            }
        }
        let request = half(Role::Emit, EventKind::Request, arguments);
        let mut at = self.mentioned(entry, vec![request]);
        if let Some(body) = body {
            at = self.lower(body, at);
        }
        self.frame().interrupts.truncate(n_before);
        self.mentioned(at, vec![half(Role::Accept, EventKind::Response, Vec::new())])
    }

    /// The exceptions that a call may bring and that an enclosing `try` catches, and where they lead.
    pub(super) fn caught(&self, method: &Path) -> Vec<(String, JumpTarget)> {
        let interface = method.interface();
        let mut found: Vec<(String, JumpTarget)> = Vec::new();
        for scope in self.scopes.iter().rev() {
            let Scope::Try { catches } = scope else { continue };
            for (exception, place) in catches {
                let (on, name) = exception.rsplit_once('.').unwrap_or(("", exception));
                let thrown = on == interface
                    && self.throws.is_none_or(|throws| {
                        throws.of(&method.text).iter().any(|thrown| thrown == name)
                    });
                if thrown && found.iter().all(|(known, _)| known != exception) {
                    found.push((exception.clone(), *place));
                }
            }
        }
        found
    }

    /// `?i.m(T x) { body }`
    pub(super) fn acceptance(
        &mut self,
        entry: Node,
        path: &Path,
        parameters: &[Parameter],
        body: Option<&Protocol>,
    ) -> Node {
        let exit = self.fresh();
        let n_names = self.names.len();
        let mut ids = Vec::new();
        for parameter in parameters {
            ids.push(self.declare(&parameter.of.text, &parameter.name.text, ""));
        }
        let start = self.fresh();
        for constants in self.combinations(&ids) {
            let text = |(id, constant): (&VariableId, &Constant)| {
                Argument::Constant(self.variables[id.0 as usize].values[*constant as usize].clone())
            };
            let arguments = ids.iter().zip(&constants).map(text).collect();
            let request = EventPattern {
                role: Role::Accept,
                path: path.text.clone(),
                arguments,
                kind: EventKind::Request,
            };
            let mut at = self.mentioned(entry, vec![request]);
            for (id, constant) in ids.iter().zip(constants) {
                let next = self.fresh();
                self.edge(at, Edge::Set(*id, constant, next));
                at = next;
            }
            self.silent(at, start);
        }
        let end = self.place(exit);
        self.scopes.push(Scope::Acceptance { interface: path.interface().to_owned(), end });
        let mut at = start;
        if let Some(body) = body {
            at = self.lower(body, at);
        }
        self.scopes.pop();
        self.names.truncate(n_names);
        let response = EventPattern {
            role: Role::Emit,
            path: path.text.clone(),
            arguments: Vec::new(),
            kind: EventKind::Response,
        };
        let mut after = self.mentioned(at, vec![response]);
        // The values are forgotten, so that they do not tell states apart.
        for id in ids {
            let next = self.fresh();
            self.edge(after, Edge::Set(id, 0, next));
            after = next;
        }
        self.silent(after, exit);
        exit
    }

    pub(super) fn throw(&mut self, entry: Node, exception: &str) -> Node {
        let acceptance = self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Acceptance { interface, end } => Some((interface.clone(), *end)),
            Scope::Try { .. } => None,
        });
        let dead = self.fresh();
        if let Some((interface, end)) = acceptance {
            let path = match &interface[..] {
                "" => exception.to_owned(),
                _ => format!("{interface}.{exception}"),
            };
            let kind = EventKind::Response;
            let mention = EventPattern { role: Role::Emit, path, arguments: Vec::new(), kind };
            if end.depth == self.frames.len() {
                // Calls that waited are over: what could interrupt them cannot any more.
                let thrown = self.frame().nfa.fresh();
                self.jump(entry, vec![mention], self.place(thrown));
                self.silent(thrown, end.node);
            } else {
                self.jump(entry, vec![mention], end);
            }
        }
        dead
    }

    pub(super) fn try_catch(&mut self, entry: Node, body: &Protocol, catches: &[Catch]) -> Node {
        let exit = self.fresh();
        let mut places = Vec::new();
        let mut handlers = Vec::new();
        for catch in catches {
            let handler = self.fresh();
            handlers.push(handler);
            for exception in &catch.exceptions {
                let arrived = self.fresh();
                self.silent(arrived, handler);
                places.push((exception.text.clone(), self.place(arrived)));
            }
        }
        self.scopes.push(Scope::Try { catches: places });
        let end = self.lower(body, entry);
        self.scopes.pop();
        self.silent(end, exit);
        for (catch, handler) in catches.iter().zip(handlers) {
            let end = self.lower(&catch.handler, handler);
            self.silent(end, exit);
        }
        exit
    }
}

//! Names and types of statements: gives every name bound in a protocol a place in its frame.

use quadrille_diagnostic::{Diagnostic, Span};

use super::codes;
use super::program::{
    Assignment, Branch, Communication, Content, Expr, Global, Indexed, LocalId, MessageId,
    Parameter, ProtocolId, Sought, Statement, StatementKind, Type,
};
use super::scope::{Scope, wrong_number};
use super::tree::{self, Name};

/// Resolves the bodies of protocols.
pub(super) struct Bodies<'s, 'a> {
    scope: &'s mut Scope<'a>,
    n_locals: usize,
    /// The names of states and roles that were met, with their places.
    state_names: Vec<((String, String), Span)>,
}

impl<'s, 'a> Bodies<'s, 'a> {
    pub(super) fn new(scope: &'s mut Scope<'a>) -> Self {
        Self { scope, n_locals: 0, state_names: Vec::new() }
    }

    /// The body of a protocol, and how many places its frame needs.
    pub(super) fn protocol(
        &mut self,
        parameters: &[Parameter],
        body: &tree::Block,
    ) -> (Vec<Statement>, usize) {
        for parameter in parameters {
            self.bind(&parameter.name, parameter.value_type.clone());
        }
        (self.block(body), self.n_locals)
    }

    /// Whether states were named.
    pub(super) fn has_state_names(&self) -> bool {
        !self.state_names.is_empty()
    }

    /// A new place in the frame for a name that is in force from here on.
    fn bind(&mut self, name: &Name, value_type: Type) -> LocalId {
        let local = LocalId(self.n_locals);
        self.n_locals += 1;
        self.scope.locals.push((name.text.clone(), value_type, local));
        local
    }

    fn block(&mut self, block: &tree::Block) -> Vec<Statement> {
        let n_outer = self.scope.locals.len();
        let statements = block.statements.iter();
        let resolved = statements.filter_map(|statement| self.statement(statement)).collect();
        self.scope.locals.truncate(n_outer);
        resolved
    }

    fn branch(&mut self, branch: &tree::Branch) -> Branch {
        let when = branch.when.as_ref().map(|when| self.guard(when));
        Branch { when, body: self.block(&branch.body) }
    }

    fn guard(&mut self, expr: &tree::Expr) -> Expr {
        self.scope.typed(expr, &Type::Bool, "a guard")
    }

    fn statement(&mut self, statement: &tree::Statement) -> Option<Statement> {
        let kind = match &statement.kind {
            tree::StatementKind::Message { message, content, from, to, sync, with } => {
                let from = self.scope.role(from, "the sender", false);
                let to = to.iter();
                let to = to.map(|to| self.scope.role(to, "a receiver", true)).collect();
                let message_id = self.message(message)?;
                let content = self.content(message_id, message, content);
                let with = self.assignments(with);
                let sync = *sync;
                let message = message_id;
                StatementKind::Message(Communication { message, content, from, to, sync, with })
            }
            tree::StatementKind::Close { from, to } => StatementKind::Close {
                from: self.scope.role(from, "who closes", false),
                to: self.scope.role(to, "the other end of a channel", false),
            },
            tree::StatementKind::Does { by, event, with } => {
                let by = self.scope.role(by, "who acts", false);
                let global = self.scope.global(&event.text, event.span, Sought::Event)?;
                let Global::Event(id) = global else {
                    self.scope.wrong_kind(&event.text, event.span, "an event", global);
                    return None;
                };
                StatementKind::Does { by, event: id, with: self.assignments(with) }
            }
            tree::StatementKind::Call(name, arguments) => self.call(name, arguments)?,
            tree::StatementKind::Either(branches) => {
                StatementKind::Either(branches.iter().map(|branch| self.branch(branch)).collect())
            }
            tree::StatementKind::Par(parts) => {
                StatementKind::Par(parts.iter().map(|part| self.block(part)).collect())
            }
            tree::StatementKind::Loop(branch) => StatementKind::Loop(self.branch(branch)),
            tree::StatementKind::Opt(branch) => StatementKind::Opt(self.branch(branch)),
            tree::StatementKind::Forever(body) => StatementKind::Forever(self.block(body)),
            tree::StatementKind::When(condition, body) => {
                StatementKind::When(self.guard(condition), self.block(body))
            }
            tree::StatementKind::Indexed { indexing, bindings, filter, branch } => {
                let n_outer = self.scope.locals.len();
                let bindings = bindings.iter().map(|(name, set)| self.index(name, set)).collect();
                let filter = filter.as_ref();
                let filter =
                    filter.map(|filter| self.scope.constant(filter, &Type::Bool, "a filter"));
                let branch = self.branch(branch);
                self.scope.locals.truncate(n_outer);
                let indexing = *indexing;
                StatementKind::Indexed(Box::new(Indexed { indexing, bindings, filter, branch }))
            }
            tree::StatementKind::If(condition, then, other) => {
                let condition = self.scope.typed(condition, &Type::Bool, "a condition");
                let then = self.block(then);
                let other = other.as_ref().map(|other| self.block(other)).unwrap_or_default();
                StatementKind::If(condition, then, other)
            }
            tree::StatementKind::Let(name, value) => {
                let (value, value_type) = self.scope.expr(value);
                StatementKind::Let(self.bind(name, value_type), value)
            }
            tree::StatementKind::State(label, of) => self.state_name(label, of),
        };
        Some(Statement { kind, span: statement.span })
    }

    /// A name for states of roles. One name of one role, or family, stands in one place of a protocol.
    fn state_name(&mut self, label: &Name, of: &[tree::Expr]) -> StatementKind {
        for role in of {
            let tree::ExprKind::Name(role, _) = &role.kind else { continue };
            let key = (label.text.clone(), role.clone());
            if let Some((_, first)) = self.state_names.iter().find(|(known, _)| *known == key) {
                let message = format!("two states of `{role}` are called `{}`", label.text);
                self.scope.error(
                    Diagnostic::error(&codes::TWICE, message)
                        .at(label.span, "the second one")
                        .at(*first, "the first one")
                        .help("give each a name of its own"),
                );
            } else {
                self.state_names.push((key, label.span));
            }
        }
        let of = of.iter().map(|role| self.scope.role(role, "who is in a state", true)).collect();
        StatementKind::State(label.clone(), of)
    }

    fn index(&mut self, name: &Name, set: &tree::Expr) -> (LocalId, Expr) {
        let (resolved, found) = self.scope.expr(set);
        self.scope.must_fit(
            &found,
            &Type::set_of(Type::Unknown),
            "what an index ranges over",
            set.span,
        );
        if resolved.dynamic {
            self.scope.error(
                Diagnostic::error(&codes::CHANGING, "an index ranges over a changing set")
                    .at(set.span, "depends on variables")
                    .help("take its value of that moment first: `let s = …;`"),
            );
        }
        let element = if let Type::Set(element) = found { *element } else { Type::Unknown };
        (self.bind(name, element), resolved)
    }

    fn message(&mut self, name: &Name) -> Option<MessageId> {
        match self.scope.global(&name.text, name.span, Sought::Message)? {
            Global::Message(id) => Some(id),
            other => {
                self.scope.wrong_kind(&name.text, name.span, "a message", other);
                None
            }
        }
    }

    /// What a message carries. Where nothing is said, every field has any value.
    fn content(&mut self, id: MessageId, name: &Name, content: &[tree::Content]) -> Vec<Content> {
        let fields = &self.scope.program.messages[id.0].fields;
        if content.is_empty() {
            return fields.iter().map(|_| Content::Any(None)).collect();
        }
        if content.len() != fields.len() {
            let n_fields = fields.len();
            self.scope.error(wrong_number(&name.text, name.span, n_fields, content.len()));
        }
        let mut resolved = Vec::new();
        for ((_, domain), content) in fields.iter().zip(content) {
            let wanted = domain.value_type();
            resolved.push(match content {
                tree::Content::Value(value) => {
                    Content::Value(self.scope.typed(value, &wanted, "this field"))
                }
                tree::Content::Any(None, _) => Content::Any(None),
                tree::Content::Any(Some(name), _) => Content::Any(Some(self.bind(name, wanted))),
            });
        }
        resolved
    }

    fn call(&mut self, name: &Name, arguments: &[tree::Expr]) -> Option<StatementKind> {
        let global = self.scope.global(&name.text, name.span, Sought::Protocol)?;
        let Global::Protocol(ProtocolId(position)) = global else {
            self.scope.wrong_kind(&name.text, name.span, "a protocol", global);
            return None;
        };
        let parameters = &self.scope.program.protocols[position].parameters;
        if arguments.len() > parameters.len()
            || parameters[arguments.len()..].iter().any(|parameter| parameter.default.is_none())
        {
            let wanted = parameters.len();
            self.scope.error(wrong_number(&name.text, name.span, wanted, arguments.len()));
            return None;
        }
        let mut given = Vec::new();
        for (position, parameter) in parameters.iter().enumerate() {
            match (arguments.get(position), &parameter.default) {
                (Some(argument), _) => {
                    given.push(self.scope.typed(argument, &parameter.value_type, "this argument"));
                }
                (None, default) => given.extend(default.clone()),
            }
        }
        Some(StatementKind::Call(ProtocolId(position), given))
    }

    fn assignments(&mut self, with: &[tree::Assign]) -> Vec<Assignment> {
        let resolved: Vec<Assignment> =
            with.iter().filter_map(|assign| self.assignment(assign)).collect();
        for (position, one) in resolved.iter().enumerate() {
            let earlier = &resolved[..position];
            if one.indices.is_empty() && earlier.iter().any(|other| other.array == one.array) {
                self.scope.error(
                    Diagnostic::error(&codes::TWICE, "a variable is assigned twice in one step")
                        .at(one.span, "the second time")
                        .help("the assignments of a step happen at once: write one"),
                );
            }
        }
        resolved
    }

    fn assignment(&mut self, assign: &tree::Assign) -> Option<Assignment> {
        let span: Span = assign.target.span;
        let tree::ExprKind::Name(name, indices) = &assign.target.kind else {
            self.scope.error(
                Diagnostic::error(&codes::TYPE, "only variables can be assigned to")
                    .at(span, "not a variable"),
            );
            return None;
        };
        let global = self.scope.global(name, span, Sought::Variable)?;
        let Global::Variable(array) = global else {
            self.scope.wrong_kind(name, span, "a variable", global);
            return None;
        };
        let declared = &self.scope.program.arrays[array.0];
        self.scope.n_indices(name, indices.len(), declared.dimensions.len(), span);
        let indices =
            indices.iter().map(|index| self.scope.typed(index, &Type::Int, "an index")).collect();
        let value_type = declared.domain.value_type();
        let value = self.scope.typed(&assign.value, &value_type, "what is assigned");
        Some(Assignment { array, indices, value, span })
    }
}

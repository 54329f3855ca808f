//! What actions are made of: messages and roles; `s/any`.

use std::sync::Arc;

use quadrille_diagnostic::Span;

use super::codes::BAD_ROLE;
use super::form::{Form, FormKind};
use super::lower::{Lowering, Scope, bad_form};
use super::trap::{Result, Trap};
use super::value::Value;
use quadrille_interaction::InteractionKind;
use quadrille_protocol::core::{Act, Message, Role, RoleId, TermId};

impl Lowering<'_> {
    /// What is sent: the name of a type, a literal, or a predicate.
    pub(crate) fn message(&mut self, form: &Form, scope: &Scope) -> Result<Message> {
        let inner = match (&form.kind, form.list()) {
            (FormKind::Quote(inner), _) => inner,
            (_, Some([head, inner])) if self.is_word(head, "predicate") => inner,
            _ => form,
        };
        Ok(Message::new(match &inner.kind {
            FormKind::Symbol { name, text } => match scope.env.get(*name) {
                Some(Value::Symbol(class)) => class.to_string(),
                Some(value) => value.print(),
                None => self.program().text(*text).to_string(),
            },
            FormKind::List(parts) if parts.first().is_some_and(|head| self.is_word(head, "fn")) => {
                self.written(inner, scope)
            }
            FormKind::Lambda { .. } => self.written(inner, scope),
            _ => match self.interp.eval(inner, &scope.env)? {
                Value::Symbol(class) => class.to_string(),
                value => value.print(),
            },
        }))
    }

    fn is_word(&self, form: &Form, word: &str) -> bool {
        form.symbol().is_some_and(|name| &**self.program().text(name) == word)
    }

    /// A form as text, with variables replaced by their values.
    fn written(&self, form: &Form, scope: &Scope) -> String {
        let all = |parts: &[Form]| {
            parts.iter().map(|part| self.written(part, scope)).collect::<Vec<_>>().join(" ")
        };
        match &form.kind {
            FormKind::Symbol { name, text } => match scope.env.get(*name) {
                Some(value) => value.print(),
                None => self.program().text(*text).to_string(),
            },
            FormKind::List(parts) => format!("({})", all(parts)),
            FormKind::Vector(parts) => format!("[{}]", all(parts)),
            FormKind::Set(parts) => format!("#{{{}}}", all(parts)),
            FormKind::Map(parts) => format!("{{{}}}", all(parts)),
            FormKind::Lambda { body, .. } => format!("#{}", self.written(body, scope)),
            FormKind::Quote(inner) => format!("'{}", self.written(inner, scope)),
            _ => self.program().quoted(form).print(),
        }
    }

    pub(crate) fn role(&mut self, form: &Form, scope: &Scope) -> Result<RoleId> {
        let (name, indices): (Value, &[Form]) = match &form.kind {
            FormKind::List(parts) => match &parts[..] {
                [head, name, indices @ ..] if self.is_word(head, "role") && indices.len() < 2 => {
                    let indices = indices.first().and_then(Form::vector).unwrap_or(&[]);
                    (self.role_value(name, scope)?, indices)
                }
                [name, indices @ ..] => (self.role_value(name, scope)?, indices),
                [] => return Err(no_role(form.span)),
            },
            _ => (self.role_value(form, scope)?, &[]),
        };
        let mut role = match &name {
            Value::Keyword(name, _) => Role::new(self.program().role_name(name).to_string()),
            Value::Text(name) => Role::new(name.to_string()),
            Value::Role(role) => {
                let name = self.program().role_name(&role.name);
                Role::indexed(name.to_string(), role.indices.clone())
            }
            _ => return Err(no_role(form.span)),
        };
        for index in indices {
            match self.interp.eval(index, &scope.env)? {
                Value::Int(index) => role.indices.push(index),
                other => {
                    let message =
                        format!("the index of a role is an integer, not {}", other.kind());
                    return Err(Trap::other(&BAD_ROLE, index.span, message, "no integer"));
                }
            }
        }
        Ok(self.terms.role(role))
    }

    /// What stands for a role: a keyword, a string, a variable, or a declared name.
    fn role_value(&mut self, form: &Form, scope: &Scope) -> Result<Value> {
        match &form.kind {
            FormKind::Keyword { .. } | FormKind::Text(_) => Ok(self.program().quoted(form)),
            FormKind::Quote(inner) => self.role_value(inner, scope),
            FormKind::Symbol { name, .. } => match scope.env.get(*name) {
                Some(value) => Ok(value.clone()),
                None => match self.program().global(*name) {
                    Some(value) if !value.is_function() => Ok(value.clone()),
                    _ if self.program().is_role(*name) => {
                        Ok(Value::Keyword(Arc::clone(self.program().text(*name)), true))
                    }
                    _ => Err(no_role(form.span)),
                },
            },
            FormKind::List(_) => self.interp.eval(form, &scope.env),
            _ => Err(no_role(form.span)),
        }
    }

    /// Any action among these roles.
    pub(crate) fn any(&mut self, roles: &Form, scope: &Scope) -> Result<TermId> {
        let (FormKind::Vector(forms) | FormKind::Set(forms)) = &roles.kind else {
            return Err(bad_form(roles, "expected a vector or a set of roles"));
        };
        let roles = forms.iter().map(|form| self.role(form, scope)).collect::<Result<Vec<_>>>()?;
        let mut parts = Vec::new();
        for &from in &roles {
            for &to in roles.iter().filter(|&&to| to != from) {
                for kind in [
                    InteractionKind::Exchange,
                    InteractionKind::Send,
                    InteractionKind::Receive,
                    InteractionKind::Close,
                ] {
                    let message = (kind != InteractionKind::Close).then(|| Message::new("Object"));
                    parts.push(self.terms.act(Act { kind, from, to: vec![to], message }));
                }
            }
        }
        let parts: Vec<TermId> = parts.into_iter().map(|act| self.terms.action(act)).collect();
        Ok(self.terms.choice(&parts))
    }
}

fn no_role(span: Span) -> Box<Trap> {
    Trap::other(&BAD_ROLE, span, "expected a role", "not a role")
}

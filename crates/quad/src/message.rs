//! Messages as terms of the core: one case for every content that is possible.

use quadrille_diagnostic::{Diagnostic, Span};

use super::codes;
use super::lower::Lowering;
use super::program::{Communication, Content, MessageId, Statement, Value};
use super::setting::Evaluated;
use quadrille_model::InteractionKind;
use quadrille_protocol::core::{Act, Message, RoleId, TermId};

impl Lowering<'_> {
    /// A message, and what follows where the message names a value for it.
    pub(super) fn message(
        &self,
        message: &Communication,
        span: Span,
        rest: &[Statement],
        locals: &mut Vec<Value>,
    ) -> Evaluated<TermId> {
        let mut exprs = vec![&message.from];
        exprs.extend(&message.to);
        let n_roles = exprs.len();
        exprs.extend(message.content.iter().filter_map(|content| match content {
            Content::Value(value) => Some(value),
            Content::Any(_) => None,
        }));
        let n_parts = exprs.len();
        exprs.extend(message.with.iter().flat_map(|assignment| &assignment.indices));
        self.with_known(&exprs, locals, &mut |known, locals| {
            let mut to = Vec::new();
            for value in &known.values[1..n_roles] {
                self.roles(value, &mut to);
            }
            if to.is_empty() {
                return Err(Box::new(
                    Diagnostic::error(&codes::INDEX, "a message without a receiver")
                        .at(span, "the set of receivers is empty here")
                        .help("send it only where there is a receiver: `if … { … }`"),
                ));
            }
            let mut exchange = Exchange {
                message,
                from: self.role(&known.values[0]),
                to,
                given: &known.values[n_roles..n_parts],
                indices: &known.values[n_parts..],
                rest,
                span,
                split: known.split,
                content: Vec::new(),
                cases: Vec::new(),
            };
            self.exchange(&mut exchange, locals)?;
            Ok(self.terms.choice(&exchange.cases))
        })
    }

    /// Adds a case for every choice of values for the fields that are left open.
    fn exchange(&self, exchange: &mut Exchange<'_>, locals: &mut Vec<Value>) -> Evaluated<()> {
        let field = exchange.content.len();
        let Some(content) = exchange.message.content.get(field) else {
            self.burn(exchange.span)?;
            let case = self.case(exchange, locals)?;
            exchange.cases.push(case);
            return Ok(());
        };
        let id = exchange.message.message;
        match content {
            Content::Any(local) => {
                for value in self.setting.field_values(id, field) {
                    if let Some(local) = local {
                        locals[local.0].clone_from(&value);
                    }
                    exchange.content.push(value);
                    self.exchange(exchange, locals)?;
                    exchange.content.pop();
                }
            }
            Content::Value(expr) => {
                let is_value = |content: &&Content| matches!(content, Content::Value(_));
                let given = exchange.message.content[..field].iter().filter(is_value).count();
                let value = exchange.given[given].clone();
                if !self.fits(id, field, &value) {
                    if exchange.split {
                        return Ok(());
                    }
                    return Err(self.misfit(id, field, &value, expr.span));
                }
                exchange.content.push(value);
                self.exchange(exchange, locals)?;
                exchange.content.pop();
            }
        }
        Ok(())
    }

    /// One message with known content, and what follows it.
    fn case(&self, exchange: &Exchange<'_>, locals: &mut Vec<Value>) -> Evaluated<TermId> {
        let Exchange { message, from, to, .. } = exchange;
        let name = &self.setting.program.messages[message.message.0].name.text;
        let shown: Vec<String> =
            exchange.content.iter().map(|value| self.setting.program.show(value)).collect();
        let text = match shown.len() {
            0 => Message::new(name),
            _ => Message::with_content(name, shown.join(", ")),
        };
        let (possible, update) = self.update(&message.with, exchange.indices, locals)?;
        let act = |kind, to: Vec<RoleId>| {
            self.terms.act(Act { kind, from: *from, to, message: Some(text.clone()) })
        };
        let term = if message.sync {
            self.terms.action_with(act(InteractionKind::Exchange, to.clone()), update)
        } else {
            let send = self.terms.action_with(act(InteractionKind::Send, to.clone()), update);
            let receive = |&to: &RoleId| self.terms.action(act(InteractionKind::Receive, vec![to]));
            let receives: Vec<TermId> = to.iter().map(receive).collect();
            self.terms.seq(send, self.terms.par(&receives))
        };
        let term = self.terms.guard(possible, self.terms.written_at(term, exchange.span));
        if exchange.rest.is_empty() {
            return Ok(term);
        }
        Ok(self.terms.seq(term, self.block(exchange.rest, locals)?))
    }

    fn fits(&self, message: MessageId, field: usize, value: &Value) -> bool {
        let (min, max) = self.setting.fields(message)[field].bounds();
        value.number().is_some_and(|number| (min..=max).contains(&number))
    }

    fn misfit(
        &self,
        message: MessageId,
        field: usize,
        value: &Value,
        span: Span,
    ) -> Box<Diagnostic> {
        let program = &self.setting.program;
        let (min, max) = self.setting.fields(message)[field].bounds();
        let (name, _) = &program.messages[message.0].fields[field];
        let text = format!("`{}` cannot be {}", name.text, program.show(value));
        Box::new(
            Diagnostic::error(&codes::DOMAIN, text)
                .at(span, format!("the field's values are {min} to {max}"))
                .help("widen the field, or send another value"),
        )
    }
}

impl Communication {
    /// Whether it names a value for the rest of the block.
    pub(super) fn binds(&self) -> bool {
        self.content.iter().any(|content| matches!(content, Content::Any(Some(_))))
    }
}

/// A message under way to become terms.
struct Exchange<'a> {
    message: &'a Communication,
    from: RoleId,
    to: Vec<RoleId>,
    /// Values of the fields that have one.
    given: &'a [Value],
    /// Values of the indices of assignments.
    indices: &'a [Value],
    /// What follows and may use names bound here.
    rest: &'a [Statement],
    span: Span,
    /// Whether values were known by looking at variables.
    split: bool,
    /// Values of the fields so far.
    content: Vec<Value>,
    cases: Vec<TermId>,
}

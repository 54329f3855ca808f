//! Statements as terms of the core, for known values of everything but the variables.
//!
//! Where a value that must be known depends on variables (an index, an argument, what a message
//! carries), the statement becomes a choice: for each value that the variables can have, guarded by
//! their having it, the statement for that value.

use std::collections::BTreeSet;

use quadrille_diagnostic::{Diagnostic, Span};

use super::codes;
use super::eval::{Evaluator, has_no_value};
use super::idle::idle_statements;
use super::program::{
    Assignment, Branch, Expr, FamilyId, Indexed, LocalId, ProtocolId, Statement, StatementKind,
    Value,
};
use super::setting::{Evaluated, Fuel, Setting};
use super::tree::Indexing;
use quadrille_model::InteractionKind;
use quadrille_protocol::core::intern::Interner;
use quadrille_protocol::core::{
    self, Act, DefinitionId, Definitions, ExprId, Message, Named, Operator, Reader, Role, RoleId,
    TermId, Terms, UpdateId, VariableId, Word, Writer,
};

/// A setting as the core sees it: protocols are definitions, their arguments interned values.
pub(super) struct QuadDefinitions {
    pub(super) setting: Setting,
    pub(super) words: Interner<Value>,
}

impl QuadDefinitions {
    /// The start of a protocol.
    pub(super) fn start(&self, terms: &Terms, protocol: ProtocolId, arguments: &[Value]) -> TermId {
        call(terms, &self.words, protocol, arguments)
    }
}

impl Definitions for QuadDefinitions {
    fn unfold(
        &self,
        terms: &Terms,
        definition: DefinitionId,
        arguments: &[Word],
    ) -> Result<TermId, Box<Diagnostic>> {
        let protocol = &self.setting.program.protocols[definition.0 as usize];
        let mut locals: Vec<Value> =
            arguments.iter().map(|&word| self.words.get(word).clone()).collect();
        locals.resize(protocol.n_locals, Value::Int(0));
        let fuel = Fuel::default();
        let lowering = Lowering { setting: &self.setting, terms, words: &self.words, fuel };
        lowering.block(&protocol.body, &mut locals).map_err(|mut diagnostic| {
            let called = self.named(definition, arguments).text;
            diagnostic.notes.push(format!("in `{called}`"));
            diagnostic
        })
    }

    fn write_word(&self, word: Word, out: &mut Writer) {
        self.words.get(word).write(out);
    }

    fn read_word(&self, bytes: &[u8]) -> Option<Word> {
        let mut reader = Reader::new(bytes);
        let value = Value::read(&mut reader)?;
        reader.is_empty().then(|| self.words.intern(value))
    }

    fn named(&self, definition: DefinitionId, arguments: &[Word]) -> Named {
        let program = &self.setting.program;
        let protocol = &program.protocols[definition.0 as usize];
        let shown: Vec<String> =
            arguments.iter().map(|&word| program.show(self.words.get(word))).collect();
        let text = format!("{}({})", protocol.name.text, shown.join(", "));
        Named { text, span: protocol.name.span }
    }

    fn name_states(&self) -> bool {
        self.setting.program.has_state_names
    }

    fn idle(&self, definition: DefinitionId, happened: &BTreeSet<Span>) -> Vec<Span> {
        idle_statements(&self.setting.program, ProtocolId(definition.0 as usize), happened)
    }
}

fn call(
    terms: &Terms,
    words: &Interner<Value>,
    protocol: ProtocolId,
    arguments: &[Value],
) -> TermId {
    let arguments: Vec<Word> = arguments.iter().map(|value| words.intern(value.clone())).collect();
    terms.call(DefinitionId(protocol.0 as u32), &arguments)
}

/// The role of the core that a value stands for.
pub(super) fn role(setting: &Setting, family: FamilyId, indices: &[i64]) -> Role {
    Role::indexed(setting.program.families[family.0].name.text.clone(), indices)
}

/// Makes terms of statements.
pub(super) struct Lowering<'a> {
    pub(super) setting: &'a Setting,
    pub(super) terms: &'a Terms,
    words: &'a Interner<Value>,
    fuel: Fuel,
}

/// Values that were asked for, and whether variables had to be looked at to know them.
pub(super) struct Known {
    pub(super) values: Vec<Value>,
    pub(super) split: bool,
}

impl Lowering<'_> {
    fn evaluator<'e>(&'e self, locals: &'e [Value]) -> Evaluator<'e> {
        Evaluator { setting: self.setting, locals, frozen: &[], fuel: &self.fuel }
    }

    fn condition(&self, expr: &Expr, locals: &[Value]) -> Evaluated<ExprId> {
        self.evaluator(locals).condition(self.terms, expr)
    }

    /// Pays for a statement.
    pub(super) fn burn(&self, span: Span) -> Evaluated<()> {
        self.fuel.burn(Fuel::STATEMENT, span)
    }

    /// Statements in order. One that binds a name has the rest inside.
    pub(super) fn block(
        &self,
        statements: &[Statement],
        locals: &mut Vec<Value>,
    ) -> Evaluated<TermId> {
        let mut parts = Vec::new();
        for (position, statement) in statements.iter().enumerate() {
            self.burn(statement.span)?;
            let rest = &statements[position + 1..];
            let (part, complete) = match &statement.kind {
                StatementKind::Let(local, value) => {
                    let part = self.with_known(&[value], locals, &mut |known, locals| {
                        locals[local.0].clone_from(&known.values[0]);
                        self.block(rest, locals)
                    })?;
                    (part, true)
                }
                StatementKind::Message(message) if message.binds() => {
                    (self.message(message, statement.span, rest, locals)?, true)
                }
                _ => (self.statement(statement, locals)?, false),
            };
            parts.push(part);
            if complete {
                break;
            }
        }
        Ok(self.terms.sequence(&parts))
    }

    fn statement(&self, statement: &Statement, locals: &mut Vec<Value>) -> Evaluated<TermId> {
        let terms = self.terms;
        Ok(match &statement.kind {
            StatementKind::Message(message) => {
                self.message(message, statement.span, &[], locals)?
            }
            StatementKind::Close { from, to } => {
                self.with_known(&[from, to], locals, &mut |known, _| {
                    let (from, to) = (self.role(&known.values[0]), self.role(&known.values[1]));
                    Ok(terms.written_at(terms.close(from, to), statement.span))
                })?
            }
            StatementKind::Does { by, event, with } => {
                let mut exprs = vec![by];
                exprs.extend(with.iter().flat_map(|assignment| &assignment.indices));
                self.with_known(&exprs, locals, &mut |known, locals| {
                    let message = Message::new(&self.setting.program.events[event.0].text);
                    let (possible, update) = self.update(with, &known.values[1..], locals)?;
                    let from = self.role(&known.values[0]);
                    let message = Some(message);
                    let act = Act { kind: InteractionKind::Local, from, to: Vec::new(), message };
                    let step = terms.action_with(terms.act(act), update);
                    Ok(terms.guard(possible, terms.written_at(step, statement.span)))
                })?
            }
            StatementKind::Call(protocol, arguments) => {
                let arguments: Vec<&Expr> = arguments.iter().collect();
                self.with_known(&arguments, locals, &mut |known, _| {
                    Ok(call(terms, self.words, *protocol, &known.values))
                })?
            }
            StatementKind::Either(branches) => {
                let parts = branches.iter().map(|branch| self.branch(branch, locals));
                terms.choice(&parts.collect::<Result<Vec<_>, _>>()?)
            }
            StatementKind::Par(parts) => {
                let parts = parts.iter().map(|part| self.block(part, locals));
                terms.par(&parts.collect::<Result<Vec<_>, _>>()?)
            }
            StatementKind::Loop(branch) => terms.star(self.branch(branch, locals)?),
            StatementKind::Opt(branch) => terms.optional(self.branch(branch, locals)?),
            StatementKind::Forever(body) => terms.forever(self.block(body, locals)?),
            StatementKind::When(condition, body) => {
                let condition = self.condition(condition, locals)?;
                terms.guard(condition, self.block(body, locals)?)
            }
            StatementKind::Indexed(indexed) => self.indexed(indexed, statement.span, locals)?,
            StatementKind::If(condition, then, other) => {
                let condition = self.condition(condition, locals)?;
                match condition {
                    ExprId::TRUE => self.block(then, locals)?,
                    ExprId::FALSE => self.block(other, locals)?,
                    _ => {
                        let then = self.block(then, locals)?;
                        let other = self.block(other, locals)?;
                        let then = terms.guard(condition, then);
                        terms.choice(&[then, terms.guard(terms.not(condition), other)])
                    }
                }
            }
            StatementKind::State(label, of) => {
                self.state_name(&label.text, of, statement.span, locals)?
            }
            StatementKind::Let(..) => TermId::SKIP,
        })
    }

    /// Nothing; where names of states are asked for, beside it a step of each role that leads nowhere.
    fn state_name(
        &self,
        label: &str,
        of: &[Expr],
        span: Span,
        locals: &mut Vec<Value>,
    ) -> Evaluated<TermId> {
        let exprs: Vec<&Expr> = of.iter().collect();
        let names = self.with_known(&exprs, locals, &mut |known, _| {
            let mut roles = Vec::new();
            if self.terms.names_states() {
                known.values.iter().for_each(|value| self.roles(value, &mut roles));
            }
            let named = roles.iter().map(|&role| self.terms.state_name(role, label, span));
            Ok(self.terms.choice(&named.collect::<Vec<_>>()))
        })?;
        Ok(self.terms.choice(&[names, TermId::SKIP]))
    }

    fn branch(&self, branch: &Branch, locals: &mut Vec<Value>) -> Evaluated<TermId> {
        let when = match &branch.when {
            Some(when) => self.condition(when, locals)?,
            None => ExprId::TRUE,
        };
        if when == ExprId::FALSE {
            return Ok(TermId::STOP);
        }
        Ok(self.terms.guard(when, self.block(&branch.body, locals)?))
    }

    /// Calls `then` once the values of these expressions are known: at once, or in a choice over the
    /// values of the variables in them. Where an expression has no value, the choice has no branch.
    pub(super) fn with_known(
        &self,
        exprs: &[&Expr],
        locals: &mut Vec<Value>,
        then: &mut dyn FnMut(Known, &mut Vec<Value>) -> Evaluated<TermId>,
    ) -> Evaluated<TermId> {
        self.split(exprs, locals, &mut Vec::new(), then)
    }

    fn split(
        &self,
        exprs: &[&Expr],
        locals: &mut Vec<Value>,
        frozen: &mut Vec<(VariableId, i64)>,
        then: &mut dyn FnMut(Known, &mut Vec<Value>) -> Evaluated<TermId>,
    ) -> Evaluated<TermId> {
        let evaluator = Evaluator { setting: self.setting, locals, frozen, fuel: &self.fuel };
        let mut open = Ok(None);
        for expr in exprs {
            open = evaluator.open_variable(expr);
            if !matches!(open, Ok(None)) {
                break;
            }
        }
        let values = match open {
            Ok(Some(variable)) => return self.cases(variable, exprs, locals, frozen, then),
            Ok(None) => exprs.iter().map(|expr| evaluator.value(expr)).collect(),
            Err(diagnostic) => Err(diagnostic),
        };
        let split = !frozen.is_empty();
        match values {
            Ok(values) => then(Known { values, split }, locals),
            Err(diagnostic) if split && has_no_value(&diagnostic) => Ok(TermId::STOP),
            Err(diagnostic) => Err(diagnostic),
        }
    }

    /// The choice over the values of one variable.
    fn cases(
        &self,
        variable: VariableId,
        exprs: &[&Expr],
        locals: &mut Vec<Value>,
        frozen: &mut Vec<(VariableId, i64)>,
        then: &mut dyn FnMut(Known, &mut Vec<Value>) -> Evaluated<TermId>,
    ) -> Evaluated<TermId> {
        let (min, max) = self.setting.bounds(variable);
        let mut cases = Vec::new();
        for value in min..=max {
            self.burn(exprs[0].span)?;
            frozen.push((variable, value));
            let case = self.split(exprs, locals, frozen, then);
            frozen.pop();
            let (now, then) = (self.terms.variable_value(variable), self.terms.constant(value));
            let condition = self.terms.binary(Operator::Eq, now, then);
            cases.push(self.terms.guard(condition, case?));
        }
        Ok(self.terms.choice(&cases))
    }

    fn indexed(&self, indexed: &Indexed, span: Span, locals: &mut Vec<Value>) -> Evaluated<TermId> {
        let mut parts = Vec::new();
        self.instances(indexed, &indexed.bindings, span, locals, &mut parts)?;
        Ok(match indexed.indexing {
            Indexing::For => self.terms.sequence(&parts),
            Indexing::Choose => self.terms.choice(&parts),
            Indexing::Par => self.terms.par(&parts),
        })
    }

    /// Adds the instances for every combination of values.
    fn instances(
        &self,
        indexed: &Indexed,
        bindings: &[(LocalId, Expr)],
        span: Span,
        locals: &mut Vec<Value>,
        parts: &mut Vec<TermId>,
    ) -> Evaluated<()> {
        self.burn(span)?;
        let Some(((local, set), rest)) = bindings.split_first() else {
            let counts = match &indexed.filter {
                Some(filter) => self.evaluator(locals).truth(filter)?,
                None => true,
            };
            if counts {
                parts.push(self.branch(&indexed.branch, locals)?);
            }
            return Ok(());
        };
        for value in self.evaluator(locals).elements(set)? {
            locals[local.0] = value;
            self.instances(indexed, rest, span, locals, parts)?;
        }
        Ok(())
    }

    /// The assignments of a step, and when they are possible. `indices` are the values of all indices
    /// on their left, in order.
    pub(super) fn update(
        &self,
        with: &[Assignment],
        indices: &[Value],
        locals: &[Value],
    ) -> Evaluated<(ExprId, UpdateId)> {
        let mut indices = indices.iter().filter_map(Value::number);
        let mut assignments: Vec<core::Assignment> = Vec::new();
        let mut possible = ExprId::TRUE;
        for Assignment { array, indices: own, value, span } in with {
            let own: Vec<i64> = indices.by_ref().take(own.len()).collect();
            let variable = self.setting.variable(*array, &own, *span)?;
            let (there_is, value) = self.evaluator(locals).assigned(self.terms, value)?;
            possible = self.terms.binary(Operator::And, possible, there_is);
            if assignments.iter().any(|earlier| earlier.variable == variable) {
                return Err(Box::new(
                    Diagnostic::error(&codes::TWICE, "a variable is assigned twice in one step")
                        .at(*span, "the second time")
                        .help("the assignments of a step happen at once: write one"),
                ));
            }
            assignments.push(core::Assignment { variable, value });
        }
        Ok((possible, self.terms.update(assignments)))
    }

    pub(super) fn role(&self, value: &Value) -> RoleId {
        match value {
            Value::Role(family, indices) => self.terms.role(role(self.setting, *family, indices)),
            _ => unreachable!("checked to be a role"),
        }
    }

    pub(super) fn roles(&self, value: &Value, to: &mut Vec<RoleId>) {
        match value {
            Value::Set(values) => values.iter().for_each(|value| self.roles(value, to)),
            one => {
                let one = self.role(one);
                if !to.contains(&one) {
                    to.push(one);
                }
            }
        }
    }
}

//! Values of expressions where they stand, as far as they are known; the rest as expressions of the core.

use quadrille_diagnostic::{Diagnostic, Span};

use super::codes;
use super::program::{ArrayId, Expr, ExprKind, FamilyId, Function, Value};
use super::setting::{
    Evaluated, Fuel, MAX_SET, Setting, from_number, numbers, out_of_range, product, too_large,
};
use super::tree::Operator;
use quadrille_protocol::core::{self, DataError, ExprId, Terms, VariableId, apply};

/// Most elements of a set of which all subsets are taken.
const MAX_SUBSETS_OF: usize = 12;

/// Most combinations of values of variables in indices.
const MAX_CASES: usize = 10_000;

/// Evaluates expressions at a place.
#[derive(Clone, Copy)]
pub(super) struct Evaluator<'a> {
    pub(super) setting: &'a Setting,
    /// The frame.
    pub(super) locals: &'a [Value],
    /// Variables whose values are taken as known.
    pub(super) frozen: &'a [(VariableId, i64)],
    pub(super) fuel: &'a Fuel,
}

impl Evaluator<'_> {
    /// The value of an expression. Variables in it must be frozen.
    pub(super) fn value(&self, expr: &Expr) -> Evaluated<Value> {
        let value = self.computed(expr)?;
        if let Value::Set(values) = &value {
            self.fuel.burn(values.len(), expr.span)?;
        }
        Ok(value)
    }

    fn computed(&self, expr: &Expr) -> Evaluated<Value> {
        Ok(match &expr.kind {
            ExprKind::Constant(value) => value.clone(),
            ExprKind::Local(local) => self.locals[local.0].clone(),
            ExprKind::Parameter(parameter) => self.setting.parameters[parameter.0].clone(),
            ExprKind::Variable(array, _) => {
                let variable = self.variable(expr)?;
                let known = self.frozen.iter().find(|(frozen, _)| *frozen == variable);
                let Some((_, number)) = known else { return Err(changing(expr.span)) };
                let domain = &self.setting.program.arrays[array.0].domain;
                from_number(domain, *number)
            }
            ExprKind::Role(family, indices) => self.role(*family, indices, expr.span)?,
            ExprKind::Set(parts) => {
                let parts = parts.iter().map(|part| self.value(part));
                Value::set(parts.collect::<Result<_, _>>()?)
            }
            ExprKind::Not(inner) => Value::Bool(!self.truth(inner)?),
            ExprKind::Negate(inner) => {
                let value = self.number(inner)?;
                Value::Int(arithmetic(core::Operator::Sub, 0, value, expr.span)?)
            }
            ExprKind::Binary(operator, left, right) => {
                self.binary(*operator, left, right, expr.span)?
            }
            ExprKind::If(test, then, other) => {
                self.value(if self.truth(test)? { then } else { other })?
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, expr.span)?,
        })
    }

    pub(super) fn truth(&self, expr: &Expr) -> Evaluated<bool> {
        Ok(self.value(expr)? == Value::Bool(true))
    }

    fn number(&self, expr: &Expr) -> Evaluated<i64> {
        Ok(self.value(expr)?.number().unwrap_or(0))
    }

    /// The elements of a set.
    pub(super) fn elements(&self, expr: &Expr) -> Evaluated<Vec<Value>> {
        Ok(match self.value(expr)? {
            Value::Set(values) => values,
            single => vec![single],
        })
    }

    /// The variable that an expression names. Its indices must be known.
    pub(super) fn variable(&self, expr: &Expr) -> Evaluated<VariableId> {
        let ExprKind::Variable(array, indices) = &expr.kind else {
            unreachable!("only asked of variables")
        };
        self.element(*array, indices, expr.span)
    }

    /// The variable of an array at these indices.
    pub(super) fn element(
        &self,
        array: ArrayId,
        indices: &[Expr],
        span: Span,
    ) -> Evaluated<VariableId> {
        let indices: Vec<i64> =
            indices.iter().map(|index| self.number(index)).collect::<Result<_, _>>()?;
        self.setting.variable(array, &indices, span)
    }

    fn role(&self, family: FamilyId, indices: &[Option<Expr>], span: Span) -> Evaluated<Value> {
        let dimensions = self.setting.indices(family);
        let mut several = false;
        let mut chosen = Vec::new();
        for (index, dimension) in indices.iter().zip(dimensions) {
            let Some(index) = index else {
                several = true;
                chosen.push(dimension.clone());
                continue;
            };
            let value = self.value(index)?;
            several |= matches!(value, Value::Set(_));
            let wanted = numbers(&value);
            if let Some(missing) =
                wanted.iter().find(|index| dimension.binary_search(index).is_err())
            {
                let name = &self.setting.program.families[family.0].name.text;
                return Err(out_of_range(name, *missing, dimension, span));
            }
            chosen.push(wanted);
        }
        let mut roles =
            product(&chosen, span)?.into_iter().map(|indices| Value::Role(family, indices));
        match (several, roles.next()) {
            (false, Some(only)) => Ok(only),
            (_, first) => Ok(Value::set(first.into_iter().chain(roles).collect())),
        }
    }

    fn binary(
        &self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Evaluated<Value> {
        match operator {
            Operator::And => return Ok(Value::Bool(self.truth(left)? && self.truth(right)?)),
            Operator::Or => return Ok(Value::Bool(self.truth(left)? || self.truth(right)?)),
            _ => {}
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        Ok(match (operator, left, right) {
            (Operator::Equal, left, right) => Value::Bool(left == right),
            (Operator::NotEqual, left, right) => Value::Bool(left != right),
            (Operator::Less, left, right) => Value::Bool(left < right),
            (Operator::AtMost, left, right) => Value::Bool(left <= right),
            (Operator::Greater, left, right) => Value::Bool(left > right),
            (Operator::AtLeast, left, right) => Value::Bool(left >= right),
            (Operator::In, left, Value::Set(values)) => {
                Value::Bool(values.binary_search(&left).is_ok())
            }
            (Operator::Add, Value::Set(mut left), Value::Set(right)) => {
                left.extend(right);
                Value::set(left)
            }
            (Operator::Subtract, Value::Set(mut left), Value::Set(right)) => {
                left.retain(|value| right.binary_search(value).is_err());
                Value::Set(left)
            }
            (operator, Value::Int(left), Value::Int(right)) => match operator {
                Operator::Range => range(left, right, span)?,
                Operator::RangeInclusive => range(left, right.saturating_add(1), span)?,
                Operator::Add => Value::Int(arithmetic(core::Operator::Add, left, right, span)?),
                Operator::Subtract => {
                    Value::Int(arithmetic(core::Operator::Sub, left, right, span)?)
                }
                Operator::Multiply => {
                    Value::Int(arithmetic(core::Operator::Mul, left, right, span)?)
                }
                Operator::Divide => Value::Int(arithmetic(core::Operator::Div, left, right, span)?),
                _ => Value::Int(arithmetic(core::Operator::Mod, left, right, span)?),
            },
            _ => Value::Bool(false),
        })
    }

    fn call(&self, function: Function, arguments: &[Expr], span: Span) -> Evaluated<Value> {
        match function {
            Function::Min => {
                Ok(Value::Int(self.number(&arguments[0])?.min(self.number(&arguments[1])?)))
            }
            Function::Max => {
                Ok(Value::Int(self.number(&arguments[0])?.max(self.number(&arguments[1])?)))
            }
            Function::Size => Ok(Value::Int(self.elements(&arguments[0])?.len() as i64)),
            Function::Subsets => {
                let elements = self.elements(&arguments[0])?;
                if elements.len() > MAX_SUBSETS_OF {
                    return Err(too_large(span, "too many subsets"));
                }
                let subset = |mask: usize| {
                    let chosen = elements.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
                    Value::Set(chosen.map(|(_, element)| element.clone()).collect())
                };
                Ok(Value::set((0..1usize << elements.len()).map(subset).collect()))
            }
        }
    }

    /// The first variable of an expression that is not frozen and whose indices are known.
    pub(super) fn open_variable(&self, expr: &Expr) -> Evaluated<Option<VariableId>> {
        if !expr.dynamic {
            return Ok(None);
        }
        for part in parts(expr) {
            if let Some(open) = self.open_variable(part)? {
                return Ok(Some(open));
            }
        }
        if matches!(expr.kind, ExprKind::Variable(..)) {
            let variable = self.variable(expr)?;
            if !self.frozen.iter().any(|(frozen, _)| *frozen == variable) {
                return Ok(Some(variable));
            }
        }
        Ok(None)
    }

    /// The first variable that an index in an expression depends on and that is not frozen.
    fn open_index(&self, expr: &Expr) -> Evaluated<Option<VariableId>> {
        if !expr.dynamic {
            return Ok(None);
        }
        let is_variable = matches!(expr.kind, ExprKind::Variable(..));
        for part in parts(expr) {
            let open = if is_variable { self.open_variable(part)? } else { self.open_index(part)? };
            if open.is_some() {
                return Ok(open);
            }
        }
        Ok(None)
    }

    /// A condition on the variables. It is false where it has no value.
    pub(super) fn condition(&self, terms: &Terms, expr: &Expr) -> Evaluated<ExprId> {
        let cases = self.cases(terms, expr, &mut 0)?;
        let both = |(case, value)| terms.binary(core::Operator::And, case, value);
        Ok(any(terms, cases.into_iter().map(both)))
    }

    /// A value to assign, and when there is one.
    pub(super) fn assigned(&self, terms: &Terms, expr: &Expr) -> Evaluated<(ExprId, ExprId)> {
        let mut cases = self.cases(terms, expr, &mut 0)?;
        let there_is = match cases[..] {
            [(ExprId::TRUE, _)] => ExprId::TRUE,
            _ => any(terms, cases.iter().map(|&(case, _)| case)),
        };
        let last = cases.pop().map_or(ExprId::FALSE, |(_, value)| value);
        let value =
            cases.into_iter().rfold(last, |other, (case, value)| terms.if_else(case, value, other));
        Ok((there_is, value))
    }

    /// An expression by what the variables in its indices hold: when, and the expression of the core
    /// there. Cases in which it has no value are left out.
    fn cases(
        &self,
        terms: &Terms,
        expr: &Expr,
        n_cases: &mut usize,
    ) -> Evaluated<Vec<(ExprId, ExprId)>> {
        let Some(variable) = self.open_index(expr)? else {
            return Ok(vec![(ExprId::TRUE, self.expression(terms, expr)?)]);
        };
        let (min, max) = self.setting.bounds(variable);
        let mut cases = Vec::new();
        for value in min..=max {
            *n_cases += 1;
            if *n_cases > MAX_CASES {
                return Err(too_large(expr.span, "too many values of indices"));
            }
            let frozen = [self.frozen, &[(variable, value)]].concat();
            let inner = Evaluator { frozen: &frozen, ..*self };
            let (now, then) = (terms.variable_value(variable), terms.constant(value));
            let case = terms.binary(core::Operator::Eq, now, then);
            match inner.cases(terms, expr, n_cases) {
                Ok(found) => {
                    cases.extend(found.into_iter().map(|(inner, value)| {
                        (terms.binary(core::Operator::And, case, inner), value)
                    }));
                }
                Err(diagnostic) if has_no_value(&diagnostic) => {}
                Err(diagnostic) => return Err(diagnostic),
            }
        }
        Ok(cases)
    }

    /// An expression of the core that has the value of this one in every state.
    fn expression(&self, terms: &Terms, expr: &Expr) -> Evaluated<ExprId> {
        if !expr.dynamic {
            let value = self.value(expr)?;
            return match value.number() {
                Some(number) => Ok(terms.constant(number)),
                None => Err(changing(expr.span)),
            };
        }
        let of = |expr: &Expr| self.expression(terms, expr);
        Ok(match &expr.kind {
            ExprKind::Variable(..) => {
                let variable = self.variable(expr)?;
                match self.frozen.iter().find(|(frozen, _)| *frozen == variable) {
                    Some((_, value)) => terms.constant(*value),
                    None => terms.variable_value(variable),
                }
            }
            ExprKind::Not(inner) => terms.not(of(inner)?),
            ExprKind::Negate(inner) => {
                terms.binary(core::Operator::Sub, terms.constant(0), of(inner)?)
            }
            ExprKind::If(test, then, other) => match of(test)? {
                ExprId::TRUE => of(then)?,
                ExprId::FALSE => of(other)?,
                test => terms.if_else(test, of(then)?, of(other)?),
            },
            ExprKind::Binary(Operator::And, left, right) => match of(left)? {
                ExprId::FALSE => ExprId::FALSE,
                left => terms.binary(core::Operator::And, left, of(right)?),
            },
            ExprKind::Binary(Operator::Or, left, right) => match of(left)? {
                ExprId::TRUE => ExprId::TRUE,
                left => terms.binary(core::Operator::Or, left, of(right)?),
            },
            ExprKind::Call(function @ (Function::Min | Function::Max), arguments) => {
                let (a, b) = (of(&arguments[0])?, of(&arguments[1])?);
                let less = terms.binary(core::Operator::Lt, a, b);
                let (then, other) = if *function == Function::Min { (a, b) } else { (b, a) };
                terms.if_else(less, then, other)
            }
            ExprKind::Binary(Operator::In, element, set) => self.member(terms, element, set)?,
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                let (operator, left, right) = match operator {
                    Operator::Equal => (core::Operator::Eq, left, right),
                    Operator::NotEqual => (core::Operator::Ne, left, right),
                    Operator::Less => (core::Operator::Lt, left, right),
                    Operator::AtMost => (core::Operator::Le, left, right),
                    Operator::Greater => (core::Operator::Lt, right, left),
                    Operator::AtLeast => (core::Operator::Le, right, left),
                    Operator::Add => (core::Operator::Add, left, right),
                    Operator::Subtract => (core::Operator::Sub, left, right),
                    Operator::Multiply => (core::Operator::Mul, left, right),
                    Operator::Divide => (core::Operator::Div, left, right),
                    Operator::Remainder => (core::Operator::Mod, left, right),
                    _ => return Err(changing(expr.span)),
                };
                terms.binary(operator, left, right)
            }
            _ => return Err(changing(expr.span)),
        })
    }

    /// Whether an element is in a set, part by part.
    fn member(&self, terms: &Terms, element: &Expr, set: &Expr) -> Evaluated<ExprId> {
        let element = self.expression(terms, element)?;
        let same = |part| terms.binary(core::Operator::Eq, element, part);
        match &set.kind {
            ExprKind::Binary(
                operator @ (Operator::Range | Operator::RangeInclusive),
                low,
                high,
            ) => {
                let (low, high) = (self.expression(terms, low)?, self.expression(terms, high)?);
                let below = match operator {
                    Operator::Range => core::Operator::Lt,
                    _ => core::Operator::Le,
                };
                let above = terms.binary(core::Operator::Le, low, element);
                Ok(terms.binary(core::Operator::And, above, terms.binary(below, element, high)))
            }
            ExprKind::Set(parts) if set.dynamic => {
                let parts: Vec<ExprId> = parts
                    .iter()
                    .map(|part| self.expression(terms, part))
                    .collect::<Result<_, _>>()?;
                Ok(any(terms, parts.into_iter().map(same)))
            }
            _ if !set.dynamic => {
                let parts = self.elements(set)?;
                let parts = parts.iter().filter_map(Value::number);
                Ok(any(terms, parts.map(|number| same(terms.constant(number)))))
            }
            _ => Err(changing(set.span)),
        }
    }
}

/// The disjunction of all.
fn any(terms: &Terms, conditions: impl Iterator<Item = ExprId>) -> ExprId {
    conditions.fold(ExprId::FALSE, |any, one| terms.binary(core::Operator::Or, any, one))
}

/// The direct parts of an expression.
fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Local(_) | ExprKind::Parameter(_) => Vec::new(),
        ExprKind::Variable(_, indices) => indices.iter().collect(),
        ExprKind::Role(_, indices) => indices.iter().flatten().collect(),
        ExprKind::Set(parts) | ExprKind::Call(_, parts) => parts.iter().collect(),
        ExprKind::Not(inner) | ExprKind::Negate(inner) => vec![inner],
        ExprKind::Binary(_, left, right) => vec![left, right],
        ExprKind::If(a, b, c) => vec![a, b, c],
    }
}

/// Whether a diagnostic says that an expression has no value for the values it was computed from.
pub(super) fn has_no_value(diagnostic: &Diagnostic) -> bool {
    *diagnostic.code == codes::INDEX || *diagnostic.code == codes::ARITHMETIC
}

fn changing(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::CHANGING, "this needs a value that is known beforehand")
            .at(span, "depends on variables")
            .help("choose among known values: `choose v in … when v == variable { … }`"),
    )
}

fn range(low: i64, high: i64, span: Span) -> Evaluated<Value> {
    if i128::from(high) - i128::from(low) > MAX_SET as i128 {
        return Err(too_large(span, &format!("a range of more than {MAX_SET} numbers")));
    }
    Ok(Value::Set((low..high).map(Value::Int).collect()))
}

fn arithmetic(operator: core::Operator, left: i64, right: i64, span: Span) -> Evaluated<i64> {
    apply(operator, left, right).map_err(|error| {
        let place = match error {
            DataError::DivisionByZero => "the divisor is 0 here".to_owned(),
            _ => format!("computed from {left} and {right}"),
        };
        let diagnostic = Diagnostic::error(&codes::ARITHMETIC, error.to_string()).at(span, place);
        Box::new(diagnostic.help("compute it only where it has a value: `if … then … else …`"))
    })
}

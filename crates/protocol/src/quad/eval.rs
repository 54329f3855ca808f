//! Values: of parameters, domains and dimensions once per start, of expressions where they stand.

use std::sync::Arc;

use quadrille_diagnostic::{Diagnostic, Span};

use super::codes;
use super::program::{
    ArrayId, Domain, Expr, ExprKind, FamilyId, Function, MessageId, Program, Value,
};
use super::tree::Operator;
use crate::core::{self, DataError, DataType, ExprId, Terms, Variable, VariableId, apply};

/// Most elements of one set.
const MAX_SET: usize = 100_000;

/// Most elements of a set of which all subsets are taken.
const MAX_SUBSETS_OF: usize = 12;

/// What is computed, or what is wrong.
pub(super) type Evaluated<T> = Result<T, Box<Diagnostic>>;

/// An array of variables of the state.
#[derive(Clone, Debug)]
struct Placed {
    /// The number of its first variable.
    first: u32,
    dimensions: Vec<Vec<i64>>,
}

/// A program with the values of its parameters, and all that follows from them.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) program: Arc<Program>,
    parameters: Vec<Value>,
    families: Vec<Vec<Vec<i64>>>,
    arrays: Vec<Placed>,
    fields: Vec<Vec<DataType>>,
    pub(super) variables: Vec<Variable>,
}

impl Setting {
    /// Gives every parameter its value: the one named in `given`, else its usual one.
    pub(super) fn new(
        program: &Arc<Program>,
        given: &[(String, i64)],
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut setting = Self {
            program: Arc::clone(program),
            parameters: Vec::new(),
            families: Vec::new(),
            arrays: Vec::new(),
            fields: Vec::new(),
            variables: Vec::new(),
        };
        setting.fill(given).map_err(|diagnostic| vec![*diagnostic])?;
        Ok(setting)
    }

    fn fill(&mut self, given: &[(String, i64)]) -> Evaluated<()> {
        let program = Arc::clone(&self.program);
        for (name, default) in &program.parameters {
            let named = given.iter().rev().find(|(given, _)| *given == name.text);
            let value = match (named, default) {
                (Some((_, value)), _) => Value::Int(*value),
                (None, Some(default)) => self.constants().value(default)?,
                (None, None) => Value::Int(0),
            };
            self.parameters.push(value);
        }
        for family in &program.families {
            let dimensions = self.dimensions(&family.dimensions)?;
            self.families.push(dimensions);
        }
        for message in &program.messages {
            let fields = message.fields.iter();
            let fields =
                fields.map(|(_, domain)| self.data_type(domain)).collect::<Result<_, _>>()?;
            self.fields.push(fields);
        }
        for array in &program.arrays {
            let dimensions = self.dimensions(&array.dimensions)?;
            let data_type = self.data_type(&array.domain)?;
            let (min, max) = data_type.bounds();
            let initial = match &array.initial {
                None => min,
                Some(expr) => {
                    let value = self.constants().value(expr)?.number().unwrap_or(min);
                    if value < min || value > max {
                        let message = format!("`{}` cannot start as {value}", array.name.text);
                        return Err(Box::new(
                            Diagnostic::error(&codes::DOMAIN, message)
                                .at(expr.span, format!("its values are {min} to {max}"))
                                .help("widen the domain, or start with another value"),
                        ));
                    }
                    value
                }
            };
            let first = self.variables.len() as u32;
            for indices in product(&dimensions, array.name.span)? {
                let indices: String = indices.iter().map(|index| format!("[{index}]")).collect();
                self.variables.push(Variable {
                    name: format!("{}{indices}", array.name.text),
                    data_type: data_type.clone(),
                    initial,
                });
                if self.variables.len() > MAX_SET {
                    return Err(too_large(array.name.span, "too many variables"));
                }
            }
            self.arrays.push(Placed { first, dimensions });
        }
        Ok(())
    }

    fn dimensions(&self, dimensions: &[Expr]) -> Evaluated<Vec<Vec<i64>>> {
        let set = |expr| Ok(numbers(&self.constants().value(expr)?));
        dimensions.iter().map(set).collect()
    }

    fn data_type(&self, domain: &Domain) -> Evaluated<DataType> {
        Ok(match domain {
            Domain::Bool => DataType::Bool,
            Domain::Enum(id) => {
                let values = &self.program.enums[id.0].values;
                DataType::Enum(values.iter().map(|value| value.text.clone()).collect())
            }
            Domain::Range(expr) => {
                let values = numbers(&self.constants().value(expr)?);
                match (values.first(), values.last()) {
                    (Some(&min), Some(&max)) if (max - min) as usize == values.len() - 1 => {
                        DataType::Int { min, max }
                    }
                    (None, _) | (_, None) => {
                        return Err(Box::new(
                            Diagnostic::error(&codes::DOMAIN, "a domain without values")
                                .at(expr.span, "this is empty")
                                .help("`a..b` leaves out `b`; `a..=b` has it"),
                        ));
                    }
                    _ => {
                        return Err(Box::new(
                            Diagnostic::error(&codes::DOMAIN, "a domain with gaps")
                                .at(expr.span, "this is no range")
                                .help("write a range such as `0..=3`"),
                        ));
                    }
                }
            }
        })
    }

    /// Evaluation where no name is bound.
    pub(super) fn constants(&self) -> Evaluator<'_> {
        Evaluator { setting: self, locals: &[], frozen: &[] }
    }

    /// The values of the fields of a message.
    pub(super) fn fields(&self, message: MessageId) -> &[DataType] {
        &self.fields[message.0]
    }

    /// The values of a field as the language knows them.
    pub(super) fn field_values(&self, message: MessageId, field: usize) -> Vec<Value> {
        let (_, domain) = &self.program.messages[message.0].fields[field];
        let (min, max) = self.fields[message.0][field].bounds();
        (min..=max).map(|number| from_number(domain, number)).collect()
    }

    /// The values of a variable as numbers: least and greatest.
    pub(super) fn bounds(&self, variable: VariableId) -> (i64, i64) {
        self.variables[variable.0 as usize].data_type.bounds()
    }

    /// The indices of a family, one set per dimension.
    pub(super) fn indices(&self, family: FamilyId) -> &[Vec<i64>] {
        &self.families[family.0]
    }

    /// The variable of an array at these indices.
    pub(super) fn variable(
        &self,
        array: ArrayId,
        indices: &[i64],
        span: Span,
    ) -> Evaluated<VariableId> {
        let placed = &self.arrays[array.0];
        let mut position = 0;
        for (index, dimension) in indices.iter().zip(&placed.dimensions) {
            let Ok(at) = dimension.binary_search(index) else {
                let name = &self.program.arrays[array.0].name.text;
                return Err(out_of_range(name, *index, dimension, span));
            };
            position = position * dimension.len() + at;
        }
        Ok(VariableId(placed.first + position as u32))
    }
}

/// The value that a number of the core stands for.
fn from_number(domain: &Domain, number: i64) -> Value {
    match domain {
        Domain::Bool => Value::Bool(number != 0),
        Domain::Enum(id) => Value::Enum(*id, number as u32),
        Domain::Range(_) => Value::Int(number),
    }
}

/// The numbers of a set.
fn numbers(value: &Value) -> Vec<i64> {
    match value {
        Value::Set(values) => values.iter().filter_map(Value::number).collect(),
        single => single.number().into_iter().collect(),
    }
}

/// Every choice of one element from each set, in order.
fn product(sets: &[Vec<i64>], span: Span) -> Evaluated<Vec<Vec<i64>>> {
    let size = sets.iter().try_fold(1usize, |size, set| size.checked_mul(set.len()));
    if size.is_none_or(|size| size > MAX_SET) {
        return Err(too_large(span, &format!("more than {MAX_SET} combinations of indices")));
    }
    let mut chosen = vec![Vec::new()];
    for set in sets {
        chosen = chosen
            .iter()
            .flat_map(|before| set.iter().map(move |&last| [&before[..], &[last]].concat()))
            .collect();
    }
    Ok(chosen)
}

fn out_of_range(name: &str, index: i64, dimension: &[i64], span: Span) -> Box<Diagnostic> {
    let there_are = match dimension {
        [] => "there is none".to_owned(),
        [only] => format!("there is only {only}"),
        [first, .., last] => format!("there are {first} to {last}"),
    };
    Box::new(
        Diagnostic::error(&codes::INDEX, format!("`{name}[{index}]` does not exist"))
            .at(span, format!("the index is {index} here; {there_are}"))
            .help("correct the index, or declare more of them"),
    )
}

/// What to say about something without a reasonable end.
pub(super) fn too_large(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::TOO_LARGE, what)
            .at(span, "grows beyond every reasonable size")
            .help("use smaller numbers or sets"),
    )
}

/// Evaluates expressions at a place.
#[derive(Clone, Copy)]
pub(super) struct Evaluator<'a> {
    pub(super) setting: &'a Setting,
    /// The frame.
    pub(super) locals: &'a [Value],
    /// Variables whose values are taken as known.
    pub(super) frozen: &'a [(VariableId, i64)],
}

impl Evaluator<'_> {
    /// The value of an expression. Variables in it must be frozen.
    pub(super) fn value(&self, expr: &Expr) -> Evaluated<Value> {
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
        let parts: Vec<&Expr> = match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Local(_) | ExprKind::Parameter(_) => Vec::new(),
            ExprKind::Variable(_, indices) => indices.iter().collect(),
            ExprKind::Role(_, indices) => indices.iter().flatten().collect(),
            ExprKind::Set(parts) | ExprKind::Call(_, parts) => parts.iter().collect(),
            ExprKind::Not(inner) | ExprKind::Negate(inner) => vec![inner],
            ExprKind::Binary(_, left, right) => vec![left, right],
            ExprKind::If(a, b, c) => vec![a, b, c],
        };
        for part in parts {
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

    /// An expression of the core that has the value of this one in every state.
    pub(super) fn expression(&self, terms: &Terms, expr: &Expr) -> Evaluated<ExprId> {
        if !expr.dynamic {
            let value = self.value(expr)?;
            return match value.number() {
                Some(number) => Ok(terms.constant(number)),
                None => Err(changing(expr.span)),
            };
        }
        let of = |expr: &Expr| self.expression(terms, expr);
        Ok(match &expr.kind {
            ExprKind::Variable(..) => terms.variable_value(self.variable(expr)?),
            ExprKind::Not(inner) => terms.not(of(inner)?),
            ExprKind::Negate(inner) => {
                terms.binary(core::Operator::Sub, terms.constant(0), of(inner)?)
            }
            ExprKind::If(test, then, other) => terms.if_else(of(test)?, of(then)?, of(other)?),
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
                    Operator::Or => (core::Operator::Or, left, right),
                    Operator::And => (core::Operator::And, left, right),
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
                    Operator::In | Operator::Range | Operator::RangeInclusive => {
                        return Err(changing(expr.span));
                    }
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
        let either = |any, one| terms.binary(core::Operator::Or, any, one);
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
                Ok(parts.into_iter().map(same).fold(ExprId::FALSE, either))
            }
            _ if !set.dynamic => {
                let parts = self.elements(set)?;
                let parts = parts.iter().filter_map(Value::number);
                Ok(parts.map(|number| same(terms.constant(number))).fold(ExprId::FALSE, either))
            }
            _ => Err(changing(set.span)),
        }
    }
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

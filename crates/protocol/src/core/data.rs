//! Data of protocols: variables over finite domains, expressions over them, simultaneous updates.
//! Knows no term; a store is the part of a state vector that holds the variables.

use std::fmt;

use quadrille_model::{Domain, Value};

/// The values a variable may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DataType {
    /// False and true; as numbers 0 and 1.
    Bool,
    /// One of these names; as a number, its position.
    Enum(Vec<String>),
    /// The integers from `min` to `max`, both included.
    Int {
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
}

impl DataType {
    /// The least and the greatest value as numbers.
    pub fn bounds(&self) -> (i64, i64) {
        match self {
            DataType::Bool => (0, 1),
            DataType::Enum(names) => (0, names.len() as i64 - 1),
            DataType::Int { min, max } => (*min, *max),
        }
    }

    /// A value as people read it.
    pub fn show(&self, value: i64) -> String {
        match self {
            DataType::Bool => (value != 0).to_string(),
            DataType::Enum(names) => usize::try_from(value)
                .ok()
                .and_then(|position| names.get(position).cloned())
                .unwrap_or_else(|| value.to_string()),
            DataType::Int { .. } => value.to_string(),
        }
    }

    /// The domain of the variable's slot: values are stored as their distance from the least one.
    pub(crate) fn domain(&self) -> Domain {
        let (min, max) = self.bounds();
        match self {
            DataType::Bool => Domain::Named(vec!["false".to_owned(), "true".to_owned()]),
            DataType::Enum(names) => Domain::Named(names.clone()),
            DataType::Int { .. } => match u32::try_from(i128::from(max) - i128::from(min) + 1) {
                Ok(size) if size <= 256 => {
                    Domain::Named((min..=max).map(|value| value.to_string()).collect())
                }
                Ok(size) => Domain::Size(size),
                Err(_) => Domain::Interned,
            },
        }
    }
}

/// A variable of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The values it may take.
    pub data_type: DataType,
    /// The value it starts with.
    pub initial: i64,
}

/// A variable in the table of its [`Terms`](super::Terms).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

/// An expression in the table of its [`Terms`](super::Terms).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub(crate) u32);

impl ExprId {
    /// Always false.
    pub const FALSE: ExprId = ExprId(0);
    /// Always true.
    pub const TRUE: ExprId = ExprId(1);
}

/// An operator on two numbers; comparisons give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// Both are true; the second is not looked at where the first is false.
    And,
    /// One is true; the second is not looked at where the first is true.
    Or,
    /// Equal.
    Eq,
    /// Different.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, rounded down.
    Div,
    /// What division leaves; of the divisor's sign.
    Mod,
}

/// An expression over the variables. Booleans are 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A fixed number.
    Constant(i64),
    /// The value of a variable.
    Variable(VariableId),
    /// True where its part is false.
    Not(ExprId),
    /// An operator on two parts.
    Binary(Operator, ExprId, ExprId),
    /// The second where the first is true, else the third.
    If(ExprId, ExprId, ExprId),
}

/// `variable := value`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Assignment {
    /// What is assigned to.
    pub variable: VariableId,
    /// What it becomes.
    pub value: ExprId,
}

/// A list of simultaneous assignments in the table of its [`Terms`](super::Terms).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UpdateId(pub(crate) u32);

impl UpdateId {
    /// Changes nothing.
    pub const NONE: UpdateId = UpdateId(0);
}

/// Why an expression has no value, or a variable cannot take it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DataError {
    /// A division or remainder by zero.
    DivisionByZero,
    /// A number beyond 64 bits.
    Overflow,
    /// A value outside the domain of the variable it is assigned to.
    OutOfRange(VariableId, i64),
}

impl fmt::Display for DataError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataError::DivisionByZero => out.write_str("division by zero"),
            DataError::Overflow => out.write_str("a number grew beyond 64 bits"),
            DataError::OutOfRange(_, value) => write!(out, "{value} is out of range"),
        }
    }
}

/// What evaluation needs: where expressions and variables are.
pub(crate) trait Data {
    /// An expression by id.
    fn expr(&self, id: ExprId) -> Expr;
    /// A variable by id.
    fn variable(&self, id: VariableId) -> &Variable;

    /// The value of an expression in a store.
    fn evaluate(&self, id: ExprId, store: &[Value]) -> Result<i64, DataError> {
        Ok(match self.expr(id) {
            Expr::Constant(value) => value,
            Expr::Variable(variable) => {
                let (min, _) = self.variable(variable).data_type.bounds();
                min + i64::from(store[variable.0 as usize])
            }
            Expr::Not(part) => i64::from(self.evaluate(part, store)? == 0),
            Expr::If(test, then, other) => {
                let chosen = if self.evaluate(test, store)? != 0 { then } else { other };
                self.evaluate(chosen, store)?
            }
            Expr::Binary(Operator::And, a, b) => {
                i64::from(self.evaluate(a, store)? != 0 && self.evaluate(b, store)? != 0)
            }
            Expr::Binary(Operator::Or, a, b) => {
                i64::from(self.evaluate(a, store)? != 0 || self.evaluate(b, store)? != 0)
            }
            Expr::Binary(operator, a, b) => {
                apply(operator, self.evaluate(a, store)?, self.evaluate(b, store)?)?
            }
        })
    }

    /// Carries out simultaneous assignments: all values are taken from `before`.
    fn assign(
        &self,
        assignments: &[Assignment],
        before: &[Value],
        after: &mut [Value],
    ) -> Result<(), DataError> {
        for assignment in assignments {
            let value = self.evaluate(assignment.value, before)?;
            after[assignment.variable.0 as usize] = self.stored(assignment.variable, value)?;
        }
        Ok(())
    }

    /// A value as the variable's slot holds it.
    fn stored(&self, id: VariableId, value: i64) -> Result<Value, DataError> {
        let (min, max) = self.variable(id).data_type.bounds();
        let fits = (min..=max).contains(&value);
        let distance = u32::try_from(i128::from(value) - i128::from(min)).ok();
        distance.filter(|_| fits).ok_or(DataError::OutOfRange(id, value))
    }
}

/// An operator on numbers; `And` and `Or` look at both.
pub fn apply(operator: Operator, a: i64, b: i64) -> Result<i64, DataError> {
    let checked = |result: Option<i64>| result.ok_or(DataError::Overflow);
    match operator {
        Operator::And => Ok(i64::from(a != 0 && b != 0)),
        Operator::Or => Ok(i64::from(a != 0 || b != 0)),
        Operator::Eq => Ok(i64::from(a == b)),
        Operator::Ne => Ok(i64::from(a != b)),
        Operator::Lt => Ok(i64::from(a < b)),
        Operator::Le => Ok(i64::from(a <= b)),
        Operator::Add => checked(a.checked_add(b)),
        Operator::Sub => checked(a.checked_sub(b)),
        Operator::Mul => checked(a.checked_mul(b)),
        Operator::Div | Operator::Mod if b == 0 => Err(DataError::DivisionByZero),
        Operator::Div => {
            let quotient = checked(a.checked_div(b))?;
            Ok(quotient - i64::from(a % b != 0 && (a < 0) != (b < 0)))
        }
        Operator::Mod => {
            let rest = checked(a.checked_rem(b))?;
            Ok(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
    }
}

#[cfg(test)]
mod tests;

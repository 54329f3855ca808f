//! Numbers that depend on a parameter and on bound names: sums, and remainders of them.

use quadrille_quad::tree::{Expr, ExprKind, Operator};
use quadrille_runtime::scheme::{Comparison, Index, Sum, Test, Variable};

/// A number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Number(Index);

impl Number {
    pub(super) fn constant(constant: i64) -> Self {
        Self::sum(Sum { constant, ..Sum::default() })
    }

    pub(super) fn parameter() -> Self {
        Self::sum(Sum { parameter: 1, ..Sum::default() })
    }

    pub(super) fn variable(variable: Variable) -> Self {
        Self::sum(Sum::of(0, 0, &[(variable, 1)]))
    }

    fn sum(sum: Sum) -> Self {
        Self(Index { sum, modulo: None })
    }

    pub(super) fn index(&self) -> Option<Index> {
        Some(self.0)
    }

    /// The sum, if it is no remainder.
    fn plain(&self) -> Option<&Sum> {
        self.0.modulo.is_none().then_some(&self.0.sum)
    }

    /// The value, if it is the same for every parameter.
    fn known(&self) -> Option<i64> {
        let sum = self.plain()?;
        (sum.parameter == 0 && variables(sum).is_empty()).then_some(sum.constant)
    }

    fn scaled(&self, factor: i64) -> Option<Self> {
        let sum = self.plain()?;
        let mut scaled = Vec::new();
        for (variable, times) in variables(sum) {
            scaled.push((variable, times.checked_mul(factor)?));
        }
        made(sum.constant.checked_mul(factor)?, sum.parameter.checked_mul(factor)?, &scaled)
    }

    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let (left, right) = (self.plain()?, other.plain()?);
        let mut both = variables(left);
        for (variable, times) in variables(right) {
            match both.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, known)) => *known = known.checked_add(times)?,
                None => both.push((variable, times)),
            }
        }
        let constant = left.constant.checked_add(right.constant)?;
        made(constant, left.parameter.checked_add(right.parameter)?, &both)
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.scaled(-1)?)
    }

    pub(super) fn combined(&self, operator: Operator, other: &Self) -> Option<Self> {
        match operator {
            Operator::Add => self.plus(other),
            Operator::Subtract => self.minus(other),
            Operator::Multiply => match (self.known(), other.known()) {
                (Some(factor), _) => other.scaled(factor),
                (None, Some(factor)) => self.scaled(factor),
                (None, None) => None,
            },
            Operator::Remainder => {
                let (sum, modulo) = (*self.plain()?, *other.plain()?);
                Some(Self(Index { sum, modulo: Some(modulo) }))
            }
            _ => None,
        }
    }

    pub(super) fn compared(&self, operator: Operator, other: &Self) -> Option<Test> {
        let (left, right) = (self.0, other.0);
        let (left, is, right) = match operator {
            Operator::Equal => (left, Comparison::Equal, right),
            Operator::NotEqual => (left, Comparison::NotEqual, right),
            Operator::Less => (left, Comparison::Less, right),
            Operator::AtMost => (left, Comparison::AtMost, right),
            Operator::Greater => (right, Comparison::Less, left),
            Operator::AtLeast => (right, Comparison::AtMost, left),
            _ => return None,
        };
        Some(Test { left, is, right })
    }
}

/// The bound names of a sum.
pub(super) fn variables(sum: &Sum) -> Vec<(Variable, i64)> {
    sum.variables.iter().copied().filter(|&(_, times)| times != 0).collect()
}

/// A sum, unless it has too many bound names.
fn made(constant: i64, parameter: i64, variables: &[(Variable, i64)]) -> Option<Number> {
    let variables: Vec<(Variable, i64)> =
        variables.iter().copied().filter(|&(_, times)| times != 0).collect();
    let fits = variables.len() <= Sum::MOST_VARIABLES;
    fits.then(|| Number::sum(Sum::of(constant, parameter, &variables)))
}

/// The bounds of a range, and whether the last counts.
pub(super) fn bounds(expr: &Expr) -> Option<(&Expr, &Expr, bool)> {
    match &expr.kind {
        ExprKind::Binary(Operator::Range, left, right) => Some((left, right, false)),
        ExprKind::Binary(Operator::RangeInclusive, left, right) => Some((left, right, true)),
        _ => None,
    }
}

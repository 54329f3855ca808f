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
        Self::sum(Sum { variables: vec![(variable, 1)].into(), ..Sum::default() })
    }

    fn sum(sum: Sum) -> Self {
        Self(Index { sum, modulo: None })
    }

    pub(super) fn index(&self) -> Option<Index> {
        Some(self.0.clone())
    }

    /// The sum, if it is no remainder.
    fn plain(&self) -> Option<&Sum> {
        self.0.modulo.is_none().then_some(&self.0.sum)
    }

    /// The value, if it is the same for every parameter.
    fn known(&self) -> Option<i64> {
        let sum = self.plain()?;
        (sum.parameter == 0 && sum.variables.is_empty()).then_some(sum.constant)
    }

    fn scaled(&self, factor: i64) -> Option<Self> {
        let sum = self.plain()?;
        let mut variables = Vec::new();
        for &(variable, times) in sum.variables.iter() {
            variables.push((variable, times.checked_mul(factor)?));
        }
        variables.retain(|&(_, times)| times != 0);
        Some(Self::sum(Sum {
            constant: sum.constant.checked_mul(factor)?,
            parameter: sum.parameter.checked_mul(factor)?,
            variables: variables.into(),
        }))
    }

    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let (left, right) = (self.plain()?, other.plain()?);
        let mut variables = left.variables.to_vec();
        for &(variable, times) in right.variables.iter() {
            match variables.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, known)) => *known = known.checked_add(times)?,
                None => variables.push((variable, times)),
            }
        }
        variables.retain(|&(_, times)| times != 0);
        Some(Self::sum(Sum {
            constant: left.constant.checked_add(right.constant)?,
            parameter: left.parameter.checked_add(right.parameter)?,
            variables: variables.into(),
        }))
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
                let (sum, modulo) = (self.plain()?.clone(), other.plain()?.clone());
                Some(Self(Index { sum, modulo: Some(modulo) }))
            }
            _ => None,
        }
    }

    pub(super) fn compared(&self, operator: Operator, other: &Self) -> Option<Test> {
        let (left, right) = (self.0.clone(), other.0.clone());
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

/// The bounds of a range, and whether the last counts.
pub(super) fn bounds(expr: &Expr) -> Option<(&Expr, &Expr, bool)> {
    match &expr.kind {
        ExprKind::Binary(Operator::Range, left, right) => Some((left, right, false)),
        ExprKind::Binary(Operator::RangeInclusive, left, right) => Some((left, right, true)),
        _ => None,
    }
}

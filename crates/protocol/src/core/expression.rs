//! Expressions and updates in the tables of a protocol: made here, evaluated by `data`.

use super::data::{
    Assignment, Data, Expr, ExprId, Operator, UpdateId, Variable, VariableId, apply,
};
use super::term::Terms;

impl Data for Terms {
    fn expr(&self, id: ExprId) -> Expr {
        *self.exprs.get(id.0)
    }

    fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }
}

impl Terms {
    /// The update with these simultaneous assignments.
    pub fn update(&self, assignments: Vec<Assignment>) -> UpdateId {
        UpdateId(self.updates.intern(assignments.into()))
    }

    /// The assignments of an update.
    pub fn update_of(&self, id: UpdateId) -> &[Assignment] {
        self.updates.get(id.0)
    }

    /// An expression by id.
    pub fn expr_of(&self, id: ExprId) -> Expr {
        self.expr(id)
    }

    /// Adds the variables that an expression reads.
    pub(super) fn variables_of(&self, id: ExprId, variables: &mut Vec<VariableId>) {
        match self.expr(id) {
            Expr::Constant(_) => {}
            Expr::Variable(variable) => variables.push(variable),
            Expr::Not(part) => self.variables_of(part, variables),
            Expr::Binary(_, a, b) => {
                [a, b].into_iter().for_each(|part| self.variables_of(part, variables));
            }
            Expr::If(a, b, c) => {
                [a, b, c].into_iter().for_each(|part| self.variables_of(part, variables));
            }
        }
    }

    /// A fixed number; `false` is 0 and `true` is 1.
    pub fn constant(&self, value: i64) -> ExprId {
        ExprId(self.exprs.intern(Expr::Constant(value)))
    }

    /// The value of a variable.
    pub fn variable_value(&self, variable: VariableId) -> ExprId {
        assert!((variable.0 as usize) < self.variables.len(), "unknown variable");
        ExprId(self.exprs.intern(Expr::Variable(variable)))
    }

    /// True where the expression is false.
    pub fn not(&self, part: ExprId) -> ExprId {
        match self.expr(part) {
            Expr::Constant(value) => self.constant(i64::from(value == 0)),
            _ => ExprId(self.exprs.intern(Expr::Not(part))),
        }
    }

    /// An operator on two expressions; constants are folded unless that fails.
    pub fn binary(&self, operator: Operator, a: ExprId, b: ExprId) -> ExprId {
        match (operator, self.expr(a), self.expr(b)) {
            (_, Expr::Constant(x), Expr::Constant(y)) => {
                if let Ok(value) = apply(operator, x, y) {
                    return self.constant(value);
                }
            }
            (Operator::And, Expr::Constant(0), _) | (Operator::Or, _, Expr::Constant(0)) => {
                return a;
            }
            (Operator::And, Expr::Constant(_), _) | (Operator::Or, Expr::Constant(0), _) => {
                return b;
            }
            (Operator::And, _, Expr::Constant(1)) => return a,
            (Operator::And | Operator::Or, _, _) if a == b => return a,
            _ => {}
        }
        ExprId(self.exprs.intern(Expr::Binary(operator, a, b)))
    }

    /// The second expression where the first is true, else the third.
    pub fn if_else(&self, test: ExprId, then: ExprId, other: ExprId) -> ExprId {
        match self.expr(test) {
            Expr::Constant(0) => other,
            Expr::Constant(_) => then,
            _ => ExprId(self.exprs.intern(Expr::If(test, then, other))),
        }
    }
}

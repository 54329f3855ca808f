//! Claims about a net as formulas of the contest, which the portfolio answers.

use quadrille_logic::{Binary, Formula as Logic, Path, Unary};
use quadrille_petri::{Formula, NetModel};

use super::instance::repeats_dead_marking;
use crate::claim::{Atom, Claim, Statement};

/// The formula that a claim is; `None` where it speaks about steps, or about what was before.
pub(crate) fn formula_of(model: &NetModel, claim: &Claim) -> Option<Formula> {
    let translation = Translation { model, atoms: &claim.atoms };
    match &claim.statement {
        Statement::Branching(formula) => translation.formula(formula),
        Statement::Linear(formula) => {
            let body = translation.formula(formula)?;
            Some(repeats_dead_marking(Formula::All(Box::new(body))))
        }
        Statement::Never(_) => None,
    }
}

struct Translation<'a> {
    model: &'a NetModel,
    atoms: &'a [Atom],
}

impl Translation<'_> {
    fn formula(&self, formula: &Logic) -> Option<Formula> {
        let all =
            |parts: &[Logic]| parts.iter().map(|it| self.formula(it)).collect::<Option<Vec<_>>>();
        Some(match formula {
            Logic::True => Formula::Constant(true),
            Logic::False => Formula::Constant(false),
            Logic::Atom(atom) => match &self.atoms[atom.index()] {
                Atom::Proposition(id) => self.model.formula(*id).clone(),
                Atom::Action(_) => return None,
            },
            Logic::Not(part) => !self.formula(part)?,
            Logic::And(parts) => Formula::and(all(parts)?),
            Logic::Or(parts) => Formula::or(all(parts)?),
            Logic::Implies(left, right) => {
                Formula::or([!self.formula(left)?, self.formula(right)?])
            }
            Logic::Iff(left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                let neither = Formula::and([!left.clone(), !right.clone()]);
                Formula::or([Formula::and([left, right]), neither])
            }
            Logic::Unary(path, operator, body) => {
                let body = Box::new(self.formula(body)?);
                let temporal = match operator {
                    Unary::Next => Formula::Next(body),
                    Unary::Eventually => Formula::Finally(body),
                    Unary::Always => Formula::Globally(body),
                    Unary::Previous | Unary::Once | Unary::Historically => return None,
                };
                quantified(*path, temporal)
            }
            Logic::Binary(path, operator, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                // On all runs where the dual is asked for on some, and the other way round.
                let dual = match path {
                    Path::This => Path::This,
                    Path::All => Path::Some,
                    Path::Some => Path::All,
                };
                let until = |path, hold: Formula, goal: Formula| {
                    quantified(path, Formula::Until(Box::new(hold), Box::new(goal)))
                };
                match operator {
                    Binary::Until => until(*path, left, right),
                    Binary::Release => !until(dual, !left, !right),
                    // a W b is b R (a or b), a M b is b U (a and b).
                    Binary::WeakUntil => {
                        let held = Formula::or([left, right.clone()]);
                        !until(dual, !right, !held)
                    }
                    Binary::StrongRelease => {
                        let goal = Formula::and([left, right.clone()]);
                        until(*path, right, goal)
                    }
                    Binary::Since => return None,
                }
            }
        })
    }
}

fn quantified(path: Path, formula: Formula) -> Formula {
    match path {
        Path::This => formula,
        Path::All => Formula::All(Box::new(formula)),
        Path::Some => Formula::Some(Box::new(formula)),
    }
}

#[cfg(test)]
mod tests;

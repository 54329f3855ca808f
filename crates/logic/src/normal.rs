//! Negation normal form, in one pass and without growth.

use crate::formula::{Binary, Formula, Path, Unary};

impl Formula {
    /// An equivalent formula in which negation stands only before atoms and before operators without
    /// a dual (`Y`, `S`). Implications are dissolved; equivalences stay, so that the size stays, and
    /// take their negation into one operand. Read on infinite runs, where every step has a next one.
    #[must_use]
    pub fn negation_normal_form(&self) -> Formula {
        self.normal(true)
    }

    fn normal(&self, positive: bool) -> Formula {
        let list = |all: &[Formula]| -> Vec<Formula> {
            all.iter().map(|operand| operand.normal(positive)).collect()
        };
        match self {
            Formula::True | Formula::False if positive => self.clone(),
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Atom(_) => signed(self.clone(), positive),
            Formula::Not(a) => a.normal(!positive),
            Formula::And(all) if positive => Formula::and(list(all)),
            Formula::And(all) => Formula::or(list(all)),
            Formula::Or(all) if positive => Formula::or(list(all)),
            Formula::Or(all) => Formula::and(list(all)),
            Formula::Implies(a, b) if positive => Formula::or([a.normal(false), b.normal(true)]),
            Formula::Implies(a, b) => Formula::and([a.normal(true), b.normal(false)]),
            Formula::Iff(a, b) => a.normal(positive).iff(b.normal(true)),
            Formula::Unary(path, operator, a) => match (positive, dual_unary(*path, *operator)) {
                (true, _) => Formula::Unary(*path, *operator, Box::new(a.normal(true))),
                (false, Some((path, operator))) => {
                    Formula::Unary(path, operator, Box::new(a.normal(false)))
                }
                (false, None) => !self.normal(true),
            },
            Formula::Binary(path, operator, a, b) => match (positive, dual_binary(*operator)) {
                (false, Some(operator)) => Formula::Binary(
                    dual_path(*path),
                    operator,
                    Box::new(a.normal(false)),
                    Box::new(b.normal(false)),
                ),
                (false, None) => !self.normal(true),
                (true, _) => Formula::Binary(
                    *path,
                    *operator,
                    Box::new(a.normal(true)),
                    Box::new(b.normal(true)),
                ),
            },
        }
    }

    /// Whether no operator counts single steps: then stuttering changes nothing.
    pub fn is_next_free(&self) -> bool {
        let own = matches!(self, Formula::Unary(_, Unary::Next | Unary::Previous, _));
        !own && self.operands().into_iter().all(Formula::is_next_free)
    }
}

fn signed(formula: Formula, positive: bool) -> Formula {
    if positive { formula } else { !formula }
}

pub(crate) fn dual_path(path: Path) -> Path {
    match path {
        Path::This => Path::This,
        Path::All => Path::Some,
        Path::Some => Path::All,
    }
}

/// The operator that is the negation of one over the negated operand.
pub(crate) fn dual_unary(path: Path, operator: Unary) -> Option<(Path, Unary)> {
    let dual = match operator {
        Unary::Next => Unary::Next,
        // `AY a` is true and `Y a` is false at the start: only branching time has both.
        Unary::Previous if path == Path::This => return None,
        Unary::Previous => Unary::Previous,
        Unary::Eventually => Unary::Always,
        Unary::Always => Unary::Eventually,
        Unary::Once => Unary::Historically,
        Unary::Historically => Unary::Once,
    };
    Some((dual_path(path), dual))
}

/// The operator that is the negation of one over negated operands.
pub(crate) fn dual_binary(operator: Binary) -> Option<Binary> {
    match operator {
        Binary::Until => Some(Binary::Release),
        Binary::Release => Some(Binary::Until),
        Binary::WeakUntil => Some(Binary::StrongRelease),
        Binary::StrongRelease => Some(Binary::WeakUntil),
        Binary::Since => None,
    }
}

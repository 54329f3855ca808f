//! Linear formulas that one state or one action refutes: `G p` with `p` about states only, or about
//! actions only. Where every maximal run counts, every reachable state and edge lies on one, so that
//! a breadth-first search answers, with a shortest trace and without a product.

use quadrille_engine::Property;
use quadrille_logic::{AtomId, Formula, Path, Unary};
use quadrille_model::{Action, Model, Value};

use crate::checker::remembered;
use crate::claim::{Claim, Subject};

/// A formula `G p` that a search for states or edges decides.
pub(crate) struct Invariant<'a> {
    claim: &'a Claim<'a>,
    /// `p`, without temporal operators.
    body: &'a Formula,
    /// Whether `p` is about actions; else it is about states.
    about_actions: bool,
}

impl<'a> Invariant<'a> {
    /// The invariant that a claim is, if it is one.
    pub(crate) fn of(claim: &'a Claim<'a>) -> Option<Self> {
        let Formula::Unary(Path::This, Unary::Always, body) = &claim.formula else {
            return None;
        };
        if !is_timeless(body) {
            return None;
        }
        let is_action = |subject: &Subject| matches!(subject, Subject::Actions(_));
        let about_actions = claim.subjects.iter().any(is_action);
        if about_actions {
            // After the end of a run there is no action for ever: that must be allowed.
            let silence_is_fine = holds(body, &|_| false);
            if !silence_is_fine || !claim.subjects.iter().all(is_action) {
                return None;
            }
        }
        Some(Self { claim, body, about_actions })
    }

    /// The property to search with.
    pub(crate) fn property<'s>(&'s self, model: &'s dyn Model) -> Property<'s> {
        if self.about_actions {
            Property::Never(Box::new(remembered(model, |action| self.forbids(action))))
        } else {
            Property::Always(Box::new(|state| self.allows(model, state)))
        }
    }

    fn forbids(&self, action: &Action) -> bool {
        !holds(self.body, &|atom| match &self.claim.subjects[atom.index()] {
            Subject::Actions(actions) => (actions.matches)(action),
            Subject::Proposition(_) => false,
        })
    }

    fn allows(&self, model: &dyn Model, state: &[Value]) -> bool {
        holds(self.body, &|atom| match &self.claim.subjects[atom.index()] {
            Subject::Actions(_) => false,
            Subject::Proposition(proposition) => model.holds(*proposition, state),
        })
    }
}

fn is_timeless(formula: &Formula) -> bool {
    let here = !matches!(formula, Formula::Unary(..) | Formula::Binary(..));
    here && formula.operands().into_iter().all(is_timeless)
}

/// Whether a formula without temporal operators holds under a valuation.
fn holds(formula: &Formula, atom: &dyn Fn(AtomId) -> bool) -> bool {
    match formula {
        Formula::True => true,
        Formula::False | Formula::Unary(..) | Formula::Binary(..) => false,
        Formula::Atom(id) => atom(*id),
        Formula::Not(a) => !holds(a, atom),
        Formula::And(all) => all.iter().all(|a| holds(a, atom)),
        Formula::Or(all) => all.iter().any(|a| holds(a, atom)),
        Formula::Implies(a, b) => !holds(a, atom) || holds(b, atom),
        Formula::Iff(a, b) => holds(a, atom) == holds(b, atom),
    }
}

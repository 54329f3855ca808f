//! Linear formulas that one state or one action refutes: `G p` with `p` about states only, or about
//! actions only. Where every maximal run counts, every reachable state and edge lies on one, so that
//! a breadth-first search answers, with a shortest trace and without a product.

use quadrille_engine::Property;
use quadrille_logic::{AtomId, Formula, Path, Unary};
use quadrille_model::{ActionId, Model, Value};

use crate::formulas::{Question, Subject};

/// A formula `G p` that a search for states or edges decides.
pub(super) struct Invariant<'a> {
    question: &'a Question,
    /// `p`, without temporal operators.
    body: &'a Formula,
    /// Whether `p` is about actions; else it is about states.
    about_actions: bool,
}

impl<'a> Invariant<'a> {
    /// The invariant that a question is, if it is one.
    pub(super) fn of(question: &'a Question) -> Option<Self> {
        let Formula::Unary(Path::This, Unary::Always, body) = &question.formula else {
            return None;
        };
        if !is_timeless(body) {
            return None;
        }
        let is_label = |subject: &Subject| matches!(subject, Subject::Label(_));
        let about_actions = question.subjects.iter().any(is_label);
        if about_actions {
            // After the end of a run there is no action for ever: that must be allowed.
            let silence_is_fine = holds(body, &|_| false);
            if !silence_is_fine || !question.subjects.iter().all(is_label) {
                return None;
            }
        }
        Some(Self { question, body, about_actions })
    }

    /// The property to search with.
    pub(super) fn property<'s>(&'s self, model: &'s dyn Model) -> Property<'s> {
        if self.about_actions {
            Property::Never(Box::new(|action| self.forbids(model, action)))
        } else {
            Property::Always(Box::new(|state| self.allows(model, state)))
        }
    }

    fn forbids(&self, model: &dyn Model, action: ActionId) -> bool {
        let performed = model.action(action).label;
        !holds(self.body, &|atom| match &self.question.subjects[atom.index()] {
            Subject::Label(label) => *label == performed,
            Subject::Proposition(_) => false,
        })
    }

    fn allows(&self, model: &dyn Model, state: &[Value]) -> bool {
        holds(self.body, &|atom| match &self.question.subjects[atom.index()] {
            Subject::Label(_) => false,
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

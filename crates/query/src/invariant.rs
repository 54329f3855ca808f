//! Linear formulas that one state or one action refutes: `G p` with `p` about states only, or about
//! actions only. Where every maximal run counts, every reachable state and edge lies on one, so that
//! a breadth-first search answers, with a shortest trace and without a product.

use std::cell::RefCell;

use quadrille_engine::{Property as Search, Sift, SiftTest};
use quadrille_logic::{AtomId, Formula, Path, Unary};
use quadrille_model::{Action, ActionId, Explorer, Model, Problem, PropositionId, Value};
use quadrille_protocol::core::Terms;

use crate::claim::{Atom, Claim, Statement};

/// A formula `G p` that a search for states or edges decides.
pub(crate) struct Invariant<'a> {
    claim: &'a Claim,
    terms: Option<&'a Terms>,
    /// `p`, without temporal operators.
    body: &'a Formula,
    /// Whether `p` is about actions; else it is about states.
    about_actions: bool,
}

impl<'a> Invariant<'a> {
    /// The invariant that a claim is, if it is one.
    pub(crate) fn of(claim: &'a Claim, terms: Option<&'a Terms>) -> Option<Self> {
        let Statement::Linear(Formula::Unary(Path::This, Unary::Always, body)) = &claim.statement
        else {
            return None;
        };
        if !is_timeless(body) {
            return None;
        }
        let is_action = |atom: &Atom| matches!(atom, Atom::Action(_));
        let about_actions = claim.atoms.iter().any(is_action);
        if about_actions {
            // After the end of a run there is no action for ever: that must be allowed.
            let silence_is_fine = holds(body, &|_| false);
            if !silence_is_fine || !claim.atoms.iter().all(is_action) {
                return None;
            }
        }
        Some(Self { claim, terms, body, about_actions })
    }

    /// What to search for.
    pub(crate) fn search<'s>(&'s self, model: &'s dyn Model) -> Search<'s> {
        if self.about_actions {
            Search::Never(Box::new(remembered(model, |action| self.forbids(action))))
        } else {
            let (explorer, states) = (RefCell::new(model.explorer()), self.states(model));
            Search::Always(Box::new(move |state| states.allow(&mut **explorer.borrow_mut(), state)))
        }
    }

    /// The same for several threads, where it is about states.
    pub(crate) fn sift<'s>(&'s self, model: &'s dyn Model) -> Option<Box<dyn Sift + 's>> {
        (!self.about_actions).then(|| Box::new(self.states(model)) as Box<dyn Sift>)
    }

    fn states<'s>(&'s self, model: &'s dyn Model) -> States<'s> {
        let proposition = |atom: &Atom| match atom {
            Atom::Action(_) => None,
            Atom::Proposition(proposition) => Some(*proposition),
        };
        let atoms = self.claim.atoms.iter().map(proposition).collect();
        States { model, body: self.body, atoms }
    }

    fn forbids(&self, action: &Action) -> bool {
        !holds(self.body, &|atom| match &self.claim.atoms[atom.index()] {
            Atom::Action(atom) => atom.matches(self.terms, action),
            Atom::Proposition(_) => false,
        })
    }
}

/// An invariant about states.
struct States<'a> {
    model: &'a dyn Model,
    body: &'a Formula,
    /// The propositions among its atoms.
    atoms: Vec<Option<PropositionId>>,
}

impl States<'_> {
    fn allow(&self, explorer: &mut dyn Explorer, state: &[Value]) -> Result<bool, Box<Problem>> {
        let mut values = Vec::with_capacity(self.atoms.len());
        for atom in &self.atoms {
            values.push(match atom {
                None => false,
                Some(proposition) => explorer.holds(*proposition, state)?,
            });
        }
        Ok(holds(self.body, &|atom| values[atom.index()]))
    }
}

impl Sift for States<'_> {
    fn begin(&self) -> SiftTest<'_> {
        let mut explorer = self.model.explorer();
        Box::new(move |state| !matches!(self.allow(&mut *explorer, state), Ok(true)))
    }
}

/// A predicate on actions by their ids; each action is looked at once.
pub(crate) fn remembered<'a>(
    model: &'a dyn Model,
    matches: impl Fn(&Action) -> bool + 'a,
) -> impl Fn(ActionId) -> bool + 'a {
    let answers: RefCell<Vec<Option<bool>>> = RefCell::default();
    move |id| {
        let mut answers = answers.borrow_mut();
        if answers.len() <= id.index() {
            answers.resize(id.index() + 1, None);
        }
        *answers[id.index()].get_or_insert_with(|| matches(&model.action(id)))
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

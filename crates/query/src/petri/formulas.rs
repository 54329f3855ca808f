//! Formulas about nets as formulas over propositions of a model.

use quadrille_engine::{Interpretation, Meaning};
use quadrille_logic::{AtomId, Binary, Formula as Logic, Path, Unary};
use quadrille_model::PropositionId;
use quadrille_petri::{Formula, Kind, NetModel};
use rustc_hash::FxHashMap;

/// A formula over propositions of a model.
pub(super) struct Prepared {
    pub formula: Logic,
    atoms: Vec<PropositionId>,
    /// Whether runs are asked for: then what holds on all of them is the negation of the answer.
    pub asks_some: bool,
    pub is_linear: bool,
}

impl Prepared {
    /// Makes propositions of the largest parts that speak about one marking.
    pub(super) fn new(model: &mut NetModel, formula: &Formula) -> Self {
        let is_linear = formula.kind() == Kind::Linear;
        let numbers = FxHashMap::default();
        let mut translation = Translation { model, is_linear, atoms: Vec::new(), numbers };
        let translated = translation.formula(formula);
        let asks_some = is_linear && matches!(formula, Formula::Some(_));
        Self { formula: translated, atoms: translation.atoms, asks_some, is_linear }
    }

    /// What the atoms mean.
    pub(super) fn interpretation(&self) -> Interpretation<'static> {
        Interpretation::new(self.atoms.iter().map(|&atom| Meaning::Proposition(atom)).collect())
    }

    pub(super) fn propositions(&self) -> Vec<PropositionId> {
        self.atoms.clone()
    }
}

struct Translation<'m> {
    model: &'m mut NetModel,
    is_linear: bool,
    atoms: Vec<PropositionId>,
    numbers: FxHashMap<PropositionId, usize>,
}

impl Translation<'_> {
    fn atom(&mut self, formula: &Formula) -> Logic {
        let name = format!("p{}", self.atoms.len());
        let proposition = self.model.proposition(&name, formula);
        let number = *self.numbers.entry(proposition).or_insert_with(|| {
            self.atoms.push(proposition);
            self.atoms.len() - 1
        });
        Logic::atom(AtomId::from_usize(number))
    }

    fn formula(&mut self, formula: &Formula) -> Logic {
        match formula {
            Formula::Constant(true) => Logic::True,
            Formula::Constant(false) => Logic::False,
            _ if formula.is_state() => self.atom(formula),
            Formula::Not(part) => !self.formula(part),
            Formula::And(all) => {
                Logic::and(all.iter().map(|it| self.formula(it)).collect::<Vec<_>>())
            }
            Formula::Or(all) => {
                Logic::or(all.iter().map(|it| self.formula(it)).collect::<Vec<_>>())
            }
            // In linear time the only quantifier stands before everything.
            Formula::All(part) if self.is_linear => self.formula(part),
            Formula::Some(part) if self.is_linear => !self.formula(part),
            Formula::All(part) => self.temporal(part, Path::All),
            Formula::Some(part) => self.temporal(part, Path::Some),
            other => self.temporal(other, Path::This),
        }
    }

    fn temporal(&mut self, formula: &Formula, path: Path) -> Logic {
        let (operator, body) = match formula {
            Formula::Next(body) => (Unary::Next, body),
            Formula::Finally(body) => (Unary::Eventually, body),
            Formula::Globally(body) => (Unary::Always, body),
            Formula::Until(hold, goal) => {
                let (hold, goal) = (self.formula(hold), self.formula(goal));
                return Logic::Binary(path, Binary::Until, Box::new(hold), Box::new(goal));
            }
            other => return self.formula(other),
        };
        Logic::Unary(path, operator, Box::new(self.formula(body)))
    }
}

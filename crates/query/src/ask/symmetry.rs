//! Which families of a model a question does not tell apart.

use quadrille_logic::Formula;
use quadrille_model::{Action, Condition};
use quadrille_reduction::{Asked, Asymmetry, Symmetry};

use super::Config;
use super::reduction::Reason;
use crate::claim::{ActionAtom, Atom, Property, Statement};
use crate::question::Question;
use crate::subject::Subject;

/// Groups of a model beyond which families are not looked at: every pair of members is compared by all
/// groups, and no limit watches that.
const MOST_GROUPS: usize = 512;

impl Subject<'_> {
    /// What can be exchanged without changing a question, or why nothing can; `None` if there are no
    /// families to speak of.
    pub(super) fn symmetry(
        &self,
        question: &Question<'_>,
        config: &Config,
    ) -> Result<Symmetry, Option<Reason>> {
        let signature = self.model().signature();
        if signature.families.is_empty() {
            return Err(None);
        }
        let asked = self.what_is_seen(question, config).map_err(Some)?;
        if signature.groups.len() > MOST_GROUPS {
            return Err(Some("no symmetry (too many kinds of steps)"));
        }
        Symmetry::of(self.model(), &asked).map_err(|asymmetry| match asymmetry {
            Asymmetry::NoFamily => None,
            Asymmetry::TellsApart => Some("no symmetry (the question tells members apart)"),
        })
    }

    /// What a question asks of states and actions, or why nothing is exchanged for it.
    fn what_is_seen<'q>(
        &'q self,
        question: &'q Question<'_>,
        config: &Config,
    ) -> Result<Asked<'q>, Reason> {
        let mut asked = Asked::default();
        let property = match question {
            Question::Deadlock => return Ok(asked),
            Question::Property(property) => property,
            _ => return Err("no symmetry (the question is about everything)"),
        };
        if self.needs_fairness(property, config) {
            return Err("no symmetry (fairness)");
        }
        if property.actions().count() > u64::BITS as usize {
            return Err("no symmetry (too many atoms)");
        }
        for claim in &property.claims {
            match &claim.statement {
                Statement::Linear(formula) => self.gather(formula, &claim.atoms, &mut asked),
                Statement::Branching(_) => return Err("no symmetry (branching time)"),
                Statement::Never(_) => return Err("no symmetry (an automaton)"),
            }
        }
        if property.actions().next().is_some() {
            asked.actions = Some(Box::new(self.letters(question)));
        }
        Ok(asked)
    }

    /// What the atoms of a question see of an action.
    pub(super) fn letters<'q>(
        &'q self,
        question: &'q Question<'_>,
    ) -> impl Fn(&Action) -> u64 + 'q {
        let property = match question {
            Question::Property(property) => Some(property),
            _ => None,
        };
        let atoms: Vec<&ActionAtom> = property.into_iter().flat_map(Property::actions).collect();
        let terms = self.terms();
        move |action| {
            let seen = atoms.iter().enumerate().filter(|(_, atom)| atom.matches(terms, action));
            seen.fold(0, |letters, (number, _)| letters | 1 << number)
        }
    }

    /// Adds the largest parts of a formula that speak of one state.
    fn gather(&self, formula: &Formula, atoms: &[Atom], asked: &mut Asked<'_>) {
        if let Some(condition) = self.condition(formula, atoms) {
            asked.conditions.push(condition);
        } else if let Formula::Atom(id) = formula {
            if let Atom::Proposition(id) = atoms[id.index()] {
                let propositions = &self.model().signature().propositions;
                asked.slots.extend(&propositions[id.index()].support);
            }
        } else {
            formula.operands().into_iter().for_each(|operand| self.gather(operand, atoms, asked));
        }
    }

    /// A formula about one state as a condition on it, if its propositions can be taken apart.
    fn condition(&self, formula: &Formula, atoms: &[Atom]) -> Option<Condition> {
        let all = |formulas: &[Formula]| -> Option<Vec<Condition>> {
            formulas.iter().map(|formula| self.condition(formula, atoms)).collect()
        };
        let not =
            |formula: &Formula| Some(Condition::Not(Box::new(self.condition(formula, atoms)?)));
        Some(match formula {
            Formula::True => Condition::All(Vec::new()),
            Formula::False => Condition::Any(Vec::new()),
            Formula::Atom(id) => match &atoms[id.index()] {
                Atom::Proposition(id) => self.model().meaning(*id)?,
                Atom::Action(_) => return None,
            },
            Formula::Not(operand) => not(operand)?,
            Formula::And(operands) => Condition::All(all(operands)?),
            Formula::Or(operands) => Condition::Any(all(operands)?),
            Formula::Implies(left, right) => {
                Condition::Any(vec![not(left)?, self.condition(right, atoms)?])
            }
            Formula::Iff(left, right) => {
                let [one, other] = [left, right].map(|side| self.condition(side, atoms));
                let both = Condition::All(vec![one?, other?]);
                Condition::Any(vec![both, Condition::All(vec![not(left)?, not(right)?])])
            }
            Formula::Unary(..) | Formula::Binary(..) => return None,
        })
    }
}

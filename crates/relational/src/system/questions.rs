//! Commands as formulas of temporal logic: quantifiers are written out over the atoms, what has no
//! temporal operator becomes a proposition, events become actions.

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_logic::{AtomId, Binary, Formula as Logic, Path, Unary};
use quadrille_model::{Expected, PropositionId};

use super::{ANY_STEP, held, label};
use crate::codes::UNSUPPORTED;
use crate::eval::{Bindings, Evaluator, State, Tuples, join};
use crate::ground::members;
use crate::types::core::{Formula, Set, Temporal, TemporalPair};
use crate::types::words::CommandKind;
use crate::types::{CommandDef, Design};

/// What an atom of a formula speaks about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A proposition of the model.
    Proposition(PropositionId),
    /// A step with this name: `send`, or `send[Node$1]`.
    Event(String),
}

/// A command as a formula that every run must satisfy.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its name.
    pub name: String,
    /// Whether something is checked or looked for: a run is found where the formula is violated.
    pub kind: CommandKind,
    /// The formula.
    pub formula: Logic,
    /// What its atoms mean, by number.
    pub atoms: Vec<Meaning>,
    /// What must come out.
    pub expected: Expected,
    /// Where it stands.
    pub span: Span,
}

/// Propositions, each a formula with what its variables are bound to.
pub(super) type Propositions = Vec<(Formula, Bindings)>;

/// Writes commands out.
pub(super) struct Questions<'d> {
    pub(super) evaluator: Evaluator<'d>,
    pub(super) design: &'d Design,
    pub(super) world: &'d crate::World,
    /// Any state: what is asked of it is the same in all.
    pub(super) state: &'d State,
    pub(super) propositions: Propositions,
    /// Formulas about a state and the next.
    pub(super) across: Propositions,
}

impl Questions<'_> {
    pub(super) fn asked(&mut self, command: &CommandDef) -> Result<Asked, Box<Diagnostic>> {
        let mut atoms = Vec::new();
        let mut all = Vec::new();
        for assumption in &self.design.assumptions {
            all.push(self.temporal(assumption, &Bindings::new(), &mut atoms)?);
        }
        let formula = self.temporal(&command.formula, &Bindings::new(), &mut atoms)?;
        let is_check = command.kind == CommandKind::Check;
        let formula = match (is_check, all.is_empty()) {
            (true, true) => formula,
            (true, false) => Logic::Implies(Box::new(Logic::and(all)), Box::new(formula)),
            (false, _) => {
                all.push(formula);
                Logic::Not(Box::new(Logic::and(all)))
            }
        };
        // `expect 1`: a counterexample, or a run; without it, none and one.
        let is_found = command.expect.unwrap_or(!is_check);
        let expected = if is_found { Expected::Violated } else { Expected::Holds };
        let (name, kind, span) = (command.name.clone(), command.kind, command.span);
        Ok(Asked { name, kind, formula, atoms, expected, span })
    }

    fn proposition(
        &mut self,
        formula: &Formula,
        bound: &Bindings,
        atoms: &mut Vec<Meaning>,
    ) -> Logic {
        let wanted = (formula.clone(), bound.clone());
        let known = self.propositions.iter().position(|known| *known == wanted);
        let number = known.unwrap_or(self.propositions.len());
        if known.is_none() {
            self.propositions.push(wanted);
        }
        atom(Meaning::Proposition(PropositionId::from_usize(number)), atoms)
    }

    /// A formula about a state and the next: an event of the steps of which it holds. A run that has
    /// ended stays where it is.
    fn across(&mut self, formula: &Formula, bound: &Bindings, atoms: &mut Vec<Meaning>) -> Logic {
        let wanted = (formula.clone(), bound.clone());
        let known = self.across.iter().position(|known| *known == wanted);
        let number = known.unwrap_or(self.across.len());
        if known.is_none() {
            self.across.push(wanted);
        }
        let happens = atom(Meaning::Event(held(number)), atoms);
        let moves = atom(Meaning::Event(ANY_STEP.to_owned()), atoms);
        let stays = self.proposition(formula, bound, atoms);
        Logic::or([happens, Logic::and([Logic::Not(Box::new(moves)), stays])])
    }

    fn temporal(
        &mut self,
        formula: &Formula,
        bound: &Bindings,
        atoms: &mut Vec<Meaning>,
    ) -> Result<Logic, Box<Diagnostic>> {
        if let Formula::Constant(value) = formula {
            return Ok(if *value { Logic::True } else { Logic::False });
        }
        if formula.is_primed() && !formula.is_temporal() {
            return Ok(self.across(formula, bound, atoms));
        }
        if !formula.is_temporal() {
            return Ok(self.proposition(formula, bound, atoms));
        }
        let mut each = |parts: &[Formula]| -> Result<Vec<Logic>, Box<Diagnostic>> {
            parts.iter().map(|part| self.temporal(part, bound, atoms)).collect()
        };
        Ok(match formula {
            Formula::And(all) => Logic::and(each(all)?),
            Formula::Or(all) => Logic::or(each(all)?),
            Formula::Not(a) => Logic::Not(Box::new(self.temporal(a, bound, atoms)?)),
            Formula::Iff(a, b) => {
                let (a, b) = (self.temporal(a, bound, atoms)?, self.temporal(b, bound, atoms)?);
                Logic::Iff(Box::new(a), Box::new(b))
            }
            Formula::If(c, a, b) => {
                let (c, a) = (self.temporal(c, bound, atoms)?, self.temporal(a, bound, atoms)?);
                let b = self.temporal(b, bound, atoms)?;
                let then = Logic::Implies(Box::new(c.clone()), Box::new(a));
                match b {
                    Logic::True => then,
                    b => Logic::and([then, Logic::or([c, b])]),
                }
            }
            Formula::All(variable, set, body, span) | Formula::Some(variable, set, body, span) => {
                let is_all = matches!(formula, Formula::All(..));
                let mut parts = Vec::new();
                for atom in members(self.possible(set, bound)) {
                    let mut bound = bound.clone();
                    bound.insert(*variable, atom);
                    let body = self.temporal(body, &bound, atoms)?;
                    let is_member =
                        Formula::In(Box::new(Set::Variable(*variable)), set.clone(), *span);
                    let member = match self.is_fixed(set) {
                        true => Logic::True,
                        false => self.temporal(&is_member, &bound, atoms)?,
                    };
                    parts.push(match (is_all, member) {
                        (_, Logic::True) => body,
                        (true, member) => Logic::Implies(Box::new(member), Box::new(body)),
                        (false, member) => Logic::and([member, body]),
                    });
                }
                if is_all { Logic::and(parts) } else { Logic::or(parts) }
            }
            Formula::Happens(event, arguments, span) => {
                let mut tuple = Vec::new();
                for argument in arguments {
                    let is_plain =
                        matches!(argument, Set::Variable(_) | Set::Atom(..) | Set::Number(..));
                    match self.evaluator.atoms(argument, self.state, bound)?.as_slice() {
                        [atom] if is_plain || self.is_fixed(argument) => tuple.push(*atom),
                        _ => return Err(unsupported(*span)),
                    }
                }
                let name = &self.design.events[event.0].name;
                atom(Meaning::Event(label(self.world, name, &tuple)), atoms)
            }
            Formula::Unary(operator, a) => {
                let operator = match operator {
                    Temporal::Always => Unary::Always,
                    Temporal::Eventually => Unary::Eventually,
                    Temporal::After => Unary::Next,
                    Temporal::Before => Unary::Previous,
                    Temporal::Historically => Unary::Historically,
                    Temporal::Once => Unary::Once,
                };
                Logic::Unary(Path::This, operator, Box::new(self.temporal(a, bound, atoms)?))
            }
            Formula::Binary(operator, a, b) => {
                let (a, b) = (self.temporal(a, bound, atoms)?, self.temporal(b, bound, atoms)?);
                let pair =
                    |operator, a, b| Logic::Binary(Path::This, operator, Box::new(a), Box::new(b));
                let not = |a| Logic::Not(Box::new(a));
                match operator {
                    TemporalPair::Until => pair(Binary::Until, a, b),
                    TemporalPair::Releases => pair(Binary::Release, a, b),
                    TemporalPair::Since => pair(Binary::Since, a, b),
                    TemporalPair::Triggered => not(pair(Binary::Since, not(a), not(b))),
                }
            }
            other => self.proposition(other, bound, atoms),
        })
    }

    /// The atoms that a set can have at all.
    fn possible(&self, set: &Set, bound: &Bindings) -> u64 {
        let found = self.at_most(set, bound);
        found.map_or(self.world.univ(), |all| all.iter().fold(0, |set, tuple| set | 1 << tuple[0]))
    }

    /// The tuples that a set can have at all, as far as that is easily told.
    fn at_most(&self, set: &Set, bound: &Bindings) -> Option<Tuples> {
        let of = |set: &Set| self.at_most(set, bound);
        Some(match set {
            Set::Relation(relation, _) => {
                let rows = self.world.rows[relation.0].iter();
                let tuples = rows.flat_map(|(prefix, atoms)| {
                    members(*atoms).map(move |atom| [&prefix[..], &[atom]].concat())
                });
                tuples.collect()
            }
            Set::Variable(variable) => Tuples::from([vec![*bound.get(variable)?]]),
            Set::Union(a, b) | Set::Override(a, b) | Set::If(_, a, b) => {
                of(a)?.union(&of(b)?).cloned().collect()
            }
            Set::Intersection(a, b) => of(a)?.intersection(&of(b)?).cloned().collect(),
            Set::Difference(a, _) | Set::Range(a, _) | Set::Domain(_, a) => of(a)?,
            Set::Join(a, b) => join(&of(a)?, &of(b)?),
            Set::Transpose(a) => of(a)?.into_iter().map(|pair| vec![pair[1], pair[0]]).collect(),
            Set::Comprehension(decls, _) => match decls.as_slice() {
                [(_, set)] => of(set)?,
                _ => return None,
            },
            Set::Atom(..) | Set::None(_) | Set::Univ => {
                self.evaluator.set(set, self.state, bound).ok()?
            }
            _ => return None,
        })
    }

    fn is_fixed(&self, set: &Set) -> bool {
        matches!(set, Set::Relation(relation, _) if self.evaluator.fixed(*relation))
    }
}

fn atom(meaning: Meaning, atoms: &mut Vec<Meaning>) -> Logic {
    let known = atoms.iter().position(|known| *known == meaning);
    let number = known.unwrap_or(atoms.len());
    if known.is_none() {
        atoms.push(meaning);
    }
    Logic::Atom(AtomId::from_usize(number))
}

fn unsupported(span: Span) -> Box<Diagnostic> {
    let message = "the arguments of an event in a formula are atoms or variables";
    let help = "bind the argument with a quantifier, and compare it there";
    Box::new(Diagnostic::error(&UNSUPPORTED, message).at(span, "").help(help))
}

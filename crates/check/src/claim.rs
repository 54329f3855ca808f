//! Formulas tied to what they speak about: each atom becomes a set of actions or a proposition. Knows
//! how atoms of protocols are read, and nothing of searches.

use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_engine::Meaning;
use quadrille_logic::{Formula, Kind, parse, parse_owl};
use quadrille_model::{Action, PropositionId};
use quadrille_protocol::core::Terms;
use quadrille_protocol::owl::{OwlAtom, Types};
use quadrille_quad::Atom;
use quadrille_quad::atoms::ActionAtoms;

use crate::formulas::ignored_words;

/// A formula about a model.
pub struct Claim<'m> {
    /// The formula.
    pub formula: Formula,
    /// Linear or branching time.
    pub kind: Kind,
    /// What each atom means, by number.
    pub subjects: Vec<Subject<'m>>,
}

/// What an atom speaks about.
pub enum Subject<'m> {
    /// Actions.
    Actions(Actions<'m>),
    /// A proposition.
    Proposition(PropositionId),
}

/// Actions that an atom speaks about.
pub struct Actions<'m> {
    /// The atom as people write it.
    pub text: String,
    /// Where it, or the formula it belongs to, stands.
    pub span: Span,
    /// Whether an action is one of them. A predicate and not a list: the actions of a protocol are
    /// found as it is explored.
    pub matches: Box<dyn Fn(&Action) -> bool + 'm>,
}

impl<'m> Claim<'m> {
    /// A formula with atoms that were read before; `terms` says who the participants are.
    pub fn of_atoms(
        formula: Formula,
        atoms: impl Iterator<Item = (Atom, Span)>,
        terms: &'m Terms,
    ) -> Self {
        let subject = |(atom, span): (Atom, Span)| match atom {
            Atom::Action(pattern) => Subject::Actions(Actions {
                text: pattern.to_string(),
                span,
                matches: Box::new(move |action| pattern.matches(terms, action)),
            }),
            Atom::Label(label) => Subject::Actions(Actions {
                text: label.clone(),
                span,
                matches: Box::new(move |action| action.label == label),
            }),
            Atom::Proposition(proposition) => Subject::Proposition(proposition),
        };
        let kind = formula.kind().unwrap_or(Kind::Linear);
        Self { formula, kind, subjects: atoms.map(subject).collect() }
    }

    /// Reads a formula in our own syntax about the actions of a protocol whose names are not declared.
    pub fn of_actions(
        sources: &Sources,
        span: Span,
        terms: &'m Terms,
    ) -> Result<Self, Vec<Diagnostic>> {
        let parsed = parse(sources, span, &mut ActionAtoms);
        let Some(formula) = parsed.formula else { return Err(parsed.diagnostics) };
        let atoms = parsed.atoms.iter().map(|(id, atom)| {
            let place = parsed.atoms.span(id).unwrap_or(span);
            (atom.clone(), place)
        });
        Ok(Self::of_atoms(formula, atoms, terms))
    }

    /// Reads a formula of the Owl dialect about a protocol; warnings come along.
    pub fn of_owl(
        sources: &Sources,
        span: Span,
        types: &Types,
        terms: &'m Terms,
    ) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let parsed = parse_owl(sources, span);
        let mut warnings = parsed.diagnostics;
        let Some(formula) = parsed.formula else { return Err(warnings) };
        let (mut subjects, mut bad) = (Vec::new(), Vec::new());
        for (id, text) in parsed.atoms.iter() {
            let place = parsed.atoms.span(id).unwrap_or(span);
            match OwlAtom::parse(text, place, types) {
                Err(diagnostic) => bad.push(*diagnostic),
                Ok(atom) => {
                    warnings.extend(ignored_words(&atom, place));
                    let matches = Box::new(move |action: &_| atom.matches(terms, action));
                    let text = text.clone();
                    subjects.push(Subject::Actions(Actions { text, span: place, matches }));
                }
            }
        }
        if !bad.is_empty() {
            return Err(bad);
        }
        Ok((Self { formula, kind: Kind::Linear, subjects }, warnings))
    }

    /// Whether an atom is about states.
    pub fn speaks_of_states(&self) -> bool {
        self.subjects.iter().any(|subject| matches!(subject, Subject::Proposition(_)))
    }

    /// What the atoms mean, for the engine.
    pub fn meanings(&self) -> Vec<Meaning<'_>> {
        let meaning = |subject| match subject {
            &Subject::Proposition(proposition) => Meaning::Proposition(proposition),
            Subject::Actions(actions) => {
                Meaning::Action(Box::new(|action| (actions.matches)(action)))
            }
        };
        self.subjects.iter().map(meaning).collect()
    }
}

//! What the atoms of a formula mean on a model, in linear and in branching time, and the letters
//! that follow from it. Front ends bring their own matching of actions; nothing here knows a
//! label's syntax.

use quadrille_logic::{AtomId, Formula, Letter, MAX_ATOMS};
use quadrille_model::{Action, ActionId, Explorer, Model, Problem, PropositionId, Value};

use crate::Error;
use crate::bits::Bits;

/// What an atom of a formula says about one step of a run; in branching time, about a state and the
/// action that led there.
pub enum Meaning<'a> {
    /// A proposition of the model holds in the state: in linear time, in the one the step leaves.
    Proposition(PropositionId),
    /// The action satisfies a predicate. False where there is none: in linear time where the run
    /// has ended, in branching time before the first action.
    Action(Box<dyn Fn(&Action) -> bool + Sync + 'a>),
}

/// The meaning of each atom of a formula, by atom number.
#[derive(Default)]
pub struct Interpretation<'a> {
    meanings: Vec<Meaning<'a>>,
}

impl<'a> Interpretation<'a> {
    /// An interpretation of the atoms `0..meanings.len()`.
    pub fn new(meanings: Vec<Meaning<'a>>) -> Self {
        Self { meanings }
    }

    /// Number of atoms.
    pub fn n_atoms(&self) -> usize {
        self.meanings.len()
    }

    /// What an atom means.
    pub fn meaning(&self, atom: AtomId) -> Option<&Meaning<'a>> {
        self.meanings.get(atom.index())
    }

    /// Whether every atom of a formula has a meaning, and every proposition exists.
    pub fn covers(&self, formula: &Formula, model: &dyn Model) -> Result<(), Error> {
        if formula.n_atoms() > self.n_atoms() {
            return Err(Error::UnknownAtom(AtomId::from_usize(formula.n_atoms() - 1)));
        }
        let n_propositions = model.signature().propositions.len();
        match self.propositions().find(|(_, proposition)| proposition.index() >= n_propositions) {
            Some((_, unknown)) => Err(Error::UnknownProposition(unknown)),
            None => Ok(()),
        }
    }

    /// The atoms that stand for propositions, each with its proposition.
    pub(crate) fn propositions(&self) -> impl Iterator<Item = (AtomId, PropositionId)> {
        self.meanings.iter().enumerate().filter_map(|(atom, meaning)| match meaning {
            Meaning::Proposition(proposition) => Some((AtomId::from_usize(atom), *proposition)),
            Meaning::Action(_) => None,
        })
    }

    /// The atoms that are propositions, as a letter.
    pub(crate) fn atoms_of_states(&self) -> Letter {
        self.letter(|meaning| matches!(meaning, Meaning::Proposition(_)))
    }

    /// Whether some atom is a proposition.
    pub(crate) fn reads_states(&self) -> bool {
        self.propositions().next().is_some()
    }

    /// The propositions that hold in a state, as a letter.
    pub(crate) fn state_letter(
        &self,
        explorer: &mut dyn Explorer,
        state: &[Value],
    ) -> Result<Letter, Box<Problem>> {
        let mut letter = 0;
        for (atom, proposition) in self.propositions().take_while(|(a, _)| a.index() < MAX_ATOMS) {
            letter |= Letter::from(explorer.holds(proposition, state)?) << atom.index();
        }
        Ok(letter)
    }

    /// The action predicates that an action satisfies, as a letter.
    pub(crate) fn action_letter(&self, model: &dyn Model, action: ActionId) -> Letter {
        let action = model.action(action);
        self.letter(|meaning| match meaning {
            Meaning::Proposition(_) => false,
            Meaning::Action(matches) => matches(&action),
        })
    }

    /// The action predicates among the first atoms that an action satisfies.
    pub(crate) fn satisfied(&self, n_atoms: usize, action: &Action) -> Bits {
        Bits::filter(n_atoms, |atom| match &self.meanings[atom] {
            Meaning::Proposition(_) => false,
            Meaning::Action(matches) => matches(action),
        })
    }

    fn letter(&self, holds: impl Fn(&Meaning<'a>) -> bool) -> Letter {
        let bits = self.meanings.iter().enumerate().take(MAX_ATOMS);
        bits.filter(|(_, meaning)| holds(meaning)).fold(0, |letter, (atom, _)| letter | 1 << atom)
    }
}

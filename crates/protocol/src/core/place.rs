//! Where the actions of a protocol are written, for what people are told about them.

use std::sync::{Mutex, PoisonError};

use quadrille_diagnostic::Span;
use rustc_hash::FxHashMap;

use super::action::ActId;
use super::term::{Term, TermId, Terms};

/// Places by action.
pub(super) type Places = Mutex<FxHashMap<ActId, Span>>;

impl Terms {
    /// Says where a communication is written, that is, all actions of this term, which it gives
    /// back. An action that is written in several places is found in the first of them.
    pub fn written_at(&self, term: TermId, span: Span) -> TermId {
        match self.term(term) {
            Term::Act(act, _) => {
                let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
                places.entry(act).and_modify(|place| *place = span.min(*place)).or_insert(span);
            }
            Term::Seq(first, then) | Term::Par(first, then) => {
                self.written_at(first, span);
                self.written_at(then, span);
            }
            _ => {}
        }
        term
    }

    /// Where an action is written, as far as terms were made and the language says.
    pub fn place_of(&self, act: ActId) -> Option<Span> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).get(&act).copied()
    }
}

//! Where the actions of a protocol are written, for what people are told about them.
//!
//! Equal terms are one state wherever they are written, so a state does not know which of several equal
//! communications its steps come from. Where that matters, a run is followed once more in the same
//! protocol [by place](ProtocolModel::by_place).

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use quadrille_diagnostic::Span;
use quadrille_model::{ActionId, GroupId, Model, Value};
use rustc_hash::FxHashMap;

use super::action::ActId;
use super::model::ProtocolModel;
use super::term::{Term, TermId, Terms};

/// What is known of places.
pub(super) enum Places {
    /// Equal actions are one, with all places where they are written, in order.
    Together(Mutex<FxHashMap<ActId, Vec<Span>>>),
    /// Equal actions in different places differ.
    Apart,
}

impl Default for Places {
    fn default() -> Self {
        Places::Together(Mutex::default())
    }
}

impl Places {
    /// The same before any place is known.
    pub(super) fn emptied(&self) -> Self {
        match self {
            Places::Together(_) => Places::default(),
            Places::Apart => Places::Apart,
        }
    }
}

impl Terms {
    /// Says where a communication is written, that is, all actions of this term, which it gives
    /// back. An action that is written in several places is found in the first of them, unless places
    /// tell actions apart.
    pub fn written_at(&self, term: TermId, span: Span) -> TermId {
        match (self.term(term), &self.places) {
            (Term::Act(act, _), Places::Together(places)) => {
                let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
                let places = places.entry(act).or_default();
                if let Err(position) = places.binary_search(&span) {
                    places.insert(position, span);
                }
                term
            }
            (Term::Act(act, update), Places::Apart) => {
                self.action_with(self.act_at(self.act_of(act).clone(), Some(span)), update)
            }
            (Term::Seq(first, then), _) => {
                self.seq(self.written_at(first, span), self.written_at(then, span))
            }
            (Term::Par(left, right), _) => {
                self.intern(Term::Par(self.written_at(left, span), self.written_at(right, span)))
            }
            _ => term,
        }
    }

    /// Where an action is written first, as far as terms were made and the language says.
    pub fn place_of(&self, act: ActId) -> Option<Span> {
        self.places_of(act).first().copied()
    }

    /// All places where an action is written, in order, as far as terms were made and the language says.
    pub fn places_of(&self, act: ActId) -> Vec<Span> {
        match &self.places {
            Places::Together(places) => {
                let places = places.lock().unwrap_or_else(PoisonError::into_inner);
                places.get(&act).cloned().unwrap_or_default()
            }
            Places::Apart => self.own_place(act).into_iter().collect(),
        }
    }
}

/// Most states that a run may lead to while it is followed by place.
pub(super) const MAX_STATES: usize = 10_000;

impl ProtocolModel {
    /// The outermost statements in which nothing happens, if these are all places where something does.
    pub fn idle_statements(&self, happened: &BTreeSet<Span>) -> Vec<Span> {
        match self.terms().term(self.whole) {
            Term::Call(definition, _) => self.definitions.idle(definition, happened),
            _ => Vec::new(),
        }
    }

    /// Where a step is written that follows others; all are given by their labels. In a protocol by
    /// place; empty where the protocol has no such run, or too many.
    pub fn places_after(&self, before: &[&str], step: &str) -> Vec<Span> {
        self.follow(before, step).unwrap_or_default()
    }

    fn follow(&self, before: &[&str], step: &str) -> Option<Vec<Span>> {
        let mut explorer = self.explorer();
        let mut states = BTreeSet::new();
        explorer.each_initial(|state: &[Value]| states.extend([state.to_vec()])).ok()?;
        for label in before {
            let mut after = BTreeSet::new();
            for state in &states {
                let visit = |_: GroupId, action: ActionId, next: &[Value]| {
                    if self.action(action).label == *label {
                        after.insert(next.to_vec());
                    }
                };
                explorer.each_successor(state, visit).ok()?;
            }
            if after.len() > MAX_STATES {
                return None;
            }
            states = after;
        }
        let mut places = BTreeSet::new();
        for state in &states {
            let visit = |_: GroupId, action: ActionId, _: &[Value]| {
                if self.action(action).label == step {
                    places.extend(self.terms().place_of(ActId::from(action)));
                }
            };
            explorer.each_successor(state, visit).ok()?;
        }
        Some(places.into_iter().collect())
    }
}

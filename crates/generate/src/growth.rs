//! Infinite protocols, recognised by a run that can be repeated for ever and leaves more to do each time. A search would
//! only end at a bound.

use std::iter::successors;

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_engine::Space;
use quadrille_model::{ActionId, Model, SlotId, StateId, Value};
use quadrille_protocol::core::{ActId, ProtocolModel};
use quadrille_query::protocol::steps_note;

use crate::codes::{BOUND_REACHED, TOO_LARGE};
use crate::source::Started;

/// A protocol with more states is tested for being infinite.
pub(crate) const FEW_STATES: u64 = 1000;

/// How often a run must repeat.
const ROUNDS: usize = 3;

/// Most parts of a state that are shown.
const MAX_SHOWN: usize = 4;

/// Most states that a repetition is followed through at once.
const MOST_AT_ONCE: usize = 64;

/// The most concurrent parts: each is a part of every state.
const MAX_PARTS: usize = 4096;

/// Refuses a protocol with so many concurrent parts that it has more states than this for certain, before any is
/// explored.
pub(crate) fn too_wide(started: &Started, most: u64) -> Option<Diagnostic> {
    let model = &started.protocol.model;
    let signature = model.signature();
    let n_parts = signature.tasks.len();
    let mut explorer = model.explorer();
    let mut first = Vec::new();
    // What cannot be computed is found again when the protocol is explored.
    explorer.each_initial(|state| first = state.to_vec()).ok()?;
    let mut moves = vec![false; n_parts];
    if n_parts <= MAX_PARTS {
        let look = |_, _, next: &[Value]| {
            for (part, moves) in moves.iter_mut().enumerate() {
                *moves |= next[part] != first[part];
            }
        };
        explorer.each_successor(&first, look).ok()?;
    }
    // Without variables nothing keeps a part from moving on: n of them have 2^n states or more.
    let is_free = signature.n_slots() == n_parts && !first.is_empty();
    let enough = (u64::BITS - most.leading_zeros()) as usize;
    let has_too_many = is_free && moves.into_iter().filter(|&moves| moves).count() >= enough;
    (has_too_many || n_parts > MAX_PARTS).then(|| {
        let message = format!("cannot generate a module: there are more than {most} states");
        let place = format!("{n_parts} parts are concurrent here");
        Diagnostic::error(&BOUND_REACHED, message)
            .at(started.protocol.place, place)
            .help("generate for smaller arguments")
    })
}

/// Explains why a protocol has more states than a bound allows: because it is infinite, if its first states show that;
/// otherwise how far the first states lead.
pub(crate) fn explain(name: &str, model: &ProtocolModel) -> Explained {
    let mut first = First::explore(model);
    let labels = |acts: &[ActionId]| -> Vec<String> {
        acts.iter().map(|&act| model.action(act).label).collect()
    };
    let Some(Growth { before, again }) = first.growth.take() else {
        let far = StateId::from_usize(first.space.n_states() - 1);
        let acts = first.way_to(far);
        let place = acts.last().and_then(|&act| model.terms().place_of(ActId::from(act)));
        let state = format!("one of its states: {}", first.shown(far));
        let notes = vec![state, steps_note("reached by", &labels(&acts))];
        return Explained::Far { notes, place };
    };
    let message = format!("cannot generate a module: `{name}` has infinitely many states");
    let mut diagnostic = Diagnostic::error(&TOO_LARGE, message)
        .note(steps_note("after", &labels(&before)))
        .note(steps_note("can be repeated for ever", &labels(&again)))
        .help("let a protocol call itself only as the last thing it does, not before or beside something else");
    for &act in &again {
        if let Some(place) = model.terms().place_of(ActId::from(act))
            && !diagnostic.labels.iter().any(|label| label.span == place)
        {
            diagnostic = diagnostic.at(place, "each repetition leaves more to do");
        }
    }
    Explained::Endless(Box::new(diagnostic))
}

/// Why a protocol has many states.
pub(crate) enum Explained {
    /// It is infinite.
    Endless(Box<Diagnostic>),
    /// Notes about how far the first ones lead, and where the last step is written.
    Far { notes: Vec<String>, place: Option<Span> },
}

/// The first states of a protocol, and how each was reached.
struct First<'m> {
    model: &'m ProtocolModel,
    space: Space<'m>,
    arrivals: Vec<Option<(StateId, ActionId)>>,
    growth: Option<Growth>,
}

/// A run that leads to a state, and one that makes it larger.
struct Growth {
    before: Vec<ActionId>,
    again: Vec<ActionId>,
}

impl<'m> First<'m> {
    fn explore(model: &'m ProtocolModel) -> Self {
        let space = Space::new(model);
        let arrivals = vec![None; space.n_states()];
        let mut first = Self { model, space, arrivals, growth: None };
        let mut next = 0;
        while next < first.space.n_states() && first.space.n_states() as u64 <= FEW_STATES {
            let state = StateId::from_usize(next);
            next += 1;
            // What cannot be computed is told elsewhere.
            let Ok(edges) = first.space.expand(state).map(<[_]>::to_vec) else { return first };
            for edge in edges {
                if edge.to.index() < first.arrivals.len() {
                    continue;
                }
                first.arrivals.push(Some((state, edge.action)));
                first.growth = first.grown(edge.to);
                if first.growth.is_some() {
                    return first;
                }
            }
        }
        first
    }

    /// Whether a state stands inside this one on the way to it, and will again.
    fn grown(&self, later: StateId) -> Option<Growth> {
        let state = self.space.state(later);
        let is_smaller = |&(earlier, _): &(StateId, ActionId)| {
            self.model.has_grown(&self.space.state(earlier), &state)
        };
        let n_again = self.back(later).position(|step| is_smaller(&step))? + 1;
        let mut before = self.way_to(later);
        let again = before.split_off(before.len() - n_again);
        goes_on(self.model, state, &again).then_some(Growth { before, again })
    }

    /// What leads to a state, the last step first.
    fn back(&self, state: StateId) -> impl Iterator<Item = (StateId, ActionId)> {
        let before = |&(from, _): &(StateId, ActionId)| self.arrivals[from.index()];
        successors(self.arrivals[state.index()], before)
    }

    fn way_to(&self, state: StateId) -> Vec<ActionId> {
        let mut way: Vec<ActionId> = self.back(state).map(|(_, action)| action).collect();
        way.reverse();
        way
    }

    /// A state as the protocol would write it.
    fn shown(&self, state: StateId) -> String {
        let values = self.space.state(state);
        let slots = self.model.signature().slots.iter().zip(&values).enumerate();
        let parts = slots.map(|(number, (slot, &value))| {
            let shown = self.model.show(SlotId::from_usize(number), value);
            if slot.name == "protocol" { shown } else { format!("{}: {shown}", slot.name) }
        });
        let shown = parts.take(MAX_SHOWN).collect::<Vec<_>>().join(", ");
        if values.len() > MAX_SHOWN { shown + ", …" } else { shown }
    }
}

/// Whether a state grows again by the same actions, and again.
fn goes_on(model: &ProtocolModel, mut state: Vec<Value>, actions: &[ActionId]) -> bool {
    let mut explorer = model.explorer();
    for _ in 0..ROUNDS {
        let mut here = vec![state.clone()];
        for &wanted in actions {
            let mut after: Vec<Vec<Value>> = Vec::new();
            for state in &here {
                let expanded = explorer.each_successor(state, |_, action, next| {
                    if action == wanted && after.len() < MOST_AT_ONCE {
                        after.push(next.to_vec());
                    }
                });
                if expanded.is_err() {
                    return false;
                }
            }
            here = after;
        }
        match here.into_iter().find(|later| model.has_grown(&state, later)) {
            Some(later) => state = later,
            None => return false,
        }
    }
    true
}

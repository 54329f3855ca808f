//! Nondeterministic acceptance: an event that two branches of a component can accept at once.

use std::collections::BTreeSet;

use quadrille_diagnostic::Diagnostic;

use super::uses;
use crate::automata::{Alphabet, EventId, ForkedDfa, Move, Role, StepId, moves};
use crate::codes;
use crate::syntax::Component;

/// Looks for events that different branches of a component can accept at once.
pub fn check_choices(
    component: &Component,
    alphabet: &Alphabet,
    dfa: &ForkedDfa,
) -> Vec<Diagnostic> {
    let open = open_choices(alphabet, &moves(dfa));
    let all = uses(&component.protocol);
    let mut diagnostics = Vec::new();
    for event in open {
        let event = alphabet.event_of(event);
        let accepts = all.iter().filter(|one| {
            one.role == Role::Accept && one.path == event.path && one.kind == event.kind
        });
        let message = format!("it is left open which branch accepts {event}");
        let mut diagnostic = Diagnostic::warning(&codes::OPEN_CHOICE, message);
        for one in accepts {
            diagnostic = diagnostic.at(one.span, "");
        }
        let help = "give the branches different methods: `m_1` and `m_2`";
        diagnostics.push(diagnostic.help(help));
    }
    diagnostics
}

/// Events that two moves accept in one configuration, with different results.
fn open_choices(alphabet: &Alphabet, moves: &[Move]) -> BTreeSet<EventId> {
    let accepted = |step: StepId| {
        let parts = alphabet.step_events(step).iter();
        parts.filter(|part| part.role == Role::Accept).map(|part| part.event)
    };
    let mut open = BTreeSet::new();
    for (position, one) in moves.iter().enumerate() {
        for other in &moves[position + 1..] {
            let differ = one.effects != other.effects;
            if one.step == other.step && differ && one.region.intersect(&other.region).is_some() {
                open.extend(accepted(one.step));
            }
        }
    }
    open
}

//! Statements of a protocol in which nothing ever happens.

use std::collections::BTreeSet;

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_engine::{Config, Limits, Observer, Occurrences, explore};
use quadrille_protocol::core::{ActId, ProtocolModel};

use super::codes::NEVER_HAPPENS;

/// Most states of the protocol by place among which equal actions in several places are told apart.
const MOST_STATES: u64 = 100_000;

/// The outermost statements in which nothing happens, if these are the actions that do. An action that is
/// written in several places happens in all of them, unless the protocol by place, which may be larger, says
/// otherwise soon enough.
pub fn idle_statements(
    model: &ProtocolModel,
    acts: impl Iterator<Item = ActId>,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Vec<Span> {
    let (mut happened, mut perhaps) = (BTreeSet::new(), BTreeSet::new());
    for act in acts {
        match &model.terms().places_of(act)[..] {
            [place] => drop(happened.insert(*place)),
            places => perhaps.extend(places.iter().copied()),
        }
    }
    if !perhaps.is_subset(&happened) {
        happened.extend(by_place(model, limits, observer).unwrap_or(perhaps));
    }
    model.idle_statements(&happened)
}

/// The places where something happens, if the protocol by place is not too large.
fn by_place(
    model: &ProtocolModel,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Option<BTreeSet<Span>> {
    let model = model.by_place()?;
    let states = Some(limits.states.map_or(MOST_STATES, |most| most.min(MOST_STATES)));
    let config = Config { limits: Limits { states, ..limits }, ..Config::default() };
    let mut occurrences = Occurrences::new(&model);
    let explored = explore(&model, &config, &mut [&mut occurrences], observer);
    let places = occurrences.actions().flat_map(|action| model.terms().places_of(action.into()));
    explored.is_complete().then(|| places.collect())
}

/// What to tell of a statement in which nothing happens.
pub fn never_happens(statement: Span) -> Diagnostic {
    Diagnostic::warning(&NEVER_HAPPENS, "nothing ever happens here")
        .at(statement, "never reached with these arguments and parameters")
        .help("look at the conditions before it, or delete it")
}

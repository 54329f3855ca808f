//! Which of several places in the text of a component an event comes from, after what the component
//! has done so far. Each place in turn gets a name of its own, and the automaton says whether the event
//! could be the one with that name.

use std::collections::BTreeSet;

use quadrille_diagnostic::Span;
use quadrille_model::{Interaction, Model as _, Step, Value};

use crate::assembly::Member;
use crate::automata::{Alphabet, Construction, Move, Role, build, moves, slots};
use crate::composition::Composition;
use crate::syntax::Mention;

/// No name of a text ends in this.
const MARK: char = '′';
/// Most configurations of a component that are followed at a time.
const MOST: usize = 1 << 12;

/// What a component does in a step.
pub(crate) type Occurrence = (Role, String);

/// What a component does in each step of a run, `None` where it does nothing; nothing at all is known if
/// it took part in a step of several events.
pub(crate) fn events_of(
    composition: &Composition,
    name: &str,
    steps: &[Step],
) -> Option<Vec<Option<Occurrence>>> {
    let is_it = |id| composition.participant(id).to_string() == name;
    let doing = |step: &Step| {
        let action = composition.action(step.action);
        Some(match action.interaction {
            Interaction::Exchange { from, message, .. } if is_it(from) => {
                Some((Role::Emit, message))
            }
            Interaction::Exchange { to, message, .. } if to.iter().any(|to| is_it(*to)) => {
                Some((Role::Accept, message))
            }
            Interaction::Joint { participants: ids } if ids.iter().any(|id| is_it(*id)) => {
                let label = &action.label;
                let role = match label.chars().next() {
                    Some('!') => Role::Emit,
                    Some('?') => Role::Accept,
                    _ => return None,
                };
                Some((role, label[1..].to_owned()))
            }
            _ => None,
        })
    };
    steps.iter().map(doing).collect()
}

/// Whether a component that has this history may take the event `next` at this place of its text.
/// What cannot be followed is possible.
pub(crate) fn is_possible(
    member: &Member,
    history: &[Occurrence],
    next: &Occurrence,
    place: Span,
) -> bool {
    let mut marked = member.clone();
    marked.component.protocol.for_each_mention(&mut |mention| {
        let (text, span) = match mention {
            Mention::Event(path) => (&mut path.text, path.span),
            Mention::Thrown(name) => (&mut name.text, name.span),
            Mention::Listed(_) => return,
        };
        if span == place {
            text.push(MARK);
        }
    });
    if let Some(throws) = &mut marked.throws {
        let methods = throws.methods.clone().into_iter();
        throws
            .methods
            .extend(methods.map(|(path, exceptions)| (format!("{path}{MARK}"), exceptions)));
    }
    let mut alphabet = Alphabet::default();
    let Member { types, component, throws } = &marked;
    let built = build(&mut alphabet, types, component, throws.as_ref(), Construction::Minimal);
    let Ok(dfa) = built else { return true };
    let steps = moves(&dfa);
    let label = |one: &Move| match alphabet.step_events(one.step) {
        [part] => Some((part.role, alphabet.event_of(part.event).to_string())),
        _ => None,
    };
    let labels: Vec<Option<Occurrence>> = steps.iter().map(label).collect();
    let same = |found: &Option<Occurrence>, wanted: &Occurrence| {
        found.as_ref().is_some_and(|(role, event)| {
            *role == wanted.0 && event.chars().filter(|c| *c != MARK).eq(wanted.1.chars())
        })
    };
    let mut here: BTreeSet<Vec<Value>> = [vec![0; slots(&dfa).len()]].into();
    for local in history {
        let mut after = BTreeSet::new();
        for configuration in &here {
            for (one, label) in steps.iter().zip(&labels) {
                if same(label, local) && one.region.contains(configuration) {
                    after.insert(one.after(configuration));
                }
            }
        }
        if after.len() > MOST {
            return true;
        }
        here = after;
    }
    let is_marked = |label: &Option<Occurrence>| {
        same(label, next) && label.as_ref().is_some_and(|(_, event)| event.contains(MARK))
    };
    let mut ends = steps.iter().zip(&labels).filter(|(_, label)| is_marked(label));
    ends.any(|(one, _)| here.iter().any(|configuration| one.region.contains(configuration)))
}

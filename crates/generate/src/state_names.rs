//! Names for the typed states of a role: those that the text gives, else by what the role can do in them: `Start`,
//! `AwaitMove`, `SendVoteOrAbort`, `End`. Makes no text.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Ident;
use quadrille_runtime::Plan;

use crate::interface::{Interface, MessageIndex};
use crate::names::type_name;
use crate::scope::Scope;
use crate::typestate::TypedState;

/// Most alternatives that a name lists.
const MAX_ALTERNATIVES: usize = 3;

/// A name for each state, none of which is taken. States that can do the same are told apart by what led to them, and where
/// that is the same, too, by numbers.
pub(crate) fn state_names(
    plan: &Plan,
    interface: &Interface,
    states: &[TypedState],
    taken: &mut Scope,
) -> Vec<Ident> {
    let names = Names { plan, interface, states };
    // What the text says comes first: nothing takes these names away.
    let mut made: Vec<Option<Ident>> = states
        .iter()
        .map(|state| Some(taken.take_numbered(&type_name(&state.names.first()?.name))))
        .collect();
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for state in (0..states.len()).filter(|&state| states[state].names.is_empty()) {
        alike.entry(names.of(state)).or_default().push(state);
    }
    let mut wanted: BTreeMap<usize, String> = BTreeMap::new();
    for (name, group) in alike {
        let before: Vec<Option<String>> = group.iter().map(|&state| names.before(state)).collect();
        // Where it tells some apart, numbers count those alone that it does not.
        let tells_apart = before.iter().collect::<BTreeSet<_>>().len() > 1;
        for (&state, before) in group.iter().zip(&before) {
            let after = before.as_ref().filter(|_| tells_apart);
            let after = after.map(|before| format!("After{before}")).unwrap_or_default();
            wanted.insert(state, format!("{name}{after}"));
        }
    }
    for (state, name) in wanted {
        made[state] = Some(taken.take_numbered(&name));
    }
    made.into_iter().flatten().collect()
}

struct Names<'a> {
    plan: &'a Plan,
    interface: &'a Interface,
    states: &'a [TypedState],
}

impl Names<'_> {
    fn of(&self, number: usize) -> String {
        let state = &self.states[number];
        if number == 0 {
            return "Start".to_owned();
        }
        let sends = state.sends.iter().map(|each| self.message(each.message));
        let does = state.does.iter().map(|(label, _)| type_name(&self.plan.labels[label.index()]));
        let closes = state.closes.iter().map(|(to, _)| type_name(&self.plan.roles[to.index()]));
        let receives = state.receives.iter().map(|each| self.message(each.message));
        let parts = [
            ("Send", sends.collect::<Vec<_>>()),
            ("Do", does.collect()),
            ("Close", closes.collect()),
            ("Await", receives.collect()),
        ];
        let mut alternatives: Vec<String> = Vec::new();
        for (verb, objects) in parts.iter().filter(|(_, objects)| !objects.is_empty()) {
            let mut shown: Vec<&str> =
                objects.iter().map(|name| name.trim_end_matches('_')).collect();
            // In the order of the protocol, in which several ways to send or receive a message are neighbours.
            shown.dedup();
            if shown.len() > MAX_ALTERNATIVES {
                shown.truncate(MAX_ALTERNATIVES - 1);
                shown.push("Other");
            }
            alternatives.push(format!("{verb}{}", shown.join("Or")));
        }
        if state.may_end {
            alternatives.push("End".to_owned());
        }
        if alternatives.is_empty() { "Deadlock".to_owned() } else { alternatives.join("Or") }
    }

    /// What was sent, received or done before a state is entered, if it is always the same.
    fn before(&self, number: usize) -> Option<String> {
        let mut before = BTreeSet::new();
        for state in self.states {
            let sends =
                state.sends.iter().filter(|each| each.nexts.iter().any(|(_, to)| *to == number));
            before.extend(sends.map(|each| self.message(each.message)));
            let receives = state.receives.iter().filter(|each| each.next == number);
            before.extend(receives.map(|each| self.message(each.message)));
            let does = state.does.iter().filter(|(_, to)| *to == number);
            before.extend(does.map(|(label, _)| type_name(&self.plan.labels[label.index()])));
            if state.closes.iter().any(|(_, to)| *to == number) {
                before.insert("Close".to_owned());
            }
        }
        let only = before.pop_first()?;
        before.is_empty().then(|| only.trim_end_matches('_').to_owned())
    }

    fn message(&self, message: MessageIndex) -> String {
        self.interface.message(message).ident.to_string()
    }
}

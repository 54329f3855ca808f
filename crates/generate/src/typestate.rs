//! The states of a role as types: what a role may do in each state, as far as it can observe. Makes no text.
//!
//! A program observes its calls and their results: not packets, not whether a message goes through a queue or by
//! rendezvous, not its other receivers. So the automaton of a role is determinised: a typed state is the set of local
//! states that the same calls with the same results lead to.

use std::collections::BTreeMap;

use quadrille_graph::Sets;
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{Act, ActId, Kind, LabelId, LocalId, RoleId};

use crate::interface::{Interface, MessageIndex};
use crate::written::{Written, WrittenNames};

/// A family with more typed states has none.
const MAX_STATES: usize = 64;

/// A typed state, by its position.
pub(crate) type Next = usize;

/// Members of a family with the same typed states.
pub(crate) struct Class {
    pub(crate) members: Vec<RoleId>,
    pub(crate) states: Vec<TypedState>,
}

/// What a role may do in a state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct TypedState {
    pub(crate) sends: Vec<Sending>,
    pub(crate) receives: Vec<Reception>,
    pub(crate) closes: Vec<(RoleId, Next)>,
    pub(crate) does: Vec<(LabelId, Next)>,
    pub(crate) may_end: bool,
    /// What the text calls the state, in the order of the text.
    pub(crate) names: Vec<Written>,
}

/// A type of messages that may be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sending {
    pub(crate) message: MessageIndex,
    /// The receiver, where there is a choice.
    pub(crate) to: Option<RoleId>,
    /// The next state, by label.
    pub(crate) nexts: Vec<(LabelId, Next)>,
}

/// A type of messages that may be received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reception {
    pub(crate) message: MessageIndex,
    /// The sender, where the next state depends on it.
    pub(crate) from: Option<RoleId>,
    /// The label, where the next state depends on it.
    pub(crate) label: Option<LabelId>,
    /// Whether there are several possible senders, and the next state does not depend on them.
    pub(crate) several: bool,
    pub(crate) next: Next,
}

/// The typed states of a family; none if the plan has no liberal variant, or there are too many.
pub(crate) fn classes(
    plan: &Plan,
    interface: &Interface,
    written: &WrittenNames,
    members: &[RoleId],
) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for &role in members {
        let Some(states) = states(plan, interface, written, role) else { return Vec::new() };
        match classes.iter_mut().find(|class| class.states == states) {
            Some(class) => class.members.push(role),
            None => classes.push(Class { members: vec![role], states }),
        }
    }
    let n_states: usize = classes.iter().map(|class| class.states.len()).sum();
    if n_states > MAX_STATES {
        classes.clear();
    }
    classes
}

fn states(
    plan: &Plan,
    interface: &Interface,
    written: &WrittenNames,
    role: RoleId,
) -> Option<Vec<TypedState>> {
    let local = plan.locals.get(role.index())?;
    let mut sets = Sets::default();
    sets.number(&mut vec![LocalId(0)]);
    let mut states = Vec::new();
    while states.len() < sets.len() {
        let mut after: BTreeMap<ActId, Vec<LocalId>> = BTreeMap::new();
        let mut may_end = false;
        for id in sets.members(states.len()) {
            let state = &local.states[id.index()];
            may_end |= state.may_end;
            for edge in state.edges.iter() {
                after.entry(edge.act).or_default().push(edge.to);
            }
        }
        let mut steps: Vec<(OwnView, Next)> = Vec::new();
        for act in after.keys() {
            let seen = OwnView::of(&plan.acts[act.index()], role);
            if steps.iter().any(|(known, _)| *known == seen) {
                continue;
            }
            let alike = after.iter().filter(|(act, _)| seen.covers(&plan.acts[act.index()], role));
            let mut targets: Vec<LocalId> =
                alike.flat_map(|(_, targets)| targets).copied().collect();
            steps.push((seen, sets.number(&mut targets).0));
        }
        if sets.len() > MAX_STATES {
            return None;
        }
        let names = written.of(role, sets.members(states.len()));
        states.push(TypedState { may_end, names, ..typed(interface, &steps) });
    }
    Some(states)
}

/// What a role notices of an act by itself. Less than the act: neither whether a message waits in a
/// queue or is handed over, nor who else receives it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OwnView {
    /// It sends a message; receivers are identified by the first.
    Sends(LabelId, RoleId),
    /// It receives a message.
    Receives(RoleId, LabelId),
    Closes(RoleId),
    Does(LabelId),
}

impl OwnView {
    fn of(act: &Act, role: RoleId) -> Self {
        let to = act.to.first().copied().unwrap_or(role);
        match (act.kind, act.label) {
            (_, None) => OwnView::Closes(to),
            (Kind::Local, Some(label)) => OwnView::Does(label),
            (_, Some(label)) if is_taken(act, role) => OwnView::Receives(act.from, label),
            (_, Some(label)) => OwnView::Sends(label, to),
        }
    }

    /// Whether the same call may do this act, with nothing to be seen of the difference: a message is sent to all
    /// receivers of an act by naming any of them.
    fn covers(self, act: &Act, role: RoleId) -> bool {
        match (self, OwnView::of(act, role)) {
            (OwnView::Sends(label, to), OwnView::Sends(other, _)) => {
                label == other && act.to.contains(&to)
            }
            (seen, other) => seen == other,
        }
    }
}

fn is_taken(act: &Act, role: RoleId) -> bool {
    act.kind == Kind::Receive || act.from != role
}

/// The typed state with these steps.
fn typed(interface: &Interface, steps: &[(OwnView, Next)]) -> TypedState {
    let mut state = TypedState::default();
    let mut sent: BTreeMap<MessageIndex, Vec<(RoleId, LabelId, Next)>> = BTreeMap::new();
    let mut received: BTreeMap<MessageIndex, Vec<(RoleId, LabelId, Next)>> = BTreeMap::new();
    for &(seen, next) in steps {
        match seen {
            OwnView::Closes(to) => state.closes.push((to, next)),
            OwnView::Does(label) => state.does.push((label, next)),
            OwnView::Sends(label, to) => {
                let Some(message) = interface.message_of(label) else { continue };
                sent.entry(message).or_default().push((to, label, next));
            }
            OwnView::Receives(from, label) => {
                let Some(message) = interface.message_of(label) else { continue };
                received.entry(message).or_default().push((from, label, next));
            }
        }
    }
    state.sends = sent.into_iter().flat_map(|(message, ways)| sendings(message, &ways)).collect();
    let receives = received.into_iter();
    state.receives = receives.flat_map(|(message, ways)| receptions(message, &ways)).collect();
    state
}

fn sendings(message: MessageIndex, ways: &[(RoleId, LabelId, Next)]) -> Vec<Sending> {
    let mut by_receiver: BTreeMap<RoleId, Vec<(LabelId, Next)>> = BTreeMap::new();
    for &(to, label, next) in ways {
        by_receiver.entry(to).or_default().push((label, next));
    }
    let is_decided = by_receiver.len() == 1;
    by_receiver
        .into_iter()
        .map(|(to, nexts)| {
            let to = Some(to).filter(|_| !is_decided);
            Sending { message, to, nexts }
        })
        .collect()
}

/// The ways to receive a type of messages, as few as determine the next state.
fn receptions(message: MessageIndex, ways: &[(RoleId, LabelId, Next)]) -> Vec<Reception> {
    let all_equal = |ways: &[&(RoleId, LabelId, Next)]| ways.iter().all(|way| way.2 == ways[0].2);
    let all: Vec<_> = ways.iter().collect();
    if all_equal(&all) {
        let several = ways.iter().any(|way| way.0 != ways[0].0);
        return vec![Reception { message, from: None, label: None, several, next: ways[0].2 }];
    }
    let mut by_sender: BTreeMap<RoleId, Vec<&(RoleId, LabelId, Next)>> = BTreeMap::new();
    for way in ways {
        by_sender.entry(way.0).or_default().push(way);
    }
    let one_sender = by_sender.len() == 1;
    let mut receptions = Vec::new();
    for (from, ways) in by_sender {
        let from = Some(from).filter(|_| !one_sender);
        if all_equal(&ways) {
            receptions.push(Reception {
                message,
                from,
                label: None,
                several: false,
                next: ways[0].2,
            });
            continue;
        }
        receptions.extend(ways.into_iter().map(|&(_, label, next)| Reception {
            message,
            from,
            label: Some(label),
            several: false,
            next,
        }));
    }
    receptions
}

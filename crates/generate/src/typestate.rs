//! The states of a role as types: what a role may do in each state, as far as it can tell by itself. Makes
//! no text.
//!
//! A program sees what it asked for and what it got: not packets, not whether a message was sent or passed, not who else
//! receives it. So the automaton of a role is made deterministic: a typed state is a set of local states, those that
//! the same calls with the same results lead to.

use std::collections::BTreeMap;

use quadrille_graph::Sets;
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{Act, ActId, Kind, LabelId, LocalId, RoleId};

use crate::interface::{Interface, MessageIndex};

/// Most typed states of a family; with more, it has none.
const MAX_STATES: usize = 64;

/// A typed state, by its position.
pub(crate) type Next = usize;

/// Members of a family whose states are the same, up to whom they talk to.
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
}

impl TypedState {
    /// Whether there is anything to do but to finish.
    pub(crate) fn has_calls(&self) -> bool {
        let Self { sends, receives, closes, does, .. } = self;
        !(sends.is_empty() && receives.is_empty() && closes.is_empty() && does.is_empty())
    }
}

/// A type of messages that may be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sending {
    pub(crate) message: MessageIndex,
    /// To whom, unless the protocol leaves no choice.
    pub(crate) to: Option<RoleId>,
    /// Where it leads, by what is sent.
    pub(crate) nexts: Vec<(LabelId, Next)>,
}

/// A type of messages that may be received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reception {
    pub(crate) message: MessageIndex,
    /// From whom, where it matters for what comes next.
    pub(crate) from: Option<RoleId>,
    /// What exactly, where it matters for what comes next.
    pub(crate) label: Option<LabelId>,
    /// Whether several may have sent it, and it does not matter who.
    pub(crate) several: bool,
    pub(crate) next: Next,
}

/// The typed states of a family; nothing if the plan has no liberal form, or there are too many.
pub(crate) fn classes(plan: &Plan, interface: &Interface, members: &[RoleId]) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for &role in members {
        let Some(states) = states(plan, interface, role) else { return Vec::new() };
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

fn states(plan: &Plan, interface: &Interface, role: RoleId) -> Option<Vec<TypedState>> {
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
        let mut steps: Vec<(Seen, Next)> = Vec::new();
        for act in after.keys() {
            let seen = Seen::of(&plan.acts[act.index()], role);
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
        states.push(TypedState { may_end, ..typed(interface, &steps) });
    }
    Some(states)
}

/// What a role sees of an act in which it takes part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// It gives a message of its own; receivers are known by the first.
    Gives(LabelId, RoleId),
    /// It takes a message from a role.
    Takes(RoleId, LabelId),
    Closes(RoleId),
    Does(LabelId),
}

impl Seen {
    fn of(act: &Act, role: RoleId) -> Self {
        let to = act.to.first().copied().unwrap_or(role);
        match (act.kind, act.label) {
            (_, None) => Seen::Closes(to),
            (Kind::Alone, Some(label)) => Seen::Does(label),
            (_, Some(label)) if is_taken(act, role) => Seen::Takes(act.from, label),
            (_, Some(label)) => Seen::Gives(label, to),
        }
    }

    /// Whether the same call may do this act, with nothing to be seen of the difference: a message is sent to all
    /// receivers of an act by naming any of them.
    fn covers(self, act: &Act, role: RoleId) -> bool {
        match (self, Seen::of(act, role)) {
            (Seen::Gives(label, to), Seen::Gives(other, _)) => {
                label == other && act.to.contains(&to)
            }
            (seen, other) => seen == other,
        }
    }
}

fn is_taken(act: &Act, role: RoleId) -> bool {
    act.kind == Kind::Receive || act.from != role
}

/// What these steps mean for a role.
fn typed(interface: &Interface, steps: &[(Seen, Next)]) -> TypedState {
    let mut state = TypedState::default();
    let mut sent: BTreeMap<MessageIndex, Vec<(RoleId, LabelId, Next)>> = BTreeMap::new();
    let mut received: BTreeMap<MessageIndex, Vec<(RoleId, LabelId, Next)>> = BTreeMap::new();
    for &(seen, next) in steps {
        match seen {
            Seen::Closes(to) => state.closes.push((to, next)),
            Seen::Does(label) => state.does.push((label, next)),
            Seen::Gives(label, to) => {
                let Some(message) = interface.message_of(label) else { continue };
                sent.entry(message).or_default().push((to, label, next));
            }
            Seen::Takes(from, label) => {
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

/// The ways to receive a type of messages, as few as tell where each leads.
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

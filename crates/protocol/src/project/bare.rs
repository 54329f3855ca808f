//! Whether messages need carry nothing but themselves. Where that is so, what a role knows follows from its
//! own steps alone, and its local states are far fewer than the sets that differ by what others know.
//!
//! It is so if, wherever a role takes a step, all targets of that step let it do the same next. What a role
//! knows with the help of others is the closure of *some* of these targets, so by induction it can then do
//! exactly what it can do without that help, and minimisation would merge the two.
//!
//! That every step of a receiver has a packet must be sure for this: on every path to a receive the message was
//! sent and not received since, and never sent again while it waits. Then the last sender on the path
//! knows, as it has gone the same path, a state from which the receive is reached.

use quadrille_model::{InteractionKind, StateId};

use super::Global;
use super::build::{received_as, takes_part};
use crate::core::{ActId, RoleId};

/// What shows that messages need carry nothing, until the opposite is found.
pub(super) struct Bare {
    /// By role.
    next: Vec<Next>,
}

impl Bare {
    /// `None` if senders decide between branches with the same message, or if messages wait beside each
    /// other.
    pub(super) fn new(global: &Global) -> Option<Self> {
        if has_branches(global) {
            return None;
        }
        let order = postorder(global);
        let is_one_by_one = in_flight(global)?
            .chunks(u64::BITS as usize)
            .all(|messages| is_one_by_one(global, &order, messages));
        let next = |role| Next::new(global, &order, role);
        is_one_by_one.then(|| Self { next: global.role_ids().map(next).collect() })
    }

    /// Whether a role may do the same after a step, whichever of these states it led to.
    pub(super) fn is_same(&self, role: RoleId, targets: &[StateId]) -> bool {
        let next = &self.next[role.0 as usize];
        targets.windows(2).all(|two| next.of(two[0]) == next.of(two[1]))
    }
}

/// Whether a message leads from one state to two.
fn has_branches(global: &Global) -> bool {
    global.states().any(|state| {
        let edges = global.edges(state);
        edges.iter().enumerate().any(|(position, &(act, _))| {
            matches!(global.act(act).kind, InteractionKind::Send | InteractionKind::Exchange)
                && edges[..position].iter().any(|&(other, _)| other == act)
        })
    })
}

/// All states, each after those that its edges lead to but for the edges that close a cycle.
fn postorder(global: &Global) -> Vec<StateId> {
    let mut order = Vec::with_capacity(global.n_states());
    let mut seen = vec![false; global.n_states()];
    let mut stack = vec![(Global::START, 0)];
    seen[Global::START.index()] = true;
    while let Some((state, position)) = stack.last_mut() {
        let Some(&(_, to)) = global.edges(*state).get(*position) else {
            order.push(*state);
            stack.pop();
            continue;
        };
        *position += 1;
        if !std::mem::replace(&mut seen[to.index()], true) {
            stack.push((to, 0));
        }
    }
    order
}

/// A message to one receiver.
struct Message {
    sent: ActId,
    received: ActId,
}

/// The messages of a protocol; `None` if a receiver cannot tell two of them from each other.
fn in_flight(global: &Global) -> Option<Vec<Message>> {
    let mut messages: Vec<Message> = Vec::new();
    for sent in global.act_ids().filter(|&act| global.act(act).kind == InteractionKind::Send) {
        for &receiver in &global.act(sent).to {
            let Some(received) = received_as(global, sent, receiver) else { continue };
            if messages.iter().any(|other| other.received == received) {
                return None;
            }
            messages.push(Message { sent, received });
        }
    }
    Some(messages)
}

/// Whether on each path each of these messages, at most as many as a word has bits, is sent before it is
/// received, and received before it is sent again.
fn is_one_by_one(global: &Global, order: &[StateId], messages: &[Message]) -> bool {
    let mut sent = vec![0u64; global.act_ids().count()];
    let mut received = sent.clone();
    for (bit, message) in messages.iter().enumerate() {
        sent[message.sent.0 as usize] |= 1 << bit;
        received[message.received.0 as usize] |= 1 << bit;
    }
    // Which may wait in each state, and which may not.
    let mut waiting = vec![0u64; global.n_states()];
    let mut missing = waiting.clone();
    missing[Global::START.index()] = u64::MAX;
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &state in order.iter().rev() {
            let (here, gone) = (waiting[state.index()], missing[state.index()]);
            for &(act, to) in global.edges(state) {
                let (puts, takes) = (sent[act.0 as usize], received[act.0 as usize]);
                let (there, gone) = ((here | puts) & !takes, (gone & !puts) | takes);
                let known = (&mut waiting[to.index()], &mut missing[to.index()]);
                changed |= there & !*known.0 != 0 || gone & !*known.1 != 0;
                *known.0 |= there;
                *known.1 |= gone;
            }
        }
    }
    global.states().all(|state| {
        global.edges(state).iter().all(|&(act, _)| {
            waiting[state.index()] & sent[act.0 as usize] == 0
                && missing[state.index()] & received[act.0 as usize] == 0
        })
    })
}

/// Per global state, what a role may do next when others have done what they like: a bit for the end of the
/// protocol and for each of its actions.
struct Next {
    n_words: usize,
    bits: Vec<u64>,
}

impl Next {
    fn new(global: &Global, order: &[StateId], role: RoleId) -> Self {
        // The bit of each local action.
        let mut n_bits = 1;
        let bits_of_acts: Vec<Option<usize>> = global
            .act_ids()
            .map(|act| {
                takes_part(global.act(act), role).then(|| {
                    n_bits += 1;
                    n_bits - 1
                })
            })
            .collect();
        let n_words = n_bits.div_ceil(u64::BITS as usize);
        let mut next = Self { n_words, bits: vec![0; n_words * global.n_states()] };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &state in order {
                if global.is_end(state) {
                    changed |= next.add(state, 0, 1);
                }
                for &(act, to) in global.edges(state) {
                    match bits_of_acts[act.0 as usize] {
                        Some(bit) => changed |= next.add(state, bit / 64, 1 << (bit % 64)),
                        None => {
                            for word in 0..n_words {
                                let after = next.of(to)[word];
                                changed |= next.add(state, word, after);
                            }
                        }
                    }
                }
            }
        }
        next
    }

    fn of(&self, state: StateId) -> &[u64] {
        &self.bits[state.index() * self.n_words..][..self.n_words]
    }

    /// Whether anything was new.
    fn add(&mut self, state: StateId, word: usize, bits: u64) -> bool {
        let known = &mut self.bits[state.index() * self.n_words + word];
        let is_new = bits & !*known != 0;
        *known |= bits;
        is_new
    }
}

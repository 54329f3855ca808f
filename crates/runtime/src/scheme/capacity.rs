//! How many messages a queue can hold at most (compare Deniélou and Yoshida, Buffered communication analysis in
//! distributed multiparty sessions, CONCUR 2010).
//!
//! While a message waits in the queue between two roles, its receiver does nothing, and so no role does what depends on
//! a message of the receiver, or on one of a role that waits for such a message. All other steps are possible before it
//! is received. So the most that the queue holds is one more than the most messages that are sent into it after this one
//! along a path on which only such steps are taken.

use rustc_hash::FxHashMap;

use super::build::{Automaton, subject};
use super::project::Layout;
use crate::plan::{Kind, Queue, RoleId};

/// Above this, and above the number of places in which messages are sent, a queue counts as unbounded.
const MOST: u32 = 64;

/// How many states are looked at for one queue, with what is blocked in them, before it counts as unbounded.
const MOST_LOOKS: usize = 1 << 16;

/// Roles as bits.
type Roles = Box<[u64]>;

/// The queues of all pairs of roles that have one; unbounded ones have this capacity.
pub(super) fn queues(layout: &Layout<'_>, capacity: u32) -> Vec<Queue> {
    let search = Search::new(layout);
    search
        .pairs
        .iter()
        .map(|&(from, to)| {
            let most = search.most(from, to);
            Queue {
                from: Some(from),
                to,
                capacity: most.unwrap_or(capacity.max(1)),
                suffices: most.is_some(),
            }
        })
        .collect()
}

struct Search<'l, 'a> {
    layout: &'l Layout<'a>,
    automaton: &'a Automaton,
    n_words: usize,
    pairs: Vec<(RoleId, RoleId)>,
    /// By pair: the states in which a message has just been sent.
    sent: FxHashMap<(RoleId, RoleId), Vec<u32>>,
}

impl<'l, 'a> Search<'l, 'a> {
    fn new(layout: &'l Layout<'a>) -> Self {
        let automaton = layout.automaton;
        let (pairs, sent) = (Vec::new(), FxHashMap::default());
        let mut search = Self { layout, automaton, n_words: 1, pairs, sent };
        let mut n_roles = 0;
        for state in &automaton.states {
            for &(id, to) in &state.edges {
                let act = automaton.act(id);
                n_roles = n_roles.max(usize::from(act.from.0) + 1);
                for &receiver in act.to.iter() {
                    n_roles = n_roles.max(usize::from(receiver.0) + 1);
                    if act.kind == Kind::Send {
                        let pair = (act.from, receiver);
                        search.sent.entry(pair).or_default().push(to);
                        search.pairs.push(pair);
                    }
                }
            }
        }
        search.pairs.sort_unstable();
        search.pairs.dedup();
        search.n_words = n_roles.div_ceil(64).max(1);
        search
    }

    /// The part of each fork in which messages travel between two roles: no two parts have the same channel.
    fn parts_with(&self, starts: &[u32]) -> FxHashMap<u32, u32> {
        let mut inside = FxHashMap::default();
        for &state in starts {
            let mut at = self.layout.part_of[state as usize];
            while let Some((fork, part)) = at {
                inside.insert(fork, part);
                at = self.layout.outside(fork);
            }
        }
        inside
    }

    /// The most messages in a queue; `None` if there is no bound.
    fn most(&self, from: RoleId, to: RoleId) -> Option<u32> {
        let starts = &self.sent[&(from, to)];
        let inside = self.parts_with(starts);
        let bound = MOST.max(starts.len() as u32);
        let mut blocked: Roles = vec![0; self.n_words].into();
        block(&mut blocked, to);
        let mut best: FxHashMap<(u32, Roles), u32> = FxHashMap::default();
        let mut most = 1;
        let mut stack: Vec<(u32, Roles, u32)> =
            starts.iter().map(|&state| (state, blocked.clone(), 1)).collect();
        while let Some((number, blocked, count)) = stack.pop() {
            // Nothing more is sent by a sender that is blocked itself.
            if is_blocked(&blocked, from) {
                continue;
            }
            match best.get_mut(&(number, blocked.clone())) {
                Some(known) if *known >= count => continue,
                Some(known) => *known = count,
                None => drop(best.insert((number, blocked.clone()), count)),
            }
            most = most.max(count);
            if count > bound || best.len() > MOST_LOOKS {
                return None;
            }
            let state = &self.automaton.states[number as usize];
            for &(id, next) in &state.edges {
                let act = self.automaton.act(id);
                let (mut blocked, mut count) = (blocked.clone(), count);
                if is_blocked(&blocked, subject(act)) {
                    if act.kind == Kind::Send {
                        act.to.iter().for_each(|&to| block(&mut blocked, to));
                    }
                } else if act.kind == Kind::Send && act.from == from && act.to.contains(&to) {
                    count += 1;
                }
                stack.push((next, blocked, count));
            }
            for &fork in &state.forks {
                // What one part blocks is blocked after all of them, and only one part sends into the queue.
                let with = || self.layout.parts(fork, from).first();
                let part = inside.get(&fork).or_else(with).copied().unwrap_or(0);
                let start = self.automaton.forks[fork as usize].parts[part as usize];
                stack.push((start, blocked.clone(), count));
            }
            if let Some(next) = self.layout.joined(number) {
                stack.push((next, blocked.clone(), count));
            }
        }
        Some(most)
    }
}

fn block(roles: &mut Roles, role: RoleId) {
    roles[role.index() / 64] |= 1 << (role.index() % 64);
}

fn is_blocked(roles: &Roles, role: RoleId) -> bool {
    roles[role.index() / 64] >> (role.index() % 64) & 1 == 1
}

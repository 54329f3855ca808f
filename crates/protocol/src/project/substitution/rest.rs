//! What is left of the behaviour that is replaced, where its replacement has done something earlier.
//!
//! A replacement may send before it takes what comes first, and it may take a message before one of another sender. What
//! it left out on the way is owed: a tree of steps above states of the automaton that is replaced.

use std::collections::{BTreeMap, BTreeSet};

use super::machine::{LabelId, Labels, Machine};

/// What is left.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Rest {
    /// A state; nothing is owed.
    At(usize),
    /// One of these is to be taken, as the others choose.
    Takes(BTreeMap<LabelId, Rest>),
    /// One of these is to be sent, as the role chooses.
    Sends(BTreeMap<LabelId, Rest>),
}

impl Rest {
    pub(super) fn depth(&self) -> usize {
        match self {
            Rest::At(_) => 0,
            Rest::Takes(parts) | Rest::Sends(parts) => {
                1 + parts.values().map(Rest::depth).max().unwrap_or(0)
            }
        }
    }

    /// How many steps there are in all branches.
    pub(super) fn size(&self) -> usize {
        match self {
            Rest::At(_) => 0,
            Rest::Takes(parts) | Rest::Sends(parts) => {
                parts.values().map(|part| 1 + part.size()).sum()
            }
        }
    }

    /// What is owed first.
    pub(super) fn owed(&self) -> impl Iterator<Item = LabelId> {
        let parts = match self {
            Rest::At(_) => None,
            Rest::Takes(parts) | Rest::Sends(parts) => Some(parts),
        };
        parts.into_iter().flat_map(|parts| parts.keys().copied())
    }
}

/// When a message may arrive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Arrival {
    /// Where it is to be taken.
    Next,
    /// Before messages of others that come first.
    AfterOthers,
    /// Before the role has done what comes first.
    Early,
}

/// The automaton that is replaced.
pub(super) struct Old<'a> {
    pub(super) machine: &'a Machine,
    pub(super) labels: &'a Labels,
    /// Whether steps may be done earlier.
    pub(super) reorders: bool,
}

impl Old<'_> {
    /// What is left after a step that the role does by itself; `None` where it may not.
    pub(super) fn sent(&self, rest: &Rest, label: LabelId) -> Option<Rest> {
        if self.labels.get(label).is_sync && !matches!(rest, Rest::At(_)) {
            return None;
        }
        match rest {
            Rest::At(state) => {
                if let Some(&to) = self.machine.states[*state].outputs.get(&label) {
                    return Some(Rest::At(to));
                }
                if !self.inevitable(label).contains(state) {
                    return None;
                }
                self.sent(&self.opened(*state)?, label)
            }
            Rest::Takes(parts) => {
                let after = parts.iter().map(|(&step, part)| Some((step, self.sent(part, label)?)));
                after.collect::<Option<_>>().map(Rest::Takes)
            }
            Rest::Sends(parts) => {
                if let Some(part) = parts.get(&label) {
                    return Some(part.clone());
                }
                let others =
                    parts.iter().filter(|&(&step, _)| !self.labels.share_peer(step, label));
                let after: BTreeMap<LabelId, Rest> = others
                    .filter_map(|(&step, part)| Some((step, self.sent(part, label)?)))
                    .collect();
                (!after.is_empty()).then_some(Rest::Sends(after))
            }
        }
    }

    /// The states from which a step comes whatever the others do, with nothing before it that must happen first.
    fn inevitable(&self, label: LabelId) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        if !self.reorders || self.labels.get(label).is_sync {
            return found;
        }
        loop {
            let before = found.len();
            for (number, state) in self.machine.states.iter().enumerate() {
                let is_it = state.outputs.contains_key(&label);
                let all_take =
                    !state.inputs.is_empty() && state.inputs.values().all(|to| found.contains(to));
                let mut sends = state.outputs.iter();
                let some_send = sends
                    .any(|(&step, to)| found.contains(to) && !self.labels.share_peer(step, label));
                if is_it || (self.can_open(number) && (all_take || some_send)) {
                    found.insert(number);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Whether what comes next in a state can be put off: the role only waits, or only does something, all of it with
    /// messages.
    fn can_open(&self, state: usize) -> bool {
        let state = &self.machine.states[state];
        let mut steps = state.inputs.keys().chain(state.outputs.keys());
        !state.may_end
            && state.inputs.is_empty() != state.outputs.is_empty()
            && steps.all(|&step| !self.labels.get(step).is_sync)
    }

    fn opened(&self, number: usize) -> Option<Rest> {
        let state = &self.machine.states[number];
        let at = |steps: &BTreeMap<LabelId, usize>| {
            steps.iter().map(|(&step, &to)| (step, Rest::At(to))).collect()
        };
        self.can_open(number).then(|| match state.inputs.is_empty() {
            true => Rest::Sends(at(&state.outputs)),
            false => Rest::Takes(at(&state.inputs)),
        })
    }

    /// What may come from others before the role does anything by itself, and where it leads.
    fn incoming(&self, rest: &Rest) -> BTreeMap<LabelId, Rest> {
        match rest {
            Rest::At(state) => {
                let inputs = self.machine.states[*state].inputs.iter();
                inputs.map(|(&step, &to)| (step, Rest::At(to))).collect()
            }
            Rest::Takes(parts) => parts.clone(),
            Rest::Sends(_) => BTreeMap::new(),
        }
    }

    /// The first messages of a peer that may arrive, perhaps after messages of others, and how.
    pub(super) fn arriving(&self, rest: &Rest, peer: &str) -> BTreeMap<LabelId, Arrival> {
        let start = (Arrival::Next, rest.clone());
        let (mut found, mut met) = (BTreeMap::new(), BTreeSet::from([start.clone()]));
        let mut stack = vec![start];
        while let Some((arrival, rest)) = stack.pop() {
            let mut next = Vec::new();
            for (step, after) in self.incoming(&rest) {
                if self.labels.get(step).peers.iter().any(|from| from == peer) {
                    let known = found.entry(step).or_insert(arrival);
                    *known = arrival.min(*known);
                } else {
                    next.push((arrival.max(Arrival::AfterOthers), after));
                }
            }
            // What a peer may send before the role has done what comes first is not known: it may.
            let sends: Vec<Rest> = match rest {
                Rest::At(state) => {
                    let outputs = self.machine.states[state].outputs.values();
                    outputs.map(|&to| Rest::At(to)).collect()
                }
                Rest::Takes(_) => Vec::new(),
                Rest::Sends(parts) => parts.into_values().collect(),
            };
            next.extend(sends.into_iter().map(|after| (Arrival::Early, after)));
            stack.extend(next.into_iter().filter(|next| met.insert(next.clone())));
        }
        found
    }

    /// Whether a message of one of these peers comes, whatever the others do, before the role must do something.
    pub(super) fn is_certain(&self, rest: &Rest, peers: &BTreeSet<&str>) -> bool {
        self.is_certain_within(rest, peers, &mut BTreeSet::new())
    }

    fn is_certain_within(
        &self,
        rest: &Rest,
        peers: &BTreeSet<&str>,
        open: &mut BTreeSet<Rest>,
    ) -> bool {
        if let Rest::At(state) = rest {
            let state = &self.machine.states[*state];
            // Where it may be over at once, the replacement may stop, too.
            if (state.may_end && !open.is_empty()) || !state.outputs.is_empty() {
                return false;
            }
        }
        let incoming = self.incoming(rest);
        if incoming.is_empty() || !open.insert(rest.clone()) {
            return false;
        }
        let is_certain = incoming.iter().all(|(&step, next)| {
            let is_one = self.labels.get(step).peers.iter().any(|peer| peers.contains(&**peer));
            let may_wait = self.reorders && !self.labels.get(step).is_sync;
            is_one || (may_wait && self.is_certain_within(next, peers, open))
        });
        open.remove(rest);
        is_certain
    }

    /// What may be left after a message was taken: once for each way in which it may have come. `None` where that is more
    /// than `most` steps ahead.
    pub(super) fn taken(&self, rest: &Rest, label: LabelId, most: usize) -> Option<Vec<Rest>> {
        let mut worlds = Vec::new();
        let incoming = self.incoming(rest);
        worlds.extend(incoming.get(&label).cloned());
        if !self.reorders || self.labels.get(label).is_sync {
            return Some(worlds);
        }
        for (step, next) in incoming {
            let is_other = !self.labels.share_peer(step, label) && !self.labels.get(step).is_sync;
            if !is_other || !self.comes(&next, label) {
                continue;
            }
            for world in self.taken(&next, label, most.checked_sub(1)?)? {
                worlds.push(Rest::Takes(BTreeMap::from([(step, world)])));
            }
        }
        Some(worlds)
    }

    /// Whether a message may come after messages of others alone.
    fn comes(&self, rest: &Rest, label: LabelId) -> bool {
        let (mut met, mut stack) = (BTreeSet::new(), vec![rest.clone()]);
        while let Some(rest) = stack.pop() {
            for (step, next) in self.incoming(&rest) {
                if step == label {
                    return true;
                }
                if !self.labels.share_peer(step, label) && met.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        false
    }
}

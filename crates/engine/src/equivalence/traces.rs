//! Trace inclusion and determinisation, by sets of states that one trace may lead to.
//!
//! Inclusion walks pairs (state of the left, set of states of the right) breadth-first, so that
//! what it finds is shortest. A pair is not followed when a pair with the same state and a smaller
//! set was (antichains: De Wulf, Doyen, Henzinger & Raskin, CAV 2006), nor when the set contains
//! the state itself: systems come here as quotients, where equivalent states are equal (a special
//! case of Abdulla, Chen, Holík, Mayr & Vojnar, TACAS 2010).

use std::rc::Rc;

use quadrille_graph::Sets;
use quadrille_model::{Bound, StateId};

use crate::limits::{Progress, Watch};

use super::system::{Label, System};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct SetId(u32);

/// Where each label that a set can do leads, ascending by label.
type Steps = Rc<[(Label, SetId)]>;

/// Sets of states that are closed under internal steps, and their successors, made on demand.
struct Subsets<'a> {
    system: &'a System,
    sets: Sets<StateId>,
    successors: Vec<Option<Steps>>,
    /// Bytes of all successors.
    n_bytes: usize,
}

impl<'a> Subsets<'a> {
    fn new(system: &'a System) -> Self {
        Subsets { system, sets: Sets::default(), successors: Vec::new(), n_bytes: 0 }
    }

    /// The closure of `states`.
    fn intern(&mut self, states: Vec<StateId>) -> SetId {
        let (set, is_new) = self.sets.number(&mut self.system.closure(states));
        if is_new {
            self.successors.push(None);
        }
        SetId(set as u32)
    }

    fn bytes(&self) -> usize {
        self.sets.bytes() + self.successors.capacity() * size_of::<Option<Steps>>() + self.n_bytes
    }

    fn members(&self, set: SetId) -> &[StateId] {
        self.sets.members(set.0 as usize)
    }

    /// What the members can do together.
    fn successors(&mut self, set: SetId) -> Steps {
        if let Some(known) = &self.successors[set.0 as usize] {
            return known.clone();
        }
        let mut steps: Vec<(Label, StateId)> = Vec::new();
        for &state in self.members(set) {
            steps.extend_from_slice(self.system.visible(state));
        }
        steps.sort_unstable();
        steps.dedup();
        let groups = steps.chunk_by(|left, right| left.0 == right.0);
        let successors: Steps = groups
            .map(|group| (group[0].0, self.intern(group.iter().map(|step| step.1).collect())))
            .collect();
        self.n_bytes += size_of_val::<[_]>(&successors);
        self.successors[set.0 as usize] = Some(successors.clone());
        successors
    }

    fn is_subset(&self, small: SetId, large: SetId) -> bool {
        let (small, large) = (self.members(small), self.members(large));
        small.len() <= large.len() && {
            let mut rest = large.iter();
            small.iter().all(|state| rest.any(|other| other == state))
        }
    }
}

/// A pair under way, and how it was reached.
struct Pair {
    state: StateId,
    set: SetId,
    parent: Option<usize>,
    /// The last step to here.
    label: Label,
}

/// A shortest trace from one of `left` that none of `right` has, if any. Pairs count as states.
pub(super) fn missing_trace(
    system: &System,
    left: &[StateId],
    right: &[StateId],
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<Label>>, Bound> {
    if right.is_empty() && !left.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let mut search = Search {
        subsets: Subsets::new(system),
        pairs: Vec::new(),
        smallest: vec![Vec::new(); system.n_states()],
    };
    let start = search.subsets.intern(right.to_vec());
    for &state in left {
        search.add(Pair { state, set: start, parent: None, label: Label::INTERNAL });
    }
    let mut done = 0;
    while done < search.pairs.len() {
        // Internal steps do not make a trace longer: first all of them, then one visible step.
        let level = done;
        while done < search.pairs.len() {
            let (state, set) = (search.pairs[done].state, search.pairs[done].set);
            for to in system.internal(state) {
                let label = Label::INTERNAL;
                search.add(Pair { state: to, set, parent: Some(done), label });
            }
            done += 1;
        }
        for parent in level..done {
            let (state, set) = (search.pairs[parent].state, search.pairs[parent].set);
            let possible = search.subsets.successors(set);
            for &(label, to) in system.visible(state) {
                let Ok(found) = possible.binary_search_by_key(&label, |step| step.0) else {
                    return Ok(Some(search.trace(parent, label)));
                };
                let set = possible[found].1;
                search.add(Pair { state: to, set, parent: Some(parent), label });
            }
            search.watch(parent, watch)?;
        }
    }
    Ok(None)
}

struct Search<'a> {
    subsets: Subsets<'a>,
    pairs: Vec<Pair>,
    /// Per state, the sets it was paired with, without those that contain another.
    smallest: Vec<Vec<SetId>>,
}

impl Search<'_> {
    fn add(&mut self, pair: Pair) {
        let subsets = &self.subsets;
        if subsets.members(pair.set).binary_search(&pair.state).is_ok() {
            return;
        }
        let smallest = &mut self.smallest[pair.state.index()];
        if smallest.iter().any(|&known| subsets.is_subset(known, pair.set)) {
            return;
        }
        smallest.retain(|&known| !subsets.is_subset(pair.set, known));
        smallest.push(pair.set);
        self.pairs.push(pair);
    }

    fn watch(&self, done: usize, watch: &mut Watch<'_>) -> Result<(), Bound> {
        watch.check(self.pairs.len(), || Progress {
            states: self.pairs.len() as u64,
            transitions: 0,
            depth: None,
            frontier: (self.pairs.len() - done) as u64,
            bytes: (self.pairs.capacity() * size_of::<Pair>()
                + self.smallest.len() * size_of::<Vec<SetId>>()
                + self.pairs.len() * 4 * size_of::<SetId>()
                + self.subsets.bytes()) as u64,
        })
    }

    fn trace(&self, last: usize, label: Label) -> Vec<Label> {
        let mut trace = vec![label];
        let mut at = Some(last);
        while let Some(position) = at {
            let pair = &self.pairs[position];
            at = pair.parent;
            if pair.label != Label::INTERNAL {
                trace.push(pair.label);
            }
        }
        trace.reverse();
        trace
    }
}

/// The deterministic system with the same traces and its initial state; none where there was none.
pub(super) fn determinise(
    system: &System,
    initial: &[StateId],
    watch: &mut Watch<'_>,
) -> Result<(System, Option<StateId>), Bound> {
    let mut subsets = Subsets::new(system);
    // The sink must stay number 0, and with it ends lead to where they did.
    subsets.intern(vec![System::SINK]);
    let start = (!initial.is_empty()).then(|| subsets.intern(initial.to_vec()));
    let mut edges = Vec::new();
    let mut done = 0;
    while done < subsets.sets.len() {
        let from = StateId::from_usize(done);
        for &(label, to) in subsets.successors(SetId(from.number())).iter() {
            edges.push((from, label, StateId::new(to.0)));
        }
        done += 1;
        watch.check(subsets.sets.len(), || Progress {
            states: subsets.sets.len() as u64,
            transitions: edges.len() as u64,
            depth: None,
            frontier: (subsets.sets.len() - done) as u64,
            bytes: (size_of_val(edges.as_slice()) + subsets.bytes()) as u64,
        })?;
    }
    let system = System::from_edges(subsets.sets.len(), edges);
    Ok((system, start.map(|set| StateId::new(set.0))))
}

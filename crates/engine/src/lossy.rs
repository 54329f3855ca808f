//! Exploration that remembers less than its states: bits, or fingerprints. What it finds is there, and
//! is replayed; that it finds nothing means little, for a state may have been taken for another one.
//!
//! Bit-state search: Holzmann (1988), with several hash functions as a Bloom filter (Dillinger and
//! Manolios, SPIN 2004). Hash compaction: Wolper and Leroy (CAV 1993), Stern and Dill (1995). Breadth
//! first, with the states of two levels at a time. No parents are kept: the run to a state is found by
//! searching again, each time with twice as many of its states known.

mod again;
mod visited;

use std::ops::ControlFlow;

use quadrille_model::{
    ActionId, Bound, Counts, Ending, Explorer, Flow, GroupId, Halt, Model, Probability, Problem,
    Value, Verdict,
};

use crate::evidence::replayed;
use crate::fingerprint::fingerprint;
use crate::limits::{Limits, Observer, Progress, Watch};
use crate::packing::Packing;
use crate::safety::Property;
use crate::workers::Workers;
use crate::{Error, Outcome, Stopped};
use again::run_to;
use visited::Visited;

/// What is remembered of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lossy {
    /// Three bits in a table of so many bytes.
    Bits {
        /// How large the table is; what is given is rounded up to whole words.
        bytes: u64,
    },
    /// A fingerprint of 64 bits.
    Fingerprints,
}

/// States that are expanded together.
const ROUND: usize = 1 << 14;
/// States that a worker expands at a time.
const SLICE: usize = 1 << 9;

/// Checks properties on what can be told apart. A property that is not refuted is unknown, with the
/// probability that at least one state was left out; or with the limit that was reached.
pub fn check_lossy(
    model: &dyn Model,
    properties: &[Property<'_>],
    lossy: Lossy,
    (limits, workers): (Limits, Workers),
    observer: &mut Observer<'_>,
) -> Result<Outcome, Error> {
    let workers = if model.allows_workers() { workers } else { Workers::default() };
    let mut watch = Watch::new(limits, observer);
    let mut search = Search::new(model, lossy, workers);
    let mut open: Vec<Option<Refuted>> = properties.iter().map(|_| None).collect();
    let ended = search.walk(&mut watch, &mut |at| judge(properties, &mut open, at));
    let bound = match ended {
        Ok(()) => None,
        Err(Stopped::Bound(bound)) => Some(bound),
        Err(Stopped::Failed(error)) => return Err(error),
    };
    let unknown = bound.unwrap_or(Bound::Omission(search.omission()));
    let counts = search.counts();
    drop(search);
    let mut verdicts = Vec::new();
    for refuted in open {
        verdicts.push(match refuted {
            None => Verdict::Unknown(unknown),
            Some(refuted) => {
                let found = run_to(model, lossy, workers, &refuted, &mut watch);
                match found {
                    Ok(trace) => Verdict::Violated(Some(replayed(model, trace)?)),
                    // It is known that there is a violation, but not how it comes about.
                    Err(Stopped::Bound(bound)) => Verdict::Unknown(bound),
                    Err(Stopped::Failed(error)) => return Err(error),
                }
            }
        });
    }
    Ok(Outcome { verdicts, counts, bound })
}

/// What refutes a property: a state, at this depth, and the step out of it, if one does.
struct Refuted {
    depth: u64,
    words: Vec<u32>,
    step: Option<(GroupId, ActionId, Vec<Value>)>,
    ending: Ending,
}

/// What a search shows.
enum Sight<'a> {
    /// A state that is new, at a depth.
    State(&'a [u32], &'a [Value]),
    /// A state without successor in which the system may not end.
    Deadlock(&'a [u32]),
    /// A step out of a state.
    Edge(&'a [u32], GroupId, ActionId, &'a [u32]),
}

/// Notes what refutes a property that nothing refuted before.
fn judge(
    properties: &[Property<'_>],
    open: &mut [Option<Refuted>],
    (sight, depth, packing): (&Sight<'_>, u64, &Packing),
) -> Result<Flow, Box<Problem>> {
    for (property, refuted) in properties.iter().zip(&mut *open) {
        if refuted.is_some() {
            continue;
        }
        *refuted = match (property, sight) {
            (Property::DeadlockFree, Sight::Deadlock(words)) => {
                Some(Refuted { depth, words: words.to_vec(), step: None, ending: Ending::Stuck })
            }
            (Property::Always(holds), Sight::State(words, values)) if !holds(values)? => {
                let words = words.to_vec();
                Some(Refuted { depth, words, step: None, ending: Ending::Prefix })
            }
            (Property::Never(is_wanted), Sight::Edge(words, group, action, to))
                if is_wanted(*action) =>
            {
                let mut target = vec![0; packing.n_slots()];
                packing.unpack(to, &mut target);
                let step = Some((*group, *action, target));
                Some(Refuted { depth, words: words.to_vec(), step, ending: Ending::Prefix })
            }
            _ => None,
        };
    }
    let all = !open.is_empty() && open.iter().all(Option::is_some);
    Ok(if all { ControlFlow::Break(Halt::Enough) } else { ControlFlow::Continue(()) })
}

/// States of one depth, packed one after the other. Each has a tag, which its successors inherit.
#[derive(Default)]
struct Level {
    words: Vec<u32>,
    tags: Vec<u32>,
}

impl Level {
    fn bytes(&self) -> usize {
        (self.words.capacity() + self.tags.capacity()) * size_of::<u32>()
    }
}

struct Search<'m> {
    model: &'m dyn Model,
    packing: Packing,
    workers: Workers,
    visited: Visited,
    level: Level,
    next: Level,
    /// Scratch of workers.
    slices: Vec<Slice>,
    n_states: u64,
    n_transitions: u64,
    n_deadlocks: u64,
    depth: u64,
    /// Whether states are to be shown as vectors.
    shows_states: bool,
}

/// Expansions of some states.
#[derive(Default)]
struct Slice {
    /// Per state, where its edges end, and whether it is a deadlock.
    ends: Vec<(u32, bool)>,
    labels: Vec<(GroupId, ActionId)>,
    words: Vec<u32>,
    problem: Option<Box<Problem>>,
}

/// Sees what a search meets; a `Break` ends it.
type See<'a> = dyn FnMut((&Sight<'_>, u64, &Packing)) -> Result<Flow, Box<Problem>> + 'a;

impl<'m> Search<'m> {
    fn new(model: &'m dyn Model, lossy: Lossy, workers: Workers) -> Self {
        Self {
            model,
            packing: Packing::new(model.signature()),
            workers,
            visited: Visited::new(lossy),
            level: Level::default(),
            next: Level::default(),
            slices: Vec::new(),
            n_states: 0,
            n_transitions: 0,
            n_deadlocks: 0,
            depth: 0,
            shows_states: true,
        }
    }

    /// The probability that at least one state was left out, if states are as likely to be taken for
    /// one another as random numbers are, and there are about as many as were met.
    fn omission(&self) -> Probability {
        Probability::new((-(-self.visited.missed()).exp_m1()).max(1e-9))
    }

    fn counts(&self) -> Counts {
        Counts {
            states: self.n_states,
            transitions: self.n_transitions,
            deadlocks: self.n_deadlocks,
            depth: Some(self.depth),
            bytes: self.bytes(),
        }
    }

    fn bytes(&self) -> u64 {
        let slices: usize = self.slices.iter().map(Slice::bytes).sum();
        (self.visited.bytes() + self.level.bytes() + self.next.bytes() + slices) as u64
            + self.model.bytes() as u64
    }

    fn walk(&mut self, watch: &mut Watch<'_>, see: &mut See<'_>) -> Result<(), Stopped> {
        watch.allocated(self.bytes() as usize)?;
        let mut flow = self.begin(see)?;
        while flow.is_continue() && !self.next.tags.is_empty() {
            flow = self.descend(watch, see)?;
            self.depth += u64::from(flow.is_continue() && !self.next.tags.is_empty());
        }
        Ok(())
    }

    /// Meets the initial states.
    fn begin(&mut self, see: &mut See<'_>) -> Result<Flow, Stopped> {
        let (mut words, packing) = (Vec::new(), self.packing.clone());
        self.model.explorer().each_initial(|state| packing.pack(state, &mut words))?;
        for state in words.chunks_exact(packing.n_words()) {
            let flow = self.meet(state, 0, see)?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Makes the states that were met last the level, and expands it.
    fn descend(&mut self, watch: &mut Watch<'_>, see: &mut See<'_>) -> Result<Flow, Stopped> {
        self.level.words.clear();
        self.level.tags.clear();
        std::mem::swap(&mut self.level, &mut self.next);
        let level = std::mem::take(&mut self.level);
        let flow = self.expand(&level, watch, see);
        self.level = level;
        flow
    }

    /// Expands a level, in rounds that workers share.
    fn expand(
        &mut self,
        level: &Level,
        watch: &mut Watch<'_>,
        see: &mut See<'_>,
    ) -> Result<Flow, Stopped> {
        let n_words = self.packing.n_words();
        for (round, tags) in level.words.chunks(ROUND * n_words).zip(level.tags.chunks(ROUND)) {
            let mut slices = std::mem::take(&mut self.slices);
            slices.resize_with(tags.len().div_ceil(SLICE), Slice::default);
            let (model, packing, mut bound) = (self.model, &self.packing, None);
            let workers =
                if self.workers.suit(tags.len()) { self.workers } else { Workers::default() };
            workers.share(
                slices.iter_mut().zip(round.chunks(SLICE * n_words)),
                || (model.explorer(), vec![0; packing.n_slots()]),
                |(explorer, values), (slice, states)| {
                    slice.expand(&mut **explorer, packing, values, states);
                },
                || {
                    bound = watch.wait().err();
                    bound.is_none()
                },
            );
            let flow = match bound {
                Some(bound) => Err(bound.into()),
                None => self.take(&mut slices, round, tags, see),
            };
            self.slices = slices;
            if flow?.is_break() {
                return Ok(ControlFlow::Break(Halt::Enough));
            }
            let (states, transitions, depth) = (self.n_states, self.n_transitions, self.depth);
            let bytes = self.bytes() + level.bytes() as u64;
            let progress = || Progress {
                states,
                transitions,
                depth: Some(depth),
                frontier: self.next.tags.len() as u64,
                bytes,
            };
            watch.check_after(tags.len(), self.n_states as usize, progress)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes in what was expanded, in order.
    fn take(
        &mut self,
        slices: &mut [Slice],
        round: &[u32],
        tags: &[u32],
        see: &mut See<'_>,
    ) -> Result<Flow, Stopped> {
        let n_words = self.packing.n_words();
        let mut sources = round.chunks_exact(n_words).zip(tags);
        for slice in slices {
            let mut first = 0;
            for &(end, deadlock) in &slice.ends {
                let Some((source, &tag)) = sources.next() else { break };
                if deadlock {
                    self.n_deadlocks += 1;
                    let sight = (&Sight::Deadlock(source), self.depth, &self.packing);
                    if see(sight)?.is_break() {
                        return Ok(ControlFlow::Break(Halt::Enough));
                    }
                }
                for edge in first..end as usize {
                    let (group, action) = slice.labels[edge];
                    let to = &slice.words[edge * n_words..][..n_words];
                    self.n_transitions += 1;
                    let sight = Sight::Edge(source, group, action, to);
                    if see((&sight, self.depth, &self.packing))?.is_break()
                        || self.meet(to, tag, see)?.is_break()
                    {
                        return Ok(ControlFlow::Break(Halt::Enough));
                    }
                }
                first = end as usize;
            }
            if let Some(problem) = slice.problem.take() {
                return Err(problem.into());
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Meets a state, which is expanded later if it is new.
    fn meet(&mut self, words: &[u32], tag: u32, see: &mut See<'_>) -> Result<Flow, Box<Problem>> {
        if !self.visited.insert(fingerprint(words, 1)) {
            return Ok(ControlFlow::Continue(()));
        }
        self.n_states += 1;
        self.next.words.extend_from_slice(words);
        self.next.tags.push(tag);
        let mut values = Vec::new();
        if self.shows_states {
            values.resize(self.packing.n_slots(), 0);
            self.packing.unpack(words, &mut values);
        }
        let first = self.level.tags.is_empty() && self.n_transitions == 0;
        let depth = if first { 0 } else { self.depth + 1 };
        see((&Sight::State(words, &values), depth, &self.packing))
    }
}

impl Slice {
    fn expand(
        &mut self,
        explorer: &mut dyn Explorer,
        packing: &Packing,
        values: &mut [Value],
        states: &[u32],
    ) {
        self.ends.clear();
        self.labels.clear();
        self.words.clear();
        for source in states.chunks_exact(packing.n_words()) {
            packing.unpack(source, values);
            let n_before = self.labels.len();
            let Self { labels, words, .. } = self;
            let flow = explorer.expand(values, &mut |group, action, next: &[Value]| -> Flow {
                labels.push((group, action));
                packing.pack_successor(source, group, next, words);
                ControlFlow::Continue(())
            });
            let problem = match flow {
                ControlFlow::Break(Halt::Problem(problem)) => Some(problem),
                _ => None,
            };
            let stuck = self.labels.len() == n_before;
            let deadlock = match (problem, stuck) {
                (Some(problem), _) => Err(problem),
                (None, false) => Ok(false),
                (None, true) => explorer.may_end(values).map(|may_end| !may_end),
            };
            match deadlock {
                Ok(deadlock) => self.ends.push((self.labels.len() as u32, deadlock)),
                Err(mut problem) => {
                    problem.state = values.to_vec();
                    self.problem = Some(problem);
                    return;
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        self.labels.capacity() * size_of::<(GroupId, ActionId)>()
            + self.words.capacity() * size_of::<u32>()
            + self.ends.capacity() * size_of::<(u32, bool)>()
    }
}

#[cfg(test)]
mod tests;

//! The oracle of weak memory: all executions of a small program as graphs, by the axioms of RC11
//! (Lahav et al., PLDI 2017) without load buffering, in which the order of sequentially consistent
//! operations agrees with program order and reads-from. Knows nothing of the scheduler.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

/// One operation of a thread.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Load(usize, Ordering),
    Store(usize, u64, Ordering),
    Swap(usize, u64, Ordering),
    /// Writes the second value if it finds the first.
    Exchange(usize, u64, u64, Ordering),
    Fence(Ordering),
}

pub type Program = Vec<Vec<Op>>;
/// What the threads read, in order, and what the locations hold in the end.
pub type Outcome = (Vec<Vec<u64>>, Vec<u64>);

/// The order of an exchange that fails.
pub const fn failing(order: Ordering) -> Ordering {
    match order {
        SeqCst => SeqCst,
        AcqRel | Acquire => Acquire,
        _ => Relaxed,
    }
}

pub const N_LOCATIONS: usize = 2;

#[derive(Clone, Copy)]
struct Event {
    /// Nothing for the stores that were there before.
    thread: Option<usize>,
    location: usize,
    reads: bool,
    writes: Option<u64>,
    is_fence: bool,
    order: Ordering,
}

impl Event {
    fn acquires(&self) -> bool {
        (self.reads || self.is_fence) && matches!(self.order, Acquire | AcqRel | SeqCst)
    }

    fn releases(&self) -> bool {
        (self.writes.is_some() || self.is_fence) && matches!(self.order, Release | AcqRel | SeqCst)
    }

    fn is_sc_access(&self) -> bool {
        !self.is_fence && self.order == SeqCst
    }

    fn is_sc_fence(&self) -> bool {
        self.is_fence && self.order == SeqCst
    }
}

/// A relation over events, a row of bits for each.
#[derive(Clone)]
struct Relation(Vec<u32>);

impl Relation {
    fn new(n: usize) -> Relation {
        Relation(vec![0; n])
    }

    fn add(&mut self, a: usize, b: usize) {
        self.0[a] |= 1 << b;
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 == 1
    }

    fn closed(mut self) -> Relation {
        for middle in 0..self.0.len() {
            for a in 0..self.0.len() {
                if self.has(a, middle) {
                    self.0[a] |= self.0[middle];
                }
            }
        }
        self
    }

    fn is_acyclic(&self) -> bool {
        let closed = self.clone().closed();
        (0..self.0.len()).all(|event| !closed.has(event, event))
    }
}

/// Every outcome that the axioms allow.
pub fn outcomes(program: &Program) -> BTreeSet<Outcome> {
    let mut events: Vec<Event> = (0..N_LOCATIONS)
        .map(|location| Event {
            thread: None,
            location,
            reads: false,
            writes: Some(0),
            is_fence: false,
            order: Relaxed,
        })
        .collect();
    let mut ops = vec![None; N_LOCATIONS];
    for (thread, op) in
        program.iter().enumerate().flat_map(|(t, ops)| ops.iter().map(move |o| (t, *o)))
    {
        let (location, reads, writes, is_fence, order) = match op {
            Op::Load(location, order) => (location, true, None, false, order),
            Op::Store(location, value, order) => (location, false, Some(value), false, order),
            Op::Swap(location, value, order) => (location, true, Some(value), false, order),
            Op::Exchange(location, _, new, order) => (location, true, Some(new), false, order),
            Op::Fence(order) => (usize::MAX, false, None, true, order),
        };
        events.push(Event { thread: Some(thread), location, reads, writes, is_fence, order });
        ops.push(Some(op));
    }
    let mut found = BTreeSet::new();
    let mut sources = vec![usize::MAX; events.len()];
    read_from(program, &events, &ops, 0, &mut sources, &mut found);
    found
}

/// Every way in which loads read from stores.
fn read_from(
    program: &Program,
    events: &[Event],
    ops: &[Option<Op>],
    event: usize,
    sources: &mut Vec<usize>,
    found: &mut BTreeSet<Outcome>,
) {
    if event == events.len() {
        return with_sources(program, events, ops, sources, found);
    }
    if !events[event].reads {
        return read_from(program, events, ops, event + 1, sources, found);
    }
    for source in 0..events.len() {
        let is_store = source != event && events[source].writes.is_some();
        if is_store && events[source].location == events[event].location {
            sources[event] = source;
            read_from(program, events, ops, event + 1, sources, found);
        }
    }
}

fn with_sources(
    program: &Program,
    events: &[Event],
    ops: &[Option<Op>],
    sources: &[usize],
    found: &mut BTreeSet<Outcome>,
) {
    let value = |event: usize| events[sources[event]].writes.unwrap_or(0);
    let mut decided = events.to_vec();
    for (event, op) in ops.iter().enumerate() {
        if let Some(Op::Exchange(_, expected, _, order)) = op
            && value(event) != *expected
        {
            (decided[event].writes, decided[event].order) = (None, failing(*order));
        }
    }
    let is_sound = |e: usize| !decided[e].reads || decided[sources[e]].writes.is_some();
    if !(0..events.len()).all(is_sound) {
        return;
    }
    let stores = |location: usize| -> Vec<usize> {
        let is_store = |&e: &usize| decided[e].writes.is_some() && decided[e].location == location;
        (N_LOCATIONS..events.len()).filter(is_store).collect()
    };
    let orders: Vec<Vec<Vec<usize>>> = (0..N_LOCATIONS).map(|l| permutations(&stores(l))).collect();
    for first in &orders[0] {
        for second in &orders[1] {
            let mut ranks = vec![0; events.len()];
            for order in [first, second] {
                for (position, &store) in order.iter().enumerate() {
                    ranks[store] = position + 1;
                }
            }
            if is_consistent(&decided, sources, &ranks) {
                let mut reads = vec![Vec::new(); program.len()];
                for (event, known) in decided.iter().enumerate() {
                    if let Some(thread) = known.thread.filter(|_| known.reads) {
                        reads[thread].push(value(event));
                    }
                }
                let last = |order: &Vec<usize>| order.last().and_then(|&e| decided[e].writes);
                let ends = [first, second].map(|order| last(order).unwrap_or(0));
                found.insert((reads, ends.to_vec()));
            }
        }
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, &item) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(index);
        for mut permutation in permutations(&rest) {
            permutation.push(item);
            all.push(permutation);
        }
    }
    all
}

/// Whether a graph is an execution: happens-before, coherence, atomicity, the sequential order.
fn is_consistent(events: &[Event], sources: &[usize], ranks: &[usize]) -> bool {
    let n = events.len();
    let same = |a: usize, b: usize| a != b && events[a].location == events[b].location;
    let is_access = |e: usize| !events[e].is_fence;
    // The rank that an event makes known, and the one that must not be less than what is known.
    let known = |e: usize| if events[e].writes.is_some() { ranks[e] } else { ranks[sources[e]] };
    let least = |e: usize| if events[e].reads { ranks[sources[e]] } else { ranks[e] };
    for e in (0..n).filter(|&e| events[e].reads && events[e].writes.is_some()) {
        if ranks[e] != ranks[sources[e]] + 1 {
            return false;
        }
    }
    let mut po = Relation::new(n);
    for a in 0..n {
        for b in 0..n {
            let is_before = events[a].thread.is_none() && events[b].thread.is_some();
            if is_before || (events[a].thread == events[b].thread && a < b && a >= N_LOCATIONS) {
                po.add(a, b);
            }
        }
    }
    let hb = happens_before(events, sources, &po);
    for a in 0..n {
        if hb.has(a, a) {
            return false;
        }
        for b in (0..n).filter(|&b| is_access(a) && is_access(b) && same(a, b) && hb.has(a, b)) {
            // Who comes later reads no less and writes more.
            if least(b) < known(a) || (!events[b].reads && least(b) == known(a)) {
                return false;
            }
        }
    }
    let mut all = po;
    for e in (0..n).filter(|&e| events[e].reads) {
        all.add(sources[e], e);
    }
    let behind =
        |a: usize, b: usize| is_access(a) && is_access(b) && same(a, b) && least(a) < known(b);
    for a in 0..n {
        for b in (0..n).filter(|&b| b != a) {
            let (first, second) = (&events[a], &events[b]);
            let starts: Vec<usize> = match () {
                () if first.is_sc_access() => vec![a],
                () if first.is_sc_fence() => (0..n).filter(|&e| hb.has(a, e)).collect(),
                () => continue,
            };
            let ends: Vec<usize> = match () {
                () if second.is_sc_access() && second.writes.is_some() => vec![b],
                () if second.is_sc_fence() => (0..n).filter(|&e| hb.has(e, b)).collect(),
                () => continue,
            };
            if starts.iter().any(|&s| ends.iter().any(|&e| behind(s, e))) {
                all.add(a, b);
            }
        }
    }
    all.is_acyclic()
}

fn happens_before(events: &[Event], sources: &[usize], po: &Relation) -> Relation {
    let n = events.len();
    let mut hb = po.clone();
    for head in (0..n).filter(|&e| events[e].writes.is_some()) {
        // What publishes this store: itself, and release fences before it.
        let is_head = |&e: &usize| {
            events[e].releases() && (e == head || (events[e].is_fence && po.has(e, head)))
        };
        let publishing: Vec<usize> = (0..n).filter(is_head).collect();
        for read in (0..n).filter(|&e| events[e].reads) {
            let mut source = sources[read];
            let mut is_of_sequence = source == head;
            for _ in 0..n {
                if is_of_sequence || !events[source].reads {
                    break;
                }
                source = sources[source];
                is_of_sequence = source == head;
            }
            if !is_of_sequence {
                continue;
            }
            let takes = |&e: &usize| {
                events[e].acquires() && (e == read || (events[e].is_fence && po.has(read, e)))
            };
            for taking in (0..n).filter(takes) {
                publishing.iter().filter(|&&p| p != taking).for_each(|&p| hb.add(p, taking));
            }
        }
    }
    hb.closed()
}

//! How many messages wait in each queue of a liberal form at most, or a loop that makes some queue
//! grow for ever (Jéron and Jard, "Testing for unboundedness of fifo channels", 1993).

use std::ops::ControlFlow;

use quadrille_engine::{Limits, Observer, Progress, Space, Stopped};
use quadrille_model::{ActionId, Bound, Model, StateId, Value};
use quadrille_protocol::project::{Liberal, PacketId};
use rustc_hash::FxHashMap;

/// What queues must hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InFlight {
    /// The most that ever wait, per channel.
    Bounded(Vec<u32>),
    /// A queue grows for ever.
    Unbounded(Pump),
    /// A bound was reached first.
    Unknown(Bound),
}

/// A loop that makes a queue grow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pump {
    /// A queue that grows.
    pub channel: usize,
    /// Labels of the steps that lead to the loop.
    pub prefix: Vec<String>,
    /// Labels of the steps that can be repeated for ever.
    pub cycle: Vec<String>,
    /// The most that waited in each channel when the loop was found.
    pub seen: Vec<u32>,
}

/// Finds out what the queues of a liberal form must hold.
pub fn in_flight(liberal: &Liberal, limits: Limits, observer: &mut Observer<'_>) -> InFlight {
    let mut search = Search {
        liberal,
        space: Space::new(liberal),
        most: vec![0; liberal.channels().len()],
        arrivals: vec![None],
        records: FxHashMap::default(),
    };
    let most_states = limits.states.unwrap_or(u64::MAX);
    let mut next = 0;
    while next < search.space.n_states() {
        match search.expand(StateId::from_usize(next)) {
            Ok(None) => {}
            Ok(Some(pump)) => return InFlight::Unbounded(pump),
            Err(bound) => return InFlight::Unknown(bound),
        }
        next += 1;
        let progress = search.progress(next);
        if progress.states > most_states {
            return InFlight::Unknown(Bound::States(most_states));
        }
        if next.is_multiple_of(1024) {
            // A loop may always be outdone by runs that are no loops: so look also where there is no record.
            if let Some(pump) = search.pump(StateId::from_usize(next - 1)) {
                return InFlight::Unbounded(pump);
            }
            if let Some(most) = limits.memory.filter(|&most| progress.bytes > most) {
                return InFlight::Unknown(Bound::Memory(most));
            }
            if let ControlFlow::Break(bound) = observer(&progress) {
                return InFlight::Unknown(bound);
            }
        }
    }
    InFlight::Bounded(search.most)
}

struct Search<'m> {
    liberal: &'m Liberal,
    space: Space<'m>,
    most: Vec<u32>,
    /// Per state the step that led there first.
    arrivals: Vec<Option<(StateId, ActionId)>>,
    /// The most that waited in all queues together, by local states; where several waited in one queue.
    records: FxHashMap<Vec<Value>, usize>,
}

impl Search<'_> {
    fn progress(&self, n_expanded: usize) -> Progress {
        let n_states = self.space.n_states();
        Progress {
            states: n_states as u64,
            frontier: (n_states - n_expanded) as u64,
            bytes: self.space.bytes() as u64,
            ..Progress::default()
        }
    }

    /// Meets the successors of a state. Where more waits than ever before with the same local states, looks for a
    /// loop that made it grow.
    fn expand(&mut self, state: StateId) -> Result<Option<Pump>, Bound> {
        let n_roles = self.liberal.projection().locals().len();
        let edges = match self.space.expand(state) {
            Ok(edges) => edges.to_vec(),
            Err(Stopped::Bound(bound)) => return Err(bound),
            Err(Stopped::Failed(error)) => unreachable!("a step of the liberal form: {error}"),
        };
        for edge in edges {
            if edge.to.index() < self.arrivals.len() {
                continue;
            }
            self.arrivals.push(Some((state, edge.action)));
            let values = self.space.state(edge.to);
            let (mut all, mut largest) = (0, 0);
            for (channel, most) in self.most.iter_mut().enumerate() {
                let waiting = self.liberal.waiting(channel, &values).len();
                *most = (waiting as u32).max(*most);
                largest = waiting.max(largest);
                all += waiting;
            }
            if largest > 1
                && is_record(&mut self.records, &values[..n_roles], all)
                && let Some(pump) = self.pump(edge.to)
            {
                return Ok(Some(pump));
            }
        }
        Ok(None)
    }

    /// A loop that ends in this state and can be repeated for ever with a queue growing.
    fn pump(&self, end: StateId) -> Option<Pump> {
        let n_roles = self.liberal.projection().locals().len();
        let last = self.space.state(end);
        // States and steps from the start to here.
        let mut states = vec![last.clone()];
        let mut steps = Vec::new();
        let mut at = end;
        while let Some((from, action)) = self.arrivals[at.index()] {
            states.push(self.space.state(from));
            steps.push(self.liberal.action(action).label);
            at = from;
        }
        states.reverse();
        steps.reverse();
        let begins =
            (0..steps.len()).rev().filter(|&begin| states[begin][..n_roles] == last[..n_roles]);
        for begin in begins {
            if let Some(channel) = self.grows(&states[begin..]) {
                let cycle = steps.split_off(begin);
                return Some(Pump { channel, prefix: steps, cycle, seen: self.most.clone() });
            }
        }
        None
    }

    /// A channel that grows when this path, whose ends have the same local states, is repeated; if it
    /// can be repeated.
    fn grows(&self, path: &[Vec<Value>]) -> Option<usize> {
        let (first, last) = (path.first()?, path.last()?);
        let length = |channel, state| self.liberal.waiting(channel, state).len();
        let mut channels = 0..self.most.len();
        if channels.any(|channel| length(channel, last) < length(channel, first)) {
            return None;
        }
        let mut growing = None;
        for channel in 0..self.most.len() {
            let waiting = |state: &[Value]| self.liberal.waiting(channel, state);
            let (mut put, mut taken) = (Vec::new(), Vec::new());
            for pair in path.windows(2) {
                let (before, after) = (waiting(&pair[0]), waiting(&pair[1]));
                if after.len() > before.len() {
                    put.extend(after.last());
                } else if after.len() < before.len() {
                    taken.extend(before.first());
                }
            }
            if !repeats(waiting(first), &put, &taken) {
                return None;
            }
            if put.len() > taken.len() {
                growing = growing.or(Some(channel));
            }
        }
        growing
    }
}

/// Whether more waits than before with these local states; remembers it.
fn is_record(records: &mut FxHashMap<Vec<Value>, usize>, locals: &[Value], all: usize) -> bool {
    let Some(most) = records.get_mut(locals) else {
        records.insert(locals.to_vec(), all);
        return true;
    };
    let is_more = all > *most;
    *most = all.max(*most);
    is_more
}

/// Whether a queue that holds `start`, to which `put` is added in each round, goes on giving `taken`
/// in each round: both are periodic, so that agreement over both periods is agreement for ever.
fn repeats(start: &[PacketId], put: &[PacketId], taken: &[PacketId]) -> bool {
    let enough = start.len() + put.len() * (taken.len() + 1) + taken.len();
    let given = start.iter().chain(put.iter().cycle());
    given.zip(taken.iter().cycle()).take(enough).all(|(given, taken)| given == taken)
}

//! How many messages wait in each queue of a liberal form at most, or a loop that makes some queue
//! grow for ever (Jéron and Jard, "Testing for unboundedness of fifo channels", 1993).

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use quadrille_engine::{
    Config, Error, Explored, Limits, Observer, Stopped, Visitor, Workers, explore,
};
use quadrille_model::{Bound, Ending, Flow, Halt, Model, StateId, Trace, Value};
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
    /// The run of the liberal form that leads through the loop once.
    pub run: Trace,
    /// How many of its steps lead to the loop; those behind them can be repeated for ever.
    pub begin: usize,
    /// The most that waited in each channel when the loop was found.
    pub seen: Vec<u32>,
}

impl Pump {
    /// Labels of the steps that lead to the loop, and of those that can be repeated for ever.
    pub fn labels(&self, liberal: &Liberal) -> (Vec<String>, Vec<String>) {
        let label = |step: &quadrille_model::Step| liberal.action(step.action).label;
        let (prefix, cycle) = self.run.steps.split_at(self.begin);
        (prefix.iter().map(label).collect(), cycle.iter().map(label).collect())
    }
}

/// What is known of one queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueBound {
    /// Sender and receiver: `a->b`.
    pub name: String,
    /// The most that ever waits in it, where that is known.
    pub most: Option<u32>,
    /// Whether it can grow for ever.
    pub grows: bool,
}

impl InFlight {
    /// What is known of each queue of the form.
    pub fn queues(&self, liberal: &Liberal) -> Vec<QueueBound> {
        let channels = 0..liberal.channels().len();
        let queue = |channel| QueueBound {
            name: liberal.channel_name(channel),
            most: match self {
                InFlight::Bounded(most) => most.get(channel).copied(),
                InFlight::Unbounded(_) | InFlight::Unknown(_) => None,
            },
            grows: matches!(self, InFlight::Unbounded(pump) if pump.channel == channel),
        };
        channels.map(queue).collect()
    }
}

/// Finds out what the queues of a liberal form must hold, by a walk of its own.
pub fn in_flight(
    liberal: &Liberal,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<InFlight, Error> {
    let mut queues = QueueVisitor::new(liberal);
    let config = Config { limits, workers: Workers::default(), ..Config::default() };
    let walk = explore(liberal, &config, &mut [&mut queues], observer);
    queues.found(&walk)
}

/// How often a loop is looked for where there is no record: it may always be outdone by runs that are no
/// loops.
const OFTEN: usize = 1024;

/// The visitor of a walk through a liberal form that sees what its queues hold.
pub(crate) struct QueueVisitor<'m> {
    liberal: &'m Liberal,
    most: Vec<u32>,
    /// The most that waited in all queues together, by local states; where several waited in one queue.
    records: FxHashMap<Vec<Value>, usize>,
    /// The state that a loop ends in, how many steps lead to the loop, and the queue that grows.
    pump: Option<(StateId, usize, usize)>,
    /// Whether there is one.
    grows: Rc<Cell<bool>>,
}

impl Visitor for QueueVisitor<'_> {
    fn needs_states(&self) -> bool {
        true
    }

    /// Where more waits than ever before with the same local states, looks for a loop that made it grow.
    fn met(&mut self, walk: &Explored<'_>, state: StateId, values: &[Value]) -> Flow {
        let (mut all, mut largest) = (0, 0);
        for (channel, most) in self.most.iter_mut().enumerate() {
            let waiting = self.liberal.waiting(channel, values).len();
            *most = (waiting as u32).max(*most);
            largest = waiting.max(largest);
            all += waiting;
        }
        let n_roles = self.liberal.projection().locals().len();
        let is_record = largest > 1 && is_record(&mut self.records, &values[..n_roles], all);
        if is_record || (state.index() + 1).is_multiple_of(OFTEN) {
            self.pump = self.pump(walk, state);
        }
        match self.pump {
            Some(_) => {
                self.grows.set(true);
                ControlFlow::Break(Halt::Enough)
            }
            None => ControlFlow::Continue(()),
        }
    }

    fn bytes(&self) -> usize {
        let n_roles = self.liberal.projection().locals().len();
        self.records.capacity() * (size_of::<(Vec<Value>, usize)>() + n_roles * size_of::<Value>())
    }
}

impl<'m> QueueVisitor<'m> {
    pub(crate) fn new(liberal: &'m Liberal) -> Self {
        let most = vec![0; liberal.channels().len()];
        Self { liberal, most, records: FxHashMap::default(), pump: None, grows: Rc::default() }
    }

    /// Whether a queue was found to grow for ever: then no walk comes to an end.
    pub(crate) fn has_found(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.grows)
    }

    /// What a walk through the form found, with the run of a loop.
    pub(crate) fn found(self, walk: &Explored<'_>) -> Result<InFlight, Error> {
        if let Some((end, begin, channel)) = self.pump {
            let run = walk.trace(end, None, Ending::Prefix)?;
            return Ok(InFlight::Unbounded(Pump { channel, run, begin, seen: self.most }));
        }
        match walk.stopped() {
            None => Ok(InFlight::Bounded(self.most)),
            Some(Stopped::Bound(bound)) => Ok(InFlight::Unknown(*bound)),
            Some(Stopped::Failed(error)) => Err(error.clone()),
        }
    }

    /// A loop that ends in this state and can be repeated for ever with a queue growing.
    fn pump(&self, walk: &Explored<'_>, end: StateId) -> Option<(StateId, usize, usize)> {
        let n_roles = self.liberal.projection().locals().len();
        let before = |&state: &StateId| walk.parent(state);
        let mut states: Vec<Vec<Value>> = std::iter::successors(Some(end), before)
            .map(|state| walk.space().state(state))
            .collect();
        states.reverse();
        let last = states.len() - 1;
        let mut begins =
            (0..last).rev().filter(|&begin| states[begin][..n_roles] == states[last][..n_roles]);
        begins.find_map(|begin| Some((end, begin, self.grows(&states[begin..])?)))
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

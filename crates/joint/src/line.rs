//! Lines between a program and its environment, with their faults as settings: what one side puts in, the other side gets, perhaps
//! late, twice or never. Model implementations of control interfaces are made of them.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quadrille_sim::task;
use quadrille_simulation::{ModelTime, Stream};

use crate::Journal;

/// What is wrong with a line. By default, nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Faults {
    /// How late everything arrives.
    pub delay: Duration,
    /// How likely it is that something is lost.
    pub drop: f64,
    /// How likely it is that something arrives twice, the second time after the delay has passed again.
    pub duplicate: f64,
    /// While the line is stuck, nothing that is put in has an effect.
    pub stuck: Option<Range<ModelTime>>,
}

/// A value that one side sets and the other side reads: a sensor, a switch. A clone is the same signal.
pub struct Signal<T> {
    name: Arc<str>,
    state: Arc<Mutex<State<T>>>,
    journal: Journal,
}

struct State<T> {
    /// What was read last; of a wire, nothing.
    value: T,
    transit: Transit<T>,
}

impl<T: Clone + PartialEq + fmt::Debug> Signal<T> {
    /// A signal with its first value. Changes are written down in the journal when they are put in.
    #[must_use]
    pub fn new(journal: &Journal, name: impl Into<Arc<str>>, value: T) -> Self {
        let state = State { value, transit: Transit::default() };
        Self { name: name.into(), state: Arc::new(Mutex::new(state)), journal: journal.clone() }
    }

    /// The same with faults; chance is drawn from the stream.
    #[must_use]
    pub fn with_faults(self, faults: Faults, chance: Stream) -> Self {
        locked(&self.state).transit.faults = Some((faults, chance));
        self
    }

    /// Sets the value.
    pub fn set(&self, value: T) {
        let now = task::now();
        let mut state = locked(&self.state);
        if *state.latest() != value {
            self.journal.write(&self.name, &value);
            state.transit.put(now, value);
            state.settle(now);
        }
    }

    /// Reads the value as it has arrived.
    #[must_use]
    pub fn get(&self) -> T {
        let mut state = locked(&self.state);
        if !state.transit.under_way.is_empty() {
            state.settle(task::now());
        }
        state.value.clone()
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl<T: Clone> State<T> {
    /// Lets everything arrive that is due.
    fn settle(&mut self, now: ModelTime) {
        while let Some(value) = self.transit.arrive(now) {
            self.value = value;
        }
    }

    /// What was put in last, as far as it was not lost.
    fn latest(&self) -> &T {
        self.transit.under_way.back().map_or(&self.value, |(_, value)| value)
    }
}

/// Messages that one side sends and the other side takes, in order: commands, telegrams. A clone is the same wire.
pub struct Wire<T> {
    name: Arc<str>,
    transit: Arc<Mutex<Transit<T>>>,
    journal: Journal,
}

impl<T: Clone + fmt::Debug> Wire<T> {
    /// A wire with nothing on it.
    #[must_use]
    pub fn new(journal: &Journal, name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), transit: Arc::default(), journal: journal.clone() }
    }

    /// The same with faults; chance is drawn from the stream.
    #[must_use]
    pub fn with_faults(self, faults: Faults, chance: Stream) -> Self {
        locked(&self.transit).faults = Some((faults, chance));
        self
    }

    /// Sends a message.
    pub fn send(&self, message: T) {
        self.journal.write(&self.name, &message);
        locked(&self.transit).put(task::now(), message);
    }

    /// Takes the first message that has arrived.
    #[must_use]
    pub fn take(&self) -> Option<T> {
        locked(&self.transit).arrive(task::now())
    }
}

/// What is under way on a line, in the order of arrival.
struct Transit<T> {
    under_way: VecDeque<(ModelTime, T)>,
    faults: Option<(Faults, Stream)>,
}

impl<T> Default for Transit<T> {
    fn default() -> Self {
        Self { under_way: VecDeque::new(), faults: None }
    }
}

impl<T: Clone> Transit<T> {
    fn put(&mut self, now: ModelTime, value: T) {
        let Some((faults, chance)) = &mut self.faults else {
            return self.under_way.push_back((now, value));
        };
        // Both draws are made always, so that a setting does not shift the other's chance.
        let (is_lost, is_doubled) = (chance.chance(faults.drop), chance.chance(faults.duplicate));
        if is_lost || faults.stuck.as_ref().is_some_and(|stuck| stuck.contains(&now)) {
            return;
        }
        let first = now + faults.delay;
        let second = first + faults.delay;
        if is_doubled {
            self.enter(second, value.clone());
        }
        self.enter(first, value);
    }

    fn enter(&mut self, due: ModelTime, value: T) {
        let place = self.under_way.partition_point(|(other, _)| *other <= due);
        self.under_way.insert(place, (due, value));
    }

    fn arrive(&mut self, now: ModelTime) -> Option<T> {
        let is_due = self.under_way.front().is_some_and(|(due, _)| *due <= now);
        if is_due { self.under_way.pop_front().map(|(_, value)| value) } else { None }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // One thread at a time: no other has it. A thread that panicked has changed it or not, but not by half.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        Self {
            name: Arc::clone(&self.name),
            state: Arc::clone(&self.state),
            journal: self.journal.clone(),
        }
    }
}

impl<T> Clone for Wire<T> {
    fn clone(&self) -> Self {
        Self {
            name: Arc::clone(&self.name),
            transit: Arc::clone(&self.transit),
            journal: self.journal.clone(),
        }
    }
}

impl<T> fmt::Debug for Signal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signal({})", self.name)
    }
}

impl<T> fmt::Debug for Wire<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wire({})", self.name)
    }
}

//! Finding out that a task polls: it reads the same values at the same places over and over, and
//! changes nothing in between.

use crate::operation::{Action, ObjectId, Place, Request};

/// What a task read since it last changed something.
#[derive(Debug, Default)]
pub(crate) struct Spin {
    reads: Vec<Read>,
    /// The last reads repeat those before them with this period; zero if they do not.
    period: usize,
    /// How many reads in a row repeat.
    streak: usize,
    /// It said that it polls, by `yield_now` or `spin_loop`.
    is_hinted: bool,
}

#[derive(Clone, Copy, Debug)]
struct Read {
    place: Place,
    object: ObjectId,
    value: u64,
    version: u32,
}

/// Loops that read more different things than this are not noticed.
const MAX_PERIOD: usize = 8;
/// A loop that says so polls once it came round so often, another one later: a bounded loop may
/// look the same for a while.
const ROUNDS_HINTED: usize = 2;
const ROUNDS: usize = 16;

impl Read {
    fn is_same(&self, other: &Read) -> bool {
        std::ptr::eq(self.place, other.place)
            && self.object == other.object
            && self.value == other.value
    }
}

impl Spin {
    /// The task changed something: whatever it read before does not count.
    pub(crate) fn reset(&mut self) {
        if !self.reads.is_empty() {
            self.clear();
        }
    }

    /// As if it had never done anything.
    pub(crate) fn clear(&mut self) {
        self.reads.clear();
        (self.period, self.streak, self.is_hinted) = (0, 0, false);
    }

    pub(crate) fn hint(&mut self) {
        self.is_hinted = true;
    }

    pub(crate) const fn is_polling(&self) -> bool {
        let rounds = if self.is_hinted { ROUNDS_HINTED } else { ROUNDS };
        self.period > 0 && self.streak >= self.period * (rounds - 1)
    }

    /// Whether `request` only goes on polling what has not changed.
    pub(crate) fn waits(&self, request: &Request, version: impl Fn(ObjectId) -> u32) -> bool {
        if !self.is_polling() {
            return false;
        }
        let polled = &self.reads[self.reads.len() - self.period..];
        let goes_on = request.action == Action::Yield
            || (std::ptr::eq(request.place, polled[0].place) && request.object == polled[0].object);
        goes_on && polled.iter().all(|read| version(read.object) == read.version)
    }

    pub(crate) fn observe(&mut self, place: Place, object: ObjectId, value: u64, version: u32) {
        if self.reads.len() == 4 * MAX_PERIOD {
            self.reads.drain(..2 * MAX_PERIOD);
        }
        let read = Read { place, object, value, version };
        let reads = &self.reads;
        let repeats = |period: usize| {
            reads.len().checked_sub(period).is_some_and(|index| reads[index].is_same(&read))
        };
        if self.period > 0 && repeats(self.period) {
            self.streak += 1;
        } else {
            self.period = (1..=MAX_PERIOD).find(|&period| repeats(period)).unwrap_or(0);
            self.streak = usize::from(self.period > 0);
        }
        self.reads.push(read);
    }
}

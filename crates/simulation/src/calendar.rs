//! The event list: at most one entry per number, ascending in time, and entries of equal time in the order in which they
//! were made. Knows nothing of processes; the simulation numbers those, a scheduler of programs its threads.

use crate::ModelTime;

/// Children per node of the heap. Four make it half as deep as two, and their keys lie side by side.
const ARITY: usize = 4;
const ABSENT: u32 = u32::MAX;

/// Entries `(time, number)` in ascending order of time; a new entry comes after those of smaller or equal time.
///
/// A heap with the place of every number in it, so that entries in the middle can be taken out.
#[derive(Debug, Default)]
pub struct Calendar {
    heap: Vec<Entry>,
    /// Where in the heap a number's entry is.
    place: Vec<u32>,
    n_made: u64,
    /// The first entry was taken out, and nothing was moved to its place yet: mostly the one that is taken out comes back at once, with a
    /// later time, so that the heap need be mended only once.
    has_hole: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    time: ModelTime,
    /// Counts the entries ever made: what keeps the order stable.
    rank: u64,
    number: u32,
}

impl Entry {
    fn key(&self) -> u128 {
        u128::from(self.time.as_nanos()) << 64 | u128::from(self.rank)
    }
}

impl Calendar {
    /// An empty calendar.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Enters `number` at `time`. An entry that it has already is replaced.
    pub fn insert(&mut self, time: ModelTime, number: u32) {
        self.remove(number);
        let position = number as usize;
        if position >= self.place.len() {
            self.place.resize(position + 1, ABSENT);
        }
        let entry = Entry { time, rank: self.n_made, number };
        self.n_made += 1;
        if std::mem::take(&mut self.has_hole) {
            self.heap[0] = entry;
            return self.sink(0);
        }
        self.heap.push(entry);
        self.rise(self.heap.len() - 1);
    }

    /// Takes the entry of `number` out. Says when it would have been.
    pub fn remove(&mut self, number: u32) -> Option<ModelTime> {
        self.find(number)?;
        self.close_hole();
        let place = self.find(number)?;
        Some(self.take(place).time)
    }

    /// The first entry.
    #[must_use]
    pub fn first(&self) -> Option<(ModelTime, u32)> {
        let first = if self.has_hole {
            self.heap.iter().skip(1).take(ARITY).min()
        } else {
            self.heap.first()
        };
        first.map(|entry| (entry.time, entry.number))
    }

    /// Takes the first entry out.
    pub fn pop(&mut self) -> Option<(ModelTime, u32)> {
        self.close_hole();
        let entry = *self.heap.first()?;
        self.place[entry.number as usize] = ABSENT;
        self.has_hole = true;
        Some((entry.time, entry.number))
    }

    /// When the entry of `number` is.
    #[must_use]
    pub fn time_of(&self, number: u32) -> Option<ModelTime> {
        self.find(number).map(|place| self.heap[place].time)
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heap.len() - usize::from(self.has_hole)
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All entries in order.
    #[must_use]
    pub fn entries(&self) -> Vec<(ModelTime, u32)> {
        let mut entries = self.heap[usize::from(self.has_hole)..].to_vec();
        entries.sort_unstable();
        entries.into_iter().map(|entry| (entry.time, entry.number)).collect()
    }

    fn find(&self, number: u32) -> Option<usize> {
        match self.place.get(number as usize) {
            None | Some(&ABSENT) => None,
            Some(&place) => Some(place as usize),
        }
    }

    /// Moves another entry to where the first one was.
    fn close_hole(&mut self) {
        if std::mem::take(&mut self.has_hole) {
            self.heap.swap_remove(0);
            if !self.heap.is_empty() {
                self.sink(0);
            }
        }
    }

    fn take(&mut self, place: usize) -> Entry {
        let taken = self.heap.swap_remove(place);
        self.place[taken.number as usize] = ABSENT;
        if place < self.heap.len() {
            if place > 0 && self.heap[place] < self.heap[(place - 1) / ARITY] {
                self.rise(place);
            } else {
                self.sink(place);
            }
        }
        taken
    }

    /// Moves the entry at `place` up until its parent is smaller.
    fn rise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.heap[parent] < entry {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    /// Moves the entry at `place` down until its children are greater.
    fn sink(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let first = place * ARITY + 1;
            let Some(children) = self.heap.get(first..self.heap.len().min(first + ARITY)) else {
                break;
            };
            let Some(least) = least(children) else { break };
            let least = first + least;
            if self.heap[least] > entry {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, entry);
    }

    #[expect(clippy::cast_possible_truncation, reason = "numbers are 32 bits wide, so are places")]
    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.place[entry.number as usize] = place as u32;
    }
}

/// The position of the least entry. Which child is the least cannot be predicted, so that conditional moves are cheaper than jumps.
fn least(entries: &[Entry]) -> Option<usize> {
    let mut least = (entries.first()?.key(), 0);
    for (position, entry) in entries.iter().enumerate().skip(1) {
        let key = entry.key();
        let is_less = key < least.0;
        least.0 = if is_less { key } else { least.0 };
        least.1 = if is_less { position } else { least.1 };
    }
    Some(least.1)
}

#[cfg(test)]
mod tests;

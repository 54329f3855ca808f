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
        self.heap.push(entry);
        self.rise(self.heap.len() - 1);
    }

    /// Takes the entry of `number` out. Says when it would have been.
    pub fn remove(&mut self, number: u32) -> Option<ModelTime> {
        let place = self.find(number)?;
        Some(self.take(place).time)
    }

    /// The first entry.
    #[must_use]
    pub fn first(&self) -> Option<(ModelTime, u32)> {
        self.heap.first().map(|entry| (entry.time, entry.number))
    }

    /// Takes the first entry out.
    pub fn pop(&mut self) -> Option<(ModelTime, u32)> {
        if self.heap.is_empty() {
            return None;
        }
        let entry = self.take(0);
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
        self.heap.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// All entries in order.
    #[must_use]
    pub fn entries(&self) -> Vec<(ModelTime, u32)> {
        let mut entries = self.heap.clone();
        entries.sort_unstable();
        entries.into_iter().map(|entry| (entry.time, entry.number)).collect()
    }

    fn find(&self, number: u32) -> Option<usize> {
        match self.place.get(number as usize) {
            None | Some(&ABSENT) => None,
            Some(&place) => Some(place as usize),
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

//! What all workers know, because each of them heard the same words and drew the same conclusions: what
//! was counted, what is refuted, whether the search is over.

use quadrille_engine::disk::partition::{Found, News};
use quadrille_model::{Bound, Counts};
use serde::{Deserialize, Serialize};

use crate::worker::bound_of;

/// How many new states are written down together, at least.
const WORTH: u64 = if cfg!(test) { 1 } else { 1 << 17 };

/// Where an owner stands when the search begins or goes on.
#[derive(Serialize, Deserialize)]
pub(crate) struct Standing {
    pub n_levels: usize,
    pub states: u64,
    pub transitions: u64,
    pub deadlocks: u64,
    pub is_complete: bool,
    pub found: Vec<Found>,
}

/// What a worker says at the end of a level.
#[derive(Serialize, Deserialize)]
pub(crate) struct Word {
    /// What ended its work on the level before that was done.
    pub bound: Option<(u8, u64)>,
    pub transitions: u64,
    pub deadlocks: u64,
    pub fresh: u64,
    pub found: Vec<Found>,
    pub broken: Vec<Found>,
}

impl Word {
    pub fn new(news: News) -> Self {
        let News { transitions, deadlocks, found, fresh, broken } = news;
        Self { bound: None, transitions, deadlocks, fresh, found, broken }
    }

    pub fn bound((kind, number): (u8, u64)) -> Self {
        Self { bound: Some((kind, number)), ..Self::new(News::default()) }
    }
}

/// What to do with a level that all have told about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Forget it: the search ends at a bound.
    Forget(Bound),
    /// It is the last one that matters.
    Last,
    /// The next one was met.
    Next,
}

/// What is known to all.
pub(crate) struct Ledger {
    pub counts: Counts,
    pub n_levels: usize,
    pub is_complete: bool,
    /// One per property at most, in order.
    pub found: Vec<Found>,
    n_properties: usize,
    /// States that were not written down.
    n_open: u64,
}

impl Ledger {
    /// What the owners have together; `None` if that does not fit together.
    pub fn new(all: &[Standing], n_properties: usize) -> Option<Self> {
        let first = all.first()?;
        let sum = |part: fn(&Standing) -> u64| all.iter().map(part).sum();
        let (n_levels, is_complete) = (first.n_levels, first.is_complete);
        let fits = |it: &Standing| it.n_levels == n_levels && it.is_complete == is_complete;
        let counts = Counts {
            states: sum(|it| it.states),
            transitions: sum(|it| it.transitions),
            deadlocks: sum(|it| it.deadlocks),
            depth: n_levels.checked_sub(1).map(|depth| depth as u64),
            bytes: 0,
        };
        let mut ledger =
            Self { counts, n_levels, is_complete, found: Vec::new(), n_properties, n_open: 0 };
        ledger.learn(all.iter().flat_map(|it| &it.found));
        all.iter().all(fits).then_some(ledger)
    }

    /// Whether every property is refuted; without any, never.
    fn is_settled(&self) -> bool {
        self.n_properties > 0 && self.found.len() == self.n_properties
    }

    /// Whether nothing is left to search for.
    pub fn is_over(&self) -> bool {
        self.is_complete || self.is_settled()
    }

    /// Takes the least of what refutes each property that was open.
    fn learn<'f>(&mut self, all: impl Iterator<Item = &'f Found>) {
        let mut all: Vec<&Found> = all.collect();
        all.sort();
        for one in all {
            if self.found.iter().all(|(number, ..)| *number != one.0) {
                self.found.push(one.clone());
            }
        }
        self.found.sort();
    }

    /// Takes what all said about a level.
    pub fn take(&mut self, words: &[Word]) -> Step {
        if let Some((kind, number)) = words.iter().find_map(|word| word.bound) {
            return Step::Forget(bound_of(kind, number));
        }
        self.learn(words.iter().flat_map(|word| &word.found));
        for word in words {
            self.counts.transitions += word.transitions;
            self.counts.deadlocks += word.deadlocks;
        }
        if self.is_settled() {
            return Step::Last;
        }
        let fresh: u64 = words.iter().map(|word| word.fresh).sum();
        if fresh == 0 {
            self.is_complete = true;
            return Step::Last;
        }
        self.learn(words.iter().flat_map(|word| &word.broken));
        self.counts.states += fresh;
        self.counts.depth = Some(self.n_levels as u64);
        self.n_levels += 1;
        self.n_open += fresh;
        Step::Next
    }

    /// Whether it is time to write down what is complete: all workers do at the same level, so that at
    /// every moment the last two manifests of each have one in common.
    pub fn is_worth(&mut self) -> bool {
        let is_worth = self.n_open >= WORTH || self.n_levels == 1 || self.is_over();
        if is_worth {
            self.n_open = 0;
        }
        is_worth
    }
}

//! The sequence of choices that a generator makes: drawn from a seed, or given.

/// Where a generator gets its decisions from. Remembers each, so that [`check`](crate::check) can
/// repeat the run with fewer and smaller ones.
#[derive(Clone, Debug)]
pub struct Choices {
    given: Vec<u64>,
    /// The state of splitmix64 (Steele, Lea, Flood, OOPSLA 2014); none where all choices are given.
    seed: Option<u64>,
    made: Vec<u64>,
}

impl Choices {
    /// Choices that follow from a seed: the same seed, the same choices.
    pub fn seeded(seed: u64) -> Self {
        Self { given: Vec::new(), seed: Some(seed), made: Vec::new() }
    }

    /// These choices, and 0 for all that follow. A choice beyond its limit counts as the largest.
    pub fn given(choices: Vec<u64>) -> Self {
        Self { given: choices, seed: None, made: Vec::new() }
    }

    /// The choices made so far.
    pub fn made(&self) -> &[u64] {
        &self.made
    }

    /// A number below `limit`, which is not 0.
    ///
    /// # Panics
    /// If `limit` is 0: there is nothing to choose from.
    pub fn below(&mut self, limit: usize) -> usize {
        assert!(limit > 0, "nothing to choose from");
        let limit = limit as u64;
        let choice = match (self.given.get(self.made.len()), &mut self.seed) {
            (Some(&choice), _) => choice.min(limit - 1),
            (None, Some(seed)) => next(seed) % limit,
            (None, None) => 0,
        };
        self.made.push(choice);
        choice as usize
    }

    /// [`Choices::below`] for small numbers.
    pub fn below_u32(&mut self, limit: u32) -> u32 {
        self.below(limit as usize) as u32
    }

    /// Any number, as raw material for bits.
    pub fn bits(&mut self) -> u64 {
        self.below(usize::MAX) as u64
    }

    /// True once in `n` times; false is the simpler choice.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.once_in(2)
    }

    /// One of these; the first is the simplest.
    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A list of at least `least` and at most `most` elements.
    pub fn list<T>(
        &mut self,
        least: usize,
        most: usize,
        mut element: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let length = least + self.below(most - least + 1);
        (0..length).map(|_| element(self)).collect()
    }

    /// A subset of `0..size` that is not empty, ascending; sparse ones are as likely as full ones.
    pub fn subset(&mut self, size: usize) -> Vec<usize> {
        let keep = 1 + self.below(4);
        let mut set: Vec<usize> = (0..size).filter(|_| self.once_in(keep)).collect();
        if set.is_empty() {
            set.push(self.below(size));
        }
        set
    }
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

//! A bucket of a set of states: a line of the cache, searched without branches. Knows nothing of where
//! an entry belongs.

/// A bucket: the lower 32 bits of its entries, behind them their higher bits.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(pub(super) [u32; 16]);

/// How many entries of `32 + high` bits a bucket has.
pub(super) const fn n_entries(high: u32) -> usize {
    (512 / (u32::BITS + high)) as usize
}

/// What looking an entry up in a bucket comes to.
pub(super) enum Seen {
    Here,
    /// It is not there, and belongs at this position.
    Free(usize),
    Full,
}

impl Line {
    pub(super) const EMPTY: Self = Self([0; 16]);

    #[inline]
    fn high<const HIGH: u32>(&self, position: usize) -> u32 {
        let bit = position as u32 * HIGH;
        let word = self.0[n_entries(HIGH) + (bit / u32::BITS) as usize];
        word >> (bit % u32::BITS) & u32::MAX.checked_shr(u32::BITS - HIGH).unwrap_or(0)
    }

    #[inline]
    pub(super) fn entry<const HIGH: u32>(&self, position: usize) -> u64 {
        let low = u64::from(self.0[position]);
        if HIGH == 0 { low } else { low | u64::from(self.high::<HIGH>(position)) << u32::BITS }
    }

    /// Looks at all entries without a branch for each, which a processor would often predict wrongly.
    #[inline(always)] // it is most of what looking up takes
    pub(super) fn seek<const HIGH: u32>(&self, entry: u64) -> Seen {
        let lows = &self.0[..n_entries(HIGH)];
        let found = lows.iter().fold(false, |found, &low| found | (low == entry as u32));
        if found && (HIGH == 0 || (0..lows.len()).any(|at| self.entry::<HIGH>(at) == entry)) {
            return Seen::Here;
        }
        match self.n_used::<HIGH>() {
            n_used if n_used < lows.len() => Seen::Free(n_used),
            _ => Seen::Full,
        }
    }

    #[inline]
    pub(super) fn n_used<const HIGH: u32>(&self) -> usize {
        let lows = &self.0[..n_entries(HIGH)];
        lows.iter().map(|&low| u32::from(low != 0)).sum::<u32>() as usize
    }

    #[inline]
    pub(super) fn put<const HIGH: u32>(&mut self, position: usize, entry: u64) {
        self.0[position] = entry as u32;
        if HIGH > 0 {
            let bit = position as u32 * HIGH;
            let word = &mut self.0[n_entries(HIGH) + (bit / u32::BITS) as usize];
            *word |= ((entry >> u32::BITS) as u32) << (bit % u32::BITS);
        }
    }
}

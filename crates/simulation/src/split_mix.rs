//! The seeded generator behind every decision of a scheduler, and what fills the state of streams
//! (SplitMix64, Steele, Lea & Flood 2014). One generator per purpose, so that drawing more for one purpose does not
//! shift another.

/// A stream of numbers that a seed determines, small and fast.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    #[must_use]
    #[inline]
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The stream of a seed for one purpose among several.
    #[must_use]
    #[inline]
    pub fn of(seed: u64, purpose: u64) -> Random {
        let mut mixed = Random(seed ^ purpose.wrapping_mul(0xA076_1D64_78BD_642F));
        Random(mixed.draw())
    }

    /// The next 64 bits.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not zero (Lemire's multiplication; the bias is below
    /// `bound` in 2^64).
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(bound)) >> 64) as u64
    }
}

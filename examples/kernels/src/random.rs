//! The pseudorandom numbers of the NAS benchmarks, from which all input data is made.
//!
//! A linear congruential generator, x' = a·x mod 2⁴⁶ with a = 5¹³ (Bailey et al., *The NAS Parallel
//! Benchmarks*, RNR-94-007, section 2.3). The report splits numbers into halves to fit doubles; 64-bit
//! integers give the same numbers directly.

/// A stream of numbers in the open interval (0, 1).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    const MULTIPLIER: u64 = 1_220_703_125;
    const MASK: u64 = (1 << 46) - 1;
    const SCALE: f64 = 1.0 / (1_u64 << 46) as f64;

    /// The stream of all four kernels; its seed is 314159265.
    #[must_use]
    pub fn new() -> Self {
        Self { state: 314_159_265 }
    }

    /// The next number.
    pub fn draw(&mut self) -> f64 {
        // The product modulo 2⁶⁴ is also the product modulo 2⁴⁶, in its low bits.
        self.state = self.state.wrapping_mul(Self::MULTIPLIER) & Self::MASK;
        self.state as f64 * Self::SCALE
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}

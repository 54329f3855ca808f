//! Numbers that look random and follow from a seed (SplitMix64: Steele, Lea and Flood, OOPSLA 2014).

/// A permutation of 64 bits in which every bit of the input changes half of the output.
#[inline]
pub fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(STEP);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of such numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        let drawn = mixed(self.0);
        self.0 = self.0.wrapping_add(STEP);
        drawn
    }

    /// A number below this (Lemire's multiplication: the bias is below `n` in 2^64); 0 below 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.draw()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that the authors' program draws from the seed 1234567.
    #[test]
    fn the_stream_is_that_of_the_paper() {
        let mut stream = SplitMix::new(1_234_567);
        let drawn = [stream.draw(), stream.draw(), stream.draw()];
        let published =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(drawn, published);
        assert!((0..100).all(|_| stream.below(7) < 7));
    }
}

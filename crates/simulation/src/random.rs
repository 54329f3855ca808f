//! Streams of random numbers, each repeatable from a seed. A simulation gives every purpose a stream of its own by name,
//! so that one more draw for one purpose does not shift the others.

use std::time::Duration;

use crate::Random;

/// A stream of pseudo-random numbers: xoshiro256++ (Blackman & Vigna, ACM TOMS 2021), its state filled by SplitMix64.
#[derive(Debug, Clone)]
pub struct Stream {
    state: [u64; 4],
    /// Normal numbers are made in pairs; the second waits here.
    spare: Option<f64>,
}

impl Stream {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut filling = Random::new(seed);
        Self { state: std::array::from_fn(|_| filling.draw()), spare: None }
    }

    /// The stream of a seed and a purpose: different purposes have unrelated streams, whatever the order in which they are asked for.
    #[must_use]
    pub fn named(seed: u64, purpose: &str) -> Self {
        // FNV-1a: a fixed function of the bytes, the same on every machine.
        let hash = purpose.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self::new(Random::new(seed).draw() ^ hash)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number from 0 to below `n`, each equally likely (Lemire, ACM TOMACS 2019).
    ///
    /// # Panics
    /// If `n` is 0: there is no such number.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a draw from nothing: `below` needs at least one possible number");
        loop {
            let product = u128::from(self.bits()) * u128::from(n);
            #[expect(clippy::cast_possible_truncation, reason = "the two halves of the product")]
            let (high, low) = ((product >> 64) as u64, product as u64);
            // Only the first few values of the low half are too frequent.
            if low >= n || low >= n.wrapping_neg() % n {
                return high;
            }
        }
    }

    /// A number from 0 to below 1, with 53 random bits.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A number from `least` to below `most`, each equally likely.
    pub fn uniform(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.unit()
    }

    /// A length from `least` to `most`, each nanosecond equally likely. If `most` is less, always `least`.
    pub fn uniform_time(&mut self, least: Duration, most: Duration) -> Duration {
        let width = most.saturating_sub(least).as_nanos();
        let width = u64::try_from(width).unwrap_or(u64::MAX - 1).saturating_add(1);
        least + Duration::from_nanos(self.below(width))
    }

    /// A number with exponential distribution, `1 / rate` in the mean.
    pub fn exponential(&mut self, rate: f64) -> f64 {
        -(1.0 - self.unit()).ln() / rate
    }

    /// A length with exponential distribution: the time to the next of events that come `rate` times a second.
    pub fn exponential_time(&mut self, rate: f64) -> Duration {
        Duration::try_from_secs_f64(self.exponential(rate)).unwrap_or(Duration::MAX)
    }

    /// A number with normal distribution (Marsaglia's polar method, 1964).
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        if let Some(spare) = self.spare.take() {
            return mean + deviation * spare;
        }
        loop {
            let (x, y) = (self.uniform(-1.0, 1.0), self.uniform(-1.0, 1.0));
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.spare = Some(y * factor);
                return mean + deviation * x * factor;
            }
        }
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A position of `weights`, each as likely as its share of their sum. The last one if all are zero or there are none.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut rest = self.unit() * weights.iter().sum::<f64>();
        for (position, weight) in weights.iter().enumerate() {
            if rest < *weight {
                return position;
            }
            rest -= weight;
        }
        weights.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests;

//! Random protocols of three roles.

/// A generator; the same seed gives the same protocols.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn communication(&mut self) -> String {
        let arrow = ["-->>", "-->>", "-->>", "-->", "close"][self.below(5) as usize];
        let from = self.below(3);
        let to = (from + 1 + self.below(2)) % 3;
        let message = ["M ", "N "][self.below(2) as usize];
        let message = if arrow == "close" { "" } else { message };
        let name = |role: u64| ["a", "b", "c"][role as usize];
        format!("(s/{arrow} {message}::{} ::{})", name(from), name(to))
    }

    /// The body of a session.
    pub fn body(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(4) == 0 {
            return self.communication();
        }
        let (one, other) = (self.body(depth - 1), self.body(depth - 1));
        match self.below(7) {
            0 => format!("(s/par {one} {other})"),
            1 => format!("(s/* {one})"),
            2 => format!("(s/? {one})"),
            3 | 4 => format!("(s/alt {one} {other})"),
            _ => format!("(s/cat {one} {other})"),
        }
    }
}

//! Seeded random formulas and words: same seed, same test.

use quadrille_logic::{AtomId, Binary, Formula, Letter, Unary};

/// Xorshift64* (Vigna 2016).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn word(&mut self, length: usize, n_atoms: usize) -> Vec<Letter> {
        (0..length).map(|_| self.next() & ((1 << n_atoms) - 1)).collect()
    }

    /// A linear formula with about `size` nodes; operators that look back only where asked for.
    pub fn formula(&mut self, size: usize, n_atoms: usize, past: Past) -> Formula {
        if size <= 1 {
            return match self.below(12) {
                0 => Formula::True,
                1 => Formula::False,
                other => Formula::Atom(AtomId::from_usize(other % n_atoms)),
            };
        }
        if self.below(2) == 0 || size == 2 {
            return self.prefixed(size, n_atoms, past);
        }
        let left = 1 + self.below(size - 2);
        let right = size - 1 - left;
        let operator = match past {
            Past::Only => 4 + self.below(5),
            Past::Some => self.below(9),
            Past::None => self.below(8),
        };
        let inner = if operator == 8 { Past::Only } else { past };
        let (a, b) = (self.formula(left, n_atoms, inner), self.formula(right, n_atoms, inner));
        match operator {
            0 => Formula::binary(Binary::Until, a, b),
            1 => Formula::binary(Binary::WeakUntil, a, b),
            2 => Formula::binary(Binary::Release, a, b),
            3 => Formula::binary(Binary::StrongRelease, a, b),
            4 => Formula::and([a, b]),
            5 => Formula::or([a, b]),
            6 => a.implies(b),
            7 => a.iff(b),
            _ => Formula::binary(Binary::Since, a, b),
        }
    }

    fn prefixed(&mut self, size: usize, n_atoms: usize, past: Past) -> Formula {
        let operator = match past {
            Past::Only => 3 + self.below(4),
            Past::Some => self.below(7),
            Past::None => self.below(4),
        };
        let inner = if operator > 3 { Past::Only } else { past };
        let a = self.formula(size - 1, n_atoms, inner);
        match operator {
            0 => Formula::unary(Unary::Next, a),
            1 => Formula::unary(Unary::Eventually, a),
            2 => Formula::unary(Unary::Always, a),
            3 => !a,
            4 => Formula::unary(Unary::Previous, a),
            5 => Formula::unary(Unary::Once, a),
            _ => Formula::unary(Unary::Historically, a),
        }
    }
}

/// Which operators that look back a formula may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Past {
    None,
    Some,
    /// Nothing looks forward.
    Only,
}

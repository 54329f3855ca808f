//! Cards: ranks and suits, what a player holds, and the shuffled deck.

use std::fmt;

/// One of thirteen ranks, from 1 for the ace to 13 for the king.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank(u8);

impl Rank {
    /// All ranks.
    pub fn all() -> impl Iterator<Item = Rank> {
        (1..=13).map(Rank)
    }
}

impl Default for Rank {
    fn default() -> Rank {
        Rank(1)
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("ace"),
            11 => f.write_str("jack"),
            12 => f.write_str("queen"),
            13 => f.write_str("king"),
            number => write!(f, "{number}"),
        }
    }
}

/// A card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Card {
    /// Its rank.
    pub rank: Rank,
    suit: u8,
}

/// What the dealer gives a player before the game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hand(pub Vec<Card>);

/// What a player gives another who asked for it: cards of one rank.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Gift(pub Vec<Card>);

/// All 52 cards, shuffled (Fisher and Yates; Knuth, *Seminumerical Algorithms*, 3.4.2).
pub fn deck(chance: &mut Chance) -> Vec<Card> {
    let mut cards: Vec<Card> =
        Rank::all().flat_map(|rank| (0..4).map(move |suit| Card { rank, suit })).collect();
    for last in (1..cards.len()).rev() {
        cards.swap(last, chance.below(last + 1));
    }
    cards
}

/// Random numbers (Marsaglia, *Xorshift RNGs*, 2003), the same for the same seed.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The random numbers of one party, of a game with this seed.
    pub fn new(seed: u64, party: u64) -> Chance {
        let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (party + 1) << 32;
        Chance(mixed.max(1))
    }

    /// A number below a bound, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_keeps_every_card() {
        let shuffled = deck(&mut Chance::new(7, 0));
        let mut sorted = shuffled.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!((shuffled.len(), sorted.len()), (52, 52));
        assert_ne!(shuffled, sorted);
    }
}

//! Hands, and who stays in the game.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A player, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Seat(pub usize);

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {}", self.0)
    }
}

/// What a player shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Hand {
    /// Blunts scissors.
    #[default]
    Rock,
    /// Wraps rocks.
    Paper,
    /// Cut paper.
    Scissors,
}

impl Hand {
    /// All hands; each is beaten by the next.
    pub const ALL: [Hand; 3] = [Hand::Rock, Hand::Paper, Hand::Scissors];

    /// Whether it wins against another.
    pub fn beats(self, other: Hand) -> bool {
        self as usize == (other as usize + 1) % 3
    }
}

impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hand::Rock => "rock",
            Hand::Paper => "paper",
            Hand::Scissors => "scissors",
        })
    }
}

/// Who stays: where exactly two kinds of hands were shown, those with the better one; otherwise everybody.
pub fn winners(shown: &BTreeMap<Seat, Hand>) -> BTreeSet<Seat> {
    let kinds: BTreeSet<Hand> = shown.values().copied().collect();
    let loses = |hand: Hand| kinds.len() == 2 && kinds.iter().any(|other| other.beats(hand));
    shown.iter().filter(|(_, hand)| !loses(**hand)).map(|(seat, _)| *seat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hands: &[Hand], expected: &[usize]) {
        let shown = (0..).map(Seat).zip(hands.iter().copied()).collect();
        let expected: BTreeSet<Seat> = expected.iter().copied().map(Seat).collect();
        assert_eq!(winners(&shown), expected, "{hands:?}");
    }

    #[test]
    fn the_better_hand_stays() {
        check(&[Hand::Rock, Hand::Paper], &[1]);
        check(&[Hand::Scissors, Hand::Paper, Hand::Scissors], &[0, 2]);
        check(&[Hand::Rock, Hand::Scissors, Hand::Scissors], &[0]);
    }

    #[test]
    fn a_draw_keeps_everybody() {
        check(&[Hand::Rock, Hand::Rock], &[0, 1]);
        check(&Hand::ALL, &[0, 1, 2]);
    }
}

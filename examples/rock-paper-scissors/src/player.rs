//! A player: decides on its hand before it sees any other, and keeps its own account of who is in the game.

use std::collections::{BTreeMap, BTreeSet};

use crate::link::{Broken, Link, Word};
use crate::rules::{Hand, Seat, winners};

/// The hands of one round.
pub type Round = BTreeMap<Seat, Hand>;

/// What a player saw of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The rounds it took part in.
    pub rounds: Vec<Round>,
    /// Who was still in the game when it left.
    pub winners: BTreeSet<Seat>,
}

/// Plays until the player is out or alone.
///
/// # Errors
/// When the link breaks, and when somebody is wrong about who stays.
pub fn play(
    me: Seat,
    players: usize,
    mut hands: Hands,
    link: &mut impl Link,
) -> Result<Record, Broken> {
    let mut rounds = Vec::new();
    let mut seats: BTreeSet<Seat> = (0..players).map(Seat).collect();
    while seats.len() > 1 && seats.contains(&me) {
        let others: BTreeSet<Seat> = seats.iter().copied().filter(|seat| *seat != me).collect();
        let hand = hands.next_hand();
        let mut round = Round::new();
        for seat in &seats {
            let shown = if *seat == me {
                link.say(&others, Word::Show(hand))?;
                hand
            } else {
                match link.hear(*seat)? {
                    Word::Show(shown) => shown,
                    word => return Err(Broken(format!("{seat} says {word:?} instead of a hand"))),
                }
            };
            round.insert(*seat, shown);
        }
        let stay = winners(&round);
        for seat in &seats {
            let word = if stay.contains(seat) { Word::Stay } else { Word::Out };
            if *seat == me {
                link.say(&others, word)?;
            } else if link.hear(*seat)? != word {
                return Err(Broken(format!("{seat} is wrong about {round:?}")));
            }
        }
        rounds.push(round);
        seats = stay;
    }
    Ok(Record { rounds, winners: seats })
}

/// Random hands (Marsaglia, *Xorshift RNGs*, 2003), the same for the same seed.
#[derive(Clone, Debug)]
pub struct Hands(u64);

impl Hands {
    /// The hands of one player in a game.
    pub fn new(seed: u64, seat: Seat) -> Hands {
        let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (seat.0 as u64 + 1) << 32;
        Hands(mixed.max(1))
    }

    fn next_hand(&mut self) -> Hand {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Hand::ALL[(self.0 >> 33) as usize % 3]
    }
}

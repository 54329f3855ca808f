//! A player: asks for the rank it has most of, answers truthfully, and lays down four of a kind.

use std::collections::BTreeMap;

use crate::cards::{Card, Chance, Gift, Rank};
use crate::link::{Broken, Link, Party, Word};

/// A player with its cards.
#[derive(Clone, Debug)]
pub struct Player {
    me: usize,
    players: usize,
    chance: Chance,
    hand: BTreeMap<Rank, Vec<Card>>,
    books: Vec<Rank>,
}

/// How the turn of a player ended.
enum Turn {
    /// Somebody else has it.
    Passed,
    /// Nobody will have it again.
    GameOver,
}

impl Player {
    /// A player without cards, one of so many.
    pub fn new(me: usize, players: usize, chance: Chance) -> Player {
        Player { me, players, chance, hand: BTreeMap::new(), books: Vec::new() }
    }

    /// Plays a whole game. Returns the ranks of which it had all four cards, in the order it laid them down.
    ///
    /// # Errors
    /// When the link breaks, and when somebody says something out of turn.
    pub fn play(mut self, link: &mut impl Link) -> Result<Vec<Rank>, Broken> {
        loop {
            match link.hear()? {
                (Party::Dealer, Word::Hand(hand)) => self.take(hand.0),
                (other, Word::Ask(rank)) => {
                    let answer = self.hand.remove(&rank).map(|cards| Word::Give(Gift(cards)));
                    link.say(other, answer.unwrap_or(Word::Go))?;
                }
                (_, Word::Turn) => {
                    if let Turn::GameOver = self.turn(link)? {
                        return Ok(self.books);
                    }
                }
                (Party::Dealer, Word::OutOfCards) => return Ok(self.books),
                (other, word) => return Err(Broken::unexpected(other, &word)),
            }
        }
    }

    /// Asks until somebody has nothing to give; then draws a card and passes the turn on.
    fn turn(&mut self, link: &mut impl Link) -> Result<Turn, Broken> {
        loop {
            let (other, rank) = self.question();
            link.say(other, Word::Ask(rank))?;
            match link.hear()? {
                (_, Word::Give(gift)) => self.take(gift.0),
                (_, Word::Go) => {
                    link.say(Party::Dealer, Word::Fish)?;
                    return match link.hear()? {
                        (_, Word::Drawn(card)) => {
                            self.take([card]);
                            link.say(other, Word::Turn)?;
                            Ok(Turn::Passed)
                        }
                        (_, Word::OutOfCards) => Ok(Turn::GameOver),
                        (party, word) => Err(Broken::unexpected(party, &word)),
                    };
                }
                (party, word) => return Err(Broken::unexpected(party, &word)),
            }
        }
    }

    /// Whom to ask, at random, and for what: the rank it has most of. Without cards it asks for any rank.
    fn question(&mut self) -> (Party, Rank) {
        let other = (self.me + 1 + self.chance.below(self.players - 1)) % self.players;
        let most = self.hand.iter().max_by_key(|(_, cards)| cards.len()).map(|(rank, _)| *rank);
        let any = self.chance.below(13);
        let rank = most.or_else(|| Rank::all().nth(any)).unwrap_or_default();
        (Party::Player(other), rank)
    }

    /// Takes cards, and lays down four of a kind.
    fn take(&mut self, cards: impl IntoIterator<Item = Card>) {
        for card in cards {
            let kind = self.hand.entry(card.rank).or_default();
            kind.push(card);
            if kind.len() == 4 {
                self.hand.remove(&card.rank);
                self.books.push(card.rank);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::{Hand, deck};

    #[test]
    fn four_of_a_kind_are_laid_down() {
        let mut player = Player::new(0, 2, Chance::new(0, 0));
        let Hand(mut cards) = Hand(deck(&mut Chance::new(0, 1)));
        cards.sort();
        player.take(cards.into_iter().take(6));
        assert_eq!(player.books, [Rank::default()]);
        assert_eq!(player.hand.values().map(Vec::len).collect::<Vec<_>>(), [2]);
    }
}

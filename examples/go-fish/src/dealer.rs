//! The dealer: gives everybody cards and somebody the turn, then hands out the stock.

use crate::cards::{Chance, Hand, deck};
use crate::link::{Broken, Link, Party, Word};

/// Deals for a whole game. Returns how many cards were drawn from the stock.
///
/// # Errors
/// When the link breaks, and when a player asks for something that the dealer does not have.
pub fn deal(players: usize, mut chance: Chance, link: &mut impl Link) -> Result<usize, Broken> {
    let mut stock = deck(&mut chance);
    let size = if players <= 3 { 7 } else { 5 };
    for player in 0..players {
        let hand = stock.split_off(stock.len() - size);
        link.say(Party::Player(player), Word::Hand(Hand(hand)))?;
    }
    link.say(Party::Player(chance.below(players)), Word::Turn)?;
    let mut drawn = 0;
    loop {
        match link.hear()? {
            (player, Word::Fish) => {
                let Some(card) = stock.pop() else { break };
                link.say(player, Word::Drawn(card))?;
                drawn += 1;
            }
            (player, word) => return Err(Broken::unexpected(player, &word)),
        }
    }
    link.end()?;
    Ok(drawn)
}

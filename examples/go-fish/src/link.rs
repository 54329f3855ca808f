//! The seam between a player or the dealer and what carries its messages.
//!
//! Both are written against [`Link`] and do not know what is behind it: channels written by hand (`channels.rs`),
//! or a module generated from `go-fish.quad` (`modules.rs`).

use std::error::Error;
use std::fmt;

use crate::cards::{Card, Gift, Hand, Rank};

/// Who takes part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Party {
    /// Has the stock.
    Dealer,
    /// A player, counted from 0.
    Player(usize),
}

/// What one party says to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// From the dealer: these are your first cards.
    Hand(Hand),
    /// It is your turn.
    Turn,
    /// Give me your cards of this rank.
    Ask(Rank),
    /// Here they are.
    Give(Gift),
    /// I have none. Go fish!
    Go,
    /// To the dealer: may I draw?
    Fish,
    /// From the dealer: this is your card.
    Drawn(Card),
    /// From the dealer to everybody: the stock is empty, and the game is over.
    OutOfCards,
}

/// A party's connection to the others.
pub trait Link {
    /// Says something to another party.
    ///
    /// # Errors
    /// When the other is gone, or this is not the moment to say it.
    fn say(&mut self, to: Party, word: Word) -> Result<(), Broken>;

    /// Tells all players that the game is over.
    ///
    /// # Errors
    /// When a player is gone, or this is not the moment to say it.
    fn end(&mut self) -> Result<(), Broken>;

    /// Waits for what somebody says.
    ///
    /// # Errors
    /// When nobody is there any more who could say something.
    fn hear(&mut self) -> Result<(Party, Word), Broken>;
}

/// A game cannot go on: somebody is gone or broke the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken(pub String);

impl Broken {
    /// An error that ends the game.
    pub fn because(error: impl Error) -> Broken {
        Broken(error.to_string())
    }

    /// Somebody said something that it should not.
    pub fn unexpected(from: Party, word: &Word) -> Broken {
        Broken(format!("unexpected: {from:?} says {word:?}"))
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Broken {}

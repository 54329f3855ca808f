//! The seam between a player and what carries its messages.
//!
//! A player is written against [`Link`] and does not know what is behind it: channels written by hand
//! (`channels.rs`), or a module generated from `chess.quad` (`modules.rs`).

use std::error::Error;
use std::fmt;

use crate::board::Move;
use crate::game::Outcome;

/// What a player says when it is its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// This is my move.
    Move(Move),
    /// The game is over, and this is how.
    Over(Outcome),
}

/// A player's end of its connection to the other.
pub trait Link {
    /// Says something to the other player.
    ///
    /// # Errors
    /// When the other is gone, or this is not the moment to say it.
    fn say(&mut self, word: Word) -> Result<(), Broken>;

    /// Waits for what the other player says.
    ///
    /// # Errors
    /// When the other is gone, or has nothing to say at this moment.
    fn hear(&mut self) -> Result<Word, Broken>;
}

/// A game cannot go on: the other end is gone or broke the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken(pub String);

impl Broken {
    /// An error that ends the game.
    pub fn because(error: impl Error) -> Broken {
        Broken(error.to_string())
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Broken {}

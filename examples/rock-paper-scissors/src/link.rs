//! The seam between a player and what carries its messages.
//!
//! A player is written against [`Link`] and does not know what is behind it: channels written by hand
//! (`channels.rs`), or a module generated from `rock-paper-scissors.quad` (`modules.rs`).

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use crate::rules::{Hand, Seat};

/// What a player says to all others that are still in the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// This is my hand.
    Show(Hand),
    /// I play on.
    Stay,
    /// I lost.
    Out,
}

/// A player's connection to the others.
pub trait Link {
    /// Says something to these others, who are all that are still in the game.
    ///
    /// # Errors
    /// When somebody is gone, or this is not the moment to say it.
    fn say(&mut self, others: &BTreeSet<Seat>, word: Word) -> Result<(), Broken>;

    /// Waits for what another player says.
    ///
    /// # Errors
    /// When the other is gone, or has nothing to say at this moment.
    fn hear(&mut self, from: Seat) -> Result<Word, Broken>;
}

/// A game cannot go on: somebody is gone or broke the rules.
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

//! Links over the module that is generated from `chess.quad`: what players say becomes typed messages.
//!
//! Nothing here enforces that players take turns: the module does, in either form.

use crate::generated::chess::{Black, BlackReceives, White, WhiteReceives};
use crate::link::{Broken, Link, Word};

impl Link for White {
    fn say(&mut self, word: Word) -> Result<(), Broken> {
        let sent = match word {
            Word::Move(step) => self.send(step),
            Word::Over(outcome) => self.send(outcome),
        };
        sent.map_err(Broken::because)
    }

    fn hear(&mut self) -> Result<Word, Broken> {
        Ok(match self.recv().map_err(Broken::because)? {
            WhiteReceives::Move(step) => Word::Move(step),
            WhiteReceives::Over(outcome) => Word::Over(outcome),
        })
    }
}

impl Link for Black {
    fn say(&mut self, word: Word) -> Result<(), Broken> {
        let sent = match word {
            Word::Move(step) => self.send(step),
            Word::Over(outcome) => self.send(outcome),
        };
        sent.map_err(Broken::because)
    }

    fn hear(&mut self) -> Result<Word, Broken> {
        Ok(match self.recv().map_err(Broken::because)? {
            BlackReceives::Move(step) => Word::Move(step),
            BlackReceives::Over(outcome) => Word::Over(outcome),
        })
    }
}

//! Links over the module that is generated from `rock-paper-scissors.quad`: what players say becomes typed
//! messages.
//!
//! Who is still in the game, and whose word it is, the module knows by itself.

use std::collections::BTreeSet;

use crate::generated::rock_paper_scissors::{Out, Player, PlayerReceives, Role, Stay};
use crate::link::{Broken, Link, Word};
use crate::rules::Seat;

impl Link for Player {
    fn say(&mut self, _: &BTreeSet<Seat>, word: Word) -> Result<(), Broken> {
        let sent = match word {
            Word::Show(hand) => self.send(hand),
            Word::Stay => self.send(Stay),
            Word::Out => self.send(Out),
        };
        sent.map_err(Broken::because)
    }

    fn hear(&mut self, from: Seat) -> Result<Word, Broken> {
        Ok(match self.recv_from(Role::Player(from.0)).map_err(Broken::because)? {
            PlayerReceives::Show(hand) => Word::Show(hand),
            PlayerReceives::Stay(Stay) => Word::Stay,
            PlayerReceives::Out(Out) => Word::Out,
        })
    }
}

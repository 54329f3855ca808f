//! Links over the modules that are generated from `rock-paper-scissors.quad`: what players say becomes typed
//! messages. There is a module for each number of players.
//!
//! Who is still in the game, and whose word it is, the module knows by itself.

use std::collections::BTreeSet;

use quadrille_runtime::Form;

use crate::generated::{four, three, two};
use crate::link::{Broken, Link, Word};
use crate::on_threads;
use crate::player::Record;
use crate::rules::Seat;

/// Plays a game over the module for so many players.
pub(crate) fn game(form: Form, players: usize, seed: u64) -> Result<Vec<Record>, Broken> {
    macro_rules! play {
        ($module:ident) => {{
            let module = match form {
                Form::Strict => $module::strict(),
                Form::Liberal => $module::liberal(),
            };
            on_threads(module.into_roles().players, seed)
        }};
    }
    match players {
        2 => play!(two),
        3 => play!(three),
        4 => play!(four),
        _ => Err(Broken(format!("there are modules for 2, 3 and 4 players, not for {players}"))),
    }
}

macro_rules! links {
    ($($module:ident),+) => { $(
        impl Link for $module::Player {
            fn say(&mut self, _: &BTreeSet<Seat>, word: Word) -> Result<(), Broken> {
                let sent = match word {
                    Word::Show(hand) => self.send(hand),
                    Word::Stay => self.send($module::Stay),
                    Word::Out => self.send($module::Out),
                };
                sent.map_err(Broken::because)
            }

            fn hear(&mut self, from: Seat) -> Result<Word, Broken> {
                let from = $module::Role::Player(from.0);
                Ok(match self.recv_from(from).map_err(Broken::because)? {
                    $module::PlayerReceives::Show(hand) => Word::Show(hand),
                    $module::PlayerReceives::Stay($module::Stay) => Word::Stay,
                    $module::PlayerReceives::Out($module::Out) => Word::Out,
                })
            }
        }
    )+ };
}

links!(two, three, four);

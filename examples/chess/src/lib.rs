//! Chess between two threads that exchange messages only.
//!
//! [`board`], [`moves`](board::Board::legal_moves) and [`game`] are the rules of chess, [`engine`] finds moves, and [`player`] plays one side
//! against whatever is behind a [`link`]. What a game needs of communication is in `chess.quad`: the players
//! move in turn, White begins, and whoever should move when the game is over says so.
#![forbid(unsafe_code)]

use std::thread;

pub mod board;
pub mod channels;
pub mod engine;
pub mod game;
pub mod link;
mod moves;
pub mod player;

use board::Colour;
use engine::Engine;
use link::{Broken, Link};
use player::Record;

/// What carries the messages of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// Channels written by hand.
    Channels,
}

/// Plays a game and returns what White and Black saw of it.
///
/// # Errors
/// When a player breaks the rules or its link breaks.
pub fn game(version: Version, white: Engine, black: Engine) -> Result<[Record; 2], Broken> {
    match version {
        Version::Channels => {
            let (to_white, to_black) = channels::connect();
            on_threads(white, to_white, black, to_black)
        }
    }
}

/// Each player on a thread of its own.
fn on_threads(
    white: Engine,
    mut to_white: impl Link + Send,
    black: Engine,
    mut to_black: impl Link + Send,
) -> Result<[Record; 2], Broken> {
    thread::scope(|scope| {
        let white = scope.spawn(move || player::play(&white, Colour::White, &mut to_white));
        let black = scope.spawn(move || player::play(&black, Colour::Black, &mut to_black));
        let gone = |_| Broken("a player panicked".into());
        Ok([white.join().map_err(gone)??, black.join().map_err(gone)??])
    })
}

//! Chess between two threads that exchange messages only.
//!
//! [`board`] and [`mod@game`] are the rules of chess, [`engine`] finds moves, and [`player`] plays one side against whatever
//! is behind a [`link`]. What a game needs of communication is in `chess.quad`: the players move in turn, White
//! begins, and whoever should move when the game is over says so.
//!
//! There are three versions behind the link, and one word chooses ([`Version`]):
//!
//! - `channels`: a channel in each direction, written by hand. Nothing keeps a player from moving twice.
//! - `strict`: the module [`generated::chess`], made from `chess.quad`, with one machine for both players.
//! - `liberal`: the same module with a machine for each player and a queue in each direction.
//!
//! ```console
//! $ cargo run --release -p quadrille-example-chess -- liberal
//! …
//! drawn by repetition
//! ```
//!
//! `tests/it/games.rs` plays the same games in all versions. `tests/it/verify.rs` lets the module do everything it can, in
//! both forms, and asks whether players take turns. After a change of `chess.quad`:
//!
//! ```console
//! $ quadrille generate examples/chess/chess.quad --out examples/chess/src/generated
//! ```
#![forbid(unsafe_code)]

use std::thread;

pub mod board;
pub mod channels;
pub mod engine;
pub mod game;
pub mod generated;
pub mod link;
mod modules;
mod moves;
pub mod player;

use board::Colour;
use engine::Engine;
use generated::chess;
use link::{Broken, Link};
use player::Record;

/// What carries the messages of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// Channels written by hand.
    Channels,
    /// The generated module, one machine for everybody.
    Strict,
    /// The generated module, a machine for each role.
    Liberal,
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
        Version::Strict => on_module(chess::strict(), white, black),
        Version::Liberal => on_module(chess::liberal(), white, black),
    }
}

fn on_module(module: chess::Module, white: Engine, black: Engine) -> Result<[Record; 2], Broken> {
    let chess::Roles { white: to_white, black: to_black } = module.into_roles();
    on_threads(white, to_white, black, to_black)
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

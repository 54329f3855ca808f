//! Rock, paper, scissors between any number of threads that exchange messages only.
//!
//! [`rules`] says who stays in the game, and [`player`] plays against whatever is behind a [`link`]. What a game
//! needs of communication is in `rock-paper-scissors.quad`: everybody shows its hand to all others that are
//! still in the game; then everybody says whether it stays or is out.
#![forbid(unsafe_code)]

use std::thread;

pub mod channels;
pub mod link;
pub mod player;
pub mod rules;

use link::{Broken, Link};
use player::{Hands, Record};
use rules::Seat;

/// What carries the messages of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// Channels written by hand.
    Channels,
}

/// Plays a game and returns what each player saw of it.
///
/// # Errors
/// When a player breaks the rules or its link breaks.
pub fn game(version: Version, players: usize, seed: u64) -> Result<Vec<Record>, Broken> {
    match version {
        Version::Channels => on_threads(channels::connect(players), seed),
    }
}

/// Each player on a thread of its own.
fn on_threads<L: Link + Send>(links: Vec<L>, seed: u64) -> Result<Vec<Record>, Broken> {
    let players = links.len();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .map(Seat)
            .zip(links)
            .map(|(me, mut link)| {
                scope.spawn(move || player::play(me, players, Hands::new(seed, me), &mut link))
            })
            .collect();
        let gone = |_| Broken("a player panicked".into());
        threads.into_iter().map(|thread| thread.join().map_err(gone)?).collect()
    })
}

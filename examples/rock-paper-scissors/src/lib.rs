//! Rock, paper, scissors between any number of threads that exchange messages only.
//!
//! [`rules`] says who stays in the game, and [`player`] plays against whatever is behind a [`link`]. What a game
//! needs of communication is in `rock-paper-scissors.quad`: everybody shows its hand to all others that are
//! still in the game, in one step; then everybody says whether it stays or is out.
//!
//! There are three versions behind the link, and one word chooses ([`Version`]):
//!
//! - `channels`: a channel from each player to each other, written by hand. The players must know whom to tell.
//! - `strict`: the module [`generated::rock_paper_scissors`], with one machine for all players.
//! - `liberal`: the same module with a machine for each player.
//!
//! ```console
//! $ cargo run -p quadrille-example-rock-paper-scissors -- liberal --players 4 --seed 6
//! ```
//!
//! The protocol in `examples/protocols` leaves open who decides which players stay, so that no player of the liberal
//! form can know. Here they say so, and everybody hears the same in the same order: both forms do exactly what
//! the protocol says.
//!
//! `tests/it/games.rs` plays the same games in all versions; `tests/it/verify.rs` lets the module do everything it can.
#![forbid(unsafe_code)]

use std::thread;

pub mod channels;
pub mod generated;
pub mod link;
mod modules;
pub mod player;
pub mod rules;

use generated::rock_paper_scissors;
use link::{Broken, Link};
use player::{Hands, Record};
use rules::Seat;

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

/// Plays a game and returns what each player saw of it.
///
/// # Errors
/// When a player breaks the rules or its link breaks.
pub fn game(version: Version, players: usize, seed: u64) -> Result<Vec<Record>, Broken> {
    match version {
        Version::Channels => on_threads(channels::connect(players), seed),
        Version::Strict => on_module(rock_paper_scissors::strict(players), seed),
        Version::Liberal => on_module(rock_paper_scissors::liberal(players), seed),
    }
}

fn on_module(
    module: Option<rock_paper_scissors::Module>,
    seed: u64,
) -> Result<Vec<Record>, Broken> {
    let module = module.ok_or_else(|| Broken("there is no module for so many players".into()))?;
    on_threads(module.into_roles().players, seed)
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

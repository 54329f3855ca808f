//! Go Fish: a dealer and players on threads that exchange messages only.
//!
//! [`dealer`] and [`player`] play by the rules against whatever is behind a [`link`]. What a game needs of
//! communication is in `go-fish.quad`: who may ask, who must answer, and how everybody learns of the end.
//!
//! There are three versions behind the link, and one word chooses ([`Version`]):
//!
//! - `channels`: an inbox for everybody, written by hand. Nothing keeps a player from asking out of turn.
//! - `strict`: the module [`generated::go_fish`], with one machine for dealer and players.
//! - `liberal`: the same module with a machine for each of them, and queues between them.
//!
//! ```console
//! $ cargo run -p quadrille-example-go-fish -- liberal --players 3
//! ```
//!
//! In the protocol of `examples/protocols` the dealer may give the turn away while others wait for their first cards.
//! Here hands are dealt in one step each, and the end of the game is a message to everybody: both forms do
//! exactly what the protocol says.
//!
//! `tests/it/games.rs` plays the same games in all versions; `tests/it/verify.rs` lets the module do everything it can.
#![forbid(unsafe_code)]

use std::thread;

pub mod cards;
pub mod channels;
pub mod dealer;
pub mod generated;
pub mod link;
mod modules;
pub mod player;

use cards::{Chance, Rank};
use generated::go_fish;
use link::{Broken, Link};
use player::Player;

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

/// A game that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Score {
    /// How many cards were drawn from the stock.
    pub drawn: usize,
    /// By player: the ranks of which it had all four cards, in the order it laid them down.
    pub books: Vec<Vec<Rank>>,
}

/// Plays a game of two players or more.
///
/// # Errors
/// When somebody breaks the rules or a link breaks.
pub fn game(version: Version, players: usize, seed: u64) -> Result<Score, Broken> {
    match version {
        Version::Channels => {
            let (dealer, players) = channels::connect(players);
            on_threads(dealer, players, seed)
        }
        Version::Strict => on_module(go_fish::strict(players), seed),
        Version::Liberal => on_module(go_fish::liberal(players), seed),
    }
}

fn on_module(module: Option<go_fish::Module>, seed: u64) -> Result<Score, Broken> {
    let module = module.ok_or_else(|| Broken("there is no module for so many players".into()))?;
    let go_fish::Roles { dealer, players } = module.into_roles();
    on_threads(dealer, players, seed)
}

/// Each party on a thread of its own.
fn on_threads<P: Link + Send>(
    mut to_dealer: impl Link + Send,
    to_players: Vec<P>,
    seed: u64,
) -> Result<Score, Broken> {
    let n_players = to_players.len();
    thread::scope(|scope| {
        let chance = Chance::new(seed, 0);
        let dealer = scope.spawn(move || dealer::deal(n_players, chance, &mut to_dealer));
        let players: Vec<_> = to_players
            .into_iter()
            .enumerate()
            .map(|(me, mut link)| {
                let player = Player::new(me, n_players, Chance::new(seed, me as u64 + 1));
                scope.spawn(move || player.play(&mut link))
            })
            .collect();
        let gone = |_| Broken("somebody panicked".into());
        let books: Result<Vec<_>, Broken> =
            players.into_iter().map(|player| player.join().map_err(gone)?).collect();
        Ok(Score { drawn: dealer.join().map_err(gone)??, books: books? })
    })
}

//! Links over the modules that are generated from `go-fish.quad`: what is said becomes typed messages. There
//! is a module for each number of players.
//!
//! Nothing here enforces whose turn it is: the module does, in either form.

use quadrille_runtime::Form;

use crate::generated::{four, three, two};
use crate::link::{Broken, Link, Party, Word};
use crate::{Score, on_threads};

/// Plays a game over the module for so many players.
pub(crate) fn game(form: Form, players: usize, seed: u64) -> Result<Score, Broken> {
    macro_rules! play {
        ($module:ident) => {{
            let module = match form {
                Form::Strict => $module::strict(),
                Form::Liberal => $module::liberal(),
            };
            let $module::Roles { dealer, players } = module.into_roles();
            on_threads(dealer, players, seed)
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
        impl From<Party> for $module::Role {
            fn from(party: Party) -> Self {
                match party {
                    Party::Dealer => Self::Dealer,
                    Party::Player(player) => Self::Player(player),
                }
            }
        }

        impl From<$module::Role> for Party {
            fn from(role: $module::Role) -> Self {
                match role {
                    $module::Role::Dealer => Self::Dealer,
                    $module::Role::Player(player) => Self::Player(player),
                }
            }
        }

        impl Link for $module::Dealer {
            fn say(&mut self, to: Party, word: Word) -> Result<(), Broken> {
                let sent = match word {
                    Word::Hand(hand) => self.send_to(to.into(), hand),
                    Word::Turn => self.send_to(to.into(), $module::Turn),
                    Word::Drawn(card) => self.send_to(to.into(), card),
                    word => return Err(Broken::unexpected(Party::Dealer, &word)),
                };
                sent.map_err(Broken::because)
            }

            fn end(&mut self) -> Result<(), Broken> {
                self.send($module::OutOfCards).map_err(Broken::because)
            }

            fn hear(&mut self) -> Result<(Party, Word), Broken> {
                let (from, $module::Fish) = self.recv_with_sender().map_err(Broken::because)?;
                Ok((from.into(), Word::Fish))
            }
        }

        impl Link for $module::Player {
            fn say(&mut self, to: Party, word: Word) -> Result<(), Broken> {
                let sent = match word {
                    Word::Turn => self.send_to(to.into(), $module::Turn),
                    Word::Ask(rank) => self.send_to(to.into(), rank),
                    Word::Give(gift) => self.send_to(to.into(), gift),
                    Word::Go => self.send_to(to.into(), $module::Go),
                    Word::Fish => self.send_to(to.into(), $module::Fish),
                    word => return Err(Broken::unexpected(Party::Player(self.index()), &word)),
                };
                sent.map_err(Broken::because)
            }

            fn end(&mut self) -> Result<(), Broken> {
                Err(Broken::unexpected(Party::Player(self.index()), &Word::OutOfCards))
            }

            fn hear(&mut self) -> Result<(Party, Word), Broken> {
                let (from, received) = self.recv_with_sender().map_err(Broken::because)?;
                let word = match received {
                    $module::PlayerReceives::Hand(hand) => Word::Hand(hand),
                    $module::PlayerReceives::Turn($module::Turn) => Word::Turn,
                    $module::PlayerReceives::Ask(rank) => Word::Ask(rank),
                    $module::PlayerReceives::Give(gift) => Word::Give(gift),
                    $module::PlayerReceives::Go($module::Go) => Word::Go,
                    $module::PlayerReceives::Drawn(card) => Word::Drawn(card),
                    $module::PlayerReceives::OutOfCards($module::OutOfCards) => Word::OutOfCards,
                };
                Ok((from.into(), word))
            }
        }
    )+ };
}

links!(two, three, four);

//! Links over the module that is generated from `go-fish.quad`: what is said becomes typed messages.
//!
//! Nothing here enforces whose turn it is: the module does, in either form.

use crate::generated::go_fish::{Dealer, Fish, Go, OutOfCards, Player, PlayerReceives, Role, Turn};
use crate::link::{Broken, Link, Party, Word};

impl From<Party> for Role {
    fn from(party: Party) -> Self {
        match party {
            Party::Dealer => Self::Dealer,
            Party::Player(player) => Self::Player(player),
        }
    }
}

impl From<Role> for Party {
    fn from(role: Role) -> Self {
        match role {
            Role::Dealer => Self::Dealer,
            Role::Player(player) => Self::Player(player),
        }
    }
}

impl Link for Dealer {
    fn say(&mut self, to: Party, word: Word) -> Result<(), Broken> {
        let sent = match word {
            Word::Hand(hand) => self.send_to(to.into(), hand),
            Word::Turn => self.send_to(to.into(), Turn),
            Word::Drawn(card) => self.send_to(to.into(), card),
            word => return Err(Broken::unexpected(Party::Dealer, &word)),
        };
        sent.map_err(Broken::because)
    }

    fn end(&mut self) -> Result<(), Broken> {
        self.send(OutOfCards).map_err(Broken::because)
    }

    fn hear(&mut self) -> Result<(Party, Word), Broken> {
        let (from, Fish) = self.recv_with_sender().map_err(Broken::because)?;
        Ok((from.into(), Word::Fish))
    }
}

impl Link for Player {
    fn say(&mut self, to: Party, word: Word) -> Result<(), Broken> {
        let sent = match word {
            Word::Turn => self.send_to(to.into(), Turn),
            Word::Ask(rank) => self.send_to(to.into(), rank),
            Word::Give(gift) => self.send_to(to.into(), gift),
            Word::Go => self.send_to(to.into(), Go),
            Word::Fish => self.send_to(to.into(), Fish),
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
            PlayerReceives::Hand(hand) => Word::Hand(hand),
            PlayerReceives::Turn(Turn) => Word::Turn,
            PlayerReceives::Ask(rank) => Word::Ask(rank),
            PlayerReceives::Give(gift) => Word::Give(gift),
            PlayerReceives::Go(Go) => Word::Go,
            PlayerReceives::Drawn(card) => Word::Drawn(card),
            PlayerReceives::OutOfCards(OutOfCards) => Word::OutOfCards,
        };
        Ok((from.into(), word))
    }
}

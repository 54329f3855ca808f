//! Links written by hand: a channel from each player to each other.
//!
//! Nothing here enforces the order of messages; that players keep it is up to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::link::{Broken, Link, Word};
use crate::rules::Seat;

/// A player's ends of the channels to and from each other player.
#[derive(Default)]
pub struct Channels {
    to: BTreeMap<Seat, SyncSender<Word>>,
    from: BTreeMap<Seat, Receiver<Word>>,
}

/// The ends of all players.
pub fn connect(players: usize) -> Vec<Channels> {
    let mut ends: Vec<Channels> = (0..players).map(|_| Channels::default()).collect();
    for from in 0..players {
        for to in (0..players).filter(|to| *to != from) {
            // Somebody may already show its next hand while others answer for the last one.
            let (sender, receiver) = sync_channel(2);
            ends[from].to.insert(Seat(to), sender);
            ends[to].from.insert(Seat(from), receiver);
        }
    }
    ends
}

impl Link for Channels {
    fn say(&mut self, others: &BTreeSet<Seat>, word: Word) -> Result<(), Broken> {
        for other in others {
            let channel = self.to.get(other).ok_or_else(|| Broken(format!("no {other}")))?;
            channel.send(word).map_err(Broken::because)?;
        }
        Ok(())
    }

    fn hear(&mut self, from: Seat) -> Result<Word, Broken> {
        let channel = self.from.get(&from).ok_or_else(|| Broken(format!("no {from}")))?;
        channel.recv().map_err(Broken::because)
    }
}

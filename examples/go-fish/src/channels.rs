//! Links written by hand: every party has one channel into which all others may put something.
//!
//! Nothing here enforces the order of messages; that everybody keeps it is up to them.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::link::{Broken, Link, Party, Word};

/// A party's channel, and where to put something for the others.
pub struct Channels {
    me: Party,
    inbox: Receiver<(Party, Word)>,
    others: BTreeMap<Party, SyncSender<(Party, Word)>>,
}

/// The link of the dealer, and those of the players.
pub fn connect(players: usize) -> (Channels, Vec<Channels>) {
    let parties = || std::iter::once(Party::Dealer).chain((0..players).map(Party::Player));
    let mut inboxes = Vec::new();
    let mut senders = BTreeMap::new();
    for party in parties() {
        // The turn may come before the player has picked up its cards.
        let (sender, inbox) = sync_channel(2);
        senders.insert(party, sender);
        inboxes.push(inbox);
    }
    let mut links = parties().zip(inboxes).map(|(me, inbox)| {
        let mut others = senders.clone();
        others.remove(&me);
        Channels { me, inbox, others }
    });
    let dealer = links.next().expect("there is a dealer");
    (dealer, links.collect())
}

impl Link for Channels {
    fn say(&mut self, to: Party, word: Word) -> Result<(), Broken> {
        let other = self.others.get(&to).ok_or_else(|| Broken(format!("there is no {to:?}")))?;
        other.send((self.me, word)).map_err(Broken::because)
    }

    fn end(&mut self) -> Result<(), Broken> {
        self.others
            .values()
            .try_for_each(|other| other.send((self.me, Word::OutOfCards)))
            .map_err(Broken::because)
    }

    fn hear(&mut self) -> Result<(Party, Word), Broken> {
        self.inbox.recv().map_err(Broken::because)
    }
}

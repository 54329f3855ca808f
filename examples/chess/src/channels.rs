//! A link written by hand: a channel in each direction.
//!
//! Nothing here enforces that players take turns; that they do is up to them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::link::{Broken, Link, Word};

/// A player's ends of the two channels.
pub struct Channels {
    to_other: SyncSender<Word>,
    from_other: Receiver<Word>,
}

/// Both ends, the first for White.
pub fn connect() -> (Channels, Channels) {
    let (to_black, from_white) = sync_channel(1);
    let (to_white, from_black) = sync_channel(1);
    (
        Channels { to_other: to_black, from_other: from_black },
        Channels { to_other: to_white, from_other: from_white },
    )
}

impl Link for Channels {
    fn say(&mut self, word: Word) -> Result<(), Broken> {
        self.to_other.send(word).map_err(Broken::because)
    }

    fn hear(&mut self) -> Result<Word, Broken> {
        self.from_other.recv().map_err(Broken::because)
    }
}

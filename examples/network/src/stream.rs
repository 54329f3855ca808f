//! A stream with credit: a source that never has more in flight than the sink granted, and a sink that grants the next
//! window while the last one is on its way.

use quadrille_runtime::Error;
use serde::{Deserialize, Serialize};

use crate::streaming::{Credit, Done, Sink, SinkReceives, Source};

/// How many items a window has, as in the protocol.
pub const WINDOW: usize = 4;

/// A piece of the stream; padding at its end is empty.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Item(pub Vec<u8>);

/// Sends all pieces, in windows; the last is filled up with empty ones.
pub fn source(mut role: Source, pieces: impl IntoIterator<Item = Vec<u8>>) -> Result<(), Error> {
    let mut pieces = pieces.into_iter().peekable();
    role.recv()?;
    while pieces.peek().is_some() {
        for _ in 0..WINDOW {
            role.send(Item(pieces.next().unwrap_or_default()))?;
        }
        role.recv()?;
    }
    role.send(Done)?;
    role.finish()
}

/// Takes all pieces.
pub fn sink(mut role: Sink, mut take: impl FnMut(Vec<u8>)) -> Result<(), Error> {
    role.send(Credit)?;
    loop {
        for position in 0..WINDOW {
            match role.recv()? {
                SinkReceives::Item(Item(piece)) if !piece.is_empty() => take(piece),
                SinkReceives::Item(_) => {}
                SinkReceives::Done(_) => return role.finish(),
            }
            if position == 0 {
                role.send(Credit)?;
            }
        }
    }
}

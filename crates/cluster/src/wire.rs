//! A connection that timely dataflow reads and writes. Where it breaks, timely would panic; here the
//! process is told that a peer is gone, and the thread of the connection waits for the end. What travels
//! is followed so far as it takes to tell a proper end from a broken connection.
#![allow(clippy::disallowed_methods, reason = "connections; ARCHITECTURE.md names this place")]

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::shared::{Shared, peers};

/// How long a peer may be gone before the own end, where it needs nothing more.
const GRACE: Duration = Duration::from_secs(2);
const PERIOD: Duration = Duration::from_millis(20);

/// Bytes of the header of each message of timely, where the length of what follows lies in it, and how
/// it is written.
const HEADER: usize = 48;
const LENGTH: std::ops::Range<usize> = 32..40;

/// Follows messages; the last one of a connection has no content.
struct Frames {
    header: [u8; HEADER],
    n_header: usize,
    /// Bytes of the content that are missing.
    n_left: u64,
    is_over: bool,
}

impl Frames {
    fn see(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let n_skipped = self.n_left.min(bytes.len() as u64);
            self.n_left -= n_skipped;
            bytes = &bytes[n_skipped as usize..];
            let n = bytes.len().min(HEADER - self.n_header);
            self.header[self.n_header..self.n_header + n].copy_from_slice(&bytes[..n]);
            self.n_header += n;
            bytes = &bytes[n..];
            if self.n_header == HEADER {
                let length = self.header[LENGTH].try_into().unwrap_or_default();
                self.n_left = u64::from_be_bytes(length);
                self.is_over = self.n_left == 0;
                self.n_header = 0;
            }
        }
    }
}

pub(crate) struct Wire {
    stream: TcpStream,
    peer: usize,
    shared: Arc<Shared>,
    arrived: Frames,
}

impl Wire {
    pub fn new(stream: TcpStream, peer: usize, shared: Arc<Shared>) -> Self {
        let arrived = Frames { header: [0; HEADER], n_header: 0, n_left: 0, is_over: false };
        Self { stream, peer, shared, arrived }
    }

    /// Waits until it is known whether everything was exchanged before the connection ended. Returns only
    /// if it was.
    fn ended(&self, why: &str) {
        let mut waited = Duration::ZERO;
        while !self.shared.is_finished() {
            std::thread::sleep(PERIOD);
            waited += PERIOD;
            if waited >= GRACE {
                self.shared.fail(peers(format!("process {} is gone: {why}", self.peer)));
            }
        }
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                // Timely hands over what came last only after it saw the end.
                Ok(0) if self.arrived.is_over => return Ok(0),
                Ok(0) => {
                    self.ended("it closed its connection");
                    return Ok(0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended(&error.to_string());
                    return Ok(0);
                }
                Ok(n) => {
                    self.arrived.see(&buffer[..n]);
                    return Ok(n);
                }
            }
        }
    }
}

impl Write for Wire {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self.stream.write(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                // After the end nothing is missing any more.
                self.ended(&error.to_string());
                Ok(buffer.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.stream.flush();
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self::new(self.stream.try_clone()?, self.peer, Arc::clone(&self.shared)))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_a_message_without_content() {
        let message = |length: u64| {
            let mut bytes = vec![7; HEADER];
            bytes[LENGTH].copy_from_slice(&length.to_be_bytes());
            bytes.resize(HEADER + length as usize, 0);
            bytes
        };
        let all = [message(100), message(8), message(0)].concat();
        for n_bytes in [1, 7, 48, 49, 300] {
            let mut frames = Frames { header: [0; HEADER], n_header: 0, n_left: 0, is_over: false };
            let before = all.len() - 1;
            all[..before].chunks(n_bytes).for_each(|bytes| frames.see(bytes));
            assert!(!frames.is_over, "{n_bytes}");
            frames.see(&all[before..]);
            assert!(frames.is_over, "{n_bytes}");
        }
    }
}

//! Signs of life. Process 0 and every other tell each other several times in a second that they are
//! there, how far their workers came, and why they end; who says nothing for too long is taken for dead.
#![allow(clippy::disallowed_methods, reason = "connections; ARCHITECTURE.md names this place")]

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::ops::Range;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use quadrille_engine::Error;
use serde::{Deserialize, Serialize};

use crate::shared::{NUMBERS, Shared, peers};
use crate::worker::{bound_of, numbers_of};

const PERIOD: Duration = Duration::from_millis(20);
/// Periods between two signs of life, where nothing happens.
const PERIODS: usize = 10;
const MOST: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
enum Sign {
    /// The progress of workers, from a number on.
    Alive(usize, Vec<[u64; NUMBERS]>),
    /// The search is to end at a bound.
    Bound(u8, u64),
    /// The process ends because of this.
    Failed(String),
    /// The process is done.
    Done,
}

/// The connection to one other process.
pub(crate) struct Pulse {
    pub own: usize,
    pub other: usize,
    pub stream: TcpStream,
    pub shared: Arc<Shared>,
    pub patience: Duration,
    /// The workers that this process tells about.
    pub workers: Range<usize>,
}

impl Pulse {
    /// Tells and listens, on threads that end with the search. The thread that tells is handed back.
    pub fn start(self) -> io::Result<JoinHandle<()>> {
        let stream = self.stream.try_clone()?;
        stream.set_read_timeout(Some(self.patience))?;
        self.stream.set_write_timeout(Some(self.patience))?;
        let (shared, other, patience) = (Arc::clone(&self.shared), self.other, self.patience);
        thread::spawn(move || listen(stream, &shared, other, patience));
        Ok(thread::spawn(move || self.tell()))
    }

    fn tell(mut self) {
        let (mut n_waited, mut told_bound) = (PERIODS, false);
        loop {
            if let Some(failure) = self.shared.failure() {
                let message = match failure {
                    Error::Peers(message) => message.to_string(),
                    own => format!("process {} ended: {own}", self.own),
                };
                let _ = self.send(&Sign::Failed(message));
                return;
            }
            if self.shared.is_finished() {
                let _ = self.send(&Sign::Done);
                return;
            }
            if let (Some(bound), false) = (self.shared.bound(), told_bound) {
                let (kind, number) = numbers_of(bound);
                told_bound = true;
                if self.send(&Sign::Bound(kind, number)).is_err() {
                    return;
                }
            }
            if n_waited >= PERIODS {
                n_waited = 0;
                let numbers = self.workers.clone().map(|worker| self.shared.numbers(worker));
                // The other thread notices where the connection is gone.
                if self.send(&Sign::Alive(self.workers.start, numbers.collect())).is_err() {
                    return;
                }
            }
            n_waited += 1;
            thread::sleep(PERIOD);
        }
    }

    fn send(&mut self, sign: &Sign) -> io::Result<()> {
        let bytes = postcard::to_allocvec(sign).map_err(io::Error::other)?;
        self.stream.write_all(&(bytes.len() as u32).to_le_bytes())?;
        self.stream.write_all(&bytes)
    }
}

fn listen(mut stream: TcpStream, shared: &Shared, other: usize, patience: Duration) {
    loop {
        match receive(&mut stream) {
            Ok(Sign::Alive(first, numbers)) => {
                for (worker, numbers) in (first..).zip(numbers) {
                    shared.tell(worker, numbers);
                }
            }
            Ok(Sign::Bound(kind, number)) => shared.stop(bound_of(kind, number)),
            Ok(Sign::Failed(message)) => return shared.fail(peers(message)),
            Ok(Sign::Done) => return,
            Err(error) => {
                if !shared.is_finished() {
                    let is_silent =
                        matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
                    let seconds = patience.as_secs_f64();
                    shared.fail(peers(match is_silent {
                        true => format!("process {other} has said nothing for {seconds} s"),
                        false => format!("process {other} is gone"),
                    }));
                }
                return;
            }
        }
    }
}

fn receive(stream: &mut TcpStream) -> io::Result<Sign> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MOST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(io::Error::other)
}

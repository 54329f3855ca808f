//! The first bytes of a connection. Both sides prove that they know the secret before either reads
//! anything of which it does not know the length; only then do they say what they search.
#![allow(clippy::disallowed_methods, reason = "connections; ARCHITECTURE.md names this place")]

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use quadrille_secret::{Proof, Secret};
use serde::{Deserialize, Serialize};

/// What the proofs of both sides begin with.
const ANSWERING: &[u8] = b"quadrille cluster answer";
const OPENED: &[u8] = b"quadrille cluster opening";
const MAGIC: [u8; 8] = *b"quadclus";
/// The version of what travels.
const VERSION: u8 = 2;
const NONCE: usize = 32;
/// What the side says first that opens a connection.
const OPENING: usize = MAGIC.len() + 2 + 8 + NONCE;
/// What the other side answers, before its proof.
const ANSWER: usize = MAGIC.len() + 1 + NONCE;
const MOST: u32 = 1 << 16;

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// Batches and words, by timely dataflow.
    Data,
    /// Signs of life.
    Pulse,
}

/// What a process takes part in: all must agree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub version: String,
    pub title: String,
    pub model: u64,
    pub questions: u64,
    pub processes: usize,
    pub workers: usize,
    pub on_disk: bool,
    pub resume: bool,
}

impl Hello {
    /// What differs, if anything, as it is told of the other process.
    pub fn differs(&self, other: &Self) -> Option<String> {
        let number = |n: usize, what: &str| {
            if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
        };
        if self.version != other.version {
            return Some(format!(
                "is version {} of quadrille, not {}",
                other.version, self.version
            ));
        }
        if self.model != other.model {
            return Some(format!(
                "has another model: `{}`, not the same as `{}`",
                other.title, self.title
            ));
        }
        if self.questions != other.questions {
            return Some("is asked something else".to_owned());
        }
        if self.processes != other.processes {
            let (here, there) = (number(self.processes, "process"), other.processes);
            return Some(
                format!("knows of {there} processes, this one of {here}")
                    .replace("processs", "processes"),
            );
        }
        if self.workers != other.workers {
            let (here, there) = (self.workers, number(other.workers, "worker"));
            return Some(format!("has {there}, not {here} as this one: all need as many"));
        }
        if self.on_disk != other.on_disk {
            let word = if other.on_disk { "on disk" } else { "in memory" };
            return Some(format!("keeps its states {word}, this one does not"));
        }
        (self.resume != other.resume)
            .then(|| "does not agree whether to begin or to go on (--resume)".to_owned())
    }
}

/// Why there is no connection.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// What is there is no process of a cluster of this version.
    Stranger(String),
    /// It does not know the secret.
    Secret,
    /// The connection failed.
    Io(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Io(error)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Stranger(what) => f.write_str(what),
            Refusal::Secret => f.write_str("it does not know the same secret"),
            Refusal::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                f.write_str("it closed the connection")
            }
            Refusal::Io(error) => error.fmt(f),
        }
    }
}

/// A connection that must have said everything by a moment, however slowly it drips.
struct Timed<'s> {
    stream: &'s TcpStream,
    until: Instant,
}

impl Timed<'_> {
    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }

    fn read<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read_all(&mut bytes)?;
        Ok(bytes)
    }

    fn read_all(&mut self, mut bytes: &mut [u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.stream.set_read_timeout(Some(self.left()?))?;
            match self.stream.read(bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => bytes = &mut bytes[n..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write_all(bytes)
    }

    fn hello(&mut self, own: &Hello) -> Result<Hello, Refusal> {
        let stranger =
            || Refusal::Stranger("it says something else than a process of a cluster".into());
        let bytes = postcard::to_allocvec(own).map_err(|_| stranger())?;
        self.write(&(bytes.len() as u32).to_le_bytes())?;
        self.write(&bytes)?;
        let length = u32::from_le_bytes(self.read()?);
        if length > MOST {
            return Err(stranger());
        }
        let mut bytes = vec![0; length as usize];
        self.read_all(&mut bytes)?;
        postcard::from_bytes(&bytes).map_err(|_| stranger())
    }
}

/// Who a connection is from or to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ends {
    pub from: usize,
    pub to: usize,
    pub kind: Kind,
}

fn nonce() -> io::Result<[u8; NONCE]> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(nonce)
}

/// A secret for processes that this one starts.
pub fn fresh_secret() -> io::Result<Secret> {
    Secret::new(nonce()?).map_err(io::Error::other)
}

fn other_version(theirs: u8) -> Refusal {
    Refusal::Stranger(format!(
        "it speaks version {theirs} of the protocol of clusters, this one {VERSION}"
    ))
}

/// Greets as the side that opened the connection.
pub(crate) fn greet(
    stream: &TcpStream,
    ends: Ends,
    secret: &Secret,
    own: &Hello,
    until: Instant,
) -> Result<Hello, Refusal> {
    let mut timed = Timed { stream, until };
    let mut said = Vec::with_capacity(OPENING + ANSWER);
    said.extend(MAGIC);
    said.extend([VERSION, u8::from(ends.kind == Kind::Pulse)]);
    said.extend((ends.from as u32).to_le_bytes());
    said.extend((ends.to as u32).to_le_bytes());
    said.extend(nonce()?);
    timed.write(&said)?;
    let answer: [u8; ANSWER] = timed.read()?;
    if answer[..MAGIC.len()] != MAGIC {
        return Err(Refusal::Stranger("what answers there is no process of a cluster".into()));
    }
    if answer[MAGIC.len()] != VERSION {
        return Err(other_version(answer[MAGIC.len()]));
    }
    said.extend(answer);
    let proof: Proof = timed.read()?;
    if !secret.is_proven(&proof, &[ANSWERING, &said]) {
        return Err(Refusal::Secret);
    }
    timed.write(&secret.proof(&[OPENED, &said]))?;
    timed.hello(own)
}

/// Greets as the side that was called. `is_known` says whether a process may call from there.
pub(crate) fn answer(
    stream: &TcpStream,
    own: usize,
    is_known: impl Fn(usize) -> bool,
    (secret, hello): (&Secret, &Hello),
    until: Instant,
) -> Result<(Ends, Hello), Refusal> {
    let mut timed = Timed { stream, until };
    let opening: [u8; OPENING] = timed.read()?;
    let stranger = |what: &str| Refusal::Stranger(what.to_owned());
    if opening[..MAGIC.len()] != MAGIC {
        return Err(stranger("it is no process of a cluster"));
    }
    let number = |at: usize| {
        let word = opening[at..at + 4].try_into().unwrap_or_default();
        u32::from_le_bytes(word) as usize
    };
    let [version, kind] = [opening[MAGIC.len()], opening[MAGIC.len() + 1]];
    let (from, to) = (number(MAGIC.len() + 2), number(MAGIC.len() + 6));
    let mut answer = Vec::with_capacity(ANSWER);
    answer.extend(MAGIC);
    answer.push(VERSION);
    answer.extend(nonce()?);
    if version != VERSION {
        timed.write(&answer)?;
        return Err(other_version(version));
    }
    if to != own || !is_known(from) {
        return Err(stranger("it does not call from the host of the process that it says it is"));
    }
    let said = [&opening[..], &answer[..]].concat();
    answer.extend(secret.proof(&[ANSWERING, &said]));
    timed.write(&answer)?;
    let proof: Proof = timed.read()?;
    if !secret.is_proven(&proof, &[OPENED, &said]) {
        return Err(Refusal::Secret);
    }
    let theirs = timed.hello(hello)?;
    let kind = if kind == 0 { Kind::Data } else { Kind::Pulse };
    Ok((Ends { from, to, kind }, theirs))
}

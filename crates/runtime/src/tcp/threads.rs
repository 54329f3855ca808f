//! Connections run by threads that block: the greeting, then a reader and a writer for each.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{ConnectError, Reason};
use super::greeting::{Crypt, Greeted, Greeting, Hello};
use super::link::{Followed, InLink, OutLink, Pumped, ROOM, Watch};
use super::network::{Network, Timeouts};
use super::patience::{Deadline, End, Patience, Pulse, is_reset, is_timeout};
use super::peer::{Peer, Slot};
use crate::module::Payload;

/// How long a peer that is refused has to read why.
const FAREWELL: Duration = Duration::from_millis(200);

/// A connection after its greeting.
pub(super) struct Connection {
    pub(super) address: String,
    pub(super) network: Network,
    pub(super) greeted: Greeted,
    socket: TcpStream,
    slot: Option<Arc<Slot>>,
}

/// Greets a peer.
pub(super) fn greet(peer: Peer, hello: &Hello) -> Result<Connection, ConnectError> {
    let Peer { socket, address, host, network, slot } = peer;
    let network = network.unwrap_or_default();
    let greeting = Greeting::new(&network, hello, host.as_deref());
    let greeted = greeting.and_then(|greeting| talk(&socket, greeting, network.timeouts.greeting));
    match greeted {
        Ok(greeted) => Ok(Connection { address, network, greeted, socket, slot }),
        Err(reason) => {
            part_from(&socket);
            Err(reason.of(&address))
        }
    }
}

fn talk(
    mut socket: &TcpStream,
    mut greeting: Greeting,
    within: Duration,
) -> Result<Greeted, Reason> {
    socket.set_nodelay(true)?;
    let deadline = Deadline::new(within);
    let (mut raw, mut n_raw, mut out) = ([0; 4096], 0, Vec::new());
    loop {
        let stepped = greeting.step(&raw[..n_raw], &mut out);
        socket.set_write_timeout(Some(deadline.left().ok_or(Reason::Silent { within })?))?;
        let written = socket.write_all(&out);
        out.clear();
        if stepped? {
            break;
        }
        written.map_err(|error| gone(error, within))?;
        n_raw = loop {
            let Some(left) = deadline.left() else { return Err(Reason::Silent { within }) };
            socket.set_read_timeout(Some(left))?;
            match socket.read(&mut raw) {
                Ok(0) => return Err(greeting.interrupted()),
                Ok(n_bytes) => break n_bytes,
                Err(error) if is_timeout(&error) || error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_reset(&error) => return Err(greeting.interrupted()),
                Err(error) => return Err(Reason::Io(error)),
            }
        };
    }
    greeting.finish().ok_or(Reason::NotAPeer)
}

fn gone(error: io::Error, within: Duration) -> Reason {
    match error {
        error if is_timeout(&error) => Reason::Silent { within },
        error if is_reset(&error) => Reason::Closed,
        error => Reason::Io(error),
    }
}

/// Ends a connection so that the peer can still read what was written: closing it with bytes that were not read would
/// reset it.
fn part_from(mut socket: &TcpStream) {
    let _ = socket.shutdown(Shutdown::Write);
    let deadline = Deadline::new(FAREWELL);
    let mut rest = [0; 4096];
    while let Some(left) = deadline.left() {
        let _ = socket.set_read_timeout(Some(left));
        if !matches!(socket.read(&mut rest), Ok(1..)) {
            return;
        }
    }
}

/// Starts both threads; returns the writer, to be joined.
pub(super) fn start<P: Payload + Serialize + DeserializeOwned>(
    connection: Wired,
    inward: InLink<P>,
    outward: OutLink<P>,
) -> io::Result<JoinHandle<()>> {
    let connection = Arc::new(connection);
    let named = |name: &str| thread::Builder::new().name(name.to_owned());
    let out = Arc::clone(&connection);
    // The writer first: alone it can still tell the peer that the local roles have left.
    let writer = named("quadrille writer").spawn(move || write(&out, outward))?;
    let waker = writer.thread().clone();
    named("quadrille reader").spawn(move || {
        read(&connection, inward);
        // It is over if all remote roles have left.
        waker.unpark();
    })?;
    Ok(writer)
}

/// What both threads of a connection need.
pub(super) struct Wired {
    socket: TcpStream,
    crypt: Crypt,
    timeouts: Timeouts,
    _slot: Option<Arc<Slot>>,
}

impl Connection {
    /// Splits it into what threads need, and what the machines do.
    pub(super) fn wire(self) -> (Wired, Greeted) {
        let Self { network, greeted, socket, slot, .. } = self;
        let crypt = greeted.crypt.clone();
        (Wired { socket, crypt, timeouts: network.timeouts, _slot: slot }, greeted)
    }
}

fn read<P: Payload + DeserializeOwned>(connection: &Wired, mut inward: InLink<P>) {
    let link = Arc::clone(&inward.link);
    let closes = Closes(&connection.socket);
    let watch = Watch(Arc::clone(&link));
    let end = read_all(connection, &mut inward);
    drop(watch);
    if !end.is_abrupt() {
        std::mem::forget(closes);
    }
    end.tell(&link);
}

/// Closes a connection in both directions: a writer may be waiting for room in it.
struct Closes<'s>(&'s TcpStream);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Reads until the connection ends.
fn read_all<P: Payload + DeserializeOwned>(connection: &Wired, inward: &mut InLink<P>) -> End {
    let mut patience = Patience::new(connection.timeouts);
    let (mut wait, mut plain) = (None, Vec::new());
    if let Err(error) = connection.socket.set_read_timeout(wait) {
        return End::of(&error);
    }
    loop {
        if let Err(reason) = follow(inward) {
            return End::InvalidData(reason);
        }
        let next = match patience.before_read(&inward.decoder) {
            Ok(next) => next,
            Err(end) => return end,
        };
        if next != wait {
            wait = next;
            if let Err(error) = connection.socket.set_read_timeout(wait) {
                return End::of(&error);
            }
        }
        match fill(connection, inward, &mut plain) {
            Ok(true) => {}
            // What came with the end is followed before.
            Ok(false) => return follow(inward).map_or_else(End::InvalidData, |()| End::Closed),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if is_timeout(&error) => return patience.expired(),
            Err(error) => return End::of(&error),
        }
    }
}

/// Performs all steps that have arrived, and waits for room where there is none.
fn follow<P: Payload + DeserializeOwned>(inward: &mut InLink<P>) -> Result<(), String> {
    let mut followed = inward.follow_all()?;
    while let Followed::Full(frame, length) = followed {
        thread::sleep(ROOM);
        followed = match inward.follow(frame, length)? {
            Followed::Done => inward.follow_all()?,
            full @ Followed::Full(..) => full,
        };
    }
    Ok(())
}

/// Reads once; whether there is more to come.
fn fill<P: Payload + DeserializeOwned>(
    Wired { socket, crypt, .. }: &Wired,
    inward: &mut InLink<P>,
    plain: &mut Vec<u8>,
) -> io::Result<bool> {
    let mut socket: &TcpStream = socket;
    let decoder = &mut inward.decoder;
    if crypt.is_plain() {
        let n_bytes = socket.read(decoder.room())?;
        decoder.filled(n_bytes);
        return Ok(n_bytes > 0);
    }
    let mut raw = [0; 8 << 10];
    let n_bytes = socket.read(&mut raw)?;
    let is_over = crypt.decrypt(&raw[..n_bytes], plain)?;
    decoder.push(plain);
    plain.clear();
    Ok(n_bytes > 0 && !is_over)
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn write<P: Payload + Serialize>(connection: &Wired, mut outward: OutLink<P>) {
    let closes = Closes(&connection.socket);
    // After a panic the roles are told before the reader sees the end.
    let watch = Watch(Arc::clone(&outward.link));
    // If the network fails, the reader notices too and reports it, unless the peer only stopped reading.
    match write_all(connection, &mut outward) {
        Ok(()) => {
            std::mem::forget(closes);
            let mut last = Vec::new();
            connection.crypt.end(&mut last);
            let _ = (&connection.socket).write_all(&last);
            let _ = connection.socket.shutdown(Shutdown::Write);
        }
        Err(error) => outward.link.disconnect(&End::of_write(&error, connection.timeouts)),
    }
    drop(watch);
}

/// Writes until all local roles have left, or all remote ones.
fn write_all<P: Payload + Serialize>(
    connection: &Wired,
    outward: &mut OutLink<P>,
) -> io::Result<()> {
    connection.socket.set_write_timeout(connection.timeouts.message)?;
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut pulse = Pulse::new(outward.heartbeat);
    let (mut out, mut raw) = (Vec::new(), Vec::new());
    loop {
        let pumped = outward.pump(&waker, &mut out)?;
        if pumped == Pumped::Idle {
            match pulse.left() {
                Some(None) => thread::park(),
                Some(Some(left)) => thread::park_timeout(left),
                None => outward.send_heartbeat(&mut out)?,
            }
        }
        if !out.is_empty() {
            connection.crypt.encrypt(&out, &mut raw)?;
            (&connection.socket).write_all(&raw)?;
            out.clear();
            raw.clear();
            pulse.beat();
        }
        if pumped == Pumped::Over {
            return Ok(());
        }
    }
}

//! One connection: a reader and a writer thread, which act on behalf of the remote roles.

use std::io::{self, BufReader, BufWriter, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Location;
use super::wire::{self, Departure, Frame, ReadError};
use crate::error::Cause;
use crate::liberal::{LiberalMachine, SharedPart};
use crate::module::Payload;
use crate::plan::{PacketId, RoleId};
use crate::queue::{Receiver, Sender};
use crate::rendezvous::Envelope;
use crate::sync::Ordering;

/// How long the reader waits before it checks again whether a full queue has room.
const ROOM: Duration = Duration::from_micros(200);

/// By remote role: its halves of queues, with their numbers.
type Halves<H> = Vec<(RoleId, Vec<(u32, H)>)>;

/// What both threads share.
struct Link<P> {
    shared: Arc<SharedPart<P>>,
    /// Where each role runs.
    locations: Arc<Vec<Location>>,
    /// The number of the peer.
    peer: usize,
    /// The remote roles.
    remote: Vec<RoleId>,
}

/// Starts both threads; returns the writer, to be joined.
pub(super) fn start<P: Payload + Serialize + DeserializeOwned>(
    stream: TcpStream,
    (peer, heartbeat, silence): (usize, Option<Duration>, Option<Duration>),
    machines: Vec<LiberalMachine<P>>,
    locations: Arc<Vec<Location>>,
) -> io::Result<Option<JoinHandle<()>>> {
    let Some(shared) = machines.first().map(|machine| Arc::clone(&machine.shared)) else {
        return Ok(None);
    };
    let remote = machines.iter().map(|machine| machine.part.role).collect();
    let link = Arc::new(Link { shared, locations, peer, remote });
    let (mut taken, mut put) = (Vec::new(), Vec::new());
    for LiberalMachine { part, .. } in machines {
        let table = &link.shared.table.locals[part.role.index()];
        let queues = table.inbound.iter().map(|inbound| inbound.queue.0);
        taken.push((part.role, queues.zip(part.inbound).collect()));
        let queues = table.outbound.iter().map(|queue| queue.0);
        put.push((part.role, queues.zip(part.outbound).collect()));
    }
    let input = stream.try_clone()?;
    let silence = silence.unwrap_or_default();
    let reader = InLink { link: Arc::clone(&link), put, silence };
    let told = vec![false; link.locations.len()];
    let closed = vec![false; link.shared.closed.len()];
    let writer = OutLink { link, taken, told, closed, heartbeat };
    let named = |name: &str| thread::Builder::new().name(name.to_owned());
    // The writer first: alone it can still tell the peer that the local roles have left.
    let writer = named("quadrille writer").spawn(move || writer.run(&stream))?;
    named("quadrille reader").spawn(move || reader.run(&input))?;
    Ok(Some(writer))
}

impl<P> Link<P> {
    fn is_remote(&self, role: RoleId) -> bool {
        self.locations.get(role.index()) == Some(&Location::Peer(self.peer))
    }

    fn is_local(&self, role: RoleId) -> bool {
        self.locations.get(role.index()) == Some(&Location::Here)
    }

    /// Records that the remote roles have left.
    fn lose(&self, cause: impl Fn(String) -> Cause) {
        for &role in &self.remote {
            let name = self.shared.table.role(role).to_owned();
            self.shared.leave(role, &cause(name));
        }
    }

    /// Encodes a frame; if that fails, the remote roles count as disconnected.
    fn encode(&self, frame: &Frame<P>) -> io::Result<Vec<u8>>
    where
        P: Serialize,
    {
        wire::encode(frame).inspect_err(|error| self.disconnect(error))
    }

    fn disconnect(&self, error: &io::Error) {
        self.lose(|role| Cause::Disconnected { role, reason: error.to_string() });
    }
}

/// Ends the connection if a thread panics, as (de)serialising a message may.
struct Watch<'s, P> {
    link: Arc<Link<P>>,
    stream: &'s TcpStream,
}

impl<P> Drop for Watch<'_, P> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.link.disconnect(&io::Error::other("a message panics when it is written or read"));
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }
}

/// The reader: performs the steps of remote roles.
struct InLink<P> {
    link: Arc<Link<P>>,
    /// The queues that remote roles produce into.
    put: Halves<Sender<Envelope<P>>>,
    /// How long the peer may be silent.
    silence: Duration,
}

impl<P: Payload + DeserializeOwned> InLink<P> {
    fn run(mut self, stream: &TcpStream) {
        let _watch = Watch { link: Arc::clone(&self.link), stream };
        let mut input = BufReader::new(stream);
        let end = loop {
            match wire::frame(&mut input) {
                Ok(Some(frame)) => {
                    if let Err(reason) = self.follow(frame) {
                        break ReadError::InvalidData(reason);
                    }
                }
                Ok(None) => break ReadError::Io(io::ErrorKind::UnexpectedEof.into()),
                Err(broken) => break broken,
            }
        };
        match end {
            ReadError::InvalidData(reason) => {
                // No further communication with a peer that sends invalid data.
                self.link.lose(|role| Cause::InvalidData { role, reason: reason.clone() });
                let _ = stream.shutdown(Shutdown::Both);
            }
            ReadError::Io(error) if is_timeout(&error) => {
                let reason = format!("nothing was heard of it for {:?}", self.silence);
                self.link.lose(|role| Cause::Disconnected { role, reason: reason.clone() });
                // The writer may be waiting for room in the connection.
                let _ = stream.shutdown(Shutdown::Both);
            }
            ReadError::Io(error) => self.link.disconnect(&error),
        }
    }

    /// Performs the step of a remote role; an error if it is not possible.
    fn follow(&mut self, frame: Frame<P>) -> Result<(), String> {
        match frame {
            Frame::Message { queue, packet, payload } => self.put(queue, packet, payload),
            Frame::Close { closing } => {
                let shared = &self.link.shared;
                let pair = shared.table.closings.get(closing as usize).copied();
                let (_, to) = pair
                    .filter(|&(from, to)| self.link.is_remote(from) && self.link.is_local(to))
                    .ok_or("a close that the role may not perform")?;
                shared.closed[closing as usize].store(true, Ordering::Release);
                shared.event(to).notify();
                Ok(())
            }
            Frame::Heartbeat => Ok(()),
            Frame::Left { role, how } => {
                let role = RoleId(role);
                if !self.link.is_remote(role) {
                    return Err("the departure of a role that does not run there".to_owned());
                }
                let name = self.link.shared.table.role(role).to_owned();
                self.link.shared.leave(role, &how.cause(name));
                Ok(())
            }
        }
    }

    fn put(&mut self, queue: u32, packet: u32, payload: P) -> Result<(), String> {
        let plan = &self.link.shared.table.plan;
        let known = plan.packets.get(packet as usize).zip(plan.queues.get(queue as usize));
        let (sent, place) = known.ok_or("a message that the protocol does not have")?;
        let act = &plan.acts[sent.act.index()];
        if act.label.is_none() || payload.label() != act.label {
            return Err("a message whose content does not match its label".to_owned());
        }
        let fits = self.link.is_remote(act.from)
            && self.link.is_local(place.to)
            && act.to.contains(&place.to)
            && place.from.is_none_or(|from| from == act.from);
        let mut roles = self.put.iter_mut().filter(|(role, _)| fits && *role == act.from);
        let sender = roles.next().and_then(|(_, queues)| {
            queues.iter_mut().find(|(number, _)| *number == queue).map(|(_, sender)| sender)
        });
        let sender = sender.ok_or("a message that the role may not send")?;
        let mut envelope = (PacketId(packet), payload);
        while let Err(back) = sender.try_push(envelope) {
            if place.suffices {
                return Err("more messages in flight than the protocol allows".to_owned());
            }
            if self.link.shared.left(place.to).is_some() {
                return Ok(());
            }
            envelope = back;
            thread::sleep(ROOM);
        }
        self.link.shared.event(place.to).notify();
        Ok(())
    }
}

/// The writer: sends what is in the queues of remote roles.
struct OutLink<P> {
    link: Arc<Link<P>>,
    /// The queues that remote roles consume.
    taken: Halves<Receiver<Envelope<P>>>,
    /// By role: whether the peer was told that it left.
    told: Vec<bool>,
    /// By closing: whether the peer was told.
    closed: Vec<bool>,
    /// How often to send something.
    heartbeat: Option<Duration>,
}

/// Whether a read ended because nothing arrived; the name of that depends on the system.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl<P: Payload + Serialize> OutLink<P> {
    fn run(mut self, stream: &TcpStream) {
        let _watch = Watch { link: Arc::clone(&self.link), stream };
        // If the network fails, the reader notices too and reports it.
        let _ = self.serve(&mut BufWriter::new(stream));
        let _ = stream.shutdown(Shutdown::Write);
    }

    /// Writes until all local roles have left, or all remote ones.
    fn serve(&mut self, target: &mut impl Write) -> io::Result<()> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            // Read before the messages, so that messages precede the departure of their sender.
            let left = self.newly_left();
            let closed = self.newly_closed();
            let is_idle = self.send_messages(&waker, target)?;
            for closing in closed {
                self.closed[closing as usize] = true;
                target.write_all(&self.link.encode(&Frame::Close { closing })?)?;
            }
            let nothing_new = left.is_empty();
            for (role, cause) in left {
                self.told[role.index()] = true;
                let how = Departure::of(&cause, "?");
                target.write_all(&self.link.encode(&Frame::Left { role: role.0, how })?)?;
            }
            if !is_idle || !nothing_new {
                continue;
            }
            target.flush()?;
            if self.is_over() {
                return Ok(());
            }
            if self.newly_left().is_empty() && self.newly_closed().is_empty() {
                self.wait(target)?;
            }
        }
    }

    /// Sleeps until there may be something to send; sends a heartbeat if that takes long.
    #[expect(clippy::disallowed_methods, reason = "heartbeats need a clock")]
    fn wait(&self, target: &mut impl Write) -> io::Result<()> {
        let Some(heartbeat) = self.heartbeat else {
            thread::park();
            return Ok(());
        };
        let since = Instant::now();
        thread::park_timeout(heartbeat);
        if since.elapsed() < heartbeat {
            return Ok(());
        }
        target.write_all(&self.link.encode(&Frame::Heartbeat)?)
    }

    /// Sends all messages in the queues; whether there were none. Then the next one wakes the thread.
    fn send_messages(&mut self, waker: &Waker, target: &mut impl Write) -> io::Result<bool> {
        let mut is_idle = true;
        let mut context = Context::from_waker(waker);
        for (role, queues) in &mut self.taken {
            let mut next = || {
                let mut queues = queues.iter_mut();
                queues.find_map(|(queue, receiver)| Some((*queue, receiver.try_pop()?)))
            };
            while let Poll::Ready((queue, (PacketId(packet), payload))) =
                self.link.shared.event(*role).poll(&mut context, &mut next)
            {
                is_idle = false;
                target.write_all(&self.link.encode(&Frame::Message {
                    queue,
                    packet,
                    payload,
                })?)?;
                self.link.shared.wake_fillers(*role, queue);
            }
        }
        Ok(is_idle)
    }

    fn newly_left(&self) -> Vec<(RoleId, Cause)> {
        let roles = (0..self.told.len()).map(|role| RoleId(role as u16));
        let roles = roles.filter(|&role| self.link.is_local(role) && !self.told[role.index()]);
        roles.filter_map(|role| Some((role, self.link.shared.left(role)?))).collect()
    }

    fn newly_closed(&self) -> Vec<u32> {
        let shared = &self.link.shared;
        let is_new = |&closing: &u32| {
            let (from, to) = shared.table.closings[closing as usize];
            self.link.is_local(from)
                && self.link.is_remote(to)
                && !self.closed[closing as usize]
                && shared.closed[closing as usize].load(Ordering::Acquire)
        };
        (0..self.closed.len() as u32).filter(is_new).collect()
    }

    /// Whether all local roles have left, or all remote ones.
    fn is_over(&self) -> bool {
        let roles = || (0..self.told.len()).map(|role| RoleId(role as u16));
        let has_left = |role: RoleId| self.link.shared.left(role).is_some();
        roles().filter(|&role| self.link.is_local(role)).all(|role| self.told[role.index()])
            || self.link.remote.iter().all(|&role| has_left(role))
    }
}

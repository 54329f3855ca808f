//! One connection: a thread that reads and one that writes, which act for the roles at the other end.

use std::io::{self, BufReader, BufWriter, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Place;
use super::wire::{self, Broken, Frame, How};
use crate::error::Cause;
use crate::liberal::{Seat, Shared};
use crate::meeting::Parcel;
use crate::module::Payload;
use crate::plan::{PacketId, RoleId};
use crate::queue::{Receiver, Sender};
use crate::sync::Ordering;

/// How long the reader waits before it looks again whether a full queue has room.
const ROOM: Duration = Duration::from_micros(200);

/// By role at the other end: its halves of queues, with the numbers of these.
type Halves<H> = Vec<(RoleId, Vec<(u32, H)>)>;

/// What both threads know.
struct Link<P> {
    shared: Arc<Shared<P>>,
    /// Where every role runs.
    places: Arc<Vec<Place>>,
    /// Which of the peers this is.
    peer: usize,
    /// The roles at the other end.
    remote: Vec<RoleId>,
}

/// Starts both threads for the roles at the other end; the one that writes is to be waited for.
pub(super) fn start<P: Payload + Serialize + DeserializeOwned>(
    stream: TcpStream,
    peer: usize,
    seats: Vec<Seat<P>>,
    places: Arc<Vec<Place>>,
) -> io::Result<Option<JoinHandle<()>>> {
    let Some(shared) = seats.first().map(|seat| Arc::clone(&seat.shared)) else {
        return Ok(None);
    };
    let remote = seats.iter().map(|seat| seat.own.role).collect();
    let link = Arc::new(Link { shared, places, peer, remote });
    let (mut taken, mut put) = (Vec::new(), Vec::new());
    for Seat { own, .. } in seats {
        let table = &link.shared.table.locals[own.role.index()];
        let queues = table.inbound.iter().map(|inbound| inbound.queue.0);
        taken.push((own.role, queues.zip(own.inbound).collect()));
        let queues = table.outbound.iter().map(|queue| queue.0);
        put.push((own.role, queues.zip(own.outbound).collect()));
    }
    let input = stream.try_clone()?;
    let reader = InLink { link: Arc::clone(&link), put };
    let told = vec![false; link.places.len()];
    let closed = vec![false; link.shared.closed.len()];
    let writer = OutLink { link, taken, told, closed };
    let named = |name: &str| thread::Builder::new().name(name.to_owned());
    // The one that writes begins: alone it still tells the other end that nobody is here.
    let writer = named("quadrille writer").spawn(move || writer.run(&stream))?;
    named("quadrille reader").spawn(move || reader.run(&input))?;
    Ok(Some(writer))
}

impl<P> Link<P> {
    fn is_remote(&self, role: RoleId) -> bool {
        self.places.get(role.index()) == Some(&Place::Peer(self.peer))
    }

    fn is_local(&self, role: RoleId) -> bool {
        self.places.get(role.index()) == Some(&Place::Here)
    }

    /// Tells the local roles that the connection is over.
    fn lose(&self, cause: impl Fn(String) -> Cause) {
        for &role in &self.remote {
            let name = self.shared.table.role(role).to_owned();
            self.shared.leave(role, &cause(name));
        }
    }

    /// The bytes of a frame. If there are none, which is not the fault of the network, the local roles are told.
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

/// Ends the connection if a thread panics, as it may when a message is written or read.
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

/// Acts for the roles at the other end by what they send.
struct InLink<P> {
    link: Arc<Link<P>>,
    /// The queues that roles at the other end put into.
    put: Halves<Sender<Parcel<P>>>,
}

impl<P: Payload + DeserializeOwned> InLink<P> {
    fn run(mut self, stream: &TcpStream) {
        let _watch = Watch { link: Arc::clone(&self.link), stream };
        let mut input = BufReader::new(stream);
        let end = loop {
            match wire::frame(&mut input) {
                Ok(Some(frame)) => {
                    if let Err(reason) = self.follow(frame) {
                        break Broken::Garbage(reason);
                    }
                }
                Ok(None) => break Broken::Io(io::ErrorKind::UnexpectedEof.into()),
                Err(broken) => break broken,
            }
        };
        match end {
            Broken::Garbage(reason) => {
                // Who sends garbage is not listened to and not talked to any more.
                self.link.lose(|role| Cause::Garbage { role, reason: reason.clone() });
                let _ = stream.shutdown(Shutdown::Both);
            }
            Broken::Io(error) => self.link.disconnect(&error),
        }
    }

    /// Does what a role at the other end did; an error if it cannot have done that.
    fn follow(&mut self, frame: Frame<P>) -> Result<(), String> {
        match frame {
            Frame::Message { queue, packet, payload } => self.put(queue, packet, payload),
            Frame::Close { closing } => {
                let shared = &self.link.shared;
                let pair = shared.table.closings.get(closing as usize).copied();
                let (_, to) = pair
                    .filter(|&(from, to)| self.link.is_remote(from) && self.link.is_local(to))
                    .ok_or("a closing that it may not do")?;
                shared.closed[closing as usize].store(true, Ordering::Release);
                shared.event(to).notify();
                Ok(())
            }
            Frame::Left { role, how } => {
                let role = RoleId(role);
                if !self.link.is_remote(role) {
                    return Err("the end of a role that does not run there".to_owned());
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
            return Err("a message with another content than it says".to_owned());
        }
        let fits = self.link.is_remote(act.from)
            && self.link.is_local(place.to)
            && act.to.contains(&place.to)
            && place.from.is_none_or(|from| from == act.from);
        let mut roles = self.put.iter_mut().filter(|(role, _)| fits && *role == act.from);
        let sender = roles.next().and_then(|(_, queues)| {
            queues.iter_mut().find(|(number, _)| *number == queue).map(|(_, sender)| sender)
        });
        let sender = sender.ok_or("a message that it may not send")?;
        let mut parcel = (PacketId(packet), payload);
        while let Err(back) = sender.try_push(parcel) {
            if place.suffices {
                return Err("more messages at a time than the protocol allows".to_owned());
            }
            if self.link.shared.left(place.to).is_some() {
                return Ok(());
            }
            parcel = back;
            thread::sleep(ROOM);
        }
        self.link.shared.event(place.to).notify();
        Ok(())
    }
}

/// Sends to the roles at the other end what is meant for them.
struct OutLink<P> {
    link: Arc<Link<P>>,
    /// The queues that they take from.
    taken: Halves<Receiver<Parcel<P>>>,
    /// By role: whether the other end knows that it left.
    told: Vec<bool>,
    /// By closing: whether the other end knows that it happened.
    closed: Vec<bool>,
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
        // If the network fails the reader learns it too, and tells everybody.
        let _ = self.serve(&mut BufWriter::new(stream));
        let _ = stream.shutdown(Shutdown::Write);
    }

    /// Writes until all local roles have left, or those at the other end.
    fn serve(&mut self, out: &mut impl Write) -> io::Result<()> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            // What is true now was true before everything that is sent next.
            let left = self.newly_left();
            let closed = self.newly_closed();
            let is_idle = self.send_messages(&waker, out)?;
            for closing in closed {
                self.closed[closing as usize] = true;
                out.write_all(&self.link.encode(&Frame::Close { closing })?)?;
            }
            let nothing_new = left.is_empty();
            for (role, cause) in left {
                self.told[role.index()] = true;
                let how = How::of(&cause, "?");
                out.write_all(&self.link.encode(&Frame::Left { role: role.0, how })?)?;
            }
            if !is_idle || !nothing_new {
                continue;
            }
            out.flush()?;
            if self.is_over() {
                return Ok(());
            }
            if self.newly_left().is_empty() && self.newly_closed().is_empty() {
                thread::park();
            }
        }
    }

    /// Sends all messages that are there; whether there were none. Then the thread is woken by the next.
    fn send_messages(&mut self, waker: &Waker, out: &mut impl Write) -> io::Result<bool> {
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
                out.write_all(&self.link.encode(&Frame::Message { queue, packet, payload })?)?;
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

    /// Whether nobody has anything to say, or nobody is there to hear it.
    fn is_over(&self) -> bool {
        let roles = || (0..self.told.len()).map(|role| RoleId(role as u16));
        let has_left = |role: RoleId| self.link.shared.left(role).is_some();
        roles().filter(|&role| self.link.is_local(role)).all(|role| self.told[role.index()])
            || self.link.remote.iter().all(|&role| has_left(role))
    }
}

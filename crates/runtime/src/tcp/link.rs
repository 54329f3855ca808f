//! One connection as two machines that act on behalf of the remote roles: frames that arrive become their steps, and what
//! waits for them becomes frames. They never wait themselves; threads (`threads.rs`) or tasks (`tasks.rs`) run them.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Location;
use super::greeting::Greeted;
use super::network::Limits;
use super::wire::{Decoder, Departure, Encoder, Frame};
use crate::error::Cause;
use crate::liberal::{LiberalMachine, SharedPart};
use crate::module::Payload;
use crate::plan::{PacketId, RoleId};
use crate::queue::{Receiver, Sender};
use crate::rendezvous::Envelope;
use crate::sync::Ordering;

/// How long to wait before checking again whether a full queue has room.
pub(super) const ROOM: Duration = Duration::from_micros(200);

/// How much is written at once.
const BATCH: usize = 32 << 10;

/// How many heartbeats in a row are counted before asking how long they took.
const HEARTBEATS: u32 = 1000;

/// By remote role: its halves of queues, with their numbers.
type Halves<H> = Vec<(RoleId, Vec<(u32, H)>)>;

/// What both machines share.
pub(super) struct Link<P> {
    shared: Arc<SharedPart<P>>,
    /// Where each role runs.
    locations: Arc<Vec<Location>>,
    /// The number of the peer.
    peer: usize,
    /// The remote roles.
    remote: Vec<RoleId>,
}

/// The machines of a connection with these remote roles; `None` if there are none.
pub(super) fn machines<P: Payload>(
    (peer, locations): (usize, Arc<Vec<Location>>),
    machines: Vec<LiberalMachine<P>>,
    greeted: Greeted,
    (limits, silence): (Limits, Option<Duration>),
) -> Option<(InLink<P>, OutLink<P>)> {
    let shared = Arc::clone(&machines.first()?.shared);
    let remote = machines.iter().map(|machine| machine.part.role).collect();
    let link = Arc::new(Link { shared, locations, peer, remote });
    let (mut taken, mut put) = (Vec::new(), Vec::new());
    for LiberalMachine { part, .. } in machines {
        let table = &link.shared.table.locals[part.role.index()];
        let queues = table.inbound.iter().map(|inbound| inbound.queue.0);
        taken.push((part.role, queues.zip(part.inbound).collect()));
        let queues = table.outbound.iter().map(|queue| queue.0);
        let waiting = part.outbound.into_iter().map(Waiting::new);
        put.push((part.role, queues.zip(waiting).collect()));
    }
    let heartbeat = greeted.theirs.heartbeat();
    let inward = InLink {
        link: Arc::clone(&link),
        put,
        decoder: greeted.decoder,
        n_queued: 0,
        most_queued: limits.queued,
        silence,
        heartbeats: None,
    };
    let told = vec![false; link.locations.len()];
    let closed = vec![false; link.shared.closed.len()];
    let outward = OutLink { link, taken, told, closed, heartbeat, encoder: greeted.encoder };
    Some((inward, outward))
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

    /// Records that the connection to the remote roles is lost.
    pub(super) fn disconnect(&self, reason: &str) {
        self.lose(|role| Cause::Disconnected { role, reason: reason.to_owned() });
    }

    /// Records that the peer sends invalid data.
    pub(super) fn distrust(&self, reason: &str) {
        self.lose(|role| Cause::InvalidData { role, reason: reason.to_owned() });
    }
}

/// Loses the remote roles if a thread or task panics, as (de)serialising a message may.
pub(super) struct Watch<P>(pub(super) Arc<Link<P>>);

impl<P> Drop for Watch<P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.disconnect("a message panics when it is written or read");
        }
    }
}

/// The end of a queue that a remote role produces into, and the lengths of its messages that may still wait in it.
struct Waiting<P> {
    sender: Sender<Envelope<P>>,
    lengths: VecDeque<usize>,
}

impl<P: Payload> Waiting<P> {
    fn new(sender: Sender<Envelope<P>>) -> Self {
        Self { sender, lengths: VecDeque::new() }
    }

    /// Forgets the messages that were taken; how many bytes they had. Other producers of the queue may hide some.
    fn forget_taken(&mut self) -> usize {
        let n_taken = self.lengths.len().saturating_sub(self.sender.len());
        self.lengths.drain(..n_taken).sum()
    }
}

/// Performs the steps of remote roles.
pub(super) struct InLink<P> {
    pub(super) link: Arc<Link<P>>,
    /// The queues that remote roles produce into.
    put: Halves<Waiting<P>>,
    pub(super) decoder: Decoder,
    /// How many bytes may wait in those queues, and how many do at most.
    most_queued: usize,
    n_queued: usize,
    /// How long the peer may be silent.
    silence: Option<Duration>,
    /// How many heartbeats came in a row, and when the first did.
    heartbeats: Option<(u32, Instant)>,
}

/// What became of a frame.
pub(super) enum Followed<P> {
    Done,
    /// It has to wait for room.
    Full(Frame<P>, usize),
}

impl<P: Payload + DeserializeOwned> InLink<P> {
    /// Performs the steps that have arrived; one that has to wait for room, if there is one. An error if one is not possible.
    pub(super) fn follow_all(&mut self) -> Result<Followed<P>, String> {
        while let Some((frame, length)) = self.decoder.next()? {
            let followed = self.follow(frame, length)?;
            if let Followed::Full(..) = followed {
                return Ok(followed);
            }
        }
        Ok(Followed::Done)
    }

    /// Performs the step of a remote role; an error if it is not possible.
    pub(super) fn follow(&mut self, frame: Frame<P>, length: usize) -> Result<Followed<P>, String> {
        if !matches!(frame, Frame::Heartbeat) {
            self.heartbeats = None;
        }
        match frame {
            Frame::Message { queue, packet, payload } => self.put(queue, packet, payload, length),
            Frame::Close { closing } => {
                let shared = &self.link.shared;
                let pair = shared.table.closings.get(closing as usize).copied();
                let (_, to) = pair
                    .filter(|&(from, to)| self.link.is_remote(from) && self.link.is_local(to))
                    .ok_or("a close that the role may not perform")?;
                if shared.closed[closing as usize].swap(true, Ordering::AcqRel) {
                    return Err("a close of what was closed before".to_owned());
                }
                shared.event(to).notify();
                Ok(Followed::Done)
            }
            Frame::Heartbeat => self.hear_heartbeat(),
            Frame::Left { role, how } => {
                let role = RoleId(role);
                if !self.link.is_remote(role) {
                    return Err("the departure of a role that does not run there".to_owned());
                }
                if self.link.shared.left(role).is_some() {
                    return Err("the departure of a role that has left before".to_owned());
                }
                let name = self.link.shared.table.role(role).to_owned();
                self.link.shared.leave(role, &how.cause(name));
                Ok(Followed::Done)
            }
        }
    }

    /// Heartbeats come three times in the silence that we allow; ten times as many are a flood.
    #[expect(clippy::disallowed_methods, reason = "heartbeats need a clock")]
    fn hear_heartbeat(&mut self) -> Result<Followed<P>, String> {
        let (n_heartbeats, since) = self.heartbeats.get_or_insert_with(|| (0, Instant::now()));
        *n_heartbeats += 1;
        if *n_heartbeats < HEARTBEATS {
            return Ok(Followed::Done);
        }
        let least = self.silence.unwrap_or(Duration::from_secs(1)) * (HEARTBEATS / 30);
        let flood = since.elapsed() < least;
        self.heartbeats = None;
        if flood { Err("a flood of heartbeats".to_owned()) } else { Ok(Followed::Done) }
    }

    fn put(
        &mut self,
        queue: u32,
        packet: u32,
        payload: P,
        length: usize,
    ) -> Result<Followed<P>, String> {
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
        if self.n_queued + length > self.most_queued {
            let queues = self.put.iter_mut().flat_map(|(_, queues)| queues);
            let n_taken: usize = queues.map(|(_, waiting)| waiting.forget_taken()).sum();
            self.n_queued -= n_taken;
        }
        let is_too_much = self.n_queued > 0 && self.n_queued + length > self.most_queued;
        if is_too_much && place.suffices {
            return Err(format!("more than {} bytes wait for their receivers", self.most_queued));
        }
        let mut roles = self.put.iter_mut().filter(|(role, _)| fits && *role == act.from);
        let waiting = roles.next().and_then(|(_, queues)| {
            queues.iter_mut().find(|(number, _)| *number == queue).map(|(_, waiting)| waiting)
        });
        let waiting = waiting.ok_or("a message that the role may not send")?;
        let envelope = (PacketId(packet), payload);
        let pushed = if is_too_much { Err(envelope) } else { waiting.sender.try_push(envelope) };
        let Err((_, payload)) = pushed else {
            waiting.lengths.push_back(length);
            self.n_queued += length;
            if waiting.lengths.len() > 2 * place.capacity.max(16) as usize {
                self.n_queued -= waiting.forget_taken();
            }
            self.link.shared.event(place.to).notify();
            return Ok(Followed::Done);
        };
        if place.suffices {
            return Err("more messages in flight than the protocol allows".to_owned());
        }
        if self.link.shared.left(place.to).is_some() {
            return Ok(Followed::Done);
        }
        Ok(Followed::Full(Frame::Message { queue, packet, payload }, length))
    }
}

/// Takes what is in the queues of remote roles.
pub(super) struct OutLink<P> {
    pub(super) link: Arc<Link<P>>,
    /// The queues that remote roles consume.
    taken: Halves<Receiver<Envelope<P>>>,
    /// By role: whether the peer was told that it left.
    told: Vec<bool>,
    /// By closing: whether the peer was told.
    closed: Vec<bool>,
    /// How often to send something.
    pub(super) heartbeat: Option<Duration>,
    encoder: Encoder,
}

/// What to do after writing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pumped {
    /// There may be more.
    More,
    /// Nothing to write until the waker is called.
    Idle,
    /// All local roles have left, or all remote ones.
    Over,
}

impl<P: Payload + Serialize> OutLink<P> {
    /// Appends frames for what the local roles did.
    pub(super) fn pump(&mut self, waker: &Waker, out: &mut Vec<u8>) -> io::Result<Pumped> {
        let result = self.take_all(waker, out);
        if let Err(error) = &result {
            self.link.disconnect(&error.to_string());
        }
        result
    }

    pub(super) fn send_heartbeat(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        self.encoder.encode(&Frame::<P>::Heartbeat, out)
    }

    fn take_all(&mut self, waker: &Waker, out: &mut Vec<u8>) -> io::Result<Pumped> {
        // Read before the messages, so that messages precede the departure of their sender.
        let left = self.newly_left();
        let closed = self.newly_closed();
        let start = out.len();
        if self.take_messages(waker, out)? {
            return Ok(Pumped::More);
        }
        for closing in closed {
            self.closed[closing as usize] = true;
            self.encoder.encode(&Frame::<P>::Close { closing }, out)?;
        }
        for (role, cause) in left {
            self.told[role.index()] = true;
            let how = Departure::of(&cause, "?");
            self.encoder.encode(&Frame::<P>::Left { role: role.0, how }, out)?;
        }
        if self.is_over() {
            return Ok(Pumped::Over);
        }
        let has_news = !self.newly_left().is_empty() || !self.newly_closed().is_empty();
        Ok(if has_news || out.len() > start { Pumped::More } else { Pumped::Idle })
    }

    /// Appends the messages in the queues; whether there is more than should be written at once. Otherwise the next message
    /// calls the waker.
    fn take_messages(&mut self, waker: &Waker, out: &mut Vec<u8>) -> io::Result<bool> {
        let mut context = Context::from_waker(waker);
        for (role, queues) in &mut self.taken {
            let mut next = || {
                let mut queues = queues.iter_mut();
                queues.find_map(|(queue, receiver)| Some((*queue, receiver.try_pop()?)))
            };
            while let Poll::Ready((queue, (PacketId(packet), payload))) =
                self.link.shared.event(*role).poll(&mut context, &mut next)
            {
                self.encoder.encode(&Frame::Message { queue, packet, payload }, out)?;
                self.link.shared.wake_fillers(*role, queue);
                if out.len() >= BATCH {
                    return Ok(true);
                }
            }
        }
        Ok(false)
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

    fn is_over(&self) -> bool {
        let roles = || (0..self.told.len()).map(|role| RoleId(role as u16));
        let has_left = |role: RoleId| self.link.shared.left(role).is_some();
        roles().filter(|&role| self.link.is_local(role)).all(|role| self.told[role.index()])
            || self.link.remote.iter().all(|&role| has_left(role))
    }
}

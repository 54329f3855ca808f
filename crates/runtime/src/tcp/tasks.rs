//! Connections run by tasks of tokio: a task for each, with the same machines as threads have. Timers must be enabled in the
//! runtime.

use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::error::{ConnectError, Reason};
use super::greeting::{Crypt, Greeted, Greeting, Hello};
use super::link::{self, Followed, InLink, OutLink, Pumped, ROOM, Watch};
use super::network::{Network, Timeouts};
use super::patience::{Deadline, End, Patience, Pulse, is_reset};
use super::peer::{Slot, chance, host, unreachable};
use super::server::{Counts, Ended, Sessions, Slots};
use super::{Assembly, Process};
use crate::module::{Module, Payload};
use crate::plan::RoleId;
use crate::role::Role;

/// How long a peer that is refused has to read why.
const FAREWELL: Duration = Duration::from_millis(200);

/// As [`Peer`](super::Peer), for tasks.
pub struct AsyncPeer {
    socket: TcpStream,
    address: String,
    host: Option<String>,
    network: Network,
    slot: Option<Arc<Slot>>,
}

impl AsyncPeer {
    /// Its address.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl fmt::Debug for AsyncPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AsyncPeer").field(&self.address).finish()
    }
}

impl Network {
    /// As [`Network::connect`], for tasks.
    pub async fn connect_async(&self, address: &str) -> Result<AsyncPeer, ConnectError> {
        let deadline = Deadline::new(self.retry.within);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let last = match self.attempt_async(address, deadline).await {
                Ok(socket) => {
                    return Ok(AsyncPeer {
                        socket,
                        address: address.to_owned(),
                        host: Some(host(address).to_owned()),
                        network: self.clone(),
                        slot: None,
                    });
                }
                Err(error) if error.kind() == ErrorKind::InvalidInput => {
                    return Err(Reason::Io(error).of(address));
                }
                Err(error) => error,
            };
            match deadline.left() {
                Some(left) => sleep(self.retry.wait_at(attempts, chance()).min(left)).await,
                None => return Err(unreachable(attempts, self.retry, last).of(address)),
            }
        }
    }

    async fn attempt_async(&self, address: &str, deadline: Deadline) -> io::Result<TcpStream> {
        // One attempt is made even if there is no time for several.
        let left = deadline.left().unwrap_or(self.timeouts.greeting).min(self.timeouts.greeting);
        let connected = timeout(left, TcpStream::connect(address)).await;
        connected.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
    }

    /// As [`Network::listen`], for tasks.
    pub async fn listen_async(&self, address: &str) -> Result<AsyncListener, ConnectError> {
        let socket = TcpListener::bind(address).await;
        let socket = socket.map_err(|error| Reason::Io(error).of(address))?;
        Ok(AsyncListener { socket, network: self.clone() })
    }
}

/// As [`Listener`](super::Listener), for tasks.
#[derive(Debug)]
pub struct AsyncListener {
    socket: TcpListener,
    network: Network,
}

impl AsyncListener {
    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Waits for the next peer.
    pub async fn accept(&self) -> Result<AsyncPeer, ConnectError> {
        let (socket, address) = self.socket.accept().await.map_err(Reason::Io)?;
        Ok(Self::peer(&self.network, socket, address, None))
    }

    fn peer(
        network: &Network,
        socket: TcpStream,
        address: SocketAddr,
        slot: Option<Arc<Slot>>,
    ) -> AsyncPeer {
        let (address, network) = (address.to_string(), network.clone());
        AsyncPeer { socket, address, host: None, network, slot }
    }

    /// As [`Listener::serve`](super::Listener::serve), with a task for each session. To be called within a runtime.
    pub fn serve<E, F>(
        self,
        sessions: Sessions,
        session: impl Fn(AsyncPeer) -> F + Send + Sync + 'static,
    ) -> io::Result<AsyncServer>
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Send + 'static,
    {
        let address = self.address()?;
        let slots = Slots::new(sessions);
        let known = Arc::clone(&slots);
        let accepts = tokio::spawn(async move {
            loop {
                let Ok((socket, address)) = self.socket.accept().await else {
                    // No file is free, or the peer has gone already. Sessions that end make room.
                    sleep(Duration::from_millis(10)).await;
                    continue;
                };
                let Some(slot) = known.take(address) else { continue };
                let peer = Self::peer(&self.network, socket, address, Some(slot));
                let ending = Ending(Arc::clone(&known), Ended::Panicked);
                let running = session(peer);
                tokio::spawn(async move {
                    let mut ending = ending;
                    ending.1 = if running.await.is_ok() { Ended::Well } else { Ended::Failed };
                    drop(ending);
                });
            }
        });
        Ok(AsyncServer { address, slots, accepts })
    }
}

/// Counts a session when it ends, by a panic unless it says otherwise.
struct Ending(Arc<Slots>, Ended);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end(&self.1);
    }
}

/// As [`Server`](super::Server), for tasks.
pub struct AsyncServer {
    address: SocketAddr,
    slots: Arc<Slots>,
    accepts: tokio::task::JoinHandle<()>,
}

impl AsyncServer {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What became of its sessions so far.
    pub fn counts(&self) -> Counts {
        self.slots.counts()
    }

    /// Stops accepting and waits until all sessions and their connections have ended; what became of them.
    pub async fn join(self) -> Counts {
        self.accepts.abort();
        self.slots.wait_as_task().await;
        self.counts()
    }
}

impl Drop for AsyncServer {
    fn drop(&mut self) {
        self.accepts.abort();
    }
}

impl fmt::Debug for AsyncServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncServer")
            .field("address", &self.address)
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}

/// As [`Connections`](super::Connections), for tasks.
#[derive(Debug)]
pub struct AsyncConnections {
    written: Vec<oneshot::Receiver<()>>,
    processes: Vec<Process>,
}

impl AsyncConnections {
    /// Waits until everything that the local roles sent is written. Call it after they have ended, before the process ends;
    /// it waits for ever if one of them is kept.
    pub async fn flush(self) {
        for written in self.written {
            // The roles were told about errors.
            let _ = written.await;
        }
    }

    /// The other processes, in the order of the peers.
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }
}

impl<P: Payload + Serialize + DeserializeOwned> Module<P> {
    /// As [`Module::connect`]; tasks of tokio run the connections.
    pub async fn connect_async(
        self,
        local: &[RoleId],
        peers: impl IntoIterator<Item = AsyncPeer>,
    ) -> Result<(Vec<Role<P>>, AsyncConnections), ConnectError> {
        let assembly = Assembly::new(&self, local)?;
        let greet_one = |peer| tokio::spawn(greet(peer, assembly.hello.clone()));
        let greetings: Vec<_> = peers.into_iter().map(greet_one).collect();
        let mut connected = Vec::new();
        for greeting in greetings {
            let ended = greeting.await.map_err(|error| Reason::Io(io::Error::other(error)))?;
            connected.push(ended?);
        }
        let greeted = connected.iter().map(|it| (it.address.as_str(), &it.greeted));
        let (roles, owners, mut remote) = assembly.settle(&self, greeted)?;
        let (mut written, mut processes) = (Vec::new(), Vec::new());
        for (number, connection) in connected.into_iter().enumerate() {
            let Connection { address, network, greeted, socket, slot } = connection;
            processes.push(Process::new(&address, &greeted));
            let limits = (network.limits, network.timeouts.silence);
            let crypt = greeted.crypt.clone();
            let machines = std::mem::take(&mut remote[number]);
            let ends = link::machines((number, Arc::clone(&owners)), machines, greeted, limits);
            if let Some(ends) = ends {
                let (done, is_done) = oneshot::channel();
                let wired = Wired { socket, crypt, timeouts: network.timeouts };
                tokio::spawn(async move {
                    run(wired, ends, done).await;
                    drop(slot);
                });
                written.push(is_done);
            }
        }
        Ok((roles, AsyncConnections { written, processes }))
    }

    /// Runs one role in this process, as [`Module::connect_async`] does.
    pub async fn connect_async_as(
        self,
        role: RoleId,
        peers: impl IntoIterator<Item = AsyncPeer>,
    ) -> Result<(Role<P>, AsyncConnections), ConnectError> {
        let (mut roles, connections) = self.connect_async(&[role], peers).await?;
        match roles.pop() {
            Some(role) => Ok((role, connections)),
            None => Err(Reason::Unknown { role: role.index().to_string() }.into()),
        }
    }
}

/// A connection after its greeting.
struct Connection {
    address: String,
    network: Network,
    greeted: Greeted,
    socket: TcpStream,
    slot: Option<Arc<Slot>>,
}

async fn greet(peer: AsyncPeer, hello: Hello) -> Result<Connection, ConnectError> {
    let AsyncPeer { mut socket, address, host, network, slot } = peer;
    let within = network.timeouts.greeting;
    let greeting =
        Greeting::new(&network, &hello, host.as_deref()).map_err(|reason| reason.of(&address))?;
    let talked = timeout(within, talk(&mut socket, greeting)).await;
    match talked.unwrap_or(Err(Reason::Silent { within })) {
        Ok(greeted) => Ok(Connection { address, network, greeted, socket, slot }),
        Err(reason) => {
            let _ = timeout(FAREWELL, part_from(&mut socket)).await;
            Err(reason.of(&address))
        }
    }
}

async fn talk(socket: &mut TcpStream, mut greeting: Greeting) -> Result<Greeted, Reason> {
    socket.set_nodelay(true)?;
    let (mut raw, mut n_raw, mut out) = ([0; 4096], 0, Vec::new());
    loop {
        let stepped = greeting.step(&raw[..n_raw], &mut out);
        let written = socket.write_all(&out).await;
        out.clear();
        if stepped? {
            break;
        }
        let read = match written {
            Ok(()) => socket.read(&mut raw).await,
            Err(error) => Err(error),
        };
        n_raw = match read {
            Ok(0) => return Err(greeting.interrupted()),
            Ok(n_bytes) => n_bytes,
            Err(error) if is_reset(&error) => return Err(greeting.interrupted()),
            Err(error) => return Err(Reason::Io(error)),
        };
    }
    greeting.finish().ok_or(Reason::NotAPeer)
}

/// Ends a connection so that the peer can still read what was written: closing it with bytes that were not read would
/// reset it.
async fn part_from(socket: &mut TcpStream) {
    let _ = socket.shutdown().await;
    let mut rest = [0; 4096];
    while matches!(socket.read(&mut rest).await, Ok(1..)) {}
}

/// What both sides of a connection need.
struct Wired {
    socket: TcpStream,
    crypt: Crypt,
    timeouts: Timeouts,
}

/// Reads and writes until both have ended, or one of them fails.
async fn run<P: Payload + Serialize + DeserializeOwned>(
    mut wired: Wired,
    (mut inward, mut outward): (InLink<P>, OutLink<P>),
    done: oneshot::Sender<()>,
) {
    let link = Arc::clone(&inward.link);
    let _watch = Watch(Arc::clone(&link));
    let (crypt, timeouts) = (&wired.crypt, wired.timeouts);
    let (input, output) = wired.socket.split();
    let mut reader = pin!(read_all(input, crypt, timeouts, &mut inward));
    let mut writer = pin!(write_all(output, crypt, timeouts, &mut outward));
    let (mut is_reading, mut done) = (true, Some(done));
    poll_fn(|context| {
        if is_reading && let Poll::Ready(end) = reader.as_mut().poll(context) {
            is_reading = false;
            let is_abrupt = end.is_abrupt();
            end.tell(&link);
            if is_abrupt {
                return Poll::Ready(());
            }
        }
        // Polled after the reader: it is over if that lost all remote roles.
        if done.is_some()
            && let Poll::Ready(result) = writer.as_mut().poll(context)
        {
            done = None;
            if let Err(error) = result {
                link.disconnect(&End::of_write(&error, timeouts));
                return Poll::Ready(());
            }
        }
        if is_reading || done.is_some() { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}

async fn read_all<P: Payload + DeserializeOwned>(
    mut input: ReadHalf<'_>,
    crypt: &Crypt,
    timeouts: Timeouts,
    inward: &mut InLink<P>,
) -> End {
    let mut patience = Patience::new(timeouts);
    let mut plain = Vec::new();
    loop {
        if let Err(reason) = follow(inward).await {
            return End::InvalidData(reason);
        }
        let wait = match patience.before_read(&inward.decoder) {
            Ok(wait) => wait,
            Err(end) => return end,
        };
        let filled = fill(&mut input, crypt, inward, &mut plain);
        let filled = match wait {
            Some(wait) => timeout(wait, filled).await,
            None => Ok(filled.await),
        };
        match filled {
            Ok(Ok(true)) => {}
            // What came with the end is followed before.
            Ok(Ok(false)) => {
                return follow(inward).await.map_or_else(End::InvalidData, |()| End::Closed);
            }
            Ok(Err(error)) => return End::of(&error),
            Err(_) => return patience.expired(),
        }
    }
}

async fn follow<P: Payload + DeserializeOwned>(inward: &mut InLink<P>) -> Result<(), String> {
    let mut followed = inward.follow_all()?;
    while let Followed::Full(frame, length) = followed {
        sleep(ROOM).await;
        followed = match inward.follow(frame, length)? {
            Followed::Done => inward.follow_all()?,
            full @ Followed::Full(..) => full,
        };
    }
    Ok(())
}

/// Reads once; whether there is more to come. Nothing is lost if it is cancelled.
async fn fill<P: Payload + DeserializeOwned>(
    input: &mut ReadHalf<'_>,
    crypt: &Crypt,
    inward: &mut InLink<P>,
    plain: &mut Vec<u8>,
) -> io::Result<bool> {
    let decoder = &mut inward.decoder;
    if crypt.is_plain() {
        let n_bytes = input.read(decoder.room()).await?;
        decoder.filled(n_bytes);
        return Ok(n_bytes > 0);
    }
    input.readable().await?;
    let mut raw = [0; 8 << 10];
    let n_bytes = match input.try_read(&mut raw) {
        Ok(n_bytes) => n_bytes,
        Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
        Err(error) => return Err(error),
    };
    let is_over = crypt.decrypt(&raw[..n_bytes], plain)?;
    decoder.push(plain);
    plain.clear();
    Ok(n_bytes > 0 && !is_over)
}

/// Writes until all local roles have left, or all remote ones.
async fn write_all<P: Payload + Serialize>(
    mut output: WriteHalf<'_>,
    crypt: &Crypt,
    timeouts: Timeouts,
    outward: &mut OutLink<P>,
) -> io::Result<()> {
    let mut pulse = Pulse::new(outward.heartbeat);
    let (mut out, mut raw) = (Vec::new(), Vec::new());
    loop {
        let pump = poll_fn(|context| match outward.pump(context.waker(), &mut out) {
            Ok(Pumped::Idle) => Poll::Pending,
            pumped => Poll::Ready(pumped),
        });
        let pumped = match pulse.left() {
            Some(None) => Some(pump.await?),
            Some(Some(left)) => timeout(left, pump).await.ok().transpose()?,
            None => None,
        };
        if pumped.is_none() {
            outward.send_heartbeat(&mut out)?;
        }
        if !out.is_empty() {
            crypt.encrypt(&out, &mut raw)?;
            write(&mut output, &raw, timeouts).await?;
            out.clear();
            raw.clear();
            pulse.beat();
        }
        if pumped == Some(Pumped::Over) {
            crypt.end(&mut raw);
            write(&mut output, &raw, timeouts).await?;
            return output.shutdown().await;
        }
    }
}

async fn write(output: &mut WriteHalf<'_>, raw: &[u8], timeouts: Timeouts) -> io::Result<()> {
    match timeouts.message {
        Some(within) => {
            let written = timeout(within, output.write_all(raw)).await;
            written.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
        }
        None => output.write_all(raw).await,
    }
}

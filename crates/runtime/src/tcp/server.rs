//! A role that serves many sessions at once: one module and one thread for each, and limits on how many there are.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::network::Network;
use super::peer::{Listener, Peer, Slot};

/// How many sessions a server serves at once. A peer takes a place when it connects, before it greets, and gives it back
/// when its connection has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sessions {
    /// How many in all; 1024 by default. The connections of others are closed at once.
    pub at_most: usize,
    /// How many from one IP address; no limit by default. With one, no single host takes all places.
    pub per_host: usize,
}

impl Default for Sessions {
    fn default() -> Self {
        Self { at_most: 1024, per_host: usize::MAX }
    }
}

/// What became of the sessions of a server.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// How many connections there are now.
    pub running: usize,
    /// How many sessions ended well.
    pub finished: u64,
    /// How many ended with an error.
    pub failed: u64,
    /// How many panicked.
    pub panicked: u64,
    /// How many connections were closed because there were too many.
    pub refused: u64,
}

/// The places of a server.
pub(super) struct Slots {
    sessions: Sessions,
    state: Mutex<State>,
    /// A place was given back, or a session has ended.
    changed: Condvar,
    #[cfg(feature = "tokio")]
    changed_for_tasks: tokio::sync::Notify,
}

#[derive(Default)]
struct State {
    counts: Counts,
    by_host: BTreeMap<IpAddr, usize>,
    /// How many sessions have not ended.
    handled: usize,
    is_stopped: bool,
}

impl State {
    fn is_busy(&self) -> bool {
        self.handled > 0 || self.counts.running > 0
    }
}

/// How a session ended.
pub(super) enum Ended {
    Well,
    Failed,
    Panicked,
}

impl Slots {
    pub(super) fn new(sessions: Sessions) -> Arc<Self> {
        Arc::new(Self {
            sessions,
            state: Mutex::default(),
            changed: Condvar::new(),
            #[cfg(feature = "tokio")]
            changed_for_tasks: tokio::sync::Notify::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a session, if there is one.
    pub(super) fn take(self: &Arc<Self>, address: SocketAddr) -> Option<Arc<Slot>> {
        let mut state = self.state();
        let n_from_host = state.by_host.get(&address.ip()).copied().unwrap_or_default();
        if state.counts.running >= self.sessions.at_most || n_from_host >= self.sessions.per_host {
            state.counts.refused += 1;
            return None;
        }
        state.counts.running += 1;
        state.handled += 1;
        state.by_host.insert(address.ip(), n_from_host + 1);
        Some(Arc::new(Slot { slots: Arc::clone(self), address }))
    }

    pub(super) fn give_back(&self, address: SocketAddr) {
        let mut state = self.state();
        state.counts.running -= 1;
        if let Some(n_from_host) = state.by_host.get_mut(&address.ip()) {
            *n_from_host -= 1;
            if *n_from_host == 0 {
                state.by_host.remove(&address.ip());
            }
        }
        drop(state);
        self.tell();
    }

    pub(super) fn end(&self, how: &Ended) {
        let mut state = self.state();
        state.handled -= 1;
        match how {
            Ended::Well => state.counts.finished += 1,
            Ended::Failed => state.counts.failed += 1,
            Ended::Panicked => state.counts.panicked += 1,
        }
        drop(state);
        self.tell();
    }

    pub(super) fn counts(&self) -> Counts {
        self.state().counts
    }

    pub(super) fn stop(&self) {
        self.state().is_stopped = true;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.state().is_stopped
    }

    fn tell(&self) {
        self.changed.notify_all();
        #[cfg(feature = "tokio")]
        self.changed_for_tasks.notify_waiters();
    }

    fn wait(&self) {
        let waited = self.changed.wait_while(self.state(), |state| state.is_busy());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// The same for a task.
    #[cfg(feature = "tokio")]
    pub(super) async fn wait_as_task(&self) {
        loop {
            let mut changed = std::pin::pin!(self.changed_for_tasks.notified());
            // What changes from here on is noticed.
            changed.as_mut().enable();
            if !self.state().is_busy() {
                return;
            }
            changed.await;
        }
    }
}

/// A server that accepts sessions in a thread of its own. Dropping it stops accepting; sessions go on.
pub struct Server {
    address: SocketAddr,
    slots: Arc<Slots>,
    accepts: Option<JoinHandle<()>>,
}

impl Listener {
    /// Serves peers, each in a thread of its own. The session makes a module and connects its role to the peer:
    ///
    /// ```ignore
    /// let server = network.listen("0.0.0.0:7000")?.serve(Sessions::default(), |peer| {
    ///     let (mut server, connections) = login::Server::connect(login::liberal(), [peer])?;
    ///     let Ask { name } = server.recv()?;
    ///     server.send(greeting(name))?;
    ///     Ok::<(), Box<dyn Error>>(())
    /// })?;
    /// ```
    ///
    /// An error or a panic ends its session and is counted; others do not notice.
    pub fn serve<E>(
        self,
        sessions: Sessions,
        session: impl Fn(Peer) -> Result<(), E> + Send + Sync + 'static,
    ) -> io::Result<Server> {
        let address = self.address()?;
        let slots = Slots::new(sessions);
        let (known, session) = (Arc::clone(&slots), Arc::new(session));
        let named = thread::Builder::new().name("quadrille server".to_owned());
        let accepts = named.spawn(move || self.accept_all(&known, &session))?;
        Ok(Server { address, slots, accepts: Some(accepts) })
    }

    fn accept_all<E>(
        &self,
        slots: &Arc<Slots>,
        session: &Arc<impl Fn(Peer) -> Result<(), E> + Send + Sync + 'static>,
    ) {
        loop {
            let accepted = self.socket.accept();
            if slots.is_stopped() {
                return;
            }
            let Ok((socket, address)) = accepted else {
                // No file is free, or the peer has gone already. Sessions that end make room.
                thread::sleep(Duration::from_millis(10));
                continue;
            };
            let Some(slot) = slots.take(address) else { continue };
            let task = (Arc::clone(slots), Arc::clone(session), self.network.clone());
            let named = thread::Builder::new().name("quadrille session".to_owned());
            let begun = named.spawn(move || {
                let (slots, session, network) = task;
                run(&slots, &*session, &network, socket, slot);
            });
            if begun.is_err() {
                slots.end(&Ended::Failed);
            }
        }
    }
}

/// Runs one session.
fn run<E>(
    slots: &Slots,
    session: &impl Fn(Peer) -> Result<(), E>,
    network: &Network,
    socket: TcpStream,
    slot: Arc<Slot>,
) {
    let mut peer = Listener::peer(network, socket, slot.address);
    peer.slot = Some(slot);
    // What the session owns is dropped, and its roles tell their peers; the next one has a module of its own.
    let ended = catch_unwind(AssertUnwindSafe(|| session(peer)));
    slots.end(&match ended {
        Ok(Ok(())) => Ended::Well,
        Ok(Err(_)) => Ended::Failed,
        Err(_) => Ended::Panicked,
    });
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What became of its sessions so far.
    pub fn counts(&self) -> Counts {
        self.slots.counts()
    }

    /// Stops accepting and waits until all sessions and their connections have ended; what became of them.
    pub fn join(mut self) -> Counts {
        self.stop();
        self.slots.wait();
        self.counts()
    }

    fn stop(&mut self) {
        self.slots.stop();
        let Some(accepts) = self.accepts.take() else { return };
        // It waits for a connection: this is one.
        let mut address = self.address;
        if address.ip().is_unspecified() {
            let here = match address {
                SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
                SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
            };
            address.set_ip(here);
        }
        if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
            let _ = accepts.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}

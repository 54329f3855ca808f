//! Peers: connections that have not been greeted yet, by address or as streams.

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::thread;

use super::error::{ConnectError, Reason};
use super::network::{Network, Retry};
use super::patience::Deadline;
use super::server::Slots;

/// A connection to a peer that has not been greeted yet: [`Module::connect`](crate::Module::connect) does that. A plain
/// stream is one, too, with the time-outs of the module.
pub struct Peer {
    pub(super) socket: TcpStream,
    pub(super) address: String,
    /// Whom we connected to; `None` if it connected to us.
    pub(super) host: Option<String>,
    /// `None`: with the time-outs of the module.
    pub(super) network: Option<Network>,
    pub(super) slot: Option<Arc<Slot>>,
}

/// A place of a server that a session takes until its connection has ended.
pub(super) struct Slot {
    pub(super) slots: Arc<Slots>,
    pub(super) address: SocketAddr,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.give_back(self.address);
    }
}

impl Peer {
    /// Its address.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl From<TcpStream> for Peer {
    fn from(socket: TcpStream) -> Self {
        let address = socket.peer_addr().map_or_else(|_| "?".to_owned(), |it| it.to_string());
        Self { socket, address, host: None, network: None, slot: None }
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Peer").field(&self.address).finish()
    }
}

impl Network {
    /// Connects to a process that listens at an address, `host:port`. One that does not listen yet is tried again, as
    /// [`Retry`] says.
    ///
    /// Looking the name of a host up takes as long as the system takes.
    pub fn connect(&self, address: &str) -> Result<Peer, ConnectError> {
        let deadline = Deadline::new(self.retry.within);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let last = match self.attempt(address, deadline) {
                Ok(socket) => return Ok(self.peer_at(address, socket)),
                Err(error) if error.kind() == ErrorKind::InvalidInput => {
                    return Err(Reason::Io(error).of(address));
                }
                Err(error) => error,
            };
            match deadline.left() {
                Some(left) => thread::sleep(self.retry.wait_at(attempts, chance()).min(left)),
                None => return Err(unreachable(attempts, self.retry, last).of(address)),
            }
        }
    }

    fn attempt(&self, address: &str, deadline: Deadline) -> io::Result<TcpStream> {
        let mut last = io::Error::new(ErrorKind::NotFound, "the name has no address");
        for address in address.to_socket_addrs()? {
            // One attempt is made even if there is no time for several.
            let left = deadline.left().unwrap_or(self.timeouts.greeting);
            match TcpStream::connect_timeout(&address, left.min(self.timeouts.greeting)) {
                Ok(socket) => return Ok(socket),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn peer_at(&self, address: &str, socket: TcpStream) -> Peer {
        Peer {
            socket,
            address: address.to_owned(),
            host: Some(host(address).to_owned()),
            network: Some(self.clone()),
            slot: None,
        }
    }

    /// Listens at an address, `host:port`; port 0 is any free one.
    pub fn listen(&self, address: &str) -> Result<Listener, ConnectError> {
        let socket = TcpListener::bind(address).map_err(|error| Reason::Io(error).of(address))?;
        Ok(Listener { socket, network: self.clone() })
    }
}

/// The host of an address.
pub(super) fn host(address: &str) -> &str {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}

/// Which part of the wait to take; the least one where the system has no random numbers.
pub(super) fn chance() -> u8 {
    let mut byte = [0];
    getrandom::fill(&mut byte).map_or(0, |()| byte[0])
}

pub(super) fn unreachable(attempts: u32, retry: Retry, last: io::Error) -> Reason {
    Reason::Unreachable { attempts, within: retry.within, last }
}

/// A socket at which peers are awaited.
#[derive(Debug)]
pub struct Listener {
    pub(super) socket: TcpListener,
    pub(super) network: Network,
}

impl Listener {
    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Waits for the next peer.
    pub fn accept(&self) -> Result<Peer, ConnectError> {
        let (socket, address) = self.socket.accept().map_err(Reason::Io)?;
        Ok(Self::peer(&self.network, socket, address))
    }

    pub(super) fn peer(network: &Network, socket: TcpStream, address: SocketAddr) -> Peer {
        let (address, network) = (address.to_string(), Some(network.clone()));
        Peer { socket, address, host: None, network, slot: None }
    }
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn addresses_have_a_host() {
        assert_eq!(host("other.example:7000"), "other.example");
        assert_eq!(host("127.0.0.1:0"), "127.0.0.1");
        assert_eq!(host("[::1]:80"), "::1");
    }
}

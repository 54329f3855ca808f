//! Liberal roles in several processes, connected by TCP. The code of a role is the same as in one process.
//!
//! Each process has all queues of the module. Packets in the queues of a remote role are sent to its process, and packets
//! from a remote role are put into the queues of local ones (`link.rs`). A connection begins with a greeting that verifies
//! that both sides run the same protocol (`wire.rs`).
//!
//! Everything that arrives is validated. The roles of a peer that dies, falls silent or sends invalid data have left:
//! local roles that need them get an [`Error`](crate::Error) that names the role.
//!
//! Messages between two processes stay in order, across receivers. So where a queue is not proven to suffice, a message
//! that finds it full delays those behind it until its receiver makes room.

mod link;
mod wire;

use std::fmt;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::liberal;
use crate::module::{Form, Module, ModuleConfig, Payload};
use crate::plan::{Act, Kind, Plan, RoleId};
use crate::role::Role;
use wire::Hello;

/// How long peers may be silent. A peer whose process is stopped, or whose network is gone without a word, keeps its
/// connection open; only time tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// How long a peer may take to greet; 10 seconds by default.
    pub greeting: Duration,
    /// How long nothing may arrive from a peer before its roles count as disconnected; 15 seconds by default. Peers that
    /// have nothing to say send heartbeats, three in this time. `None`: for ever.
    pub silence: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { greeting: Duration::from_secs(10), silence: Some(Duration::from_secs(15)) }
    }
}

/// The connections of a process. Dropping this does not close them: they live as long as a role needs them.
#[derive(Debug)]
pub struct Connections {
    writers: Vec<JoinHandle<()>>,
}

impl Connections {
    /// Waits until everything that the local roles sent is written. Call it after they have ended, before the process ends;
    /// it waits for ever if one of them is kept.
    pub fn flush(self) {
        for writer in self.writers {
            // The roles were told about errors.
            let _ = writer.join();
        }
    }
}

impl<P: Payload + Serialize + DeserializeOwned> Module<P> {
    /// Runs these roles in this process and the others in the processes of the peers. Each role must run in exactly one
    /// process, and processes whose roles exchange messages must be connected. Greets all peers, and returns the local
    /// roles in this order.
    pub fn connect(
        self,
        local: &[RoleId],
        peers: Vec<TcpStream>,
    ) -> Result<(Vec<Role<P>>, Connections), ConnectError> {
        if self.form() != Form::Liberal {
            return Err(ConnectError::Strict);
        }
        let mut locations = Locations::new(self.plan(), local)?;
        locations.refuse_exchanges(self.plan())?;
        let timeouts = self.config().timeouts;
        let hello = Hello::new(self.plan(), local, timeouts.silence);
        // Write all greetings before reading any: peers may be in any order.
        for peer in &peers {
            peer.set_nodelay(true)?;
            hello.write(peer)?;
        }
        let mut heartbeats = Vec::new();
        for (number, peer) in peers.iter().enumerate() {
            let theirs = Hello::read(peer, timeouts.greeting)?;
            theirs.is_like(&hello)?;
            peer.set_read_timeout(timeouts.silence)?;
            heartbeats.push(theirs.heartbeat());
            locations.settle(self.plan(), number, &theirs.roles)?;
        }
        locations.refuse_exchanges(self.plan())?;
        let owners = locations.all_settled(self.plan())?;
        let config = ModuleConfig { is_networked: true, ..self.config().clone() };
        let mut machines: Vec<_> = liberal::machines(&config).into_iter().map(Some).collect();
        let roles = local
            .iter()
            .filter_map(|role| machines[role.index()].take())
            .map(Role::liberal)
            .collect();
        let owners = Arc::new(owners);
        let mut writers = Vec::new();
        for (number, peer) in peers.into_iter().enumerate() {
            let mut remote = Vec::new();
            for (role, machine) in machines.iter_mut().enumerate() {
                if owners[role] == Location::Peer(number) {
                    remote.extend(machine.take());
                }
            }
            let link = (number, heartbeats[number], timeouts.silence);
            writers.extend(link::start(peer, link, remote, Arc::clone(&owners))?);
        }
        Ok((roles, Connections { writers }))
    }

    /// Runs one role in this process, as [`Module::connect`] does.
    pub fn connect_as(
        self,
        role: RoleId,
        peers: Vec<TcpStream>,
    ) -> Result<(Role<P>, Connections), ConnectError> {
        let (mut roles, connections) = self.connect(&[role], peers)?;
        match roles.pop() {
            Some(role) => Ok((role, connections)),
            None => Err(ConnectError::Unknown { role: role.index().to_string() }),
        }
    }
}

/// Where a role runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Location {
    Here,
    /// Behind one of the streams.
    Peer(usize),
}

/// Where each role runs, as far as known.
struct Locations(Vec<Option<Location>>);

impl Locations {
    fn new(plan: &Plan, local: &[RoleId]) -> Result<Self, ConnectError> {
        let mut locations = Self(vec![None; plan.roles.len()]);
        for role in local {
            locations.set(plan, role.index(), Location::Here)?;
        }
        Ok(locations)
    }

    fn settle(&mut self, plan: &Plan, peer: usize, roles: &[String]) -> Result<(), ConnectError> {
        for name in roles {
            let role = plan.roles.iter().position(|role| role == name);
            let role = role.ok_or_else(|| ConnectError::Unknown { role: name.clone() })?;
            self.set(plan, role, Location::Peer(peer))?;
        }
        Ok(())
    }

    fn set(&mut self, plan: &Plan, role: usize, place: Location) -> Result<(), ConnectError> {
        match self.0.get_mut(role) {
            Some(known @ None) => *known = Some(place),
            Some(Some(_)) => {
                return Err(ConnectError::Duplicate {
                    role: plan.roles[role].clone().into_owned(),
                });
            }
            None => return Err(ConnectError::Unknown { role: role.to_string() }),
        }
        Ok(())
    }

    /// A rendezvous needs all its roles in one process. A role that is not known to be local is remote.
    fn refuse_exchanges(&self, plan: &Plan) -> Result<(), ConnectError> {
        let is_apart = |act: &&Act| {
            let mut others = act.to.iter().map(|to| self.0[to.index()]);
            act.kind == Kind::Exchange && others.any(|place| place != self.0[act.from.index()])
        };
        match plan.acts.iter().find(is_apart) {
            Some(act) => Err(ConnectError::Exchange { act: act.text.clone().into_owned() }),
            None => Ok(()),
        }
    }

    fn all_settled(self, plan: &Plan) -> Result<Vec<Location>, ConnectError> {
        let settled = self.0.into_iter().zip(plan.roles.iter()).map(|(place, name)| {
            place.ok_or_else(|| ConnectError::Missing { role: name.clone().into_owned() })
        });
        settled.collect()
    }
}

/// Why roles cannot be run over these connections.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// The strict form is one machine, which runs in one process.
    Strict,
    /// An error of the network.
    Io(io::Error),
    /// The peer does not send a greeting.
    NotAPeer,
    /// The peer has another version of the wire format.
    Version {
        /// Its version.
        theirs: u16,
    },
    /// The peer runs another protocol, or another version of it.
    OtherProtocol {
        /// Its name.
        theirs: String,
    },
    /// The protocol has no such role.
    Unknown {
        /// The role.
        role: String,
    },
    /// A role would run in two processes.
    Duplicate {
        /// The role.
        role: String,
    },
    /// A role would run in no process.
    Missing {
        /// The role.
        role: String,
    },
    /// A rendezvous between roles in different processes. It is performed by all its roles or by none, which messages over a
    /// network cannot guarantee: either side may die or cancel while the other has committed.
    Exchange {
        /// The act.
        act: String,
    },
}

impl From<io::Error> for ConnectError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectError::Strict => {
                f.write_str("the strict form is one machine and cannot run in several processes")
            }
            ConnectError::Io(error) => write!(f, "{error}"),
            ConnectError::NotAPeer => {
                f.write_str("the peer does not send a greeting of this protocol")
            }
            ConnectError::Version { theirs } => {
                write!(f, "the peer has version {theirs} of the wire format, not {}", wire::VERSION)
            }
            ConnectError::OtherProtocol { theirs } => {
                write!(f, "the peer runs `{theirs}`, which is not the same protocol")
            }
            ConnectError::Unknown { role } => write!(f, "the protocol has no role `{role}`"),
            ConnectError::Duplicate { role } => write!(f, "`{role}` would run in two processes"),
            ConnectError::Missing { role } => write!(f, "no process runs `{role}`"),
            ConnectError::Exchange { act } => {
                write!(
                    f,
                    "`{act}` is one step of roles that run in different processes: run them in one \
                     process, or let the protocol send the message without `sync`"
                )
            }
        }
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConnectError::Io(error) => Some(error),
            _ => None,
        }
    }
}

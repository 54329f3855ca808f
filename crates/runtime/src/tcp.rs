//! Liberal roles in several processes, connected by TCP. The code of a role is the same as in one process.
//!
//! Each process has all queues of the module. Packets in the queues of a remote role are sent to its process, and packets
//! from a remote role are put into the queues of local ones (`link.rs`). A connection begins with a greeting that verifies
//! that both sides run the same protocol, and that they know the same secret if there is one (`greeting.rs`).
//!
//! Everything that arrives is validated. The roles of a peer that dies, falls silent or sends invalid data have left:
//! local roles that need them get an [`Error`](crate::Error) that names the role.
//!
//! Messages between two processes stay in order, across receivers. So where a queue is not proven to suffice, a message
//! that finds it full delays those behind it until its receiver makes room.
//!
//! A [`Network`] says how peers are reached and who is trusted; `docs/networks.md` explains both.

mod error;
mod greeting;
mod link;
mod network;
mod patience;
mod peer;
mod secret;
mod server;
#[cfg(feature = "tokio")]
mod tasks;
mod threads;
#[cfg(feature = "tls")]
mod tls;
mod wire;

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::liberal::{self, LiberalMachine};
use crate::module::{Form, Module, ModuleConfig, Payload};
use crate::plan::{Act, Kind, Plan, RoleId};
use crate::role::Role;
use greeting::Hello;

pub use error::{ConnectError, Reason};
pub use network::{Limits, Network, Retry, Timeouts};
pub use peer::{Listener, Peer};
pub use secret::{Secret, TooShort};
pub use server::{Counts, Server, Sessions};
#[cfg(feature = "tokio")]
pub use tasks::{AsyncConnections, AsyncListener, AsyncPeer, AsyncServer};
#[cfg(feature = "tls")]
pub use tls::{BadCertificates, Tls};

/// The connections of a process. Dropping this does not close them: they live as long as a role needs them.
#[derive(Debug)]
pub struct Connections {
    writers: Vec<JoinHandle<()>>,
    processes: Vec<Process>,
}

/// Another process, after its greeting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// Its address.
    pub address: String,
    /// The roles that it runs.
    pub roles: Vec<String>,
    /// The certificate that it showed, in DER, which an authority that we trust has signed; `None` without TLS.
    pub certificate: Option<Vec<u8>>,
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

    /// The other processes, in the order of the peers.
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }
}

impl<P: Payload + Serialize + DeserializeOwned> Module<P> {
    /// Runs these roles in this process and the others in the processes of the peers. Each role must run in exactly one
    /// process, and processes whose roles exchange messages must be connected. Greets all peers, and returns the local
    /// roles in this order.
    pub fn connect(
        self,
        local: &[RoleId],
        peers: impl IntoIterator<Item = impl Into<Peer>>,
    ) -> Result<(Vec<Role<P>>, Connections), ConnectError> {
        let assembly = Assembly::new(&self, local)?;
        let plain = Network::new().timeouts(self.config().timeouts);
        let peers = peers.into_iter().map(|peer| {
            let mut peer = peer.into();
            peer.network.get_or_insert_with(|| plain.clone());
            peer
        });
        let connected = greet_all(peers.collect(), &assembly.hello)?;
        let greeted = connected.iter().map(|it| (it.address.as_str(), &it.greeted));
        let (roles, owners, mut remote) = assembly.settle(&self, greeted)?;
        let (mut writers, mut processes) = (Vec::new(), Vec::new());
        for (number, connection) in connected.into_iter().enumerate() {
            processes.push(Process::new(&connection.address, &connection.greeted));
            let network = &connection.network;
            let limits = (network.limits, network.timeouts.silence);
            let (wired, greeted) = connection.wire();
            let machines = std::mem::take(&mut remote[number]);
            let ends = link::machines((number, Arc::clone(&owners)), machines, greeted, limits);
            if let Some((inward, outward)) = ends {
                writers.push(threads::start(wired, inward, outward).map_err(Reason::Io)?);
            }
        }
        Ok((roles, Connections { writers, processes }))
    }

    /// Runs one role in this process, as [`Module::connect`] does.
    pub fn connect_as(
        self,
        role: RoleId,
        peers: impl IntoIterator<Item = impl Into<Peer>>,
    ) -> Result<(Role<P>, Connections), ConnectError> {
        let (mut roles, connections) = self.connect(&[role], peers)?;
        match roles.pop() {
            Some(role) => Ok((role, connections)),
            None => Err(Reason::Unknown { role: role.index().to_string() }.into()),
        }
    }
}

/// Greets all peers at once: each may wait for another.
fn greet_all(peers: Vec<Peer>, hello: &Hello) -> Result<Vec<threads::Connection>, ConnectError> {
    if peers.len() <= 1 {
        return peers.into_iter().map(|peer| threads::greet(peer, hello)).collect();
    }
    thread::scope(|scope| {
        let greet = |peer| scope.spawn(move || threads::greet(peer, hello));
        let greetings: Vec<_> = peers.into_iter().map(greet).collect();
        let join = |greeting: thread::ScopedJoinHandle<'_, _>| {
            greeting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        greetings.into_iter().map(join).collect()
    })
}

impl Process {
    fn new(address: &str, greeted: &greeting::Greeted) -> Self {
        Self {
            address: address.to_owned(),
            roles: greeted.theirs.roles.clone(),
            certificate: greeted.crypt.certificate(),
        }
    }
}

/// What is known of the processes of a module before all are greeted.
struct Assembly {
    locations: Locations,
    local: Vec<RoleId>,
    hello: Hello,
}

/// The local roles, where each role runs, and the machines of the roles of each peer.
type Settled<P> = (Vec<Role<P>>, Arc<Vec<Location>>, Vec<Vec<LiberalMachine<P>>>);

impl Assembly {
    fn new<P: Payload>(module: &Module<P>, local: &[RoleId]) -> Result<Self, ConnectError> {
        if module.form() != Form::Liberal {
            return Err(Reason::Strict.into());
        }
        let locations = Locations::new(module.plan(), local)?;
        locations.refuse_exchanges(module.plan())?;
        let hello = Hello::new(module.plan(), local);
        Ok(Self { locations, local: local.to_vec(), hello })
    }

    /// Gives every role its process.
    fn settle<'g, P: Payload>(
        mut self,
        module: &Module<P>,
        greeted: impl Iterator<Item = (&'g str, &'g greeting::Greeted)>,
    ) -> Result<Settled<P>, ConnectError> {
        let plan = module.plan();
        let mut n_peers = 0;
        for (number, (address, greeted)) in greeted.enumerate() {
            let settled = self.locations.settle(plan, number, &greeted.theirs.roles);
            settled.map_err(|reason| reason.of(address))?;
            n_peers += 1;
        }
        self.locations.refuse_exchanges(plan)?;
        let owners = self.locations.all_settled(plan)?;
        let config = ModuleConfig { is_networked: true, ..module.config().clone() };
        let mut machines: Vec<_> = liberal::machines(&config).into_iter().map(Some).collect();
        let local = self.local.iter();
        let roles =
            local.filter_map(|role| machines[role.index()].take()).map(Role::liberal).collect();
        let mut remote: Vec<Vec<_>> = (0..n_peers).map(|_| Vec::new()).collect();
        for (machine, owner) in machines.into_iter().zip(&owners) {
            if let Location::Peer(number) = owner {
                remote[*number].extend(machine);
            }
        }
        Ok((roles, Arc::new(owners), remote))
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
    fn new(plan: &Plan, local: &[RoleId]) -> Result<Self, Reason> {
        let mut locations = Self(vec![None; plan.roles.len()]);
        for role in local {
            locations.set(plan, role.index(), Location::Here)?;
        }
        Ok(locations)
    }

    fn settle(&mut self, plan: &Plan, peer: usize, roles: &[String]) -> Result<(), Reason> {
        for name in roles {
            let role = plan.roles.iter().position(|role| role == name);
            let role = role.ok_or_else(|| Reason::Unknown { role: name.clone() })?;
            self.set(plan, role, Location::Peer(peer))?;
        }
        Ok(())
    }

    fn set(&mut self, plan: &Plan, role: usize, place: Location) -> Result<(), Reason> {
        match self.0.get_mut(role) {
            Some(known @ None) => *known = Some(place),
            Some(Some(_)) => {
                return Err(Reason::Duplicate { role: plan.roles[role].clone().into_owned() });
            }
            None => return Err(Reason::Unknown { role: role.to_string() }),
        }
        Ok(())
    }

    /// A rendezvous needs all its roles in one process. A role that is not known to be local is remote.
    fn refuse_exchanges(&self, plan: &Plan) -> Result<(), Reason> {
        let is_apart = |act: &&Act| {
            let mut others = act.to.iter().map(|to| self.0[to.index()]);
            act.kind == Kind::Exchange && others.any(|place| place != self.0[act.from.index()])
        };
        match plan.acts.iter().find(is_apart) {
            Some(act) => Err(Reason::Exchange { act: act.text.clone().into_owned() }),
            None => Ok(()),
        }
    }

    fn all_settled(self, plan: &Plan) -> Result<Vec<Location>, Reason> {
        let settled = self.0.into_iter().zip(plan.roles.iter()).map(|(place, name)| {
            place.ok_or_else(|| Reason::Missing { role: name.clone().into_owned() })
        });
        settled.collect()
    }
}

//! Liberal roles over a network: some roles of a module run in this process, the others in processes that it
//! is connected with. Role code is the same everywhere. Needs the feature `tcp`.
//!
//! Each process has all queues of the module; what a role elsewhere would take from its queues is sent to
//! it, what it puts into queues of local roles is put there for it (`link.rs`). A connection begins with a
//! greeting that shows whether both sides run the same protocol (`wire.rs`).
//!
//! What comes from the network is checked before anything is done with it. A peer that dies, or sends
//! what it may not, has left the conversation: whoever needs it is told why by an [`Error`](crate::Error).
//!
//! Messages between two processes stay in order, whoever they are for. So where a queue is not proven to suffice, a
//! message that finds it full holds up those behind it until its receiver has made room.

mod link;
mod wire;

use std::fmt;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread::JoinHandle;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::liberal;
use crate::module::{Form, Module, Payload, Setting};
use crate::plan::{Act, Kind, Plan, RoleId};
use crate::role::Role;
use wire::Hello;

/// The connections of a process. Dropping it changes nothing: they live as long as somebody needs them.
#[derive(Debug)]
pub struct Connections {
    writers: Vec<JoinHandle<()>>,
}

impl Connections {
    /// Waits until all that the local roles sent is on its way. To be called when they are done, before the
    /// process ends; waits for ever if one of them is kept.
    pub fn flush(self) {
        for writer in self.writers {
            // Whatever went wrong there was told to the roles.
            let _ = writer.join();
        }
    }
}

impl<P: Payload + Serialize + DeserializeOwned> Module<P> {
    /// Runs these roles here and the others where the streams lead. Each role must run in exactly one place,
    /// and processes whose roles talk to each other must be connected. Greets all peers, and gives the local
    /// roles in the order asked for.
    pub fn connect(
        self,
        local: &[RoleId],
        peers: Vec<TcpStream>,
    ) -> Result<(Vec<Role<P>>, Connections), ConnectError> {
        if self.form() != Form::Liberal {
            return Err(ConnectError::Strict);
        }
        let mut places = Places::new(self.plan(), local)?;
        places.refuse_exchanges(self.plan())?;
        let hello = Hello::new(self.plan(), local);
        // Everybody greets before anybody listens: peers may come in any order.
        for peer in &peers {
            peer.set_nodelay(true)?;
            hello.write(peer)?;
        }
        for (number, peer) in peers.iter().enumerate() {
            let theirs = Hello::read(peer)?;
            theirs.is_like(&hello)?;
            places.settle(self.plan(), number, &theirs.roles)?;
        }
        places.refuse_exchanges(self.plan())?;
        let owners = places.all_settled(self.plan())?;
        let setting = Setting { is_networked: true, ..self.setting().clone() };
        let mut seats: Vec<_> = liberal::seats(&setting).into_iter().map(Some).collect();
        let roles =
            local.iter().filter_map(|role| seats[role.index()].take()).map(Role::liberal).collect();
        let owners = Arc::new(owners);
        let mut writers = Vec::new();
        for (number, peer) in peers.into_iter().enumerate() {
            let mut remote = Vec::new();
            for (role, seat) in seats.iter_mut().enumerate() {
                if owners[role] == Place::Peer(number) {
                    remote.extend(seat.take());
                }
            }
            writers.extend(link::start(peer, number, remote, Arc::clone(&owners))?);
        }
        Ok((roles, Connections { writers }))
    }

    /// Runs one role here, as [`Module::connect`] does, and the others where the streams lead.
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
enum Place {
    Here,
    /// Behind one of the streams.
    Peer(usize),
}

/// Where each role runs, as far as it is known.
struct Places(Vec<Option<Place>>);

impl Places {
    fn new(plan: &Plan, local: &[RoleId]) -> Result<Self, ConnectError> {
        let mut places = Self(vec![None; plan.roles.len()]);
        for role in local {
            places.set(plan, role.index(), Place::Here)?;
        }
        Ok(places)
    }

    fn settle(&mut self, plan: &Plan, peer: usize, roles: &[String]) -> Result<(), ConnectError> {
        for name in roles {
            let role = plan.roles.iter().position(|role| role == name);
            let role = role.ok_or_else(|| ConnectError::Unknown { role: name.clone() })?;
            self.set(plan, role, Place::Peer(peer))?;
        }
        Ok(())
    }

    fn set(&mut self, plan: &Plan, role: usize, place: Place) -> Result<(), ConnectError> {
        match self.0.get_mut(role) {
            Some(known @ None) => *known = Some(place),
            Some(Some(_)) => {
                return Err(ConnectError::Twice { role: plan.roles[role].clone().into_owned() });
            }
            None => return Err(ConnectError::Unknown { role: role.to_string() }),
        }
        Ok(())
    }

    /// What is passed in one step needs all its roles in one place. What is not known to be here is elsewhere.
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

    fn all_settled(self, plan: &Plan) -> Result<Vec<Place>, ConnectError> {
        let settled = self.0.into_iter().zip(plan.roles.iter()).map(|(place, name)| {
            place.ok_or_else(|| ConnectError::Nowhere { role: name.clone().into_owned() })
        });
        settled.collect()
    }
}

/// Why roles cannot be run over these connections.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// The strict form is one machine, which cannot be in several places.
    Strict,
    /// The network.
    Io(io::Error),
    /// The peer does not greet as such a process does.
    Stranger,
    /// The peer greets as another version does.
    Version {
        /// Its version.
        theirs: u16,
    },
    /// The peer runs another protocol, or another version of it.
    OtherProtocol {
        /// How the peer calls it.
        theirs: String,
    },
    /// The protocol has no such role.
    Unknown {
        /// The role.
        role: String,
    },
    /// A role would run in two places.
    Twice {
        /// The role.
        role: String,
    },
    /// A role would run nowhere.
    Nowhere {
        /// The role.
        role: String,
    },
    /// Something is passed in one step between roles in different places. A step is taken by all or by nobody; messages that
    /// travel cannot promise that, since either side may turn to something else, or die, while the other has made up its mind.
    Exchange {
        /// What is passed.
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
                f.write_str("the strict form is one machine and cannot run in several places")
            }
            ConnectError::Io(error) => write!(f, "{error}"),
            ConnectError::Stranger => f.write_str("the peer does not speak as roles do"),
            ConnectError::Version { theirs } => {
                write!(f, "the peer speaks version {theirs}, not {}", wire::VERSION)
            }
            ConnectError::OtherProtocol { theirs } => {
                write!(f, "the peer runs `{theirs}`, which is not the same protocol")
            }
            ConnectError::Unknown { role } => write!(f, "the protocol has no role `{role}`"),
            ConnectError::Twice { role } => write!(f, "`{role}` would run in two places"),
            ConnectError::Nowhere { role } => write!(f, "nobody runs `{role}`"),
            ConnectError::Exchange { act } => {
                write!(
                    f,
                    "`{act}` is one step of roles that run in different places: run them in one \
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

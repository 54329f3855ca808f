//! A chat room with any number of clients, over TLS: a session of tokio for each of them, and a channel that all of them
//! hear.

use std::sync::Arc;

use quadrille_runtime::tcp::{
    AsyncListener, AsyncPeer, AsyncServer, ConnectError, Network, Sessions,
};
use quadrille_runtime::{Cause, Error};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::chat::{self, Bye, Client, ClientReceives, Leave, Server, ServerReceives, Welcome};

/// How many messages may wait for a slow client before it misses some.
const BACKLOG: usize = 1024;

/// Comes into the room, with a name.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Join(pub String);

/// Says something.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Say(pub String);

/// What somebody said.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Said {
    /// Who.
    pub name: String,
    /// What.
    pub text: String,
}

/// Why a session ends early.
#[derive(Debug)]
pub enum SessionError {
    /// The peer cannot be talked to.
    Connect(ConnectError),
    /// It left, or does what the protocol does not allow.
    Role(Error),
}

impl From<ConnectError> for SessionError {
    fn from(error: ConnectError) -> Self {
        Self::Connect(error)
    }
}

impl From<Error> for SessionError {
    fn from(error: Error) -> Self {
        Self::Role(error)
    }
}

/// Serves everybody who comes to this address.
pub fn serve(listener: AsyncListener, sessions: Sessions) -> std::io::Result<AsyncServer> {
    let (room, _) = broadcast::channel(BACKLOG);
    let room = Arc::new(room);
    listener.serve(sessions, move |peer| session(peer, Arc::clone(&room)))
}

/// One client: what it says goes to the room, and what is said in the room goes to it.
async fn session(peer: AsyncPeer, room: Arc<broadcast::Sender<Said>>) -> Result<(), SessionError> {
    let (mut server, connections) = Server::connect_async(chat::liberal(), [peer]).await?;
    let ServerReceives::Join(Join(name)) = server.recv_async().await? else {
        unreachable!("the protocol begins with it")
    };
    let mut heard = room.subscribe();
    server.send_async(Welcome).await?;
    loop {
        // Receiving is cancelled whenever the room is first. That loses nothing.
        tokio::select! {
            received = server.recv_async() => match received? {
                ServerReceives::Say(Say(text)) => {
                    // Somebody hears it: this session does.
                    let _ = room.send(Said { name: name.clone(), text });
                }
                ServerReceives::Leave(_) => break,
                ServerReceives::Join(_) => unreachable!("the protocol has it once"),
            },
            said = heard.recv() => match said {
                Ok(said) => server.send_async(said).await?,
                Err(RecvError::Lagged(_) | RecvError::Closed) => {}
            },
        }
    }
    server.send_async(Bye).await?;
    server.finish()?;
    connections.flush().await;
    Ok(())
}

/// A client in the room.
pub struct Guest {
    role: Client,
    connections: quadrille_runtime::tcp::AsyncConnections,
}

impl Guest {
    /// Comes into the room at this address.
    pub async fn join(network: &Network, address: &str, name: &str) -> Result<Self, SessionError> {
        let peer = network.connect_async(address).await?;
        let (mut role, connections) = Client::connect_async(chat::liberal(), [peer]).await?;
        role.send_async(Join(name.to_owned())).await?;
        role.recv_async().await?;
        Ok(Self { role, connections })
    }

    /// Says something to all.
    pub async fn say(&mut self, text: &str) -> Result<(), Error> {
        self.role.send_async(Say(text.to_owned())).await
    }

    /// The next thing that is said; `None` if the server has said goodbye. It may be cancelled.
    pub async fn hear(&mut self) -> Result<Option<Said>, Error> {
        match self.role.recv_async().await {
            Ok(ClientReceives::Said(said)) => Ok(Some(said)),
            Ok(_) => Ok(None),
            Err(error) if matches!(error.cause, Cause::Finished { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Leaves the room, and hears what was said until then.
    pub async fn leave(mut self) -> Result<Vec<Said>, Error> {
        self.role.send_async(Leave).await?;
        let mut rest = Vec::new();
        while let Some(said) = self.hear().await? {
            rest.push(said);
        }
        self.role.finish()?;
        self.connections.flush().await;
        Ok(rest)
    }
}

//! Many sessions at once, and many messages with receives that are cancelled, with threads and with tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quadrille_runtime::plan::LabelId;
use quadrille_runtime::tcp::{AsyncConnections, AsyncPeer, ConnectError, Network, Sessions};
use quadrille_runtime::{Cause, Error, Module, Payload, Received, Role};
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::{Authority, module, secret};
use crate::support::both_quad;
use crate::tcp::{CLIENT, Message, SERVER};

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// `QUADRILLE_ROUNDS` says how many times as much is tried.
fn rounds() -> u64 {
    std::env::var("QUADRILLE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

async fn as_role(
    role: quadrille_runtime::plan::RoleId,
    peer: AsyncPeer,
) -> Result<(Role<Message>, AsyncConnections), ConnectError> {
    module().connect_async_as(role, [peer]).await
}

/// Answers until the client has finished.
async fn answer_all(server: &mut Role<Message>) -> Result<(), Error> {
    loop {
        match server.recv_async(None).await {
            Ok(Received { payload: Message::Ask(number), .. }) => {
                server.send_async(Message::Answer(number.to_string()), None).await?;
            }
            Ok(received) => panic!("{received:?}"),
            Err(error) if matches!(error.cause, Cause::Finished { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

async fn ask(client: &mut Role<Message>, number: u32) {
    client.send_async(Message::Ask(number), None).await.expect("a question");
    let answer = client.recv_async(None).await.expect("an answer");
    assert_eq!(answer.payload, Message::Answer(number.to_string()));
}

/// All sessions are there at once; every tenth is killed in the middle, and all others finish.
fn many_sessions(network: &Network, n_sessions: u32) {
    let runtime = runtime();
    let counts = runtime.block_on(async {
        let listener = network.listen_async("127.0.0.1:0").await.expect("a free port");
        let sessions = Sessions { at_most: n_sessions as usize, ..Sessions::default() };
        let server = listener.serve(sessions, |peer| async move {
            let (mut server, connections) = as_role(SERVER, peer).await?;
            answer_all(&mut server).await?;
            server.finish()?;
            connections.flush().await;
            Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
        });
        let server = server.expect("an address");
        let address = server.address().to_string();
        let all_there = Arc::new(tokio::sync::Barrier::new(n_sessions as usize));
        let clients: Vec<_> = (0..n_sessions)
            .map(|number| {
                let (network, address) = (network.clone(), address.clone());
                let all_there = Arc::clone(&all_there);
                tokio::spawn(async move {
                    let peer = network.connect_async(&address).await.expect("a listener");
                    let (mut client, connections) = as_role(CLIENT, peer).await.expect("a place");
                    ask(&mut client, number).await;
                    all_there.wait().await;
                    if number % 10 == 0 {
                        client.send_async(Message::Ask(number), None).await.expect("a question");
                        return;
                    }
                    ask(&mut client, number).await;
                    client.finish().expect("an end");
                    connections.flush().await;
                })
            })
            .collect();
        for client in clients {
            client.await.expect("no panic");
        }
        server.join().await
    });
    let killed = u64::from(n_sessions.div_ceil(10));
    assert_eq!((counts.running, counts.panicked, counts.refused), (0, 0, 0));
    assert_eq!((counts.failed, counts.finished), (killed, u64::from(n_sessions) - killed));
}

#[test]
fn many_sessions_at_once_survive_the_death_of_some() {
    many_sessions(&Network::new().secret(secret(1)), 1000);
}

#[test]
fn many_sessions_over_tls_at_once() {
    let tls = Authority::new().tls("127.0.0.1");
    many_sessions(&Network::new().tls(tls), if rounds() > 1 { 1000 } else { 50 });
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Number(u64);

impl Payload for Number {
    fn label(&self) -> Option<LabelId> {
        Some(LabelId(0))
    }
}

/// Numbers from one role to another, whose receives are cancelled again and again.
fn cancelled(network: &Network) {
    let n_numbers = 5000 * rounds();
    let text = "message Number; role A, B; protocol p { loop { Number from A to B; } }";
    let [_, named] = both_quad(text);
    let module = move || Module::<Number>::new(&named.plan, named.form).expect("a sound plan");
    let ids = |name: &str| {
        let plan = module().plan().clone();
        let position = plan.roles.iter().position(|role| role == name).expect("a role");
        quadrille_runtime::plan::RoleId(position as u16)
    };
    let (sender, receiver) = (ids("A"), ids("B"));
    let n_cancelled = AtomicU64::new(0);
    runtime().block_on(async {
        let listener = network.listen_async("127.0.0.1:0").await.expect("a free port");
        let address = listener.address().expect("an address").to_string();
        let (there, sending) = (network.clone(), module());
        let sends = tokio::spawn(async move {
            let peer = there.connect_async(&address).await.expect("a listener");
            let (mut role, connections) =
                sending.connect_async_as(sender, [peer]).await.expect("a peer");
            for number in 0..n_numbers {
                role.send_async(Number(number), None).await.expect("room");
                if number % 64 == 0 {
                    tokio::task::yield_now().await;
                }
            }
            role.finish().expect("an end");
            connections.flush().await;
        });
        let peer = listener.accept().await.expect("a connection");
        let (mut role, _connections) =
            module().connect_async_as(receiver, [peer]).await.expect("a peer");
        let mut expected = 0;
        while expected < n_numbers {
            // Zero cancels at the first wait.
            match timeout(Duration::from_micros(expected % 3 * 20), role.recv_async(None)).await {
                Ok(received) => {
                    assert_eq!(received.expect("a number").payload, Number(expected));
                    expected += 1;
                }
                Err(_) => _ = n_cancelled.fetch_add(1, Ordering::Relaxed),
            }
        }
        sends.await.expect("no panic");
    });
    assert!(n_cancelled.into_inner() > 0, "nothing was cancelled");
}

#[test]
fn cancelled_receives_lose_nothing() {
    cancelled(&Network::new());
}

#[test]
fn cancelled_receives_lose_nothing_over_tls() {
    cancelled(&Network::new().tls(Authority::new().tls("127.0.0.1")));
}

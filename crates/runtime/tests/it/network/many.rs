//! Many sessions at once, and many messages with receives that are cancelled, with threads and with tasks.

use std::io::{BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

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

/// How the process whose sessions are killed is told what to do: `ADDRESS SESSIONS`.
const DOOMED: &str = "QUADRILLE_TEST_DOOMED";

/// The shared secret of both processes.
fn known() -> Network {
    Network::new().secret(secret(1))
}

/// Not a test of its own: the process with sessions that are killed, where one is told to be it.
#[test]
fn the_doomed_process() {
    let Ok(task) = std::env::var(DOOMED) else { return };
    let (address, n_sessions) = task.split_once(' ').expect("an address and a number");
    let network = known();
    runtime().block_on(async {
        let mut sessions = Vec::new();
        for number in 0..n_sessions.parse().expect("a number") {
            let peer = network.connect_async(address).await.expect("a listener");
            let (mut client, connections) = as_role(CLIENT, peer).await.expect("a place");
            ask(&mut client, number).await;
            // Each dies with a question on its way.
            client.send_async(Message::Ask(number), None).await.expect("a question");
            sessions.push((client, connections));
        }
        // What is printed by a macro is kept until the test has ended.
        std::io::stdout().write_all(b"\x07").expect("who waits for it");
        std::io::stdout().flush().expect("who waits for it");
        std::future::pending::<()>().await;
    });
}

/// A process with so many sessions, when all of them are under way.
fn doomed_process(address: &str, n_sessions: u32) -> Child {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "network::many::the_doomed_process"])
        .env(DOOMED, format!("{address} {n_sessions}"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("another process");
    let told = BufReader::new(child.stdout.take().expect("a pipe")).bytes();
    let is_ready = told.map_while(Result::ok).any(|byte| byte == b'\x07');
    assert!(is_ready, "its sessions are under way");
    child
}

/// All sessions are there at once. A tenth of them are in a process that the system kills, and all others finish.
#[cfg(unix)]
#[test]
fn many_sessions_at_once_survive_the_death_of_some() {
    let n_sessions = 1000;
    let n_killed = n_sessions / 10;
    let runtime = runtime();
    let (counts, took) = runtime.block_on(async {
        let listener = known().listen_async("127.0.0.1:0").await.expect("a free port");
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
        let mut alive = Vec::new();
        for number in n_killed..n_sessions {
            let peer = known().connect_async(&address).await.expect("a listener");
            let (mut client, connections) = as_role(CLIENT, peer).await.expect("a place");
            ask(&mut client, number).await;
            alive.push((client, connections, number));
        }
        let there = address.clone();
        let doomed = tokio::task::spawn_blocking(move || doomed_process(&there, n_killed));
        let mut doomed = doomed.await.expect("no panic");
        assert_eq!(server.counts().running, n_sessions as usize, "all at once");
        // SIGKILL.
        doomed.kill().expect("it is there");
        doomed.wait().expect("an end");
        let killed = Instant::now();
        while server.counts().failed < u64::from(n_killed) {
            assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", server.counts());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let took = killed.elapsed();
        for (mut client, connections, number) in alive {
            ask(&mut client, number).await;
            client.finish().expect("an end");
            connections.flush().await;
        }
        (server.join().await, took)
    });
    assert_eq!((counts.running, counts.panicked, counts.refused), (0, 0, 0));
    let n_killed = u64::from(n_killed);
    assert_eq!((counts.failed, counts.finished), (n_killed, u64::from(n_sessions) - n_killed));
    // Sooner than a heartbeat would tell: the system closes their connections.
    assert!(took < Duration::from_secs(15), "{took:?}");
}

/// The same in one process: every tenth leaves in the middle, and all others finish.
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
fn many_sessions_at_once_survive_those_that_leave() {
    many_sessions(&known(), if rounds() > 1 { 1000 } else { 100 });
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

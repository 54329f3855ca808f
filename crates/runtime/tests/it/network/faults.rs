//! What peers do wrong: each is an error that names the peer, within the time that was set.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use quadrille_runtime::plan::LabelId;
use quadrille_runtime::tcp::{Limits, Network, Reason, Timeouts};
use quadrille_runtime::{Cause, Error, Form, Module, Payload, Role};
use serde::{Deserialize, Serialize};

use super::{Authority, hasty, module, secret};
use crate::support::{both_quad, soon};
use crate::tcp::{CLIENT, Message, SERVER, frame, liar, lie, plan, polite_plan};

fn timeouts(silence: u64, message: u64) -> Network {
    let milliseconds = |time| Some(Duration::from_millis(time));
    Network::new().timeouts(Timeouts {
        silence: milliseconds(silence),
        message: milliseconds(message),
        ..Timeouts::default()
    })
}

/// How long an error may take where what was set is a fraction of a second, on a machine that does much else.
const SOON: Duration = Duration::from_secs(10);

/// Why the client gets no answer from a server, and within the time.
#[track_caller]
fn why(mut client: Role<Message>) -> String {
    let start = Instant::now();
    let error = soon(move || {
        loop {
            let asked = client.send(Message::Ask(0), None);
            if let Err(error) = asked.and_then(|()| client.recv(None)) {
                return error;
            }
        }
    });
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    reason(error)
}

/// Why the server is said to be gone.
#[track_caller]
fn reason(error: Error) -> String {
    match error.into_report().cause {
        Cause::Disconnected { role, reason } | Cause::InvalidData { role, reason } => {
            assert_eq!(role, "Server");
            reason
        }
        other => panic!("{other:?}"),
    }
}

/// Writes again and again, until the other side closes the connection.
fn repeat(mut stream: TcpStream, bytes: Vec<u8>, pause: Duration) {
    thread::spawn(move || {
        while stream.write_all(&bytes).is_ok() {
            thread::sleep(pause);
        }
    });
}

/// A frame of 100 bytes, one by one: never silent, never complete.
#[test]
fn slow_bytes_are_an_error() {
    let (client, stream) = liar(&plan(), vec![100, 0, 0, 0], &timeouts(10_000, 60));
    repeat(stream, vec![0], Duration::from_millis(5));
    assert_eq!(why(client), "a message is not complete after 60ms");
}

/// A frame of 100 bytes that stops in the middle.
#[test]
fn half_a_message_is_an_error() {
    let (client, _stream) = liar(&plan(), vec![100, 0, 0, 0, 1], &timeouts(10_000, 50));
    assert_eq!(why(client), "a message is not complete after 50ms");
    let (client, _stream) = liar(&plan(), vec![100, 0, 0, 0, 1], &timeouts(50, 10_000));
    assert_eq!(why(client), "nothing was heard of it for 50ms");
}

#[test]
fn a_slow_greeting_is_an_error() {
    let greeting = Duration::from_millis(60);
    let network = Network::new().timeouts(Timeouts { greeting, ..Timeouts::default() });
    let listener = network.listen("127.0.0.1:0").expect("a free port");
    let mut stream =
        TcpStream::connect(listener.address().expect("an address")).expect("a listener");
    stream.write_all(&[100, 0, 0, 0]).expect("the length of a greeting");
    repeat(stream, vec![0], Duration::from_millis(5));
    let peer = listener.accept().expect("a connection");
    let refused = module().connect_as(CLIENT, [peer]).err().expect("no greeting");
    assert!(matches!(refused.reason, Reason::Silent { within } if within == greeting), "{refused}");
    assert!(refused.peer.is_some());
}

/// The same to a server that expects TLS: the handshake takes part of that time.
#[test]
fn a_slow_handshake_is_an_error() {
    let greeting = Duration::from_millis(60);
    let tls = Authority::new().tls("127.0.0.1");
    let network = Network::new().tls(tls).timeouts(Timeouts { greeting, ..Timeouts::default() });
    let listener = network.listen("127.0.0.1:0").expect("a free port");
    let mut stream =
        TcpStream::connect(listener.address().expect("an address")).expect("a listener");
    // The head of a record of 512 bytes.
    stream.write_all(&[22, 3, 1, 2, 0]).expect("the start of a handshake");
    repeat(stream, vec![0], Duration::from_millis(5));
    let start = Instant::now();
    let peer = listener.accept().expect("a connection");
    let refused = module().connect_as(CLIENT, [peer]).err().expect("no greeting");
    assert!(matches!(refused.reason, Reason::Silent { .. } | Reason::Tls(_)), "{refused}");
    assert!(start.elapsed() < SOON);
}

/// Why a client that is a task gets no answer from a peer that greets well, says these bytes, and then repeats others.
fn why_task(network: &Network, first: &[u8], again: Option<(Vec<u8>, Duration)>) -> String {
    let (network, first) = (network.clone(), first.to_vec());
    let start = Instant::now();
    let error = soon(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let listener = network.listen_async("127.0.0.1:0").await.expect("a free port");
            let address = listener.address().expect("an address");
            let liar = thread::spawn(move || lie(address, &first));
            let peer = listener.accept().await.expect("a connection");
            let connected = module().connect_async_as(CLIENT, [peer]).await;
            let (mut client, _connections) = connected.expect("a greeting");
            let stream = liar.join().expect("no panic");
            let _stays = match again {
                Some((bytes, pause)) => {
                    repeat(stream, bytes, pause);
                    None
                }
                None => Some(stream),
            };
            loop {
                if let Err(error) = client.send_async(Message::Ask(0), None).await {
                    return error;
                }
                if let Err(error) = client.recv_async(None).await {
                    return error;
                }
            }
        })
    });
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    reason(error)
}

/// Tasks are told the same as threads.
#[test]
fn tasks_are_told_of_faults() {
    let slow = Some((vec![0], Duration::from_millis(5)));
    assert_eq!(
        why_task(&timeouts(10_000, 60), &[100, 0, 0, 0], slow),
        "a message is not complete after 60ms"
    );
    assert_eq!(
        why_task(&timeouts(50, 10_000), &[100, 0, 0, 0, 1], None),
        "nothing was heard of it for 50ms"
    );
    assert_eq!(
        why_task(&hasty(), &[], Some((frame(&[3]).repeat(100), Duration::ZERO))),
        "a flood of heartbeats"
    );
    let messages = frame(&[0, 1, 1, 1, 1, b'a']).repeat(100);
    assert_eq!(
        why_task(&hasty(), &[], Some((messages, Duration::ZERO))),
        "more messages in flight than the protocol allows"
    );
    let limits = Limits { message: 100, queued: 25 };
    assert_eq!(
        why_task(&hasty().limits(limits), &101_u32.to_le_bytes(), None),
        "a frame of 101 bytes, where 100 are allowed"
    );
}

/// A message of which few fit into the buffers of the system.
#[derive(Serialize, Deserialize)]
struct Large(Vec<u8>);

impl Payload for Large {
    fn label(&self) -> Option<LabelId> {
        Some(LabelId(0))
    }
}

/// It is alive, but reads nothing.
#[test]
fn a_peer_that_takes_nothing_is_an_error() {
    let text =
        "message Ask; role Client, Server; protocol p { loop { Ask from Client to Server; } }";
    let plan = &both_quad(text)[1].plan;
    let (mut client, stream) = liar::<Large>(plan, Vec::new(), &timeouts(10_000, 100));
    repeat(stream, frame(&[3]), Duration::from_millis(10));
    let cause = soon(move || {
        loop {
            if let Err(error) = client.send(Large(vec![0; 1 << 18]), None) {
                return error.into_report().cause;
            }
        }
    });
    let (role, reason) = ("Server".to_owned(), "it took nothing for 100ms".to_owned());
    assert_eq!(cause, Cause::Disconnected { role, reason });
}

#[test]
fn a_message_beyond_the_limit_of_the_peer_is_an_error() {
    let text =
        "message Ask; role Client, Server; protocol p { loop { Ask from Client to Server; } }";
    let named = &both_quad(text)[1];
    let (plan, client, server) = (named.plan.clone(), named.id("Client"), named.id("Server"));
    let small = hasty().limits(Limits { message: 1000, ..Limits::default() });
    let listener = small.listen("127.0.0.1:0").expect("a free port");
    let address = listener.address().expect("an address").to_string();
    let theirs = plan.clone();
    let receiving = thread::spawn(move || {
        let module = Module::<Large>::new(&theirs, Form::Liberal).expect("a sound plan");
        let peer = listener.accept().expect("a connection");
        let (mut server, _connections) = module.connect_as(server, [peer]).expect("a client");
        server.recv(None).map(|_| ()).expect_err("it is not sent").into_report().cause
    });
    let module = Module::<Large>::new(&plan, Form::Liberal).expect("a sound plan");
    let peer = hasty().connect(&address).expect("a listener");
    let (mut client, _connections) = module.connect_as(client, [peer]).expect("a server");
    let cause = soon(move || {
        loop {
            if let Err(error) = client.send(Large(vec![0; 1000]), None) {
                return error.into_report().cause;
            }
        }
    });
    let (role, reason) =
        ("Server".to_owned(), "a message of 1005 bytes, where 1000 are allowed".to_owned());
    assert_eq!(cause, Cause::Disconnected { role, reason });
    let cause = soon(move || receiving.join().expect("no panic"));
    assert!(matches!(cause, Cause::Disconnected { .. } | Cause::Dropped { .. }), "{cause:?}");
}

/// A real process, ended by the system without a word, and one that is stopped and stays.
#[cfg(unix)]
#[test]
fn killed_and_stopped_processes_are_errors() {
    let silence = Duration::from_millis(300);
    let timeouts = Timeouts { silence: Some(silence), ..Timeouts::default() };
    for (signal, expected) in
        [("-KILL", None), ("-STOP", Some("nothing was heard of it for 300ms"))]
    {
        let (mut client, _connections, mut child) = crate::tcp::other_process("serve", timeouts);
        crate::tcp::request(&mut client, 3);
        let process = child.id().to_string();
        let status = std::process::Command::new("kill").args([signal, &process]).status();
        assert!(status.expect("`kill` of the system").success());
        let reason = why(client);
        if let Some(expected) = expected {
            assert_eq!(reason, expected);
        }
        child.kill().expect("it is there");
        child.wait().expect("an end");
    }
}

#[test]
fn a_flood_of_messages_is_an_error() {
    let (client, stream) = liar(&plan(), Vec::new(), &hasty());
    repeat(stream, frame(&[0, 1, 1, 1, 1, b'a']).repeat(100), Duration::ZERO);
    assert_eq!(why(client), "more messages in flight than the protocol allows");
}

#[test]
fn a_flood_of_heartbeats_is_an_error() {
    let (client, stream) = liar(&plan(), Vec::new(), &hasty());
    repeat(stream, frame(&[3]).repeat(100), Duration::ZERO);
    assert_eq!(why(client), "a flood of heartbeats");
}

#[test]
fn a_flood_of_bytes_is_an_error() {
    let limits = Limits { message: 100, queued: 25 };
    let network = hasty().limits(limits);
    let (client, _stream) = liar(&plan(), 101_u32.to_le_bytes().to_vec(), &network);
    assert_eq!(why(client), "a frame of 101 bytes, where 100 are allowed");
    // Two messages may be in flight, but not if they are so long.
    let long = |message: &[u8]| frame(&[&[0, 1], message].concat());
    let answer = long(&[&[1, 1, 20], &[b'a'; 20][..]].concat());
    let thanks = long(&[2, 2]);
    let (client, mut stream) = liar(&polite_plan(), [answer, thanks].concat(), &network);
    // The connection is closed when the error is known.
    let closed = soon(move || stream.read_to_end(&mut Vec::new()).is_ok());
    assert!(closed);
    assert_eq!(why(client), "more than 25 bytes wait for their receivers");
}

/// What arrives, and a copy of it in order.
fn relay(mut from: TcpStream, mut to: TcpStream, copy: mpsc::Sender<Vec<u8>>) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(n_bytes @ 1..) = from.read(&mut bytes) {
            let _ = copy.send(bytes[..n_bytes].to_vec());
            if to.write_all(&bytes[..n_bytes]).is_err() {
                return;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Write);
    });
}

/// Everything that a client with the secret ever said convinces nobody again.
#[test]
fn a_replayed_greeting_is_refused() {
    let network = hasty().secret(secret(7));
    let listener = network.listen("127.0.0.1:0").expect("a free port");
    let middle = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let between = middle.local_addr().expect("an address").to_string();
    let clients = network.clone();
    let client = thread::spawn(move || {
        let peer = clients.connect(&between).expect("the middle");
        let (mut client, connections) = module().connect_as(CLIENT, [peer]).expect("a server");
        crate::tcp::request(&mut client, 3);
        client.finish().expect("an end");
        connections.flush();
    });
    let (heard, recorded) = mpsc::channel();
    let (client_side, _) = middle.accept().expect("the client");
    let server_side =
        TcpStream::connect(listener.address().expect("an address")).expect("the server");
    let both = |stream: &TcpStream| stream.try_clone().expect("a copy");
    relay(both(&client_side), both(&server_side), heard);
    relay(server_side, client_side, mpsc::channel().0);
    let peer = listener.accept().expect("a connection");
    let (mut server, connections) = module().connect_as(SERVER, [peer]).expect("a client");
    crate::tcp::serve(&mut server, 3);
    server.finish().expect("an end");
    connections.flush();
    client.join().expect("no panic");
    let recorded: Vec<u8> = recorded.iter().flatten().collect();

    let mut again = TcpStream::connect(listener.address().expect("an address")).expect("it");
    again.write_all(&recorded).expect("the same again");
    let peer = listener.accept().expect("a connection");
    let refused = module().connect_as(SERVER, [peer]).err().expect("a replay");
    assert!(matches!(refused.reason, Reason::WrongSecret), "{refused}");
}

/// Who relays a greeting can neither change nor repeat what follows.
#[test]
fn what_is_changed_on_the_way_is_an_error() {
    let network = hasty().secret(secret(7));
    let listener = network.listen("127.0.0.1:0").expect("a free port");
    let middle = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let between = middle.local_addr().expect("an address").to_string();
    let clients = network.clone();
    let client = thread::spawn(move || {
        let peer = clients.connect(&between).expect("the middle");
        module().connect_as(CLIENT, [peer]).expect("a server")
    });
    let (mut client_side, _) = middle.accept().expect("the client");
    let server_side =
        TcpStream::connect(listener.address().expect("an address")).expect("the server");
    let both = |stream: &TcpStream| stream.try_clone().expect("a copy");
    relay(both(&server_side), both(&client_side), mpsc::channel().0);
    let mut forward = server_side;
    let mut pass = |change: u8| {
        let mut length = [0; 4];
        client_side.read_exact(&mut length).expect("a frame");
        let mut body = vec![0; u32::from_le_bytes(length) as usize];
        client_side.read_exact(&mut body).expect("a frame");
        *body.last_mut().expect("a byte") ^= change;
        forward.write_all(&[&length[..], &body].concat()).expect("a server");
    };
    let serving = thread::spawn(move || {
        let peer = listener.accept().expect("a connection");
        let (mut server, _connections) = module().connect_as(SERVER, [peer]).expect("a client");
        server.recv(None).expect_err("it was changed").into_report().cause
    });
    pass(0);
    pass(0);
    let (mut client, _connections) = client.join().expect("no panic");
    client.send(Message::Ask(1), None).expect("room");
    pass(1);
    let cause = soon(move || serving.join().expect("no panic"));
    assert_eq!(
        cause,
        Cause::InvalidData {
            role: "Client".to_owned(),
            reason: "a frame that the shared secret does not authenticate".to_owned()
        }
    );
}

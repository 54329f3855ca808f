//! Roles in two processes, and peers that die, lie, or send garbage. The other process is this test binary
//! again, told by the environment to play the other role.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use quadrille_runtime::plan::{
    Act, ActId, Edge, GlobalId, GlobalState, Kind, LabelId, LocalAutomaton, LocalId, LocalState,
    Packet, PacketId, Plan, Queue, RoleId,
};
use quadrille_runtime::tcp::{ConnectError, Connections, Network, Reason, Timeouts};
use quadrille_runtime::{Cause, Error, Form, Module, Payload, Received, Role};
use quadrille_workshop::check;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};

use crate::support::{both_quad, soon};

pub const CLIENT: RoleId = RoleId(0);
pub const SERVER: RoleId = RoleId(1);
const ROUNDS: u32 = 200;

/// How the other process is told what to do: `PORT MODE`.
const TASK: &str = "QUADRILLE_TEST_PEER";

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Message {
    Ask(#[serde(serialize_with = "write_unless_wrong")] u32),
    Answer(String),
    Thanks,
}

/// A number that cannot be written.
const UNWRITABLE: u32 = 1_000_001;

/// A number that cannot be written without a panic.
const EXPLOSIVE: u32 = 1_000_002;

fn write_unless_wrong<S: Serializer>(number: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    match *number {
        UNWRITABLE => Err(serde::ser::Error::custom("on purpose")),
        EXPLOSIVE => std::panic::resume_unwind(Box::new("on purpose")),
        number => serializer.serialize_u32(number),
    }
}

impl Payload for Message {
    fn label(&self) -> Option<LabelId> {
        Some(match self {
            Message::Ask(_) => LabelId(0),
            Message::Answer(_) => LabelId(1),
            Message::Thanks => LabelId(2),
        })
    }
}

/// The client asks, the server answers, for as long as the client likes.
pub fn plan() -> Plan {
    let act = |kind, from, to, label, text: &str| Act {
        kind,
        from,
        to: Cow::Owned(vec![to]),
        label: Some(LabelId(label)),
        text: Cow::Owned(text.to_owned()),
    };
    let state = |act, packet, to, may_end| LocalState {
        edges: vec![Edge { act: ActId(act), packet: Some(PacketId(packet)), to: LocalId(to) }]
            .into(),
        may_end,
    };
    let queue = |from, to| Queue { from: Some(from), to, capacity: 1, suffices: true };
    let global = |act: u32, may_end| GlobalState {
        edges: vec![(ActId(act), GlobalId((act + 1) % 4))].into(),
        may_end,
    };
    Plan {
        protocol: "questions".into(),
        roles: vec!["Client".into(), "Server".into()].into(),
        labels: vec!["Ask".into(), "Answer".into()].into(),
        acts: vec![
            act(Kind::Send, CLIENT, SERVER, 0, "Client sends Ask to Server"),
            act(Kind::Receive, CLIENT, SERVER, 0, "Server receives Ask from Client"),
            act(Kind::Send, SERVER, CLIENT, 1, "Server sends Answer to Client"),
            act(Kind::Receive, SERVER, CLIENT, 1, "Client receives Answer from Server"),
        ]
        .into(),
        strict: vec![global(0, true), global(1, false), global(2, false), global(3, false)].into(),
        locals: vec![
            LocalAutomaton { states: vec![state(0, 0, 1, true), state(3, 1, 0, false)].into() },
            LocalAutomaton { states: vec![state(1, 0, 1, true), state(2, 1, 0, false)].into() },
        ]
        .into(),
        packets: vec![Packet { act: ActId(0), variant: 0 }, Packet { act: ActId(2), variant: 0 }]
            .into(),
        queues: vec![queue(CLIENT, SERVER), queue(SERVER, CLIENT)].into(),
    }
}

/// The same, but the server says thanks after each answer.
pub fn polite_plan() -> Plan {
    let mut plan = plan();
    let edge = |act, packet, to| {
        vec![Edge { act: ActId(act), packet: Some(PacketId(packet)), to: LocalId(to) }].into()
    };
    plan.labels.to_mut().push("Thanks".into());
    for (kind, text) in [
        (Kind::Send, "Server sends Thanks to Client"),
        (Kind::Receive, "Client receives Thanks from Server"),
    ] {
        let to = Cow::Owned(vec![CLIENT]);
        let label = Some(LabelId(2));
        plan.acts.to_mut().push(Act { kind, from: SERVER, to, label, text: text.into() });
    }
    plan.packets.to_mut().push(Packet { act: ActId(4), variant: 0 });
    plan.queues.to_mut()[1].capacity = 2;
    for (local, acts) in plan.locals.to_mut().iter_mut().zip([[3, 5], [2, 4]]) {
        let states = local.states.to_mut();
        states[1].edges = edge(acts[0], 1, 2);
        states.push(LocalState { edges: edge(acts[1], 2, 0), may_end: false });
    }
    plan
}

/// Item 22: a peer whose process is stopped says nothing and keeps its connection.
#[test]
fn item_22_a_stopped_peer_is_an_error_that_names_it() {
    let (mut client, _stream) = with_liar(&plan(), Vec::new(), Some(Duration::from_millis(50)));
    let error = soon(move || {
        client.send(Message::Ask(0), None).expect("room");
        client.recv(None).expect_err("nothing was heard")
    });
    let Cause::Disconnected { role, reason } = &error.cause else { panic!("{error}") };
    assert_eq!((role.as_str(), reason.as_str()), ("Server", "nothing was heard of it for 50ms"));
    assert!(Timeouts::default().silence.is_some(), "it is an error by default");
}

/// Item 22: peers that have nothing to say are not taken for dead.
#[test]
fn item_22_heartbeats_keep_a_connection() {
    let timeouts = Timeouts { silence: Some(Duration::from_millis(90)), ..Timeouts::default() };
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    let (over, is_over) = std::sync::mpsc::channel();
    let server = thread::spawn(move || {
        let stream = TcpStream::connect(address).expect("a listener");
        let (mut server, _) = connect_with(&plan(), SERVER, stream, timeouts).expect("a client");
        is_over.recv().expect("the client has waited");
        serve(&mut server, 1);
    });
    let (stream, _) = listener.accept().expect("a connection");
    let (mut client, _) = connect_with(&plan(), CLIENT, stream, timeouts).expect("a server");
    client.send(Message::Ask(0), None).expect("room");
    client.set_timeout(Some(Duration::from_millis(500)));
    assert_eq!(client.recv(None).expect_err("too early").cause, Cause::TimedOut);
    client.set_timeout(None);
    over.send(()).expect("the server waits");
    assert_eq!(client.recv(None).expect("an answer").payload, Message::Answer("0".to_owned()));
    server.join().expect("no panic");
}

/// Item 22: how long a peer may take to greet can be set.
#[test]
fn item_22_the_greeting_has_a_time_out() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let _silent =
        TcpStream::connect(listener.local_addr().expect("an address")).expect("a listener");
    let (stream, _) = listener.accept().expect("a connection");
    let timeouts = Timeouts { greeting: Duration::from_millis(20), ..Timeouts::default() };
    let refused = connect_with(&plan(), CLIENT, stream, timeouts).err();
    assert!(
        matches!(&refused, Some(ConnectError { reason: Reason::Silent { within }, .. }) if *within == timeouts.greeting),
        "{refused:?}"
    );
}

fn connect(
    plan: &Plan,
    role: RoleId,
    stream: TcpStream,
) -> Result<(Role<Message>, Connections), ConnectError> {
    connect_with(plan, role, stream, Timeouts::default())
}

fn connect_with(
    plan: &Plan,
    role: RoleId,
    stream: TcpStream,
    timeouts: Timeouts,
) -> Result<(Role<Message>, Connections), ConnectError> {
    let module = Module::new(plan, Form::Liberal).expect("a sound plan").timeouts(timeouts);
    let (mut roles, connections) = module.connect(&[role], vec![stream])?;
    Ok((roles.remove(0), connections))
}

pub fn serve(server: &mut Role<Message>, rounds: u32) {
    for _ in 0..rounds {
        let Received { payload: Message::Ask(number), .. } = server.recv(None).expect("a question")
        else {
            panic!("only questions are received")
        };
        server.send(Message::Answer(number.to_string()), None).expect("an answer");
    }
}

pub fn request(client: &mut Role<Message>, rounds: u32) {
    for number in 0..rounds {
        client.send(Message::Ask(number), None).expect("a question");
        let answer = client.recv(Some(SERVER)).expect("an answer");
        assert_eq!(answer.payload, Message::Answer(number.to_string()));
    }
}

/// Not a test of its own: the other process, where one is told to be it.
#[test]
fn the_other_process() {
    let Ok(task) = std::env::var(TASK) else { return };
    let (port, mode) = task.split_once(' ').expect("a port and a mode");
    let stream = TcpStream::connect(("127.0.0.1", port.parse().expect("a port")));
    let (mut server, connections) =
        connect(&plan(), SERVER, stream.expect("a listener")).expect("a client");
    match mode {
        "serve" => {
            serve(&mut server, ROUNDS);
            server.finish().expect("an end");
            connections.flush();
        }
        "leave" => {
            serve(&mut server, 3);
            server.recv(None).expect("a question");
            drop(server);
            connections.flush();
        }
        _ => {
            serve(&mut server, 3);
            server.recv(None).expect("a question");
            std::process::abort();
        }
    }
}

/// The client of a server in another process.
fn with_other_process(mode: &str) -> (Role<Message>, Connections, Child) {
    other_process(mode, Timeouts::default())
}

/// The same with time-outs.
pub fn other_process(mode: &str, timeouts: Timeouts) -> (Role<Message>, Connections, Child) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "tcp::the_other_process"])
        .env(TASK, format!("{port} {mode}"))
        .spawn()
        .expect("another process");
    let (stream, _) = listener.accept().expect("a connection");
    let (client, connections) = connect_with(&plan(), CLIENT, stream, timeouts).expect("a server");
    (client, connections, child)
}

#[test]
fn two_processes_talk() {
    let (mut client, connections, mut child) = with_other_process("serve");
    request(&mut client, ROUNDS);
    client.finish().expect("an end");
    connections.flush();
    assert!(child.wait().expect("an end").success());
}

#[test]
fn a_peer_that_leaves_or_dies_is_an_error() {
    let (mut client, _connections, mut child) = with_other_process("leave");
    request(&mut client, 3);
    client.send(Message::Ask(3), None).expect("room");
    let error = client.recv(None).expect_err("nobody answers");
    assert_eq!(error.cause, Cause::Dropped { role: "Server".to_owned(), state: "1".to_owned() });
    assert!(child.wait().expect("an end").success());

    let (mut client, _connections, mut child) = with_other_process("die");
    request(&mut client, 3);
    let result = client.send(Message::Ask(3), None).and_then(|()| client.recv(None));
    let error = result.expect_err("nobody answers");
    assert!(
        matches!(&error.cause, Cause::Disconnected { role, .. } if role == "Server"),
        "{error}"
    );
    assert!(!child.wait().expect("an end").success());
}

/// A client whose peer greets as a server would, then sends these bytes and stays.
fn with_liar(plan: &Plan, bytes: Vec<u8>, silence: Option<Duration>) -> (Role<Message>, TcpStream) {
    let timeouts = Timeouts { silence, ..Timeouts::default() };
    liar(plan, bytes, &Network::new().timeouts(timeouts))
}

/// The same in a network.
pub fn liar<P: Payload + Serialize + DeserializeOwned>(
    plan: &Plan,
    bytes: Vec<u8>,
    network: &Network,
) -> (Role<P>, TcpStream) {
    let listener = network.listen("127.0.0.1:0").expect("a free port");
    let address = listener.address().expect("an address");
    let liar = thread::spawn(move || lie(address, &bytes));
    let module = Module::new(plan, Form::Liberal).expect("a sound plan");
    let peer = listener.accept().expect("a connection");
    let position = plan.roles.iter().position(|role| role == "Client").expect("a client");
    let (client, _) = module.connect_as(RoleId(position as u16), [peer]).expect("a greeting");
    (client, liar.join().expect("no panic"))
}

/// Greets a client as a server would, and sends these bytes.
pub fn lie(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a listener");
    let mut length = [0; 4];
    stream.read_exact(&mut length).expect("a greeting");
    let mut hello = vec![0; u32::from_le_bytes(length) as usize];
    stream.read_exact(&mut hello).expect("a greeting");
    let name = hello.windows(6).rposition(|name| name == b"Client").expect("its role");
    hello[name..name + 6].copy_from_slice(b"Server");
    // It follows the magic and the version.
    let nonce = &mut hello[5..37];
    nonce.reverse();
    stream.write_all(&length).expect("the same length");
    stream.write_all(&hello).expect("the other name");
    stream.write_all(bytes).expect("garbage");
    stream
}

/// The reason of an error that a garbage of the server brought about.
#[track_caller]
fn reason(result: Result<Received<Message>, Error>) -> String {
    match result.expect_err("no answer").into_report().cause {
        Cause::InvalidData { role, reason } => {
            assert_eq!(role, "Server");
            reason
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn is_garbage(bytes: Vec<u8>) -> String {
    let (mut client, stream) = with_liar(&plan(), bytes, None);
    let result = client.send(Message::Ask(0), None).and_then(|()| client.recv(None));
    drop(stream);
    reason(result)
}

pub fn frame(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

#[test]
fn garbage_is_an_error() {
    assert_eq!(
        is_garbage(vec![0xff; 8]),
        "a frame of 4294967295 bytes, where 16777216 are allowed"
    );
    assert!(is_garbage(frame(&[9])).starts_with("a malformed frame"));
    assert_eq!(is_garbage(frame(&[1, 0, 0])), "a frame with trailing bytes");
    assert_eq!(is_garbage(frame(&[1, 0])), "a close that the role may not perform");
    assert_eq!(is_garbage(frame(&[2, 0, 0])), "the departure of a role that does not run there");
    assert_eq!(is_garbage(frame(&[0, 7, 7, 0, 0])), "a message that the protocol does not have");
    assert_eq!(
        is_garbage(frame(&[0, 1, 1, 0, 5])),
        "a message whose content does not match its label"
    );
    assert_eq!(is_garbage(frame(&[0, 0, 1, 1, 0])), "a message that the role may not send");
}

/// Messages that the protocol has, but not then: the client must not wait for others for ever.
#[test]
fn messages_at_the_wrong_time_are_an_error() {
    let answer = frame(&[0, 1, 1, 1, 1, b'a']);
    let thanks = frame(&[0, 1, 2, 2]);
    let (mut client, _stream) = with_liar(&polite_plan(), thanks.clone(), None);
    let told = soon(move || {
        client.send(Message::Ask(0), None).expect("room");
        client.recv(None)
    });
    assert_eq!(reason(told), "Thanks, which the protocol does not allow in this state");
    let (mut client, _stream) = with_liar(&polite_plan(), [&answer[..], &answer].concat(), None);
    let told = soon(move || {
        client.send(Message::Ask(0), None).expect("room");
        client.recv(None).expect("an answer");
        client.recv(None)
    });
    assert_eq!(reason(told), "Answer, which the protocol does not allow in this state");
    let (mut client, _stream) = with_liar(&polite_plan(), [&answer[..], &thanks].concat(), None);
    soon(move || {
        client.send(Message::Ask(0), None).expect("room");
        client.recv(None).expect("an answer");
        client.recv(None).expect("thanks");
    });
}

#[test]
fn a_message_that_cannot_be_written_is_an_error_on_both_sides() {
    for (number, expected) in [
        (UNWRITABLE, "Serde Serialization Error"),
        (EXPLOSIVE, "a message panics when it is written or read"),
    ] {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let server = thread::spawn(move || {
            let stream = TcpStream::connect(address).expect("a listener");
            let (mut server, _) = connect(&plan(), SERVER, stream).expect("a client");
            server.recv(None).expect_err("nothing comes").into_report().cause
        });
        let (stream, _) = listener.accept().expect("a connection");
        let (mut client, _) = connect(&plan(), CLIENT, stream).expect("a server");
        let cause = soon(move || {
            client.send(Message::Ask(number), None).expect("room");
            client.recv(None).expect_err("no answer").into_report().cause
        });
        let Cause::Disconnected { reason, .. } = cause else { panic!("{cause:?}") };
        assert_eq!(reason, expected);
        let cause = soon(move || server.join().expect("no panic"));
        assert!(matches!(cause, Cause::Disconnected { .. } | Cause::Dropped { .. }), "{cause:?}");
    }
}

#[test]
fn random_bytes_never_do_harm() {
    check(20, |choices| {
        let mut bytes = vec![8, 0, 0, 0];
        bytes.extend((0..8).map(|_| choices.below(4) as u8));
        let (mut client, stream) = with_liar(&plan(), bytes, None);
        drop(stream);
        let result = client.send(Message::Ask(0), None).and_then(|()| client.recv(None));
        let cause = result.expect_err("no answer").into_report().cause;
        assert!(
            matches!(cause, Cause::InvalidData { .. } | Cause::Disconnected { .. }),
            "{cause:?}"
        );
    });
}

#[test]
fn strangers_are_refused() {
    let greet = |ours: Plan, theirs: Plan, role| {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let other = thread::spawn(move || {
            connect(&theirs, role, TcpStream::connect(address).expect("a listener")).is_err()
        });
        let (stream, _) = listener.accept().expect("a connection");
        let error = connect(&ours, CLIENT, stream).err().expect("a stranger").to_string();
        assert!(other.join().expect("no panic"));
        error
    };
    let other = Plan { protocol: "riddles".into(), ..plan() };
    // An address, a name and a hash on both sides.
    let differs = greet(plan(), other, SERVER);
    let parts = [
        "127.0.0.1:",
        ": the peer runs `riddles` (",
        "…), which is not the same protocol as `questions` (",
    ];
    assert!(parts.iter().all(|part| differs.contains(part)), "{differs}");
    let mut changed = plan();
    changed.queues.to_mut()[0].capacity = 2;
    let differs = greet(plan(), changed, SERVER);
    assert!(differs.contains("the peer runs `questions` ("), "{differs}");
    let doubled = greet(plan(), plan(), CLIENT);
    assert!(doubled.ends_with(": `Client` would run in two processes"), "{doubled}");

    assert!(matches!(refused(b"GET / HTTP/1.1\r\n\r\n"), Reason::NotAPeer));
    // Whatever another version says after its number, it is known by that.
    let newer = refused(&frame(b"quad\x04 and something else"));
    assert!(matches!(newer, Reason::Version { theirs: 4 }), "{newer}");
    assert!(matches!(refused(&frame(b"quad\x03")), Reason::NotAPeer));
}

/// Why a peer that greets like this is refused.
fn refused(greeting: &[u8]) -> Reason {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let mut peer = TcpStream::connect(listener.local_addr().expect("an address")).expect("it");
    peer.write_all(greeting).expect("a greeting");
    let (stream, _) = listener.accept().expect("a connection");
    connect(&plan(), CLIENT, stream).err().expect("a stranger").reason
}

#[test]
fn one_step_is_not_taken_in_two_places() {
    let text = "message Ask; role Client, Server; protocol p { Ask from Client to Server sync; }";
    let plan = &both_quad(text)[0].plan;
    let module = Module::<Message>::new(plan, Form::Liberal).expect("a sound plan");
    let refused = module
        .connect_as(RoleId(0), Vec::<TcpStream>::new())
        .err()
        .expect("its partner is elsewhere");
    assert_eq!(
        refused.to_string(),
        "`Client passes Ask to Server` is one step of roles that run in different processes: run them in one process, or let the \
         protocol send the message without `sync`"
    );
}

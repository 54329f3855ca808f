//! Conversations over the loopback device: a module in two halves, as two processes have it, beside a socket with frames
//! written by hand. There is no bar: the figures say what connecting roles costs.

use std::io::{BufReader, BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use quadrille_runtime::tcp::{Connections, Network, Secret, Tls};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use super::contenders::{Contender, Workload};
use crate::generated::{Number, Page, numbers, pages, rally};

pub(super) fn workloads() -> Vec<Workload> {
    let by = |name, run| Contender { name, run };
    let of = |key, name, n_times, contenders| Workload {
        key,
        name,
        is_pinned: false,
        n_times,
        bar: None,
        contenders,
    };
    vec![
        of(
            "tcp-numbers",
            "stream of 8 bytes over TCP",
            200_000,
            vec![
                by("module, plain", |n| stream_numbers(&Network::new(), &Network::new(), n)),
                by("module, shared secret", |n| stream_numbers(&secret(), &secret(), n)),
                by("module, TLS", |n| with_tls(|one, other| stream_numbers(one, other, n))),
                by("socket by hand", |n| stream_by_hand(n, 8)),
            ],
        ),
        of(
            "tcp-pages",
            "stream of 4,096 bytes over TCP",
            20_000,
            vec![
                by("module, plain", |n| stream_pages(&Network::new(), &Network::new(), n)),
                by("module, TLS", |n| with_tls(|one, other| stream_pages(one, other, n))),
                by("socket by hand", |n| stream_by_hand(n, 4_096)),
            ],
        ),
        of(
            "tcp-rally",
            "ping-pong over TCP",
            5_000,
            vec![
                by("module, plain", |n| rally_over(&Network::new(), &Network::new(), n)),
                by("module, TLS", |n| with_tls(|one, other| rally_over(one, other, n))),
                by("socket by hand", rally_by_hand),
            ],
        ),
    ]
}

fn secret() -> Network {
    Network::new().secret(Secret::new([7; 32]).expect("long enough"))
}

/// Both sides with certificates of an authority that they trust.
fn with_tls(run: impl FnOnce(&Network, &Network) -> Duration) -> Duration {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = params.self_signed(&key).expect("a certificate").pem();
    let issuer = Issuer::new(params, key);
    let network = || {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(["127.0.0.1".to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &issuer).expect("a certificate").pem();
        let key = key.serialize_pem();
        let tls = Tls::from_pem(authority.as_bytes(), certificate.as_bytes(), key.as_bytes());
        Network::new().tls(tls.expect("sound certificates"))
    };
    run(&network(), &network())
}

/// Two roles in two networks that are connected, one in this thread and one in another; how long they take together.
macro_rules! halves {
    ($module:ident, $here:ident, $there:ident, $networks:expr, |$one:ident| $first:block, |$other:ident| $second:block) => {{
        let (here, there): (&Network, &Network) = $networks;
        let listener = there.listen("127.0.0.1:0").expect("a free port");
        let address = listener.address().expect("an address").to_string();
        let there = thread::spawn(move || {
            let peer = listener.accept().expect("a peer");
            let (mut $other, connections): (_, Connections) =
                $module::$there::connect($module::liberal(), [peer]).expect("connected");
            $second
            drop($other);
            connections.flush();
        });
        let peer = here.connect(&address).expect("a listener");
        let (mut $one, connections) =
            $module::$here::connect($module::liberal(), [peer]).expect("connected");
        let start = Instant::now();
        $first
        drop($one);
        connections.flush();
        there.join().expect("the other side does not panic");
        start.elapsed()
    }};
}

fn stream_numbers(here: &Network, there: &Network, n: u32) -> Duration {
    halves!(
        numbers,
        Source,
        Sink,
        (here, there),
        |source| {
            (0..n).for_each(|number| source.send(Number(number.into())).expect("room"));
        },
        |sink| {
            for _ in 0..n {
                let _ = sink.recv().expect("a number");
            }
        }
    )
}

fn stream_pages(here: &Network, there: &Network, n: u32) -> Duration {
    halves!(
        pages,
        Source,
        Sink,
        (here, there),
        |source| {
            (0..n).for_each(|_| source.send(Page(vec![1; 4_096])).expect("room"));
        },
        |sink| {
            (0..n).for_each(|_| drop(sink.recv().expect("a page")));
        }
    )
}

fn rally_over(here: &Network, there: &Network, n: u32) -> Duration {
    halves!(
        rally,
        Left,
        Right,
        (here, there),
        |left| {
            for _ in 0..n {
                left.send(Number(1)).expect("room");
                left.recv().expect("an answer");
            }
        },
        |right| {
            for _ in 0..n {
                let number = right.recv().expect("a number");
                right.send(number).expect("room");
            }
        }
    )
}

/// A connection to oneself.
fn sockets() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let connecting = thread::spawn(move || TcpStream::connect(address).expect("a listener"));
    let (accepted, _) = listener.accept().expect("a peer");
    let connected = connecting.join().expect("no panic");
    for socket in [&accepted, &connected] {
        socket.set_nodelay(true).expect("an open socket");
    }
    (accepted, connected)
}

fn write_frame(out: &mut impl Write, bytes: &[u8]) {
    out.write_all(&(bytes.len() as u32).to_le_bytes()).expect("an open socket");
    out.write_all(bytes).expect("an open socket");
}

fn read_frame(input: &mut impl Read) -> Vec<u8> {
    let mut length = [0; 4];
    input.read_exact(&mut length).expect("a length");
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    input.read_exact(&mut bytes).expect("a frame");
    bytes
}

fn stream_by_hand(n: u32, size: usize) -> Duration {
    let (receiver, sender) = sockets();
    let there = thread::spawn(move || {
        let mut input = BufReader::with_capacity(1 << 16, receiver);
        (0..n).for_each(|_| drop(read_frame(&mut input)));
    });
    let start = Instant::now();
    let mut out = BufWriter::with_capacity(1 << 16, sender);
    (0..n).for_each(|_| write_frame(&mut out, &vec![1; size]));
    out.flush().expect("an open socket");
    there.join().expect("the other side does not panic");
    start.elapsed()
}

fn rally_by_hand(n: u32) -> Duration {
    let (left, right) = sockets();
    let there = thread::spawn(move || {
        let mut input = BufReader::new(right.try_clone().expect("a socket"));
        let mut out = BufWriter::new(right);
        for _ in 0..n {
            let frame = read_frame(&mut input);
            write_frame(&mut out, &frame);
            out.flush().expect("an open socket");
        }
    });
    let mut input = BufReader::new(left.try_clone().expect("a socket"));
    let mut out = BufWriter::new(left);
    let start = Instant::now();
    for _ in 0..n {
        write_frame(&mut out, &[1; 8]);
        out.flush().expect("an open socket");
        read_frame(&mut input);
    }
    there.join().expect("the other side does not panic");
    start.elapsed()
}

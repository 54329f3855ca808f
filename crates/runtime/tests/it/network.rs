//! Networks: peers by address, secrets, certificates, and servers of many sessions. What peers may do wrong is in `faults.rs`,
//! many sessions and messages are in `many.rs`.

mod faults;
mod many;

use std::thread;
use std::time::Duration;

use quadrille_runtime::tcp::{
    ConnectError, Connections, Network, Reason, Retry, Secret, Server, Sessions, Timeouts, Tls,
};
use quadrille_runtime::{Cause, Error, Form, Module, Received, Role};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use crate::support::soon;
use crate::tcp::{CLIENT, Message, SERVER, plan, request, serve};

/// An authority that signs certificates.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    /// Who trusts this authority and has a certificate of it for this name.
    fn tls(&self, name: &str) -> Tls {
        self.tls_trusting(name, self)
    }

    /// Who trusts another authority.
    fn tls_trusting(&self, name: &str, trusted: &Authority) -> Tls {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([name.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate").pem();
        let key = key.serialize_pem();
        Tls::from_pem(trusted.pem.as_bytes(), certificate.as_bytes(), key.as_bytes())
            .expect("sound certificates")
    }
}

fn secret(byte: u8) -> Secret {
    Secret::new([byte; 32]).expect("long enough")
}

/// A network without patience: what waits in vain ends soon.
fn hasty() -> Network {
    let timeouts = Timeouts { greeting: Duration::from_secs(2), ..Timeouts::default() };
    Network::new().timeouts(timeouts)
}

fn module() -> Module<Message> {
    Module::new(&plan(), Form::Liberal).expect("a sound plan")
}

type Connected = Result<(Role<Message>, Connections), ConnectError>;

/// A server in one network and a client in another.
fn between(server: &Network, client: &Network) -> (Connected, Connected) {
    let listener = server.listen("127.0.0.1:0").expect("a free port");
    let address = listener.address().expect("an address").to_string();
    let client = client.clone();
    let connecting = thread::spawn(move || {
        let peer = client.connect(&address)?;
        module().connect_as(CLIENT, [peer])
    });
    let served = listener.accept().and_then(|peer| module().connect_as(SERVER, [peer]));
    (served, connecting.join().expect("no panic"))
}

/// Both refuse each other, for these reasons.
#[track_caller]
fn refuse(server: &Network, client: &Network) -> (Reason, Reason) {
    let (served, connected) = between(server, client);
    (served.err().expect("a refusal").reason, connected.err().expect("a refusal").reason)
}

#[track_caller]
fn talk((served, connected): (Connected, Connected)) {
    let (mut server, there) = served.expect("a client");
    let (mut client, here) = connected.expect("a server");
    assert_eq!(here.processes()[0].roles, ["Server"]);
    let serving = thread::spawn(move || {
        serve(&mut server, 20);
        server.finish().expect("an end");
        there.flush();
    });
    request(&mut client, 20);
    client.finish().expect("an end");
    here.flush();
    serving.join().expect("no panic");
}

#[test]
fn peers_with_the_same_secret_talk() {
    let network = Network::new().secret(secret(1));
    talk(between(&network, &network.clone()));
    assert_eq!(format!("{:?}", secret(1)), "Secret(…)");
}

#[test]
fn peers_with_another_secret_are_refused() {
    let [one, two] = [1, 2].map(|byte| hasty().secret(secret(byte)));
    let (served, connected) = refuse(&one, &two);
    assert!(matches!(served, Reason::WrongSecret), "{served}");
    assert!(matches!(connected, Reason::WrongSecret), "{connected}");
    let (served, connected) = refuse(&one, &hasty());
    assert!(matches!(served, Reason::OneSecret { ours: true }), "{served}");
    assert!(matches!(connected, Reason::OneSecret { ours: false }), "{connected}");
}

#[test]
fn peers_with_certificates_talk() {
    let authority = Authority::new();
    let [server, client] = ["127.0.0.1", "client.example"].map(|name| authority.tls(name));
    let (served, connected) = between(&Network::new().tls(server), &Network::new().tls(client));
    let certificate = served.as_ref().map(|it| it.1.processes()[0].certificate.clone());
    assert!(certificate.is_ok_and(|certificate| {
        let der = certificate.expect("both show one");
        der.windows(14).any(|part| part == b"client.example")
    }));
    talk((served, connected));
    let both = Network::new().tls(authority.tls("127.0.0.1")).secret(secret(3));
    talk(between(&both, &both.clone()));
}

#[test]
fn wrong_certificates_are_refused() {
    let [ours, other] = [Authority::new(), Authority::new()];
    let network = |tls| hasty().tls(tls);
    let good = || network(ours.tls("127.0.0.1"));
    for (server, client) in [
        // Neither trusts the other.
        (good(), network(other.tls("127.0.0.1"))),
        // Only the server, only the client refuses.
        (good(), network(other.tls_trusting("127.0.0.1", &ours))),
        (network(other.tls_trusting("127.0.0.1", &ours)), good()),
        // A certificate for another name.
        (network(ours.tls("other.example")), good()),
    ] {
        let (served, connected) = refuse(&server, &client);
        assert!(matches!(served, Reason::Tls(_)), "{served:?}");
        assert!(matches!(connected, Reason::Tls(_)), "{connected:?}");
    }
    let named = good().tls(ours.tls("client").expect_name("other.example").expect("a name"));
    talk(between(&network(ours.tls("other.example")), &named));
}

#[test]
fn tls_and_plain_do_not_mix() {
    let tls = hasty().tls(Authority::new().tls("127.0.0.1"));
    let (served, connected) = refuse(&tls, &hasty());
    assert!(matches!(served, Reason::Tls(_)), "{served:?}");
    assert!(matches!(connected, Reason::NotAPeer | Reason::Closed), "{connected:?}");
    let (served, _) = refuse(&hasty(), &tls);
    assert!(matches!(served, Reason::NotAPeer | Reason::Closed), "{served:?}");
}

#[test]
fn certificates_that_are_none_are_refused() {
    let authority = Authority::new();
    let bad = |pem: &[u8], key: &[u8]| {
        let refused = Tls::from_pem(authority.pem.as_bytes(), pem, key).err();
        refused.expect("no certificate").to_string()
    };
    assert_eq!(bad(b"", b""), "the certificate: there is no certificate in it");
    assert!(bad(authority.pem.as_bytes(), b"").starts_with("the key: "));
}

#[test]
fn a_peer_that_does_not_listen_yet_is_tried_again() {
    let free = Network::new().listen("127.0.0.1:0").expect("a free port");
    let address = free.address().expect("an address").to_string();
    drop(free);
    let retry = Retry { first: Duration::from_millis(1), ..Retry::default() };
    let network = Network::new().retry(retry);
    let (there, at) = (network.clone(), address.clone());
    let connecting = thread::spawn(move || {
        let peer = there.connect(&at)?;
        module().connect_as(CLIENT, [peer])
    });
    let listener = network.listen(&address).expect("the port is free again");
    let served = listener.accept().and_then(|peer| module().connect_as(SERVER, [peer]));
    talk((served, connecting.join().expect("no panic")));
}

#[test]
fn a_peer_that_never_listens_is_an_error_that_names_it() {
    let free = Network::new().listen("127.0.0.1:0").expect("a free port");
    let address = free.address().expect("an address").to_string();
    drop(free);
    let retry = Retry {
        first: Duration::from_millis(1),
        most: Duration::from_millis(4),
        within: Duration::from_millis(50),
    };
    let error = Network::new().retry(retry).connect(&address).expect_err("nobody listens");
    assert!(error.to_string().starts_with(&format!("{address}: not reached in ")), "{error}");
    let Reason::Unreachable { attempts, within, .. } = error.reason else { panic!("{error}") };
    assert!(attempts > 5, "{attempts}");
    assert_eq!(within, retry.within);
    let error = Network::new().connect("no port").expect_err("not an address");
    assert!(matches!(error.reason, Reason::Io(_)), "{error}");
}

/// Answers until the client has finished.
fn answer_all(server: &mut Role<Message>) -> Result<(), Error> {
    loop {
        match server.recv(None) {
            Ok(Received { payload: Message::Ask(number), .. }) => {
                assert_ne!(number, 666, "on purpose");
                server.send(Message::Answer(number.to_string()), None)?;
            }
            Ok(received) => panic!("{received:?}"),
            Err(error) if matches!(error.cause, Cause::Finished { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// A server of the questions of clients.
fn server(network: &Network, sessions: Sessions) -> Server {
    let listener = network.listen("127.0.0.1:0").expect("a free port");
    let session = |peer| -> Result<(), Box<dyn std::error::Error>> {
        let (mut server, connections) = module().connect_as(SERVER, [peer])?;
        answer_all(&mut server)?;
        server.finish()?;
        connections.flush();
        Ok(())
    };
    listener.serve(sessions, session).expect("a thread")
}

fn client_of(network: &Network, address: &str) -> Connected {
    module().connect_as(CLIENT, [network.connect(address)?])
}

#[test]
fn a_server_serves_many_and_survives_what_some_do() {
    let network = hasty();
    let server = server(&network, Sessions { at_most: 6, ..Sessions::default() });
    let address = server.address().to_string();
    let mut clients: Vec<_> =
        (0..6).map(|_| client_of(&network, &address).expect("a place")).collect();
    let refused = client_of(&network, &address).err().expect("no place").reason;
    assert!(matches!(refused, Reason::Closed | Reason::Io(_)), "{refused:?}");
    let counts = server.counts();
    assert_eq!((counts.running, counts.refused), (6, 1));
    for (client, _) in &mut clients {
        request(client, 3);
    }
    // One makes its session panic, one leaves in the middle.
    let (mut rude, _connections) = clients.pop().expect("six");
    rude.send(Message::Ask(666), None).expect("room");
    rude.recv(None).expect_err("no answer");
    let (mut brief, _connections) = clients.pop().expect("six");
    brief.send(Message::Ask(7), None).expect("room");
    drop(brief);
    drop(rude);
    for (client, _) in &mut clients {
        request(client, 3);
    }
    for (client, connections) in clients {
        client.finish().expect("an end");
        connections.flush();
    }
    let counts = soon(move || server.join());
    assert_eq!((counts.running, counts.finished, counts.failed, counts.panicked), (0, 4, 1, 1));
}

#[test]
fn one_host_does_not_take_all_places() {
    let network = hasty();
    let server = server(&network, Sessions { per_host: 1, ..Sessions::default() });
    let address = server.address().to_string();
    let (client, connections) = client_of(&network, &address).expect("a place");
    client_of(&network, &address).err().expect("one place for each host");
    client.finish().expect("an end");
    connections.flush();
    let counts = soon(move || server.join());
    assert_eq!((counts.finished, counts.refused), (1, 1));
}

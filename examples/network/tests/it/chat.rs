//! A chat server in a process of its own, and clients that come and go over TLS.
#![allow(clippy::disallowed_methods)] // certificates are files

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use quadrille_example_network::room::{Guest, Said, SessionError};
use quadrille_runtime::tcp::{ConnectError, Network, Reason, Tls};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// An authority, and files of a server that it has certified.
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

    fn certify(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([name.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    }

    fn write(&self, folder: &Path) {
        let (certificate, key) = self.certify("127.0.0.1");
        for (name, text) in
            [("authority.pem", &self.pem), ("certificate.pem", &certificate), ("key.pem", &key)]
        {
            fs::write(folder.join(name), text).expect("a file");
        }
    }

    fn network(&self, name: &str) -> Network {
        let (certificate, key) = self.certify(name);
        let tls = Tls::from_pem(self.pem.as_bytes(), certificate.as_bytes(), key.as_bytes());
        Network::new().tls(tls.expect("certificates"))
    }
}

/// The server, and its address.
fn server(folder: &Path) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_chat"))
        .args(["serve", "127.0.0.1:0"])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    output.read_line(&mut line).expect("an address");
    child.stdout = Some(output.into_inner());
    (child, line.trim().to_owned())
}

fn said(name: &str, text: &str) -> Said {
    Said { name: name.to_owned(), text: text.to_owned() }
}

#[test]
fn any_number_of_clients_come_and_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = Authority::new();
    authority.write(folder.path());
    let (mut child, address) = server(folder.path());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let network = authority.network("client");
        let mut guests = Vec::new();
        for number in 0..20 {
            let name = format!("guest {number}");
            let guest = Guest::join(&network, &address, &name).await.expect("a place");
            guests.push(guest);
        }
        guests[0].say("hello").await.expect("room");
        for guest in &mut guests {
            assert_eq!(guest.hear().await.expect("it"), Some(said("guest 0", "hello")));
        }
        // One vanishes without a word, others leave; the rest go on.
        drop(guests.pop());
        for guest in guests.drain(10..) {
            assert_eq!(guest.leave().await.expect("a goodbye"), []);
        }
        guests[3].say("still here").await.expect("room");
        for guest in &mut guests {
            assert_eq!(guest.hear().await.expect("it"), Some(said("guest 3", "still here")));
        }
        for guest in guests {
            guest.leave().await.expect("a goodbye");
        }
        let strangers = Authority::new().network("client");
        let refused = Guest::join(&strangers, &address, "nobody").await.err().expect("a stranger");
        assert!(
            matches!(refused, SessionError::Connect(ConnectError { reason: Reason::Tls(_), .. })),
            "{refused:?}"
        );
    });
    drop(child.stdin.take());
    let mut rest = String::new();
    child.stdout.take().expect("its output").read_to_string(&mut rest).expect("text");
    assert!(child.wait().expect("an end").success());
    // The stranger and the one who vanished.
    assert_eq!(rest, "19 sessions ended well, 2 did not\n");
}

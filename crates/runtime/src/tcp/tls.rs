//! TLS 1.3 with both sides authenticated: the configuration of rustls, and its sessions as a transformation of bytes. Opens
//! no connection.

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, Connection, RootCertStore, ServerConfig, ServerConnection,
};

use super::error::Reason;

/// Who this process is, and whom it trusts.
#[derive(Clone)]
pub struct Tls {
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
    /// The name that the peers that we connect to must have; that in their address if there is none.
    name: Option<ServerName<'static>>,
}

/// Why certificates or keys cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadCertificates(String);

impl Tls {
    /// Trusts peers with a certificate that one of these authorities signed, and shows them this certificate, followed by
    /// those that lead to an authority. All in PEM.
    ///
    /// The process that connects also checks that the certificate of the other side is for the name in its address; see
    /// [`Tls::expect_name`].
    pub fn from_pem(
        authorities: &[u8],
        certificate: &[u8],
        key: &[u8],
    ) -> Result<Self, BadCertificates> {
        let bad =
            |what: &str, error: &dyn fmt::Display| BadCertificates(format!("{what}: {error}"));
        let list = |what, pem| {
            let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
            match all {
                Ok(all) if all.is_empty() => Err(bad(what, &"there is no certificate in it")),
                Ok(all) => Ok(all),
                Err(error) => Err(bad(what, &error)),
            }
        };
        let mut roots = RootCertStore::empty();
        for authority in list("the authorities", authorities)? {
            roots.add(authority).map_err(|error| bad("the authorities", &error))?;
        }
        let roots = Arc::new(roots);
        let chain = list("the certificate", certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| bad("the key", &error))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider))
                .build()
                .map_err(|error| bad("the authorities", &error))?;
        let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| bad("TLS 1.3", &error))?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain.clone(), key.clone_key())
            .map_err(|error| bad("the certificate", &error))?;
        let client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| bad("TLS 1.3", &error))?
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key)
            .map_err(|error| bad("the certificate", &error))?;
        Ok(Self { server: Arc::new(server), client: Arc::new(client), name: None })
    }

    /// Expects this name in the certificates of peers that this process connects to, whatever their address.
    pub fn expect_name(mut self, name: &str) -> Result<Self, BadCertificates> {
        let parsed = ServerName::try_from(name.to_owned());
        self.name = Some(parsed.map_err(|error| BadCertificates(format!("`{name}`: {error}")))?);
        Ok(self)
    }

    /// The session of the side that listens.
    pub(super) fn accept(&self) -> Result<Session, Reason> {
        let connection =
            ServerConnection::new(Arc::clone(&self.server)).map_err(|error| refused(&error))?;
        Ok(Session::new(Connection::Server(connection)))
    }

    /// The session of the side that connects to this host.
    pub(super) fn connect(&self, host: &str) -> Result<Session, Reason> {
        let name = match &self.name {
            Some(name) => name.clone(),
            None => ServerName::try_from(host.to_owned())
                .map_err(|error| Reason::Tls(format!("`{host}`: {error}")))?,
        };
        let connection = ClientConnection::new(Arc::clone(&self.client), name);
        let connection = connection.map_err(|error| refused(&error))?;
        Ok(Session::new(Connection::Client(connection)))
    }
}

fn refused(error: &rustls::Error) -> Reason {
    Reason::Tls(error.to_string())
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Display for BadCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadCertificates {}

/// One session. The side that reads and the side that writes share it; neither holds it while it waits for the network.
#[derive(Clone)]
pub(super) struct Session(Arc<Mutex<Connection>>);

impl Session {
    fn new(connection: Connection) -> Self {
        Self(Arc::new(Mutex::new(connection)))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether messages may be sent.
    pub(super) fn is_open(&self) -> bool {
        !self.lock().is_handshaking()
    }

    /// The certificate of the peer, in DER.
    pub(super) fn certificate(&self) -> Option<Vec<u8>> {
        let connection = self.lock();
        connection.peer_certificates()?.first().map(|certificate| certificate.to_vec())
    }

    /// Takes what arrived, and appends what it says; whether the peer ended the session by that.
    pub(super) fn decrypt(&self, mut raw: &[u8], plain: &mut Vec<u8>) -> io::Result<bool> {
        let mut connection = self.lock();
        let mut is_over = false;
        while !raw.is_empty() && !is_over {
            connection.read_tls(&mut raw)?;
            let state = connection
                .process_new_packets()
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            is_over = state.peer_has_closed();
            let mut left = state.plaintext_bytes_to_read();
            while left > 0 {
                let start = plain.len();
                plain.resize(start + left, 0);
                let n = connection.reader().read(&mut plain[start..])?;
                plain.truncate(start + n);
                left -= n;
            }
        }
        Ok(is_over)
    }

    /// Appends what is to be sent for these bytes, and for the session itself.
    pub(super) fn encrypt(&self, mut plain: &[u8], raw: &mut Vec<u8>) -> io::Result<()> {
        let mut connection = self.lock();
        loop {
            while connection.wants_write() {
                connection.write_tls(raw)?;
            }
            if plain.is_empty() {
                return Ok(());
            }
            let n = connection.writer().write(plain)?;
            plain = &plain[n..];
        }
    }

    /// Appends the end of the session.
    pub(super) fn end(&self, raw: &mut Vec<u8>) {
        self.lock().send_close_notify();
        // A session that cannot be ended ends with its connection.
        let _ = self.encrypt(&[], raw);
    }
}

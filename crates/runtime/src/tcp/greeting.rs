//! The greeting of one connection, from both sides at once: TLS, what each runs, and the proofs that both know the shared
//! secret. A machine from bytes that arrived to bytes to be sent; it opens and reads nothing.

use std::fmt::Write;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::Reason;
use super::network::Network;
use super::secret::{self, Hash, Hasher, Seal};
#[cfg(feature = "tls")]
use super::tls::Session;
use super::wire::{self, Decoder, Encoder, VERSION};
use crate::plan::{Plan, RoleId};

const MAGIC: [u8; 4] = *b"quad";

/// The largest greeting.
const MAX_GREETING: u32 = 256 << 10;

/// What each side says first.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(super) struct Hello {
    magic: [u8; 4],
    version: u16,
    /// Random, so that no recorded greeting fits.
    nonce: Hash,
    /// Identifies the content of the plan.
    fingerprint: Hash,
    protocol: String,
    /// The roles that run there.
    pub(super) roles: Vec<String>,
    /// How many milliseconds this process lets a peer be silent; 0: for ever.
    silence: u32,
    /// How many bytes of a message it accepts.
    limit: u32,
    /// Whether it demands proof of a secret.
    has_secret: bool,
}

impl Hello {
    /// The greeting of a process with these roles; without a nonce.
    pub(super) fn new(plan: &Plan, local: &[RoleId]) -> Self {
        let name = |role: &RoleId| plan.roles.get(role.index()).map(ToString::to_string);
        Self {
            magic: MAGIC,
            version: VERSION,
            nonce: [0; 32],
            fingerprint: fingerprint(plan),
            protocol: plan.protocol.to_string(),
            roles: local.iter().filter_map(name).collect(),
            silence: 0,
            limit: 0,
            has_secret: false,
        }
    }

    /// The same to a peer of this network.
    fn to(mut self, network: &Network) -> Result<Self, Reason> {
        getrandom::fill(&mut self.nonce)
            .map_err(|error| Reason::Io(std::io::Error::other(error.to_string())))?;
        let milliseconds =
            |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1);
        self.silence = network.timeouts.silence.map_or(0, milliseconds);
        self.limit = network.limits.message;
        self.has_secret = network.secret.is_some();
        Ok(self)
    }

    /// How often the peer that greets like this wants to hear something: three times before it takes us for dead.
    pub(super) fn heartbeat(&self) -> Option<Duration> {
        (self.silence > 0).then(|| Duration::from_millis(u64::from(self.silence)) / 3)
    }

    /// The protocol, as errors name it.
    fn named(&self) -> String {
        let hash = self.fingerprint.iter().take(4).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        format!("`{}` ({hash}…)", self.protocol)
    }

    fn decode(bytes: &[u8]) -> Result<Self, Reason> {
        // Every version begins like this, however it goes on.
        let (magic, theirs): ([u8; 4], u16) =
            postcard::take_from_bytes(bytes).map_err(|_| Reason::NotAPeer)?.0;
        if magic != MAGIC {
            return Err(Reason::NotAPeer);
        }
        if theirs != VERSION {
            return Err(Reason::Version { theirs });
        }
        wire::decode(bytes).map_err(|_| Reason::NotAPeer)
    }
}

/// Identifies a plan by its content.
fn fingerprint(plan: &Plan) -> Hash {
    let mut hasher = Hasher::new();
    let _ = write!(hasher, "{plan:?}");
    hasher.finish()
}

/// A greeting that is not complete.
pub(super) struct Greeting {
    network: Network,
    ours: Hello,
    our_hash: Hash,
    phase: Phase,
    arrived: Decoder,
    /// What is to be sent when TLS is ready.
    first: Vec<u8>,
    #[cfg(feature = "tls")]
    session: Option<Session>,
}

enum Phase {
    /// Waits for TLS.
    Handshake,
    /// Waits for their greeting.
    Hello,
    /// Waits for their proof.
    Proof { theirs: Box<Hello>, hash: Hash },
}

/// A greeting that both sides accepted.
pub(super) struct Greeted {
    pub(super) theirs: Hello,
    pub(super) encoder: Encoder,
    pub(super) decoder: Decoder,
    pub(super) crypt: Crypt,
}

/// What lies between frames and the network.
#[derive(Clone)]
pub(super) struct Crypt {
    #[cfg(feature = "tls")]
    session: Option<Session>,
}

impl Greeting {
    /// The greeting of a connection in this network: to a host, or from a stranger.
    pub(super) fn new(
        network: &Network,
        hello: &Hello,
        #[cfg_attr(not(feature = "tls"), expect(unused))] host: Option<&str>,
    ) -> Result<Self, Reason> {
        let ours = hello.clone().to(network)?;
        let mut first = Vec::new();
        Encoder { limit: MAX_GREETING, seal: None }.encode(&ours, &mut first)?;
        #[cfg(feature = "tls")]
        let session = match (&network.tls, host) {
            (Some(tls), Some(host)) => Some(tls.connect(host)?),
            (Some(tls), None) => Some(tls.accept()?),
            (None, _) => None,
        };
        Ok(Self {
            network: network.clone(),
            ours,
            our_hash: secret::hash(&first[4..]),
            phase: Phase::Handshake,
            arrived: Decoder::new(MAX_GREETING, None),
            first,
            #[cfg(feature = "tls")]
            session,
        })
    }

    fn crypt(&self) -> Crypt {
        Crypt {
            #[cfg(feature = "tls")]
            session: self.session.clone(),
        }
    }

    /// Takes what arrived and appends what is to be sent, also after an error; whether the greeting is complete.
    pub(super) fn step(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<bool, Reason> {
        let crypt = self.crypt();
        let mut plain = Vec::new();
        let taken = crypt.decrypt(raw, &mut plain);
        let sent = crypt.encrypt(&[], out);
        let is_over = taken.map_err(tls_error)?;
        sent.map_err(tls_error)?;
        self.arrived.push(&plain);
        if let Phase::Handshake = self.phase {
            if !crypt.is_open() {
                return Ok(false);
            }
            crypt.encrypt(&self.first, out).map_err(tls_error)?;
            self.phase = Phase::Hello;
        }
        if let Phase::Hello = self.phase {
            let Some(bytes) = self.arrived.next_body().map_err(|_| Reason::NotAPeer)? else {
                return if is_over { Err(Reason::Closed) } else { Ok(false) };
            };
            let (theirs, hash) = (Hello::decode(bytes)?, secret::hash(bytes));
            self.accept(&theirs)?;
            if let Some(secret) = &self.network.secret {
                let mut proof = Vec::new();
                let value = secret::proof(secret, &self.our_hash, &hash);
                Encoder { limit: MAX_GREETING, seal: None }.encode(&value, &mut proof)?;
                crypt.encrypt(&proof, out).map_err(tls_error)?;
            }
            self.phase = Phase::Proof { theirs: Box::new(theirs), hash };
        }
        let (Phase::Proof { hash, .. }, Some(secret)) = (&self.phase, &self.network.secret) else {
            return Ok(true);
        };
        let Some(proof) = self.arrived.next_body().map_err(|_| Reason::WrongSecret)? else {
            // A peer that refuses our proof closes the connection.
            return if is_over { Err(Reason::WrongSecret) } else { Ok(false) };
        };
        if secret::is_proven(secret, proof, hash, &self.our_hash) {
            Ok(true)
        } else {
            Err(Reason::WrongSecret)
        }
    }

    /// Whether the end of the stream now is an end before the peer greeted, or its refusal of our proof.
    pub(super) fn interrupted(&self) -> Reason {
        match self.phase {
            Phase::Handshake | Phase::Hello => Reason::Closed,
            Phase::Proof { .. } => Reason::WrongSecret,
        }
    }

    /// The connection, once the greeting is complete.
    pub(super) fn finish(self) -> Option<Greeted> {
        let crypt = self.crypt();
        let Phase::Proof { theirs, hash } = self.phase else { return None };
        let seal = |from, to| -> Option<Seal> {
            self.network.secret.as_ref().map(|it| secret::seal(it, from, to))
        };
        let limits = self.network.limits;
        let mut decoder = Decoder::new(limits.message, seal(&hash, &self.our_hash));
        decoder.push(&self.arrived.into_rest());
        let limit = limits.message.min(theirs.limit);
        let encoder = Encoder { limit, seal: seal(&self.our_hash, &hash) };
        Some(Greeted { theirs: *theirs, encoder, decoder, crypt })
    }

    /// Whether the peer may be talked to.
    fn accept(&self, theirs: &Hello) -> Result<(), Reason> {
        if theirs.has_secret != self.ours.has_secret {
            return Err(Reason::OneSecret { ours: self.ours.has_secret });
        }
        if theirs.fingerprint != self.ours.fingerprint {
            let (ours, theirs) = (self.ours.named(), theirs.named());
            return Err(Reason::OtherProtocol { ours, theirs });
        }
        // What we said ourselves proves nothing.
        if theirs.nonce == self.ours.nonce {
            return Err(Reason::NotAPeer);
        }
        Ok(())
    }
}

fn tls_error(error: std::io::Error) -> Reason {
    match error.kind() {
        std::io::ErrorKind::InvalidData => Reason::Tls(error.to_string()),
        _ => Reason::Io(error),
    }
}

impl Crypt {
    #[cfg(feature = "tls")]
    fn is_open(&self) -> bool {
        self.session.as_ref().is_none_or(Session::is_open)
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unused_self, reason = "with TLS it has a session")]
    fn is_open(&self) -> bool {
        true
    }

    /// Whether bytes can be taken as they arrive.
    #[cfg(feature = "tls")]
    pub(super) fn is_plain(&self) -> bool {
        self.session.is_none()
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unused_self, reason = "with TLS it has a session")]
    pub(super) fn is_plain(&self) -> bool {
        true
    }

    /// Appends what these bytes say; whether the peer ended the connection by them.
    pub(super) fn decrypt(&self, raw: &[u8], plain: &mut Vec<u8>) -> std::io::Result<bool> {
        #[cfg(feature = "tls")]
        if let Some(session) = &self.session {
            return session.decrypt(raw, plain);
        }
        plain.extend(raw);
        Ok(false)
    }

    /// Appends what is to be sent for these bytes.
    pub(super) fn encrypt(&self, plain: &[u8], raw: &mut Vec<u8>) -> std::io::Result<()> {
        #[cfg(feature = "tls")]
        if let Some(session) = &self.session {
            return session.encrypt(plain, raw);
        }
        raw.extend(plain);
        Ok(())
    }

    /// Appends the end of the connection.
    pub(super) fn end(&self, raw: &mut Vec<u8>) {
        #[cfg(feature = "tls")]
        if let Some(session) = &self.session {
            session.end(raw);
        }
        let _ = raw;
    }

    /// The certificate of the peer, in DER.
    pub(super) fn certificate(&self) -> Option<Vec<u8>> {
        #[cfg(feature = "tls")]
        return self.session.as_ref().and_then(Session::certificate);
        #[cfg(not(feature = "tls"))]
        None
    }
}

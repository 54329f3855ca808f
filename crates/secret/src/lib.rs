//! A secret that processes share, and the proof that a peer knows it: HMAC-SHA256 (RFC 2104, FIPS 180-4)
//! over what both sides said. What they say has a random nonce of each, so that a proof that was recorded
//! fits no other connection. Knows nothing of connections, nor of what is said.
#![forbid(unsafe_code)]

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The least length of a secret: a listener that hears a greeting can try all short ones.
const LEAST: usize = 16;

/// A proof, or a key that follows from the secret.
pub type Proof = [u8; 32];

/// What all processes of a system know, and no others. It proves who they are; it hides nothing.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

/// A secret that could be guessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooShort;

impl Secret {
    /// A secret of at least 16 bytes, which should be random: `head -c 32 /dev/urandom > secret`.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, TooShort> {
        let bytes = bytes.into();
        if bytes.len() < LEAST { Err(TooShort) } else { Ok(Self(bytes)) }
    }

    /// In hexadecimal digits, which are a secret again.
    pub fn to_hex(&self) -> String {
        use std::fmt::Write as _;
        self.0.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// The proof over what was said, part by part. The first part says what the proof is for, so that
    /// none fits where another is asked for.
    pub fn proof(&self, said: &[&[u8]]) -> Proof {
        self.mac(said).finalize().into_bytes().into()
    }

    /// Whether this is that proof; takes the same time for every wrong one.
    pub fn is_proven(&self, proof: &[u8], said: &[&[u8]]) -> bool {
        self.mac(said).verify_slice(proof).is_ok()
    }

    fn mac(&self, said: &[&[u8]]) -> Hmac<Sha256> {
        said.iter().fold(keyed(&self.0), Mac::chain_update)
    }
}

/// What authenticates by a key.
pub fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of every length")
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl fmt::Display for TooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a shared secret needs at least {LEAST} bytes, which should be random")
    }
}

impl std::error::Error for TooShort {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_of_one_secret_and_of_what_was_said() {
        let secret = Secret::new(*b"sixteen bytes ok").expect("long enough");
        let other = Secret::new(*b"sixteen bytes no").expect("long enough");
        let proof = secret.proof(&[b"one ", b"said"]);
        assert!(secret.is_proven(&proof, &[b"one ", b"said"]));
        assert!(!secret.is_proven(&proof, &[b"two ", b"said"]));
        assert!(!secret.is_proven(&proof, &[b"one ", b"sad"]));
        assert!(!secret.is_proven(&proof[..31], &[b"one ", b"said"]));
        assert!(!other.is_proven(&proof, &[b"one ", b"said"]));
        assert_eq!(Secret::new(*b"fifteen bytes..").err(), Some(TooShort));
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert!(Secret::new(secret.to_hex()).is_ok());
    }
}

//! What all processes of a cluster know and no other: the proof that a connection is from one of them.
//! HMAC-SHA256 (RFC 2104) over what both sides said, each of which has a random nonce. It says who is
//! there; it hides nothing, and does not protect what is sent afterwards.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The least length: a listener that hears a greeting can try all short ones.
const LEAST: usize = 16;

/// A proof.
pub(crate) type Proof = [u8; 32];

/// A shared secret.
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

    /// A secret for processes that this one starts.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = vec![0; 32];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(Self(bytes))
    }

    /// In hexadecimal digits.
    pub fn to_hex(&self) -> String {
        use std::fmt::Write as _;
        self.0.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// The proof of one side, for a purpose, over what both said.
    pub(crate) fn proof(&self, side: &[u8], said: &[u8]) -> Proof {
        self.mac(side, said).finalize().into_bytes().into()
    }

    /// Whether this is that proof; takes the same time for every wrong one.
    pub(crate) fn is_proven(&self, proof: &Proof, side: &[u8], said: &[u8]) -> bool {
        self.mac(side, said).verify_slice(proof).is_ok()
    }

    fn mac(&self, side: &[u8], said: &[u8]) -> Hmac<Sha256> {
        let keyed = Hmac::<Sha256>::new_from_slice(&self.0);
        let keyed = keyed.expect("HMAC takes keys of every length");
        keyed.chain_update(b"quadrille cluster ").chain_update(side).chain_update(said)
    }
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
    fn proofs_are_of_one_side_and_of_what_was_said() {
        let secret = Secret::new(*b"sixteen bytes ok").expect("long enough");
        let other = Secret::new(*b"sixteen bytes no").expect("long enough");
        let proof = secret.proof(b"one", b"said");
        assert!(secret.is_proven(&proof, b"one", b"said"));
        assert!(!secret.is_proven(&proof, b"two", b"said"));
        assert!(!secret.is_proven(&proof, b"one", b"sad"));
        assert!(!other.is_proven(&proof, b"one", b"said"));
        assert_eq!(Secret::new(*b"fifteen bytes..").err(), Some(TooShort));
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }
}

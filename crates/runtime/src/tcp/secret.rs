//! Shared secrets: what proves that a peer knows one, and what authenticates frames by it. HMAC-SHA256 (RFC 2104, FIPS 180-4)
//! over both greetings, each of which has a random nonce: a proof that was recorded fits no other connection.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The hash of a greeting or of a plan.
pub(super) type Hash = [u8; 32];

/// How many bytes authenticate a frame.
pub(super) const TAG: usize = 16;

/// The least length of a secret: who hears a greeting can try all short ones.
const LEAST: usize = 16;

/// What all processes of a system know, and no others. It proves who they are and authenticates what they send; it does
/// not hide it.
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

    /// The proof of the side that greeted like `from`, to the side that greeted like `to`.
    pub(super) fn proof(&self, from: &Hash, to: &Hash) -> Hash {
        self.mac(b"quadrille proof", from, to).finalize().into_bytes().into()
    }

    /// Whether this is the proof of that side; takes the same time for every wrong one.
    pub(super) fn is_proven(&self, proof: &[u8], from: &Hash, to: &Hash) -> bool {
        self.mac(b"quadrille proof", from, to).verify_slice(proof).is_ok()
    }

    /// What authenticates the frames of that side.
    pub(super) fn seal(&self, from: &Hash, to: &Hash) -> Seal {
        let key: Hash = self.mac(b"quadrille frames", from, to).finalize().into_bytes().into();
        Seal { keyed: keyed(&key), counter: 0 }
    }

    fn mac(&self, purpose: &[u8], from: &Hash, to: &Hash) -> Hmac<Sha256> {
        keyed(&self.0).chain_update(purpose).chain_update(from).chain_update(to)
    }
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
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

/// Authenticates the frames of one direction, in their order.
pub(super) struct Seal {
    keyed: Hmac<Sha256>,
    counter: u64,
}

impl Seal {
    /// The tag of the next frame.
    pub(super) fn tag(&mut self, frame: &[u8]) -> [u8; TAG] {
        let whole: Hash = self.next(frame).finalize().into_bytes().into();
        let mut tag = [0; TAG];
        tag.copy_from_slice(&whole[..TAG]);
        tag
    }

    /// Whether this is the tag of the next frame.
    pub(super) fn is_tag(&mut self, frame: &[u8], tag: &[u8]) -> bool {
        tag.len() == TAG && self.next(frame).verify_truncated_left(tag).is_ok()
    }

    fn next(&mut self, frame: &[u8]) -> Hmac<Sha256> {
        let mac = self.keyed.clone().chain_update(self.counter.to_le_bytes()).chain_update(frame);
        self.counter += 1;
        mac
    }
}

/// The hash of some bytes.
pub(super) fn hash(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// The hash of what is written to it.
pub(super) struct Hasher(Sha256);

impl Hasher {
    pub(super) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(super) fn finish(self) -> Hash {
        self.0.finalize().into()
    }
}

impl fmt::Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_have_a_direction_and_fit_one_pair_of_greetings() {
        let secret = Secret::new(*b"sixteen bytes ok").expect("long enough");
        let other = Secret::new(*b"sixteen bytes no").expect("long enough");
        let [one, two, three] = [[1; 32], [2; 32], [3; 32]];
        let proof = secret.proof(&one, &two);
        assert!(secret.is_proven(&proof, &one, &two));
        assert!(!secret.is_proven(&proof, &two, &one));
        assert!(!secret.is_proven(&proof, &one, &three));
        assert!(!secret.is_proven(&proof[..31], &one, &two));
        assert!(!other.is_proven(&proof, &one, &two));
        assert_eq!(Secret::new(*b"fifteen bytes..").err(), Some(TooShort));
    }

    #[test]
    fn tags_have_an_order_and_a_direction() {
        let secret = Secret::new(*b"sixteen bytes ok").expect("long enough");
        let mut there = secret.seal(&[1; 32], &[2; 32]);
        let [first, second] = [there.tag(b"frame"), there.tag(b"frame")];
        let here = || secret.seal(&[1; 32], &[2; 32]);
        assert_ne!(first, second);
        assert!(!here().is_tag(b"frame", &second));
        assert!(!here().is_tag(b"frames", &first));
        assert!(!here().is_tag(b"frame", &first[..15]));
        assert!(!secret.seal(&[2; 32], &[1; 32]).is_tag(b"frame", &first));
        let mut here = here();
        assert!(here.is_tag(b"frame", &first) && here.is_tag(b"frame", &second));
    }
}

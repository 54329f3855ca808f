//! What proves over both greetings that a peer knows the secret, and what authenticates frames by it. Each greeting has a
//! random nonce.

use std::fmt;

use hmac::{Hmac, Mac};
use quadrille_secret::keyed;
pub use quadrille_secret::{Secret, TooShort};
use sha2::{Digest, Sha256};

/// The hash of a greeting or of a plan.
pub(super) type Hash = [u8; 32];

/// How many bytes authenticate a frame.
pub(super) const TAG: usize = 16;

/// The proof of the side that greeted like `from`, to the side that greeted like `to`.
pub(super) fn proof(secret: &Secret, from: &Hash, to: &Hash) -> Hash {
    secret.proof(&[b"quadrille proof", from, to])
}

/// Whether this is the proof of that side; takes the same time for every wrong one.
pub(super) fn is_proven(secret: &Secret, proof: &[u8], from: &Hash, to: &Hash) -> bool {
    secret.is_proven(proof, &[b"quadrille proof", from, to])
}

/// What authenticates the frames of that side.
pub(super) fn seal(secret: &Secret, from: &Hash, to: &Hash) -> Seal {
    let key = secret.proof(&[b"quadrille frames", from, to]);
    Seal { keyed: keyed(&key), counter: 0 }
}

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
        let proof = proof(&secret, &one, &two);
        assert!(is_proven(&secret, &proof, &one, &two));
        assert!(!is_proven(&secret, &proof, &two, &one));
        assert!(!is_proven(&secret, &proof, &one, &three));
        assert!(!is_proven(&other, &proof, &one, &two));
    }

    #[test]
    fn tags_have_an_order_and_a_direction() {
        let secret = Secret::new(*b"sixteen bytes ok").expect("long enough");
        let mut there = seal(&secret, &[1; 32], &[2; 32]);
        let [first, second] = [there.tag(b"frame"), there.tag(b"frame")];
        let here = || seal(&secret, &[1; 32], &[2; 32]);
        assert_ne!(first, second);
        assert!(!here().is_tag(b"frame", &second));
        assert!(!here().is_tag(b"frames", &first));
        assert!(!here().is_tag(b"frame", &first[..15]));
        assert!(!seal(&secret, &[2; 32], &[1; 32]).is_tag(b"frame", &first));
        let mut here = here();
        assert!(here.is_tag(b"frame", &first) && here.is_tag(b"frame", &second));
    }
}

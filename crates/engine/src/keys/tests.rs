//! The set of keys against a standard set.

use std::collections::BTreeSet;

use quadrille_workshop::Choices;

use super::KeySet;

#[test]
fn keys_are_new_once() {
    let choices = &mut Choices::seeded(5);
    for n_different in [1, 40, 5_000, 300_000] {
        let (mut keys, mut known) = (KeySet::new(), BTreeSet::new());
        for _ in 0..n_different / 100 + 10 {
            let batch: Vec<u64> =
                (0..200).map(|_| u64::from(choices.below_u32(n_different)) << 30).collect();
            let mut fresh = Vec::new();
            keys.absorb(&batch, |key| fresh.push(key));
            let expected: Vec<u64> = batch.into_iter().filter(|&key| known.insert(key)).collect();
            assert_eq!(fresh, expected);
        }
        assert_eq!(keys.len(), known.len());
    }
}

//! Sets of values against a standard set.

use std::collections::BTreeSet;

use quadrille_workshop::check;

use super::*;

#[test]
fn a_set_is_like_a_set() {
    for size in [3, 70, 500, 5000] {
        check(2, |choices| {
            let (mut set, mut naive) = (ValueSet::default(), BTreeSet::new());
            for _ in 0..choices.below(400) {
                let value = choices.below_u32(size);
                if choices.once_in(4) {
                    assert_eq!(set.remove(value), naive.remove(&value));
                } else {
                    set.insert(value);
                    naive.insert(value);
                }
                assert_eq!(set, naive.iter().copied().collect());
                assert_eq!(
                    set.iter().collect::<Vec<_>>(),
                    naive.iter().copied().collect::<Vec<_>>()
                );
                assert_eq!((set.len(), set.is_empty()), (naive.len(), naive.is_empty()));
                assert!((0..size + 70).all(|v| set.contains(v) == naive.contains(&v)));
                let other = ValueSet::one(choices.below_u32(size));
                assert_eq!(set.cmp(&other), set.words().cmp(other.words()));
                assert_eq!(other.cmp(&set), other.words().cmp(set.words()));
            }
        });
    }
    assert!(ValueSet::one(64).intersects(&ValueSet::all(65)));
    assert!(!ValueSet::one(65).intersects(&ValueSet::all(65)));
}

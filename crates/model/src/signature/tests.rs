//! Bits of domains.

use super::*;

#[test]
fn bits_are_the_least_that_hold_the_domain() {
    let bits = |size| Domain::Size(size).bits();
    assert_eq!([0, 1, 2, 3, 4, 5, 256, 257].map(bits), [0, 0, 1, 2, 2, 3, 8, 9]);
    assert_eq!(Domain::Interned.bits(), 32);
}

//! Ranges of counts.

use super::*;

#[test]
fn ranges() {
    assert_eq!(range("1..=3"), Some(vec![1, 2, 3]));
    assert_eq!(range("2..4"), Some(vec![2, 3]));
    assert_eq!(range("4..2"), Some(vec![]));
    assert_eq!(range("3"), None);
    assert_eq!(range("0..k"), None);
    assert_eq!(range("0..=4294967295"), None);
}

//! Periods of lassos.

use super::*;

#[test]
fn periods_divide_the_whole() {
    let check = |text: &str| period(text.as_bytes());
    assert_eq!(["a", "aa", "abab", "aba", "abaab", "abcabcabc"].map(check), [1, 1, 2, 3, 5, 3]);
}

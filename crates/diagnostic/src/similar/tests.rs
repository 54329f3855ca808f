//! Distances and the order of suggestions.

use super::*;

#[test]
fn distances() {
    let check =
        |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
    assert_eq!(check("", "abc"), 3);
    assert_eq!(check("abc", "acb"), 1);
    assert_eq!(check("kitten", "sitting"), 3);
}

#[test]
fn the_nearest_come_first_and_each_once() {
    assert_eq!(similar("ab", ["cb", "AB", "cb", "abcd"]), ["AB", "cb"]);
    assert_eq!(similar("a", ["b", "A"]), ["A"], "another letter is another name");
}

//! Whole games: the same in every version.

use quadrille_example_go_fish::{Version, game};

/// Plays a game in every version; `books` says how many each player laid down.
fn check(players: usize, seed: u64, drawn: usize, books: &[usize]) {
    let versions = [Version::Channels, Version::Strict, Version::Liberal];
    let expected = game(versions[0], players, seed).expect("a fair game");
    let found: Vec<usize> = expected.books.iter().map(Vec::len).collect();
    assert_eq!((expected.drawn, found.as_slice()), (drawn, books));
    for version in &versions[1..] {
        assert_eq!(game(*version, players, seed).as_ref(), Ok(&expected), "{version:?}");
    }
}

#[test]
fn two() {
    check(2, 0, 38, &[5, 8]);
}

#[test]
fn three() {
    check(3, 1, 31, &[3, 2, 3]);
}

#[test]
fn four() {
    check(4, 2, 32, &[1, 1, 0, 0]);
}

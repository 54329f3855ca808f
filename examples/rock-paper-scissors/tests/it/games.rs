//! Whole games: the same in every version, and seen the same by all players.

use quadrille_example_rock_paper_scissors::{Version, game};

const VERSIONS: [Version; 3] = [Version::Channels, Version::Strict, Version::Liberal];

/// Plays a game in every version; gives how many rounds each player took part in.
fn check(players: usize, seed: u64, rounds: &[usize], winner: usize) {
    let expected = game(VERSIONS[0], players, seed).expect("a fair game");
    let longest = expected.iter().max_by_key(|record| record.rounds.len()).expect("players");
    for record in &expected {
        assert_eq!(record.rounds, longest.rounds[..record.rounds.len()]);
    }
    let found: Vec<usize> = expected.iter().map(|record| record.rounds.len()).collect();
    assert_eq!(found, rounds);
    assert_eq!(longest.winners.iter().map(|seat| seat.0).collect::<Vec<_>>(), [winner]);
    for version in &VERSIONS[1..] {
        assert_eq!(game(*version, players, seed).as_ref(), Ok(&expected), "{version:?}");
    }
}

#[test]
fn two() {
    check(2, 0, &[2, 2], 1);
}

#[test]
fn three() {
    check(3, 1, &[1, 3, 3], 1);
}

#[test]
fn four() {
    check(4, 2, &[4, 7, 7, 7], 2);
}

//! Whole games: the same in every version, and seen the same by both players.

use quadrille_example_chess::engine::{Engine, Taste};
use quadrille_example_chess::{Version, game};

/// Plays a game of engines that look so many moves ahead, in every version.
fn check(white: u32, black: u32, n_moves: usize, outcome: &str) {
    let white = Engine { depth: white, taste: Taste::Centre };
    let black = Engine { depth: black, taste: Taste::Mobility };
    let versions = [Version::Channels, Version::Strict, Version::Liberal];
    let games = versions.map(|version| {
        let [seen_by_white, seen_by_black] = game(version, white, black).expect("a fair game");
        assert_eq!(seen_by_white.game.moves(), seen_by_black.game.moves(), "{version:?}");
        assert_eq!(seen_by_white.outcome, seen_by_black.outcome, "{version:?}");
        seen_by_white
    });
    for record in &games {
        assert_eq!(record.game.moves(), games[0].game.moves());
        let found = (record.game.moves().len(), record.outcome.to_string());
        assert_eq!(found, (n_moves, outcome.into()));
    }
}

#[test]
fn the_deeper_engine_wins() {
    check(3, 1, 33, "White wins by checkmate");
    check(2, 2, 38, "Black wins by checkmate");
}

#[test]
fn not_every_game_is_won() {
    check(1, 2, 31, "drawn by repetition");
}

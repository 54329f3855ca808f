//! Two threads play chess over the generated module, in both of its forms. Nothing here knows of a
//! scheduler; `cargo quadrille sim` builds the threads, the module and its runtime against the
//! simulated `std` and explores all of them as one: does every thread finish, does the protocol end?

use std::thread;

use module_threads::chess;

/// Rounds of a game.
const ROUNDS: usize = 2;

fn play(module: chess::Module, is_polite: bool) {
    let chess::Roles { mut white, mut black } = module.into_roles();
    let player = thread::spawn(move || {
        for round in 0..ROUNDS {
            white.send(chess::Move).expect("a move");
            if is_polite || round + 1 < ROUNDS {
                white.recv().expect("an answer");
            }
        }
        white.finish()
    });
    for _ in 0..ROUNDS {
        black.recv().expect("a move");
        black.send(chess::Move).expect("an answer");
    }
    black.finish().expect("the game may be over");
    player.join().expect("no panic").expect("the game may be over");
}

#[test]
fn a_game_over_the_strict_module() {
    play(chess::strict(), true);
}

#[test]
fn a_game_over_the_liberal_module() {
    play(chess::liberal(), true);
}

/// White leaves without waiting for the last answer: the protocol does not end.
#[test]
fn white_leaves_too_early() {
    play(chess::strict(), false);
}

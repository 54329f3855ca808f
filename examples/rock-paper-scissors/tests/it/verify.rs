//! What the module does, in both forms: every message that a player could send or receive, in every order.

use quadrille::{Subject, Verify};
use quadrille_example_rock_paper_scissors::generated::rock_paper_scissors::{
    COUNTS, Payload, verify,
};

/// The module for so many players.
fn of(players: usize) -> Subject<Payload> {
    verify(players).expect("made for it")
}

#[test]
fn everybody_shows() {
    of(2)
        .ltl("F (player[0] sends Show) & F (player[1] sends Show)")
        .ltl("!(player[1] sends Stay | player[1] sends Out) U (player[1] sends Show)")
        .assert();
}

#[test]
fn who_is_out_is_out() {
    of(3)
        .ltl("G (player[0] sends Out -> G !(player[0] sends Show))")
        .ltl("G (player[0] sends Out -> G !(player[0] receives Show))")
        .ltl("G (player[2] sends Out -> G !(player[2] sends Show))")
        .assert();
}

#[test]
fn a_game_may_go_on_and_may_end() {
    of(3)
        .ctl("AG (* sends Show -> EF (* sends Stay))")
        .ctl("AG (* sends Show -> EF (* sends Out))")
        .ltl("F (* sends Out)")
        .expect_violated()
        .assert();
}

#[test]
fn what_the_protocol_claims_is_true_of_the_module() {
    for players in COUNTS {
        of(players).properties().no_deadlock().assert();
    }
}

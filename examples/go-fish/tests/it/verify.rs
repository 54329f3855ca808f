//! What the module does, in both forms: every message that anybody could send or receive, in every order.

use quadrille::{Subject, Verify};
use quadrille_example_go_fish::generated::go_fish::{COUNTS, Payload, verify};

/// The module for so many players.
fn of(players: usize) -> Subject<Payload> {
    verify(players).expect("made for it")
}

#[test]
fn every_question_is_answered() {
    of(3)
        .ltl("G (player[0] sends Ask -> F (player[0] receives Give | player[0] receives Go))")
        .ltl("G (player[0] receives Go -> X (player[0] sends Fish))")
        .assert();
}

#[test]
fn one_question_at_a_time() {
    of(3)
        .ltl("G (player[*] sends Ask -> X (!(player[*] sends Ask) U (player[*] receives *)))")
        .at_most(1)
        .assert();
}

#[test]
fn everybody_hears_of_the_end() {
    of(3)
        .ltl("G (dealer sends OutOfCards -> F (player[2] receives OutOfCards))")
        .ltl("G (dealer sends OutOfCards -> X G !(* sends *))")
        .ctl("AG (* receives OutOfCards | EF (dealer sends OutOfCards))")
        .ltl("F (dealer sends OutOfCards)")
        .expect_violated()
        .assert();
}

#[test]
fn what_the_protocol_claims_is_true_of_the_module() {
    for players in COUNTS {
        of(players).properties().no_deadlock().assert();
    }
}

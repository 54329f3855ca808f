//! What the module does, in both forms: every message that a player could send or receive, in every order.

use quadrille::Verify;
use quadrille_example_chess::generated::chess;

#[test]
fn black_waits() {
    chess::verify().ltl("!(Black sends Move) U (Black receives Move)").assert();
}

#[test]
fn players_move_in_turn() {
    chess::verify()
        .ltl("G (White sends Move -> X (!(White sends *) U (White receives *)))")
        .ltl("G (Black sends Move -> X (!(Black sends *) U (Black receives *)))")
        .assert();
}

#[test]
fn one_message_is_under_way() {
    chess::verify().at_most(1).no_deadlock().assert();
}

#[test]
fn over_means_over() {
    chess::verify()
        .ltl("G (* sends Over -> X G !(* sends *))")
        .ltl("G (White sends Over -> X (Black receives Over))")
        .ctl("AG (* receives Over | EF (* sends Over))")
        .assert();
}

#[test]
fn nobody_is_forced_to_end_the_game() {
    chess::verify().ltl("F (* sends Over)").expect_violated().assert();
}

#[test]
fn what_the_protocol_claims_is_true_of_the_module() {
    chess::verify().properties().conforms().assert();
}

//! Atoms of the Owl dialect.

use quadrille_diagnostic::Sources;
use quadrille_model::InteractionKind;

use super::*;
use crate::core::{Act, Identity, Message, Terms};

fn check(atom: &str, expected: &str) {
    let terms = Terms::new(Identity::Written, Vec::new());
    let white = terms.role(Role::new("white"));
    let worker = terms.role(Role::indexed("worker", [0, 12]));
    let mut shown = String::new();
    for kind in [
        InteractionKind::Send,
        InteractionKind::Receive,
        InteractionKind::Exchange,
        InteractionKind::Close,
    ] {
        for (from, to) in [(white, worker), (worker, white)] {
            let message = (kind != InteractionKind::Close).then(|| Message::new("chess.Move"));
            let act = Act { kind, from, to: vec![to], message };
            let action = act.action(|role| terms.role_of(role).to_string());
            let span = Span::new(Sources::default().add("", ""), 0..0);
            let types = Types::from([("Move".to_owned(), "chess.Move".to_owned())]);
            let atom = OwlAtom::parse(atom, span, &types).expect("an atom");
            shown.push(if atom.matches(&terms, &action) { '1' } else { '0' });
        }
        shown.push(' ');
    }
    // Per kind (send, receive, exchange, close): white to worker, then worker to white.
    assert_eq!(shown.trim(), expected, "{atom}");
}

#[test]
fn atoms_match_as_in_the_reference() {
    check("white SEND <Move> TO worker_0_12_", "10 00 10 00");
    check("WHITE send chess.Move to Worker_0_12_", "10 00 10 00");
    check("white SEND <Move> TO black", "00 00 00 00");
    check("white SEND <Other>", "00 00 00 00");
    check("white SEND *", "10 00 10 00");
    check("* SEND * TO *", "11 00 11 00");
    check("* RECV *", "00 11 11 00");
    check("white RECV <Move> TO black", "00 01 01 00");
    check("worker_0_12_ RECV chess.Move FROM white", "00 10 10 00");
    check("worker[0][12] RECV", "00 10 10 00");
    check("white SEND CHESS.MOVE", "00 00 00 00");
}

#[test]
fn malformed_atoms_are_told() {
    let span = Span::new(Sources::default().add("", ""), 0..0);
    let message =
        |text: &str| OwlAtom::parse(text, span, &Types::new()).expect_err("malformed").message;
    assert_eq!(message("white"), "an atom needs a role and a verb");
    assert_eq!(message("white GIVE x"), "`GIVE` is neither `SEND` nor `RECV`");
    assert_eq!(message("white SEND x FROM black"), "after the type comes `TO` and a role");
}

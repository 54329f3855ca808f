//! Random calls on watched channels, compared with the monitor of the protocol that is told of the same calls.

use std::sync::mpsc;

use quadrille_diagnostic::Sources;
use quadrille_interaction::InteractionKind;
use quadrille_monitor::{Monitor, ReceiveError, SendError};
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::monitor::{Event, Monitor as Oracle, Observed};
use quadrille_workshop::check;

const PROTOCOL: &str = "message Ask, Answer, Stop; role a, b, c;
    protocol p {
        loop { Ask from a to b; par { Answer from b to a; } and { Answer from b to c; } }
        either { Stop from a to c; } or { Stop from b to c; Stop from c to a; }
    }";

const MESSAGES: [&str; 3] = ["Ask", "Answer", "Stop"];
const PAIRS: [(&str, &str); 5] = [("a", "b"), ("b", "a"), ("b", "c"), ("a", "c"), ("c", "a")];

fn model() -> ProtocolModel {
    let mut sources = Sources::default();
    let source = sources.add("p.quad", PROTOCOL);
    let program = quadrille_quad::load(&sources, source).0.expect("a protocol");
    program.start(&mut sources, None, &[], &[]).expect("it starts").model
}

#[test]
fn calls_are_refused_exactly_where_the_protocol_does_not_allow_them() {
    let model = model();
    check(200, |choices| {
        let monitor = Monitor::from_quad("p.quad", PROTOCOL).expect("a protocol");
        let mut oracle = Oracle::new(&model).expect("it starts");
        let channels = PAIRS.map(|(from, to)| {
            let name = |message: &&'static str| (*message).to_owned();
            let (sender, receiver) = mpsc::channel();
            (
                monitor.sender(sender, from, to, name),
                monitor.receiver(receiver, to, Some(from), name),
            )
        });
        for _ in 0..choices.below(25) {
            let place = choices.below(PAIRS.len());
            let ((sender, receiver), (from, to)) = (&channels[place], PAIRS[place]);
            let (role, other) = (from.to_owned(), to.to_owned());
            if choices.coin() {
                let message = choices.pick(&MESSAGES);
                let (kind, text) = (InteractionKind::Send, message.to_owned());
                let event = Observed { kind, role, message: text, others: vec![other] };
                let expected = oracle.observe(&Event::Action(event)).is_ok();
                let sent = sender.send(message);
                assert_eq!(sent.is_ok(), expected, "{from} sends {message} to {to}");
                assert!(!matches!(sent, Err(SendError::Channel(_))));
            } else {
                let received = receiver.try_recv();
                let Ok(message) = received else {
                    assert!(matches!(received, Err(ReceiveError::Channel(_))), "{received:?}");
                    continue;
                };
                let (kind, message) = (InteractionKind::Receive, message.to_owned());
                let event = Observed { kind, role: other, message, others: vec![role] };
                oracle.observe(&Event::Action(event)).expect("what was sent in order");
            }
        }
        assert_eq!(
            oracle.finish().is_ok() && monitor.deviation().is_none(),
            monitor.finish().is_ok()
        );
    });
}

//! Producer and consumer with a chain of buffers between them.

use quadrille_model::{Automaton, LocalId, Network, ParticipantId, Template};

use super::{Parts, local};

/// One end of a put: who, and how its local state goes on.
struct Move {
    who: ParticipantId,
    /// From, to.
    ways: Vec<(LocalId, LocalId)>,
}

/// A producer, `n` one-place buffers, a consumer. A put is a request and a response, both taken by
/// the two in one step. A buffer takes a request at once and answers it when its place is free;
/// the next request may come while the item is being passed on. 2·3ⁿ states.
pub fn prod(n: usize) -> Network {
    let mut parts = Parts::default();
    // What a buffer does with its item, and whether the one before it waits for an answer.
    let stages = ["empty", "holds", "passes", "empty, asked", "holds, asked", "passes, asked"];
    let [empty, holds, passes, empty_asked, holds_asked, passes_asked] =
        [0, 1, 2, 3, 4, 5].map(local);
    let [idle, waits] = [0, 1].map(local);
    let producer = parts.participant(Automaton::new("producer", ["idle", "waits"]));
    let buffers: Vec<_> =
        (0..n).map(|i| parts.participant(Automaton::new(format!("buffer {i}"), stages))).collect();
    let consumer = parts.participant(Automaton::new("consumer", ["idle", "asked"]));
    let simple = |who, from, to| Move { who, ways: vec![(from, to)] };
    for link in 0..=n {
        let (request, response) = match link.checked_sub(1).map(|before| buffers[before]) {
            None => (simple(producer, idle, waits), simple(producer, waits, idle)),
            Some(who) => (
                Move { who, ways: vec![(holds, passes), (holds_asked, passes_asked)] },
                Move { who, ways: vec![(passes, empty), (passes_asked, empty_asked)] },
            ),
        };
        let (asked, answers) = match buffers.get(link) {
            None => (simple(consumer, idle, waits), simple(consumer, waits, idle)),
            Some(&who) => (
                Move {
                    who,
                    ways: vec![(empty, empty_asked), (holds, holds_asked), (passes, passes_asked)],
                },
                simple(who, empty_asked, holds),
            ),
        };
        handshake(&mut parts, &format!("request {link}"), &request, &asked);
        handshake(&mut parts, &format!("response {link}"), &response, &answers);
    }
    parts.build()
}

/// One template for each way the two can go together.
fn handshake(parts: &mut Parts, label: &str, one: &Move, other: &Move) {
    for &(from, to) in &one.ways {
        for &(other_from, other_to) in &other.ways {
            let template = Template::new(label).step(one.who, from, to);
            parts.template(template.step(other.who, other_from, other_to));
        }
    }
}

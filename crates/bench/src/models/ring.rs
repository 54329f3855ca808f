//! Leader election in a ring of nodes that take turns (specification of relational events, C.2):
//! who knows a number passes on the greatest; who receives the number it passed on is elected.

use quadrille_model::{Automaton, LocalId, Network, Predicate, Template};

use super::{Parts, local};

/// `n` nodes with ascending numbers along the ring. Each knows the greatest number so far, sends it
/// and then receives one. Inboxes are sets; a send is a step of its own for every number.
pub fn ring(n: usize) -> Network {
    let mut parts = Parts::default();
    let mut some = |name: &str, size: usize, initial: &dyn Fn(usize) -> usize, n: usize| {
        let one = |number: usize| {
            let states = (0..size).map(|state| format!("{state}"));
            let automaton = Automaton::new(format!("{name}{number}"), states);
            parts.participant(automaton.initial(local(initial(number))))
        };
        (0..n).map(one).collect::<Vec<_>>()
    };
    let greatest = some("max", n, &|node| node, n);
    let turn = some("turn", 2, &|_| 0, n);
    let inbox = some("inbox", 2, &|_| 0, n * n);
    let elected = some("elected", 2, &|_| 0, n);
    let [send, receive, absent, present] = [0, 1, 0, 1].map(local);
    for node in 0..n {
        for value in 0..n {
            let (own, next) = (inbox[node * n + value], inbox[(node + 1) % n * n + value]);
            let know = |low: usize, high: usize| (low..high).map(local).collect::<Vec<_>>();
            let got = |kind: &str, known: Vec<LocalId>| {
                let template = Template::new(format!("{kind} {node} {value}"));
                template
                    .when(turn[node], [receive])
                    .step(own, present, absent)
                    .when(greatest[node], known)
            };
            parts.template(
                Template::new(format!("send {node} {value}"))
                    .step(turn[node], send, receive)
                    .when(greatest[node], [local(value)])
                    .becomes(next, [present]),
            );
            parts.template(
                got("equal", vec![local(value)])
                    .becomes(elected[value], [present])
                    .becomes(turn[node], [send]),
            );
            if value + 1 < n {
                parts.template(got("small", know(value + 1, n)));
            }
            if value > 0 {
                let greater = got("greater", know(0, value)).becomes(turn[node], [send]);
                parts.template(greater.becomes(greatest[node], [local(value)]));
            }
        }
    }
    let is = |value: usize| Predicate::In(elected[value], [1].into_iter().collect());
    let other = |value: usize| Predicate::Any((0..n).filter(|&v| v != value).map(is).collect());
    let two = (0..n).map(|value| Predicate::All(vec![is(value), other(value)])).collect();
    parts.proposition("two", Predicate::Any(two));
    parts.build()
}

//! Roles that do what the protocol says, in both forms, each on its own thread.

use std::thread;

use quadrille_runtime::Policy;

use crate::support::{both, soon};

#[test]
fn a_conversation_in_turns() {
    for module in both("(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))") {
        let [mut a, mut b] = module.roles(["a", "b"]);
        let (ask, say) = (module.label("Ask"), module.label("Say"));
        let heard = soon(move || {
            let answers = thread::spawn(move || {
                for _ in 0..1_000 {
                    let asked = b.recv(None).expect("asked");
                    assert_eq!(asked.label, ask);
                    b.send(super::support::Note(say, asked.payload.1 + 1), None).expect("said");
                }
                b.finish().expect("the end");
            });
            let mut sum = 0;
            for number in 0..1_000 {
                a.send(super::support::Note(ask, number), None).expect("asked");
                sum += a.recv(None).expect("an answer").payload.1;
            }
            a.finish().expect("the end");
            answers.join().expect("no panic");
            sum
        });
        assert_eq!(heard, (1..=1_000).sum::<u64>(), "{:?}", module.form);
    }
}

#[test]
fn an_exchange_waits_for_its_receivers() {
    for module in both("(s/* (s/cat (s/--> M ::a ::b) (s/--> N ::b ::a)))") {
        let [mut a, mut b] = module.roles(["a", "b"]);
        let (m, n) = (module.label("M"), module.label("N"));
        let sum = soon(move || {
            let other = thread::spawn(move || {
                let mut sum = 0;
                for number in 0..1_000 {
                    sum += b.recv(None).expect("M").payload.1;
                    b.send(super::support::Note(n, number), None).expect("passed");
                }
                sum
            });
            let mut sum = 0;
            for number in 0..1_000 {
                a.send(super::support::Note(m, number), None).expect("passed");
                sum += a.recv(None).expect("N").payload.1;
            }
            sum + other.join().expect("no panic")
        });
        assert_eq!(sum, 2 * (0..1_000).sum::<u64>(), "{:?}", module.form);
    }
}

#[test]
fn closing_and_steps_in_order() {
    for module in both("(s/cat (s/-->> M ::a ::b) (s/close ::a ::b))") {
        let [mut a, mut b] = module.roles(["a", "b"]);
        a.send(module.note("M", 7), Some(module.id("b"))).expect("sent");
        assert_eq!(b.recv(Some(module.id("a"))).expect("received").payload.1, 7);
        assert!(!a.may_end());
        a.close(module.id("b")).expect("closed");
        a.finish().expect("the end");
        b.finish().expect("the end");
    }
}

/// How often each worker gets something under a policy, of eight messages.
fn shares(policy: Policy, seed: u64) -> Vec<Vec<usize>> {
    let body = "(s/* (s/alt (s/-->> M ::m ::x) (s/-->> M ::m ::y) (s/-->> M ::m ::z)))";
    both(body)
        .iter()
        .map(|module| {
            let names = ["m", "x", "y", "z"];
            let [mut m, mut x, mut y, mut z] =
                module.take(module.module().policy(policy).seed(seed), names);
            let mut counts = vec![0; 3];
            for number in 0..8 {
                m.send(module.note("M", number), None).expect("sent");
                let timeout = std::time::Duration::ZERO;
                for (position, worker) in [&mut x, &mut y, &mut z].into_iter().enumerate() {
                    counts[position] += usize::from(worker.recv_timeout(None, timeout).is_ok());
                }
            }
            counts
        })
        .collect()
}

#[test]
fn policies_choose_receivers() {
    assert_eq!(shares(Policy::First, 0), [[8, 0, 0], [8, 0, 0]]);
    assert_eq!(shares(Policy::RoundRobin, 0), [[3, 3, 2], [3, 3, 2]]);
    assert_eq!(shares(Policy::Random, 1), shares(Policy::Random, 1));
    assert!((2..20).any(|seed| shares(Policy::Random, seed) != shares(Policy::Random, 1)));
    for counts in shares(Policy::LeastLoaded, 0) {
        assert_eq!(counts.iter().sum::<usize>(), 8);
    }
}

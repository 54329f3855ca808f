//! Roles that do what the protocol says, in both forms, each on its own thread.

use std::thread;
use std::time::Duration;

use quadrille_runtime::{Cause, Form, Policy};

use crate::support::{Note, both, both_quad, soon};

#[test]
fn a_conversation_in_turns() {
    for module in both("(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))") {
        let [mut a, mut b] = module.roles(["a", "b"]);
        let (request, say) = (module.label("Ask"), module.label("Say"));
        let heard = soon(move || {
            let answers = thread::spawn(move || {
                for _ in 0..1_000 {
                    let asked = b.recv(None).expect("asked");
                    assert_eq!(asked.label, request);
                    b.send(Note(say, asked.payload.1 + 1), None).expect("said");
                }
                b.finish().expect("the end");
            });
            let mut sum = 0;
            for number in 0..1_000 {
                a.send(Note(request, number), None).expect("asked");
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
                    b.send(Note(n, number), None).expect("passed");
                }
                sum
            });
            let mut sum = 0;
            for number in 0..1_000 {
                a.send(Note(m, number), None).expect("passed");
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
            for worker in [&mut x, &mut y, &mut z] {
                worker.set_timeout(Some(Duration::ZERO));
            }
            for number in 0..8 {
                m.send(module.note("M", number), None).expect("sent");
                for (position, worker) in [&mut x, &mut y, &mut z].into_iter().enumerate() {
                    counts[position] += usize::from(worker.recv(None).is_ok());
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

#[test]
fn a_message_to_several_receivers() {
    let text = "message News; role a, b, c;
                protocol p { repeat forever { News from a to b, c; News from b to a; } }";
    for module in both_quad(text) {
        let [mut a, mut b, mut c] = module.roles(["a", "b", "c"]);
        for number in 0..3 {
            a.send(module.note("News", number), None).expect("sent");
            assert_eq!(c.recv(None).expect("received").payload.1, number);
            assert_eq!(b.recv(Some(module.id("a"))).expect("received").payload.1, number);
            b.send(module.note("News", 9), Some(module.id("a"))).expect("sent");
            assert_eq!(a.recv(None).expect("received").payload.1, 9);
        }
    }
}

#[test]
fn an_exchange_with_several_receivers_is_one_step() {
    let text = "message Go, Ready; role a, b, c;
                protocol p { repeat forever { Go from a to b, c sync; Ready from b to a; Ready from c to a; } }";
    for module in both_quad(text) {
        let sums = soon(move || {
            let [mut a, b, c] = module.roles(["a", "b", "c"]);
            let (go, ready) = (module.label("Go"), module.label("Ready"));
            let others = [b, c].map(|mut role| {
                thread::spawn(move || {
                    let mut sum = 0;
                    for _ in 0..300 {
                        sum += role.recv(None).expect("passed").payload.1;
                        role.send(Note(ready, 1), None).expect("sent");
                    }
                    sum
                })
            });
            for number in 0..300 {
                a.send(Note(go, number), None).expect("passed");
                a.recv(None).expect("b is ready");
                a.recv(None).expect("c is ready");
            }
            others.map(|other| other.join().expect("no panic"))
        });
        assert_eq!(sums, [(0..300).sum::<u64>(); 2]);
    }
}

/// Two senders that each need both receivers: whoever gets hold of one must not keep it from the other.
#[test]
fn exchanges_that_want_the_same_receivers_do_not_block_each_other() {
    let text = "message M; role a, b, x, y;
                protocol p { repeat forever { either { M from a to x, y sync; } or { M from b to x, y sync; } } }";
    for module in both_quad(text) {
        let counts = soon(move || {
            let [a, b, x, y] = module.roles(["a", "b", "x", "y"]);
            let m = module.label("M");
            let senders = [a, b].map(|mut role| {
                thread::spawn(move || {
                    (0..300).for_each(|n| role.send(Note(m, n), None).expect("passed"));
                    role
                })
            });
            let receivers = [x, y].map(|mut role| {
                thread::spawn(move || {
                    let order = (0..600).map(|_| role.recv(None).expect("passed").from);
                    let order = order.collect::<Vec<_>>();
                    (role, order)
                })
            });
            // Roles are kept until all is done: nobody may end in this protocol.
            let senders = senders.map(|it| it.join().expect("no panic"));
            let [(x, one), (y, other)] = receivers.map(|it| it.join().expect("no panic"));
            assert_eq!(one, other, "all receivers see the same order");
            drop((senders, x, y));
            one.len()
        });
        assert_eq!(counts, 600);
    }
}

#[test]
fn steps_alone_and_closings() {
    let text = "message M; event Think; role a, b;
                protocol p { a does Think; M from a to b; b does Think; a closes b; }";
    for module in both_quad(text) {
        let [mut a, mut b] = module.roles(["a", "b"]);
        let think = module.label("Think");
        a.local_step(think).expect("done");
        a.send(module.note("M", 0), None).expect("sent");
        b.recv(None).expect("received");
        if module.form == Form::Strict {
            a.set_timeout(Some(Duration::from_millis(2)));
            let early = a.close(module.id("b")).expect_err("b has not thought yet");
            assert_eq!(early.cause, Cause::TimedOut);
            a.set_timeout(None);
        }
        b.set_timeout(Some(Duration::from_secs(9)));
        b.local_step(think).expect("done");
        a.close(module.id("b")).expect("closed");
        a.finish().expect("the end");
        b.finish().expect("the end");
    }
}

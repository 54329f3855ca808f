//! Queues, semaphores, message boxes and ports between processes; what snapshots show of them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use expect_test::expect;
use quadrille_simulation::{MessageBox, ModelTime, Queue, Semaphore, Simulation, State, Stream};

use crate::processes::{Log, seconds};

#[test]
fn a_queue_knows_how_long_it_was_and_how_long_elements_stayed() {
    let mut simulation = Simulation::new(0);
    let queue = Queue::new(&simulation, "counter");
    let own = queue.clone();
    simulation.start("customers", move |p| {
        own.push_back('a'); // 0 s .. 4 s
        p.hold(seconds(2));
        own.push_back('b'); // 2 s .. 6 s
        p.hold(seconds(2));
        assert_eq!(own.pop_front(), Some('a'));
        p.hold(seconds(2));
        assert_eq!(own.pop_front(), Some('b'));
        own.push_back('c'); // 6 s ..
        p.hold(seconds(4));
    });
    simulation.run();
    // 2 s of one, 2 s of two, 6 s of one.
    assert!((queue.mean_length() - 1.2).abs() < 1e-12);
    assert_eq!(queue.mean_stay(), seconds(4));
    assert_eq!(queue.mean_stay_of_all(), seconds(4));
    assert_eq!((queue.n_left(), queue.len(), queue.greatest_length() as u64), (2, 1, 2));
    expect![[r#"
        time 10 s
        queue counter: 1 in, 2 left, mean length 1.200, mean stay 4.000 s
    "#]]
    .assert_eq(&simulation.snapshot().to_string());
}

#[test]
fn a_linked_queue_is_a_vector() {
    let simulation = Simulation::new(0);
    for seed in 0..30 {
        let mut draws = Stream::new(seed);
        let queue = Queue::new(&simulation, "fast");
        let mut naive: VecDeque<u64> = VecDeque::new();
        let mut links = Vec::new();
        for value in 0..500_u64 {
            let (link, target) = match links.len() {
                0 => (None, 0),
                n => links[draws.below(n as u64) as usize],
            };
            let place = naive.iter().position(|&other| other == target);
            match (draws.below(7), link) {
                (0, _) => {
                    links.push((Some(queue.push_front(value)), value));
                    naive.push_front(value);
                }
                (1, Some(link)) => match (queue.insert_before(link, value), place) {
                    (Ok(link), Some(place)) => {
                        links.push((Some(link), value));
                        naive.insert(place, value);
                    }
                    (found, place) => assert_eq!((found, place), (Err(value), None), "seed {seed}"),
                },
                (2, Some(link)) => match (queue.insert_after(link, value), place) {
                    (Ok(link), Some(place)) => {
                        links.push((Some(link), value));
                        naive.insert(place + 1, value);
                    }
                    (found, place) => assert_eq!((found, place), (Err(value), None), "seed {seed}"),
                },
                (3, Some(link)) => {
                    assert_eq!(
                        queue.remove(link),
                        place.and_then(|place| naive.remove(place)),
                        "seed {seed}"
                    );
                }
                (4, _) => assert_eq!(queue.pop_front(), naive.pop_front(), "seed {seed}"),
                (5, _) => assert_eq!(queue.pop_back(), naive.pop_back(), "seed {seed}"),
                _ => {
                    links.push((Some(queue.push_back(value)), value));
                    naive.push_back(value);
                }
            }
            assert_eq!(queue.to_vec(), Vec::from(naive.clone()), "seed {seed}");
            assert_eq!(
                (queue.front(), queue.back()),
                (naive.front().copied(), naive.back().copied())
            );
        }
    }
}

#[test]
fn processes_wait_in_queues_for_others_to_wake_them() {
    let (mut simulation, log) = (Simulation::new(0), Log::default());
    let waiting = Queue::new(&simulation, "waiting");
    for name in ["a", "b"] {
        let (waiting, log) = (waiting.clone(), log.clone());
        simulation.start(name, move |p| {
            waiting.wait(p);
            log.write(p, "served");
        });
    }
    simulation.start("server", move |p| {
        while let Some(next) = waiting.pop_front() {
            p.hold(seconds(3));
            p.activate(next).expect("who waits is passive");
        }
    });
    simulation.run();
    log.expect(&["3 s a: served", "6 s b: served"]);
}

#[test]
fn a_semaphore_serves_in_order_of_arrival_and_keeps_what_nobody_wants() {
    let (mut simulation, log) = (Simulation::new(0), Log::default());
    let permits = Semaphore::new(&simulation, "permits", 1);
    for (name, arrives) in [("a", 0), ("b", 2), ("c", 1)] {
        let (permits, log) = (permits.clone(), log.clone());
        simulation.start(name, move |p| {
            p.hold(seconds(arrives));
            permits.acquire(p);
            log.write(p, "in");
            p.hold(seconds(10));
            permits.release();
        });
    }
    simulation.run_until(ModelTime::from_secs(5));
    assert_eq!((permits.n_permits(), permits.n_waiting()), (0, 2));
    expect![[r#"
        time 5 s
        process a: scheduled for 10 s
        process b: blocked on a semaphore
        process c: blocked on a semaphore
        semaphore permits: 0 permits, 2 waiting
    "#]]
    .assert_eq(&simulation.snapshot().to_string());
    expect![[r#"{"processes":[{"name":"a","scheduled_for":10000000000,"state":"scheduled"},{"name":"b","scheduled_for":null,"state":"blocked-on-semaphore"},{"name":"c","scheduled_for":null,"state":"blocked-on-semaphore"}],"queues":[],"semaphores":[{"name":"permits","permits":0,"waiting":2}],"time":5000000000}"#]]
        .assert_eq(&simulation.snapshot().to_json().to_string());
    simulation.run();
    log.expect(&["0 s a: in", "10 s c: in", "20 s b: in"]);
    assert_eq!(
        (permits.n_permits(), permits.try_acquire(), permits.try_acquire()),
        (1, true, false)
    );
}

#[test]
fn who_is_blocked_cannot_be_activated() {
    let mut simulation = Simulation::new(0);
    let permits = Semaphore::new(&simulation, "permits", 0);
    let blocked = simulation.start("blocked", move |p| permits.acquire(p));
    simulation.run();
    assert_eq!(simulation.state(blocked), State::BlockedOnSemaphore);
    assert!(simulation.activate(blocked).is_err());
    assert!(simulation.cancel(blocked).is_err());
}

#[test]
fn messages_are_matched_on_sender_and_receiver() {
    let mut simulation = Simulation::new(0);
    let post: MessageBox<&str> = MessageBox::new(&simulation);
    let received = Rc::new(RefCell::new(Vec::new()));
    let sender = |name: &'static str, at: u64, to| {
        let post = post.clone();
        simulation.start(name, move |p| {
            p.hold(seconds(at));
            post.post(p, name, to);
        })
    };
    let receiver = |name: &'static str, from| {
        let (post, received) = (post.clone(), Rc::clone(&received));
        simulation.start(name, move |p| {
            let letter = post.receive(p, from);
            received.borrow_mut().push(format!("{} {name} from {}", p.now(), letter.message));
        })
    };
    let late = sender("late", 9, None);
    receiver("choosy", Some(late));
    let addressed = receiver("anybody", None);
    sender("early", 1, None);
    sender("to one", 5, Some(addressed));
    receiver("second", None);
    simulation.run();
    // `choosy` came first but wants one sender only; nobody but `anybody`, who has gone, could take what was sent to it.
    assert_eq!(*received.borrow(), ["1 s anybody from early", "9 s choosy from late"]);
    assert_eq!(post.len(), 1);
}

#[test]
fn a_rendezvous_keeps_the_sender_until_its_message_is_received() {
    let (mut simulation, log) = (Simulation::new(0), Log::default());
    let post = MessageBox::new(&simulation);
    let (sent, sender_log) = (post.clone(), log.clone());
    let sender = simulation.start("sender", move |p| {
        sent.send(p, 1, None);
        sender_log.write(p, "first is received");
        sent.send(p, 2, None);
        sender_log.write(p, "second is received");
    });
    let receiver_log = log.clone();
    simulation.start("receiver", move |p| {
        p.hold(seconds(4));
        assert_eq!(p.state(sender), State::BlockedOnSend);
        assert_eq!(post.receive(p, None).message, 1);
        // The sender is awake but has not run: nothing more is there yet.
        assert!(post.try_receive(p, None).is_none());
        let second = post.receive(p, Some(sender));
        assert_eq!((second.message, second.from), (2, Some(sender)));
        receiver_log.write(p, "done");
    });
    simulation.run();
    log.expect(&[
        "4 s sender: first is received",
        "4 s sender: second is received",
        "4 s receiver: done",
    ]);
}

#[test]
fn what_threads_leave_in_a_port_arrives_when_it_is_delivered() {
    let (mut simulation, log) = (Simulation::new(0), Log::default());
    let commands = MessageBox::new(&simulation);
    let port = commands.port();
    let writes = log.clone();
    simulation.start("motor", move |p| {
        loop {
            let command: String = commands.receive(p, None).message;
            writes.write(p, &command);
            p.hold(seconds(1));
        }
    });
    simulation.run();
    let thread = std::thread::spawn(move || {
        port.send_at(ModelTime::ZERO + Duration::from_millis(500), "up".to_owned());
        port.clone().send("stop".to_owned());
    });
    thread.join().expect("it ends");
    assert_eq!(simulation.step(), None, "nothing is delivered by itself");
    simulation.deliver();
    simulation.run();
    log.expect(&["0.5 s motor: up", "1.5 s motor: stop"]);
}

#[test]
#[should_panic(expected = "of its own simulation only")]
fn simulations_do_not_mix() {
    let foreign = Semaphore::new(&Simulation::new(0), "foreign", 1);
    let mut simulation = Simulation::new(0);
    simulation.start("lost", move |p| foreign.acquire(p));
    simulation.run();
}

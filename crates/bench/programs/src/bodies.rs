//! The six tests, and mutex increments; compiled once for each tool, which is `super`.

use super::sync::mpsc::channel;
use super::sync::{Arc, Condvar, Mutex};
use super::thread;

/// Two threads, three increments each under a mutex.
pub fn counter() {
    increments(2, 3);
}

/// Threads that increment a counter under a mutex.
pub fn increments(threads: usize, rounds: usize) {
    let counter = Arc::new(Mutex::new(0));
    let increment = |counter: Arc<Mutex<usize>>| {
        move || (0..rounds).for_each(|_| *counter.lock().unwrap() += 1)
    };
    let threads: Vec<_> =
        (0..threads).map(|_| thread::spawn(increment(Arc::clone(&counter)))).collect();
    let expected = threads.len() * rounds;
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*counter.lock().unwrap(), expected);
}

/// A bounded buffer, two producers and two consumers.
pub fn buffer() {
    struct Buffer {
        items: Mutex<Vec<usize>>,
        changed: Condvar,
    }
    let buffer = Arc::new(Buffer { items: Mutex::new(Vec::new()), changed: Condvar::new() });
    let mut threads = Vec::new();
    for item in 0..2 {
        let buffer = Arc::clone(&buffer);
        threads.push(thread::spawn(move || {
            for _ in 0..2 {
                let mut items = buffer.items.lock().unwrap();
                while items.len() == 2 {
                    items = buffer.changed.wait(items).unwrap();
                }
                items.push(item);
                drop(items);
                buffer.changed.notify_all();
            }
        }));
    }
    for _ in 0..2 {
        let buffer = Arc::clone(&buffer);
        threads.push(thread::spawn(move || {
            for _ in 0..2 {
                let mut items = buffer.items.lock().unwrap();
                while items.is_empty() {
                    items = buffer.changed.wait(items).unwrap();
                }
                items.pop();
                drop(items);
                buffer.changed.notify_all();
            }
        }));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Two threads exchange messages, ten rounds.
pub fn pingpong() {
    let (ping, pings) = channel();
    let (pong, pongs) = channel();
    let other = thread::spawn(move || {
        for _ in 0..10 {
            let round: usize = pings.recv().unwrap();
            pong.send(round).unwrap();
        }
    });
    for round in 0..10 {
        ping.send(round).unwrap();
        assert_eq!(pongs.recv().unwrap(), round);
    }
    other.join().unwrap();
}

/// Three philosophers, the last of whom takes the other fork first.
pub fn phil() {
    let forks: [Arc<Mutex<()>>; 3] = std::array::from_fn(|_| Arc::new(Mutex::new(())));
    let threads: Vec<_> = (0..3)
        .map(|seat| {
            let (first, second) = (seat.min((seat + 1) % 3), seat.max((seat + 1) % 3));
            let (first, second) = (Arc::clone(&forks[first]), Arc::clone(&forks[second]));
            thread::spawn(move || {
                let _first = first.lock().unwrap();
                let _second = second.lock().unwrap();
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Three threads in a row, over channels.
pub fn pipeline() {
    let (source, first) = channel();
    let (middle, second) = channel();
    let (last, sink) = channel();
    let threads = [
        thread::spawn(move || (0..3_usize).for_each(|item| source.send(item).unwrap())),
        thread::spawn(move || (0..3).for_each(|_| middle.send(first.recv().unwrap() + 1).unwrap())),
        thread::spawn(move || (0..3).for_each(|_| last.send(second.recv().unwrap() * 2).unwrap())),
    ];
    let received: Vec<usize> = (0..3).map(|_| sink.recv().unwrap()).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(received, [2, 4, 6]);
}

/// Two threads look at an account and then take from it.
pub fn account() {
    let account = Arc::new(Mutex::new(1_i64));
    let withdraw = |account: Arc<Mutex<i64>>| {
        move || {
            let has_money = *account.lock().unwrap() > 0;
            if has_money {
                *account.lock().unwrap() -= 1;
            }
        }
    };
    let threads = [0, 1].map(|_| thread::spawn(withdraw(Arc::clone(&account))));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

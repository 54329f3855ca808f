//! Two threads send while the receiver leaves; `std` is that of `rival-std`.

use std::thread;

fn body() {
    let (first, receiver) = crossbeam_channel::unbounded::<Box<u32>>();
    let second = first.clone();
    let a = thread::spawn(move || drop(first.send(Box::new(1))));
    let b = thread::spawn(move || drop(second.send(Box::new(2))));
    drop(receiver);
    a.join().unwrap();
    b.join().unwrap();
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let executions = words[1].parse().expect("a number of executions");
    std::explore(words[0] == "pct", executions, body);
}

//! Two known bugs of the unbounded channel when its receiver leaves while others send: freeing a
//! block twice (RUSTSEC-2025-0024, in 0.5.12 to 0.5.14), following a null pointer (pull request 972,
//! in 0.5.7).

use std::thread;

#[test]
fn the_receiver_leaves_while_two_send() {
    let (first, receiver) = crossbeam_channel::unbounded::<Box<u32>>();
    let second = first.clone();
    let a = thread::spawn(move || drop(first.send(Box::new(1))));
    let b = thread::spawn(move || drop(second.send(Box::new(2))));
    drop(receiver);
    a.join().unwrap();
    b.join().unwrap();
}

//! Both ends of a `oneshot` channel take its value (RUSTSEC-2021-0124, in 1.13.0): the receiver
//! closes the channel and looks once more while the sender sends.

use std::thread;

use tokio::sync::oneshot;

#[test]
fn the_value_has_one_owner() {
    let (sender, mut receiver) = oneshot::channel::<Box<u32>>();
    let sends = thread::spawn(move || sender.send(Box::new(1)).err());
    receiver.close();
    let received = receiver.try_recv().ok();
    let returned = sends.join().unwrap();
    assert!(received.is_none() || returned.is_none(), "both have it");
}

//! Channels that are watched: every kind, every policy, and the monitor of the protocol itself as the oracle.

mod random;

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use quadrille_monitor::{Monitor, Policy, ReceiveEnd, ReceiveError, SendEnd, SendError};

const CHESS: &str = "message Move; role white, black;
    protocol chess { loop { Move from white to black; Move from black to white; } }";

fn chess() -> Monitor {
    Monitor::from_quad("chess.quad", CHESS).expect("a protocol")
}

fn name(_: &u32) -> String {
    "Move".to_owned()
}

/// The first move is allowed, a second one is not.
fn two_moves<S: SendEnd<u32> + Clone, R: ReceiveEnd<u32>>((sender, receiver): (S, R))
where
    S::Error: std::fmt::Debug,
    R::Error: std::fmt::Debug,
    R::TryError: std::fmt::Debug,
{
    let monitor = chess();
    let sender = monitor.sender(sender, "white", "black", name);
    let receiver = monitor.receiver(receiver, "black", Some("white"), name);
    assert!(matches!(receiver.try_recv(), Err(ReceiveError::Channel(_))));
    sender.send(1).expect("the first move");
    let line = line!() + 1;
    let Err(SendError::Deviates { deviation, message }) = sender.send(2) else {
        panic!("a second move")
    };
    assert_eq!((message, deviation.place.line(), deviation.place.file()), (2, line, file!()));
    assert_eq!(deviation.message, "action 2 deviates: white sends Move to black");
    assert_eq!(deviation.allowed, ["black receives Move from white"]);
    assert_eq!(monitor.deviation().as_ref(), Some(&*deviation));
    // What was refused did not happen.
    assert_eq!(receiver.recv().expect("the first move"), 1);
    assert!(sender.send(3).is_err(), "it is the turn of black");
    // Another role uses the same channel: black is to move, though not to itself.
    assert!(sender.clone().of("black").send(4).is_err());
}

#[test]
fn every_kind_of_channel_can_be_watched() {
    two_moves(mpsc::channel());
    two_moves(mpsc::sync_channel(4));
    two_moves(crossbeam_channel::unbounded());
    two_moves(flume::bounded(4));
}

#[test]
fn tokio_can_be_watched() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let monitor = chess();
        let (sender, receiver) = tokio::sync::mpsc::channel(1);
        let sender = monitor.sender(sender, "white", "black", name);
        let mut receiver = monitor.receiver(receiver, "black", Some("white"), name);
        sender.send_async(1).await.expect("the first move");
        // There is no room, and a future that is dropped has sent nothing.
        drop(Box::pin(sender.send_async(2)));
        assert_eq!(receiver.recv_async().await, Ok(Some(1)));
        let line = line!() + 1;
        let refused = sender.send_async(3).await.expect_err("it is the turn of black");
        let SendError::Deviates { deviation, .. } = refused else { panic!("{refused:?}") };
        assert_eq!(deviation.place.line(), line);
        let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
        let sender = monitor.sender(sender, "black", "white", name);
        let mut receiver = monitor.receiver(receiver, "white", None, name);
        sender.send(4).expect("a move");
        assert_eq!(receiver.recv_async().await, Ok(Some(4)));
        drop(sender);
        assert_eq!(receiver.recv_async().await, Ok(None));
    });
}

#[test]
fn policies_are_kept() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&told);
    let listening =
        chess().on_deviation(move |it| list.lock().expect("a list").push(it.to_string()));
    let ends = |monitor: &Monitor| {
        let (sender, receiver) = mpsc::channel();
        (
            monitor.sender(sender, "white", "black", name),
            monitor.receiver(receiver, "black", None, name),
        )
    };
    let monitor = listening.clone().policy(Policy::Report);
    let (sender, receiver) = ends(&monitor);
    for number in 0..3 {
        sender.send(number).expect("it goes on");
    }
    assert_eq!(receiver.iter().take(3).collect::<Vec<_>>(), [0, 1, 2]);
    {
        let told = told.lock().expect("a list");
        assert_eq!(told.len(), 1, "only the first one: {told:?}");
        let text =
            "action 2 deviates: white sends Move to black; allowed: black receives Move from white";
        assert!(told[0].ends_with(text), "{told:?}");
        assert!(told[0].contains("main.rs:"), "{told:?}");
    }
    assert!(monitor.finish().is_err());
    assert_eq!(
        receiver.recv_timeout(Duration::ZERO),
        Err(ReceiveError::Channel(mpsc::RecvTimeoutError::Timeout))
    );

    let (sender, _receiver) = ends(&chess().policy(Policy::Panic));
    sender.send(1).expect("the first move");
    let panicked = thread::spawn(move || drop(sender.send(2))).join().expect_err("a panic");
    let text = panicked.downcast_ref::<String>().expect("a text");
    assert!(text.contains("allowed: black receives Move from white"), "{text}");
}

#[test]
fn a_receive_that_deviates_ends_the_watch() {
    let monitor = chess();
    let (unwatched, receiver) = mpsc::channel();
    let receiver = monitor.receiver(receiver, "white", None, name);
    unwatched.send(1).expect("room");
    let refused = receiver.recv().expect_err("white does not receive first");
    assert!(matches!(refused, ReceiveError::Deviates(_)), "{refused}");
    let (sender, _there) = mpsc::channel();
    let sender = monitor.sender(sender, "white", "black", name);
    let Err(SendError::Deviates { deviation, .. }) = sender.send(1) else {
        panic!("the state is not known any more")
    };
    assert_eq!(*deviation, monitor.deviation().expect("the first one"));
}

#[test]
fn synchronous_messages_are_one_step() {
    let text = "message Ask, Answer; role a, b;
        protocol p { Ask from a to b sync; Answer from b to a; }";
    let monitor = Monitor::from_quad("p.quad", text).expect("a protocol");
    let (there, back) = (mpsc::channel(), mpsc::channel());
    let ask = |_: &u32| "Ask".to_owned();
    let answer = |_: &u32| "Answer".to_owned();
    let a_sends = monitor.sender(there.0, "a", "b", ask);
    let b_receives = monitor.receiver(there.1, "b", Some("a"), ask);
    let b_sends = monitor.sender(back.0, "b", "a", answer);
    let a_receives = monitor.receiver(back.1, "a", Some("b"), answer);
    a_sends.send(1).expect("a question");
    assert_eq!(b_receives.recv(), Ok(1));
    let unfinished = monitor.finish().expect_err("no answer yet");
    assert_eq!(unfinished.allowed, ["b sends Answer to a"]);
    b_sends.send(2).expect("an answer");
    assert_eq!(a_receives.recv(), Ok(2));
    monitor.finish().expect("an end");
}

#[test]
fn deadlocks_are_found_as_they_happen() {
    let monitor = chess().detect_deadlocks();
    let (_sender, receiver) = mpsc::channel();
    let receiver = monitor.receiver(receiver, "white", Some("black"), name);
    // White moves first, so that nobody will ever send.
    let refused = receiver.recv().expect_err("white waits for black, and black for white");
    let ReceiveError::Deviates(deviation) = refused else { panic!("{refused}") };
    assert!(deviation.message.starts_with("the system is stuck at the start"), "{deviation}");
    let monitor = chess().detect_deadlocks();
    let sender = monitor.sender(mpsc::channel().0, "white", "black", name);
    // The other end is gone already, which the protocol does not know.
    assert!(matches!(sender.send(1), Err(SendError::Channel(_))));
    let stuck = monitor.leaves("black").expect_err("nobody takes the move");
    assert!(stuck.message.contains("`black` has left"), "{stuck}");
}

#[test]
fn protocols_with_mistakes_are_refused() {
    let bad =
        Monitor::from_quad("p.quad", "protocol p { Move from a to b; }").expect_err("no roles");
    assert!(bad.to_string().contains("p.quad:1"), "{bad}");
    assert!(Monitor::of("chess.quad", CHESS, Some("draughts"), &[], &[]).is_err());
}

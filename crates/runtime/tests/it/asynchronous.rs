//! Roles as futures: on tokio, on the smallest executor there is, and given up half-way.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use quadrille_runtime::{Cause, Role};
use tokio::runtime::{Builder, Runtime};

use crate::support::{Named, Note, both, soon};

const TURNS: &str = "(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))";
const MEETINGS: &str = "(s/* (s/cat (s/--> Ask ::a ::b) (s/--> Say ::b ::a)))";

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The smallest executor.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

async fn request(mut role: Role<Note>, request: Note, rounds: u64) -> u64 {
    let mut sum = 0;
    for number in 0..rounds {
        role.send_async(Note(request.0, number), None).await.expect("asked");
        sum += role.recv_async(None).await.expect("an answer").payload.1;
    }
    role.finish().expect("the end");
    sum
}

async fn answer(mut role: Role<Note>, say: Note, rounds: u64) {
    for _ in 0..rounds {
        let asked = role.recv_async(None).await.expect("asked").payload.1;
        role.send_async(Note(say.0, asked + 1), None).await.expect("answered");
    }
    role.finish().expect("the end");
}

const ROUNDS: u64 = 500;

/// Lets a and b talk by means of `run`, which gets one future for each, in all forms.
fn check(run: impl Fn(BoxFuture<u64>, BoxFuture<()>) -> u64 + Send + Copy + 'static) {
    for module in [TURNS, MEETINGS].into_iter().flat_map(both) {
        let sum = soon(move || {
            let [a, b] = module.roles(["a", "b"]);
            let a = Box::pin(request(a, module.note("Ask", 0), ROUNDS));
            let b = Box::pin(answer(b, module.note("Say", 0), ROUNDS));
            run(a, b)
        });
        assert_eq!(sum, (1..=ROUNDS).sum::<u64>());
    }
}

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

fn on_tokio(runtime: &Runtime, a: BoxFuture<u64>, b: BoxFuture<()>) -> u64 {
    runtime.block_on(async {
        let b = tokio::spawn(b);
        let sum = tokio::spawn(a).await.expect("no panic");
        b.await.expect("no panic");
        sum
    })
}

#[test]
fn on_one_thread_of_tokio() {
    check(|a, b| {
        on_tokio(&Builder::new_current_thread().enable_time().build().expect("tokio"), a, b)
    });
}

#[test]
fn on_several_threads_of_tokio() {
    check(|a, b| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("tokio");
        on_tokio(&runtime, a, b)
    });
}

#[test]
fn on_the_smallest_executor() {
    check(|a, b| {
        let other = thread::spawn(|| block_on(b));
        let sum = block_on(a);
        other.join().expect("no panic");
        sum
    });
}

#[test]
fn one_role_blocks_and_the_other_is_a_future() {
    for module in [TURNS, MEETINGS].into_iter().flat_map(both) {
        soon(move || {
            let [a, mut b] = module.roles(["a", "b"]);
            let say = module.label("Say");
            let blocks = thread::spawn(move || {
                for _ in 0..ROUNDS {
                    let asked = b.recv(None).expect("asked").payload.1;
                    b.send(Note(say, asked + 1), None).expect("answered");
                }
            });
            block_on(request(a, module.note("Ask", 0), ROUNDS));
            blocks.join().expect("no panic");
        });
    }
}

/// Counts how often it is woken.
#[derive(Default)]
struct Count(AtomicU32);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn poll_once<F: Future + Unpin>(future: &mut F, count: &Arc<Count>) -> Poll<F::Output> {
    let waker = Waker::from(Arc::clone(count));
    Pin::new(future).poll(&mut Context::from_waker(&waker))
}

fn n_wakes(count: &Count) -> u32 {
    count.0.load(Ordering::SeqCst)
}

#[test]
fn a_future_is_woken_once_and_not_after_it_was_dropped() {
    for module in both(TURNS) {
        let [mut a, mut b] = module.roles(["a", "b"]);
        let count = Arc::new(Count::default());
        let mut waits = b.recv_async(None);
        assert!(poll_once(&mut waits, &count).is_pending());
        assert_eq!(n_wakes(&count), 0);
        drop(waits);
        a.send(module.note("Ask", 1), None).expect("sent");
        assert_eq!(n_wakes(&count), 0, "{:?}", module.form);
        assert_eq!(b.recv(None).expect("kept in the queue").payload.1, 1);

        let mut waits = a.recv_async(None);
        assert!(poll_once(&mut waits, &count).is_pending());
        b.send(module.note("Say", 2), None).expect("sent");
        assert_eq!(n_wakes(&count), 1, "{:?}", module.form);
        assert!(matches!(poll_once(&mut waits, &count), Poll::Ready(Ok(_))));
    }
}

/// A receiver that was handed a message and gives up before it knows.
fn given_up(module: &Named) -> ([Role<Note>; 2], Arc<Count>) {
    let [mut a, mut b] = module.roles(["a", "b"]);
    let count = Arc::new(Count::default());
    let mut waits = b.recv_async(None);
    assert!(poll_once(&mut waits, &count).is_pending());
    let mut sends = a.send_async(module.note("Ask", 7), None);
    assert!(matches!(poll_once(&mut sends, &count), Poll::Ready(Ok(()))));
    assert_eq!(n_wakes(&count), 1);
    drop(sends);
    drop(waits);
    ([a, b], count)
}

#[test]
fn what_was_handed_to_a_dropped_future_is_kept() {
    for module in both(MEETINGS) {
        let ([_a, mut b], _) = given_up(&module);
        assert_eq!(b.recv(None).expect("kept").payload.1, 7, "{:?}", module.form);
        let ([_a, mut b], count) = given_up(&module);
        let kept = poll_once(&mut b.recv_async(Some(module.id("a"))), &count);
        assert!(matches!(kept, Poll::Ready(Ok(received)) if received.payload.1 == 7));
    }
}

#[test]
fn a_sender_that_gives_up_passes_nothing() {
    for module in both(MEETINGS) {
        let [mut a, mut b] = module.roles(["a", "b"]);
        let count = Arc::new(Count::default());
        assert!(poll_once(&mut a.send_async(module.note("Ask", 1), None), &count).is_pending());
        let mut waits = b.recv_async(None);
        assert!(poll_once(&mut waits, &count).is_pending(), "{:?}", module.form);
        assert_eq!(n_wakes(&count), 0);
        assert!(matches!(
            poll_once(&mut a.send_async(module.note("Ask", 2), None), &count),
            Poll::Ready(Ok(()))
        ));
        let received = poll_once(&mut waits, &count);
        assert!(matches!(received, Poll::Ready(Ok(received)) if received.payload.1 == 2));
    }
}

#[test]
fn a_timer_of_the_executor_ends_waiting() {
    for module in both(TURNS) {
        let [mut a, mut b] = module.roles(["a", "b"]);
        let runtime = Builder::new_current_thread().enable_time().build().expect("tokio");
        runtime.block_on(async {
            let brief = Duration::from_millis(5);
            tokio::time::timeout(brief, b.recv_async(None)).await.expect_err("nobody asks");
            a.send_async(module.note("Ask", 3), None).await.expect("asked");
            let asked = tokio::time::timeout(brief, b.recv_async(None)).await.expect("in time");
            assert_eq!(asked.expect("asked").payload.1, 3);
        });
    }
}

#[test]
fn time_outs_of_blocking_calls() {
    for module in [TURNS, MEETINGS].into_iter().flat_map(both) {
        let [mut a, mut b] = module.roles(["a", "b"]);
        b.set_timeout(Some(Duration::from_millis(5)));
        let error = b.recv(None).expect_err("nobody asks");
        assert_eq!(error.cause, Cause::TimedOut);
        let (request, say) = (module.label("Ask"), module.label("Say"));
        soon(move || {
            for role in [&mut a, &mut b] {
                role.set_timeout(Some(Duration::from_secs(9)));
            }
            let requests = thread::spawn(move || {
                a.send(Note(request, 4), None).expect("sent in time");
                a.recv(None).expect("in time").payload.1
            });
            let asked = b.recv(None).expect("in time");
            b.send(Note(say, asked.payload.1 + 1), None).expect("sent");
            assert_eq!(requests.join().expect("no panic"), 5);
        });
    }
}

#[test]
fn a_task_that_waits_is_told_that_nothing_will_come() {
    for module in both("(s/alt (s/-->> M ::a ::b) (s/close ::a ::b))") {
        let cause = soon(move || {
            let [mut a, mut b] = module.roles(["a", "b"]);
            let to = module.id("b");
            let mut receiving = pin!(b.recv_async(None));
            let mut context = Context::from_waker(Waker::noop());
            assert!(receiving.as_mut().poll(&mut context).is_pending());
            a.close(to).expect("closed");
            block_on(receiving).expect_err("nothing will come").cause.clone()
        });
        assert!(matches!(cause, Cause::Closed { .. } | Cause::NotAllowed { .. }), "{cause:?}");
    }
}

//! Futures: lost wakers are found, correct futures are clean in every order, timers are in model time;
//! executors that know nothing of the scheduler work under the simulated `std`.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc as RealArc, Mutex as RealMutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use quadrille_sim::future::{self, Elapsed, JoinError, JoinHandle};
use quadrille_sim::strategy::{Dpor, Execution, Naive, Reduction};
use quadrille_sim::{
    Config, Fault, Monitor, Random, Report, Sim, Strategy, explore_with, sim, task,
};
use quadrille_sim_std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use quadrille_sim_std::sync::{Arc, Mutex};
use quadrille_sim_std::thread;

/// A flag that futures wait for.
#[derive(Default)]
struct Flag {
    is_set: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Flag {
    fn set(&self) {
        self.is_set.store(true, SeqCst);
        let waker = self.waker.lock().unwrap().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Looks, then leaves its waker: the flag may be set in between.
    async fn wait_carelessly(&self) {
        poll_fn(|context| {
            if self.is_set.load(SeqCst) {
                return Poll::Ready(());
            }
            *self.waker.lock().unwrap() = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Leaves its waker, then looks.
    async fn wait(&self) {
        poll_fn(|context| {
            *self.waker.lock().unwrap() = Some(context.waker().clone());
            if self.is_set.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

async fn consumer(flag: Arc<Flag>, is_careful: bool) {
    if is_careful {
        flag.wait().await;
    } else {
        flag.wait_carelessly().await;
    }
}

fn handshake(is_careful: bool) -> Sim {
    sim(move || {
        let flag = Arc::new(Flag::default());
        let waits = future::spawn(consumer(Arc::clone(&flag), is_careful));
        flag.set();
        future::block_on(waits).unwrap();
    })
}

#[test]
fn a_lost_waker_is_found_and_the_future_named() {
    for sim in [handshake(false).exhaustive(), handshake(false).random(10_000)] {
        let failure = sim.run().unwrap().failure.unwrap();
        let text = failure.to_string();
        assert_eq!(failure.fault.word(), "dormancy", "{text}");
        assert!(text.contains("consumer-1 waits to poll future#"), "{text}");
        assert!(text.contains("; one waker of it is kept and was not called since"), "{text}");
        assert!(text.contains("main waits to poll") && text.contains("awaits thread consumer-1"));
        assert!(text.contains("futures.rs:"), "{text}");
        let again = handshake(false).replay(&failure.schedule.to_string()).run().unwrap();
        assert_eq!(again.failure.unwrap().to_string().lines().next(), text.lines().next());
    }
}

#[test]
fn a_future_that_drops_its_waker_says_so() {
    let failure = sim(|| {
        future::block_on(poll_fn(|_| {
            thread::yield_now();
            Poll::<()>::Pending
        }));
    })
    .exhaustive()
    .run()
    .unwrap()
    .failure
    .unwrap();
    assert!(failure.to_string().contains("no waker of it is left"), "{failure}");
}

#[test]
fn correct_futures_are_clean_in_every_order() {
    let report = handshake(true).exhaustive().assert();
    // The waker is left too late; or before the flag is set, or between that and the look for a
    // waker. In each case the handle is polled before or after the future is ready.
    assert_eq!((report.is_exhausted, report.executions), (true, 6));
    // Two that only meet at the end: the handle is polled before or after each of them is ready.
    let report = sim(|| {
        let sum = future::block_on(async {
            let (one, two) = (future::spawn(async { 1 }), future::spawn(async { 2 }));
            one.await.unwrap() + two.await.unwrap()
        });
        assert_eq!(sum, 3);
    })
    .exhaustive()
    .assert();
    assert_eq!((report.is_exhausted, report.executions), (true, 4));
}

#[test]
fn futures_that_await_each_other_are_a_cycle() {
    type Handles = Arc<Mutex<[Option<JoinHandle<()>>; 2]>>;
    async fn partner(handles: Handles, other: usize) {
        let handle = loop {
            let found = handles.lock().unwrap()[other].take();
            match found {
                Some(handle) => break handle,
                None => future::yield_now().await,
            }
        };
        handle.await.unwrap();
    }
    let failure = sim(|| {
        let handles = Handles::default();
        for me in 0..2 {
            let spawned = future::spawn(partner(Arc::clone(&handles), 1 - me));
            handles.lock().unwrap()[me] = Some(spawned);
        }
    })
    .random(10)
    .run()
    .unwrap()
    .failure
    .unwrap();
    let text = failure.to_string();
    assert!(
        text.starts_with("deadlock") && text.contains("cycle: partner-1 -> partner-2"),
        "{text}"
    );
}

/// The orders in which futures that sleep so long go on.
fn orders(lengths: &'static [u64], strategy: impl Strategy + 'static) -> BTreeSet<Vec<usize>> {
    let found: RealArc<RealMutex<BTreeSet<Vec<usize>>>> = RealArc::default();
    let into = RealArc::clone(&found);
    let body = move || {
        let order = Arc::new(Mutex::new(Vec::new()));
        let sleepers = lengths.iter().enumerate().map(|(index, &length)| {
            let order = Arc::clone(&order);
            future::spawn(async move {
                future::sleep(Duration::from_millis(length)).await;
                assert_eq!(task::now().since_start(), Duration::from_millis(length));
                order.lock().unwrap().push(index);
            })
        });
        let sleepers: Vec<_> = sleepers.collect();
        future::block_on(async {
            for sleeper in sleepers {
                sleeper.await.unwrap();
            }
        });
        into.lock().unwrap().insert(order.lock().unwrap().clone());
    };
    let report =
        explore_with(Config::default(), Box::new(strategy), Box::new(()), RealArc::new(body));
    assert!(report.failure.is_none() && report.is_exhausted, "{:?}", report.failure);
    found.lock().unwrap().clone()
}

#[test]
fn timers_go_off_in_their_order_and_ties_in_any() {
    let optimal = || Dpor::new(Reduction::Optimal);
    assert_eq!(orders(&[30, 10, 20], optimal()), BTreeSet::from([vec![1, 2, 0]]));
    let ties = BTreeSet::from([vec![0, 1], vec![1, 0]]);
    assert_eq!(orders(&[10, 10], optimal()), ties);
    assert_eq!(orders(&[10, 10], Naive::new()), ties);
}

#[test]
fn timeouts_and_intervals_are_in_model_time() {
    let report = sim(|| {
        let second = Duration::from_secs(1);
        future::block_on(async {
            let slow = future::timeout(second, future::sleep(3600 * second)).await;
            assert_eq!((slow, task::now().since_start()), (Err(Elapsed), second));
            let quick = future::timeout(second, async {
                future::sleep(second / 2).await;
                7
            });
            assert_eq!(quick.await, Ok(7));
            let mut clock = future::interval(second);
            let mut ticks = Vec::new();
            for _ in 0..3 {
                ticks.push(clock.tick().await.as_nanos() / 100_000_000);
            }
            assert_eq!(ticks, [15, 25, 35]);
            // Who is late makes up for it.
            future::sleep(2 * second).await;
            assert_eq!(clock.tick().await.as_nanos() / 100_000_000, 45);
            assert_eq!(task::now().as_nanos() / 100_000_000, 55);
        });
    })
    .exhaustive()
    .assert();
    assert_eq!(report.executions, 1);
}

#[test]
fn aborted_and_panicked_futures_have_no_result() {
    let report = sim(|| {
        let aborted = future::spawn(std::future::pending::<()>());
        aborted.abort();
        let result = future::block_on(aborted);
        assert!(matches!(result, Err(JoinError::Aborted)));
    })
    .exhaustive()
    .assert();
    assert!(report.is_exhausted);
    let failure = sim(|| {
        let _ = future::block_on(future::spawn(async { panic!("in a future") }));
    })
    .random(1)
    .run()
    .unwrap()
    .failure
    .unwrap();
    assert!(failure.to_string().contains("panic of aborted_and_panicked"), "{failure}");
}

#[test]
fn a_future_that_wakes_itself_is_known_to_poll() {
    let report = sim(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let polls = future::spawn(async move {
            while !other.load(SeqCst) {
                future::yield_now().await;
            }
        });
        flag.store(true, SeqCst);
        future::block_on(polls).unwrap();
    })
    .exhaustive()
    .assert();
    assert!(report.is_exhausted);
}

/// An executor of a few lines, as they are everywhere: it parks its thread.
fn parking_block_on<F: Future>(future: F) -> F::Output {
    struct Unparks(thread::Thread);
    impl Wake for Unparks {
        fn wake(self: RealArc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(RealArc::new(Unparks(thread::current())));
    let mut future: Pin<&mut F> = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn executors_that_park_work_and_lose_wakers_as_well() {
    let body = |is_careful: bool| {
        sim(move || {
            let flag = Arc::new(Flag::default());
            let other = Arc::clone(&flag);
            let thread = thread::spawn(move || other.set());
            parking_block_on(consumer(flag, is_careful));
            thread.join().unwrap();
        })
        .exhaustive()
    };
    assert!(body(true).assert().is_exhausted);
    let failure = body(false).run().unwrap().failure.unwrap();
    assert!(failure.to_string().contains("main waits to be unparked"), "{failure}");
}

/// What a future of a random program does.
#[derive(Clone, Copy, Debug)]
enum Act {
    Store(usize, usize),
    Load(usize),
    Set(usize),
    Await(usize),
    AwaitCarelessly(usize),
    Yield,
    Sleep(u64),
}

fn program(seed: u64) -> Vec<Vec<Act>> {
    let mut random = Random::of(seed, 78);
    let mut below = |bound: u64| random.below(bound) as usize;
    let n_futures = 2 + below(2);
    // Few kinds and few objects, so that they meet.
    let kinds = [below(7), below(7), below(7), 2];
    let n_objects = 1 + below(2) as u64;
    let mut act = || match kinds[below(4)] {
        0 => Act::Store(below(n_objects), 1 + below(2)),
        1 => Act::Load(below(n_objects)),
        2 => Act::Set(below(n_objects)),
        3 => Act::Await(below(n_objects)),
        4 => Act::AwaitCarelessly(below(n_objects)),
        5 => Act::Yield,
        _ => Act::Sleep(1 + below(2) as u64),
    };
    (0..n_futures).map(|_| (0..4 - n_futures).map(|_| act()).collect()).collect()
}

/// What futures saw, and which tasks wait for ever.
type Outcomes = BTreeSet<(Vec<Vec<usize>>, Vec<usize>)>;

struct Watcher(RealArc<RealMutex<Vec<Vec<usize>>>>, RealArc<RealMutex<Outcomes>>);

impl Monitor for Watcher {
    fn finish(&mut self, execution: &Execution<'_>) -> Option<Fault> {
        let blocked = execution.blocked.iter().map(|task| task.index()).collect();
        self.1.lock().unwrap().insert((self.0.lock().unwrap().clone(), blocked));
        None
    }
}

fn outcomes(program: &[Vec<Act>], strategy: impl Strategy + 'static) -> (Outcomes, Report) {
    let (seen, found) = <(RealArc<RealMutex<Vec<Vec<usize>>>>, RealArc<_>)>::default();
    let monitor = Watcher(RealArc::clone(&seen), RealArc::clone(&found));
    let config = Config { max_failures: u64::MAX, ..Config::default() };
    let program = program.to_vec();
    let body = move || {
        *seen.lock().unwrap() = vec![Vec::new(); program.len()];
        let flags: Arc<[Flag; 2]> = Arc::default();
        let atomics: Arc<[AtomicUsize; 2]> = Arc::default();
        for (index, acts) in program.iter().cloned().enumerate() {
            let (flags, atomics) = (Arc::clone(&flags), Arc::clone(&atomics));
            let seen = RealArc::clone(&seen);
            let _detached = future::spawn(async move {
                for act in acts {
                    match act {
                        Act::Store(atomic, value) => atomics[atomic].store(value, SeqCst),
                        Act::Load(atomic) => {
                            let value = atomics[atomic].load(SeqCst);
                            seen.lock().unwrap()[index].push(value);
                        }
                        Act::Set(flag) => flags[flag].set(),
                        Act::Await(flag) => flags[flag].wait().await,
                        Act::AwaitCarelessly(flag) => flags[flag].wait_carelessly().await,
                        Act::Yield => future::yield_now().await,
                        Act::Sleep(length) => future::sleep(Duration::from_millis(length)).await,
                    }
                }
            });
        }
    };
    let report = explore_with(config, Box::new(strategy), Box::new(monitor), RealArc::new(body));
    let found = found.lock().unwrap().clone();
    (found, report)
}

#[test]
fn reduction_loses_no_outcome_of_futures() {
    // Set these for more.
    #[allow(clippy::disallowed_methods)]
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (from, count) = (number("SEED").unwrap_or(0), number("COUNT").unwrap_or(60));
    let limit = number("LIMIT").unwrap_or(2_000);
    let (mut checked, mut executions) = (0, [0; 2]);
    for seed in from..from + count {
        let program = program(seed);
        let naive = crate::exhaustive::Bounded::new(Naive::new(), limit);
        let (expected, report) = outcomes(&program, naive);
        if !report.is_exhausted {
            continue;
        }
        checked += 1;
        executions[0] += report.executions;
        let (found, report) = outcomes(&program, Dpor::new(Reduction::Optimal));
        assert!(report.is_exhausted, "seed {seed}: {program:?} {:?}", report.failure);
        assert_eq!(found, expected, "seed {seed}: {program:?}");
        executions[1] += report.executions;
    }
    assert!(checked > 0);
    #[allow(clippy::print_stdout)]
    {
        println!("{checked} programs; executions: naive, optimal {executions:?}");
    }
}

//! The conversations that are measured, each over a generated module and over channels written by hand. Who is
//! first in a workload is ours.

use std::hint::black_box;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::generated::{Ball, Byte, Line, bytes, lines, ping_pong};

/// A conversation, and who has it.
pub(super) struct Workload {
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    /// Whether all threads share one processor.
    pub(super) is_pinned: bool,
    /// How often a run does it.
    pub(super) n_times: u32,
    /// How many times as fast ours must be as the fastest rival, if that was promised.
    pub(super) bar: Option<f64>,
    pub(super) contenders: Vec<Contender>,
}

/// A contender that can have a conversation so many times.
pub(super) struct Contender {
    pub(super) name: &'static str,
    pub(super) run: fn(u32) -> Duration,
}

fn by(name: &'static str, run: fn(u32) -> Duration) -> Contender {
    Contender { name, run }
}

/// Conversations within a process.
pub(super) fn workloads() -> Vec<Workload> {
    vec![
        Workload {
            key: "ping-pong",
            name: "ping-pong, two threads",
            is_pinned: false,
            n_times: 100_000,
            bar: Some(3.0),
            contenders: vec![
                by("module, liberal", liberal_ping_pong),
                by("crossbeam bounded(1)", crossbeam_ping_pong),
            ],
        },
        Workload {
            key: "ping-pong-pinned",
            name: "ping-pong, two threads on one processor",
            is_pinned: true,
            n_times: 5_000,
            bar: Some(1.0),
            contenders: vec![
                by("module, liberal", liberal_ping_pong),
                by("crossbeam bounded(1)", crossbeam_ping_pong),
                by("std sync_channel(1)", std_ping_pong),
                by("flume bounded(1)", flume_ping_pong),
            ],
        },
        Workload {
            key: "bytes",
            name: "stream of 1 byte, two threads",
            is_pinned: false,
            n_times: 1_000_000,
            bar: Some(1.5),
            contenders: vec![
                by("module, liberal", liberal_bytes),
                by("crossbeam bounded(1024)", crossbeam_stream::<Byte>),
                by("std sync_channel(1024)", std_stream::<Byte>),
            ],
        },
        Workload {
            key: "lines",
            name: "stream of 64 bytes, two threads",
            is_pinned: false,
            n_times: 500_000,
            bar: Some(1.5),
            contenders: vec![
                by("module, liberal", liberal_lines),
                by("crossbeam bounded(1024)", crossbeam_stream::<Line>),
                by("std sync_channel(1024)", std_stream::<Line>),
            ],
        },
        Workload {
            key: "async",
            name: "ping-pong, two tasks on one thread of tokio",
            is_pinned: false,
            n_times: 100_000,
            bar: Some(1.0),
            contenders: vec![
                by("module, liberal", liberal_tasks),
                by("tokio mpsc(1)", tokio_tasks),
            ],
        },
        Workload {
            key: "turns",
            name: "taking turns, two threads",
            is_pinned: false,
            n_times: 10_000,
            bar: Some(1.0 / 1.3),
            contenders: vec![
                by("module, strict", strict_ping_pong),
                by("Mutex and Condvar", turn_taker),
            ],
        },
    ]
}

/// How long two threads take together.
fn both(there: impl FnOnce() + Send + 'static, here: impl FnOnce()) -> Duration {
    let start = Instant::now();
    let there = thread::spawn(there);
    here();
    there.join().expect("the other thread does not panic");
    start.elapsed()
}

fn module_ping_pong(module: ping_pong::Module, n: u32) -> Duration {
    let ping_pong::Roles { mut left, mut right } = module.into_roles();
    let there = move || {
        for _ in 0..n {
            let ball = right.recv().expect("a ball");
            right.send(ball).expect("room");
        }
    };
    both(there, || {
        for _ in 0..n {
            left.send(Ball).expect("room");
            left.recv().expect("a ball");
        }
    })
}

fn liberal_ping_pong(n: u32) -> Duration {
    module_ping_pong(ping_pong::liberal(), n)
}

fn strict_ping_pong(n: u32) -> Duration {
    module_ping_pong(ping_pong::strict(), n)
}

/// A ping-pong over two channels: the functions that send and receive.
macro_rules! ping_pong_over {
    ($name:ident, $channel:expr) => {
        fn $name(n: u32) -> Duration {
            let (to_right, right) = $channel;
            let (to_left, left) = $channel;
            let there = move || {
                for _ in 0..n {
                    let ball: Ball = right.recv().expect("a ball");
                    to_left.send(ball).expect("room");
                }
            };
            both(there, || {
                for _ in 0..n {
                    to_right.send(Ball).expect("room");
                    left.recv().expect("a ball");
                }
            })
        }
    };
}

ping_pong_over!(crossbeam_ping_pong, crossbeam_channel::bounded(1));
ping_pong_over!(std_ping_pong, mpsc::sync_channel(1));
ping_pong_over!(flume_ping_pong, flume::bounded(1));

fn liberal_bytes(n: u32) -> Duration {
    let bytes::Roles { mut source, mut sink } = bytes::liberal().into_roles();
    let there = move || {
        for _ in 0..n {
            black_box(sink.recv().expect("an item"));
        }
    };
    both(there, || {
        for _ in 0..n {
            source.send(black_box(Byte(1))).expect("room");
        }
    })
}

fn liberal_lines(n: u32) -> Duration {
    let lines::Roles { mut source, mut sink } = lines::liberal().into_roles();
    let there = move || {
        for _ in 0..n {
            black_box(sink.recv().expect("an item"));
        }
    };
    both(there, || {
        for _ in 0..n {
            source.send(black_box(Line([1; 64]))).expect("room");
        }
    })
}

/// A stream over a channel.
macro_rules! stream_over {
    ($name:ident, $channel:expr) => {
        fn $name<T: Default + Send + 'static>(n: u32) -> Duration {
            let (source, sink) = $channel;
            let there = move || {
                for _ in 0..n {
                    black_box::<T>(sink.recv().expect("an item"));
                }
            };
            both(there, || {
                for _ in 0..n {
                    source.send(black_box(T::default())).expect("room");
                }
            })
        }
    };
}

stream_over!(crossbeam_stream, crossbeam_channel::bounded(1024));
stream_over!(std_stream, mpsc::sync_channel(1024));

/// How long two tasks of one thread take together.
fn on_one_thread(
    there: impl Future<Output = ()> + Send + 'static,
    here: impl Future<Output = ()>,
) -> Duration {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("an executor");
    let start = Instant::now();
    runtime.block_on(async {
        let there = tokio::spawn(there);
        here.await;
        there.await.expect("the other task does not panic");
    });
    start.elapsed()
}

fn liberal_tasks(n: u32) -> Duration {
    let ping_pong::Roles { mut left, mut right } = ping_pong::liberal().into_roles();
    let there = async move {
        for _ in 0..n {
            let ball = right.recv_async().await.expect("a ball");
            right.send_async(ball).await.expect("room");
        }
    };
    on_one_thread(there, async move {
        for _ in 0..n {
            left.send_async(Ball).await.expect("room");
            left.recv_async().await.expect("a ball");
        }
    })
}

fn tokio_tasks(n: u32) -> Duration {
    let (to_right, mut right) = tokio::sync::mpsc::channel(1);
    let (to_left, mut left) = tokio::sync::mpsc::channel(1);
    let there = async move {
        for _ in 0..n {
            let ball: Ball = right.recv().await.expect("a ball");
            to_left.send(ball).await.expect("room");
        }
    };
    on_one_thread(there, async move {
        for _ in 0..n {
            to_right.send(Ball).await.expect("room");
            left.recv().await.expect("a ball");
        }
    })
}

/// A table with one ball, which is on its way or arrived: what one would write by hand for the strict form.
#[derive(Default)]
struct Court {
    phase: Mutex<(u8, Option<Ball>)>,
    left: Condvar,
    right: Condvar,
}

impl Court {
    /// Waits for a phase, then does something that leads to the next.
    fn step(&self, phase: u8, act: impl FnOnce(&mut Option<Ball>)) {
        let is_left = matches!(phase, 0 | 3);
        let (own, other) =
            if is_left { (&self.left, &self.right) } else { (&self.right, &self.left) };
        let state = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state =
            own.wait_while(state, |(now, _)| *now != phase).unwrap_or_else(PoisonError::into_inner);
        act(&mut state.1);
        state.0 = (phase + 1) % 4;
        drop(state);
        other.notify_one();
    }
}

fn turn_taker(n: u32) -> Duration {
    let court = Arc::new(Court::default());
    let there = {
        let court = Arc::clone(&court);
        move || {
            for _ in 0..n {
                court.step(1, |ball| *ball = None);
                court.step(2, |ball| *ball = Some(Ball));
            }
        }
    };
    both(there, || {
        for _ in 0..n {
            court.step(0, |ball| *ball = Some(Ball));
            court.step(3, |ball| *ball = None);
        }
    })
}

//! Executions per processor second of Quadrille's scheduler beside Shuttle and Loom, on the same six
//! small tests; executions until all orders were tried; the cost of a switch. Exit code 1 if a bar
//! does not hold.

mod loomed;
mod ours;
mod theirs;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use quadrille_sim::strategy::{Dpor, Execution, Pct, Point, Reduction, Uniform};
use quadrille_sim::{Config, Strategy, TaskId, explore, task};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};

/// A test as each of the three tools compiles it.
struct Test {
    name: &'static str,
    ours: fn(),
    theirs: fn(),
    loomed: fn(),
}

macro_rules! tests {
    ($($name:ident),*) => {
        [$(Test {
            name: stringify!($name),
            ours: ours::bodies::$name,
            theirs: theirs::bodies::$name,
            loomed: loomed::bodies::$name,
        }),*]
    };
}

/// At least so many times the executions per second of a rival.
const SHUTTLE_BAR: f64 = 2.0;
const LOOM_BAR: f64 = 20.0;
/// A switch costs at most so many nanoseconds.
const SWITCH_BAR: f64 = 50.0;

const TABLES: [&str; 4] = ["rates", "orders", "switch", "alone"];

fn main() -> ExitCode {
    let is_quick = std::env::args().any(|word| word == "--quick");
    let length = Duration::from_millis(if is_quick { 300 } else { 2_000 });
    let only: Vec<String> = std::env::args().skip(1).filter(|word| word != "--quick").collect();
    if only.first().is_some_and(|word| word == "alone") {
        alone(length, &only[1..]);
        return ExitCode::SUCCESS;
    }
    let is_asked = |name: &str| only.is_empty() || only.iter().any(|word| word == name);
    let mut holds = true;
    if is_asked("rates") {
        // Further words are names of tests.
        let names: Vec<&str> =
            only.iter().map(String::as_str).filter(|word| !TABLES.contains(word)).collect();
        holds &= rates(length, &names);
    }
    if is_asked("orders") {
        holds &= orders(length);
    }
    if is_asked("switch") {
        holds &= switch(length);
    }
    if holds { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Processor seconds of this process so far.
fn processor_seconds() -> f64 {
    let text =
        std::fs::read_to_string("/proc/self/stat").expect("processor time is read from /proc");
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or("").split_ascii_whitespace().collect();
    let ticks = |index: usize| fields[index].parse::<f64>().expect("a number of ticks");
    (ticks(11) + ticks(12)) / 100.0
}

/// Executions per processor second: `run` executes so many times, until it has used so much processor
/// time. (On a busy machine that takes longer than the clock says.)
fn rate(length: Duration, mut run: impl FnMut(usize)) -> f64 {
    const BATCH: usize = 2_000;
    run(BATCH); // warm
    let (begin, mut used, mut count) = (processor_seconds(), 0.0, 0);
    while used < length.as_secs_f64() {
        run(BATCH);
        count += BATCH;
        used = processor_seconds() - begin;
    }
    count as f64 / used
}

fn our_rate<S: Strategy + 'static>(
    length: Duration,
    body: fn(),
    strategy: impl Fn(u64) -> S,
) -> f64 {
    rate(length, |count| {
        let config = Config::default();
        let report = explore(config, Box::new(strategy(count as u64)), Arc::new(body));
        assert_eq!((report.failures, report.executions), (0, count as u64));
    })
}

fn shuttle_rate<S: Scheduler + 'static>(
    length: Duration,
    body: fn(),
    scheduler: impl Fn(usize) -> S,
) -> f64 {
    rate(length, |count| {
        let runner = shuttle::Runner::new(scheduler(count), shuttle::Config::new());
        assert_eq!(runner.run(body), count);
    })
}

type Shared = Arc<dyn Fn() + Send + Sync>;

/// What an exploration of all orders came to.
#[derive(Clone, Copy, Default)]
struct Explored {
    executions: u64,
    /// It ended by itself.
    is_whole: bool,
    /// Executions per processor second.
    rate: f64,
}

impl Explored {
    /// Processor time until all orders were tried.
    fn milliseconds(self) -> String {
        if !self.is_whole {
            return String::new();
        }
        format!("{:.2}", self.executions as f64 / self.rate * 1e3)
    }

    fn shown(self) -> String {
        let mark = if self.is_whole { "" } else { ">" };
        format!("{mark}{}", self.executions)
    }
}

/// Explores until it ends by itself or `length` is over. Short explorations are repeated, so that
/// ticks of the processor clock do not show.
fn repeated(length: Duration, mut explore_once: impl FnMut() -> (u64, bool)) -> Explored {
    let (begin, mut used, mut total, mut first) = (processor_seconds(), 0.0, 0, None);
    while used < length.as_secs_f64() {
        let (executions, is_whole) = explore_once();
        total += executions;
        first.get_or_insert((executions, is_whole));
        used = processor_seconds() - begin;
    }
    let (executions, is_whole) = first.unwrap_or_default();
    let rate = total as f64 / used;
    Explored { executions, is_whole, rate }
}

fn by_loom(length: Duration, body: Shared) -> Explored {
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(length);
    builder.max_branches = 100_000;
    repeated(length, || {
        let count = Arc::new(AtomicU64::new(0));
        let (body, counted, begin) = (Arc::clone(&body), Arc::clone(&count), Instant::now());
        builder.check(move || {
            counted.fetch_add(1, Relaxed);
            body();
        });
        (count.load(Relaxed), begin.elapsed() < length)
    })
}

fn by_shuttle(length: Duration, body: Shared) -> Explored {
    repeated(length, || {
        let mut config = shuttle::Config::new();
        config.max_time = Some(length);
        let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
        let (body, begin) = (Arc::clone(&body), Instant::now());
        let count = shuttle::Runner::new(scheduler, config).run(move || body());
        (count as u64, begin.elapsed() < length)
    })
}

/// Exploration that ends when its time is over.
struct Limited(Dpor, Instant);

impl Strategy for Limited {
    fn begin(&mut self) -> bool {
        Instant::now() < self.1 && self.0.begin()
    }
    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        self.0.choose(point)
    }
    fn draw(&mut self, bound: u32) -> u32 {
        self.0.draw(bound)
    }
    fn finish(&mut self, execution: &Execution<'_>) {
        self.0.finish(execution);
    }
    fn yields(&self) -> bool {
        self.0.yields()
    }
    fn is_exhaustive(&self) -> bool {
        self.0.is_exhaustive() && Instant::now() < self.1
    }
}

fn by_us(length: Duration, body: Shared) -> Explored {
    repeated(length, || {
        let strategy = Limited(Dpor::new(Reduction::Optimal), Instant::now() + length);
        let report = explore(Config::default(), Box::new(strategy), Arc::clone(&body));
        assert_eq!(report.failures, 0);
        (report.executions, report.is_exhausted)
    })
}

fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

fn heading(cells: &[&str]) {
    row(&cells.iter().map(ToString::to_string).collect::<Vec<_>>());
    row(&cells.iter().map(|_| "---".to_owned()).collect::<Vec<_>>());
}

fn thousands(rate: f64) -> String {
    format!("{:.0} k", rate / 1e3)
}

fn times(ratio: f64, bar: f64) -> String {
    format!("{ratio:.1}{}", if ratio >= bar { "" } else { " NO" })
}

/// The table of executions per processor second of the named tests, or of all, and whether its bars
/// hold.
fn rates(length: Duration, names: &[&str]) -> bool {
    println!("Executions per processor second\n");
    heading(&["test", "random", "Shuttle", "times", "PCT", "Shuttle", "times", "Loom", "times"]);
    let mut holds = true;
    for test in tests![counter, buffer, pingpong, phil, pipeline, account] {
        if !names.is_empty() && !names.contains(&test.name) {
            continue;
        }
        let random = our_rate(length, test.ours, |count| Uniform::new(1, count));
        let their_random =
            shuttle_rate(length, test.theirs, |count| RandomScheduler::new_from_seed(1, count));
        let pct = our_rate(length, test.ours, |count| Pct::new(1, count, 3));
        let their_pct =
            shuttle_rate(length, test.theirs, |count| PctScheduler::new_from_seed(1, 3, count));
        let loom = by_loom(length, Arc::new(test.loomed)).rate;
        let ratios = [
            (random / their_random, SHUTTLE_BAR),
            (pct / their_pct, SHUTTLE_BAR),
            (random / loom, LOOM_BAR),
        ];
        holds &= ratios.iter().all(|(ratio, bar)| ratio >= bar);
        let [r, p, l] = ratios.map(|(ratio, bar)| times(ratio, bar));
        let [random, their_random, pct, their_pct, loom] =
            [random, their_random, pct, their_pct, loom].map(thousands);
        row(&[test.name.to_owned(), random, their_random, r, pct, their_pct, p, loom, l]);
    }
    println!();
    holds
}

/// Our side of the named tests, or of all, for who changes it: rates without rivals and bars.
fn alone(length: Duration, names: &[String]) {
    for test in tests![counter, buffer, pingpong, phil, pipeline, account] {
        if names.is_empty() || names.iter().any(|name| name == test.name) {
            let random = our_rate(length, test.ours, |count| Uniform::new(1, count));
            let pct = our_rate(length, test.ours, |count| Pct::new(1, count, 3));
            println!("{}: random {}, PCT {}", test.name, thousands(random), thousands(pct));
        }
    }
}

/// Threads and rounds of mutex increments, and the number of orders of their critical sections.
const INCREMENTS: [(usize, usize, u64); 4] = [(2, 2, 6), (2, 4, 70), (3, 2, 90), (3, 3, 1680)];

/// The table of executions until all orders were tried, and whether ours are as few as there can be.
fn orders(length: Duration) -> bool {
    println!("Executions until all orders were tried (> not ended in time)\n");
    heading(&["test", "ours", "ms", "Loom", "ms", "Shuttle depth first", "ms"]);
    let mut holds = true;
    let line = |name: &str, ours: Explored, loom: Explored, shuttle: Explored| {
        let cells = [ours, loom, shuttle].map(|tool| [tool.shown(), tool.milliseconds()]);
        row(&[vec![name.to_owned()], cells.concat()].concat());
    };
    for (threads, rounds, optimum) in INCREMENTS {
        let ours = by_us(length, Arc::new(move || ours::bodies::increments(threads, rounds)));
        let loom = by_loom(length, Arc::new(move || loomed::bodies::increments(threads, rounds)));
        let theirs =
            by_shuttle(length, Arc::new(move || theirs::bodies::increments(threads, rounds)));
        holds &= (ours.executions, ours.is_whole) == (optimum, true);
        line(&format!("increments {threads}x{rounds}"), ours, loom, theirs);
    }
    for test in tests![counter, buffer, pingpong, phil, pipeline, account] {
        let ours = by_us(length, Arc::new(test.ours));
        let loom = by_loom(length, Arc::new(test.loomed));
        line(test.name, ours, loom, by_shuttle(length, Arc::new(test.theirs)));
    }
    println!();
    holds
}

/// What it costs that another task goes on: the decision, the bookkeeping and the switch of stacks.
fn switch(length: Duration) -> bool {
    const ROUNDS: usize = 5_000;
    let body = || {
        let spin = || (0..ROUNDS).for_each(|_| task::yield_now());
        let tasks = [0, 1].map(|_| task::spawn(None, None, spin));
        tasks.into_iter().for_each(task::join);
    };
    let run = |executions: u64| {
        let report = explore(Config::default(), Box::new(Alternating(executions)), Arc::new(body));
        report.operations
    };
    run(10); // warm
    let (begin, wall, mut operations) = (processor_seconds(), Instant::now(), 0);
    while wall.elapsed() < length {
        operations += run(100);
    }
    let nanoseconds = (processor_seconds() - begin) * 1e9 / operations as f64;
    let holds = nanoseconds <= SWITCH_BAR;
    let mark = if holds { "" } else { " NO" };
    println!(
        "A switch to another task, with its decision: {nanoseconds:.0} ns (at most {SWITCH_BAR:.0}){mark}\n"
    );
    holds
}

/// Always another task than the last one; so many executions.
struct Alternating(u64);

impl Strategy for Alternating {
    fn begin(&mut self) -> bool {
        let is_left = self.0 > 0;
        self.0 -= u64::from(is_left);
        is_left
    }
    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        let other = point.enabled.iter().find(|task| **task != point.current);
        other.or(point.enabled.first()).copied()
    }
    fn draw(&mut self, _: u32) -> u32 {
        0
    }
}

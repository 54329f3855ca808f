//! What a `#[test]` says: a body, and how to explore it.

use std::sync::Arc;

use crate::config::{Config, Memory, Threads, Timeouts};
use crate::minimise::minimise;
use crate::runner::{Body, Monitor, Report};
use crate::schedule::{Schedule, ScheduleError};
use crate::strategy::{
    Bytes, Dpor, Naive, Pct, Pos, Reduction, Replay, Strategy, Twice, Uniform, Walk,
};
use crate::workers::{Monitors, explore_by};

/// How schedules are chosen.
#[derive(Clone, Debug)]
enum Way {
    Random(u64),
    Pct(u64, usize),
    Pos(u64),
    Urw(u64),
    Surw(u64),
    Exhaustive,
    Preemptions(u32),
    Bytes(Vec<u8>),
    Replay(Schedule),
    Twice(u64),
}

/// So many executions, shared out.
fn portfolio(executions: u64) -> [Way; 5] {
    let share = executions.div_ceil(5);
    [Way::Random(share), Way::Pct(share, 3), Way::Pos(share), Way::Urw(share), Way::Surw(share)]
}

/// A body to be explored, built step by step.
#[must_use = "nothing is explored until `run` or `assert`"]
pub struct Sim {
    body: Body,
    config: Config,
    workers: usize,
    seed: u64,
    ways: Vec<Way>,
    bad_schedule: Option<ScheduleError>,
    monitors: Vec<Watched>,
}

/// What makes a monitor.
type Watched = Arc<dyn Fn() -> Box<dyn Monitor> + Send + Sync>;

/// Explores `body`: by default 2,000 executions of a portfolio, see [`Sim::portfolio`].
pub fn sim(body: impl Fn() + Send + Sync + 'static) -> Sim {
    Sim {
        body: Arc::new(body),
        config: Config::default(),
        workers: 1,
        seed: 1,
        ways: Vec::new(),
        bad_schedule: None,
        monitors: Vec::new(),
    }
}

impl Sim {
    /// So many random executions.
    pub fn random(mut self, executions: u64) -> Sim {
        self.ways.push(Way::Random(executions));
        self
    }

    /// So many executions by random priorities that change `depth - 1` times.
    pub fn pct(mut self, executions: u64, depth: usize) -> Sim {
        self.ways.push(Way::Pct(executions, depth));
        self
    }

    /// So many executions by partial-order sampling.
    pub fn pos(mut self, executions: u64) -> Sim {
        self.ways.push(Way::Pos(executions));
        self
    }

    /// So many executions, uniform over orders as far as lengths are known.
    pub fn urw(mut self, executions: u64) -> Sim {
        self.ways.push(Way::Urw(executions));
        self
    }

    /// So many executions, uniform over the orders of operations on one object at a time.
    pub fn surw(mut self, executions: u64) -> Sim {
        self.ways.push(Way::Surw(executions));
        self
    }

    /// So many executions, shared out among random choice, PCT, POS, URW and SURW.
    pub fn portfolio(mut self, executions: u64) -> Sim {
        self.ways.extend(portfolio(executions));
        self
    }

    /// Every schedule in which a task that could go on has to stop at most `bound` times. The report
    /// says so ([`Report::bound`]) if that left schedules out.
    pub fn preemptions(mut self, bound: u32) -> Sim {
        self.ways.push(Way::Preemptions(bound));
        self
    }

    /// The execution that a string of bytes means; for fuzzers.
    pub fn bytes(mut self, bytes: &[u8]) -> Sim {
        self.ways.push(Way::Bytes(bytes.to_vec()));
        self
    }

    /// Every order of operations that do not commute, once.
    pub fn exhaustive(mut self) -> Sim {
        self.ways.push(Way::Exhaustive);
        self
    }

    /// The execution that a failure was printed with.
    pub fn replay(mut self, schedule: &str) -> Sim {
        match schedule.parse() {
            Ok(schedule) => self.ways.push(Way::Replay(schedule)),
            Err(error) => self.bad_schedule = Some(error),
        }
        self
    }

    /// So many random executions, each twice: finds what is not under control.
    pub fn twice(mut self, executions: u64) -> Sim {
        self.ways.push(Way::Twice(executions));
        self
    }

    /// How many threads explore; one if nothing is said. What is found, and in which execution, is the
    /// same for any number. The body must make all that its tasks share: with several workers, locks
    /// and, on Linux, statics that outlive executions are refused; an atomic that the body captures
    /// from outside is not noticed.
    pub fn workers(mut self, workers: usize) -> Sim {
        self.workers = workers.max(1);
        self
    }

    /// Cuts executions off after so many operations. The report says so ([`Report::bound`]) if that
    /// left anything out; then nothing is exhausted.
    pub fn depth(mut self, operations: usize) -> Sim {
        self.config.max_steps = operations;
        self
    }

    /// Where random decisions come from.
    pub fn seed(mut self, seed: u64) -> Sim {
        self.seed = seed;
        self
    }

    /// What atomic loads can read; sequential consistency if nothing is said.
    pub fn memory(mut self, memory: Memory) -> Sim {
        self.config.memory = memory;
        self
    }

    /// Runs tasks on threads of the system instead of coroutines, see [`Threads`].
    pub fn system_threads(mut self) -> Sim {
        self.config.threads = Threads::System;
        self
    }

    /// Counts visited consistent states ([`Report::coverage`]): where all tasks are, whenever no lock is
    /// held. With settings of one's own ([`Sim::config`]), to be called after those.
    pub fn coverage(mut self) -> Sim {
        self.config.covers = true;
        self
    }

    /// The same, and begins no further execution once so many steps showed nothing new. One worker
    /// explores then.
    pub fn until_covered(mut self, steps: u64) -> Sim {
        self.config.saturation = Some(steps);
        self.coverage()
    }

    /// Lets waits for condition variables end so many times in an execution although nothing notified
    /// them, as `std` allows; never if nothing is said. With settings of one's own ([`Sim::config`]), to be
    /// called after those.
    pub fn spurious_wakeups(mut self, n: u32) -> Sim {
        self.config.spurious_wakeups = n;
        self
    }

    /// When timed waits give up; when their model time has come, if nothing is said. With settings of one's
    /// own ([`Sim::config`]), to be called after those.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Sim {
        self.config.timeouts = timeouts;
        self
    }

    /// Other settings.
    pub fn config(mut self, config: Config) -> Sim {
        self.config = config;
        self
    }

    /// Who looks at every execution from outside, made anew for each way of exploring.
    /// There can be several; the first fault counts.
    pub fn monitor<M: Monitor + 'static>(
        mut self,
        monitor: impl Fn() -> M + Send + Sync + 'static,
    ) -> Sim {
        self.monitors.push(Arc::new(move || Box::new(monitor())));
        self
    }

    fn watched(&self) -> Box<dyn Monitor> {
        let monitors: Vec<_> = self.monitors.iter().map(|monitor| monitor()).collect();
        Box::new(monitors)
    }

    fn strategy(&self, way: &Way) -> Box<dyn Strategy> {
        let seed = self.seed;
        match way {
            Way::Random(executions) => Box::new(Uniform::new(seed, *executions)),
            Way::Pct(executions, depth) => Box::new(Pct::new(seed, *executions, *depth)),
            Way::Pos(executions) => Box::new(Pos::new(seed, *executions)),
            Way::Urw(executions) => Box::new(Walk::uniform(seed, *executions)),
            Way::Surw(executions) => Box::new(Walk::selective(seed, *executions)),
            Way::Preemptions(bound) => Box::new(Naive::with_preemptions(*bound)),
            Way::Bytes(bytes) => Box::new(Bytes::new(bytes.clone())),
            Way::Exhaustive => Box::new(Dpor::new(Reduction::Optimal)),
            Way::Replay(schedule) => Box::new(Replay::new(schedule.clone())),
            Way::Twice(executions) => Box::new(Twice::new(Uniform::new(seed, *executions))),
        }
    }

    /// Explores, one way after the other, until one fails; the failure has a short schedule.
    ///
    /// # Errors
    ///
    /// If the schedule to be replayed is none.
    pub fn run(&self) -> Result<Report, ScheduleError> {
        if let Some(error) = &self.bad_schedule {
            return Err(error.clone());
        }
        let usual = portfolio(2_000);
        let ways = if self.ways.is_empty() { &usual[..] } else { &self.ways };
        let body = &self.body;
        let mut total = Report::default();
        for way in ways {
            let strategy = self.strategy(way);
            let mut config = self.config.clone();
            if let Way::Replay(schedule) = way {
                config.memory = schedule.memory();
            }
            total.memory = config.memory;
            let monitors: &Monitors = &|| self.watched();
            let report = explore_by(&config, strategy, self.workers, monitors, body);
            total.executions += report.executions;
            total.operations += report.operations;
            total.cut += report.cut;
            total.failures += report.failures;
            total.is_exhausted |= report.is_exhausted;
            if let Some(part) = report.coverage {
                total.coverage.get_or_insert_default().append(&part, u64::MAX);
            }
            let known = total.coverage.as_ref().zip(self.config.saturation);
            let is_saturated = known.is_some_and(|(coverage, steps)| coverage.is_saturated(steps));
            total.bound = report.bound;
            total.leftover = total.leftover.or(report.leftover);
            total.steps = report.steps;
            if let Some(failure) = report.failure {
                let is_recorded = matches!(way, Way::Replay(_)) || failure.fault.is_misuse();
                total.failure = Some(if is_recorded {
                    failure
                } else {
                    minimise(&self.config, body, &|| self.watched(), &failure)
                });
                total.is_exhausted = false;
                break;
            }
            if is_saturated {
                break;
            }
        }
        Ok(total)
    }

    /// Explores and panics with the failure, its picture and its schedule, if there is one.
    ///
    /// # Panics
    ///
    /// If an execution fails, or the schedule to be replayed is none.
    #[track_caller]
    pub fn assert(&self) -> Report {
        match self.run() {
            Ok(Report { failure: Some(failure), .. }) => {
                panic!("{failure}\n\n{}", failure.lanes())
            }
            Ok(report) => report,
            Err(error) => panic!("{error}"),
        }
    }
}

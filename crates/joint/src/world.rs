//! One execution of a program in its environment: the processes, the checks that look after every step, and what they found.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quadrille_sim::coverage::Positions;
use quadrille_sim::{
    Config, Cost, Ends, Environment, Failure, Observer, Step, Strategy, explore, task,
};
use quadrille_simulation::{Context, ModelTime, Simulation};

use crate::coverage::{Coverage, Growth};
use crate::invariant::{Record, Watch};
use crate::snapshot::Snapshot;
use crate::strategy::Phases;

/// The world of one execution, given to the closure that sets it up: processes of the environment are started with it, invariants
/// and coverage asked for. It has all methods of a simulation's [`Context`]. A clone is the same world.
#[derive(Clone)]
pub struct World {
    context: Context,
    checks: Rc<RefCell<Checks>>,
}

/// What happens when an invariant is violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reaction {
    /// It is recorded with a snapshot of the first time; the run goes on.
    #[default]
    Log,
    /// The run ends and has failed, with a schedule that repeats it.
    Stop,
}

impl World {
    /// Asks for `probe` after every step, for a break of no more than `grace`; a violation is recorded.
    ///
    /// The probe says whether the invariant holds, or nothing if it cannot tell at the moment, because a lock is held: it must look
    /// through locks of the program by `try_lock`.
    pub fn invariant<T: Into<Option<bool>>>(
        &self,
        name: &str,
        grace: Duration,
        probe: impl FnMut() -> T + 'static,
    ) {
        self.invariant_with(name, grace, Reaction::Log, probe);
    }

    /// The same with a reaction of its own.
    pub fn invariant_with<T: Into<Option<bool>>>(
        &self,
        name: &str,
        grace: Duration,
        reaction: Reaction,
        mut probe: impl FnMut() -> T + 'static,
    ) {
        let (watch, probe) = (Watch::new(name, grace), Box::new(move || probe().into()));
        self.checks.borrow_mut().invariants.push(Invariant {
            watch,
            probe,
            reaction,
            snapshot: None,
        });
    }

    /// Shows `value` in snapshots under this name.
    pub fn show(&self, name: &str, value: impl Fn() -> String + 'static) {
        self.checks.borrow_mut().shown.push((name.to_owned(), Box::new(value)));
    }

    /// Counts the visited consistent states of the program: the positions of all threads, wherever no lock is held. If nothing new was
    /// seen for `patience` steps, the run ends.
    pub fn cover(&self, patience: Option<u64>) {
        self.checks.borrow_mut().coverage =
            Some(Covered { coverage: Coverage::new(), positions: Positions::default(), patience });
    }

    /// Program and environment as they are now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.checks.borrow().snapshot(&self.context)
    }
}

impl Deref for World {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

/// Gives the execution that is under way an environment with this seed, and sets it up. To be called once, by the body, before it starts threads.
///
/// What the checks find is left in `findings` when the execution ends, however it ends.
pub fn enter<R>(seed: u64, findings: &Findings, set_up: impl FnOnce(&World) -> R) -> R {
    let simulation = Simulation::new(seed);
    let context = (*simulation).clone();
    let checks = Rc::new(RefCell::new(Checks::default()));
    task::set_environment(Box::new(Processes { simulation }));
    let observer = Watcher {
        context: context.clone(),
        checks: Rc::clone(&checks),
        findings: findings.clone(),
        time: ModelTime::ZERO,
    };
    task::set_observer(Box::new(observer));
    set_up(&World { context, checks })
}

/// Where the checks of an execution leave what they found. A clone is the same place.
#[derive(Clone, Debug, Default)]
pub struct Findings(Arc<Mutex<Found>>);

/// What the checks of an execution found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Every invariant, in the order in which they were asked for.
    pub invariants: Vec<Record>,
    /// Where an invariant was violated first: its name and everything at that moment.
    pub violations: Vec<(String, Snapshot)>,
    /// How coverage grew, if it was asked for.
    pub growth: Vec<Growth>,
}

impl Findings {
    /// What was found.
    #[must_use]
    pub fn get(&self) -> Found {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The processes of a simulation as the environment of a program.
struct Processes {
    simulation: Simulation,
}

impl Environment for Processes {
    fn next_event(&self) -> Option<ModelTime> {
        self.simulation.deliver();
        self.simulation.next_time()
    }

    fn step(&mut self) {
        self.simulation.step();
    }
}

#[derive(Default)]
struct Checks {
    invariants: Vec<Invariant>,
    shown: Vec<(String, Box<dyn Fn() -> String>)>,
    coverage: Option<Covered>,
}

struct Invariant {
    watch: Watch,
    probe: Box<dyn FnMut() -> Option<bool>>,
    reaction: Reaction,
    /// Everything when it was violated first.
    snapshot: Option<Snapshot>,
}

struct Covered {
    coverage: Coverage,
    positions: Positions,
    patience: Option<u64>,
}

impl Checks {
    fn snapshot(&self, context: &Context) -> Snapshot {
        let shown = self.shown.iter().map(|(name, value)| (name.clone(), value()));
        Snapshot::take(context, shown.collect())
    }

    fn after_step(&mut self, context: &Context, time: ModelTime) {
        for index in 0..self.invariants.len() {
            let Invariant { watch, probe, reaction, snapshot } = &mut self.invariants[index];
            let Some(holds) = probe() else { continue };
            let Some(violation) = watch.observe(time, holds) else { continue };
            if *reaction == Reaction::Stop {
                let since = violation.since;
                task::fail(
                    &watch.record().name,
                    &format!("broken since {since}, noticed at {time}"),
                );
            }
            if snapshot.is_none() {
                self.invariants[index].snapshot = Some(self.snapshot(context));
            }
        }
        // No thread is in the middle of changing what others see.
        if let Some(Covered { coverage, positions, patience }) = &mut self.coverage
            && task::n_held() == 0
        {
            let mut met = Vec::new();
            task::positions(&mut met);
            coverage.visit(positions.state(met));
            if patience.is_some_and(|patience| coverage.is_saturated(patience)) {
                task::stop();
            }
        }
    }
}

/// Looks at the world after every step.
struct Watcher {
    context: Context,
    checks: Rc<RefCell<Checks>>,
    findings: Findings,
    /// The latest time seen: events of the environment may lie before the program's clock, but breaks do not become shorter by that.
    time: ModelTime,
}

impl Observer for Watcher {
    fn after_step(&mut self, _: &Step) {
        self.time = self.time.max(task::now());
        self.checks.borrow_mut().after_step(&self.context, self.time);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let checks = self.checks.borrow();
        let violations = checks.invariants.iter().filter_map(|invariant| {
            Some((invariant.watch.record().name.clone(), invariant.snapshot.clone()?))
        });
        let found = Found {
            invariants: checks
                .invariants
                .iter()
                .map(|invariant| invariant.watch.record().clone())
                .collect(),
            violations: violations.collect(),
            growth: checks
                .coverage
                .as_ref()
                .map(|covered| covered.coverage.curve())
                .unwrap_or_default(),
        };
        *self.findings.0.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }
}

/// A run of a program in its environment, up to a point of model time.
pub struct Joint {
    seed: u64,
    until: ModelTime,
    config: Config,
    strategy: Option<Box<dyn Strategy>>,
}

/// What a run showed.
#[derive(Debug)]
pub struct Report {
    /// What the checks found.
    pub found: Found,
    /// Steps by kind: of the environment, wake-ups, runs of threads.
    pub n_steps: [u64; 3],
    /// Why the run ended before its time: a panic, a deadlock, an invariant that stops; with a schedule that repeats it.
    pub failure: Option<Failure>,
}

impl Joint {
    /// A run whose choices, costs and streams come from `seed`, each by a generator of its own. Parts cost between half a millisecond and two.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let (least, greatest) = (Duration::from_micros(500), Duration::from_millis(2));
        let cost = Cost::Uniform { least, greatest, seed };
        let config =
            Config { cost, ends: Ends::WithBody, max_steps: usize::MAX, ..Config::default() };
        Self { seed, until: ModelTime::from_secs(1_000), config, strategy: None }
    }

    /// The run ends at this time.
    #[must_use]
    pub fn until(mut self, until: ModelTime) -> Self {
        self.until = until;
        self
    }

    /// What a part of a thread costs.
    #[must_use]
    pub fn cost(mut self, cost: Cost) -> Self {
        self.config.cost = cost;
        self
    }

    /// Who chooses the thread that runs; without it, chance in [`Phases`].
    #[must_use]
    pub fn strategy(mut self, strategy: Box<dyn Strategy>) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Performs the run: `set_up` starts processes and threads and returns.
    pub fn run(self, set_up: impl Fn(&World) + Send + Sync + 'static) -> Report {
        let Self { seed, until, config, strategy } = self;
        let strategy = strategy.unwrap_or_else(|| Box::new(Phases::new(seed, 1)));
        let (findings, n_steps) = (Findings::default(), Arc::new(Mutex::new([0; 3])));
        let (inner_findings, inner_steps) = (findings.clone(), Arc::clone(&n_steps));
        let report = explore(
            config,
            strategy,
            Arc::new(move || {
                enter(seed, &inner_findings, &set_up);
                task::sleep(until - task::now());
                *inner_steps.lock().unwrap_or_else(PoisonError::into_inner) = task::n_steps();
            }),
        );
        let n_steps = *n_steps.lock().unwrap_or_else(PoisonError::into_inner);
        Report { found: findings.get(), n_steps, failure: report.failure }
    }
}

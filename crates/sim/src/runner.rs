//! Explores: executes a body again and again, as the strategy decides, and says what was found.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::config::{Config, Memory};
use crate::coroutine::thread::abandoned;
use crate::coverage::Coverage;
use crate::failure::{Failure, Fault};
use crate::operation::{Action, ObjectId, Place, TaskId};
use crate::races;
use crate::schedule::Schedule;
use crate::strategy::{Execution, Strategy};
use crate::watchdog::{self, Pulse, Watched};
use crate::workers::{Job, Lent, Pool};
use crate::world::{Names, Step, WORLD, World, enter};
pub(crate) use execution::{IS_SIMULATED, finish_task, guarded};
use execution::{execute, silence_panics};

mod execution;

/// What an exploration found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The memory model of the executions.
    pub memory: Memory,
    /// How many executions there were.
    pub executions: u64,
    /// How many operations they had together.
    pub operations: u64,
    /// The first execution that failed.
    pub failure: Option<Failure>,
    /// How many failed.
    pub failures: u64,
    /// How many were cut off at the limit of steps.
    pub cut: u64,
    /// Whether every schedule was tried, or one that is equivalent to it.
    pub is_exhausted: bool,
    /// Which consistent states were visited, if that was asked for.
    pub coverage: Option<Coverage>,
    /// What was left out by intention, in words: "at most 2 preemptions". Then not every schedule was tried.
    pub bound: Option<String>,
    /// Where a lock was first used that outlives executions, if there is one: in a static, or made outside of
    /// the body. Each execution found behind it what the one before left, so that executions are not alike.
    pub leftover: Option<Place>,
    /// The steps of the last execution, if they were recorded.
    pub steps: Vec<Step>,
    /// What the parts of the last execution cost, if that was measured.
    pub costs: Vec<Duration>,
}

/// What runs in every execution.
pub type Body = Arc<dyn Fn() + Send + Sync>;

/// Something that looks at every execution from outside: resets and checks memory, and the like.
pub trait Monitor: Send {
    /// An execution begins.
    fn begin(&mut self) {}

    /// An execution is over; says what is wrong with it, if something is.
    fn finish(&mut self, execution: &Execution<'_>) -> Option<Fault> {
        let _ = execution;
        None
    }

    /// Whether what it says depends on the order of operations that commute, so that no order may be
    /// left out.
    fn needs_all_orders(&self) -> bool {
        false
    }
}

/// The monitor that finds nothing.
impl Monitor for () {}

/// Several; the first fault counts.
impl Monitor for Vec<Box<dyn Monitor>> {
    fn begin(&mut self) {
        self.iter_mut().for_each(|monitor| monitor.begin());
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Option<Fault> {
        let found: Vec<_> = self.iter_mut().filter_map(|m| m.finish(execution)).collect();
        found.into_iter().next()
    }

    fn needs_all_orders(&self) -> bool {
        self.iter().any(|monitor| monitor.needs_all_orders())
    }
}

/// Executes `body` as often as the strategy wants, on a thread of its own: nothing that an
/// execution leaves behind in thread-locals reaches the caller.
///
/// # Panics
///
/// If the system refuses a thread.
pub fn explore(config: Config, strategy: Box<dyn Strategy>, body: Body) -> Report {
    explore_with(config, strategy, Box::new(()), body)
}

/// The same, with a monitor.
///
/// # Panics
///
/// If the system refuses a thread.
#[allow(clippy::needless_pass_by_value, reason = "made for this call")]
pub fn explore_with(
    config: Config,
    strategy: Box<dyn Strategy>,
    monitor: Box<dyn Monitor>,
    body: Body,
) -> Report {
    explore_on(&config, strategy, vec![monitor], &body)
}

/// Explores with a thread per monitor: the first begins, the others help it.
pub(crate) fn explore_on(
    config: &Config,
    strategy: Box<dyn Strategy>,
    monitors: Vec<Box<dyn Monitor>>,
    body: &Body,
) -> Report {
    silence_panics();
    let needs_all_orders = monitors.iter().any(|monitor| monitor.needs_all_orders());
    if needs_all_orders && strategy.leaves_orders_out() {
        return without_execution(Fault::Unsuitable(
            "the check speaks of operations that commute, and this strategy leaves orders of \
             those out; mark what matters by `event!`, or explore at random"
                .to_owned(),
        ));
    }
    let patience = config.patience;
    let pool = Arc::new(Pool::new(monitors.len()));
    let (tell_report, reported) = channel();
    let (mut threads, mut watched) = (Vec::new(), Vec::new());
    let mut first = Some((strategy, tell_report));
    for mut monitor in monitors {
        let pulse = Arc::new(Pulse::default());
        let (tell_name, name) = channel();
        let (first, pool, config) = (first.take(), Arc::clone(&pool), config.clone());
        let (body, explored) = (Arc::clone(body), Arc::clone(&pulse));
        let thread = std::thread::Builder::new().name("quadrille-sim".to_owned());
        let thread = thread.spawn(move || {
            let _ = tell_name.send(watchdog::own_name());
            let mut world = World::new();
            (world.pulse, world.config) = (explored, config);
            world.has_helpers = pool.has_helpers();
            let mut explore = |strategy, job: &Job| run(strategy, &mut *monitor, &body, &pool, job);
            enter(&RefCell::new(world), || match first {
                None => pool.help(&mut explore),
                Some((strategy, tell_report)) => {
                    let explored = explore(strategy, &Job::default());
                    pool.close();
                    let _ = tell_report.send(explored.report);
                }
            });
        });
        threads.push(thread.expect("the system refuses a thread"));
        watched.push(Watched::new(pulse, name.recv().ok().flatten()));
    }
    let report = match patience {
        None => reported.recv().ok(),
        Some(patience) => match watchdog::watch(&reported, &mut watched, patience) {
            Ok(report) => report,
            // The thread cannot be ended from outside; it stays behind.
            Err(message) => {
                pool.close();
                let report = without_execution(Fault::Uncontrolled(message));
                let executions = watched.iter().map(Watched::executions).sum();
                return Report { executions, ..report };
            }
        },
    };
    pool.close();
    for thread in threads {
        if let Err(payload) = thread.join() {
            std::panic::resume_unwind(payload);
        }
    }
    let mut report = report.expect("a thread that ends well reports");
    if report.cut > 0 {
        let depth = format!("at most {} operations", config.max_steps);
        report.bound =
            Some(report.bound.map_or(depth.clone(), |bound| format!("{bound}, {depth}")));
    }
    report
}

/// The report of a failure that no execution can be shown of.
fn without_execution(fault: Fault) -> Report {
    let failure = Failure {
        fault,
        execution: 0,
        schedule: Schedule::default(),
        trace: Vec::new(),
        tasks: Vec::new(),
        objects: Vec::new(),
        panics: Vec::new(),
    };
    Report { failures: 1, failure: Some(failure), ..Report::default() }
}

/// How far an exploration is: executions, operations, executions cut off, steps whose states count.
pub(crate) type Mark = [u64; 4];

/// An exploration, or a part of one, that is over.
pub(crate) struct Explored {
    pub(crate) report: Report,
    /// How far it was at each failure.
    pub(crate) marks: Vec<Mark>,
    pub(crate) strategy: Box<dyn Strategy>,
}

/// More threads of the system than this are not left behind.
const MAX_ABANDONED: usize = 4_096;

/// Executes until nothing is left or enough has failed; what can be lent, others do meanwhile.
fn run(
    mut strategy: Box<dyn Strategy>,
    monitor: &mut dyn Monitor,
    body: &Body,
    pool: &Pool,
    job: &Job,
) -> Explored {
    let mut fibers = Vec::new();
    let (memory, max_failures, saturation) = WORLD.with_borrow_mut(|world| {
        world.holds_polls = !strategy.yields();
        world.covered = world.config.covers.then(Box::default);
        (world.config.memory, world.config.max_failures, world.config.saturation)
    });
    let mut report = Report { memory, ..Report::default() };
    let mut marks = Vec::new();
    let mut lent = Lent::new(pool);
    while !job.is_cancelled() {
        lent.lend(&mut *strategy);
        if !strategy.begin() {
            if let Some(part) = strategy.awaited() {
                let Some(explored) = lent.wait(part, job) else { break };
                if strategy.take_back(explored.strategy) {
                    merge(&mut report, &mut marks, explored.report, &explored.marks, max_failures);
                }
                if is_over(&report, max_failures) {
                    break;
                }
                continue;
            }
            report.is_exhausted = strategy.is_exhaustive() && report.cut == 0;
            report.bound = strategy.bound();
            break;
        }
        monitor.begin();
        WORLD.with_borrow_mut(|world| world.strategy = Some(strategy));
        WORLD.with_borrow(|world| world.pulse.set_inside(true));
        execute(body, &mut fibers);
        WORLD.with_borrow(|world| world.pulse.set_inside(false));
        report.executions += 1;
        let failures = report.failures;
        strategy = WORLD.with_borrow_mut(|world| {
            let mut strategy = world.strategy.take().expect("an execution leaves the strategy");
            pool.hear(world.outlives.take());
            if world.fault.is_none() && abandoned() > MAX_ABANDONED {
                world.fault = Some(Fault::Unsuitable(format!(
                    "{MAX_ABANDONED} threads stay behind, of executions that ended before them; explore \
                     on coroutines, or with fewer executions"
                )));
            }
            if world.fault.is_none() && world.has_forced && strategy.leaves_orders_out() {
                world.fault = Some(Fault::Unsuitable(
                    "a thread unwinds and its destructors synchronise; on coroutines no other thread \
                     comes between, so that not all orders would be tried: explore on threads of the \
                     system (`system_threads()`, --system-threads), or at random"
                        .to_owned(),
                ));
            }
            if let Some(what) = pool.objection() {
                world.fault = Some(Fault::Unsuitable(what));
            }
            conclude(world, &mut *strategy, monitor, &mut report);
            strategy
        });
        if report.failures > failures {
            marks.push(mark(&report));
        }
        // After an execution that ended while a task unwound, this thread is taken to unwind for ever.
        if is_over(&report, max_failures) || std::thread::panicking() {
            break;
        }
        if let Some(steps) = saturation.filter(|&steps| is_saturated(steps)) {
            report.bound = Some(format!("until {steps} steps showed nothing new"));
            break;
        }
    }
    let covered = WORLD.with_borrow_mut(|world| {
        report.leftover = world.leftover;
        world.covered.take()
    });
    report.coverage = covered.map(|covered| covered.coverage);
    Explored { report, marks, strategy }
}

/// How far it is.
fn mark(report: &Report) -> Mark {
    let covered = WORLD.with_borrow(|world| world.covered.as_ref().map(|c| c.coverage.growth()));
    let steps = covered.map_or(0, |growth| growth.steps);
    [report.executions, report.operations, report.cut, steps]
}

fn is_saturated(steps: u64) -> bool {
    WORLD.with_borrow(|world| {
        world.covered.as_ref().is_some_and(|covered| covered.coverage.is_saturated(steps))
    })
}

/// Whether enough has failed.
fn is_over(report: &Report, max_failures: u64) -> bool {
    let is_misuse = report.failure.as_ref().is_some_and(|failure| failure.fault.is_misuse());
    report.failures >= max_failures || is_misuse
}

/// Adds what a part found, as if its executions had come here, one after the other.
fn merge(
    report: &mut Report,
    marks: &mut Vec<Mark>,
    part: Report,
    part_marks: &[Mark],
    max_failures: u64,
) {
    let before = mark(report);
    let room = max_failures.saturating_sub(report.failures).min(part.failures);
    // One worker alone would have stopped at the last failure that there is room for.
    let is_last = report.failures + room == max_failures;
    let counts = match part_marks.get((room as usize).wrapping_sub(1)) {
        Some(mark) if is_last => *mark,
        _ => [part.executions, part.operations, part.cut, u64::MAX],
    };
    if let Some(coverage) = &part.coverage {
        WORLD.with_borrow_mut(|world| {
            let covered = world.covered.get_or_insert_default();
            covered.coverage.append(coverage, counts[3]);
        });
    }
    marks.extend(
        part_marks[..room as usize].iter().map(|mark| std::array::from_fn(|i| before[i] + mark[i])),
    );
    let [executions, operations, cut] = std::array::from_fn(|index| before[index] + counts[index]);
    (report.executions, report.operations, report.cut) = (executions, operations, cut);
    report.failures += room;
    (report.steps, report.costs) = (part.steps, part.costs);
    report.leftover = report.leftover.or(part.leftover);
    if report.failure.is_none() {
        report.failure = part
            .failure
            .map(|failure| Failure { execution: failure.execution + before[0], ..failure });
    }
}

/// Enters what an execution showed into the report.
fn conclude(
    world: &mut World,
    strategy: &mut dyn Strategy,
    monitor: &mut dyn Monitor,
    report: &mut Report,
) {
    world.hear_alarm();
    report.operations += world.trace.len() as u64;
    report.cut += u64::from(world.met_limit);
    let is_controlled = world
        .trace
        .iter()
        .any(|operation| !matches!(operation.action, Action::Start | Action::Finish));
    if !is_controlled && world.fault.is_none() {
        world.fault = Some(Fault::NothingControlled);
    }
    if world.fault.is_none() && world.has_tracked {
        let kind = |object: ObjectId| world.objects[object.index()].kind;
        let race =
            if world.is_weak() { world.weak.common.race } else { races::find(&world.trace, kind) };
        world.fault =
            race.map(|accesses| Fault::DataRace { cell: world.trace[accesses.1].object, accesses });
    }
    let blocked: Vec<TaskId> = match &world.fault {
        Some(Fault::Deadlock { blocked, .. }) => blocked.iter().map(|b| b.task).collect(),
        _ => Vec::new(),
    };
    let execution = Execution {
        trace: &world.trace,
        pending: &world.pending,
        blocked: &blocked,
        is_complete: !world.met_limit && world.fault.is_none(),
        cycle: world.cycle,
        names: Names(world),
    };
    let found = monitor.finish(&execution);
    strategy.finish(&execution);
    if world.config.records_steps {
        report.steps.clone_from(&world.steps);
    }
    report.costs.clone_from(&world.measured);
    let Some(fault) = world.fault.take().or(found) else { return };
    report.failures += 1;
    if report.failure.is_none() {
        report.failure = Some(Failure {
            fault,
            execution: report.executions,
            schedule: Schedule::of(&world.trace, &world.draws, world.config.memory),
            trace: world.trace.clone(),
            tasks: (0..world.tasks.len()).map(|task| world.task_name(task)).collect(),
            objects: (0..world.objects.len()).map(|object| world.object_name(object)).collect(),
            panics: std::mem::take(&mut world.panics),
        });
    }
}

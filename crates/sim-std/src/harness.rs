//! Takes the place of the compiler's `test` crate, so that every `#[test]` of a crate that is built
//! against this `std` is explored instead of run once. The names and fields are those that the
//! compiler's test harness generator uses.
#![allow(missing_docs)] // named by the compiler, not by people
#![allow(clippy::print_stdout, clippy::disallowed_methods)] // the `main` of a test binary

use ::std::collections::{BTreeSet, VecDeque};
use ::std::process::{ExitCode, Termination};
use ::std::sync::Arc;
use ::std::time::Duration;

use quadrille_sim::coverage::Coverage;
use quadrille_sim::{Body, Fault, Monitor, Place, explore_by, minimise};

use answer::Verdict;
use settings::{ATTEMPT, Settings};

pub use TestName::StaticTestName;
pub(crate) use answer::Answer;

mod answer;
mod attempt;
mod settings;
mod snapshots;

#[derive(Clone, Copy, Debug)]
pub enum TestName {
    StaticTestName(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShouldPanic {
    No,
    Yes,
    YesWithMessage(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub enum TestType {
    UnitTest,
    IntegrationTest,
    DocTest,
    Unknown,
}

#[derive(Clone, Copy, Debug)]
pub struct TestDesc {
    pub name: TestName,
    pub ignore: bool,
    pub ignore_message: Option<&'static str>,
    pub source_file: &'static str,
    pub start_line: usize,
    pub start_col: usize,
    pub end_line: usize,
    pub end_col: usize,
    pub compile_fail: bool,
    pub no_run: bool,
    pub should_panic: ShouldPanic,
    pub test_type: TestType,
}

pub struct StaticTestFn(pub fn() -> Result<(), String>);

pub struct TestDescAndFn {
    pub desc: TestDesc,
    pub testfn: StaticTestFn,
}

impl TestDescAndFn {
    fn name(&self) -> &'static str {
        let StaticTestName(name) = self.desc.name;
        name
    }
}

/// What a test gives back.
///
/// # Errors
///
/// If its exit code is not that of success.
pub fn assert_test_result<T: Termination>(result: T) -> Result<(), String> {
    // Mostly there is nothing to ask, and it is asked after every execution.
    if ::std::any::type_name::<T>() == "()" {
        return Ok(());
    }
    let code = result.report();
    if format!("{code:?}") == format!("{:?}", ExitCode::SUCCESS) {
        return Ok(());
    }
    Err(format!("the test returned {code:?}"))
}

/// The exit code that tells the command that no test did anything under control.
const NOTHING_CONTROLLED: i32 = 4;

pub fn test_main_static(tests: &[&TestDescAndFn]) {
    let settings = Settings::read();
    let (mut worst, mut counts) = (settings.worst, Vec::new());
    let selected: Vec<_> = tests.iter().filter(|test| settings.selects(test.name())).collect();
    if settings.replay.is_some() && selected.len() > 1 {
        println!("a schedule belongs to one test, and {} are selected: name it", selected.len());
        ::std::process::exit(2);
    }
    for (index, test) in selected.into_iter().enumerate().skip(settings.from) {
        let name = test.name();
        if settings.lists {
            println!("{name}: test");
            continue;
        }
        if test.desc.ignore && settings.names.is_empty() {
            if !settings.is_json {
                println!("test {name} ... ignored");
            }
            continue;
        }
        let (is_json, memory) = (settings.is_json, settings.memory);
        crate::crash::name_test(name, is_json, memory);
        if settings.workers > 1 {
            crate::crash::has_helpers(index, worst as u64);
        }
        let mut coverage = None;
        let mut answer = explore_test(test, &settings, &mut coverage);
        answer.coverage = coverage;
        answer.print_as(name, settings.is_json, settings.memory, &settings.command);
        worst = worst.max(answer.verdict);
        counts.push(answer.verdict);
    }
    if !settings.is_json && !settings.lists && counts.len() > 1 {
        println!("{}", answer::summary(&counts));
    }
    ::std::process::exit(match worst {
        Verdict::Holds => 0,
        Verdict::Violated => 1,
        Verdict::CannotRun => 2,
        Verdict::Unknown => 3,
        Verdict::NothingControlled => NOTHING_CONTROLLED,
    });
}

/// Explores a test; says so if executions were not alike.
fn explore_test(
    test: &TestDescAndFn,
    settings: &Settings,
    coverage: &mut Option<Coverage>,
) -> Answer {
    let mut leftover = None;
    let mut answer = explore_by_all(test, settings, coverage, &mut leftover);
    let is_judged = !matches!(answer.verdict, Verdict::NothingControlled | Verdict::CannotRun);
    if let Some(place) = leftover.filter(|_| is_judged) {
        answer.note_leftover(place);
    }
    answer
}

fn explore_by_all(
    test: &TestDescAndFn,
    settings: &Settings,
    coverage: &mut Option<Coverage>,
    leftover: &mut Option<Place>,
) -> Answer {
    let (config, body, memory) = (settings.config(), body(test, settings), settings.memory);
    let leaks = settings.leaks;
    let monitor = move || -> Box<dyn Monitor> {
        Box::new(crate::oracle::MemoryMonitor { reports_leaks: leaks })
    };
    let (mut executions, mut is_exhausted, mut bounds) = (0, false, BTreeSet::new());
    let (began, mut round, mut left) = (processor_time(), 0, VecDeque::new());
    while !is_exhausted {
        let Some((name, strategy)) = left.pop_front() else {
            let used = processor_time().saturating_sub(began);
            if round > 0 && settings.seconds.is_none_or(|seconds| used.as_secs() >= seconds) {
                break;
            }
            match settings.strategies(round) {
                Ok(strategies) => left.extend(strategies),
                Err(message) => return Answer::new(Verdict::CannotRun, 0, message),
            }
            round += 1;
            continue;
        };
        let workers = settings.workers;
        let report = explore_by(&config, strategy, workers, &monitor, &body);
        executions += report.executions;
        crate::crash::count_executions(executions);
        is_exhausted |= report.is_exhausted;
        bounds.extend(report.bound);
        *leftover = leftover.or(report.leftover);
        if let Some(part) = &report.coverage {
            coverage.get_or_insert_default().append(part, u64::MAX);
        }
        let Some(failure) = &report.failure else {
            let known = coverage.as_ref().zip(settings.saturation);
            if known.is_some_and(|(coverage, steps)| coverage.is_saturated(steps)) {
                break;
            }
            continue;
        };
        if workers > 1 && matches!(failure.fault, Fault::Unsuitable(_)) {
            crate::crash::go_on_alone();
        }
        if let (true, Fault::Unsuitable(why) | Fault::Diverged(why)) =
            (name.starts_with(ATTEMPT), &failure.fault)
        {
            // Not every order can be tried; some can.
            bounds.insert(format!("not exhaustively, since {why}"));
            continue;
        }
        if matches!(failure.fault, Fault::NothingControlled) {
            return Answer::new(Verdict::NothingControlled, executions, "no controlled operation");
        }
        if let Fault::Panic { message, .. } = &failure.fault
            && expects(&test.desc.should_panic, message)
        {
            return Answer::new(Verdict::Holds, executions, "panics, as it should");
        }
        if failure.fault.is_misuse() || settings.replay.is_some() {
            return Answer::failed(failure, executions, test.name(), settings);
        }
        let short = minimise(&config, &body, &monitor, failure);
        return Answer::failed(&short, executions, test.name(), settings);
    }
    if test.desc.should_panic != ShouldPanic::No {
        return Answer::new(Verdict::Violated, executions, "it should panic, and never did");
    }
    if is_exhausted {
        let remark = format!("{executions} executions, all orders, memory model {memory}");
        return Answer::new(Verdict::Holds, executions, remark);
    }
    let by = match settings.replay {
        Some(_) => "replay".to_owned(),
        None => format!("{} from seed {}", settings.strategies.join(", "), settings.seed),
    };
    let bounds: String = bounds.iter().map(|bound| format!(", {bound}")).collect();
    let remark =
        format!("no failure in {executions} executions by {by}{bounds}, memory model {memory}");
    Answer::new(Verdict::Unknown, executions, remark)
}

/// Processor time of this process so far.
#[cfg(unix)]
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the time into the struct, which outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::from_nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// Wall time stands for it where it cannot be asked for.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    let now = ::std::time::SystemTime::now();
    now.duration_since(::std::time::SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Whether a test is meant to panic with such a message.
fn expects(should_panic: &ShouldPanic, message: &str) -> bool {
    match should_panic {
        ShouldPanic::No => false,
        ShouldPanic::Yes => true,
        ShouldPanic::YesWithMessage(part) => message.contains(part),
    }
}

fn body(test: &TestDescAndFn, settings: &Settings) -> Body {
    let function = test.testfn.0;
    let (shows_steps, is_json) = (settings.shows_steps, settings.is_json);
    Arc::new(move || {
        static WATCH: ::std::sync::Once = ::std::sync::Once::new();
        WATCH.call_once(crate::crash::watch);
        if shows_steps {
            snapshots::show(is_json);
        }
        if let Err(message) = function() {
            panic!("{message}");
        }
    })
}

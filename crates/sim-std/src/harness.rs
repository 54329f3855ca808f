//! Takes the place of the compiler's `test` crate, so that every `#[test]` of a crate that is built
//! against this `std` is explored instead of run once. The names and fields are those that the
//! compiler's test harness generator uses.
#![allow(missing_docs)] // named by the compiler, not by people
#![allow(clippy::print_stdout, clippy::disallowed_methods)] // the `main` of a test binary

use ::std::collections::{BTreeSet, VecDeque};
use ::std::process::{ExitCode, Termination};
use ::std::sync::Arc;
use ::std::time::Duration;

use quadrille_sim::coverage::{Coverage, Growth};
use quadrille_sim::strategy::{Dpor, Naive, Pct, Pos, Reduction, Replay, Uniform, Walk};
use quadrille_sim::{
    Body, Config, Ends, Failure, Fault, Memory, Monitor, Panics, Schedule, Strategy, Threads,
    explore_by, minimise,
};

pub use TestName::StaticTestName;

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

/// What the command asked for, by the environment.
struct Settings {
    names: Vec<String>,
    is_exact: bool,
    lists: bool,
    strategies: Vec<String>,
    executions: u64,
    seed: u64,
    /// Processor time after which no further round begins; one round if there is no limit.
    seconds: Option<u64>,
    replay: Option<String>,
    memory: Memory,
    max_steps: usize,
    workers: usize,
    /// The test to begin with, and the worst verdict before it: another process was given up there.
    from: usize,
    worst: Verdict,
    patience: u64,
    leaks: bool,
    cells: bool,
    threads: Threads,
    covers: bool,
    saturation: Option<u64>,
    is_json: bool,
}

/// A strategy and what it is called.
type Named = (String, Box<dyn Strategy>);

impl Settings {
    fn read() -> Settings {
        let number = |name: &str, default: u64| {
            ::std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
        };
        let words: Vec<String> = ::std::env::args().skip(1).collect();
        let strategies = ::std::env::var("QUADRILLE_SIM_STRATEGIES");
        let strategies = strategies.unwrap_or_else(|_| "random,pct,pos,urw,surw".to_owned());
        let replay = ::std::env::var("QUADRILLE_SIM_REPLAY").ok();
        let recorded = replay.as_ref().and_then(|text| text.parse::<Schedule>().ok());
        let asked = ::std::env::var("QUADRILLE_SIM_MEMORY").ok().and_then(|m| m.parse().ok());
        Settings {
            names: words.iter().filter(|word| !word.starts_with('-')).cloned().collect(),
            is_exact: words.iter().any(|word| word == "--exact"),
            lists: words.iter().any(|word| word == "--list"),
            strategies: strategies.split(',').map(str::to_owned).collect(),
            executions: number("QUADRILLE_SIM_EXECUTIONS", 400),
            seed: number("QUADRILLE_SIM_SEED", 1),
            seconds: ::std::env::var("QUADRILLE_SIM_SECONDS").ok().and_then(|s| s.parse().ok()),
            replay,
            // A schedule belongs to the memory model that it was recorded with.
            memory: recorded.map(|schedule| schedule.memory()).or(asked).unwrap_or_default(),
            max_steps: number("QUADRILLE_SIM_MAX_STEPS", 100_000) as usize,
            workers: number("QUADRILLE_SIM_WORKERS", 1).max(1) as usize,
            from: number(crate::crash::FROM, 0) as usize,
            worst: Verdict::of(number(crate::crash::WORST, 0)),
            patience: number("QUADRILLE_SIM_PATIENCE", 10),
            leaks: ::std::env::var("QUADRILLE_SIM_LEAKS").is_ok(),
            cells: ::std::env::var("QUADRILLE_SIM_CELLS").is_ok(),
            threads: match ::std::env::var("QUADRILLE_SIM_THREADS").as_deref() {
                Ok("system") => Threads::System,
                _ => Threads::Coroutines,
            },
            covers: ::std::env::var("QUADRILLE_SIM_COVERAGE").is_ok(),
            saturation: ::std::env::var("QUADRILLE_SIM_SATURATION")
                .ok()
                .and_then(|s| s.parse().ok()),
            is_json: ::std::env::var("QUADRILLE_SIM_FORMAT").is_ok_and(|format| format == "json"),
        }
    }

    fn config(&self) -> Config {
        Config {
            memory: self.memory,
            panics: Panics::OfBody,
            ends: Ends::WithBody,
            // As the real harness gives to tests; untouched pages cost nothing.
            stack_size: 2 << 20,
            max_steps: self.max_steps,
            watches_cells: self.cells,
            threads: self.threads,
            covers: self.covers || self.saturation.is_some(),
            saturation: self.saturation,
            patience: Some(Duration::from_secs(self.patience)),
            ..Config::default()
        }
    }

    fn selects(&self, name: &str) -> bool {
        let fits = |word: &String| if self.is_exact { name == word } else { name.contains(word) };
        self.names.is_empty() || self.names.iter().any(fits)
    }

    /// The strategies of a round, each with seeds that no other round has.
    fn strategies(&self, round: u64) -> Result<Vec<Named>, String> {
        if let Some(text) = &self.replay {
            let schedule: Schedule = text.parse().map_err(|error| format!("{error}"))?;
            return Ok(vec![("replay".to_owned(), Box::new(Replay::new(schedule)))]);
        }
        let executions = self.executions;
        let seed = self.seed.wrapping_add(round.wrapping_mul(executions));
        let strategy = |name: &String| -> Result<Named, String> {
            Ok((
                name.clone(),
                match name.as_str() {
                    "random" => Box::new(Uniform::new(seed, executions)),
                    "pct" => Box::new(Pct::new(seed, executions, 3)),
                    "pos" => Box::new(Pos::new(seed, executions)),
                    "urw" => Box::new(Walk::uniform(seed, executions)),
                    "surw" => Box::new(Walk::selective(seed, executions)),
                    "exhaustive" => Box::new(Dpor::new(Reduction::Optimal)),
                    other => match other.strip_prefix("preemptions=").map(str::parse) {
                        Some(Ok(bound)) => Box::new(Naive::with_preemptions(bound)),
                        _ => return Err(unknown_strategy(name)),
                    },
                },
            ))
        };
        self.strategies.iter().map(strategy).collect()
    }
}

fn unknown_strategy(name: &str) -> String {
    format!(
        "no strategy is called `{name}`: there are random, pct, pos, urw, surw, exhaustive and \
         preemptions=N"
    )
}

/// How a test came out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// It passed, and nothing in it was under control: there was nothing to explore.
    NothingControlled,
    Holds,
    Unknown,
    Violated,
    CannotRun,
}

impl Verdict {
    const ALL: [Verdict; 5] = [
        Verdict::NothingControlled,
        Verdict::Holds,
        Verdict::Unknown,
        Verdict::Violated,
        Verdict::CannotRun,
    ];

    fn of(number: u64) -> Verdict {
        Verdict::ALL.get(number as usize).copied().unwrap_or(Verdict::NothingControlled)
    }
}

/// What is said about a test.
pub(crate) struct Answer {
    verdict: Verdict,
    executions: u64,
    /// In brackets behind the verdict.
    remark: String,
    /// On the lines below.
    details: String,
    schedule: Option<String>,
    coverage: Option<Coverage>,
}

impl Answer {
    fn new(verdict: Verdict, executions: u64, remark: impl Into<String>) -> Answer {
        let (remark, details) = (remark.into(), String::new());
        Answer { verdict, executions, remark, details, schedule: None, coverage: None }
    }

    /// Of a test that was ended by a signal.
    pub(crate) fn crash(details: String, schedule: String, executions: u64) -> Answer {
        let mut answer = Answer::new(Verdict::Violated, executions, "");
        (answer.details, answer.schedule) = (details, Some(schedule));
        answer
    }

    pub(crate) fn print(&self, name: &str, is_json: bool, memory: Memory) {
        let word = match self.verdict {
            Verdict::NothingControlled | Verdict::Holds => "holds",
            Verdict::Unknown => "unknown",
            Verdict::Violated => "violated",
            Verdict::CannotRun => "cannot run",
        };
        let Answer { executions, remark, details, schedule, coverage, .. } = self;
        if is_json {
            let schedule = schedule.as_deref().map_or("null".to_owned(), quoted);
            println!(
                "{{\"schema\":\"quadrille-sim/1\",\"test\":{},\"verdict\":{},\"executions\":{executions},\
                 \"memory_model\":\"{memory}\",\"remark\":{},\"details\":{},\"schedule\":{schedule}{}}}",
                quoted(name),
                quoted(word),
                quoted(remark),
                quoted(details),
                coverage.as_ref().map_or(String::new(), coverage_json)
            );
            return;
        }
        let remark = if remark.is_empty() { String::new() } else { format!(" ({remark})") };
        println!("test {name} ... {word}{remark}");
        if !details.is_empty() {
            println!("{details}");
        }
        if let Some(coverage) = coverage {
            print!("  coverage: {coverage}");
        }
        if let Some(schedule) = schedule {
            println!("  cargo quadrille sim --exact {name} --replay '{schedule}'");
        }
    }
}

/// Visited states as a field of JSON: points of the curve are steps, states, pairs.
fn coverage_json(coverage: &Coverage) -> String {
    let curve = coverage.curve().into_iter();
    let points = curve.map(|Growth { steps, states, pairs }| format!("[{steps},{states},{pairs}]"));
    let Growth { steps, states, pairs } = coverage.growth();
    format!(
        ",\"coverage\":{{\"steps\":{steps},\"states\":{states},\"pairs\":{pairs},\"curve\":[{}]}}",
        points.collect::<Vec<_>>().join(",")
    )
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    use ::std::fmt::Write as _;
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            control if u32::from(control) < 0x20 => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// The exit code that tells the command that no test did anything under control.
const NOTHING_CONTROLLED: i32 = 4;

pub fn test_main_static(tests: &[&TestDescAndFn]) {
    let settings = Settings::read();
    let mut worst = settings.worst;
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
        let answer = explore_test(test, &settings, &mut coverage);
        let answer = Answer { coverage, ..answer };
        answer.print(name, settings.is_json, settings.memory);
        worst = worst.max(answer.verdict);
    }
    ::std::process::exit(match worst {
        Verdict::Holds => 0,
        Verdict::Violated => 1,
        Verdict::CannotRun => 2,
        Verdict::Unknown => 3,
        Verdict::NothingControlled => NOTHING_CONTROLLED,
    });
}

fn explore_test(
    test: &TestDescAndFn,
    settings: &Settings,
    coverage: &mut Option<Coverage>,
) -> Answer {
    let (config, body, memory) = (settings.config(), body(test), settings.memory);
    let leaks = settings.leaks;
    let monitor = move || -> Box<dyn Monitor> {
        Box::new(crate::oracle::MemoryMonitor { reports_leaks: leaks })
    };
    let (mut executions, mut is_exhausted, mut bounds) = (0, false, BTreeSet::new());
    let (began, mut round, mut left) = (processor_time(), 0, VecDeque::new());
    while !is_exhausted {
        let Some((_, strategy)) = left.pop_front() else {
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
        if matches!(failure.fault, Fault::NothingControlled) {
            return Answer::new(Verdict::NothingControlled, executions, "no controlled operation");
        }
        if let Fault::Panic { message, .. } = &failure.fault
            && expects(&test.desc.should_panic, message)
        {
            return Answer::new(Verdict::Holds, executions, "panics, as it should");
        }
        if failure.fault.is_misuse() || settings.replay.is_some() {
            return failed(failure, executions);
        }
        return failed(&minimise(&config, &body, &monitor, failure), executions);
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

/// Executions with more operations than this are not drawn.
const MAX_DRAWN: usize = 60;

fn failed(failure: &Failure, executions: u64) -> Answer {
    let is_misuse = failure.fault.is_misuse();
    let verdict = if is_misuse { Verdict::CannotRun } else { Verdict::Violated };
    let mut answer = Answer::new(verdict, executions, "");
    answer.details = failure.to_string();
    if !is_misuse && failure.trace.len() <= MAX_DRAWN {
        answer.details.push_str("\n\n");
        answer.details.push_str(&failure.lanes());
    }
    let fits = !failure.schedule.is_empty() && !matches!(failure.fault, Fault::Diverged(_));
    answer.schedule = fits.then(|| failure.schedule.to_string());
    answer
}

fn body(test: &TestDescAndFn) -> Body {
    let function = test.testfn.0;
    Arc::new(move || {
        static WATCH: ::std::sync::Once = ::std::sync::Once::new();
        WATCH.call_once(crate::crash::watch);
        if let Err(message) = function() {
            panic!("{message}");
        }
    })
}

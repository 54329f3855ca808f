//! `sim`: explores the tests of a crate as it is, under the scheduler.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use quadrille_sim_cargo::{Ended as Explored, Request};

use crate::Ended;
use crate::arguments::Format;
use crate::exit::Exit;
use crate::world::World;

/// What atomic loads can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Memory {
    /// The last store, whatever order an access asks for: sequential consistency.
    Sc,
    /// Any store that C11 allows, without load buffering.
    C11,
}

/// When timed waits give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Timeouts {
    /// When their model time has come.
    InTime,
    /// Whenever the scheduler likes: a time-out races with everything.
    Any,
}

#[derive(Args, Debug)]
pub(crate) struct SimArguments {
    /// Tests whose name contains this; all if there is none.
    names: Vec<String>,
    /// Names are whole names.
    #[arg(long)]
    exact: bool,
    /// The package whose tests are explored.
    #[arg(short, long)]
    package: Vec<String>,
    /// The integration test that is explored.
    #[arg(long)]
    test: Vec<String>,
    /// Only the tests inside the library.
    #[arg(long)]
    lib: bool,
    /// The manifest of the package.
    #[arg(long, value_name = "FILE")]
    manifest_path: Option<PathBuf>,
    /// Where to build, instead of cargo's target folder.
    #[arg(long, value_name = "FOLDER")]
    target_dir: Option<PathBuf>,
    /// Features to switch on.
    #[arg(long)]
    features: Vec<String>,
    /// A dependency that is compiled against the real std.
    #[arg(long, value_name = "CRATE")]
    deny: Vec<String>,
    /// Build copies of the crates that name the simulated std themselves, as is done where the compiler
    /// takes no other std.
    #[arg(long)]
    copies: bool,
    /// How schedules are chosen: random, pct, pos, urw, surw, exhaustive, exhaustive=N (every order, given
    /// up after N executions), preemptions=N; several one after the other. With twice, random executions are repeated, which finds what is not under
    /// control: hash order, the wall clock, addresses.
    #[arg(long, value_delimiter = ',', default_value = "exhaustive=400,random,pct,pos,urw,surw")]
    strategy: Vec<String>,
    /// How many executions by each strategy that has no end of its own.
    #[arg(long, default_value_t = 400)]
    executions: u64,
    /// Where random decisions come from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Go on with further seeds for so many seconds of processor time per test.
    #[arg(long)]
    seconds: Option<u64>,
    /// The memory model of atomics; a schedule that is replayed brings its own.
    #[arg(long, value_enum, default_value = "sc")]
    memory: Memory,
    /// Replay this schedule, as a failure was printed with it.
    #[arg(long, value_name = "SCHEDULE")]
    replay: Option<String>,
    /// The longest execution, in visible operations.
    #[arg(long, default_value_t = 100_000)]
    max_steps: u64,
    /// How many threads explore a test; answers are the same for any number of them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: u16,
    /// Give up after so many seconds without a visible operation.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    patience: u64,
    /// Do not watch memory; for programs with a global allocator of their own.
    #[arg(long)]
    no_oracle: bool,
    /// Let threads come between accesses of data in an UnsafeCell that no lock protects.
    #[arg(long)]
    cells: bool,
    /// Memory that is never freed is a failure.
    #[arg(long)]
    leaks: bool,
    /// Run threads on threads of the system, one at a time, instead of coroutines: for programs with
    /// variables of the system's threads or foreign functions, and for clean-up of panics that waits.
    /// Slower.
    #[arg(long)]
    system_threads: bool,
    /// Count the visited consistent states and pairs of neighbours, and show how they grew.
    #[arg(long)]
    coverage: bool,
    /// The same, and end a test once so many steps visited nothing new.
    #[arg(long, value_name = "STEPS")]
    until_covered: Option<u64>,
    /// When sleeps and timed waits are over.
    #[arg(long, value_enum, default_value = "in-time")]
    timeouts: Timeouts,
    /// Let waits for condition variables end so many times in an execution although nothing notified
    /// them.
    #[arg(long, value_name = "N", default_value_t = 0)]
    spurious: u32,
    /// Draw each failing run into this folder, as BINARY.TEST.svg: a lane per thread, locks held, who
    /// waits for whom.
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,
    /// Show everything after each step of a replay: what threads do next, wait for and hold.
    #[arg(long, requires = "replay")]
    snapshots: bool,
    /// How results are printed.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

pub(crate) fn run(arguments: &SimArguments, world: &World) -> Ended {
    let request = Request {
        packages: arguments.package.clone(),
        tests: arguments.test.clone(),
        only_library: arguments.lib,
        manifest: arguments.manifest_path.clone(),
        target: arguments.target_dir.clone(),
        features: arguments.features.clone(),
        denied: arguments.deny.clone(),
        copies: arguments.copies,
        names: arguments.names.clone(),
        is_exact: arguments.exact,
        strategies: arguments.strategy.clone(),
        executions: arguments.executions,
        seed: arguments.seed,
        seconds: arguments.seconds,
        is_weak: arguments.memory == Memory::C11,
        replay: arguments.replay.clone(),
        max_steps: arguments.max_steps,
        workers: usize::from(arguments.workers),
        patience: arguments.patience,
        watches_memory: !arguments.no_oracle,
        watches_cells: arguments.cells,
        reports_leaks: arguments.leaks,
        on_system_threads: arguments.system_threads,
        covers: arguments.coverage,
        saturation: arguments.until_covered,
        races_timeouts: arguments.timeouts == Timeouts::Any,
        spurious_wakeups: arguments.spurious,
        shows_steps: arguments.snapshots,
        pictures: arguments.svg.clone(),
        is_json: matches!(arguments.format, Format::Json),
    };
    Ok(match quadrille_sim_cargo::run(&request) {
        Ok(Explored::Holds) => Exit::Holds,
        Ok(Explored::Unknown) => Exit::Unknown,
        Ok(Explored::Violated) => Exit::Violated,
        Ok(Explored::CannotRun) => Exit::CannotRun,
        Err(problem) => {
            world.complain(&format!("error: {problem}\n"));
            Exit::CannotRun
        }
    })
}

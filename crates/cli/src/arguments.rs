//! What the command understands. Doc comments are the help that users read.

mod beyond;
mod cluster;
mod languages;
mod options;
mod reach;
mod specifications;
mod tools;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use quadrille_query::{Level, Lossy};

use crate::commands::sim::SimArguments;

pub(crate) use beyond::{RunsArguments, StoreArgument, StoreArguments, identity, refuse};
pub(crate) use cluster::{
    ClusterArguments, ClusterCommand, JoinArguments, LocalArguments, SharedArguments, with_join,
};
pub(crate) use languages::{
    DoubleArguments, FrameArguments, GenerateArguments, GenerateVariant, MonitorArguments,
    ProjectArguments, ReduceArguments, SubstituteArguments,
};
pub(crate) use options::{
    AlgorithmArgument, AskedArguments, ComponentArguments, EngineArgument, FairArgument, FairKind,
    Format, FormatArguments, FormulaArguments, LimitArguments, OrderArgument, OutArguments,
    ProgressArgument, ProtocolArguments, ReductionArgument, RelationArgument, SelectionArguments,
    SymmetryArgument, WorkerArguments,
};
pub(crate) use reach::{EstimateArguments, ExamineArguments, SimulateArguments};
pub(crate) use specifications::{
    EvalArguments, OverflowArgument, ProofArgument, SpecificationArguments,
};
pub(crate) use tools::{
    CompareArguments, CompletionsArguments, ConvertArguments, DrawArguments, DrawingFormat,
    ExplainArguments, ExplainLanguage, ManArguments, MinimiseArguments, ReplayArguments,
    StepArguments, StepView, View,
};

/// What `step` understands while it runs; the command `help` prints it, too.
pub(crate) const STEP_HELP: &str = "\
Commands, one per line:
  3, send[Node$1]   take the step with this number, or with this name or beginning of a name
  take NAME         the same, where a name is also a command
  list [TEXT]       what can happen next, or all of it that contains TEXT; also an empty line
  undo [N]          take back the last step, or the last N
  restart           go back to the start
  start [N]         show the initial states, or begin in one of them
  random [N]        take a step at random, or N of them; --seed decides which
  state             what every slot holds
  changes           what the last step changed
  trace             the whole run
  show state        print all of the state after every step; `show changes`: what changed
  goto deadlock     search for a deadlock, and go to the end of the run to it
  goto NAME         the same for a property or a command of the file
  goto FORMULA      the same for a formula, as in `check --formula`
  goto error        the same for components that do not fit together
  save FILE         write the run: .txt, .json (for replay), .itf.json, .svg, .mmd
  help, quit        the end of the input ends the walk, too
A line that begins with `#` is a comment.

Examples:
  quadrille step examples/philosophers.net
  quadrille step examples/designs/ring.qev --seed 7
  printf 'goto deadlock\\nundo\\nlist\\n' | quadrille step examples/philosophers.net";

/// Gets communication between concurrent parts right.
///
/// Reads a model, explores every state it can reach, and says `holds`, `violated` (with a trace
/// that shows why) or `unknown` (a bound was reached first).
#[derive(Parser, Debug)]
#[command(
    name = "quadrille",
    bin_name = "quadrille",
    version,
    after_help = "Exit codes: 0 holds, 1 violated, 2 cannot run (bad input or usage), 3 unknown.\n\
                  `quadrille help COMMAND` shows a command with an example."
)]
pub(crate) struct Arguments {
    /// No progress and no remarks; results and errors only.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check a model: for deadlock, or for formulas.
    #[command(after_help = "Example:\n  \
        quadrille check examples/philosophers.net\n  \
        quadrille check examples/philosophers.net --formula 'G F plato_eats' --fair weak\n  \
        quadrille check examples/protocols/login.quad\n  \
        quadrille check examples/components/airport.arch --reduce\n  \
        quadrille check examples/protocols/token-directed-ring.quad --form liberal\n  \
        quadrille check ring.dcj --protocol ring --arg 4 --arg 0 --formula-file fair.owl")]
    Check(Box<CheckArguments>),
    /// Evaluate an expression on the instance of a command of an Alloy specification.
    #[command(after_help = "Example:\n  \
        quadrille eval examples/alloy/lease.als 'Lease.holder' --command handed_over\n  \
        quadrille eval examples/alloy/lease.als '#Node' --command handed_over --state 1")]
    Eval(EvalArguments),
    /// Run tests: the properties of protocols and the formulas of suites, against what is expected.
    #[command(after_help = "Example:\n  \
        quadrille test examples/protocols\n  \
        quadrille test suite.toml --junit results.xml")]
    Test(TestArguments),
    /// Leave out of components what cannot make a difference to whether they fit together.
    #[command(after_help = "Example:\n  \
        quadrille reduce examples/components/tickets.bp\n  \
        quadrille reduce examples/components/tickets.bp --steps")]
    Reduce(ReduceArguments),
    /// Ask whether a component or role may take the place of another.
    #[command(after_help = "Example:\n  \
        quadrille substitute shop.arch Storage new-storage.bp\n  \
        quadrille substitute shop.quad buyer new-shop.quad")]
    Substitute(SubstituteArguments),
    /// Look for what is probably a mistake in a protocol, a formula or components.
    #[command(after_help = "Example:\n  \
        quadrille lint examples/protocols/chess.quad\n  \
        quadrille lint examples/protocols/chess.quad --level closing=warn --level L011=deny\n  \
        quadrille lint examples/components/airport.arch\n  \
        quadrille lint ring.dcj --protocol ring --arg 4 --arg 0 --formula-file fair.owl")]
    Lint(LintArguments),
    /// Project a protocol to its roles, and say whether they do what it says.
    #[command(after_help = "Example:\n  \
        quadrille project examples/protocols/chess.quad\n  \
        quadrille project ring.dcj --protocol ring --arg 4 --arg 0 --queues receiver")]
    Project(ProjectArguments),
    /// Write the Rust module of a protocol: typed roles, in a strict and a liberal variant.
    #[command(after_help = "Example:\n  \
        quadrille generate examples/protocols/chess.quad --out src\n  \
        quadrille generate examples/protocols/chess.quad --out src --check\n  \
        quadrille generate ring.dcj --protocol ring --arg 4 --arg 0 --type Token=crate::Token --out src")]
    Generate(GenerateArguments),
    /// Follow a protocol or components along the log of a running system, read from stdin.
    #[command(after_help = "Example:\n  \
        quadrille monitor examples/protocols/chess.quad < log.jsonl\n  \
        quadrille monitor examples/components/tickets.bp --component Desk < log.jsonl\n  \
        quadrille monitor ring.dcj --protocol ring --arg 4 --arg 0 < log.jsonl")]
    Monitor(MonitorArguments),
    /// Derive frame protocols (.bp) from annotated Rust traits or from the roles of a protocol.
    #[command(after_help = "Example:\n  \
        quadrille frame src/till.rs --out till.bp\n  \
        quadrille frame examples/protocols/login.quad --of app\n  \
        quadrille frame src/till.rs --out till.bp --check")]
    Frame(FrameArguments),
    /// Write Rust traits for a component, and a test double that plays its environment.
    #[command(after_help = "Example:\n  \
        quadrille double examples/components/tickets.bp --component Desk --out tests/desk.rs\n  \
        quadrille double src/till.rs --import 'crate::till::*' --out src/till/double.rs\n  \
        quadrille double till.bp --out tests/till.rs\n  \
        quadrille double till.bp --out tests/till.rs --check")]
    Double(DoubleArguments),
    /// Count the states and transitions of a model.
    #[command(after_help = "Example:\n  \
        quadrille states examples/philosophers.net\n  \
        quadrille states examples/philosophers.net --by action\n  \
        quadrille states examples/philosophers.net --format json\n  \
        quadrille states examples/components/airport.arch --composite TokenService")]
    States(StatesArguments),
    /// Show how far searches on disk came, or delete them.
    #[command(after_help = "Example:\n  \
        quadrille states examples/philosophers.net --store disk=phil.runs\n  \
        quadrille runs phil.runs\n  \
        quadrille runs phil.runs --delete")]
    Runs(RunsArguments),
    /// Share a search out among processes, on this machine (`cluster local`) or on many.
    #[command(after_help = "Example:\n  \
        quadrille cluster local --processes 2 examples/philosophers.net\n  \
        quadrille cluster --hosts rack.txt --process 3 --secret rack.key examples/philosophers.net")]
    Cluster(Box<ClusterArguments>),
    /// Walk through a model: choose each step, go back, jump to a violation.
    #[command(
        after_help = "Example:\n  \
            quadrille step examples/philosophers.net\n  \
            quadrille step examples/designs/ring.qev --seed 7\n  \
            printf 'goto deadlock\\nundo\\nlist\\n' | quadrille step examples/philosophers.net",
        after_long_help = STEP_HELP
    )]
    Step(StepArguments),
    /// Walk through a model at random: what can be found where there are too many states to explore.
    ///
    /// A walk that violates nothing proves nothing: the verdict is `unknown` then.
    #[command(after_help = "Example:\n  \
        quadrille simulate examples/philosophers.net\n  \
        quadrille simulate examples/philosophers.net --allow-deadlock --formula 'G !plato_eats'\n  \
        quadrille simulate examples/protocols/chess.quad --seed 7 --walks 100 --depth 500")]
    Simulate(SimulateArguments),
    /// Estimate how many states a model has, and what exploring them takes.
    #[command(after_help = "Example:\n  \
        quadrille estimate examples/philosophers.net\n  \
        quadrille estimate examples/protocols/chess.quad --budget 1000")]
    Estimate(EstimateArguments),
    /// Answer the examinations of the Model Checking Contest about a Petri net.
    #[command(after_help = "Example:\n  \
        quadrille examine examples/petri/buffer\n  \
        quadrille examine examples/petri --exam ReachabilityDeadlock --timeout-each 10s\n  \
        quadrille examine examples/petri/buffer --contest")]
    Examine(ExamineArguments),
    /// Draw a small model as a graph, or a trace as a sequence diagram.
    #[command(after_help = "Example:\n  \
        quadrille draw examples/door.aut -o door.svg\n  \
        quadrille check examples/philosophers.net --trace-out trace.json\n  \
        quadrille draw examples/philosophers.net --trace trace.json -o trace.svg")]
    Draw(DrawArguments),
    /// Follow a trace on a model and say whether it fits.
    #[command(after_help = "Example:\n  \
        quadrille check examples/philosophers.net --trace-out trace.json\n  \
        quadrille replay examples/philosophers.net trace.json")]
    Replay(ReplayArguments),
    /// Compare two models: do they behave alike?
    #[command(after_help = "Example:\n  \
        quadrille compare examples/door.aut examples/door.aut --relation strong\n  \
        quadrille compare implementation.net specification.net --relation inclusion --internal log")]
    Compare(CompareArguments),
    /// Write a model in another notation, or a formula as an automaton.
    #[command(after_help = "Example:\n  \
        quadrille convert examples/philosophers.net --out philosophers.aut\n  \
        quadrille convert examples/protocols/chess.quad --out chess.net\n  \
        quadrille convert --formula 'G F eats' --out eats.hoa")]
    Convert(ConvertArguments),
    /// Write the smallest model that is equivalent to a model.
    #[command(after_help = "Example:\n  \
        quadrille minimise examples/philosophers.net --relation strong\n  \
        quadrille minimise examples/protocols/chess.quad --relation traces --out chess.aut")]
    Minimise(MinimiseArguments),
    /// Print the manual page of a diagnostic, or list all of them.
    #[command(after_help = "Example:\n  \
        quadrille explain Q006\n  \
        quadrille explain")]
    Explain(ExplainArguments),
    /// Print a completion script for a shell.
    #[command(after_help = "Example:\n  \
        quadrille completions bash > ~/.local/share/bash-completion/completions/quadrille\n  \
        quadrille completions fish > ~/.config/fish/completions/quadrille.fish")]
    Completions(CompletionsArguments),
    /// Print the manual page of quadrille, or write the pages of all commands to a folder.
    #[command(after_help = "Example:\n  \
        quadrille man\n  \
        quadrille man share/man/man1")]
    Man(ManArguments),
    /// Explore the schedules of a crate's tests, the crate and its dependencies as they are.
    #[command(after_help = "Example:\n  \
        cargo quadrille sim -p my-crate\n  \
        cargo quadrille sim --test queue --strategy exhaustive\n  \
        cargo quadrille sim --test queue loses_nothing --exact --replay 'q1:a3b4a::m5eveHmo'")]
    Sim(SimArguments),
}

impl Command {
    /// How results are printed, where the command can choose.
    pub(crate) fn format(&self) -> Option<Format> {
        match self {
            Command::Check(arguments) => Some(arguments.output.format.into()),
            Command::Cluster(arguments) => Some(arguments.format()),
            Command::Test(arguments) => Some(arguments.output.format),
            Command::Reduce(arguments) => Some(arguments.output.format),
            Command::Substitute(arguments) => Some(arguments.output.format),
            Command::Lint(arguments) => Some(arguments.output.format),
            Command::Project(arguments) => Some(arguments.output.format),
            Command::States(arguments) => Some(arguments.output.format),
            Command::Runs(arguments) => Some(arguments.output.format),
            Command::Simulate(arguments) => Some(arguments.output.format),
            Command::Estimate(arguments) => Some(arguments.output.format),
            Command::Replay(arguments) => Some(arguments.output.format),
            Command::Compare(arguments) => Some(arguments.output.format),
            Command::Generate(_)
            | Command::Monitor(_)
            | Command::Frame(_)
            | Command::Double(_)
            | Command::Step(_)
            | Command::Examine(_)
            | Command::Eval(_)
            | Command::Draw(_)
            | Command::Convert(_)
            | Command::Minimise(_)
            | Command::Explain(_)
            | Command::Completions(_)
            | Command::Man(_) => None,
            Command::Sim(arguments) => Some(arguments.format),
        }
    }
}

impl Command {
    /// The bounds, where the command has some.
    pub(crate) fn limits(&self) -> Option<&LimitArguments> {
        match self {
            Command::Check(arguments) => Some(&arguments.limits),
            Command::Eval(arguments) => Some(&arguments.limits),
            Command::Test(arguments) => Some(&arguments.limits),
            Command::Reduce(arguments) => Some(&arguments.limits),
            Command::Substitute(arguments) => Some(&arguments.limits),
            Command::Lint(arguments) => Some(&arguments.limits),
            Command::Project(arguments) => Some(&arguments.limits),
            Command::Generate(arguments) => Some(&arguments.limits),
            Command::States(arguments) => Some(&arguments.limits),
            Command::Simulate(arguments) => Some(&arguments.limits),
            Command::Estimate(arguments) => Some(&arguments.limits),
            Command::Compare(arguments) => Some(&arguments.limits),
            Command::Convert(arguments) => Some(&arguments.limits),
            Command::Minimise(arguments) => Some(&arguments.limits),
            Command::Monitor(_)
            | Command::Examine(_)
            | Command::Runs(_)
            // Its processes end together, or not at all.
            | Command::Cluster(_)
            | Command::Frame(_)
            | Command::Double(_)
            | Command::Step(_)
            | Command::Draw(_)
            | Command::Replay(_)
            | Command::Explain(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Sim(_) => None,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The model: .quad, .dcj, .bp, .arch, .qev, .als, .net, .ia, .aut or .pnml; or a folder of .bp
    /// files.
    pub(crate) file: PathBuf,

    /// A deadlock is not a violation.
    #[arg(long)]
    pub(crate) allow_deadlock: bool,

    /// Ask also whether all queues are bounded, of the liberal form of a protocol (--form liberal).
    #[arg(long)]
    pub(crate) bounded: bool,

    /// A property that the file expects to be violated is a violation.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Formulas about a Petri net, in a property file of the Model Checking Contest. May be repeated.
    #[arg(long, value_name = "FILE.xml", help_heading = "Formulas")]
    pub(crate) properties: Vec<PathBuf>,

    /// Which state is expanded next when searching for a deadlock.
    #[arg(long, value_enum, default_value_t = OrderArgument::Bfs)]
    pub(crate) order: OrderArgument,

    /// What explores the model; the symbolic engine knows neither `--runs` nor `--fair`.
    #[arg(long, value_enum, default_value_t = EngineArgument::Auto)]
    pub(crate) engine: EngineArgument,

    /// Whether steps that commute are taken in one order only (partial-order reduction, of any
    /// model; `--reduce` is about the texts of components).
    #[arg(long, value_enum, default_value_t = ReductionArgument::Auto)]
    pub(crate) reduction: ReductionArgument,

    /// Whether states that differ only in which of several alike participants is where are one.
    #[arg(long, value_enum, default_value_t = SymmetryArgument::Auto)]
    pub(crate) symmetry: SymmetryArgument,

    /// Remember less than whole states, and explore more of them: `bitstate=SIZE` (three bits in a table
    /// of this size) or `hash-compact` (64 bits per state). States may be left out then, so that what is
    /// not violated is `unknown`, with the probability of an omission. Deadlock and invariants only.
    #[arg(long, value_name = "MODE", value_parser = reach::lossy)]
    pub(crate) lossy: Option<Lossy>,

    #[command(flatten)]
    pub(crate) store: StoreArguments,

    #[command(flatten)]
    pub(crate) workers: WorkerArguments,

    #[command(flatten)]
    pub(crate) formulas: FormulaArguments,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: CheckOutput,

    #[command(flatten)]
    pub(crate) model: SelectionArguments,

    #[command(flatten)]
    pub(crate) specification: SpecificationArguments,

    /// Reduce components before they are put together, and count what there would be without that.
    #[arg(long, help_heading = "Components (.bp)")]
    pub(crate) reduce: bool,
}

/// What a check prints and writes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct CheckOutput {
    /// How results are printed.
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub(crate) format: CheckFormat,

    /// Write the trace of a violation; the name says how: .txt, .json, .itf.json, .svg, .mmd. Where
    /// there are several violations, the files are numbered: trace-1.json, trace-2.json and so on.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace_out: Vec<PathBuf>,

    /// Write the verdicts as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people.
    Text,
    /// For people, with runs as sequence diagrams of characters.
    Diagram,
    /// One JSON object, described in docs/json.md.
    Json,
}

impl From<CheckFormat> for Format {
    fn from(format: CheckFormat) -> Format {
        match format {
            CheckFormat::Text | CheckFormat::Diagram => Format::Text,
            CheckFormat::Json => Format::Json,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct TestArguments {
    /// Protocols with properties (.quad), specifications (.als), manifests of suites (.toml), folders to
    /// search for all of them.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// A deadlock is not a failure.
    #[arg(long)]
    pub(crate) allow_deadlock: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: FormatArguments,

    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct LintArguments {
    /// The protocol: .quad or .dcj; or components: .bp, a folder of .bp files, or .arch; or a manifest
    /// (.toml), for everything it checks.
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) components: ComponentArguments,

    #[command(flatten)]
    pub(crate) protocol: ProtocolArguments,

    #[command(flatten)]
    pub(crate) asked: AskedArguments,

    /// The level of a rule (L011), of a group (closing, progress, choices, roles, formulas, components,
    /// text) or of `all`: `allow`, `note`, `warn` or `deny`. May be repeated; the last one counts.
    #[arg(long, value_name = "RULE=LEVEL", value_parser = options::level, help_heading = "Rules")]
    pub(crate) level: Vec<(String, Level)>,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

#[derive(Args, Debug)]
pub(crate) struct StatesArguments {
    /// The model: .quad, .dcj, .bp, .arch, .qev, .net, .ia or .aut; or a folder of .bp files.
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) model: SelectionArguments,

    /// Count the parts, too: steps per action or participant, states per depth.
    #[arg(long, value_enum)]
    pub(crate) by: Option<By>,

    /// Which state is expanded next; `depth` is known breadth-first only.
    #[arg(long, value_enum, default_value_t = OrderArgument::Bfs)]
    pub(crate) order: OrderArgument,

    /// What explores the model.
    #[arg(long, value_enum, default_value_t = EngineArgument::Auto)]
    pub(crate) engine: EngineArgument,

    #[command(flatten)]
    pub(crate) store: StoreArguments,

    #[command(flatten)]
    pub(crate) workers: WorkerArguments,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum By {
    /// How many steps each action makes.
    Action,
    /// How many steps each participant takes part in.
    Participant,
    /// How many states are first met after so many steps.
    Depth,
}

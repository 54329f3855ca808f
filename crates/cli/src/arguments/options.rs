//! Options that several commands share: which behaviour of a file is selected, what is asked of it, bounds,
//! formats. Each group has its heading in the help.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use quadrille_component::architecture::Compliance;
use quadrille_component::automata::Construction;
use quadrille_diagnostic::Diagnostic;
use quadrille_engine::Workers;
use quadrille_query::{
    ComponentSelection, CompositeSelection, DesignSelection, Form, Level, Selection,
    SessionSelection, rules_named,
};

use crate::quantity::{duration, size};
use crate::world::World;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum QueuesArgument {
    /// A queue for each sender and receiver.
    Pair,
    /// One queue for each receiver.
    Receiver,
}

impl From<QueuesArgument> for quadrille_protocol::project::Queues {
    fn from(queues: QueuesArgument) -> Self {
        match queues {
            QueuesArgument::Pair => Self::PerPair,
            QueuesArgument::Receiver => Self::PerReceiver,
        }
    }
}

/// Where a text goes that a command makes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutArguments {
    /// Where to, all or nothing. Without it, stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Write nothing; say whether the file is up to date, with exit code 1 if not.
    #[arg(long, requires = "out")]
    pub(crate) check: bool,
}

/// Which behaviour of a file is selected.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SelectionArguments {
    #[command(flatten)]
    pub(crate) components: ComponentArguments,

    #[command(flatten)]
    pub(crate) composite: CompositeArguments,

    #[command(flatten)]
    pub(crate) design: DesignArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

impl SelectionArguments {
    /// The selection.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            session: self.session.selection(),
            components: self.components.selection(),
            composite: self.composite.selection(),
            design: DesignSelection { command: self.design.command.clone() },
        }
    }
}

/// Which scope of a design is selected.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Designs (.qev)")]
pub(crate) struct DesignArguments {
    /// The command of a .qev file in whose scope the design is explored [default: the first; `check`
    /// and `test` take all].
    #[arg(long, value_name = "NAME")]
    pub(crate) command: Option<String>,
}

/// Which protocol of a file is selected.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Protocols (.quad, .dcj)")]
pub(crate) struct ProtocolArguments {
    /// The protocol (session) of the file; otherwise the first of a .quad file, the only one of a
    /// .dcj file.
    #[arg(long, value_name = "NAME")]
    pub(crate) protocol: Option<String>,

    /// An argument of the protocol, written as in its language; repeated, in order.
    #[arg(long = "arg", value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,

    /// Another value for a parameter of a .quad file; may be repeated.
    #[arg(long = "parameter", visible_alias = "param", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) parameters: Vec<(String, String)>,
}

impl ProtocolArguments {
    /// The protocol itself, in no other form.
    pub(crate) fn session(&self) -> SessionSelection {
        let Self { protocol, arguments, parameters } = self.clone();
        SessionSelection { protocol, arguments, parameters, form: Form::Global }
    }

    /// The protocol itself as a selection.
    pub(crate) fn selection(&self) -> Selection {
        Selection::of_session(self.session())
    }
}

/// Which behaviour of a protocol file is selected.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Protocols (.quad, .dcj)")]
pub(crate) struct SessionArguments {
    #[command(flatten)]
    pub(crate) protocol: ProtocolArguments,

    /// Which form of the protocol is explored.
    #[arg(long = "form", visible_alias = "variant", value_enum, default_value_t)]
    pub(crate) form: FormArgument,
}

impl SessionArguments {
    /// The selection.
    pub(crate) fn selection(&self) -> SessionSelection {
        let form = match self.form {
            FormArgument::Global => Form::Global,
            FormArgument::Strict => Form::Strict,
            FormArgument::Liberal => Form::Liberal,
        };
        SessionSelection { form, ..self.protocol.session() }
    }
}

/// The forms of a protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum FormArgument {
    /// The protocol itself.
    #[default]
    Global,
    /// What is run with one state for all roles.
    Strict,
    /// What is run with a state per role and queues between them.
    Liberal,
}

/// Which components are put together, and how.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Components (.bp)")]
pub(crate) struct ComponentArguments {
    /// Further files or folders of components (.bp).
    #[arg(value_name = "FILE")]
    pub(crate) more: Vec<PathBuf>,

    /// An interface or a method that joins components; everything else is external then. May be
    /// repeated [default: whatever two components mention].
    #[arg(long, value_name = "I.m")]
    pub(crate) bind: Vec<String>,

    /// An interface or a method that the environment takes part in. May be repeated.
    #[arg(long, value_name = "I.m")]
    pub(crate) external: Vec<String>,

    /// The exceptions of a method of components. Methods that are not named throw nothing then. May be
    /// repeated [default: whatever is caught].
    #[arg(long, value_name = "I.m=E,…", value_parser = throws)]
    pub(crate) throws: Vec<(String, Vec<String>)>,

    /// How the automata of components are made; verdicts are the same, sizes are not.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) construction: ConstructionArgument,
}

impl ComponentArguments {
    /// The selection.
    pub(crate) fn selection(&self) -> ComponentSelection {
        let Self { more, bind, external, throws, construction } = self.clone();
        let construction = match construction {
            ConstructionArgument::Minimal => Construction::Minimal,
            ConstructionArgument::Published => Construction::Published,
        };
        ComponentSelection { more, bind, external, throws, construction }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ConstructionArgument {
    /// As small as possible.
    #[default]
    Minimal,
    /// As in the published measurements: alternatives distributed, not minimised.
    Published,
}

fn throws(text: &str) -> Result<(String, Vec<String>), String> {
    let (method, exceptions) =
        text.split_once('=').ok_or("write a method, `=` and its exceptions")?;
    let exceptions = exceptions.split(',').map(|name| name.trim().to_owned());
    Ok((method.to_owned(), exceptions.filter(|name| !name.is_empty()).collect()))
}

/// Which compositions of an architecture are selected.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Architectures (.arch)")]
pub(crate) struct CompositeArguments {
    /// The composite of an .arch file; needed where there are several and one model is wanted.
    #[arg(long, value_name = "NAME")]
    pub(crate) composite: Option<String>,

    /// Its parts by themselves, or closed by its frame protocol [default: both are checked; as a
    /// model, vertical where it has a frame protocol].
    #[arg(long, value_enum)]
    pub(crate) compliance: Option<ComplianceArgument>,
}

impl CompositeArguments {
    fn selection(&self) -> CompositeSelection {
        let compliance = self.compliance.map(|compliance| match compliance {
            ComplianceArgument::Horizontal => Compliance::Horizontal,
            ComplianceArgument::Vertical => Compliance::Vertical,
        });
        CompositeSelection { composite: self.composite.clone(), compliance }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ComplianceArgument {
    /// The parts by themselves.
    Horizontal,
    /// The parts with the frame protocol as their environment.
    Vertical,
}

/// Formulas.
#[derive(Args, Debug)]
#[command(next_help_heading = "Formulas")]
pub(crate) struct AskedArguments {
    /// A formula: actions in double quotes, propositions as bare names. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) formula: Vec<String>,

    /// A file with formulas, separated by blank lines; .owl: one formula of that dialect; .hoa: a
    /// deterministic automaton of the runs that are allowed. May be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) formula_file: Vec<PathBuf>,

    /// An automaton (.hoa) of runs that must never be. May be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) never: Vec<PathBuf>,

    /// What `<Short>` stands for in an .owl formula. May be repeated.
    #[arg(long = "type", value_name = "SHORT=FULL", value_parser = pair)]
    pub(crate) types: Vec<(String, String)>,

    /// Which runs a linear formula ranges over [default: maximal, or what a property says].
    #[arg(long, value_enum)]
    pub(crate) runs: Option<RunsArgument>,
}

impl AskedArguments {
    /// Whether there is a formula.
    pub(crate) fn asks(&self) -> bool {
        !(self.formula.is_empty() && self.formula_file.is_empty() && self.never.is_empty())
    }
}

/// What is asked of the runs of a model.
#[derive(Args, Debug)]
#[command(next_help_heading = "Formulas")]
pub(crate) struct FormulaArguments {
    #[command(flatten)]
    pub(crate) asked: AskedArguments,

    /// A property of a .quad file; without this and without formulas, all of them are checked. May
    /// be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,

    /// Look at fair runs only: `weak` or `strong`, for all steps or those of one name. May be
    /// repeated.
    #[arg(long, value_name = "weak|strong[=GROUP]", value_parser = fair)]
    pub(crate) fair: Vec<FairArgument>,

    /// How violations of linear formulas are searched for.
    #[arg(long, value_enum, default_value_t = AlgorithmArgument::Scc)]
    pub(crate) algorithm: AlgorithmArgument,
}

impl FormulaArguments {
    /// Whether a formula or a property is asked for.
    pub(crate) fn asks(&self) -> bool {
        self.asked.asks() || !self.property.is_empty()
    }
}

/// What runs must be fair to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FairArgument {
    pub(crate) kind: FairKind,
    /// The name of the steps; all of them where there is none.
    pub(crate) group: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FairKind {
    Weak,
    Strong,
}

fn fair(text: &str) -> Result<FairArgument, String> {
    let (kind, group) = match text.split_once('=') {
        Some((kind, group)) => (kind, Some(group.to_owned())),
        None => (text, None),
    };
    let kind = match kind {
        "weak" => FairKind::Weak,
        "strong" => FairKind::Strong,
        _ => return Err("write weak, strong, weak=NAME or strong=NAME".to_owned()),
    };
    Ok(FairArgument { kind, group })
}

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err("write a name, `=` and what it stands for".to_owned()),
    }
}

pub(super) fn level(text: &str) -> Result<(String, Level), String> {
    let (name, level) = pair(text)?;
    rules_named(&name).map_err(|unknown| format!("{unknown}; {}", unknown.help()))?;
    Ok((name, level.parse()?))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum RunsArgument {
    /// Infinite runs, and finite ones that cannot or need not go on.
    #[default]
    Maximal,
    /// Infinite runs only.
    Infinite,
    /// Finite runs that end properly only.
    Finite,
}

impl From<RunsArgument> for quadrille_model::Runs {
    fn from(runs: RunsArgument) -> Self {
        match runs {
            RunsArgument::Maximal => Self::Maximal,
            RunsArgument::Infinite => Self::Infinite,
            RunsArgument::Finite => Self::Finite,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum AlgorithmArgument {
    /// Strongly connected components.
    Scc,
    /// Nested depth-first search: less memory, no fairness.
    Ndfs,
    /// One way, catch them young: on all processors, no fairness.
    Owcty,
}

/// Bounds: reaching one gives `unknown`, never a crash or a guess.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Bounds")]
pub(crate) struct LimitArguments {
    /// Stop after this many states.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_states: Option<u64>,

    /// Stop when the search uses this much memory, such as 800M or 4G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<u64>,

    /// Stop after this time, such as 500ms, 10s or 5m.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// Give up a formula or another question after this time, and go on with the next.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout_each: Option<Duration>,

    /// How to tell, on standard error, how far a search came.
    #[arg(long, value_enum, default_value_t = ProgressArgument::Auto)]
    pub(crate) progress: ProgressArgument,
}

/// How progress is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ProgressArgument {
    /// A line that changes, on a terminal; nothing elsewhere.
    #[default]
    Auto,
    /// A JSON object each second, described in docs/json.md.
    Json,
    /// The same, with an object for each worker of a cluster.
    Workers,
}

/// How many threads explore.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct WorkerArguments {
    /// Threads that expand states; all processors by default. Answers do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
}

impl WorkerArguments {
    /// As many as were asked for.
    pub(crate) fn asked(self) -> Option<usize> {
        self.workers.map(usize::from)
    }

    /// As many as were asked for, or as there are processors.
    pub(crate) fn number(self, world: &World) -> Workers {
        Workers::new(self.workers.map_or_else(|| world.n_processors(), usize::from))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON object, described in docs/json.md.
    Json,
}

/// How results are printed.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct FormatArguments {
    /// How results are printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum RelationArgument {
    /// Strong bisimulation: step by step, no label is internal.
    Strong,
    /// Branching bisimulation: internal steps that decide nothing are free.
    Branching,
    /// Weak bisimulation: internal steps are free before and after every step.
    Weak,
    /// The same traces.
    Traces,
    /// Every trace of the first is one of the second.
    Inclusion,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum OrderArgument {
    /// Breadth first: shortest traces.
    Bfs,
    /// Depth first: deep violations are often found sooner.
    Dfs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum EngineArgument {
    /// State by state; a large model by sets of states first, under a small budget.
    Auto,
    /// State by state.
    Explicit,
    /// By sets of states.
    Symbolic,
    /// Of specifications (.als): by the solver, up to the steps of the scope.
    Sat,
    /// Of specifications (.als): by the solver and state by state, which must agree.
    Both,
}

impl EngineArgument {
    /// Refuses engines that are for specifications alone.
    pub(crate) fn refuse_specifications(self) -> Result<(), Diagnostic> {
        let name = match self {
            Self::Sat => "sat",
            Self::Both => "both",
            Self::Auto | Self::Explicit | Self::Symbolic => return Ok(()),
        };
        let message = format!("--engine {name} is for specifications (.als)");
        let help = "leave it out, or choose `explicit` or `symbolic`";
        Err(Diagnostic::error(&quadrille_query::codes::CONTRADICTION, message).help(help))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ReductionArgument {
    /// In large models, where the verdict stays the same and enough is left out.
    Auto,
    /// Explore everything.
    Off,
    /// Explore with and without; a difference is an error.
    Check,
    /// Deadlocks only: one step stands for all others where nothing that it does not commute with
    /// can come before it.
    Representatives,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum SymmetryArgument {
    /// In large models, where the verdict stays the same and enough states are alike.
    Auto,
    /// Explore everything.
    Off,
    /// Explore with and without; a difference is an error.
    Check,
}

impl From<SymmetryArgument> for quadrille_query::Reduction {
    fn from(symmetry: SymmetryArgument) -> Self {
        match symmetry {
            SymmetryArgument::Auto => Self::Auto,
            SymmetryArgument::Off => Self::Off,
            SymmetryArgument::Check => Self::Check,
        }
    }
}

impl From<ReductionArgument> for quadrille_query::Reduction {
    fn from(reduction: ReductionArgument) -> Self {
        match reduction {
            ReductionArgument::Auto => Self::Auto,
            ReductionArgument::Off => Self::Off,
            ReductionArgument::Check => Self::Check,
            ReductionArgument::Representatives => Self::Representatives,
        }
    }
}

impl From<EngineArgument> for quadrille_query::Engine {
    fn from(engine: EngineArgument) -> Self {
        match engine {
            // Those of specifications are refused before.
            EngineArgument::Auto | EngineArgument::Sat | EngineArgument::Both => Self::Auto,
            EngineArgument::Explicit => Self::Explicit,
            EngineArgument::Symbolic => Self::Symbolic,
        }
    }
}

impl From<OrderArgument> for quadrille_engine::Order {
    fn from(order: OrderArgument) -> Self {
        match order {
            OrderArgument::Bfs => Self::Breadth,
            OrderArgument::Dfs => Self::Depth,
        }
    }
}

//! Options that several commands share: which protocol is meant, what is asked of it, bounds, formats.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use quadrille_check::manifest;

use crate::quantity::{duration, size};

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
pub(crate) struct OutArguments {
    /// Where to, all or nothing. Without it, stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Write nothing; say whether the file is up to date, with exit code 1 if not.
    #[arg(long, requires = "out")]
    pub(crate) check: bool,
}

/// Which protocol of a file is meant.
#[derive(Args, Clone, PartialEq, Eq, Debug, Default)]
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

/// Which behaviour of a protocol file is meant.
#[derive(Args, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SessionArguments {
    #[command(flatten)]
    pub(crate) protocol: ProtocolArguments,

    /// Which form of the protocol is looked at.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) variant: Variant,
}

impl From<ProtocolArguments> for SessionArguments {
    fn from(protocol: ProtocolArguments) -> Self {
        Self { protocol, variant: Variant::Global }
    }
}

/// The forms of a protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Variant {
    /// The protocol itself.
    #[default]
    Global,
    /// What is run with one state for all roles.
    Strict,
    /// What is run with a state per role and queues between them.
    Liberal,
}

impl From<manifest::Variant> for Variant {
    fn from(variant: manifest::Variant) -> Self {
        match variant {
            manifest::Variant::Global => Self::Global,
            manifest::Variant::Strict => Self::Strict,
            manifest::Variant::Liberal => Self::Liberal,
        }
    }
}

impl Variant {
    /// The one word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Variant::Global => "global",
            Variant::Strict => "strict",
            Variant::Liberal => "liberal",
        }
    }
}

/// Formulas.
#[derive(Args, Debug)]
pub(crate) struct AskedArguments {
    /// A formula: actions in double quotes, propositions as bare names. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) formula: Vec<String>,

    /// A file with formulas, separated by blank lines; .owl: one formula of that dialect. May be
    /// repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) formula_file: Vec<PathBuf>,

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
        !(self.formula.is_empty() && self.formula_file.is_empty())
    }
}

/// What is asked of the runs of a model.
#[derive(Args, Debug)]
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
}

/// Bounds: reaching one gives `unknown`, never a crash or a guess.
#[derive(Args, Clone, Debug, Default)]
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
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON object, described in docs/json.md.
    Json,
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

impl From<OrderArgument> for quadrille_engine::Order {
    fn from(order: OrderArgument) -> Self {
        match order {
            OrderArgument::Bfs => Self::Breadth,
            OrderArgument::Dfs => Self::Depth,
        }
    }
}

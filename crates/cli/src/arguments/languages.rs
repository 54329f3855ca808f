//! Arguments of commands that are about protocols or components only.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::options::{
    self, ComponentArguments, FormatArguments, LimitArguments, OutArguments, ProtocolArguments,
    QueuesArgument,
};

#[derive(Args, Debug)]
pub(crate) struct ReduceArguments {
    /// The components: .bp, or a folder of .bp files.
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) components: ComponentArguments,

    /// Show what each rule did, and how large the composition was before and after.
    #[arg(long)]
    pub(crate) steps: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

#[derive(Args, Debug)]
pub(crate) struct SubstituteArguments {
    /// The architecture (.arch) or protocol (.quad, .dcj).
    pub(crate) file: PathBuf,

    /// The component or role that is replaced.
    pub(crate) component: String,

    /// What replaces it: a .bp file with one component, or one of the same name; or a protocol with a
    /// role of this name.
    pub(crate) replacement: PathBuf,

    #[command(flatten)]
    pub(crate) protocol: ProtocolArguments,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

#[derive(Args, Debug)]
pub(crate) struct ProjectArguments {
    /// The protocol: .quad or .dcj.
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) protocol: ProtocolArguments,

    /// How messages wait for their receivers.
    #[arg(long, value_enum, default_value_t = QueuesArgument::Pair)]
    pub(crate) queues: QueuesArgument,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

#[derive(Args, Debug)]
pub(crate) struct GenerateArguments {
    /// The protocol: .quad or .dcj.
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) protocol: ProtocolArguments,

    /// Where to, all or nothing: a folder, for a file that is called like the protocol, or a file that
    /// ends in .rs. Without it, stdout.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Write nothing; say whether the file is up to date, with exit code 1 if not.
    #[arg(long, requires = "out")]
    pub(crate) check: bool,

    /// Which variants the module has [default: strict, and liberal where it is faithful to the protocol].
    #[arg(long, value_enum)]
    pub(crate) variant: Option<GenerateVariant>,

    /// What queues hold that would grow for ever if they could; senders wait for room there.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) capacity: u32,

    /// The Rust type of a message. May be repeated.
    #[arg(long = "type", value_name = "MESSAGE=TYPE", value_parser = options::pair)]
    pub(crate) types: Vec<(String, String)>,

    /// A trait that generated types of messages derive, such as serde::Serialize. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub(crate) derive: Vec<String>,

    /// Roles can run in different processes. The crate needs `serde`, and the feature `tcp` of the runtime.
    #[arg(long)]
    pub(crate) tcp: bool,

    /// Generate the liberal variant even if it is not faithful to the protocol.
    #[arg(long)]
    pub(crate) accept_differences: bool,

    /// No test in the module. With one, the crate needs `quadrille` for its tests.
    #[arg(long)]
    pub(crate) no_tests: bool,

    /// No types for the states of roles.
    #[arg(long)]
    pub(crate) no_typed: bool,

    /// No examples of messages, and so nothing that can be verified by running the module. With them, types
    /// of messages must be Clone, Debug and Default.
    #[arg(long)]
    pub(crate) no_samples: bool,

    /// What the crate calls the runtime.
    #[arg(long, value_name = "PATH", default_value = "quadrille_runtime")]
    pub(crate) runtime: String,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum GenerateVariant {
    /// One automaton for all roles.
    Strict,
    /// An automaton per role; refused where it is not faithful to the protocol.
    Liberal,
    /// Both; refused where the liberal one is not faithful to the protocol.
    Both,
}

#[derive(Args, Debug)]
pub(crate) struct MonitorArguments {
    /// The protocol: .quad or .dcj; or components: .bp, or a folder of .bp files.
    pub(crate) file: PathBuf,

    /// A component to follow; may be repeated [default: all of them].
    #[arg(long, value_name = "NAME")]
    pub(crate) component: Vec<String>,

    #[command(flatten)]
    pub(crate) protocol: ProtocolArguments,
}

#[derive(Args, Debug)]
pub(crate) struct FrameArguments {
    /// A Rust text with annotated traits (.rs), or a protocol (.quad, .dcj).
    pub(crate) file: PathBuf,

    /// The trait or the role; may be repeated [default: all of them].
    #[arg(long, value_name = "NAME", visible_aliases = ["role", "trait"])]
    pub(crate) of: Vec<String>,

    #[command(flatten)]
    pub(crate) protocol: ProtocolArguments,

    #[command(flatten)]
    pub(crate) out: OutArguments,
}

#[derive(Args, Debug)]
pub(crate) struct DoubleArguments {
    /// The component: .bp, or a folder of .bp files; or a Rust text with annotated traits (.rs).
    pub(crate) file: PathBuf,

    /// Which component, or which trait; needed where there are several.
    #[arg(long, value_name = "NAME", visible_alias = "trait")]
    pub(crate) component: Option<String>,

    /// How the written module imports the traits of a .rs file [default: super::*].
    #[arg(long, value_name = "PATH")]
    pub(crate) import: Option<String>,

    #[command(flatten)]
    pub(crate) out: OutArguments,
}

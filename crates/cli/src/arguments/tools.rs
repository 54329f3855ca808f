//! Options of the commands that show, follow, compare and convert models, and of those about the command
//! itself.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

use super::options::{
    FormatArguments, LimitArguments, RelationArgument, SelectionArguments, SessionArguments,
};

#[derive(Args, Debug)]
pub(crate) struct DrawArguments {
    /// The model: .quad, .dcj, .bp, .arch, .qev, .net, .ia or .aut; or a folder of .bp files.
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) model: SelectionArguments,

    /// What to draw: `protocol` (the states; of an .arch file, its parts and wires), `states`, `wiring`; of a
    /// protocol also `role=R`, `sequence` (a run), `outline` (its text, with frames).
    #[arg(long, value_name = "VIEW", value_parser = view, default_value = "protocol")]
    pub(crate) view: View,

    /// Draw this trace of the model instead of its states.
    #[arg(long, value_name = "JSON")]
    pub(crate) trace: Option<PathBuf>,

    /// Where to; the name says how: .svg, .mmd (Mermaid) or .dot. Without it, stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// How to draw, whatever the name says [default: svg].
    #[arg(long, value_enum)]
    pub(crate) to: Option<DrawingFormat>,

    /// Draw at most this many states [default: 60; 10000 in DOT].
    #[arg(long, value_name = "N")]
    pub(crate) max_states: Option<u64>,
}

/// What is drawn of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum View {
    /// Its states.
    Protocol,
    /// What a role does.
    Role(String),
    /// A run.
    Sequence,
    /// The text of a .quad protocol as a sequence diagram with frames.
    Outline,
    /// The states, also of an architecture.
    States,
    /// The parts of an architecture and what joins them.
    Wiring,
}

fn view(text: &str) -> Result<View, String> {
    match text.split_once('=') {
        None if text == "protocol" => Ok(View::Protocol),
        None if text == "sequence" => Ok(View::Sequence),
        None if text == "outline" => Ok(View::Outline),
        None if text == "states" => Ok(View::States),
        None if text == "wiring" => Ok(View::Wiring),
        Some(("role", role)) => Ok(View::Role(role.to_owned())),
        _ => Err("write protocol, sequence, outline, states, wiring or role=NAME".to_owned()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum DrawingFormat {
    /// Scalable vector graphics, complete in itself.
    Svg,
    /// Text that Markdown viewers draw.
    Mermaid,
    /// Text for Graphviz.
    Dot,
}

#[derive(Args, Debug)]
pub(crate) struct StepArguments {
    /// The model: .quad, .dcj, .bp, .arch, .qev, .net, .ia or .aut; or a folder of .bp files.
    pub(crate) file: PathBuf,

    /// What `random` chooses follows from this number.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// What is printed after every step.
    #[arg(long, value_enum, default_value_t = StepView::Changes)]
    pub(crate) show: StepView,

    /// Bounds of the searches that `goto` makes, each by itself.
    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) model: SelectionArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum StepView {
    /// What the step changed.
    Changes,
    /// The whole state.
    State,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArguments {
    /// The model: .quad, .dcj, .bp, .arch, .qev, .net, .ia or .aut; or a folder of .bp files. Which protocol of
    /// it, and how components are put together, is recorded in the trace.
    pub(crate) file: PathBuf,

    /// The trace, as `check --trace-out FILE.json` or `check --format json` wrote it.
    pub(crate) trace: PathBuf,

    #[command(flatten)]
    pub(crate) output: FormatArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

#[derive(Args, Debug)]
pub(crate) struct CompareArguments {
    /// The first model: .quad, .dcj, .net, .ia or .aut.
    pub(crate) left: PathBuf,

    /// The second model.
    pub(crate) right: PathBuf,

    /// What is asked of the two.
    #[arg(long, value_enum, default_value_t = RelationArgument::Strong)]
    pub(crate) relation: RelationArgument,

    /// A label that is not seen from outside; may be repeated [default: tau and i].
    #[arg(long, value_name = "LABEL")]
    pub(crate) internal: Vec<String>,

    /// Branching and weak bisimulation tell apart whether internal steps can go on for ever.
    #[arg(long)]
    pub(crate) divergence: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArguments {
    /// The model: .quad, .dcj, .bp, .arch, .qev, .net, .ia or .aut; or a folder of .bp files.
    #[arg(required_unless_present = "formula")]
    pub(crate) file: Option<PathBuf>,

    /// A linear formula instead of a model; it is written as an automaton (.hoa).
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub(crate) formula: Option<String>,

    /// Where to; the name says how: .aut, .net, .pml (Promela) or .dot; .pnml for a .net file without
    /// channels and for a .pnml file, whose colours are unfolded; .hoa for a formula.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) model: SelectionArguments,
}

#[derive(Args, Debug)]
pub(crate) struct MinimiseArguments {
    /// The model: .quad, .dcj, .bp, .arch, .qev, .net, .ia or .aut; or a folder of .bp files.
    pub(crate) file: PathBuf,

    /// Modulo which equivalence.
    #[arg(long, value_enum, default_value_t = RelationArgument::Strong)]
    pub(crate) relation: RelationArgument,

    /// A label that is not seen from outside; may be repeated [default: tau and i].
    #[arg(long, value_name = "LABEL")]
    pub(crate) internal: Vec<String>,

    /// Branching and weak bisimulation tell apart whether internal steps can go on for ever.
    #[arg(long)]
    pub(crate) divergence: bool,

    /// Where to; the name says how: .aut, .net, .pml or .dot. Without it, .aut on stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) model: SelectionArguments,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// The code, such as Q001.
    pub(crate) code: Option<String>,

    /// The language of the examples, where the page has several.
    #[arg(long, value_enum, default_value_t = ExplainLanguage::Quad)]
    pub(crate) language: ExplainLanguage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ExplainLanguage {
    /// Our own language of protocols.
    Quad,
    /// Discourje's.
    Dcj,
}

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// The folder; it is made if there is none. Without it, the page of quadrille goes to stdout.
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

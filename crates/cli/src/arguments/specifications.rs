//! Options of commands about Alloy specifications.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::LimitArguments;

/// What is asked of a specification beside its commands.
#[derive(Args, Debug)]
#[command(next_help_heading = "Specifications (.als)")]
pub(crate) struct SpecificationArguments {
    /// Show so many instances of each command; none is another one with atoms renamed.
    #[arg(long, value_name = "N")]
    pub(crate) next: Option<usize>,

    /// Where there is no instance, show which parts of the specification contradict each other.
    #[arg(long)]
    pub(crate) core: bool,

    /// Show how large the circuits became, and what the solver did.
    #[arg(short = 'v', long)]
    pub(crate) statistics: bool,

    /// What happens where an integer does not fit into its bits [default: wrap].
    #[arg(long, value_enum)]
    pub(crate) overflow: Option<OverflowArgument>,

    /// Whether what is not found is proved for every length of run, and the solver's proofs are checked
    /// [default: auto].
    #[arg(long, value_enum)]
    pub(crate) proof: Option<ProofArgument>,

    /// Write the first instance as a page with pictures.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Write the first instance as Alloy's XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) xml: Option<PathBuf>,

    /// What the pictures show: lines `hide NAME`, `attribute NAME`, `project NAME` and
    /// `colour NAME #rrggbb`.
    #[arg(long, value_name = "FILE", requires = "html")]
    pub(crate) theme: Option<PathBuf>,
}

impl SpecificationArguments {
    /// The first option that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.next.is_some(), "--next"),
            (self.core, "--core"),
            (self.statistics, "--statistics"),
            (self.overflow.is_some(), "--overflow"),
            (self.proof.is_some(), "--proof"),
            (self.html.is_some(), "--html"),
            (self.xml.is_some(), "--xml"),
        ];
        given.iter().find(|(is_given, _)| *is_given).map(|(_, option)| *option)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum OverflowArgument {
    /// A comparison of a number that does not fit says nothing, as in Alloy's application and `exec -n`.
    Avoid,
    /// Integers wrap around, as in Alloy's `exec`.
    Wrap,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ProofArgument {
    /// Where it can be had.
    Auto,
    /// Only the steps of the scope are looked at.
    Off,
    /// Where it can be had; proofs of the solver that there is nothing are checked step by step.
    Checked,
}

#[derive(Args, Debug)]
pub(crate) struct EvalArguments {
    /// The specification (.als).
    pub(crate) file: PathBuf,

    /// A formula, set, relation or number.
    pub(crate) expression: String,

    /// The command whose first instance it is evaluated on [default: the first of the file].
    #[arg(long, value_name = "NAME")]
    pub(crate) command: Option<String>,

    /// The state of a trace.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) state: usize,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

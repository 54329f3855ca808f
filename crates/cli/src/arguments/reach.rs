//! Arguments of the commands for models that are too large to explore.

use std::path::PathBuf;

use clap::Args;
use quadrille_query::Lossy;

use crate::quantity::size;

use super::{AskedArguments, FormatArguments, LimitArguments, SelectionArguments, WorkerArguments};

/// What a search that may leave states out remembers of them.
pub(super) fn lossy(text: &str) -> Result<Lossy, String> {
    match text.split_once('=') {
        None if text == "hash-compact" => Ok(Lossy::Fingerprints),
        Some(("bitstate", bytes)) => Ok(Lossy::Bits { bytes: size(bytes)? }),
        _ => Err("write `hash-compact`, or `bitstate=SIZE` with a size such as 800M".to_owned()),
    }
}

#[derive(Args, Debug)]
pub(crate) struct SimulateArguments {
    /// The model: .quad, .dcj, .bp, .arch, .net, .ia, .aut, .qev or .tno; or a folder of .bp files.
    pub(crate) file: PathBuf,

    /// What all choices follow from: the same seed gives the same walks.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// How many walks.
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) walks: u64,

    /// The most steps of a walk.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) depth: u64,

    /// A deadlock is not a violation: a walk that comes to one ends there.
    #[arg(long)]
    pub(crate) allow_deadlock: bool,

    /// A property that the file expects to be violated is a violation.
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) asked: AskedArguments,

    /// A property of a .quad file; without this and without formulas, all of them are looked at. May
    /// be repeated.
    #[arg(long, value_name = "NAME", help_heading = "Formulas")]
    pub(crate) property: Vec<String>,

    #[command(flatten)]
    pub(crate) workers: WorkerArguments,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: FormatArguments,

    /// Write the run of a violation; the name says how: .txt, .json, .itf.json, .svg, .mmd.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) trace_out: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) model: SelectionArguments,
}

#[derive(Args, Debug)]
pub(crate) struct EstimateArguments {
    /// The model: .quad, .dcj, .bp, .arch, .net, .ia, .aut, .qev or .tno; or a folder of .bp files.
    pub(crate) file: PathBuf,

    /// How many states are explored to find out.
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,

    #[command(flatten)]
    pub(crate) workers: WorkerArguments,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,

    #[command(flatten)]
    pub(crate) output: FormatArguments,

    #[command(flatten)]
    pub(crate) model: SelectionArguments,
}

#[derive(Args, Debug)]
pub(crate) struct ExamineArguments {
    /// A folder with a `model.pnml` and files of formulas, or a folder of such folders.
    pub(crate) folder: PathBuf,

    /// An examination, such as `CTLFireability`; without this, all that the folder has. May be
    /// repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) exam: Vec<String>,

    /// Print the lines of the contest, and compare with nothing.
    #[arg(long)]
    pub(crate) contest: bool,

    /// Ask only what `expected.tsv` has an answer for.
    #[arg(long)]
    pub(crate) only_expected: bool,

    /// A part of the portfolio to leave out: `structural`, `trap`, `random`, `symbolic`, `explicit`, or a
    /// rule that makes nets smaller: `parallel`, `dead`, `siphon`, `dominated`, `constant`, `sink`,
    /// `equal`, `implicit`, `composed`, `after`, `before`, `loss`, `slice`. May be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) without: Vec<String>,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

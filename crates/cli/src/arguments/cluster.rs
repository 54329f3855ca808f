//! Arguments of searches that several processes share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{CheckArguments, Format};
use crate::quantity::duration;

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ClusterArguments {
    #[command(subcommand)]
    pub(crate) local: Option<ClusterCommand>,

    #[command(flatten)]
    pub(crate) join: Option<JoinArguments>,
}

impl ClusterArguments {
    /// What both ways to take part have in common.
    pub(crate) fn shared(&self) -> Option<&SharedArguments> {
        match (&self.local, &self.join) {
            (Some(ClusterCommand::Local(local)), _) => Some(&local.shared),
            (None, Some(join)) => Some(&join.shared),
            (None, None) => None,
        }
    }

    /// How results are printed.
    pub(crate) fn format(&self) -> Format {
        self.shared().map_or(Format::Text, |shared| shared.check.output.format.into())
    }
}

#[derive(Subcommand, Debug)]
pub(crate) enum ClusterCommand {
    /// Search with several processes on this machine, and look after them.
    #[command(after_help = "Example:\n  \
        quadrille cluster local --processes 2 examples/philosophers.net\n  \
        quadrille cluster local --processes 4 --workers 1 examples/philosophers.net --count\n  \
        quadrille cluster local --processes 2 examples/philosophers.net --store disk=phil.runs")]
    Local(Box<LocalArguments>),
}

#[derive(Args, Debug)]
pub(crate) struct LocalArguments {
    /// How many processes search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) processes: u16,

    #[command(flatten)]
    pub(crate) shared: SharedArguments,
}

#[derive(Args, Debug)]
pub(crate) struct JoinArguments {
    /// A text with a line `host:port` for each process of the cluster, the first for process 0.
    #[arg(long, value_name = "FILE")]
    pub(crate) hosts: PathBuf,

    /// Which of these processes this is, from 0 on. Process 0 prints the report.
    #[arg(long, value_name = "I")]
    pub(crate) process: usize,

    /// A file with at least 16 random bytes, the same for all processes: whoever does not know them is
    /// turned away. Make one by `head -c 32 /dev/urandom > FILE`.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret: PathBuf,

    #[command(flatten)]
    pub(crate) shared: SharedArguments,
}

/// What both have in common.
#[derive(Args, Debug)]
pub(crate) struct SharedArguments {
    /// How long a process waits for others: to come, and for a sign of life.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30s")]
    pub(crate) patience: Duration,

    /// Only count: states, transitions, deadlocks.
    #[arg(long)]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) check: CheckArguments,
}

//! Arguments of searches that several processes share.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{CheckArguments, Format};
use crate::quantity::duration;

#[derive(Args, Debug)]
pub(crate) struct ClusterArguments {
    #[command(subcommand)]
    pub(crate) command: ClusterCommand,
}

impl ClusterArguments {
    /// What both ways to take part have in common.
    pub(crate) fn shared(&self) -> &SharedArguments {
        match &self.command {
            ClusterCommand::Local(local) => &local.shared,
            ClusterCommand::Join(join) => &join.shared,
        }
    }

    /// How results are printed.
    pub(crate) fn format(&self) -> Format {
        self.shared().check.output.format.into()
    }
}

/// The same arguments with the word `join`, where `cluster --hosts …` leaves it out.
pub(crate) fn with_join(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let cluster =
        arguments.iter().skip(1).position(|word| !word.to_string_lossy().starts_with('-'));
    let Some(at) = cluster.map(|at| at + 1).filter(|&at| arguments[at] == "cluster") else {
        return arguments;
    };
    let is_option = |word: &OsString| {
        let word = word.to_string_lossy();
        word.starts_with("--") && word != "--help"
    };
    if arguments.get(at + 1).is_some_and(is_option) {
        arguments.insert(at + 1, "join".into());
    }
    arguments
}

#[derive(Subcommand, Debug)]
pub(crate) enum ClusterCommand {
    /// Search with several processes on this machine, and look after them.
    #[command(after_help = "Example:\n  \
        quadrille cluster local --processes 2 examples/philosophers.net\n  \
        quadrille cluster local --processes 4 --workers 1 examples/philosophers.net --count\n  \
        quadrille cluster local --processes 2 examples/philosophers.net --store disk=phil.runs")]
    Local(Box<LocalArguments>),
    /// Take part as one of the processes that a file names; the word `join` may be left out.
    #[command(after_help = "Example:\n  \
        quadrille cluster --hosts rack.txt --process 3 --secret rack.key examples/philosophers.net")]
    Join(Box<JoinArguments>),
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

    /// A file with at least 16 random bytes, the same for all processes: a peer that does not prove
    /// that it knows them is turned away. Make one by `head -c 32 /dev/urandom > FILE`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_may_be_left_out() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (text, expected) in [
            ("q cluster --hosts h m.net", "q cluster join --hosts h m.net"),
            ("q -q cluster --process 1", "q -q cluster join --process 1"),
            ("q cluster join --hosts h", "q cluster join --hosts h"),
            ("q cluster local --processes 2 m.net", "q cluster local --processes 2 m.net"),
            ("q cluster --help", "q cluster --help"),
            ("q check cluster --quiet", "q check cluster --quiet"),
            ("q", "q"),
        ] {
            assert_eq!(with_join(words(text)), words(expected), "{text}");
        }
    }
}

//! Arguments of searches that are larger than memory.

use std::path::PathBuf;

use clap::Args;
use quadrille_diagnostic::{Diagnostic, SourceId, Sources};
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{Folder, Identity, RunStore, Selection, fingerprint_of};

use super::FormatArguments;

/// Where states are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum StoreArgument {
    Memory,
    Runs,
    Disk(PathBuf),
}

fn store(text: &str) -> Result<StoreArgument, String> {
    match text.split_once('=') {
        None if text == "memory" => Ok(StoreArgument::Memory),
        None if text == "runs" => Ok(StoreArgument::Runs),
        Some(("disk", folder)) if !folder.is_empty() => Ok(StoreArgument::Disk(folder.into())),
        _ => Err("write `memory`, `runs`, or `disk=FOLDER`".to_owned()),
    }
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Store")]
pub(crate) struct StoreArguments {
    /// Where states are kept: in a table in `memory`; in sorted `runs`, which take one or two bytes
    /// for each; or in such runs on `disk=FOLDER`, where `--max-memory` only bounds how much is sorted
    /// at a time. Runs answer deadlock and invariants.
    #[arg(long, value_name = "STORE", value_parser = store, default_value = "memory")]
    pub(crate) store: StoreArgument,

    /// Go on with the search in the folder of `--store disk=FOLDER`, from its last complete level; begin
    /// where there is none.
    #[arg(long)]
    pub(crate) resume: bool,
}

impl StoreArguments {
    /// The runs that are asked for, if not a table. `questions` are the names of what is asked.
    pub(crate) fn runs(
        &self,
        title: &str,
        selection: &Selection,
        sources: &Sources,
        questions: &[String],
    ) -> Result<Option<RunStore>, Diagnostic> {
        let folder = match &self.store {
            StoreArgument::Disk(folder) => folder,
            _ if self.resume => {
                let message = "--resume goes on with a search on disk";
                let help = "name its folder: --store disk=FOLDER --resume";
                return Err(Diagnostic::error(&CONTRADICTION, message).help(help));
            }
            StoreArgument::Memory => return Ok(None),
            StoreArgument::Runs => return Ok(Some(RunStore::Memory)),
        };
        let identity = identity(title, selection, sources, questions);
        Ok(Some(RunStore::Disk { folder: Folder::new(folder), resume: self.resume, identity }))
    }

    /// The folder of a search on disk.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        match &self.store {
            StoreArgument::Disk(folder) => Some(folder.clone()),
            StoreArgument::Memory | StoreArgument::Runs => None,
        }
    }

    /// Refuses what does not go together with runs.
    pub(crate) fn refuse(&self, others: &[(bool, &str)]) -> Result<(), Diagnostic> {
        match self.store == StoreArgument::Memory {
            true => Ok(()),
            false => refuse("--store", others),
        }
    }
}

/// Refuses options that something cannot be combined with.
pub(crate) fn refuse(what: &str, others: &[(bool, &str)]) -> Result<(), Diagnostic> {
    match others.iter().find(|(is_asked, _)| *is_asked) {
        None => Ok(()),
        Some((_, option)) => {
            let message = format!("{what} cannot be combined with {option}");
            Err(Diagnostic::error(&CONTRADICTION, message).help("leave one of them out"))
        }
    }
}

/// What identifies a search: the model by its texts and the words that select it, and what is asked.
pub(crate) fn identity(
    title: &str,
    selection: &Selection,
    sources: &Sources,
    questions: &[String],
) -> Identity {
    let words = selection.words();
    // Formulas of the command line are questions, not a part of the model.
    let is_model = |source: &SourceId| !sources.name(*source).starts_with("formula ");
    let texts = sources.ids().filter(is_model).map(|source| sources.text(source).as_bytes());
    let parts: Vec<&[u8]> = texts.chain(words.iter().map(String::as_bytes)).collect();
    let asked: Vec<&[u8]> = questions.iter().map(String::as_bytes).collect();
    Identity {
        title: [&[title.to_owned()], &words[..]].concat().join(" "),
        model: fingerprint_of(&parts),
        questions: fingerprint_of(&asked),
    }
}

#[derive(Args, Debug)]
pub(crate) struct RunsArguments {
    /// The folder of `--store disk=FOLDER`, or one with several such folders.
    pub(crate) folder: PathBuf,

    /// Delete what searches left in it.
    #[arg(long)]
    pub(crate) delete: bool,

    #[command(flatten)]
    pub(crate) output: FormatArguments,
}

//! `quadrille runs`: how far searches on disk came; deletes them.

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::disk::{Folder, Shelf, delete, shelf};
use quadrille_query::codes::UNUSABLE;
use quadrille_query::unusable;
use quadrille_report::{RunsDocument, ShelfRecord, show_size};

use crate::Ended;
use crate::arguments::{Format, RunsArguments};
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(arguments: &RunsArguments, world: &World) -> Ended {
    let named = Folder::new(&arguments.folder);
    let mut folders = vec![named.clone()];
    folders.extend(world.folders_in(&arguments.folder).into_iter().map(Folder::new));
    if arguments.delete {
        let mut n_deleted = 0;
        for folder in folders.iter().rev().filter(|folder| world.is_folder(folder.path())) {
            n_deleted += delete(folder).map_err(|trouble| unusable(&trouble))?;
        }
        if n_deleted == 0 {
            return Err(nothing(&named).into());
        }
        world.remark(&format!("deleted {n_deleted} files\n"));
        return Ok(Exit::Holds);
    }
    let mut shelves = Vec::new();
    for folder in &folders {
        shelves.extend(shelf(folder).map_err(|trouble| unusable(&trouble))?);
    }
    if shelves.is_empty() {
        return Err(nothing(&named).into());
    }
    let records = || shelves.iter().map(record).collect();
    world.print(&match arguments.output.format {
        Format::Json => RunsDocument::new(records()).to_json(),
        Format::Text => shelves.iter().map(text).collect(),
    });
    Ok(Exit::Holds)
}

fn nothing(folder: &Folder) -> Diagnostic {
    let message = format!("no search is kept in `{}`", folder.path().display());
    let help = "begin one with `quadrille states FILE --store disk=FOLDER`";
    Diagnostic::error(&UNUSABLE, message).help(help)
}

fn record(shelf: &Shelf) -> ShelfRecord {
    ShelfRecord {
        folder: shelf.folder.display().to_string(),
        title: shelf.title.clone(),
        version: shelf.version.clone(),
        partition: shelf.partition.0,
        partitions: shelf.partition.1,
        complete: shelf.is_complete,
        states: shelf.states,
        transitions: shelf.transitions,
        levels: shelf.levels,
        frontier: shelf.frontier,
        bytes: shelf.bytes,
        files: shelf.files,
    }
}

fn text(shelf: &Shelf) -> String {
    let Shelf { folder, title, states, levels, frontier, bytes, .. } = shelf;
    let state = match (shelf.is_complete, shelf.partition) {
        (true, _) => "complete",
        (false, (_, 0 | 1)) => "not complete, goes on with --resume",
        (false, _) => "a part of a cluster's search",
    };
    format!(
        "{}\n  {title}\n  {state}\n  {states} states in {levels} levels, {frontier} in the last; {} \
         in {} files\n",
        folder.display(),
        show_size(*bytes),
        shelf.files
    )
}

//! The files that a check writes: traces in the format of the name, verdicts as JUnit XML.

use std::path::{Path, PathBuf};

use quadrille_diagnostic::Diagnostic;
use quadrille_report::{Story, itf, junit, sequence_mermaid, sequence_svg, story_json, story_text};

use super::Findings;
use crate::arguments::CheckArguments;
use crate::codes;
use crate::world::World;

/// Turns a trace into the text of a file.
type Writer = fn(&Story) -> String;

/// A file to write a trace to.
pub(super) struct TraceFile<'a> {
    path: &'a Path,
    write: Writer,
}

/// Endings of names and what they stand for; the longest first.
const FORMATS: [(&str, Writer); 5] = [
    (".itf.json", itf),
    (".json", story_json),
    (".txt", story_text),
    (".svg", sequence_svg),
    (".mmd", sequence_mermaid),
];

/// How each file is to be written; asked before anything is checked.
pub(super) fn trace_files(paths: &[PathBuf]) -> Result<Vec<TraceFile<'_>>, Vec<Diagnostic>> {
    let mut files = Vec::new();
    let mut unknown = Vec::new();
    for path in paths {
        let name = path.to_string_lossy();
        match FORMATS.iter().find(|(ending, _)| name.ends_with(ending)) {
            Some((_, write)) => files.push(TraceFile { path, write: *write }),
            None => {
                let message = format!("`{name}` does not say how to write a trace");
                unknown.push(
                    Diagnostic::error(&codes::UNKNOWN_FORMAT, message)
                        .help("end the name in .txt, .json, .itf.json, .svg or .mmd"),
                );
            }
        }
    }
    if unknown.is_empty() { Ok(files) } else { Err(unknown) }
}

/// Writes the trace of the first violation that has one.
pub(super) fn write_traces(
    files: &[TraceFile],
    findings: &Findings,
    world: &World,
) -> Result<(), Vec<Diagnostic>> {
    let mut stories = findings.outcomes.iter().filter_map(|outcome| outcome.story.as_ref());
    let Some(story) = stories.next() else {
        if !files.is_empty() {
            world.remark("no trace was written: nothing that was asked for is violated by one\n");
        }
        return Ok(());
    };
    for file in files {
        world.write(file.path, &(file.write)(story)).map_err(|unwritable| vec![unwritable])?;
    }
    Ok(())
}

/// Writes the verdicts as JUnit XML, where wanted.
pub(super) fn write_junit(
    arguments: &CheckArguments,
    findings: &Findings,
    world: &World,
) -> Result<(), Vec<Diagnostic>> {
    let Some(path) = &arguments.junit else { return Ok(()) };
    let xml = junit(&arguments.file.display().to_string(), &findings.outcomes);
    world.write(path, &xml).map_err(|unwritable| vec![unwritable])
}

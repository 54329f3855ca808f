//! The files that a check writes: traces in the format of the name, verdicts as JUnit XML.

use std::path::{Path, PathBuf};

use quadrille_diagnostic::Diagnostic;
use quadrille_report::{
    SpecificationTests, Story, Suite, itf, junit, sequence_mermaid, sequence_svg, story_json,
    story_text,
};

use super::Findings;
use crate::codes;
use crate::world::World;

/// Turns a trace into the text of a file.
type Writer = fn(&Story) -> String;

/// A file to write a trace to.
pub(crate) struct TraceFile<'a> {
    path: &'a Path,
    ending: &'static str,
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

/// How each file is to be written; settled before anything is checked.
pub(crate) fn trace_files(paths: &[PathBuf]) -> Result<Vec<TraceFile<'_>>, Vec<Diagnostic>> {
    let mut files = Vec::new();
    let mut unknown = Vec::new();
    for path in paths {
        let name = path.to_string_lossy();
        match FORMATS.iter().find(|(ending, _)| name.ends_with(ending)) {
            Some((ending, write)) => files.push(TraceFile { path, ending, write: *write }),
            None => {
                let message = format!("cannot infer the trace format from `{name}`");
                unknown.push(
                    Diagnostic::error(&codes::UNKNOWN_FORMAT, message)
                        .help("end the name in .txt, .json, .itf.json, .svg or .mmd"),
                );
            }
        }
    }
    if unknown.is_empty() { Ok(files) } else { Err(unknown) }
}

/// Writes the traces of all violations that have one.
pub(super) fn write_traces(
    files: &[TraceFile],
    findings: &Findings,
    world: &World,
) -> Result<(), Vec<Diagnostic>> {
    let traced = findings.traced();
    if traced.is_empty() && !files.is_empty() {
        world.remark("no trace was written: nothing that was asked for is violated by one\n");
    }
    for (number, &position) in traced.iter().enumerate() {
        let Some(story) = &findings.outcomes[position].story else { continue };
        for file in files {
            let path = numbered(file.path, file.ending, number, traced.len());
            world.write(&path, &(file.write)(story)).map_err(|unwritable| vec![unwritable])?;
        }
    }
    Ok(())
}

/// Writes one trace to all files.
pub(crate) fn write_story(
    files: &[TraceFile],
    story: &Story,
    world: &World,
) -> Result<(), Vec<Diagnostic>> {
    for file in files {
        world.write(file.path, &(file.write)(story)).map_err(|unwritable| vec![unwritable])?;
    }
    Ok(())
}

/// The file in `paths` that holds the trace of an outcome in the form that can be replayed.
pub(super) fn replayable(
    paths: &[PathBuf],
    findings: &Findings,
    position: usize,
) -> Option<PathBuf> {
    let files = trace_files(paths).ok()?;
    let file = files.iter().find(|file| file.ending == ".json")?;
    let traced = findings.traced();
    let number = traced.iter().position(|&traced| traced == position)?;
    Some(numbered(file.path, file.ending, number, traced.len()))
}

/// The file that a single trace can be replayed from.
pub(crate) fn replayable_in<'a>(files: &[TraceFile<'a>]) -> Option<&'a Path> {
    files.iter().find(|file| file.ending == ".json").map(|file| file.path)
}

/// The name of one of several trace files: `trace-1.json`, `trace-2.json`; the name as it is where
/// there is only one.
fn numbered(path: &Path, ending: &str, number: usize, of: usize) -> PathBuf {
    if of == 1 {
        return path.to_owned();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(ending).unwrap_or(&name);
    path.with_file_name(format!("{stem}-{}{ending}", number + 1))
}

/// Writes the verdicts as JUnit XML, where wanted.
pub(crate) fn write_junit(
    path: Option<&Path>,
    suites: &[Suite],
    specifications: &[SpecificationTests],
    world: &World,
) -> Result<(), Vec<Diagnostic>> {
    let Some(path) = path else { return Ok(()) };
    world.write(path, &junit(suites, specifications)).map_err(|unwritable| vec![unwritable])
}

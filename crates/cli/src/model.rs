//! From a file and the options that select a behaviour of it to a subject: warnings are shown, errors come
//! back. Also traces from files, with the options that they record.

use std::path::Path;

use clap::Parser;
use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_query::{
    Form, Language, Protocol, Selection, Subject, Watcher as _, language_in, load, load_all,
    read_text,
};
use quadrille_report::codes::NOT_A_TRACE;
use quadrille_report::{Story, read_story};

use crate::arguments::SelectionArguments;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Stop, codes};

/// Loads one behaviour of a file, in the form that is selected.
pub(crate) fn one(
    path: &Path,
    selection: &Selection,
    watcher: &mut Watcher<'_>,
    sources: &mut Sources,
) -> Result<Subject<'static>, Stop> {
    let (subject, diagnostics) = load(watcher.world(), sources, path, selection);
    let Some(mut subject) = subject else { return Err(diagnostics.into()) };
    crate::report(watcher.world(), sources, &diagnostics);
    if selection.session.form != Form::Global {
        watcher.begin("the protocol");
    }
    subject.take_form(watcher.limits(), &mut |progress| watcher.look(progress))?;
    watcher.end();
    Ok(subject)
}

/// Loads all behaviours of a file that the selection leaves open, with warnings.
pub(crate) fn all(
    path: &Path,
    selection: &Selection,
    world: &World,
    sources: &mut Sources,
) -> Result<(Vec<Subject<'static>>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (subjects, diagnostics) = load_all(world, sources, path, selection);
    if subjects.is_empty() { Err(diagnostics) } else { Ok((subjects, diagnostics)) }
}

/// The language of a file or folder.
pub(crate) fn language(path: &Path, world: &World) -> Result<&'static Language, Vec<Diagnostic>> {
    language_in(world, path).map_err(|unknown| vec![unknown])
}

/// Whether a file or folder holds components.
pub(crate) fn holds_components(path: &Path, world: &World) -> bool {
    language_in(world, path).is_ok_and(|language| language.ending == "bp")
}

/// The protocol of a subject, or what to say where there is none.
pub(crate) fn protocol<'s>(
    subject: &'s Subject<'_>,
    path: &Path,
) -> Result<&'s Protocol, Diagnostic> {
    subject.protocol().ok_or_else(|| no_protocol(path))
}

/// What to say where a protocol is needed.
pub(crate) fn no_protocol(path: &Path) -> Diagnostic {
    let message = format!("`{}` is no protocol", path.display());
    Diagnostic::error(&codes::NO_PROTOCOL, message).help("name a .quad or .dcj file")
}

/// Options that a trace records.
#[derive(Parser, Debug)]
#[command(no_binary_name = true)]
struct Recorded {
    #[command(flatten)]
    model: SelectionArguments,
}

/// Reads a trace, and the selection that it records.
pub(crate) fn recorded(
    path: &Path,
    world: &World,
    sources: &mut Sources,
) -> Result<(Story, Selection), Vec<Diagnostic>> {
    let source = read_text(world, path, sources).map_err(|unreadable| vec![unreadable])?;
    let story = read_story(source, sources.text(source)).map_err(|flaw| vec![flaw])?;
    let recorded = Recorded::try_parse_from(&story.options).map_err(|_| {
        let message = format!("the trace has unknown options: {}", story.options.join(" "));
        let diagnostic = Diagnostic::error(&NOT_A_TRACE, message);
        let help = "check again to get a trace of the model as it is now";
        vec![diagnostic.at(Span::new(source, 0..0), "").help(help)]
    })?;
    Ok((story, recorded.model.selection()))
}

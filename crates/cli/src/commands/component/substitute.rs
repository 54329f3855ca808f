//! `quadrille substitute`: may a component take the place of another, here and anywhere?

use quadrille_component::architecture::codes::{NO_PROTOCOL, UNKNOWN_COMPONENT};
use quadrille_component::architecture::{
    Architecture, ComponentId, Frame, assemble, compliances, substitution,
};
use quadrille_component::lint;
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_query::{
    CompositeSelection, Selection, find_component, read_components, read_system, subject,
};
use quadrille_report::CompositionDocument;

use super::check::content;
use super::{CompositionCheck, is_hidden, text, together};
use crate::arguments::{Format, SubstituteArguments};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop};

pub(crate) fn run(arguments: &SubstituteArguments, world: &World, sources: &mut Sources) -> Ended {
    let (system, warnings) = read_system(world, sources, &arguments.file)?;
    let old = find_component(&system, &arguments.component)?;
    let frame = replacement(arguments, world, sources)?;
    crate::report(world, sources, &warnings);
    let (changed, warnings) = system.substituted(old, &frame);
    if warnings.iter().any(lint::stops) {
        return Err(warnings.into());
    }
    crate::report(world, sources, &warnings);
    let mut watcher = Watcher::new(world, &arguments.limits);
    let mut fits = here(&changed, old, &mut watcher)?;
    let anywhere = anywhere(&system, old, &frame, &mut watcher)?;
    let anywhere_exit = anywhere.exit();
    let (mut verdict, mut exit) = together(&fits);
    if fits.is_empty() {
        (verdict, exit) = (anywhere.word(), anywhere_exit);
    }
    fits.push(anywhere);
    if is_hidden(&warnings, exit) {
        return Ok(Exit::CannotRun);
    }
    world.print(&match arguments.output.format {
        Format::Json => {
            let files = [&arguments.file, &arguments.replacement];
            let files = files.map(|path| path.display().to_string()).into();
            CompositionDocument::new(files, verdict, content(&fits, sources)).to_json()
        }
        Format::Text => {
            let style = world.output_style();
            let told = |fit: &CompositionCheck| {
                let (heading, verdict) = (text::heading(fit), text::verdict(fit, style));
                format!("{heading}: {verdict}\n{}", text::errors(fit, false, sources, style))
            };
            let told: String = fits.iter().map(told).collect();
            told + &answer(arguments, exit, anywhere_exit)
        }
    });
    Ok(exit)
}

/// The answer in one sentence, from the exits here and anywhere.
fn answer(arguments: &SubstituteArguments, here: Exit, anywhere: Exit) -> String {
    let (new, old) = (arguments.replacement.display(), &arguments.component);
    match (here, anywhere) {
        (Exit::Holds, Exit::Holds) => format!("`{new}` may replace `{old}` anywhere\n"),
        (Exit::Holds, _) => format!("`{new}` may replace `{old}` here, but not anywhere\n"),
        (Exit::Unknown, _) => format!("whether `{new}` may replace `{old}` is unknown\n"),
        _ => format!("`{new}` may not replace `{old}` here\n"),
    }
}

/// The component that replaces: the only one of the file, or the one of the same name.
fn replacement(
    arguments: &SubstituteArguments,
    world: &World,
    sources: &mut Sources,
) -> Result<Frame, Vec<Diagnostic>> {
    let (file, warnings) = read_components(world, sources, &arguments.replacement)?;
    crate::report(world, sources, &warnings);
    let named = file.components.iter().find(|one| one.name.text == arguments.component);
    let component = match (&file.components[..], named) {
        ([only], _) => only,
        (_, Some(named)) => named,
        _ => {
            let path = arguments.replacement.display();
            let message = format!("`{path}` has no component `{}`", arguments.component);
            let diagnostic = Diagnostic::error(&UNKNOWN_COMPONENT, message);
            return Err(vec![diagnostic.help("a file with one component needs no name in common")]);
        }
    };
    Ok(Frame { types: file.types.clone(), component: component.clone() })
}

/// Every compliance check of composites that contain the component.
fn here(
    changed: &Architecture,
    old: ComponentId,
    watcher: &mut Watcher<'_>,
) -> Result<Vec<CompositionCheck>, Stop> {
    let containers = changed.containers(old);
    let all = compliances(changed).into_iter();
    let mut fits = Vec::new();
    for (composite, compliance) in all.filter(|(composite, _)| containers.contains(composite)) {
        let assembly = assemble(changed, composite, compliance)?;
        let name = changed.component(composite).name.text.clone();
        let composite =
            CompositeSelection { composite: Some(name.clone()), compliance: Some(compliance) };
        let selection = Selection { composite, ..Selection::default() };
        let subject = subject(assembly, Some((name, compliance.to_string())), None, selection)?;
        fits.push(CompositionCheck::find(subject, false, watcher)?);
    }
    Ok(fits)
}

/// The replacement against everything that the environment of the component may do.
fn anywhere(
    system: &Architecture,
    old: ComponentId,
    frame: &Frame,
    watcher: &mut Watcher<'_>,
) -> Result<CompositionCheck, Stop> {
    let component = system.component(old);
    let name = component.name.text.clone();
    let Some(assembly) = substitution(system, old, frame) else {
        let message = format!("`{name}` has no frame protocol to compare with");
        return Err(Diagnostic::error(&NO_PROTOCOL, message).at(component.name.span, "").into());
    };
    let kind = Some((name, "anywhere".to_owned()));
    let subject = subject(assembly?, kind, None, Selection::default())?;
    Ok(CompositionCheck::find(subject, false, watcher)?)
}

//! `quadrille substitute`: may a component take the place of another, here and anywhere?

use quadrille_component::architecture::codes::{NO_PROTOCOL, UNKNOWN_COMPONENT};
use quadrille_component::architecture::{ComponentId, Frame, System, compliances, substitution};
use quadrille_component::lint;
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_report::{FitContent, FitDocument};

use super::fit::{Check, Effort, Fit, together};
use super::{is_hidden, text};
use crate::arguments::{Format, SubstituteArguments};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, architectures, components};

pub(crate) fn run(arguments: &SubstituteArguments, world: &World, sources: &mut Sources) -> Ended {
    let (system, odd) = architectures::read(&arguments.file, world, sources)?;
    let old =
        architectures::find(&system, &arguments.component).map_err(|unknown| vec![unknown])?;
    let frame = replacement(arguments, world, sources)?;
    crate::report(world, sources, &odd);
    let (changed, odd) = system.substituted(old, &frame);
    if odd.iter().any(lint::stops) {
        return Err(odd.into());
    }
    crate::report(world, sources, &odd);
    let mut watcher = Watcher::new(world, &arguments.limits);
    let here = here(&changed, old, &mut watcher)?;
    let anywhere = anywhere(&system, old, &frame, &mut watcher)?;
    let (mut verdict, mut exit) = together(here.iter().map(|check| &check.fit));
    if here.is_empty() {
        (verdict, exit) = (anywhere.fit.word(), anywhere.fit.exit());
    }
    if is_hidden(&odd, exit) {
        return Ok(Exit::CannotRun);
    }
    world.print(&match arguments.format {
        Format::Json => {
            let checks = here.iter().chain([&anywhere]).map(|check| check.record(sources));
            let content = FitContent::Several { checks: checks.collect() };
            let files = [&arguments.file, &arguments.replacement];
            let files = files.map(|path| path.display().to_string()).into();
            FitDocument::new(files, verdict, content).to_json()
        }
        Format::Text => {
            let style = world.output_style();
            let checks = here.iter().chain([&anywhere]);
            let told: String = checks.map(|check| text::check(check, sources, style)).collect();
            told + &answer(arguments, exit, anywhere.fit.exit())
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
    let (file, warnings) = components::read(&arguments.replacement, world, sources)?;
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

/// Everything that the architecture asks of composites that contain the component.
fn here(
    changed: &System,
    old: ComponentId,
    watcher: &mut Watcher,
) -> Result<Vec<Check>, Vec<Diagnostic>> {
    let containers = changed.containers(old);
    let all = compliances(changed).into_iter();
    let asked = all.filter(|(composite, _)| containers.contains(composite));
    asked
        .map(|(composite, kind)| Check::find(changed, composite, kind, Effort::Whole, watcher))
        .collect()
}

/// The replacement against everything that the surroundings of the component may do.
fn anywhere(
    system: &System,
    old: ComponentId,
    frame: &Frame,
    watcher: &mut Watcher,
) -> Result<Check, Vec<Diagnostic>> {
    let component = system.component(old);
    let name = component.name.text.clone();
    let Some(assembly) = substitution(system, old, frame) else {
        let message = format!("`{name}` has no frame protocol to compare with");
        return Err(vec![Diagnostic::error(&NO_PROTOCOL, message).at(component.name.span, "")]);
    };
    let assembly = assembly.map_err(|flaw| vec![flaw])?;
    let fit = Fit::find(assembly, "anywhere", Vec::new(), Effort::Whole, watcher)?;
    Ok(Check { name, kind: "anywhere".to_owned(), fit })
}

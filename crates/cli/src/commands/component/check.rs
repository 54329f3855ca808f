//! `quadrille check` on components: do they fit together?

use quadrille_diagnostic::Sources;
use quadrille_report::{FitContent, FitDocument};

use super::fit::Fit;
use super::{is_hidden, text};
use crate::arguments::{CheckArguments, Format};
use crate::commands::check::outputs::{TraceFile, write_junit, write_story};
use crate::exit::Exit;
use crate::input::no_session;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, components};

pub(crate) fn run(
    arguments: &CheckArguments,
    trace_files: &[TraceFile],
    world: &World,
    sources: &mut Sources,
) -> Ended {
    no_session(&arguments.file, &arguments.session)?;
    let (assembly, odd) =
        components::assemble(&arguments.file, &arguments.components, world, sources)?;
    crate::report(world, sources, &odd);
    arguments.composite.refuse(&arguments.file)?;
    let options = components::words(&arguments.components);
    let n_components = assembly.members().len();
    let mut watcher = Watcher::new(world, &arguments.limits);
    let fit = Fit::find(assembly, "components", options, arguments.effort(), &mut watcher)?;
    if is_hidden(&odd, fit.exit()) {
        return Ok(Exit::CannotRun);
    }
    if let Some(path) = fit.paths().first() {
        write_story(trace_files, &fit.story(path), world)?;
    }
    write_junit(arguments, &[fit.outcome("components fit together".to_owned())], world)?;
    world.print(&match arguments.format {
        Format::Json => {
            let files = std::iter::once(&arguments.file).chain(&arguments.components.more);
            let files = files.map(|path| path.display().to_string()).collect();
            let record = FitContent::One(Box::new(fit.record(sources)));
            FitDocument::new(files, fit.word(), record).to_json()
        }
        Format::Text => {
            let style = world.output_style();
            let verdict = text::verdict(&fit, style);
            let noun = crate::quantity::count(n_components as u64, "component");
            let errors = text::errors(&fit, sources, style);
            format!("{noun}: {verdict}\n{errors}{}", text::again(&fit, &arguments.file))
        }
    });
    Ok(fit.exit())
}

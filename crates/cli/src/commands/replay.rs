//! `quadrille replay`: does a trace fit a model?

use quadrille_diagnostic::Sources;
use quadrille_engine::Stopped;
use quadrille_query::SessionSelection;
use quadrille_report::{Mismatch, ReplayDocument, Story, retrace, steps_text};

use crate::arguments::{Format, LimitArguments, ReplayArguments};
use crate::exit::Exit;
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, model};

pub(crate) fn run(arguments: &ReplayArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &LimitArguments::default());
    let (story, mut selection) = model::recorded(&arguments.trace, world, sources)?;
    let session = arguments.session.selection();
    if session != SessionSelection::default() {
        selection.session = session;
    }
    let subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let misfit = match retrace(&story, subject.model()) {
        Ok(_) => None,
        Err(Mismatch::Problem(problem)) => return Err(Stopped::Failed(problem.into()).into()),
        Err(misfit) => Some(misfit),
    };
    let file = arguments.file.display().to_string();
    world.print(&match arguments.output.format {
        Format::Json => ReplayDocument::new(&file, &story, misfit.as_ref()).to_json(),
        Format::Text => text(&story, misfit.as_ref(), world.width()),
    });
    Ok(if misfit.is_some() { Exit::Violated } else { Exit::Holds })
}

fn text(story: &Story, misfit: Option<&Mismatch>, width: usize) -> String {
    let steps = count(story.steps.len() as u64, "step");
    let first = match misfit {
        None => format!("fits: the model performs all {steps} and ends as told"),
        Some(misfit) => format!("does not fit: {}", misfit.describe(story)),
    };
    format!("{first}\nproperty: {}\n\n{}", story.property, steps_text(story, width))
}

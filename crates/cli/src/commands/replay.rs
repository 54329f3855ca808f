//! `quadrille replay`: does a trace fit a model?

use quadrille_diagnostic::Sources;
use quadrille_report::{Mismatch, ReplayDocument, Story, read_story, retrace, steps_text};

use crate::Ended;
use crate::arguments::{Format, LimitArguments, ReplayArguments};
use crate::exit::Exit;
use crate::input::load;
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;

pub(crate) fn run(arguments: &ReplayArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &LimitArguments::default());
    let input = load(&arguments.file, &arguments.session, &[], &mut watcher, sources)?;
    let source = world.read(&arguments.trace, sources).map_err(|unreadable| vec![unreadable])?;
    let story = read_story(source, sources.text(source)).map_err(|flaw| vec![flaw])?;
    let misfit = retrace(&story, input.model()).err();
    input.sound()?;
    let file = arguments.file.display().to_string();
    world.print(&match arguments.format {
        Format::Json => ReplayDocument::new(&file, &story, misfit.as_ref()).to_json(),
        Format::Text => text(&story, misfit.as_ref()),
    });
    Ok(if misfit.is_some() { Exit::Violated } else { Exit::Holds })
}

fn text(story: &Story, misfit: Option<&Mismatch>) -> String {
    let steps = count(story.steps.len() as u64, "step");
    let first = match misfit {
        None => format!("fits: the model performs all {steps} and ends as told"),
        Some(misfit) => format!("does not fit: {}", misfit.describe(story)),
    };
    format!("{first}\nproperty: {}\n\n{}", story.property, steps_text(story))
}

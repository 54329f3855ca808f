//! Traces from files, with the options that they record: how the model was made of components.

use std::path::Path;

use clap::Parser;
use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_report::codes::NOT_A_TRACE;
use quadrille_report::{Story, read_story};

use crate::architectures::CompositeArguments;
use crate::arguments::SessionArguments;
use crate::components::ComponentArguments;
use crate::input::Which;
use crate::world::World;

/// Options that make a model of components.
#[derive(Parser, Clone, PartialEq, Eq, Debug, Default)]
#[command(no_binary_name = true)]
pub(crate) struct Recorded {
    #[command(flatten)]
    pub(crate) components: ComponentArguments,

    #[command(flatten)]
    pub(crate) composite: CompositeArguments,
}

impl Recorded {
    /// The model that is meant by these options and those of a protocol.
    pub(crate) fn which<'a>(&'a self, session: &'a SessionArguments) -> Which<'a> {
        Which { session, components: &self.components, composite: &self.composite }
    }
}

/// Reads a trace and what it records.
pub(crate) fn read(
    path: &Path,
    world: &World,
    sources: &mut Sources,
) -> Result<(Story, Recorded), Vec<Diagnostic>> {
    let source = world.read(path, sources).map_err(|unreadable| vec![unreadable])?;
    let story = read_story(source, sources.text(source)).map_err(|flaw| vec![flaw])?;
    let recorded = Recorded::try_parse_from(&story.options).map_err(|_| {
        let message = format!("the trace has unknown options: {}", story.options.join(" "));
        let diagnostic = Diagnostic::error(&NOT_A_TRACE, message);
        let help = "check again to get a trace of the model as it is now";
        vec![diagnostic.at(Span::new(source, 0..0), "").help(help)]
    })?;
    Ok((story, recorded))
}

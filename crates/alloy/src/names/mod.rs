//! From trees to a [`World`]: modules, names, bounding types, overloads, relevance.

mod calls;
mod commands;
mod context;
mod declare;
mod deduce;
mod make;
mod modules;
mod relevance;
pub(crate) mod typed;
pub(crate) mod types;
pub(crate) mod world;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources};

pub(crate) use context::mult_of;
pub use modules::Files;
pub use world::World;

/// Reads a file with all that it opens.
pub fn read(
    files: &mut dyn Files,
    path: &str,
    source: SourceId,
    text: &str,
) -> Result<World, Vec<Diagnostic>> {
    let modules = modules::Modules::read(files, path, source, text).map_err(|error| vec![error])?;
    declare::declare(modules)
}

/// Reads an expression that stands in no text, as if it stood in the first module.
pub(crate) fn read_expression(
    world: &mut World,
    source: SourceId,
    text: &str,
) -> Result<typed::Typed, Diagnostic> {
    let tree = crate::syntax::parse_expression(&crate::DIALECT, source, text)?;
    declare::expression(world, &tree)
}

/// Files of one set of sources, none on disk: what is opened comes with the language.
pub struct Alone<'a>(pub &'a mut Sources);

impl Files for Alone<'_> {
    fn text(&mut self, _: &str) -> Option<(SourceId, String)> {
        None
    }

    fn library(&mut self, name: &str, text: &'static str) -> SourceId {
        self.0.add(name, text)
    }
}

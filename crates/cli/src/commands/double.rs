//! `quadrille double`: Rust traits of a component, and a test double of its environment.

use quadrille_component::syntax::{Component, EnumType};
use quadrille_contract::generate::{Written, double};
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{ComponentSelection, assemble, has_extension};

use super::deliver::deliver;
use super::frame::{of_traits, unknown_name};
use crate::arguments::DoubleArguments;
use crate::world::World;
use crate::{Ended, model};

pub(crate) fn run(arguments: &DoubleArguments, world: &World, sources: &mut Sources) -> Ended {
    let text = if has_extension(&arguments.file, "rs") {
        let (source, frames) = of_traits(&arguments.file, world, sources)?;
        let all: Vec<(&[EnumType], &Component)> =
            frames.iter().map(|frame| (&[][..], frame)).collect();
        let text = sources.text(source);
        let written = Written { text, import: arguments.import.as_deref().unwrap_or("super::*") };
        of(&all, arguments, Some(written))?
    } else {
        if !model::holds_components(&arguments.file, world) {
            let message = format!("`{}` holds no components", arguments.file.display());
            let help = "give .bp files, a folder of them, or a .rs file with annotated traits";
            return Err(vec![Diagnostic::error(&CONTRADICTION, message).help(help)].into());
        }
        if arguments.import.is_some() {
            let message = "--import is for traits that are written already, in a .rs file";
            return Err(vec![Diagnostic::error(&CONTRADICTION, message)].into());
        }
        let none = ComponentSelection::default();
        let (assembly, _) = assemble(world, sources, &arguments.file, &none)?;
        let members = assembly.members().iter();
        let all: Vec<(&[EnumType], &Component)> =
            members.map(|member| (&member.types[..], &member.component)).collect();
        of(&all, arguments, None)?
    };
    deliver(&text, &arguments.out, world, sources)
}

/// The double of the selected component.
fn of(
    all: &[(&[EnumType], &Component)],
    arguments: &DoubleArguments,
    written: Option<Written<'_>>,
) -> Result<String, Vec<Diagnostic>> {
    let names: Vec<String> = all.iter().map(|(_, one)| one.name.text.clone()).collect();
    let (types, component) = match (all, &arguments.component) {
        ([only], None) => only,
        (_, None) => {
            let message = format!("`{}` has several components", arguments.file.display());
            let help = format!("name one with --component: `{}`", names.join("`, `"));
            return Err(vec![Diagnostic::error(&CONTRADICTION, message).help(help)]);
        }
        (_, Some(name)) => all
            .iter()
            .find(|(_, one)| one.name.text == *name)
            .ok_or_else(|| vec![unknown_name(name, &names)])?,
    };
    double(types, component, written).map_err(|error| vec![error.of(component)])
}

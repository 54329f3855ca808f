//! `quadrille lint` on components and architectures: what is probably a mistake in their texts?

use quadrille_component::architecture;
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_report::LintFinding;

use crate::arguments::LintArguments;
use crate::commands::lint::tell;
use crate::input::no_session;
use crate::world::{World, has_extension};
use crate::{Ended, architectures, codes, components};

pub(crate) fn run(arguments: &LintArguments, world: &World, sources: &mut Sources) -> Ended {
    no_session(&arguments.file, &arguments.protocol.clone().into())?;
    if arguments.asked.asks() {
        let message = format!("`{}` is no protocol", arguments.file.display());
        let help = "formulas are looked at beside protocols only";
        return Err(vec![Diagnostic::error(&codes::CONTRADICTION, message).help(help)].into());
    }
    let mut found = if has_extension(&arguments.file, "arch") {
        arguments.components.refuse(&arguments.file)?;
        let (system, mut odd) = architectures::read(&arguments.file, world, sources)?;
        odd.extend(architecture::lint(&system).map_err(|too_large| vec![too_large])?);
        odd
    } else {
        let (assembly, mut odd) =
            components::assemble(&arguments.file, &arguments.components, world, sources)?;
        odd.extend(assembly.open_choices());
        odd
    };
    found.sort_by_key(|one| one.labels.first().map(|label| label.span));
    let findings: Vec<LintFinding> = found.into_iter().map(LintFinding::from).collect();
    Ok(tell(arguments, &findings, world, sources))
}

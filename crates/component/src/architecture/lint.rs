//! What is probably a mistake in how the parts of composites talk to each other and to the frame.

use quadrille_diagnostic::Diagnostic;

use super::plan::{Compliance, assemble};
use super::system::{Architecture, ComponentId};
use crate::lint::check_system;

/// Looks at every composite, those inside others first. What can be said about a protocol by itself was
/// said when the architecture was read.
pub fn lint(system: &Architecture) -> Result<Vec<Diagnostic>, Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for &id in system.bottom_up() {
        if system.component(id).is_composite() {
            let new = look(system, id)?;
            found.extend(new.into_iter().filter(|one| !found.contains(one)).collect::<Vec<_>>());
        }
    }
    Ok(found)
}

fn look(system: &Architecture, composite: ComponentId) -> Result<Vec<Diagnostic>, Diagnostic> {
    let has_frame = system.component(composite).frame.is_some();
    let compliance = if has_frame { Compliance::Vertical } else { Compliance::Horizontal };
    let assembly = assemble(system, composite, compliance)?;
    let mut parts = assembly.members().iter().map(|member| &member.component).collect::<Vec<_>>();
    let mut known_bindings = assembly.known_bindings();
    if has_frame {
        // The frame, inverted, comes last.
        known_bindings.environment = parts.pop().cloned();
    }
    let mut found = check_system(&parts, &known_bindings);
    found.extend(assembly.open_choices());
    Ok(found)
}

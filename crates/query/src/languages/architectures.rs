//! Architectures: read with the protocols they refer to; each compliance of each composite is a subject.

use std::path::Path;
use std::rc::Rc;

use quadrille_component::architecture::codes::{NO_PROTOCOL, UNKNOWN_COMPONENT};
use quadrille_component::architecture::{
    self, Architecture, Compliance, ComponentId, assemble, compliances,
};
use quadrille_component::lint;
use quadrille_diagnostic::{Diagnostic, Sources, similar};

use super::components::subject;
use crate::codes::CONTRADICTION;
use crate::files::{Files, read_text};
use crate::language::{Loaded, Loader, Wanted};
use crate::selection::{CompositeSelection, Selection};

/// Reads an architecture and the protocols it refers to, with warnings.
pub fn read_system(
    files: &dyn Files,
    sources: &mut Sources,
    path: &Path,
) -> Result<(Architecture, Vec<Diagnostic>), Vec<Diagnostic>> {
    let source = read_text(files, path, sources).map_err(|unreadable| vec![unreadable])?;
    let text = sources.text(source).to_owned();
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut read = |name: &str| {
        let source = read_text(files, &folder.join(name), sources)?;
        Ok((source, sources.text(source).to_owned()))
    };
    let (system, diagnostics) = architecture::load(source, &text, &mut read);
    if diagnostics.iter().any(lint::stops) { Err(diagnostics) } else { Ok((system, diagnostics)) }
}

pub(crate) fn load(loader: &mut Loader<'_>, path: &Path) -> Loaded {
    let (system, diagnostics) = read_system(loader.files, loader.sources, path)?;
    loader.warnings.extend(diagnostics);
    let wanted = &loader.selection.composite;
    let selected = match loader.wanted {
        Wanted::All => selected(&system, wanted),
        Wanted::One => one(&system, wanted).map(|one| vec![one]),
    };
    let selected = selected.map_err(|unclear| vec![unclear])?;
    let system = Rc::new(system);
    let made = selected.into_iter().map(|(composite, compliance)| {
        let assembly = assemble(&system, composite, compliance).map_err(|flaw| vec![flaw])?;
        let name = system.component(composite).name.text.clone();
        let kind = Some((name.clone(), compliance.to_string()));
        let composite = CompositeSelection { composite: Some(name), compliance: Some(compliance) };
        let selection = Selection { composite, ..loader.selection.clone() };
        subject(assembly, kind, Some(Rc::clone(&system)), selection)
    });
    made.collect()
}

/// The compliance checks that a selection leaves open; never empty.
fn selected(
    system: &Architecture,
    wanted: &CompositeSelection,
) -> Result<Vec<(ComponentId, Compliance)>, Diagnostic> {
    let mut all = compliances(system);
    if let Some(name) = &wanted.composite {
        let id = find_component(system, name)?;
        if !system.component(id).is_composite() {
            let message = format!("`{name}` has no parts");
            let place = system.component(id).name.span;
            return Err(Diagnostic::error(&UNKNOWN_COMPONENT, message).at(place, ""));
        }
        all.retain(|(composite, _)| *composite == id);
    }
    if let Some(wanted) = wanted.compliance {
        all.retain(|(_, compliance)| *compliance == wanted);
    }
    if all.is_empty() && wanted.compliance == Some(Compliance::Vertical) {
        let message = "none of the selected composites has a frame protocol";
        return Err(Diagnostic::error(&NO_PROTOCOL, message));
    }
    if all.is_empty() {
        let message = "the architecture has no composite";
        return Err(Diagnostic::error(&UNKNOWN_COMPONENT, message));
    }
    Ok(all)
}

/// The one compliance check of a selection, where one model is needed.
fn one(
    system: &Architecture,
    wanted: &CompositeSelection,
) -> Result<(ComponentId, Compliance), Diagnostic> {
    let all = selected(system, wanted)?;
    let name = |id: ComponentId| &system.component(id).name.text;
    let mut names: Vec<&String> = all.iter().map(|(id, _)| name(*id)).collect();
    names.dedup();
    match (&all[..], &names[..]) {
        // Vertical comes last.
        ([.., last], [_]) => Ok(*last),
        _ => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let message = format!("the architecture has the composites {}", names.join(", "));
            let help = "name one of them with --composite";
            Err(Diagnostic::error(&CONTRADICTION, message).help(help))
        }
    }
}

/// The component of a name.
pub fn find_component(system: &Architecture, name: &str) -> Result<ComponentId, Diagnostic> {
    system.find(name).ok_or_else(|| {
        let message = format!("the architecture has no component `{name}`");
        let mut diagnostic = Diagnostic::error(&UNKNOWN_COMPONENT, message);
        let near = similar(name, system.names());
        diagnostic.help = near.first().map(|near| format!("did you mean `{near}`?"));
        diagnostic
    })
}

//! From a file to a model: the kind by the name, the text by its reader.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources, similar};
use quadrille_engine::Unrepeatable;
use quadrille_model::Model;
use quadrille_notation::{read_aut, read_net};

use crate::codes;
use crate::world::World;

/// The kinds of files that describe a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A transition system in Aldebaran format.
    Table,
    /// A network of participants and channels, by name or by position.
    Network,
}

/// Extensions with what they mean.
const KINDS: [(&str, Kind, &str); 3] = [
    ("aut", Kind::Table, "a transition system in Aldebaran format"),
    ("net", Kind::Network, "a network of participants and channels"),
    ("ia", Kind::Network, "a network in positional form"),
];

/// Reads a model. Warnings are shown at once; errors come back.
pub(crate) fn load(
    path: &Path,
    world: &World,
    sources: &mut Sources,
) -> Result<Box<dyn Model>, Vec<Diagnostic>> {
    let kind = kind(path).map_err(|unknown| vec![unknown])?;
    let source = world.read(path, sources).map_err(|unreadable| vec![unreadable])?;
    let (model, diagnostics): (Option<Box<dyn Model>>, _) = match kind {
        Kind::Table => {
            let (table, diagnostics) = read_aut(source, sources.text(source));
            (table.map(|table| Box::new(table) as _), diagnostics)
        }
        Kind::Network => {
            let (network, diagnostics) = read_net(source, sources.text(source));
            (network.map(|network| Box::new(network) as _), diagnostics)
        }
    };
    let Some(model) = model else { return Err(diagnostics) };
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    crate::report(world, sources, &diagnostics);
    let mut starts = false;
    model.initial(&mut |_| starts = true);
    if !starts {
        let message = format!("`{}` has no initial state", path.display());
        return Err(vec![Diagnostic::error(&codes::NO_INITIAL_STATE, message)]);
    }
    Ok(model)
}

fn kind(path: &Path) -> Result<Kind, Diagnostic> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let extension = extension.unwrap_or_default();
    if let Some((_, kind, _)) = KINDS.iter().find(|(known, _, _)| *known == extension) {
        return Ok(*kind);
    }
    let message = format!("`{}` is of no kind that is known", path.display());
    let mut diagnostic = Diagnostic::error(&codes::UNKNOWN_KIND, message);
    for (known, _, meaning) in KINDS {
        diagnostic = diagnostic.note(format!(".{known}: {meaning}"));
    }
    let help = match similar(&extension, KINDS.map(|(known, _, _)| known)).first() {
        Some(near) => format!("did you mean `.{near}`?"),
        None => "give the file one of these endings".to_owned(),
    };
    Err(diagnostic.help(help))
}

/// What to say where a model did not perform a counterexample again.
pub(crate) fn unrepeatable(unrepeatable: Unrepeatable) -> Vec<Diagnostic> {
    vec![Diagnostic::error(&codes::UNREPEATABLE, unrepeatable.to_string())]
}

//! Models as data: tables in Aldebaran format, networks by name or by position.

use std::path::Path;

use quadrille_diagnostic::Diagnostic;
use quadrille_formats::{read_aut, read_net};
use quadrille_model::Model;

use crate::language::{Loaded, Loader};
use crate::subject::Subject;
use crate::vocabulary::Vocabulary;

pub(crate) fn table(loader: &mut Loader<'_>, path: &Path) -> Loaded {
    let source = loader.text(path)?;
    let (table, diagnostics) = read_aut(source, loader.sources.text(source));
    one(loader, table, diagnostics)
}

pub(crate) fn network(loader: &mut Loader<'_>, path: &Path) -> Loaded {
    let source = loader.text(path)?;
    let (network, diagnostics) = read_net(source, loader.sources.text(source));
    one(loader, network, diagnostics)
}

fn one<M: Model + 'static>(
    loader: &mut Loader<'_>,
    model: Option<M>,
    diagnostics: Vec<Diagnostic>,
) -> Loaded {
    match model {
        Some(model) if !diagnostics.iter().any(Diagnostic::is_error) => {
            loader.warnings.extend(diagnostics);
            Ok(vec![Subject::of_model(Box::new(model), Vocabulary::Labels)])
        }
        _ => Err(diagnostics),
    }
}

//! Components: whether they fit together, in files, in an architecture, and after one was replaced; what
//! is odd about them; what is left of them after reduction.

pub(crate) mod architecture;
pub(crate) mod check;
mod fit;
pub(crate) mod lint;
pub(crate) mod monitor;
pub(crate) mod reduce;
pub(crate) mod substitute;
mod text;

pub(crate) use fit::Effort;

use quadrille_diagnostic::Diagnostic;

use crate::exit::Exit;

/// Whether the texts have an error that their composition does not show: then there is no verdict.
fn is_hidden(odd: &[Diagnostic], exit: Exit) -> bool {
    exit == Exit::Holds && odd.iter().any(Diagnostic::is_error)
}

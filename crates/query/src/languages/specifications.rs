//! Specifications of Alloy: constraints, which other commands than those about models answer.

use std::path::Path;

use quadrille_diagnostic::Diagnostic;

use crate::codes::UNKNOWN_KIND;
use crate::language::{Loaded, Loader};

/// There is no model in it to take steps in.
pub(crate) fn load(_: &mut Loader<'_>, path: &Path) -> Loaded {
    let path = path.display();
    let message = format!("`{path}` is an Alloy specification, which this cannot read");
    let help =
        format!("`quadrille check {path}` answers its commands; `test` and `eval` read it, too");
    Err(vec![Diagnostic::error(&UNKNOWN_KIND, message).help(help)])
}

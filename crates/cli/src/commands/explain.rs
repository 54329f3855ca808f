//! `quadrille explain`: the manual pages of diagnostics.

use std::fmt::Write as _;

use quadrille_diagnostic::{Diagnostic, similar};

use crate::arguments::ExplainArguments;
use crate::exit::Exit;
use crate::world::World;
use crate::{Ended, codes, manual};

pub(crate) fn run(arguments: &ExplainArguments, world: &World) -> Ended {
    let codes = manual::all();
    let Some(wanted) = &arguments.code else {
        let mut list = String::new();
        for code in codes {
            let page = code.page();
            let _ = writeln!(list, "{}  {}", code.id, page.lines().next().unwrap_or_default());
        }
        world.print(&list);
        return Ok(Exit::Holds);
    };
    if let Some(code) = codes.iter().find(|code| code.id.eq_ignore_ascii_case(wanted)) {
        world.print(&format!("{}: {}\n", code.id, code.page()));
        return Ok(Exit::Holds);
    }
    let near = similar(wanted, codes.iter().map(|code| code.id));
    let help = match near.as_slice() {
        [] => "`quadrille explain` lists all codes".to_owned(),
        near => format!("did you mean {}? `quadrille explain` lists all codes", near.join(" or ")),
    };
    let message = format!("there is no diagnostic `{wanted}`");
    Err(vec![Diagnostic::error(&codes::UNKNOWN_CODE, message).help(help)].into())
}

//! `quadrille explain`: the manual pages of diagnostics.

use std::fmt::Write as _;

use quadrille_diagnostic::{Diagnostic, similar};

use crate::arguments::{ExplainArguments, ExplainLanguage};
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
        let page = in_language(&code.page(), arguments.language);
        world.print(&format!("{}: {page}\n", code.id));
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

/// A page with the examples of one language of protocols only, where it has them in both.
fn in_language(page: &str, language: ExplainLanguage) -> String {
    let (shown, hidden) = match language {
        ExplainLanguage::Quad => ("```quad", "```dcj"),
        ExplainLanguage::Dcj => ("```dcj", "```quad"),
    };
    if !page.lines().any(|line| line == shown) {
        return page.to_owned();
    }
    let mut paragraphs = Vec::new();
    let mut is_hidden = false;
    // Examples have no blank lines.
    for paragraph in page.split("\n\n") {
        is_hidden |= paragraph.starts_with(hidden);
        if !is_hidden {
            paragraphs.push(paragraph);
        }
        is_hidden &= !paragraph.ends_with("```");
    }
    paragraphs.join("\n\n")
}

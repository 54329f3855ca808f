//! The `.net` language: networks as people write them. `docs/net.md` is its manual.
//!
//! Text becomes a tree ([`parse`]), the tree becomes a network ([`lower`]); [`print`] goes back.

mod lex;
mod lower;
mod parse;
mod print;
mod symbols;
mod tree;

use quadrille_diagnostic::{Diagnostic, SourceId};
use quadrille_model::Network;

use crate::report::Report;

pub use print::write_net;

/// Reads a network. There is one exactly if there is no error.
pub fn read_net(source: SourceId, text: &str) -> (Option<Network>, Vec<Diagnostic>) {
    let mut report = Report::default();
    let statements = parse::parse(source, text, &mut report);
    let network = lower::lower(source, statements, &mut report);
    (network.filter(|_| report.is_silent()), report.finish())
}

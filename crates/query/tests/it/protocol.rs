//! Protocols for tests, from text.

use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_discourje as dcj;
use quadrille_protocol::core::ProtocolModel;

/// A session of a file, and the file's text for rendering.
pub(crate) struct Session {
    pub(crate) sources: Sources,
    pub(crate) program: dcj::DcjProgram,
    pub(crate) model: ProtocolModel,
}

/// Starts a session of a file.
pub(crate) fn session(text: &str, name: &str, arguments: &[&str]) -> Session {
    let mut sources = Sources::default();
    let source = sources.add("p.dcj", text);
    let (program, mut diagnostics) = dcj::load(source, text);
    let model = match program.session(&mut sources, name, arguments) {
        Ok(model) => Some(model),
        Err(errors) => {
            diagnostics.extend(errors);
            None
        }
    };
    assert!(diagnostics.is_empty(), "{}", rendered(&sources, &diagnostics));
    Session { sources, program, model: model.expect("no errors") }
}

/// A protocol without parameters.
pub(crate) fn protocol(body: &str) -> Session {
    session(&format!("(s/defsession ::p []\n{body})"), "p", &[])
}

/// Diagnostics as a user sees them.
pub(crate) fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain)).collect()
}

/// A protocol in our own language.
pub(crate) fn quad_protocol(text: &str) -> quadrille_quad::Session {
    let mut sources = Sources::default();
    let source = sources.add("p.quad", text);
    let (program, diagnostics) = quadrille_quad::load(&sources, source);
    let program = program.unwrap_or_else(|| panic!("{}", rendered(&sources, &diagnostics)));
    program.start(&mut sources, None, &[], &[]).expect("starts")
}

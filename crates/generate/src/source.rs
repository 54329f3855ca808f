//! From the text of a protocol, in either language, to the model of a session.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, NotText, SourceId, Sources};
use quadrille_query::{Language, Protocol, Selection, Subject, language_of, load_text};

use crate::codes::LANGUAGE;

pub use quadrille_query::SessionSelection as Session;

/// A started session.
pub(crate) struct Started {
    pub(crate) protocol: Protocol,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Starts a session of a text. The extension of its name determines the language.
pub(crate) fn start(
    sources: &mut Sources,
    source: SourceId,
    session: &Session,
) -> Result<Started, Vec<Diagnostic>> {
    let name = sources.name(source);
    if !language_of(Path::new(name)).is_ok_and(Language::has_protocols) {
        let message = format!("`{name}` is not a protocol");
        let help = "protocols are in files that end in .quad or .dcj";
        return Err(vec![Diagnostic::error(&LANGUAGE, message).help(help)]);
    }
    let selection = Selection::of_session(session.clone());
    let (subject, warnings) = load_text(sources, source, &selection);
    match subject.and_then(Subject::into_protocol) {
        Some(mut protocol) => {
            protocol.name = protocol.name.trim_start_matches(':').to_owned();
            Ok(Started { protocol, warnings })
        }
        None => Err(warnings),
    }
}

/// Adds the bytes of a protocol file to the sources.
pub fn read(
    sources: &mut Sources,
    name: impl Into<String>,
    bytes: Vec<u8>,
) -> Result<SourceId, Diagnostic> {
    sources.add_bytes(name, bytes).map_err(|NotText { span, byte }| {
        Diagnostic::error(&LANGUAGE, "a protocol is written in UTF-8")
            .at(span, format!("the byte 0x{byte:02x} is not text"))
            .help("convert the file to UTF-8")
    })
}

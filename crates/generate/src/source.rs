//! From the text of a protocol, in whichever language, to a session of it about to be explored.

use quadrille_diagnostic::{Diagnostic, NotText, SourceId, Sources, Span};
use quadrille_discourje as dcj;
use quadrille_protocol::core::ProtocolModel;
use quadrille_quad::{self as quad, EnumerationInfo, MessageInfo};

use crate::codes::{LANGUAGE, WHICH_SESSION};

/// Which session of a text is meant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Session {
    /// Its name; without one the first protocol of a `.quad` text, the only session of a `.dcj` text.
    pub name: Option<String>,
    /// Its arguments, as its language writes them.
    pub arguments: Vec<String>,
    /// Other values for parameters of a `.quad` text.
    pub parameters: Vec<(String, String)>,
}

/// A session that was started.
pub(crate) struct Started {
    pub(crate) name: String,
    /// Where it is defined.
    pub(crate) place: Span,
    pub(crate) model: ProtocolModel,
    /// Names of roles and families, in order of declaration.
    pub(crate) roles: Vec<String>,
    pub(crate) messages: Vec<MessageInfo>,
    pub(crate) enumerations: Vec<EnumerationInfo>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Starts a session of a text. The ending of its name tells the language.
pub(crate) fn start(
    sources: &mut Sources,
    source: SourceId,
    session: &Session,
) -> Result<Started, Vec<Diagnostic>> {
    let name = sources.name(source);
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "quad" => start_quad(sources, source, session),
        "dcj" | "clj" => start_dcj(sources, source, session),
        _ => Err(vec![
            Diagnostic::error(&LANGUAGE, format!("`{name}` is no protocol"))
                .help("protocols are written in files that end in .quad or .dcj"),
        ]),
    }
}

/// Takes the bytes of a file that is to be generated from.
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

fn start_quad(
    sources: &mut Sources,
    source: SourceId,
    session: &Session,
) -> Result<Started, Vec<Diagnostic>> {
    let (program, warnings) = quad::load(sources, source);
    let Some(program) = program else { return Err(warnings) };
    let arguments: Vec<&str> = session.arguments.iter().map(String::as_str).collect();
    let parameters: Vec<(&str, &str)> =
        session.parameters.iter().map(|(name, value)| (&**name, &**value)).collect();
    let started = program.start(sources, session.name.as_deref(), &arguments, &parameters)?;
    let declared = program.protocols().into_iter().find(|known| known.name == started.protocol);
    Ok(Started {
        place: declared.map_or(Span::new(source, 0..0), |known| known.span),
        name: started.protocol,
        model: started.model,
        roles: program.roles().map(str::to_owned).collect(),
        messages: program.messages(),
        enumerations: program.enumerations(),
        warnings,
    })
}

fn start_dcj(
    sources: &mut Sources,
    source: SourceId,
    session: &Session,
) -> Result<Started, Vec<Diagnostic>> {
    let (program, warnings) = dcj::load(source, sources.text(source));
    if warnings.iter().any(Diagnostic::is_error) {
        return Err(warnings);
    }
    let start = Span::new(source, 0..0);
    if let Some((name, value)) = session.parameters.first() {
        let message = format!("`{name}={value}`: sessions have arguments, and no parameters");
        return Err(vec![
            Diagnostic::error(&WHICH_SESSION, message)
                .at(start, "a text of sessions")
                .help("give the arguments of the session in order, with `--arg`"),
        ]);
    }
    let known = program.sessions();
    let name = match (&session.name, known.first()) {
        (Some(name), _) => name.clone(),
        (None, Some(first)) if known.iter().all(|each| each.name == first.name) => {
            first.name.clone()
        }
        (None, None) => {
            let message = format!("`{}` has no session", sources.name(source));
            return Err(vec![
                Diagnostic::error(&WHICH_SESSION, message)
                    .at(start, "nothing is defined here")
                    .help("define one: `(s/defsession ::name [] …)`"),
            ]);
        }
        (None, Some(_)) => {
            let message = format!("`{}` does not say which session is meant", sources.name(source));
            let diagnostic = Diagnostic::error(&WHICH_SESSION, message)
                .help("name the session, and give its arguments in order");
            return Err(vec![known.iter().fold(diagnostic, |told, each| {
                told.at(each.span, format!("`{}` could be", each.name))
            })]);
        }
    };
    let arguments: Vec<&str> = session.arguments.iter().map(String::as_str).collect();
    let model = program.session(sources, &name, &arguments)?;
    let name = name.trim_start_matches(':').to_owned();
    let defined = known.iter().find(|each| each.name.trim_start_matches(':') == name);
    Ok(Started {
        place: defined.map_or(start, |each| each.span),
        name,
        model,
        roles: program.roles().map(|(name, _)| name.to_owned()).collect(),
        messages: Vec::new(),
        enumerations: Vec::new(),
        warnings,
    })
}

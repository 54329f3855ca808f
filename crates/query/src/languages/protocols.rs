//! Protocols: a session of a `.quad` or `.dcj` text, started with its arguments. The forms of it are
//! made later, because they need an exploration.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use quadrille_discourje::{self as discourje, SessionInfo};
use quadrille_engine::{Limits, Observer, Space};
use quadrille_model::Model;
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::project::{Global, Liberal, Queues};
use quadrille_quad::{self as quad, EnumerationInfo, MessageInfo, QuadProgram};

use crate::claim::Property;
use crate::codes::{CONTRADICTION, WHICH_PROTOCOL};
use crate::language::{Loaded, Loader, Wanted};
use crate::protocol::{Stopped, projected};
use crate::selection::{Form, Selection, SessionSelection};
use crate::subject::{Matter, Subject};
use crate::vocabulary::Vocabulary;

/// A session of a protocol.
pub struct Protocol {
    /// Its name.
    pub name: String,
    /// Its arguments, as people write them.
    pub arguments: Vec<String>,
    /// Where it is defined.
    pub place: Span,
    /// The protocol itself.
    pub model: ProtocolModel,
    /// Roles and families of roles that the text declares, with their places where its language does not
    /// check their use.
    pub roles: Vec<(String, Option<Span>)>,
    /// The messages that the text declares.
    pub messages: Vec<MessageInfo>,
    /// The enumerations that the text declares.
    pub enumerations: Vec<EnumerationInfo>,
    /// The form that is explored instead of it.
    pub(crate) form: Option<Derived>,
}

/// A form of a protocol that is explored instead of it.
pub(crate) enum Derived {
    Strict(Box<Global>),
    Liberal(Box<Liberal>),
}

impl Protocol {
    /// The form that is explored. Roles and actions have the same numbers in all of them.
    pub fn model(&self) -> &dyn Model {
        match &self.form {
            None => &self.model,
            Some(Derived::Strict(global)) => &**global,
            Some(Derived::Liberal(liberal)) => &**liberal,
        }
    }

    /// The liberal form, if that is the one that is explored.
    pub fn liberal(&self) -> Option<&Liberal> {
        match &self.form {
            Some(Derived::Liberal(liberal)) => Some(liberal),
            None | Some(Derived::Strict(_)) => None,
        }
    }

    /// Its name with its arguments: `ring(4, 0)`.
    pub fn title(&self) -> String {
        match self.arguments.as_slice() {
            [] => self.name.clone(),
            arguments => format!("{}({})", self.name, arguments.join(", ")),
        }
    }

    /// The whole protocol as one automaton.
    pub fn global(&self, limits: Limits, observer: &mut Observer<'_>) -> Result<Global, Stopped> {
        let table = Space::new(&self.model).tabulate(limits, observer)?;
        Global::new(&self.model, &table).ok_or(Stopped::NoStart)
    }

    /// Takes another form.
    pub(crate) fn take_form(
        &mut self,
        form: Form,
        limits: Limits,
        observer: &mut Observer<'_>,
    ) -> Result<(), Stopped> {
        self.form = match form {
            Form::Global => None,
            Form::Strict => Some(Derived::Strict(Box::new(self.global(limits, observer)?))),
            Form::Liberal => {
                let global = self.global(limits, observer)?;
                let projection = projected(&global, limits, observer)?;
                let liberal = Liberal::new(projection, &Queues::default());
                Some(Derived::Liberal(Box::new(liberal)))
            }
        };
        Ok(())
    }
}

/// Starts a session of a text in Discourje's language.
pub(crate) fn discourje(loader: &mut Loader<'_>, path: &Path) -> Loaded {
    let source = loader.text(path)?;
    let (program, diagnostics) = discourje::load(source, loader.sources.text(source));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    loader.warnings.extend(diagnostics);
    let wanted = &loader.selection.session;
    let sessions = program.sessions();
    let name = match &wanted.protocol {
        Some(name) => name.clone(),
        None => only(loader.sources, source, &sessions)?,
    };
    if !wanted.parameters.is_empty() {
        let message = "--parameter is for .quad files";
        let help = "give the arguments of the session with --arg, in order";
        return Err(vec![Diagnostic::error(&CONTRADICTION, message).help(help)]);
    }
    let arguments: Vec<&str> = wanted.arguments.iter().map(String::as_str).collect();
    let model = program.session(loader.sources, &name, &arguments)?;
    let bare = |name: &str| name.trim_start_matches(':').to_owned();
    let defined = sessions.iter().find(|each| bare(&each.name) == bare(&name));
    // A role that only another session of the text uses is no mistake.
    let place = |span: Span| (sessions.len() == 1).then_some(span);
    let protocol = Protocol {
        place: defined.map_or(Span::new(source, 0..0), |each| each.span),
        name,
        arguments: wanted.arguments.clone(),
        model,
        roles: program.roles().map(|(name, span)| (name.to_owned(), place(span))).collect(),
        messages: Vec::new(),
        enumerations: Vec::new(),
        form: None,
    };
    Ok(vec![Subject::new(
        Matter::Protocol(Box::new(protocol)),
        Vocabulary::Actions,
        loader.selection.clone(),
        Vec::new(),
    )])
}

/// Starts protocols of a text in our own language: the selected one, or the first; or all that have
/// properties, once for each list of arguments.
pub(crate) fn quad(loader: &mut Loader<'_>, path: &Path) -> Loaded {
    let source = loader.text(path)?;
    let (program, diagnostics) = quad::load(loader.sources, source);
    let Some(program) = program else { return Err(diagnostics) };
    loader.warnings.extend(diagnostics);
    let wanted = &loader.selection.session;
    let pairs = wanted.parameters.iter();
    let parameters: Vec<(&str, &str)> = pairs.map(|(name, value)| (&**name, &**value)).collect();
    let all =
        loader.wanted == Wanted::All && wanted.protocol.is_none() && wanted.arguments.is_empty();
    let sessions = if all {
        program.sessions(loader.sources, &parameters)?
    } else {
        let arguments: Vec<&str> = wanted.arguments.iter().map(String::as_str).collect();
        let name = wanted.protocol.as_deref();
        vec![program.start(loader.sources, name, &arguments, &parameters)?]
    };
    let subject = |session: quad::Session| {
        let selection = match all {
            true => Selection::of_session(SessionSelection {
                protocol: Some(session.protocol.clone()),
                arguments: session.arguments.clone(),
                ..wanted.clone()
            }),
            false => loader.selection.clone(),
        };
        of_quad(&program, source, session, selection)
    };
    Ok(sessions.into_iter().map(subject).collect())
}

fn of_quad(
    program: &QuadProgram,
    source: SourceId,
    session: quad::Session,
    selection: Selection,
) -> Subject<'static> {
    let quad::Session { protocol: name, arguments, model, properties, no_deadlock, formulas } =
        session;
    let declared = program.protocols().into_iter().find(|known| known.name == name);
    let properties = properties.into_iter().map(Property::from).collect();
    let protocol = Protocol {
        place: declared.map_or(Span::new(source, 0..0), |known| known.span),
        name,
        arguments,
        model,
        roles: program.roles().map(|name| (name.to_owned(), None)).collect(),
        messages: program.messages(),
        enumerations: program.enumerations(),
        form: None,
    };
    let matter = Matter::Protocol(Box::new(protocol));
    let vocabulary = Vocabulary::Quad(Box::new(formulas));
    Subject { no_deadlock, ..Subject::new(matter, vocabulary, selection, properties) }
}

/// The session that is selected where none is named: the only one.
fn only(
    sources: &Sources,
    source: SourceId,
    sessions: &[SessionInfo],
) -> Result<String, Vec<Diagnostic>> {
    let file = sources.name(source);
    let Some((first, others)) = sessions.split_first() else {
        let message = format!("`{file}` defines no session");
        return Err(vec![
            Diagnostic::error(&WHICH_PROTOCOL, message)
                .at(Span::new(source, 0..0), "nothing is defined here")
                .help("a session is written `(s/defsession ::name [parameter …] protocol)`"),
        ]);
    };
    if others.iter().all(|other| other.name == first.name) {
        return Ok(first.name.clone());
    }
    let message = format!("`{file}` defines several sessions");
    let mut diagnostic = Diagnostic::error(&WHICH_PROTOCOL, message);
    for session in sessions {
        let words = std::iter::once(&session.name).chain(&session.parameters);
        let shown: Vec<&str> = words.map(String::as_str).collect();
        diagnostic = diagnostic.at(session.span, shown.join(" "));
    }
    Err(vec![diagnostic.help("name one with --protocol, and give its arguments with --arg")])
}

//! From a protocol file to the behaviour that is meant: a session with its arguments, in one of its
//! forms.

use quadrille_check::projected;
use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use quadrille_discourje::{self as dcj, SessionInfo};
use quadrille_engine::Space;
use quadrille_model::Model;
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::project::{Global, Liberal, Projection, Queues};
use quadrille_quad::{self as quad, Property, QuadProgram};

use crate::arguments::{SessionArguments, Variant};
use crate::watch::Watcher;
use crate::{Stop, codes};

/// A protocol that was started.
pub(crate) struct Protocol {
    /// Its name.
    pub(crate) name: String,
    /// Its arguments, as people write them.
    pub(crate) arguments: Vec<String>,
    /// The protocol itself.
    pub(crate) session: ProtocolModel,
    /// What is odd about its file.
    pub(crate) warnings: Vec<Diagnostic>,
    /// The roles that its file declares for it alone, where its language does not see to them.
    pub(crate) declared: Vec<(String, Span)>,
    /// The properties that its file has for it.
    pub(crate) properties: Vec<Property>,
    /// Formulas from elsewhere, where the language of the protocol reads them.
    pub(crate) asked: Vec<Property>,
    /// What is looked at instead of it, where another form is wanted.
    form: Option<Box<dyn Model>>,
    /// The queues of that form.
    n_queues: usize,
}

impl Protocol {
    /// The form that is explored. Roles and actions have the same numbers in all of them.
    pub(crate) fn model(&self) -> &dyn Model {
        self.form.as_deref().unwrap_or(&self.session)
    }

    /// Whether everything explored so far can be trusted; to be asked before a verdict is printed.
    pub(crate) fn sound(&self) -> Result<(), Vec<Diagnostic>> {
        let problems = self.session.problems();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// The slots of the form that say no more than the actions do: where in the protocol everybody
    /// is. What is left are variables and queues.
    pub(crate) fn hidden(&self) -> Vec<String> {
        let layout = self.model().layout();
        let n_shown = match self.form {
            None => self.session.terms().variables().len(),
            Some(_) => self.n_queues,
        };
        let slots = layout.slot_ids().take(layout.n_slots() - n_shown);
        slots.map(|slot| layout.slot(slot).name.clone()).collect()
    }

    /// Takes the form that is wanted.
    fn in_form(mut self, variant: Variant, watcher: &mut Watcher) -> Result<Self, Stop> {
        self.form = match variant {
            Variant::Global => None,
            Variant::Strict => Some(Box::new(global(&self.session, watcher)?)),
            Variant::Liberal => {
                let projection = project(&global(&self.session, watcher)?, watcher)?;
                let liberal = Liberal::new(projection, &Queues::default());
                self.n_queues = liberal.channels().len();
                Some(Box::new(liberal))
            }
        };
        Ok(self)
    }
}

/// The whole protocol as one automaton.
pub(crate) fn global(session: &ProtocolModel, watcher: &mut Watcher) -> Result<Global, Stop> {
    watcher.begin("the protocol");
    let mut space = Space::new(session);
    let limits = watcher.limits();
    let table = space.tabulate(limits, &mut |progress| watcher.look(progress));
    let problems = session.problems();
    if !problems.is_empty() {
        return Err(problems.into());
    }
    Global::new(session, &table?).ok_or_else(|| session.problems().into())
}

/// The protocol as one automaton per role.
pub(crate) fn project(global: &Global, watcher: &Watcher) -> Result<Projection, Stop> {
    Ok(projected(global, watcher.limits(), &mut |progress| watcher.look(progress))?)
}

/// Starts a session of a file in Discourje's language.
pub(crate) fn discourje(
    source: SourceId,
    wanted: &SessionArguments,
    watcher: &mut Watcher,
    sources: &mut Sources,
) -> Result<Protocol, Stop> {
    let (program, diagnostics) = dcj::load(source, sources.text(source));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics.into());
    }
    let which = &wanted.protocol;
    let name = match &which.protocol {
        Some(name) => name.clone(),
        None => only(sources.name(source), &program.sessions())?,
    };
    if !which.parameters.is_empty() {
        let message = "--parameter is for .quad files";
        return Err(vec![
            Diagnostic::error(&codes::CONTRADICTION, message)
                .help("give the arguments of the session with --arg, in order"),
        ]
        .into());
    }
    let arguments: Vec<&str> = which.arguments.iter().map(String::as_str).collect();
    let session = program.session(sources, &name, &arguments)?;
    let roles = program.roles().filter(|_| program.sessions().len() == 1);
    let declared = roles.map(|(name, span)| (name.to_owned(), span)).collect();
    let protocol = Protocol {
        name,
        arguments: which.arguments.clone(),
        session,
        warnings: diagnostics,
        declared,
        properties: Vec::new(),
        asked: Vec::new(),
        form: None,
        n_queues: 0,
    };
    protocol.in_form(wanted.variant, watcher)
}

/// Starts a protocol of a file in our own language; without a name, the first.
pub(crate) fn quad(
    source: SourceId,
    wanted: &SessionArguments,
    formulas: &[Span],
    watcher: &mut Watcher,
    sources: &mut Sources,
) -> Result<Protocol, Stop> {
    let (program, warnings) = quad_program(source, sources)?;
    let which = &wanted.protocol;
    let arguments: Vec<&str> = which.arguments.iter().map(String::as_str).collect();
    let parameters = borrowed(&which.parameters);
    let name = which.protocol.as_deref();
    let session = program.start_with(sources, name, &arguments, &parameters, formulas)?;
    let mut protocol = Protocol::of_quad(session, warnings);
    let n_own = protocol.properties.len() - formulas.len();
    protocol.asked = protocol.properties.split_off(n_own);
    protocol.in_form(wanted.variant, watcher)
}

/// All protocols of a file in our own language that have properties, once for each list of arguments.
pub(crate) fn all_of_quad(
    source: SourceId,
    parameters: &[(String, String)],
    sources: &mut Sources,
) -> Result<Vec<Protocol>, Vec<Diagnostic>> {
    let (program, warnings) = quad_program(source, sources)?;
    let sessions = program.sessions(sources, &borrowed(parameters))?;
    Ok(sessions.into_iter().map(|session| Protocol::of_quad(session, warnings.clone())).collect())
}

fn borrowed(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn quad_program(
    source: SourceId,
    sources: &Sources,
) -> Result<(QuadProgram, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (program, diagnostics) = quad::load(sources, source);
    match program {
        Some(program) => Ok((program, diagnostics)),
        None => Err(diagnostics),
    }
}

impl Protocol {
    fn of_quad(session: quad::Session, warnings: Vec<Diagnostic>) -> Self {
        Self {
            name: session.protocol,
            arguments: session.arguments,
            session: session.model,
            warnings,
            declared: Vec::new(),
            properties: session.properties,
            asked: Vec::new(),
            form: None,
            n_queues: 0,
        }
    }
}

/// The session that is meant where none is named: the only one.
fn only(file: &str, sessions: &[SessionInfo]) -> Result<String, Vec<Diagnostic>> {
    let Some((first, others)) = sessions.split_first() else {
        let message = format!("`{file}` defines no session");
        return Err(vec![
            Diagnostic::error(&codes::WHICH_PROTOCOL, message)
                .help("a session is written `(s/defsession ::name [parameter …] protocol)`"),
        ]);
    };
    if others.iter().all(|other| other.name == first.name) {
        return Ok(first.name.clone());
    }
    let message = format!("`{file}` defines several sessions");
    let mut diagnostic = Diagnostic::error(&codes::WHICH_PROTOCOL, message);
    for session in sessions {
        let shown: Vec<&str> =
            std::iter::once(&session.name).chain(&session.parameters).map(String::as_str).collect();
        diagnostic = diagnostic.note(shown.join(" "));
    }
    Err(vec![diagnostic.help("name one with --protocol, and give its arguments with --arg")])
}

//! From a file to a model: the kind by the name, the text by its reader.

use std::path::Path;

use quadrille_component::composition::Composition;
use quadrille_diagnostic::{Diagnostic, Sources, Span, similar};
use quadrille_engine::Error;
use quadrille_formats::{read_aut, read_net};
use quadrille_model::Model;
use quadrille_report::Outcome;

use crate::architectures::{self, CompositeArguments};
use crate::arguments::{ProtocolArguments, SessionArguments};
use crate::components::{self, ComponentArguments};
use crate::protocols::{self, Protocol};
use crate::watch::Watcher;
use crate::{Stop, codes};

/// What a file describes.
pub(crate) enum Input {
    /// A model as data.
    Plain(Box<dyn Model>),
    /// A protocol.
    Protocol(Box<Protocol>),
    /// Components that are put together.
    Components(Box<Composed>),
}

/// Components that are put together.
pub(crate) struct Composed {
    /// The model.
    pub(crate) composition: Composition,
    /// The options that say how, beside the file.
    pub(crate) options: Vec<String>,
}

/// Which model of a file is meant, in all that options can say.
#[derive(Clone, Copy)]
pub(crate) struct Which<'a> {
    /// Of protocols.
    pub(crate) session: &'a SessionArguments,
    /// Of components.
    pub(crate) components: &'a ComponentArguments,
    /// Of an architecture.
    pub(crate) composite: &'a CompositeArguments,
}

/// The kinds of files that describe a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A transition system in Aldebaran format.
    Table,
    /// A network of participants and channels, by name or by position.
    Network,
    /// Protocols in our own language.
    Quad,
    /// Protocols in Discourje's language.
    Discourje,
    /// Components.
    Components,
    /// An architecture of components.
    Architecture,
}

/// Extensions with what they mean.
const KINDS: [(&str, Kind, &str); 7] = [
    ("quad", Kind::Quad, "protocols with their properties"),
    ("dcj", Kind::Discourje, "protocols in Discourje's language"),
    ("bp", Kind::Components, "components with their behavior protocols"),
    ("arch", Kind::Architecture, "an architecture of components"),
    ("aut", Kind::Table, "a transition system in Aldebaran format"),
    ("net", Kind::Network, "a network of participants and channels"),
    ("ia", Kind::Network, "a network in positional form"),
];

impl Input {
    /// What is explored.
    pub(crate) fn model(&self) -> &dyn Model {
        match self {
            Input::Plain(model) => &**model,
            Input::Protocol(protocol) => protocol.model(),
            Input::Components(composed) => &composed.composition,
        }
    }

    /// The protocol, if it is one.
    pub(crate) fn protocol(&self) -> Option<&Protocol> {
        match self {
            Input::Plain(_) | Input::Components(_) => None,
            Input::Protocol(protocol) => Some(protocol),
        }
    }

    /// Leaves out of a trace what the actions say already.
    pub(crate) fn tidied(&self, mut outcome: Outcome) -> Outcome {
        if let Some(story) = &mut outcome.story {
            match self {
                Input::Plain(_) => {}
                Input::Protocol(protocol) => story.hidden = protocol.hidden(),
                Input::Components(composed) => {
                    story.hidden = components::hidden(&composed.composition);
                    story.options.clone_from(&composed.options);
                }
            }
        }
        outcome
    }

    /// Whether everything explored so far can be trusted; to be asked before a verdict is printed.
    pub(crate) fn sound(&self) -> Result<(), Vec<Diagnostic>> {
        self.protocol().map_or(Ok(()), Protocol::sound)
    }
}

/// Reads a model that needs no options beside those of a protocol.
pub(crate) fn load(
    path: &Path,
    session: &SessionArguments,
    formulas: &[Span],
    watcher: &mut Watcher,
    sources: &mut Sources,
) -> Result<Input, Stop> {
    let (components, composite) = Default::default();
    let which = Which { session, components: &components, composite: &composite };
    load_which(path, which, formulas, watcher, sources)
}

/// Reads a model about which these formulas of our own syntax are asked; see [`Protocol::asked`].
/// Warnings are shown at once; errors come back.
pub(crate) fn load_which(
    path: &Path,
    which: Which,
    formulas: &[Span],
    watcher: &mut Watcher,
    sources: &mut Sources,
) -> Result<Input, Stop> {
    let Which { session, components, composite } = which;
    let world = watcher.world();
    let are_components = components::are_meant(path, world);
    let kind = if are_components { Ok(Kind::Components) } else { kind(path) };
    let kind = kind.map_err(|unknown| vec![unknown])?;
    if kind != Kind::Components {
        components.refuse(path)?;
    }
    if kind != Kind::Architecture {
        composite.refuse(path)?;
    }
    let read =
        |sources: &mut Sources| world.read(path, sources).map_err(|unreadable| vec![unreadable]);
    let (model, diagnostics): (Option<Box<dyn Model>>, _) = match kind {
        Kind::Components => {
            no_session(path, session)?;
            let composition = components::compose(path, components, world, sources)?;
            let options = components::words(components);
            return Ok(Input::Components(Box::new(Composed { composition, options })));
        }
        Kind::Architecture => {
            no_session(path, session)?;
            let (composition, meant) = architectures::compose(path, composite, world, sources)?;
            let options = meant.words();
            return Ok(Input::Components(Box::new(Composed { composition, options })));
        }
        Kind::Quad | Kind::Discourje => {
            let source = read(sources)?;
            let protocol = match kind {
                Kind::Quad => protocols::quad(source, session, formulas, watcher, sources)?,
                _ => protocols::discourje(source, session, watcher, sources)?,
            };
            crate::report(world, sources, &protocol.warnings);
            return Ok(Input::Protocol(Box::new(protocol)));
        }
        Kind::Table => {
            let source = read(sources)?;
            let (table, diagnostics) = read_aut(source, sources.text(source));
            (table.map(|table| Box::new(table) as _), diagnostics)
        }
        Kind::Network => {
            let source = read(sources)?;
            let (network, diagnostics) = read_net(source, sources.text(source));
            (network.map(|network| Box::new(network) as _), diagnostics)
        }
    };
    let Some(model) = model else { return Err(diagnostics.into()) };
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics.into());
    }
    crate::report(world, sources, &diagnostics);
    no_session(path, session)?;
    Ok(Input::Plain(model))
}

/// Refuses options that mean nothing for a file that holds no protocol.
pub(crate) fn no_session(path: &Path, session: &SessionArguments) -> Result<(), Vec<Diagnostic>> {
    if *session == SessionArguments::default() {
        return Ok(());
    }
    let message = format!("`{}` is no protocol", path.display());
    let help = "leave --protocol, --arg, --parameter and --variant out";
    Err(vec![Diagnostic::error(&codes::CONTRADICTION, message).help(help)])
}

/// Whether the name says what a file holds.
pub(crate) fn is_known(path: &Path) -> bool {
    kind(path).is_ok()
}

/// Reads the protocols of a file: the one that is named, or all that a `.quad` file has properties
/// of. What is odd about the file is left for the caller to say.
pub(crate) fn load_protocols(
    path: &Path,
    which: &ProtocolArguments,
    watcher: &mut Watcher,
    sources: &mut Sources,
) -> Result<Vec<Protocol>, Stop> {
    let kind = kind(path).map_err(|unknown| vec![unknown])?;
    if !matches!(kind, Kind::Quad | Kind::Discourje) {
        return Err(vec![no_protocol(path)].into());
    }
    let source = watcher.world().read(path, sources).map_err(|unreadable| vec![unreadable])?;
    let session = which.clone().into();
    Ok(match kind {
        Kind::Quad if which.protocol.is_none() && which.arguments.is_empty() => {
            protocols::all_of_quad(source, &which.parameters, sources)?
        }
        Kind::Quad => vec![protocols::quad(source, &session, &[], watcher, sources)?],
        _ => vec![protocols::discourje(source, &session, watcher, sources)?],
    })
}

/// What to say where a protocol is needed.
pub(crate) fn no_protocol(path: &Path) -> Diagnostic {
    let message = format!("`{}` is no protocol", path.display());
    Diagnostic::error(&codes::NO_PROTOCOL, message).help("name a .quad or .dcj file")
}

fn kind(path: &Path) -> Result<Kind, Diagnostic> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let extension = extension.unwrap_or_default();
    if let Some((_, kind, _)) = KINDS.iter().find(|(known, _, _)| *known == extension) {
        return Ok(*kind);
    }
    let message = format!("`{}` is of no kind that is known", path.display());
    let mut diagnostic = Diagnostic::error(&codes::UNKNOWN_KIND, message);
    for (known, _, meaning) in KINDS {
        diagnostic = diagnostic.note(format!(".{known}: {meaning}"));
    }
    let help = match similar(&extension, KINDS.map(|(known, _, _)| known)).first() {
        Some(near) => format!("did you mean `.{near}`?"),
        None => "give the file one of these endings".to_owned(),
    };
    Err(diagnostic.help(help))
}

/// What to say where a model did not perform a counterexample again.
pub(crate) fn unrepeatable(error: Error) -> Vec<Diagnostic> {
    vec![Diagnostic::error(&codes::UNREPEATABLE, error.to_string())]
}

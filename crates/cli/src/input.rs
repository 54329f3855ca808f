//! From a file to a model: the kind by the name, the text by its reader.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources, Span, similar};
use quadrille_engine::Unrepeatable;
use quadrille_model::Model;
use quadrille_notation::{read_aut, read_net};
use quadrille_report::Outcome;

use crate::arguments::SessionArguments;
use crate::protocols::{self, Protocol};
use crate::watch::Watcher;
use crate::{Stop, codes};

/// What a file describes.
pub(crate) enum Input {
    /// A model as data.
    Plain(Box<dyn Model>),
    /// A protocol.
    Protocol(Box<Protocol>),
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
}

/// Extensions with what they mean.
const KINDS: [(&str, Kind, &str); 5] = [
    ("quad", Kind::Quad, "protocols with their properties"),
    ("dcj", Kind::Discourje, "protocols in Discourje's language"),
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
        }
    }

    /// The protocol, if it is one.
    pub(crate) fn protocol(&self) -> Option<&Protocol> {
        match self {
            Input::Plain(_) => None,
            Input::Protocol(protocol) => Some(protocol),
        }
    }

    /// Leaves out of a trace what the actions say already.
    pub(crate) fn tidied(&self, mut outcome: Outcome) -> Outcome {
        if let (Some(story), Some(protocol)) = (&mut outcome.story, self.protocol()) {
            story.hidden = protocol.hidden();
        }
        outcome
    }

    /// Whether everything explored so far can be trusted; to be asked before a verdict is printed.
    pub(crate) fn sound(&self) -> Result<(), Vec<Diagnostic>> {
        let problems = self.protocol().map(|protocol| protocol.session.problems());
        match problems {
            Some(problems) if !problems.is_empty() => Err(problems),
            _ => Ok(()),
        }
    }
}

/// Reads a model about which these formulas of our own syntax are asked; see [`Protocol::asked`].
/// Warnings are shown at once; errors come back.
pub(crate) fn load(
    path: &Path,
    session: &SessionArguments,
    formulas: &[Span],
    watcher: &mut Watcher,
    sources: &mut Sources,
) -> Result<Input, Stop> {
    let kind = kind(path).map_err(|unknown| vec![unknown])?;
    let world = watcher.world();
    let source = world.read(path, sources).map_err(|unreadable| vec![unreadable])?;
    let (model, diagnostics): (Option<Box<dyn Model>>, _) = match kind {
        Kind::Quad => {
            let protocol = protocols::quad(source, session, formulas, watcher, sources)?;
            return Ok(Input::Protocol(Box::new(protocol)));
        }
        Kind::Discourje => {
            let protocol = protocols::discourje(source, session, watcher, sources)?;
            return Ok(Input::Protocol(Box::new(protocol)));
        }
        Kind::Table => {
            let (table, diagnostics) = read_aut(source, sources.text(source));
            (table.map(|table| Box::new(table) as _), diagnostics)
        }
        Kind::Network => {
            let (network, diagnostics) = read_net(source, sources.text(source));
            (network.map(|network| Box::new(network) as _), diagnostics)
        }
    };
    let Some(model) = model else { return Err(diagnostics.into()) };
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics.into());
    }
    crate::report(world, sources, &diagnostics);
    if *session != SessionArguments::default() {
        let message = format!("`{}` is no protocol", path.display());
        return Err(vec![
            Diagnostic::error(&codes::CONTRADICTION, message)
                .help("leave --protocol, --arg, --parameter and --variant out"),
        ]
        .into());
    }
    Ok(Input::Plain(model))
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
pub(crate) fn unrepeatable(unrepeatable: Unrepeatable) -> Vec<Diagnostic> {
    vec![Diagnostic::error(&codes::UNREPEATABLE, unrepeatable.to_string())]
}

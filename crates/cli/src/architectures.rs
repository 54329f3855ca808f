//! Architectures from files: read, and the compositions of theirs that are meant.

use std::path::Path;

use clap::{Args, ValueEnum};
use quadrille_component::architecture::codes::{NO_PROTOCOL, UNKNOWN_COMPONENT};
use quadrille_component::architecture::{
    Compliance, ComponentId, System, assemble, compliances, load,
};
use quadrille_component::composition::Composition;
use quadrille_component::lint;
use quadrille_diagnostic::{Diagnostic, Sources, similar};

use crate::world::World;
use crate::{Stop, codes};

/// Which compositions of an architecture are meant.
#[derive(Args, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct CompositeArguments {
    /// The composite of an .arch file; needed where there are several and one model is asked for.
    #[arg(long, value_name = "NAME")]
    pub(crate) composite: Option<String>,

    /// Its parts by themselves, or closed by its frame protocol [default: both are checked; as a
    /// model, vertical where it has a frame protocol].
    #[arg(long, value_enum)]
    pub(crate) compliance: Option<ComplianceArgument>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ComplianceArgument {
    /// The parts by themselves.
    Horizontal,
    /// The parts with the frame protocol as their environment.
    Vertical,
}

impl From<ComplianceArgument> for Compliance {
    fn from(compliance: ComplianceArgument) -> Self {
        match compliance {
            ComplianceArgument::Horizontal => Self::Horizontal,
            ComplianceArgument::Vertical => Self::Vertical,
        }
    }
}

impl CompositeArguments {
    /// Refuses options that mean nothing for a file that is no architecture.
    pub(crate) fn refuse(&self, path: &Path) -> Result<(), Vec<Diagnostic>> {
        if *self == Self::default() {
            return Ok(());
        }
        let message = format!("`{}` is no architecture", path.display());
        let help = "--composite and --compliance are for .arch files";
        Err(vec![Diagnostic::error(&codes::CONTRADICTION, message).help(help)])
    }

    /// The options as words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(name) = &self.composite {
            words.extend(["--composite".to_owned(), name.clone()]);
        }
        if let Some(compliance) = self.compliance {
            words.extend(["--compliance".to_owned(), Compliance::from(compliance).to_string()]);
        }
        words
    }

    /// All that is meant of what must hold; something is.
    pub(crate) fn chosen(
        &self,
        system: &System,
    ) -> Result<Vec<(ComponentId, Compliance)>, Diagnostic> {
        let mut all = compliances(system);
        if let Some(name) = &self.composite {
            let id = find(system, name)?;
            if !system.component(id).is_composite() {
                let message = format!("`{name}` has no parts");
                let place = system.component(id).name.span;
                return Err(Diagnostic::error(&UNKNOWN_COMPONENT, message).at(place, ""));
            }
            all.retain(|(composite, _)| *composite == id);
        }
        if let Some(wanted) = self.compliance {
            all.retain(|(_, compliance)| *compliance == wanted.into());
        }
        if all.is_empty() && self.compliance == Some(ComplianceArgument::Vertical) {
            let message = "no composite that is meant has a frame protocol";
            return Err(Diagnostic::error(&NO_PROTOCOL, message));
        }
        if all.is_empty() {
            let message = "the architecture has no composite";
            return Err(Diagnostic::error(&UNKNOWN_COMPONENT, message));
        }
        Ok(all)
    }

    /// The one composition that is meant, where a model is asked for.
    fn one(&self, system: &System) -> Result<(ComponentId, Compliance), Diagnostic> {
        let all = self.chosen(system)?;
        let name = |id: ComponentId| &system.component(id).name.text;
        let mut names: Vec<&String> = all.iter().map(|(id, _)| name(*id)).collect();
        names.dedup();
        match (&all[..], &names[..]) {
            // Vertical comes last.
            ([.., last], [_]) => Ok(*last),
            _ => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                let message = format!("the architecture has the composites {}", names.join(", "));
                let help = "name one of them with --composite";
                Err(Diagnostic::error(&codes::CONTRADICTION, message).help(help))
            }
        }
    }
}

/// Reads an architecture and the protocols it refers to; what is odd about them comes along.
pub(crate) fn read(
    path: &Path,
    world: &World,
    sources: &mut Sources,
) -> Result<(System, Vec<Diagnostic>), Vec<Diagnostic>> {
    let source = world.read(path, sources).map_err(|unreadable| vec![unreadable])?;
    let text = sources.text(source).to_owned();
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut read = |name: &str| {
        let source = world.read(&folder.join(name), sources)?;
        Ok((source, sources.text(source).to_owned()))
    };
    let (system, diagnostics) = load(source, &text, &mut read);
    if diagnostics.iter().any(lint::stops) { Err(diagnostics) } else { Ok((system, diagnostics)) }
}

/// Reads an architecture and composes what is meant of it, and says as options what that is.
pub(crate) fn compose(
    path: &Path,
    arguments: &CompositeArguments,
    world: &World,
    sources: &mut Sources,
) -> Result<(Composition, CompositeArguments), Stop> {
    let (system, odd) = read(path, world, sources)?;
    crate::report(world, sources, &odd);
    let (composite, compliance) = arguments.one(&system).map_err(|unclear| vec![unclear])?;
    let assembly = assemble(&system, composite, compliance).map_err(|flaw| vec![flaw])?;
    let composition = assembly.compose().map_err(|too_large| vec![too_large])?;
    Ok((composition, meant(&system, composite, compliance)))
}

/// The options that mean one composition.
pub(crate) fn meant(
    system: &System,
    composite: ComponentId,
    compliance: Compliance,
) -> CompositeArguments {
    CompositeArguments {
        composite: Some(system.component(composite).name.text.clone()),
        compliance: Some(match compliance {
            Compliance::Horizontal => ComplianceArgument::Horizontal,
            Compliance::Vertical => ComplianceArgument::Vertical,
        }),
    }
}

/// The component of a name.
pub(crate) fn find(system: &System, name: &str) -> Result<ComponentId, Diagnostic> {
    system.find(name).ok_or_else(|| {
        let message = format!("the architecture has no component `{name}`");
        let mut diagnostic = Diagnostic::error(&UNKNOWN_COMPONENT, message);
        let near = similar(name, system.names());
        diagnostic.help = near.first().map(|near| format!("did you mean `{near}`?"));
        diagnostic
    })
}

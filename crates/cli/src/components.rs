//! Components from files: read, linted, put together as the options say.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use quadrille_component::architecture::codes::UNKNOWN_INTERFACE;
use quadrille_component::assembly::{Assembly, Member};
use quadrille_component::automata::{Alphabet, Construction, Throws, is_on};
use quadrille_component::codes::TWICE;
use quadrille_component::composition::{Binding, Composition, Unit, Wiring};
use quadrille_component::lint::{self, Knowledge};
use quadrille_component::syntax::{Component, File};
use quadrille_diagnostic::{Diagnostic, Sources, Span, similar};
use quadrille_model::Model as _;

use crate::world::{World, has_extension};
use crate::{Stop, codes, input};

/// Which components are put together, and how.
#[derive(Args, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ComponentArguments {
    /// Further files or folders of components (.bp).
    #[arg(value_name = "FILE")]
    pub(crate) more: Vec<PathBuf>,

    /// An interface or a method that joins components; everything else is external then. May be
    /// repeated [default: whatever two components mention].
    #[arg(long, value_name = "I.m")]
    pub(crate) bind: Vec<String>,

    /// An interface or a method that the surroundings take part in. May be repeated.
    #[arg(long, value_name = "I.m")]
    pub(crate) external: Vec<String>,

    /// The exceptions of a method of components. Methods that are not named throw nothing then. May be
    /// repeated [default: whatever is caught].
    #[arg(long, value_name = "I.m=E,…", value_parser = throws)]
    pub(crate) throws: Vec<(String, Vec<String>)>,

    /// How the automata of components are made; verdicts are the same, sizes are not.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) construction: ConstructionArgument,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ConstructionArgument {
    /// As small as possible.
    #[default]
    Minimal,
    /// As in the published measurements: alternatives distributed, not minimised.
    Published,
}

impl From<ConstructionArgument> for Construction {
    fn from(construction: ConstructionArgument) -> Self {
        match construction {
            ConstructionArgument::Minimal => Self::Minimal,
            ConstructionArgument::Published => Self::Published,
        }
    }
}

fn throws(text: &str) -> Result<(String, Vec<String>), String> {
    let (method, exceptions) =
        text.split_once('=').ok_or("write a method, `=` and its exceptions")?;
    let exceptions = exceptions.split(',').map(|name| name.trim().to_owned());
    Ok((method.to_owned(), exceptions.filter(|name| !name.is_empty()).collect()))
}

impl ComponentArguments {
    /// Refuses options that mean nothing for a file that holds no components.
    pub(crate) fn refuse(&self, path: &Path) -> Result<(), Vec<Diagnostic>> {
        if *self == Self::default() {
            return Ok(());
        }
        let message = format!("`{}` holds no components", path.display());
        let help =
            "several files, --bind, --external, --throws and --construction are for .bp files";
        Err(vec![Diagnostic::error(&codes::CONTRADICTION, message).help(help)])
    }
}

/// The options as words of a command line: what else beside the first file makes the composition.
pub(crate) fn words(arguments: &ComponentArguments) -> Vec<String> {
    let mut words: Vec<String> =
        arguments.more.iter().map(|path| path.display().to_string()).collect();
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
    arguments.bind.iter().for_each(|name| option("--bind", name.clone()));
    arguments.external.iter().for_each(|name| option("--external", name.clone()));
    for (method, exceptions) in &arguments.throws {
        option("--throws", format!("{method}={}", exceptions.join(",")));
    }
    if arguments.construction == ConstructionArgument::Published {
        option("--construction", "published".to_owned());
    }
    words
}

/// Whether a path is a file of components, or a folder that may hold some.
pub(crate) fn are_meant(path: &Path, world: &World) -> bool {
    has_extension(path, "bp") || world.is_folder(path) && !input::is_known(path)
}

/// The slots of components: what they hold follows from the events.
pub(crate) fn hidden(composition: &Composition) -> Vec<String> {
    composition.layout().slots().iter().map(|slot| slot.name.clone()).collect()
}

/// Reads and composes components.
pub(crate) fn compose(
    path: &Path,
    arguments: &ComponentArguments,
    world: &World,
    sources: &mut Sources,
) -> Result<Composition, Stop> {
    let (assembly, odd) = assemble(path, arguments, world, sources)?;
    crate::report(world, sources, &odd);
    Ok(assembly.compose().map_err(|too_large| vec![too_large])?)
}

/// Reads components and puts them together; what is odd about them comes along.
pub(crate) fn assemble(
    path: &Path,
    arguments: &ComponentArguments,
    world: &World,
    sources: &mut Sources,
) -> Result<(Assembly, Vec<Diagnostic>), Vec<Diagnostic>> {
    let throws = (!arguments.throws.is_empty())
        .then(|| Throws { methods: arguments.throws.iter().cloned().collect() });
    let mut files = Vec::new();
    let mut diagnostics = Vec::new();
    for path in paths(path, arguments, world)? {
        match read(&path, world, sources) {
            Ok((file, warnings)) => {
                diagnostics.extend(warnings);
                diagnostics.extend(lint::check(&file, throws.as_ref()));
                files.push(file);
            }
            Err(bad) => diagnostics.extend(bad),
        }
    }
    let components: Vec<&Component> = files.iter().flat_map(|file| &file.components).collect();
    diagnostics.extend(namesakes(&components));
    if components.is_empty() && diagnostics.is_empty() {
        let message = format!("`{}` holds no component", path.display());
        let help = "a file of components is a sequence of `NAME protocol`";
        diagnostics.push(Diagnostic::error(&codes::NO_COMPONENT, message).help(help));
    }
    if arguments.bind.is_empty() && arguments.external.is_empty() {
        diagnostics.extend(lint::check_system(&components, &Knowledge::default()));
    }
    if diagnostics.iter().any(lint::stops) {
        return Err(diagnostics);
    }
    let member = |file: &File, component: &Component| Member {
        types: file.types.clone(),
        component: component.clone(),
        throws: throws.clone(),
    };
    let members = files.iter().flat_map(|file| file.components.iter().map(|one| member(file, one)));
    let wire = |alphabet: &Alphabet, units: &[Unit]| wiring(arguments, alphabet, units);
    let assembly = Assembly::new(members.collect(), arguments.construction.into(), wire);
    let assembly = assembly.map_err(|too_large| vec![too_large])?;
    let unknown = unknown_names(arguments, assembly.alphabet(), sources);
    if unknown.is_empty() { Ok((assembly, diagnostics)) } else { Err(unknown) }
}

/// The files that are meant; of a folder, those directly in it.
fn paths(
    first: &Path,
    arguments: &ComponentArguments,
    world: &World,
) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let mut all = Vec::new();
    for path in std::iter::once(first).chain(arguments.more.iter().map(PathBuf::as_path)) {
        if world.is_folder(path) {
            let inside = world.files_below(path).map_err(|unreadable| vec![unreadable])?;
            let is_direct = |file: &PathBuf| file.parent() == Some(path);
            all.extend(
                inside.into_iter().filter(|file| is_direct(file) && has_extension(file, "bp")),
            );
        } else {
            all.push(path.to_owned());
        }
    }
    Ok(all)
}

/// Reads a file of components; warnings come along.
pub(crate) fn read(
    path: &Path,
    world: &World,
    sources: &mut Sources,
) -> Result<(File, Vec<Diagnostic>), Vec<Diagnostic>> {
    let source = world.read(path, sources).map_err(|unreadable| vec![unreadable])?;
    let (file, diagnostics) = quadrille_component::parse(source, sources.text(source));
    if diagnostics.iter().any(Diagnostic::is_error) {
        Err(diagnostics)
    } else {
        Ok((file, diagnostics))
    }
}

/// Components of different files with one name; those of one file are reported by the lint.
fn namesakes(components: &[&Component]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (position, component) in components.iter().enumerate() {
        let name = &component.name;
        let mut before = components[..position].iter().map(|other| &other.name);
        let other =
            before.find(|other| other.text == name.text && other.span.source != name.span.source);
        if let Some(other) = other {
            let message = format!("two components are called `{}`", name.text);
            let diagnostic = Diagnostic::error(&TWICE, message).at(name.span, "");
            found.push(diagnostic.at(other.span, "first here").help("rename one of them"));
        }
    }
    found
}

fn wiring(arguments: &ComponentArguments, alphabet: &Alphabet, units: &[Unit]) -> Wiring {
    let mut wiring = if arguments.bind.is_empty() {
        Wiring::shared(alphabet, units)
    } else {
        let bind = |name: &String| Binding { name: name.clone(), between: None };
        Wiring { bindings: arguments.bind.iter().map(bind).collect(), ..Wiring::default() }
    };
    wiring.external.clone_from(&arguments.external);
    wiring
}

/// Names of options that no component mentions.
fn unknown_names(
    arguments: &ComponentArguments,
    alphabet: &Alphabet,
    sources: &mut Sources,
) -> Vec<Diagnostic> {
    let bind = arguments.bind.iter().map(|name| ("--bind", name));
    let external = arguments.external.iter().map(|name| ("--external", name));
    let throws = arguments.throws.iter().map(|(method, _)| ("--throws", method));
    let mut found = Vec::new();
    for (option, name) in bind.chain(external).chain(throws) {
        if alphabet.events().any(|(_, event)| is_on(&event.path, name)) {
            continue;
        }
        let source = sources.add(option, name.as_str());
        let message = format!("no component mentions `{name}`");
        let diagnostic = Diagnostic::error(&UNKNOWN_INTERFACE, message);
        let mut diagnostic = diagnostic.at(Span::new(source, 0..name.len()), "");
        let known = alphabet.events().flat_map(|(_, event)| [&event.path[..], event.interface()]);
        diagnostic.help =
            similar(name, known).first().map(|near| format!("did you mean `{near}`?"));
        found.push(diagnostic);
    }
    found
}

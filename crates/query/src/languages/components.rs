//! Components: files and folders of behavior protocols, linted and put together as a selection says.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use quadrille_component::architecture::Architecture;
use quadrille_component::architecture::codes::UNKNOWN_INTERFACE;
use quadrille_component::assembly::{Assembly, Member};
use quadrille_component::automata::{Alphabet, Throws, is_on};
use quadrille_component::codes::TWICE;
use quadrille_component::composition::{Binding, Composition, Unit, Wiring};
use quadrille_component::lint::{self, KnownBindings};
use quadrille_component::syntax::{Component, File};
use quadrille_diagnostic::{Diagnostic, Sources, Span, similar};

use crate::codes::NO_COMPONENT;
use crate::files::{Files, files_below, has_extension, read_text};
use crate::language::{Loaded, Loader, Wanted};
use crate::selection::{ComponentSelection, Selection};
use crate::subject::{Matter, Subject};
use crate::vocabulary::Vocabulary;

/// Components that are put together.
pub struct Composed {
    /// The components, with what is needed to explain an error in their texts.
    pub assembly: Assembly,
    /// The model.
    pub composition: Composition,
    /// The composite and the compliance, where they are of an architecture; the components and
    /// `system`, where they are one of several systems.
    pub compliance: Option<(String, String)>,
    /// The architecture they are of.
    pub system: Option<Rc<Architecture>>,
}

pub(crate) fn load(loader: &mut Loader<'_>, path: &Path) -> Loaded {
    let selection = &loader.selection.components;
    let (assembly, diagnostics) = assemble(loader.files, loader.sources, path, selection)?;
    loader.warnings.extend(diagnostics);
    // Bindings that are named make one system of the components they are given for.
    let systems = match loader.wanted {
        Wanted::All if selection.bind.is_empty() => assembly.systems(),
        Wanted::All | Wanted::One => Vec::new(),
    };
    if systems.len() < 2 {
        return Ok(vec![subject(assembly, None, None, loader.selection.clone())?]);
    }
    // Each is checked by itself: together they would only multiply.
    let subjects = systems.into_iter().map(|system| {
        let components = || system.members().iter().map(|member| &member.component);
        let names: Vec<&str> = components().map(|one| &one.name.text[..]).collect();
        let check = (names.join(", "), SYSTEM.to_owned());
        let mut files: Vec<_> =
            components().map(|one| loader.sources.name(one.name.span.source)).collect();
        files.dedup();
        let mut selection = loader.selection.clone();
        selection.components.more = files.into_iter().skip(1).map(PathBuf::from).collect();
        subject(system, Some(check), None, selection)
    });
    subjects.collect()
}

/// The kind of check of one of several systems.
const SYSTEM: &str = "system";

/// An assembly as something to ask about.
pub fn subject(
    assembly: Assembly,
    compliance: Option<(String, String)>,
    system: Option<Rc<Architecture>>,
    selection: Selection,
) -> Result<Subject<'static>, Vec<Diagnostic>> {
    let composition = assembly.compose().map_err(|too_large| vec![too_large])?;
    let matter =
        Matter::Components(Box::new(Composed { assembly, composition, compliance, system }));
    Ok(Subject::new(matter, Vocabulary::Events, selection, Vec::new()))
}

/// Reads components and puts them together, with warnings.
pub fn assemble(
    files: &dyn Files,
    sources: &mut Sources,
    path: &Path,
    selection: &ComponentSelection,
) -> Result<(Assembly, Vec<Diagnostic>), Vec<Diagnostic>> {
    let throws = (!selection.throws.is_empty())
        .then(|| Throws { methods: selection.throws.iter().cloned().collect() });
    let mut texts = Vec::new();
    let mut diagnostics = Vec::new();
    for path in paths(files, path, selection)? {
        match read_components(files, sources, &path) {
            Ok((file, warnings)) => {
                diagnostics.extend(warnings);
                diagnostics.extend(lint::check(&file, throws.as_ref()));
                texts.push(file);
            }
            Err(bad) => diagnostics.extend(bad),
        }
    }
    let components: Vec<&Component> = texts.iter().flat_map(|file| &file.components).collect();
    diagnostics.extend(namesakes(&components));
    if components.is_empty() && diagnostics.is_empty() {
        let message = format!("`{}` holds no component", path.display());
        let help = "a file of components is a sequence of `NAME protocol`";
        diagnostics.push(Diagnostic::error(&NO_COMPONENT, message).help(help));
    }
    if selection.bind.is_empty() && selection.external.is_empty() {
        diagnostics.extend(lint::check_system(&components, &KnownBindings::default()));
    }
    if diagnostics.iter().any(lint::stops) {
        return Err(diagnostics);
    }
    let member = |file: &File, component: &Component| Member {
        types: file.types.clone(),
        component: component.clone(),
        throws: throws.clone(),
    };
    let members = texts.iter().flat_map(|file| file.components.iter().map(|one| member(file, one)));
    let wire = |alphabet: &Alphabet, units: &[Unit]| wiring(selection, alphabet, units);
    let assembly = Assembly::new(members.collect(), selection.construction, wire);
    let assembly = assembly.map_err(|too_large| vec![too_large])?;
    let unknown = unknown_names(selection, assembly.alphabet(), sources);
    if unknown.is_empty() { Ok((assembly, diagnostics)) } else { Err(unknown) }
}

/// All files of components; of a folder, those directly in it.
fn paths(
    files: &dyn Files,
    first: &Path,
    selection: &ComponentSelection,
) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let mut all = Vec::new();
    for path in std::iter::once(first).chain(selection.more.iter().map(PathBuf::as_path)) {
        match files_below(files, path).filter(|_| !has_extension(path, "bp")) {
            None => all.push(path.to_owned()),
            Some(inside) => {
                let is_direct = |file: &PathBuf| file.parent() == Some(path);
                let inside = inside.map_err(|unreadable| vec![unreadable])?.into_iter();
                all.extend(inside.filter(|file| is_direct(file) && has_extension(file, "bp")));
            }
        }
    }
    Ok(all)
}

/// Reads a file of components, with warnings.
pub fn read_components(
    files: &dyn Files,
    sources: &mut Sources,
    path: &Path,
) -> Result<(File, Vec<Diagnostic>), Vec<Diagnostic>> {
    let source = read_text(files, path, sources).map_err(|unreadable| vec![unreadable])?;
    let (file, diagnostics) = quadrille_component::parse(source, sources.text(source));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    Ok((file, diagnostics))
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

fn wiring(selection: &ComponentSelection, alphabet: &Alphabet, units: &[Unit]) -> Wiring {
    let mut wiring = if selection.bind.is_empty() {
        Wiring::shared(alphabet, units)
    } else {
        let bind = |name: &String| Binding { name: name.clone(), between: None };
        Wiring { bindings: selection.bind.iter().map(bind).collect(), ..Wiring::default() }
    };
    wiring.external.clone_from(&selection.external);
    wiring
}

/// Names of a selection that no component mentions.
fn unknown_names(
    selection: &ComponentSelection,
    alphabet: &Alphabet,
    sources: &mut Sources,
) -> Vec<Diagnostic> {
    let bind = selection.bind.iter().map(|name| ("--bind", name));
    let external = selection.external.iter().map(|name| ("--external", name));
    let throws = selection.throws.iter().map(|(method, _)| ("--throws", method));
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

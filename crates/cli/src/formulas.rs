//! The formulas of a command line and of files, before and after they are read.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources, Span, similar};
use quadrille_engine::{Fairness, LtlAlgorithm, Tasks};
use quadrille_model::{Model, Runs, TaskId};
use quadrille_query::codes::{CONTRADICTION, UNKNOWN_GROUP};
use quadrille_query::{
    FormulaText, Property, Subject, Syntax, has_extension, paragraphs, read_text,
};

use crate::arguments::{
    AlgorithmArgument, AskedArguments, FairArgument, FairKind, FormulaArguments,
};
use crate::codes;
use crate::world::World;

/// The formulas of the command line, and what is wrong with the files that should hold some.
pub(crate) fn texts(
    arguments: &AskedArguments,
    world: &World,
    sources: &mut Sources,
) -> (Vec<FormulaText>, Vec<Diagnostic>) {
    let (mut texts, mut diagnostics) = (Vec::new(), Vec::new());
    for (number, text) in arguments.formula.iter().enumerate() {
        let source = sources.add(format!("formula {}", number + 1), text.as_str());
        texts.push(FormulaText { span: Span::new(source, 0..text.len()), syntax: Syntax::Own });
    }
    let types = arguments.types.iter().cloned().collect();
    for path in &arguments.formula_file {
        match texts_of(path, &types, world, sources) {
            Ok(found) => texts.extend(found),
            Err(bad) => diagnostics.push(bad),
        }
    }
    for path in &arguments.never {
        match automaton(path, true, world, sources) {
            Ok(found) => texts.extend(found),
            Err(bad) => diagnostics.push(bad),
        }
    }
    (texts, diagnostics)
}

/// The formulas of a file.
pub(crate) fn texts_of(
    path: &Path,
    types: &quadrille_protocol::owl::Types,
    world: &World,
    sources: &mut Sources,
) -> Result<Vec<FormulaText>, Diagnostic> {
    if has_extension(path, "hoa") {
        return automaton(path, false, world, sources);
    }
    let source = read_text(world, path, sources)?;
    if has_extension(path, "owl") {
        let span = Span::new(source, 0..sources.text(source).len());
        return Ok(vec![FormulaText { span, syntax: Syntax::Owl(types.clone()) }]);
    }
    let spans = paragraphs(sources, source);
    if spans.is_empty() {
        let message = format!("`{}` holds no formula", path.display());
        let place = Span::new(source, 0..0);
        return Err(Diagnostic::error(&codes::NO_FORMULA, message).at(place, ""));
    }
    let own = |span| FormulaText { span, syntax: Syntax::Own };
    Ok(spans.into_iter().map(own).collect())
}

/// The automaton of a file: of the runs that must `never` be, or of those that are allowed.
pub(crate) fn automaton(
    path: &Path,
    never: bool,
    world: &World,
    sources: &mut Sources,
) -> Result<Vec<FormulaText>, Diagnostic> {
    let source = read_text(world, path, sources)?;
    Ok(vec![FormulaText::hoa(sources, source, never)?])
}

/// Reads formulas about a subject; the errors of all of them are reported. Warnings come along.
pub(crate) fn read(
    subject: &mut Subject<'_>,
    texts: &[FormulaText],
    runs: Option<Runs>,
    sources: &Sources,
) -> Result<(Vec<Property>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (mut properties, mut warnings, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for text in texts {
        match subject.formula(sources, text) {
            Err(found) => errors.extend(found),
            Ok((mut property, found)) => {
                property.runs = runs.unwrap_or(property.runs);
                properties.push(property);
                warnings.extend(found);
            }
        }
    }
    if errors.is_empty() { Ok((properties, warnings)) } else { Err(errors) }
}

/// Reads the formulas of a command line about a subject and shows warnings; what is wrong with them
/// comes together with what is wrong with the files that should hold some.
pub(crate) fn read_asked(
    subject: &mut Subject<'_>,
    (texts, mut unreadable): (&[FormulaText], Vec<Diagnostic>),
    runs: Option<Runs>,
    world: &World,
    sources: &Sources,
) -> Result<Vec<Property>, Vec<Diagnostic>> {
    let read = read(subject, texts, runs, sources);
    if !unreadable.is_empty() {
        unreadable.splice(0..0, read.err().into_iter().flatten());
        return Err(unreadable);
    }
    let (properties, warnings) = read?;
    crate::report(world, sources, &warnings);
    Ok(properties)
}

/// The properties that a file declares, or those of them with these names.
pub(crate) fn declared(
    subject: &Subject<'_>,
    names: &[String],
    runs: Option<Runs>,
) -> Result<Vec<Property>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut properties: Vec<Property> = if names.is_empty() {
        subject.properties.clone()
    } else {
        let found = names.iter().filter_map(|name| match subject.property(name) {
            Ok(property) => Some(property.clone()),
            Err(unknown) => {
                errors.push(unknown);
                None
            }
        });
        found.collect()
    };
    for property in &mut properties {
        property.runs = runs.unwrap_or(property.runs);
        errors.extend(subject.fits(property).err().into_iter().flatten());
    }
    if errors.is_empty() { Ok(properties) } else { Err(errors) }
}

/// How linear formulas are checked; refuses options that contradict each other or the model.
pub(crate) fn method(
    arguments: &FormulaArguments,
    model: &dyn Model,
) -> Result<(Fairness, LtlAlgorithm), Vec<Diagnostic>> {
    let fairness = fairness(&arguments.fair, model)?;
    let algorithm = match arguments.algorithm {
        AlgorithmArgument::Scc => LtlAlgorithm::Components,
        AlgorithmArgument::Ndfs => LtlAlgorithm::Nested,
        AlgorithmArgument::Owcty => LtlAlgorithm::Owcty,
    };
    if algorithm == LtlAlgorithm::Nested && !fairness.is_none() {
        let message = "nested depth-first search cannot respect fairness";
        let help = "leave --fair out, or use --algorithm scc";
        return Err(vec![Diagnostic::error(&CONTRADICTION, message).help(help)]);
    }
    if algorithm == LtlAlgorithm::Owcty && !fairness.is_none() {
        let message = "the algorithm `owcty` cannot respect fairness";
        let help = "leave --fair out, or use --algorithm scc";
        return Err(vec![Diagnostic::error(&CONTRADICTION, message).help(help)]);
    }
    Ok((fairness, algorithm))
}

fn fairness(wanted: &[FairArgument], model: &dyn Model) -> Result<Fairness, Vec<Diagnostic>> {
    let mut fairness = Fairness::default();
    let mut unknown = Vec::new();
    for FairArgument { kind, group } in wanted {
        let groups = match kind {
            FairKind::Weak => &mut fairness.weak,
            FairKind::Strong => &mut fairness.strong,
        };
        let Some(name) = group else {
            *groups = Tasks::All;
            continue;
        };
        let tasks = model.signature().tasks.iter().enumerate();
        let named = tasks.filter(|(_, task)| *task == name).map(|(id, _)| TaskId::from_usize(id));
        let named: Vec<TaskId> = named.collect();
        if named.is_empty() {
            unknown.push(unknown_group(name, model));
        }
        match groups {
            Tasks::All => {}
            Tasks::Some(known) => known.extend(named),
            Tasks::None => *groups = Tasks::Some(named),
        }
    }
    if unknown.is_empty() { Ok(fairness) } else { Err(unknown) }
}

fn unknown_group(name: &str, model: &dyn Model) -> Diagnostic {
    let message = format!("the model has no group of steps `{name}`");
    let diagnostic = Diagnostic::error(&UNKNOWN_GROUP, message);
    match similar(name, model.signature().tasks.iter().map(String::as_str)).as_slice() {
        [] => diagnostic.help("without a name, --fair means all groups"),
        near => diagnostic.help(format!("did you mean {}?", near.join(" or "))),
    }
}

//! Alloy specifications: `check`, `test` and `eval` of `.als` and `.ele` files.

pub(super) mod eval;

use std::path::Path;

use quadrille_alloy::names::{Files, read};
use quadrille_alloy::{
    Command, Engine, Options, Question, World as Specification, answer, codes::COMMAND,
};
use quadrille_diagnostic::{Diagnostic, SourceId, Sources, similar};
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{Language, language_of, read_text};
use quadrille_report::{
    Answered, SpecificationDocument, SpecificationTests, Theme, answered_text, picture,
};

use super::check::outputs::write_junit;
use crate::arguments::{
    CheckArguments, CheckFormat, EngineArgument, LimitArguments, OrderArgument, OverflowArgument,
    ProofArgument, ReductionArgument, SpecificationArguments,
};
use crate::exit::Exit;
use crate::world::World;
use crate::{Ended, Stop};

/// Whether a file is a specification.
pub(super) fn is_one(path: &Path) -> bool {
    language_of(path).is_ok_and(Language::has_constraints)
}

/// Files on disk, as modules are opened.
struct Opened<'a> {
    world: &'a World,
    sources: &'a mut Sources,
}

impl Files for Opened<'_> {
    fn text(&mut self, path: &str) -> Option<(SourceId, String)> {
        let source = read_text(self.world, Path::new(path), self.sources).ok()?;
        Some((source, self.sources.text(source).to_owned()))
    }

    fn library(&mut self, name: &str, text: &'static str) -> SourceId {
        self.sources.add(name, text)
    }
}

/// Reads a specification; warnings are shown.
fn load(path: &Path, world: &World, sources: &mut Sources) -> Result<Specification, Stop> {
    let source = read_text(world, path, sources).map_err(|unreadable| vec![unreadable])?;
    let text = sources.text(source).to_owned();
    let name = path.display().to_string().replace('\\', "/");
    let found = read(&mut Opened { world, sources }, &name, source, &text)?;
    crate::report(world, sources, &found.warnings);
    Ok(found)
}

/// The commands that are asked: the one with a name, or all.
fn chosen<'s>(
    specification: &'s Specification,
    name: Option<&str>,
) -> Result<Vec<&'s Command>, Diagnostic> {
    let Some(name) = name else { return Ok(specification.commands.iter().collect()) };
    let found: Vec<&Command> =
        specification.commands.iter().filter(|command| command.name == name).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let known = specification.commands.iter().map(|command| command.name.as_str());
    let message = format!("the specification has no command `{name}`");
    let help = match similar(name, known.clone()).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its commands are {}", known.collect::<Vec<_>>().join(", ")),
    };
    Err(Diagnostic::error(&COMMAND, message).help(help))
}

/// How a command is asked under these options and bounds.
fn question(
    arguments: Option<&SpecificationArguments>,
    limits: &LimitArguments,
    world: &World,
) -> Question {
    let is = |wanted: fn(&SpecificationArguments) -> bool| arguments.is_some_and(wanted);
    let timeout = match (limits.timeout, limits.timeout_each) {
        (Some(all), Some(each)) => Some(all.min(each)),
        (all, each) => all.or(each),
    };
    let options = Options {
        core: is(|it| it.core),
        checks_proofs: is(|it| it.proof == Some(ProofArgument::Checked)),
        wraps: !is(|it| it.overflow == Some(OverflowArgument::Avoid)),
        stop: world.stop_after(timeout),
        ..Options::default()
    };
    Question {
        instances: arguments.and_then(|it| it.next).unwrap_or(1),
        proves: !is(|it| it.proof == Some(ProofArgument::Off)),
        engine: Engine::Auto,
        options,
    }
}

/// The answers to commands, and why others have none.
fn ask<'s>(
    specification: &'s Specification,
    commands: &[&'s Command],
    question: impl Fn() -> Question,
    world: &World,
) -> (Vec<Answered<'s>>, Vec<Diagnostic>) {
    let (mut answers, mut refused) = (Vec::new(), Vec::new());
    for &command in commands {
        let begun = world.now();
        match answer(specification, command, &question()) {
            Ok(answer) => answers.push(Answered { command, answer, seconds: begun.seconds() }),
            Err(error) => refused.push(error),
        }
    }
    (answers, refused)
}

/// `quadrille check`.
pub(super) fn check(arguments: &CheckArguments, world: &World, sources: &mut Sources) -> Ended {
    refuse_others(arguments)?;
    let engine = match arguments.engine {
        EngineArgument::Sat => Engine::Sat,
        EngineArgument::Explicit => Engine::Explicit,
        EngineArgument::Both => Engine::Both,
        EngineArgument::Auto | EngineArgument::Symbolic => Engine::Auto,
    };
    let theme = match &arguments.specification.theme {
        None => Theme::default(),
        Some(path) => {
            let source = read_text(world, path, sources).map_err(|unreadable| vec![unreadable])?;
            Theme::read(source, sources.text(source))?
        }
    };
    let specification = load(&arguments.file, world, sources)?;
    let commands = chosen(&specification, arguments.model.design.command.as_deref())?;
    let begun = world.now();
    let question = || {
        // What is left of the time for all commands.
        let mut limits = arguments.limits.clone();
        limits.timeout = limits.timeout.map(|all| all.saturating_sub(begun.elapsed()));
        let question = question(Some(&arguments.specification), &limits, world);
        Question { engine, ..question }
    };
    let (answers, refused) = ask(&specification, &commands, question, world);
    if !refused.is_empty() && (answers.is_empty() || arguments.output.format == CheckFormat::Json) {
        return Err(refused.into());
    }
    let exit = answers.iter().fold(Exit::Holds, |exit, answered| {
        exit.and(match answered.is_good() {
            Some(true) => Exit::Holds,
            Some(false) => Exit::Violated,
            None => Exit::Unknown,
        })
    });
    world.print(&match arguments.output.format {
        CheckFormat::Text | CheckFormat::Diagram => {
            let has_figures = arguments.specification.statistics;
            let texts: Vec<String> = answers
                .iter()
                .map(|answered| answered_text(answered, sources, has_figures))
                .collect();
            texts.concat()
        }
        CheckFormat::Json => {
            let file = arguments.file.display().to_string();
            SpecificationDocument::new(file, exit.word(), &answers, sources).to_json()
        }
    });
    let first = answers.iter().find_map(|it| Some((it.command, it.answer.instances.first()?)));
    if let Some((command, instance)) = first {
        let file = arguments.file.display().to_string();
        if let Some(path) = &arguments.specification.html {
            let title = format!("{file}: {}", command.name);
            world.write(path, &picture(&title, instance, &theme))?;
        }
        if let Some(path) = &arguments.specification.xml {
            world.write(path, &quadrille_alloy::xml(&specification, command, instance, &file))?;
        }
    }
    let file = arguments.file.display().to_string();
    let tests = SpecificationTests::new(file, &answers, sources);
    write_junit(arguments.output.junit.as_deref(), &[], &[tests], world)?;
    if refused.is_empty() { Ok(exit) } else { Err(refused.into()) }
}

/// Options that say nothing about specifications.
fn refuse_others(arguments: &CheckArguments) -> Result<(), Diagnostic> {
    let given = [
        (arguments.allow_deadlock, "--allow-deadlock"),
        (arguments.bounded, "--bounded"),
        (arguments.strict, "--strict"),
        (arguments.reduce, "--reduce"),
        (arguments.lossy.is_some(), "--lossy"),
        (arguments.order == OrderArgument::Dfs, "--order dfs"),
        (arguments.engine == EngineArgument::Symbolic, "--engine symbolic"),
        (arguments.reduction == ReductionArgument::Check, "--reduction check"),
        (arguments.formulas.asks(), "--formula"),
        (!arguments.formulas.property.is_empty(), "--property"),
        (!arguments.output.trace_out.is_empty(), "--trace-out"),
    ];
    let Some((_, option)) = given.iter().find(|(is_given, _)| *is_given) else { return Ok(()) };
    let message = format!("{option} says nothing about specifications (.als)");
    let help = "leave it out; `--command NAME` chooses a command, `--html` and `--xml` write files";
    Err(Diagnostic::error(&CONTRADICTION, message).help(help))
}

/// `quadrille test` of one specification.
pub(super) fn test(
    path: &Path,
    limits: &LimitArguments,
    world: &World,
    sources: &mut Sources,
) -> Result<SpecificationTests, Stop> {
    let specification = load(path, world, sources)?;
    let commands: Vec<&Command> = specification.commands.iter().collect();
    let (answers, refused) =
        ask(&specification, &commands, || question(None, limits, world), world);
    if !refused.is_empty() {
        return Err(refused.into());
    }
    Ok(SpecificationTests::new(path.display().to_string(), &answers, sources))
}

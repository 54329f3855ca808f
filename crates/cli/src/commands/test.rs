//! `quadrille test`: do all properties and formulas come out as expected?

mod text;

use std::path::{Path, PathBuf};

use quadrille_check::Method;
use quadrille_check::manifest::{self, Check};
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::Order;
use quadrille_model::{Expected, Runs};
use quadrille_report::{Suite, Test, TestDocument, junit};

use crate::arguments::{Format, ProtocolArguments, SessionArguments, TestArguments, Variant};
use crate::checker::{Checker, deadlock};
use crate::exit::Exit;
use crate::formulas::{Question, Reader, asked_in, own};
use crate::input::{Input, load};
use crate::protocols;
use crate::watch::Watcher;
use crate::world::{World, has_extension};
use crate::{Ended, Stop, codes};

/// Something to test.
enum Work {
    /// A protocol file with properties.
    Properties(PathBuf),
    /// All checks of one behaviour of one file: it is explored once.
    Checks { file: PathBuf, session: SessionArguments, checks: Vec<Check> },
}

/// What was found about one behaviour.
struct Found {
    suite: Suite,
    /// The options that mean this behaviour.
    session: SessionArguments,
    /// For each test, the options that ask it again.
    again: Vec<String>,
}

pub(crate) fn run(arguments: &TestArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &arguments.limits);
    let (mut found, mut diagnostics) = (Vec::new(), Vec::new());
    for work in collect(&arguments.paths, world, sources)? {
        match work.run(&mut watcher, sources) {
            Ok(tests) => found.extend(tests),
            Err(Stop::Bad(bad)) => diagnostics.extend(bad),
            Err(stop) => return Err(stop),
        }
    }
    watcher.end();
    if !diagnostics.is_empty() {
        return Err(diagnostics.into());
    }
    let text = text::text(&found, world.output_style());
    let suites: Vec<Suite> = found.into_iter().map(|found| found.suite).collect();
    if let Some(path) = &arguments.junit {
        world.write(path, &junit(&suites)).map_err(|unwritable| vec![unwritable])?;
    }
    world.print(&match arguments.format {
        Format::Text => text,
        Format::Json => TestDocument::new(&suites).to_json(),
    });
    let passed = suites.iter().flat_map(|suite| &suite.tests).all(Test::passed);
    Ok(if passed { Exit::Holds } else { Exit::Violated })
}

/// Everything there is to test in these files and folders.
fn collect(
    paths: &[PathBuf],
    world: &World,
    sources: &mut Sources,
) -> Result<Vec<Work>, Vec<Diagnostic>> {
    let (mut work, mut diagnostics) = (Vec::new(), Vec::new());
    for path in paths {
        let files = if world.is_folder(path) {
            world.files_below(path).map_err(|unreadable| vec![unreadable])?
        } else {
            vec![path.clone()]
        };
        for file in files {
            let named = file == *path;
            if has_extension(&file, "quad") {
                work.push(Work::Properties(file));
            } else if has_extension(&file, "toml") {
                match checks(&file, named, world, sources) {
                    Ok(found) => found.into_iter().for_each(|check| add(&mut work, check)),
                    Err(bad) => diagnostics.extend(bad),
                }
            } else if named {
                let message = format!("`{}` holds no tests", file.display());
                let help = "name a .quad file, a .toml manifest or a folder";
                diagnostics.push(Diagnostic::error(&codes::UNKNOWN_KIND, message).help(help));
            }
        }
    }
    if diagnostics.is_empty() && work.is_empty() {
        let shown: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        let message = format!("there is nothing to test in {}", shown.join(", "));
        let help = "name a .quad file or a manifest, or a folder that holds one";
        diagnostics.push(Diagnostic::error(&codes::NOTHING_TO_TEST, message).help(help));
    }
    if diagnostics.is_empty() { Ok(work) } else { Err(diagnostics) }
}

/// The checks of a manifest; a TOML file that is none has no checks, unless it was named.
fn checks(
    path: &Path,
    named: bool,
    world: &World,
    sources: &mut Sources,
) -> Result<Vec<Check>, Vec<Diagnostic>> {
    let source = world.read(path, sources).map_err(|unreadable| vec![unreadable])?;
    let text = sources.text(source);
    if !named && !manifest::is_manifest(text) {
        return Ok(Vec::new());
    }
    let matching = |folder: &Path, pattern: &str| world.matching(folder, pattern);
    manifest::read(source, text, path.parent().unwrap_or(Path::new("")), &matching)
}

/// Which behaviour a check is about.
fn session(check: &Check) -> SessionArguments {
    let protocol = ProtocolArguments {
        protocol: check.protocol.clone(),
        arguments: check.arguments.clone(),
        parameters: Vec::new(),
    };
    SessionArguments { protocol, variant: check.variant.into() }
}

/// Puts a check to those of the same behaviour, wherever they stand.
fn add(all: &mut Vec<Work>, check: Check) {
    let of_check = session(&check);
    for work in all.iter_mut() {
        if let Work::Checks { file, session, checks } = work
            && (&*file, &*session) == (&check.file, &of_check)
        {
            return checks.push(check);
        }
    }
    all.push(Work::Checks { file: check.file.clone(), session: of_check, checks: vec![check] });
}

impl Work {
    fn run(&self, watcher: &mut Watcher, sources: &mut Sources) -> Result<Vec<Found>, Stop> {
        match self {
            Work::Checks { file, session, checks } => {
                run_checks(file, session, checks, watcher, sources).map(|found| vec![found])
            }
            Work::Properties(file) => {
                let source = watcher.world().read(file, sources);
                let source = source.map_err(|unreadable| vec![unreadable])?;
                let protocols = protocols::all_of_quad(source, &[], sources)?;
                if let Some(protocol) = protocols.first() {
                    crate::report(watcher.world(), sources, &protocol.warnings);
                }
                let found = protocols.into_iter().map(|protocol| {
                    let session = ProtocolArguments {
                        protocol: Some(protocol.name.clone()),
                        arguments: protocol.arguments.clone(),
                        parameters: Vec::new(),
                    };
                    let session = SessionArguments::from(session);
                    let input = Input::Protocol(Box::new(protocol));
                    let questions = properties(&input, None)?;
                    run_questions(file, &session, &input, &questions, watcher)
                });
                found.collect()
            }
        }
    }
}

fn run_checks(
    file: &Path,
    session: &SessionArguments,
    checks: &[Check],
    watcher: &mut Watcher,
    sources: &mut Sources,
) -> Result<Found, Stop> {
    let (mut asked, mut bad) = (Vec::new(), Vec::new());
    for check in checks {
        for (path, expected) in &check.formulas {
            match asked_in(path, watcher.world(), sources) {
                Ok(found) => asked.push((check, *expected, found)),
                Err(diagnostic) => bad.push(diagnostic),
            }
        }
    }
    let formulas: Vec<_> = asked.iter().flat_map(|(_, _, asked)| own(asked)).collect();
    let input = load(file, session, &formulas, watcher, sources)?;
    let mut questions = Vec::new();
    for check in checks.iter().filter(|check| check.formulas.is_empty()) {
        questions.extend(properties(&input, check.runs)?);
    }
    for (check, expected, asked) in &asked {
        let reader = Reader::new(&input, check.types.clone(), check.runs);
        match reader.questions(asked, sources) {
            Ok((found, _)) => {
                questions.extend(found.into_iter().map(|question| (question, *expected)));
            }
            Err(found) => bad.extend(found),
        }
    }
    if !bad.is_empty() {
        return Err(bad.into());
    }
    run_questions(file, session, &input, &questions, watcher)
}

/// The properties that a protocol file has itself.
fn properties(
    input: &Input,
    runs: Option<Runs>,
) -> Result<Vec<(Question<'_>, Expected)>, Vec<Diagnostic>> {
    let Some(protocol) = input.protocol() else { return Ok(Vec::new()) };
    let reader = Reader::new(input, quadrille_protocol::owl::Types::new(), runs);
    let found = reader.properties(protocol, &[])?.into_iter();
    Ok(found.map(|(question, property)| (question, property.expected)).collect())
}

fn run_questions(
    file: &Path,
    session: &SessionArguments,
    input: &Input,
    questions: &[(Question, Expected)],
    watcher: &mut Watcher,
) -> Result<Found, Stop> {
    let model = input.model();
    let method = Method { shared: true, ..Method::default() };
    let mut checker = Checker::new(model, method, watcher.limits());
    let (mut tests, mut again) = (Vec::new(), Vec::new());
    for (question, expected) in questions {
        let outcome = input.tidied(checker.answer(question, watcher)?);
        tests.push(Test { outcome, expected: *expected });
        again.push(question.again.clone());
    }
    let deadlock = input.tidied(deadlock(model, Order::Breadth, watcher)?).story;
    input.sound()?;
    let suite = Suite {
        file: file.display().to_string(),
        protocol: session.protocol.protocol.clone(),
        arguments: session.protocol.arguments.clone(),
        variant: (session.variant != Variant::Global).then(|| session.variant.word()),
        tests,
        deadlock,
    };
    Ok(Found { suite, session: session.clone(), again })
}

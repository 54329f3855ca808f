//! `quadrille test`: do all properties and formulas come out as expected, without a deadlock?

mod text;

use std::path::{Path, PathBuf};

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_query::manifest::{self, Check};
use quadrille_query::{
    Config, Evidence, Property, Question, Selection, SessionSelection, Subject, Unused,
    files_below, has_extension, read_text,
};
use quadrille_report::{Outcome, SpecificationTests, Suite, TestDocument};

use super::check::outputs::write_junit;
use super::specification;
use crate::arguments::{Format, TestArguments};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, codes, formulas, model};

/// Something to test.
enum Work {
    /// A file with properties.
    Properties(PathBuf),
    /// An Alloy specification.
    Specification(PathBuf),
    /// All checks of one behaviour of one file: it is explored once.
    Checks { file: PathBuf, session: SessionSelection, checks: Vec<Check> },
}

/// What was found about one behaviour.
struct Found {
    suite: Suite,
    /// The options that select this behaviour.
    selection: Vec<String>,
    /// For each outcome, the options that ask it again.
    again: Vec<Vec<String>>,
}

pub(crate) fn run(arguments: &TestArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &arguments.limits);
    let (mut found, mut diagnostics) = (Vec::new(), Vec::new());
    let mut specifications: Vec<SpecificationTests> = Vec::new();
    for work in collect(&arguments.paths, world, sources)? {
        if let Work::Specification(file) = &work {
            match specification::test(file, &arguments.limits, world, sources) {
                Ok(tests) => specifications.push(tests),
                Err(Stop::Bad(bad)) => diagnostics.extend(bad),
                Err(stop) => return Err(stop),
            }
            continue;
        }
        match work.run(arguments, &mut watcher, sources) {
            Ok(tests) => found.extend(tests),
            Err(Stop::Bad(bad)) => diagnostics.extend(bad),
            Err(stop) => return Err(stop),
        }
    }
    watcher.end();
    if !diagnostics.is_empty() {
        return Err(diagnostics.into());
    }
    let mut text: String = specifications.iter().map(SpecificationTests::text).collect();
    if !found.is_empty() || specifications.is_empty() {
        text.push_str(&text::text(&found, world, sources));
    }
    let suites: Vec<Suite> = found.into_iter().map(|found| found.suite).collect();
    world.print(&match arguments.output.format {
        Format::Text => text,
        Format::Json => {
            TestDocument::new(&suites, sources).with_specifications(&specifications).to_json()
        }
    });
    write_junit(arguments.junit.as_deref(), &suites, &specifications, world)?;
    let outcomes = suites.iter().flat_map(|suite| &suite.outcomes);
    let passed = outcomes.into_iter().all(|outcome| outcome.answer.passed());
    let passed = passed && specifications.iter().all(SpecificationTests::passed);
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
        let files = match files_below(world, path) {
            Some(files) => files.map_err(|unreadable| vec![unreadable])?,
            None => vec![path.clone()],
        };
        for file in files {
            let named = file == *path;
            if specification::is_one(&file) {
                work.push(Work::Specification(file));
            } else if ["quad", "qev", "tno"].iter().any(|ending| has_extension(&file, ending)) {
                work.push(Work::Properties(file));
            } else if has_extension(&file, "toml") {
                match checks(&file, named, world, sources) {
                    Ok(found) => found.into_iter().for_each(|check| add(&mut work, check)),
                    Err(bad) => diagnostics.extend(bad),
                }
            } else if named {
                // A path that does not exist is told as such.
                match read_text(world, &file, sources) {
                    Err(unreadable) => diagnostics.push(unreadable),
                    Ok(_) => {
                        let message = format!("`{}` holds no tests", file.display());
                        let help = "name a .quad, .qev or .als file, a .toml manifest or a folder";
                        let diagnostic =
                            Diagnostic::error(&quadrille_query::codes::UNKNOWN_KIND, message);
                        diagnostics.push(diagnostic.help(help));
                    }
                }
            }
        }
    }
    if diagnostics.is_empty() && work.is_empty() {
        let shown: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        let message = format!("there is nothing to test in {}", shown.join(", "));
        let help = "name a .quad, .qev or .als file, or a manifest, or a folder that holds one";
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
    let source = read_text(world, path, sources).map_err(|unreadable| vec![unreadable])?;
    let text = sources.text(source);
    if !named && !manifest::is_manifest(text) {
        return Ok(Vec::new());
    }
    let matching = |folder: &Path, pattern: &str| world.matching(folder, pattern);
    manifest::read(source, text, path.parent().unwrap_or(Path::new("")), &matching)
}

/// Puts a check to those of the same behaviour, wherever they stand.
fn add(all: &mut Vec<Work>, check: Check) {
    for work in all.iter_mut() {
        if let Work::Checks { file, session, checks } = work
            && (&*file, &*session) == (&check.file, &check.session)
        {
            return checks.push(check);
        }
    }
    let (file, session) = (check.file.clone(), check.session.clone());
    all.push(Work::Checks { file, session, checks: vec![check] });
}

impl Work {
    fn run(
        &self,
        arguments: &TestArguments,
        watcher: &mut Watcher<'_>,
        sources: &mut Sources,
    ) -> Result<Vec<Found>, Stop> {
        match self {
            Work::Checks { file, session, checks } => {
                let (subject, properties) = questions(file, session, checks, watcher, sources)?;
                let may_deadlock =
                    arguments.allow_deadlock || checks.iter().any(|check| check.allow_deadlock);
                Ok(vec![ask(file, &subject, properties, may_deadlock, watcher)?])
            }
            Work::Specification(_) => Ok(Vec::new()),
            Work::Properties(file) => {
                let world = watcher.world();
                let (subjects, warnings) = model::all(file, &Selection::default(), world, sources)?;
                crate::report(world, sources, &warnings);
                let found = subjects.into_iter().map(|subject| {
                    let properties = formulas::declared(&subject, &[], None)?;
                    ask(file, &subject, properties, arguments.allow_deadlock, watcher)
                });
                found.collect()
            }
        }
    }
}

/// The behaviour that checks are about, and what they ask.
fn questions(
    file: &Path,
    session: &SessionSelection,
    checks: &[Check],
    watcher: &mut Watcher<'_>,
    sources: &mut Sources,
) -> Result<(Subject<'static>, Vec<Property>), Stop> {
    let (mut asked, mut bad) = (Vec::new(), Vec::new());
    for check in checks {
        for file in &check.formulas {
            let texts = match file.never {
                true => formulas::automaton(&file.path, true, watcher.world(), sources),
                false => formulas::texts_of(&file.path, &check.types, watcher.world(), sources),
            };
            match texts {
                Ok(texts) => asked.push((check.runs, file.expected, texts)),
                Err(diagnostic) => bad.push(diagnostic),
            }
        }
    }
    let selection = Selection::of_session(session.clone());
    let mut subject = model::one(file, &selection, watcher, sources)?;
    let mut properties = Vec::new();
    for check in checks.iter().filter(|check| check.formulas.is_empty()) {
        properties.extend(formulas::declared(&subject, &[], check.runs)?);
    }
    for (runs, expected, texts) in &asked {
        match formulas::read(&mut subject, texts, *runs, sources) {
            Ok((found, _)) => properties
                .extend(found.into_iter().map(|it| Property { expected: *expected, ..it })),
            Err(found) => bad.extend(found),
        }
    }
    if bad.is_empty() { Ok((subject, properties)) } else { Err(bad.into()) }
}

fn ask(
    file: &Path,
    subject: &Subject<'_>,
    properties: Vec<Property>,
    may_deadlock: bool,
    watcher: &mut Watcher<'_>,
) -> Result<Found, Stop> {
    let config = Config { limits: watcher.limits(), ..Config::default() };
    let mut again: Vec<Vec<String>> =
        properties.iter().map(|property| property.words.clone()).collect();
    let mut questions: Vec<Question<'_>> = properties.into_iter().map(Question::Property).collect();
    if !may_deadlock {
        questions.push(Question::Deadlock);
        again.push(Vec::new());
    }
    questions.push(Question::Unused);
    let answers = subject.ask(&questions, &config, watcher);
    let mut answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
    let unused = match answers.pop().map(|answer| answer.evidence) {
        Some(Evidence::Unused(unused)) => unused,
        _ => Unused::default(),
    };
    let outcomes = answers.into_iter().map(|answer| Outcome::new(answer, subject)).collect();
    let session = &subject.selection.session;
    let suite = Suite {
        file: file.display().to_string(),
        protocol: session.protocol.clone(),
        arguments: session.arguments.clone(),
        form: session.form,
        scope: subject.scope.clone(),
        outcomes,
        unused,
    };
    Ok(Found { suite, selection: subject.selection.words(), again })
}

//! File-driven tests: a manifest of formulas, the same that `quadrille test` reads, asked of compiled modules.
//! One test per formula and form, so that any test runner lists, filters and reports them one by one.
//!
//! This is the one place of the crate that reads files and prints: it is the `main` of a test.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use quadrille_check::manifest::{self, Variant, paragraphs};
use quadrille_diagnostic::{SourceId, Sources};
use quadrille_protocol::owl::Types;
use quadrille_report::Expected;
use quadrille_runtime::{Form, Origin, Sample, Subject};

use crate::check::{Check, Verify};
use crate::reading::{Asked, Protocol, Syntax, shown};
use crate::report::{Report, form_word};
use crate::{Finding, FormReport, Runs};

/// A module that a suite asks.
pub struct Part {
    origin: Origin,
    forms: Vec<Form>,
    ask: Box<Ask>,
}

/// Answers questions about one form of a module.
type Ask = dyn Fn(Form, &[Question]) -> Report + Send + Sync;

impl<P: Sample> From<Subject<P>> for Part {
    fn from(subject: Subject<P>) -> Self {
        let origin = subject.origin;
        let forms = subject.modules.iter().map(|(form, _)| *form).collect();
        let ask = move |form: Form, questions: &[Question]| {
            let modules = subject.modules.iter().filter(|(known, _)| *known == form);
            let modules = modules.map(|(form, module)| (*form, module.fork())).collect();
            let check = Subject { origin, modules }.check();
            questions.iter().fold(check, Question::put).report()
        };
        Self { origin, forms, ask: Box::new(ask) }
    }
}

/// What one test asks.
#[derive(Clone)]
enum Question {
    /// Whether the module does what its protocol says.
    Conforms,
    /// A property of the protocol's file.
    Property(String),
    Formula {
        asked: Asked,
        runs: Runs,
        expected: Expected,
    },
}

impl Question {
    fn put<P: Sample>(check: Check<P>, question: &Question) -> Check<P> {
        match question {
            Question::Conforms => check.conforms(),
            Question::Property(name) => check.property(name),
            Question::Formula { asked, runs, expected } => {
                let check = check.asked(asked.clone(), *runs);
                if *expected == Expected::Violated { check.expect_violated() } else { check }
            }
        }
    }
}

/// All tests of one form of a module: it is explored once for all of them that are run.
struct Shared {
    part: Arc<Part>,
    form: Form,
    questions: Vec<Question>,
    report: OnceLock<Report>,
}

impl Shared {
    /// Answers one of the questions.
    fn run(&self, position: usize) -> Result<(), Failed> {
        let all = self.report.get_or_init(|| (self.part.ask)(self.form, &self.questions));
        let alone;
        // A mistake in one formula must not be blamed on the others.
        let (report, at) = if all.mistakes.is_empty() {
            (all, position)
        } else {
            alone = (self.part.ask)(self.form, &self.questions[position..=position]);
            (&alone, 0)
        };
        let report = report.of_finding(at);
        if report.passed() { Ok(()) } else { Err(report.to_string().into()) }
    }
}

/// The `main` of a suite; [`suite!`](crate::suite) calls it. `folder` is that of the crate, `file` the manifest in it.
pub fn main(folder: &str, file: &str, parts: Vec<Part>) -> ExitCode {
    let arguments = Arguments::from_args();
    let manifest = Path::new(folder).join(file);
    let mut sources = Sources::default();
    let trials = match collect(&manifest, parts, &arguments, &mut sources) {
        Ok(trials) => trials,
        Err(problem) => {
            let name = file.to_owned();
            vec![Trial::test(name, move || Err(problem.into()))]
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The tests of a manifest, or what is wrong with it.
fn collect(
    path: &Path,
    parts: Vec<Part>,
    arguments: &Arguments,
    sources: &mut Sources,
) -> Result<Vec<Trial>, String> {
    let source = read(path, sources)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let checks = manifest::read(source, sources.text(source), folder, &matching);
    let checks = checks.map_err(|diagnostics| shown(&diagnostics, sources))?;
    let parts: Vec<Arc<Part>> = parts.into_iter().map(Arc::new).collect();
    let mut tests: Vec<(String, Arc<Part>, Form, Question)> = Vec::new();
    for part in &parts {
        for &form in &part.forms {
            let name = format!("{}/conforms/{}", part.name(), form_word(form));
            tests.push((name, Arc::clone(part), form, Question::Conforms));
        }
    }
    for check in &checks {
        let Some(part) = parts.iter().find(|part| part.is_meant(check)) else {
            return Err(format!(
                "there is no module of `{}` {}({}): give its `verify()` to `suite!`",
                check.file.display(),
                check.protocol.as_deref().unwrap_or(""),
                check.arguments.join(", ")
            ));
        };
        for (label, question) in questions(check, &part.origin, sources)? {
            for &form in part.forms.iter().filter(|form| is_wanted(check.variant, **form)) {
                let name = format!("{}/{label}/{}", part.name(), form_word(form));
                tests.push((name, Arc::clone(part), form, question.clone()));
            }
        }
    }
    let is_run = |name: &str| match &arguments.filter {
        Some(filter) if arguments.exact => filter == name,
        Some(filter) => name.contains(filter.as_str()),
        None => true,
    };
    let mut trials = Vec::new();
    for part in &parts {
        for &form in &part.forms {
            let own = |test: &&(String, Arc<Part>, Form, Question)| {
                Arc::ptr_eq(&test.1, part) && test.2 == form && is_run(&test.0)
            };
            let own: Vec<_> = tests.iter().filter(own).collect();
            let questions = own.iter().map(|test| test.3.clone()).collect();
            let part = Arc::clone(part);
            let shared = Arc::new(Shared { part, form, questions, report: OnceLock::new() });
            for (position, test) in own.into_iter().enumerate() {
                let shared = Arc::clone(&shared);
                trials.push(Trial::test(test.0.clone(), move || shared.run(position)));
            }
        }
    }
    Ok(trials)
}

impl Part {
    /// `ring(4,0)`, without spaces.
    fn name(&self) -> String {
        let session = self.origin.session.trim_start_matches(':');
        match self.origin.arguments {
            [] => session.to_owned(),
            arguments => format!("{session}({})", arguments.join(",")),
        }
    }

    /// Whether a check of a manifest is about this module.
    fn is_meant(&self, check: &manifest::Check) -> bool {
        let plain = |name: &str| name.trim_start_matches(':').to_owned();
        let named = check.protocol.as_deref().map(plain);
        Path::new(self.origin.file).file_name() == check.file.file_name()
            && named.is_none_or(|name| name == plain(self.origin.session))
            && check.arguments == self.origin.arguments
    }
}

/// The protocol itself is what both forms are made of.
fn is_wanted(variant: Variant, form: Form) -> bool {
    match variant {
        Variant::Global => true,
        Variant::Strict => form == Form::Strict,
        Variant::Liberal => form == Form::Liberal,
    }
}

/// What a check asks, each question with a name.
fn questions(
    check: &manifest::Check,
    origin: &Origin,
    sources: &mut Sources,
) -> Result<Vec<(String, Question)>, String> {
    if check.formulas.is_empty() {
        let protocol = Protocol::start(origin, &[], sources);
        let protocol = protocol.map_err(|diagnostics| shown(&diagnostics, sources))?;
        let question = |name: String| (name.clone(), Question::Property(name));
        return Ok(protocol.property_names().map(question).collect());
    }
    let runs = check.runs.unwrap_or_default();
    let mut questions = Vec::new();
    for (path, expected) in &check.formulas {
        let source = read(path, sources)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (position, asked) in asked(path, source, &check.types, sources).into_iter().enumerate()
        {
            let name = match position {
                0 => name.clone(),
                _ => format!("{name}-{}", position + 1),
            };
            questions.push((name, Question::Formula { asked, runs, expected: *expected }));
        }
    }
    Ok(questions)
}

/// The formulas of a file.
fn asked(path: &Path, source: SourceId, types: &Types, sources: &Sources) -> Vec<Asked> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("owl")) {
        let text = sources.text(source).to_owned();
        return vec![Asked { text, syntax: Syntax::Owl(types.clone()) }];
    }
    let own = |span| Asked { text: sources.slice(span).to_owned(), syntax: Syntax::Own };
    paragraphs(sources, source).into_iter().map(own).collect()
}

#[expect(clippy::disallowed_methods, reason = "a suite is a file")]
fn read(path: &Path, sources: &mut Sources) -> Result<SourceId, String> {
    let name = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(sources.add(name, text)),
        Err(error) => Err(format!("cannot read `{name}`: {error}")),
    }
}

/// The files that a pattern means.
fn matching(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let folder = glob::Pattern::escape(&folder.to_string_lossy());
    let pattern = Path::new(&folder).join(pattern);
    let found = glob::glob(&pattern.to_string_lossy()).map_err(|error| error.msg.to_owned())?;
    found.map(|path| path.map_err(|error| error.to_string())).collect()
}

impl Report {
    /// The report of one question alone.
    fn of_finding(&self, position: usize) -> Report {
        let form = |report: &FormReport| {
            let found: Vec<Finding> = report.findings.get(position).cloned().into_iter().collect();
            FormReport { findings: found, ..report.clone() }
        };
        Report { forms: self.forms.iter().map(form).collect(), ..self.clone() }
    }
}

/// Makes a test binary of a manifest of formulas: one test per formula and form of a module.
///
/// The manifest is the one that `quadrille test` reads; its path is relative to the folder of `Cargo.toml`. Modules are
/// given by what their `verify()` returns; a `[[check]]` belongs to the module that was generated from the same file,
/// protocol and arguments. Without a `variant`, it is about all forms of the module. Every module has one more
/// test per form: whether it conforms to its protocol.
///
/// ```toml
/// [[test]]
/// name = "formulas"
/// harness = false
/// ```
///
/// ```text
/// // tests/formulas.rs
/// quadrille::suite!("tests/formulas.toml", chess::verify(), ring::verify());
/// ```
#[macro_export]
macro_rules! suite {
    ($manifest:expr, $($subject:expr),+ $(,)?) => {
        fn main() -> ::std::process::ExitCode {
            let folder = env!("CARGO_MANIFEST_DIR");
            $crate::suite::main(folder, $manifest, vec![$($crate::suite::Part::from($subject)),+])
        }
    };
}

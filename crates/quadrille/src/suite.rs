//! File-driven tests: a manifest of formulas, the same that `quadrille test` reads, asked of compiled modules.
//! One test per formula and form, so that any test runner lists, filters and reports them one by one.
//!
//! This is the one place of the crate that reads files and prints: it is the `main` of a test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use quadrille_diagnostic::{Diagnostic, NotText, SourceId, Sources};
use quadrille_model::Expected;
use quadrille_protocol::owl::Types;
use quadrille_query::manifest::{self, BAD_MANIFEST};
use quadrille_query::{Form as Wanted, paragraphs};
use quadrille_runtime::{Form, Origin, Sample, Subject};

use crate::check::{Check, Verify};
use crate::reading::{self, Asked, Syntax, shown};
use crate::report::{Report, form_word};
use crate::{Finding, FormReport, Runs};

/// A module that a suite asks.
pub struct Part {
    origin: Origin,
    forms: Vec<Form>,
    ask: Box<AskModule>,
}

/// Answers questions about one form of a module.
type AskModule = dyn Fn(Form, &[Question]) -> Report + Send + Sync;

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
            Question::Property(name) => check.listed(name),
            Question::Formula { asked, runs, expected } => {
                let check = check.formula_asked(asked.clone(), *runs);
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

/// The `main` of a suite; [`suite!`](crate::suite!) calls it. `folder` is that of the crate, `file` the manifest in it.
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
    let mut tests: Vec<Test> = Vec::new();
    for part in &parts {
        for &form in &part.forms {
            let name = format!("{}/conforms/{}", part.name(), form_word(form));
            tests.push((name, Arc::clone(part), form, Question::Conforms));
        }
    }
    for check in &checks {
        let tested: Vec<&Arc<Part>> = parts.iter().filter(|part| part.matches(check)).collect();
        if tested.is_empty() {
            return Err(shown(&[no_module(check, &parts)], sources));
        }
        for part in tested {
            for (label, question) in questions(check, &part.origin, sources)? {
                for &form in part.forms.iter().filter(|form| is_wanted(check.session.form, **form))
                {
                    let name = format!("{}/{label}/{}", part.name(), form_word(form));
                    tests.push((name, Arc::clone(part), form, question.clone()));
                }
            }
        }
    }
    tell_apart(&mut tests);
    let is_run = |name: &str| match &arguments.filter {
        Some(filter) if arguments.exact => filter == name,
        Some(filter) => name.contains(filter.as_str()),
        None => true,
    };
    let mut trials = Vec::new();
    for part in &parts {
        for &form in &part.forms {
            let own =
                |test: &&Test| Arc::ptr_eq(&test.1, part) && test.2 == form && is_run(&test.0);
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

/// Says that a check is about none of the modules.
fn no_module(check: &manifest::Check, parts: &[Arc<Part>]) -> Diagnostic {
    let arguments = match check.session.arguments.as_slice() {
        [] => String::new(),
        arguments => format!(" with the arguments {}", arguments.join(", ")),
    };
    let protocol = check.session.protocol.as_ref().map(|name| format!("`{name}` in "));
    let (protocol, file) = (protocol.unwrap_or_default(), check.file.display());
    let message = format!("there is no module of {protocol}`{file}`{arguments}");
    let known: Vec<String> =
        parts.iter().map(|part| format!("{} of `{}`", part.name(), part.origin.file)).collect();
    Diagnostic::error(&BAD_MANIFEST, message)
        .at(check.place, "none of the modules is made from this")
        .note(format!("modules here are: {}", known.join(", ")))
        .help("give its `verify()` to `suite!`")
}

/// A test: its name, whom it asks, and what.
type Test = (String, Arc<Part>, Form, Question);

/// Numbers tests of the same name: runners know them by name only.
fn tell_apart(tests: &mut [Test]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (name, ..) in tests {
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        if *number > 1 {
            *name = format!("{name}#{number}");
        }
    }
}

impl Part {
    /// `ring(4,0)`, or `farm[k=3]`, without spaces.
    fn name(&self) -> String {
        let mut name = self.origin.session.trim_start_matches(':').to_owned();
        if !self.origin.arguments.is_empty() {
            name += &format!("({})", self.origin.arguments.join(","));
        }
        let parameters = self.origin.parameters.iter();
        let parameters: Vec<String> =
            parameters.map(|(name, value)| format!("{name}={value}")).collect();
        if !parameters.is_empty() {
            name += &format!("[{}]", parameters.join(","));
        }
        name
    }

    /// Whether a check of a manifest is about this module.
    fn matches(&self, check: &manifest::Check) -> bool {
        let plain = |name: &str| name.trim_start_matches(':').to_owned();
        let named = check.session.protocol.as_deref().map(plain);
        Path::new(self.origin.file).file_name() == check.file.file_name()
            && named.is_none_or(|name| name == plain(self.origin.session))
            && check.session.arguments == self.origin.arguments
    }
}

/// The protocol itself is what both forms are made of.
fn is_wanted(wanted: Wanted, form: Form) -> bool {
    match wanted {
        Wanted::Global => true,
        Wanted::Strict => form == Form::Strict,
        Wanted::Liberal => form == Form::Liberal,
    }
}

/// What a check asks, each question with a name.
fn questions(
    check: &manifest::Check,
    origin: &Origin,
    sources: &mut Sources,
) -> Result<Vec<(String, Question)>, String> {
    if check.formulas.is_empty() {
        let protocol = reading::protocol(origin, sources);
        let protocol = protocol.map_err(|diagnostics| shown(&diagnostics, sources))?;
        let names = protocol.properties.iter().map(|property| property.name.clone());
        return Ok(names.map(|name| (name.clone(), Question::Property(name))).collect());
    }
    let runs = check.runs.unwrap_or_default();
    let mut questions = Vec::new();
    for manifest::FormulaFile { path, expected, never } in &check.formulas {
        if *never || path.extension().is_some_and(|extension| extension == "hoa") {
            let name = path.display();
            return Err(format!(
                "`{name}` is an automaton: `quadrille test` checks it on the protocol, not on modules"
            ));
        }
        let source = read(path, sources)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (position, asked) in
            formulas_of(path, source, &check.types, sources).into_iter().enumerate()
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
fn formulas_of(path: &Path, source: SourceId, types: &Types, sources: &Sources) -> Vec<Asked> {
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
    let bytes = std::fs::read(path).map_err(|error| {
        format!("cannot read `{name}`: {error}; the path is relative to the crate")
    })?;
    sources.add_bytes(name, bytes).map_err(|NotText { span, byte }| {
        let told = Diagnostic::error(&BAD_MANIFEST, "suites and formulas are written in UTF-8")
            .at(span, format!("the byte 0x{byte:02x} is not text"))
            .help("convert the file to UTF-8");
        shown(&[told], sources)
    })
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

#[cfg(test)]
mod tests;

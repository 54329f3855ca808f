//! The verdicts that a folder of rows expects, by running compiled modules: every row in its own form and in the other
//! one. The folder is the shared one or what `QUADRILLE_ROWS` names.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // reads test data, says what it measured

#[path = "../rows.rs"]
mod rows;

use std::fs;
use std::path::{Path, PathBuf};

use quadrille::{
    Answer, Check, Conformance, Form, FormReport, Limits, Origin, Report, Runs, Sample, Subject,
    Verify, check,
};
use quadrille_diagnostic::Sources;
use quadrille_discourje as dcj;
use quadrille_engine::{Space, unobserved};
use quadrille_protocol::core::ProtocolModel;
use quadrille_quad as quad;
use quadrille_test_modules::{PROBLEMS, Visitor, visit};
use rows::Row;

/// The rows of a table and the folder it is in; the build script says which tables there are.
fn table(name: &str) -> (PathBuf, Vec<Row>) {
    let (folder, _) = rows::folder();
    let rows = rows::read(&folder, name);
    assert!(!rows.is_empty(), "no rows in {}", folder.join(name).display());
    (folder, rows)
}

/// CPU time of this thread in seconds, where the system tells.
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

fn form_word(form: Form) -> &'static str {
    match form {
        Form::Strict => "strict",
        Form::Liberal => "liberal",
    }
}

/// A question of a row.
struct Question<'r> {
    row: &'r Row,
    formula: String,
    is_owl: bool,
    runs: Runs,
}

impl<'r> Question<'r> {
    fn read(folder: &Path, row: &'r Row) -> Result<Self, String> {
        let path = folder.join(row.field("formula"));
        let formula =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let is_owl = path.extension().is_some_and(|ending| ending == "owl");
        let runs = match row.field("runs") {
            "" if is_owl => Runs::Infinite,
            "" | "maximal" => Runs::Maximal,
            "infinite" => Runs::Infinite,
            "finite" => Runs::Finite,
            other => return Err(format!("`{other}` are no runs")),
        };
        match (row.field("variant"), row.field("expected")) {
            ("strict" | "liberal", "holds" | "violated") => Ok(Self { row, formula, is_owl, runs }),
            (variant, expected) => Err(format!("`{variant}` and `{expected}` are unknown words")),
        }
    }

    fn put<P: Sample>(&self, check: Check<P>) -> Check<P> {
        let check = if self.is_owl {
            // A bare `Boolean` stands for itself.
            let pairs = self.row.field("types").split_whitespace();
            check.owl(&self.formula, pairs.filter_map(|pair| pair.split_once('=')))
        } else {
            check.holds(&self.formula)
        };
        if self.row.field("expected") == "violated" { check.expect_violated() } else { check }
    }
}

/// Rows, and what came out in the forms they are about and in the others.
struct Rows {
    folder: PathBuf,
    rows: Vec<Row>,
    own: Found,
    other: Found,
}

#[derive(Default)]
struct Found {
    n_asked: usize,
    cpu_seconds: f64,
    wrong: Vec<String>,
    /// What came out otherwise in forms that do something else than the protocol.
    differs: Vec<String>,
}

impl Visitor for Rows {
    fn module<P: Sample>(&mut self, session: &str, subject: Subject<P>) {
        let mut questions = Vec::new();
        for row in self.rows.iter().filter(|row| row.session().to_string() == session) {
            match Question::read(&self.folder, row) {
                Ok(question) => questions.push(question),
                Err(why) => self.own.wrong.push(format!("{session}: {why}")),
            }
        }
        for (form, module) in &subject.modules {
            for runs in [Runs::Infinite, Runs::Maximal, Runs::Finite] {
                let (own, other): (Vec<&Question<'_>>, Vec<_>) = questions
                    .iter()
                    .filter(|question| question.runs == runs)
                    .partition(|question| question.row.field("variant") == form_word(*form));
                let ask = |questions: &[&Question<'_>], limits: Limits| {
                    let check = check(module).origin(subject.origin).runs(runs).limits(limits);
                    questions.iter().fold(check.conforms(), |check, one| one.put(check)).report()
                };
                self.own.ask(session, &own, &|questions| ask(questions, Limits::default()));
                self.other.ask(session, &other, &|questions| ask(questions, OTHER));
            }
        }
    }
}

/// How much is explored of forms that no row is about.
const OTHER: Limits = Limits { states: Some(20_000), memory: None };

impl Found {
    /// Asks how a module conforms, and questions about it.
    fn ask(
        &mut self,
        session: &str,
        questions: &[&Question<'_>],
        ask: &dyn Fn(&[&Question<'_>]) -> Report,
    ) {
        if questions.is_empty() {
            return;
        }
        let before = cpu_seconds();
        let report = ask(questions);
        let seconds = cpu_seconds().zip(before).map_or(0.0, |(after, before)| after - before);
        self.cpu_seconds += seconds;
        if !report.mistakes.is_empty() && questions.len() > 1 {
            // A mistake in one formula must not be blamed on the others.
            return questions.iter().for_each(|&question| self.ask(session, &[question], ask));
        }
        self.n_asked += questions.len();
        let form = report.forms.first().filter(|form| form.faults.is_empty());
        let Some(FormReport { form, counts, findings, .. }) = form else {
            let formula = questions[0].row.field("formula");
            return self.wrong.push(format!("{session} {formula}: {report}"));
        };
        let (word, states) = (form_word(*form), counts.states);
        let (conforms, findings) = findings.split_first().expect("conformance was asked");
        println!(
            "{session}, {word}: {states} states, {:?}, {} rows, {seconds:.3} s",
            conforms.answer,
            questions.len()
        );
        let n_wrong = self.wrong.len();
        for (Question { row, .. }, finding) in questions.iter().zip(findings) {
            if finding.passed() {
                continue;
            }
            let (formula, expected) = (row.field("formula"), row.field("expected"));
            let told = format!(
                "{session} {formula}, {word}: expected {expected}, found {:?}",
                finding.answer
            );
            let is_own = row.field("variant") == word;
            let does_the_same = conforms.answer == Answer::Conforms(Conformance::Protocol);
            if is_own || does_the_same { &mut self.wrong } else { &mut self.differs }.push(told);
        }
        if matches!(conforms.answer, Answer::Violated(_) | Answer::Impossible(_)) {
            self.wrong.push(format!("{session}, {word}: {:?}", conforms.answer));
        }
        if self.wrong.len() > n_wrong {
            println!("{report}"); // with the runs that show it
        }
    }
}

#[test]
#[cfg_attr(not(has_verdicts), ignore = "there is no table of verdicts")]
fn expected_verdicts_by_running_compiled_modules() {
    let (folder, rows) = table("expected.tsv");
    let n_rows = rows.len();
    let mut all = Rows { folder, rows, own: Found::default(), other: Found::default() };
    visit(&mut all);
    let Rows { own, other, .. } = all;
    for told in &other.differs {
        println!("not the form of the row, and not the protocol: {told}");
    }
    println!(
        "{} rows in their form: {:.3} s of CPU time; {} in the other: {:.3} s",
        own.n_asked, own.cpu_seconds, other.n_asked, other.cpu_seconds
    );
    for (session, why) in PROBLEMS {
        println!("{session}: {why}");
    }
    let wrong: Vec<String> = own.wrong.into_iter().chain(other.wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(own.n_asked, n_rows, "rows that were asked in their form; {PROBLEMS:?}");
    assert!(other.n_asked == n_rows || !PROBLEMS.is_empty(), "{} in the other", other.n_asked);
}

/// The protocol that was compiled, read again.
fn protocol(origin: &Origin) -> ProtocolModel {
    let mut sources = Sources::default();
    let source = sources.add(origin.file, origin.text);
    let found = if origin.file.ends_with(".quad") {
        let program = quad::load(&sources, source).0.expect("it was compiled");
        let Origin { session, arguments, parameters, .. } = origin;
        let session = program.start(&mut sources, Some(session), arguments, parameters);
        session.map(|session| session.model)
    } else {
        let (program, _) = dcj::load(source, sources.text(source));
        program.session(&mut sources, origin.session, origin.arguments)
    };
    found.expect("it was compiled")
}

struct Sizes {
    rows: Vec<Row>,
    n_compared: usize,
}

impl Visitor for Sizes {
    fn module<P: Sample>(&mut self, session: &str, subject: Subject<P>) {
        let mine = |row: &&Row| row.session().to_string() == session;
        let Some(row) = self.rows.iter().find(mine) else { return };
        let model = protocol(&subject.origin);
        let mut space = Space::new(&model);
        let table = space.tabulate(Limits::default(), &mut unobserved).expect("small");
        let expected = ["states", "edges"].map(|column| row.field(column).to_owned());
        assert_eq!(
            [table.n_states(), table.n_edges()].map(|n| n.to_string()),
            expected,
            "{session}"
        );
        // The module is bisimilar to what was counted, or to its projection, and has no more states than that
        // in strict form.
        let report = subject.no_deadlock().conforms().report();
        assert!(report.passed(), "{report}");
        let strict = &report.forms[0];
        assert!(strict.counts.states <= table.n_states() as u64, "{session}");
        let how = report.forms.iter().map(|form| {
            let (word, states) = (form_word(form.form), form.counts.states);
            format!("{word} {states} states, {:?}", form.findings[1].answer)
        });
        let how: Vec<String> = how.collect();
        println!("{session}: {} states; {}", table.n_states(), how.join("; "));
        self.n_compared += 1;
    }
}

#[test]
#[cfg_attr(not(has_sizes), ignore = "there is no table of sizes")]
fn modules_are_bisimilar_to_what_was_counted() {
    let (_, rows) = table("lts.tsv");
    let mut sizes = Sizes { rows, n_compared: 0 };
    visit(&mut sizes);
    assert_eq!(sizes.n_compared, sizes.rows.len());
}

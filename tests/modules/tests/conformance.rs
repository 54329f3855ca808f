//! The published verdicts about the shared protocols, by running compiled modules: every row in its own form and
//! in the other one.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // reads test data, says what it measured

use std::fs;
use std::path::{Path, PathBuf};

use quadrille::{Answer, Conformance, Form, FormReport, Origin, Runs, Sample, Subject, Verify};
use quadrille_diagnostic::Sources;
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::{dcj, quad};
use quadrille_test_modules::{Visitor, visit};

fn folder() -> Option<PathBuf> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/protocols");
    let path = Path::new(path);
    if !path.is_dir() {
        println!("skipped: no {}", path.display());
        return None;
    }
    Some(path.to_owned())
}

fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).expect("a table");
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// CPU time of this thread in seconds, where the system tells.
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// `Move=chess.Move`; a bare `Boolean` stands for itself.
fn types(field: &str) -> Vec<(&str, &str)> {
    field.split_whitespace().filter_map(|pair| pair.split_once('=')).collect()
}

struct Rows {
    folder: PathBuf,
    rows: Vec<Vec<String>>,
    n_own: usize,
    n_other: usize,
    wrong: Vec<String>,
    /// What came out otherwise in a form that was not published and does something else than the protocol.
    other: Vec<String>,
}

impl Visitor for Rows {
    fn module<P: Sample>(&mut self, subject: Subject<P>) {
        let origin = subject.origin;
        let mine = |row: &&Vec<String>| {
            let arguments: Vec<&str> = row[2].split_whitespace().collect();
            row[0] == origin.file && row[1] == origin.session && arguments == origin.arguments
        };
        let rows: Vec<&Vec<String>> = self.rows.iter().filter(mine).collect();
        let mut check = subject.runs(Runs::Infinite);
        for row in &rows {
            let formula = fs::read_to_string(self.folder.join(&row[4])).expect("a formula");
            check = check.owl(&formula, types(&row[5]));
            if row[6] == "violated" {
                check = check.expect_violated();
            }
        }
        let report = check.conforms().report();
        assert!(report.mistakes.is_empty(), "{report}");
        assert_eq!(report.forms.len(), 2, "{} has both forms", origin.file);
        for form in &report.forms {
            assert!(form.faults.is_empty(), "{report}");
            let own = match form.form {
                Form::Strict => "strict",
                Form::Liberal => "liberal",
            };
            for (row, finding) in rows.iter().zip(&form.findings) {
                let is_own = row[3] == own;
                *if is_own { &mut self.n_own } else { &mut self.n_other } += 1;
                if finding.passed() {
                    continue;
                }
                let told = format!(
                    "{} {}, {own}: expected {}, found {:?}",
                    row[0], row[4], row[6], finding.answer
                );
                let must_agree = is_own || conformance(form) == Conformance::Protocol;
                if must_agree { &mut self.wrong } else { &mut self.other }.push(told);
            }
        }
    }
}

/// How a module conforms, which was asked last.
fn conformance(form: &FormReport) -> Conformance {
    match form.findings.last().map(|finding| &finding.answer) {
        Some(Answer::Conforms(how)) => *how,
        other => panic!("{other:?}"),
    }
}

#[test]
fn published_verdicts_by_running_compiled_modules() {
    let Some(folder) = folder() else { return };
    let rows = rows(&folder.join("expected.tsv"));
    let n_rows = rows.len();
    let mut all = Rows { folder, rows, n_own: 0, n_other: 0, wrong: Vec::new(), other: Vec::new() };
    let before = cpu_seconds();
    visit(&mut all);
    if let (Some(before), Some(after)) = (before, cpu_seconds()) {
        println!(
            "{} rows in their form and {} in the other: {:.3} s of CPU time",
            all.n_own,
            all.n_other,
            after - before
        );
    }
    for told in &all.other {
        println!("not published: {told}");
    }
    assert!(all.wrong.is_empty(), "{}", all.wrong.join("\n"));
    assert_eq!((all.n_own, all.n_other), (n_rows, n_rows), "every row was asked in both forms");
}

/// The protocol that was compiled, read again.
fn protocol(origin: &Origin) -> ProtocolModel {
    let mut sources = Sources::default();
    let source = sources.add(origin.file, origin.text);
    let found = if origin.file.ends_with(".quad") {
        let program = quad::load(&sources, source).0.expect("it was compiled");
        let session = program.start(&mut sources, Some(origin.session), origin.arguments, &[]);
        session.map(|session| session.model)
    } else {
        let (program, _) = dcj::load(source, sources.text(source));
        program.session(&mut sources, origin.session, origin.arguments)
    };
    found.expect("it was compiled")
}

struct Sizes {
    rows: Vec<Vec<String>>,
    n_compared: usize,
}

impl Visitor for Sizes {
    fn module<P: Sample>(&mut self, subject: Subject<P>) {
        let origin = subject.origin;
        let arguments = origin.arguments.join(" ");
        let mine = |row: &&Vec<String>| {
            row[0] == origin.file && row[1] == origin.session && row[2] == arguments
        };
        let Some(row) = self.rows.iter().find(mine) else { return };
        let session = protocol(&origin);
        let mut space = Space::new(&session);
        let table = space.tabulate(Limits::default(), &mut unobserved).expect("small");
        let published: Vec<usize> =
            row[3..5].iter().map(|n| n.parse().expect("a number")).collect();
        assert_eq!([table.n_states(), table.n_edges()], published[..], "{}", origin.file);
        // The module is bisimilar to what was counted, or to its projection, and has no more states than that
        // in strict form.
        let report = subject.conforms().no_deadlock().report();
        assert!(report.passed(), "{report}");
        let strict = &report.forms[0];
        assert!(strict.counts.states <= table.n_states() as u64, "{}", origin.file);
        let how = report.forms.iter().map(|form| {
            let FormReport { form: name, counts, findings, .. } = form;
            let Answer::Conforms(how) = &findings[0].answer else { panic!("{findings:?}") };
            format!("{name:?} {} states, {how}", counts.states)
        });
        let how: Vec<String> = how.collect();
        println!("{}: {} states; {}", origin.file, table.n_states(), how.join("; "));
        self.n_compared += 1;
    }
}

#[test]
fn modules_are_bisimilar_to_what_was_counted() {
    let Some(folder) = folder() else { return };
    let mut sizes = Sizes { rows: rows(&folder.join("lts.tsv")), n_compared: 0 };
    visit(&mut sizes);
    assert_eq!(sizes.n_compared, sizes.rows.len());
}

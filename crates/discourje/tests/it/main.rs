//! Discourje's language through the public interface: forms, expressions, what bad files and bad
//! arguments are answered with; and that no bytes make the reader fail.

mod conformance;
mod expressions;
mod forms;
mod fuzz;
mod issues;
mod meaning;
mod reading;

use expect_test::Expect;
use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_discourje as dcj;
use quadrille_engine::{Space, Stopped};
use quadrille_model::StateId;

/// Everything that is said about a file when it is loaded and its session `::main` explored.
fn said(text: &str, arguments: &[&str]) -> String {
    let mut sources = Sources::default();
    let source = sources.add("main.dcj", text);
    let (program, mut said) = dcj::load(source, text);
    if said.iter().all(|diagnostic| !diagnostic.is_error()) {
        match program.session(&mut sources, "main", arguments) {
            Ok(model) => {
                let mut space = Space::new(&model);
                let mut state = 0;
                while state < space.n_states().min(1_000) {
                    if let Err(Stopped::Failed(error)) = space.expand(StateId::from_usize(state)) {
                        let problem = Diagnostic::behind(&error).expect("a diagnostic");
                        if !said.contains(problem) {
                            said.push(problem.clone());
                        }
                    }
                    state += 1;
                }
            }
            Err(diagnostics) => said.extend(diagnostics),
        }
    }
    said.iter().map(|diagnostic: &Diagnostic| render(diagnostic, &sources, Style::Plain)).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&said(text, &[]));
}

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check_body(body: &str, expected: Expect) {
    expected.assert_eq(&said(&format!("(s/defsession ::main []\n  {body})"), &[]));
}

#[test]
fn every_code_has_a_page() {
    for code in dcj::ALL.iter().chain(quadrille_protocol::core::CODES) {
        assert!(code.lines.len() >= 3, "{} has no page worth the name", code.id);
    }
}

//! Random protocols as modules: without faults, conforming, and giving the answers to random formulas that the protocol
//! gives itself.

use quadrille::{Answer, Conformance, Form, Limits, Verify};
use quadrille_diagnostic::{Sources, Span};
use quadrille_model::Verdict;
use quadrille_query::{Config, FormulaText, Question, Selection, Syntax, Unwatched, load_text};
use quadrille_workshop::check;
use quadrille_workshop::protocols::{Language, Shape, file, formula};

use crate::letter::{modules, origin, try_plan};

/// What the protocol itself says about a formula.
fn verdict(file: &str, text: &str, formula: &str, limits: Limits) -> Verdict {
    let mut sources = Sources::default();
    let source = sources.add(file, text);
    let (subject, _) = load_text(&mut sources, source, &Selection::default());
    let mut subject = subject.expect("a protocol");
    let source = sources.add("formula", formula);
    let span = Span::new(source, 0..formula.len());
    let text = FormulaText { span, syntax: Syntax::Own };
    let (property, _) = subject.formula(&sources, &text).expect("a formula");
    let config = Config { limits, ..Config::default() };
    let questions = [Question::Property(property)];
    let answers = subject.ask(&questions, &config, &mut Unwatched);
    let verdicts = answers.into_iter().map(|answer| answer.expect("an answer").verdict);
    verdicts.last().expect("one answer")
}

#[test]
fn modules_of_random_protocols_do_what_the_protocols_do() {
    let limits = Limits { states: Some(2_000), ..Limits::default() };
    let (mut n_faithful, mut n_projected, mut n_violated) = (0, 0, 0);
    check(1000, |choices| {
        let language = choices.pick(&[Language::Quad, Language::Discourje]);
        let shape = Shape { language, is_rich: true, ..Shape::default() };
        let text = file(choices, &shape, 3);
        let name = match language {
            Language::Quad => "random.quad",
            Language::Discourje => "random.dcj",
        };
        let context = text.clone();
        let origin = origin(name, text.leak(), "s", &[]);
        let Some(plan) = try_plan(&origin, limits) else { return };
        // A formula may only use names that the module has, and every role is one.
        if plan.roles.len() < 3 {
            return;
        }
        let formula = formula(choices, shape.roles, 3);
        let check = modules(origin, &plan).limits(limits).conforms().ltl(&formula);
        let report = check.report();
        assert!(report.mistakes.is_empty(), "{context}: {formula}: {report}");
        let expected = verdict(origin.file, origin.text, &formula, limits);
        for form in &report.forms {
            assert!(form.faults.is_empty(), "{context}: {report}");
            if matches!(form.findings[0].answer, Answer::Unknown(_)) {
                continue;
            }
            let Answer::Conforms(how) = form.findings[0].answer else {
                panic!("{context}: {report}");
            };
            if how != Conformance::Protocol {
                assert_eq!(form.form, Form::Liberal, "{context}");
                n_projected += 1;
                continue;
            }
            n_faithful += 1;
            let is_violated = matches!(form.findings[1].answer, Answer::Violated(_));
            assert_eq!(is_violated, expected != Verdict::Holds, "{context}: {formula}: {report}");
            n_violated += usize::from(is_violated);
        }
    });
    // All of them occur often enough to mean something.
    let counts = [n_faithful, n_projected, n_violated];
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

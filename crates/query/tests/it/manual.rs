//! The examples of the manual pages show what their pages are about, in every language.

use quadrille_diagnostic::Sources;
use quadrille_engine::{Limits, unobserved};
use quadrille_protocol::project::Queues;
use quadrille_query::protocol::{Explored, codes, liberal};
use quadrille_query::{Allows, Config, Question, RULES, Selection, Unwatched, load_text};

use crate::protocol::rendered;

/// The examples of a page in a language.
fn examples<'p>(page: &'p str, language: &str) -> impl Iterator<Item = &'p str> {
    let fence = format!("```{language}\n");
    page.split(&fence)
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0))
        .collect::<Vec<_>>()
        .into_iter()
}

/// The codes of everything that is said about a text.
fn found(language: &str, text: &str) -> Vec<&'static str> {
    let mut sources = Sources::default();
    let source = sources.add(format!("p.{language}"), text);
    let (subject, diagnostics) = load_text(&mut sources, source, &Selection::default());
    let subject = subject.unwrap_or_else(|| panic!("{}", rendered(&sources, &diagnostics)));
    let model = &subject.protocol().expect("a protocol").model;
    let explored = Explored::new(model, Limits::default(), &mut unobserved).expect("small");
    let asked = [Question::Lint { properties: Vec::new() }];
    let answer = subject.ask(&asked, &Config::default(), &mut Unwatched).remove(0).expect("small");
    let findings = answer.findings();
    let report = liberal(&explored, &Queues::PerPair, Limits::default(), &mut unobserved);
    let report = report.expect("small");
    let found = findings.iter().map(|finding| finding.diagnostic.code.id);
    let found = found.chain(report.diagnostics.iter().map(|diagnostic| diagnostic.code.id));
    found.chain(Allows::of(&sources).mistakes().iter().map(|it| it.code.id)).collect()
}

#[test]
fn examples_of_protocols_have_the_fault_of_their_page() {
    let mut n_examples = 0;
    for code in codes::ALL {
        let page = code.page();
        for example in examples(&page, "quad") {
            let found = found("quad", example);
            assert!(found.contains(&code.id), "{}: found only {found:?} in\n{example}", code.id);
            n_examples += 1;
        }
        for example in examples(&page, "dcj") {
            let found = found("dcj", &format!("(s/defsession ::p []\n{example}\n)"));
            assert!(found.contains(&code.id), "{}: found only {found:?} in\n{example}", code.id);
            n_examples += 1;
        }
    }
    assert_eq!(n_examples, 43);
}

#[test]
fn every_code_about_protocols_is_a_rule_or_about_forms() {
    let of_forms = ["L017", "L020", "L021", "L022"];
    for code in codes::ALL {
        let is_rule = RULES.iter().any(|rule| &rule.code == code);
        assert_eq!(is_rule, !of_forms.contains(&code.id), "{}", code.id);
    }
}

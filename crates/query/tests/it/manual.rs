//! The examples of the manual pages show what their pages are about.

use quadrille_engine::{Limits, unobserved};
use quadrille_protocol::project::Queues;
use quadrille_query::protocol::{Explored, codes, liberal, lint};

use crate::protocol::protocol;

/// The first example of a page that is a protocol.
fn example(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("```text\n")?;
    let (example, _) = rest.split_once("```")?;
    Some(example).filter(|example| example.starts_with("(s/"))
}

#[test]
fn examples_of_protocols_have_the_fault_of_their_page() {
    let mut n_examples = 0;
    for code in codes::ALL {
        let page = code.page();
        let Some(example) = example(&page) else { continue };
        n_examples += 1;
        // A comment at the end must not swallow the parenthesis that follows.
        let session = protocol(&format!("{example}\n"));
        let explored = Explored::new(&session.model, Limits::default(), &mut unobserved);
        let explored = explored.expect("small");
        let findings = lint(&explored, Limits::default(), &mut unobserved);
        let report = liberal(&explored, &Queues::PerPair, Limits::default(), &mut unobserved);
        let findings = findings.expect("small");
        let found = findings.iter().map(|finding| finding.diagnostic.code.id);
        let report = report.expect("small");
        let about_form = report.diagnostics.iter().map(|diagnostic| diagnostic.code.id);
        let found: Vec<&str> = found.chain(about_form).collect();
        assert!(found.contains(&code.id), "{}: found only {found:?} in\n{example}", code.id);
    }
    assert_eq!(n_examples, 17);
}

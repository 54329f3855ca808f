//! The examples of `docs/formulas.md` are formulas, and every code's page has what a reader needs.

use quadrille_diagnostic::{Sources, Span};
use quadrille_logic::{codes, parse_owl};

use crate::parsing::plain;

const PAGE: &str = include_str!("../../../../docs/formulas.md");

/// The lines of all code blocks in a language.
fn examples(language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    let blocks = PAGE.split(opening.as_str()).skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap_or("").lines()).collect()
}

#[test]
fn examples_are_formulas() {
    let own = examples("formula");
    assert!(own.len() >= 14, "{own:?}");
    for text in own {
        let (parsed, messages) = plain(text);
        assert!(parsed.formula.is_some() && messages.is_empty(), "{text}\n{messages}");
    }
    let owl = examples("owl");
    assert!(!owl.is_empty());
    for text in owl {
        let mut sources = Sources::default();
        let id = sources.add("page", text);
        let parsed = parse_owl(&sources, Span::new(id, 0..text.len()));
        assert!(parsed.formula.is_some(), "{text}: {:?}", parsed.diagnostics);
    }
}

#[test]
fn comments_of_examples_say_what_is_parsed() {
    for text in examples("formula") {
        if let Some((formula, meaning)) = text.split_once("//").filter(|(_, m)| m.starts_with(" ("))
        {
            assert_eq!(plain(formula).0.formula, plain(meaning).0.formula, "{text}");
        }
    }
}

/// Each page's example, in a `text` block, brings about the code that it explains.
#[test]
fn examples_of_codes_bring_them_about() {
    let mut n_examples = 0;
    for code in codes::ALL {
        let page = code.page();
        for example in page.split("```text\n").skip(1) {
            let text = example.split("```").next().unwrap_or("").trim();
            let (parsed, _) = plain(text);
            assert_eq!(parsed.diagnostics.first().map(|d| d.code.id), Some(code.id), "{text}");
            n_examples += 1;
        }
    }
    assert!(n_examples >= 5, "{n_examples}");
}

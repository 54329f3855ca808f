//! What a rendered diagnostic shows.

use expect_test::{Expect, expect};

use super::*;
use crate::Span;

crate::codes! {
    ALL:

    /// Only for tests.
    T001 = TEST;
}

fn check(text: &str, ranges: &[std::ops::Range<usize>], expected: &Expect) {
    let mut sources = Sources::default();
    let id = sources.add("in.net", text);
    let mut diagnostic = Diagnostic::error(ALL[0], "expected a state name");
    for range in ranges {
        diagnostic = diagnostic.at(Span::new(id, range.clone()), "here");
    }
    let diagnostic = diagnostic.note("states are declared above").help("declare it");
    expected.assert_eq(&render(&diagnostic, &sources, Style::Plain));
}

#[test]
fn shows_file_line_column_and_source() {
    check(
        "participant P: a b\nstep go: P c -> b\n",
        &[30..31, 12..13],
        &expect![[r#"
            error[T001]: expected a state name
             --> in.net:2:12
              |
            1 | participant P: a b
              |             - here
            2 | step go: P c -> b
              |            ^ here
              |
              = note: states are declared above
              = help: declare it
        "#]],
    );
}

#[test]
fn cuts_long_lines_and_survives_spans_outside_the_text() {
    let text = "é".repeat(5_000_000);
    let mut sources = Sources::default();
    let id = sources.add("long", text);
    for start in [0, 1, 5_000_001, 99_999_999] {
        let span = Span::new(id, start..start + 1);
        let shown = render(&Diagnostic::error(&TEST, "x").at(span, "y"), &sources, Style::Plain);
        assert!(shown.len() < 2_000, "{} bytes", shown.len());
        let column = (start.min(10_000_000) / 2) + 1;
        let told = shown.contains(&format!("column {column}\n"));
        assert_eq!(told, column > CONTEXT, "{shown}");
    }
    let mut sources = Sources::default();
    let id = sources.add("empty", "");
    let diagnostic = Diagnostic::error(&TEST, "empty").at(Span::new(id, 0..0), "");
    assert!(render(&diagnostic, &sources, Style::Plain).contains("empty:1:1"));
}

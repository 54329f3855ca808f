//! What exceptions cover, and what is no exception.

use quadrille_diagnostic::Sources;

use super::*;
use crate::protocol::codes::{DECIDED_BY_SEVERAL, STARVES};

const TEXT: &str = "\
// allow L014 in file: patience
// allow everyone to speak, allow choices to be made
role a, b; // allow L011: this line
// allow L011: a block
protocol p {
    \"// allow L011: no comment\"
}
// allow L011: a property
property x:
    true;
// allow choices
// allow L999, L011: one of them
role c;
";

#[test]
fn exceptions_cover_statements_and_files() {
    let mut sources = Sources::default();
    let source = sources.add("p.quad", TEXT);
    let mut allows = Allows::of(&sources);
    let mistakes: Vec<String> = allows.mistakes().into_iter().map(|one| one.message).collect();
    let unknown = "lint has no rule and no group of rules `L999`";
    assert_eq!(mistakes, ["an exception needs a reason", unknown]);
    let mut covers = |code, words: &str| {
        let at = TEXT.find(words).expect("in the text");
        let span = Span::new(source, at..at + 1);
        allows.covers(&Diagnostic::warning(code, "").at(span, ""))
    };
    for covered in ["role a", "protocol p", "\"// allow", "property x", "true", "role c"] {
        assert!(covers(&DECIDED_BY_SEVERAL, covered), "{covered}");
    }
    assert!(!covers(&DECIDED_BY_SEVERAL, "// allow choices"));
    assert!(covers(&STARVES, "role a"));
    assert_eq!(allows.unused().count(), 0);
}

#[test]
fn comments_of_discourje_begin_with_semicolons() {
    let text = ";; allow L014: fair\n(s/defsession ::p []\n  (s/-->> Long ::a ::b))\n(f)\n";
    let mut sources = Sources::default();
    let source = sources.add("p.dcj", text);
    let mut allows = Allows::of(&sources);
    assert_eq!(allows.unused().count(), 1);
    let mut covers = |words: &str| {
        let at = text.find(words).expect("in the text");
        let span = Span::new(source, at..at + 1);
        allows.covers(&Diagnostic::warning(&STARVES, "").at(span, ""))
    };
    assert!(covers("(s/-->>"));
    assert!(!covers("(f)"));
    assert_eq!(allows.unused().count(), 0);
}

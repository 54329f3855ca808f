//! Strings of the log.

use super::*;

#[test]
fn texts_are_escaped() {
    assert_eq!(string("worker[0]"), r#""worker[0]""#);
    assert_eq!(string("Say(\"a\\b\n\")"), r#""Say(\"a\\b\u000a\")""#);
}

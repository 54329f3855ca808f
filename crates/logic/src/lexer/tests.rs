//! Tokens, quoting and spans.

use super::*;

#[test]
fn longer_spellings_come_first() {
    for (at, (text, _)) in SPELLINGS.iter().enumerate() {
        let hidden = SPELLINGS[..at].iter().find(|(earlier, _)| text.starts_with(earlier));
        assert_eq!(hidden, None, "{text} is never reached");
    }
}

#[test]
fn quoting_and_unquoting_are_inverse() {
    for text in ["", "a b", "say \"x\"", "back\\slash", "`", "\\", "\\\""] {
        for mark in ['"', '`'] {
            assert_eq!(unquote(&quote(text, mark)), text);
        }
    }
}

#[test]
fn spans_cover_the_tokens() {
    let mut sources = Sources::default();
    let text = "é <-> \"x y\" // no\n[] a_1";
    let id = sources.add("f", text);
    let mut diagnostics = Vec::new();
    let span = Span::new(id, 0..text.len());
    let mut cursor = Cursor::new(&sources, span, &mut diagnostics);
    let mut texts = Vec::new();
    while cursor.peek().kind != TokenKind::End {
        let token = cursor.bump();
        texts.push(cursor.text(token));
    }
    assert_eq!(texts, ["é", "<->", "\"x y\"", "[]", "a_1"]);
    assert!(diagnostics.is_empty());
}

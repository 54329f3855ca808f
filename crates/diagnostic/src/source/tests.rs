//! Positions of bytes and characters.

use super::*;

#[test]
fn positions_count_characters_from_one() {
    let mut sources = Sources::default();
    let id = sources.add("a", "éa\nxyz\n");
    let position = |byte| sources.position(Span::new(id, byte..byte));
    assert_eq!(position(0), Position { line: 1, column: 1 });
    assert_eq!(position(2), Position { line: 1, column: 2 });
    assert_eq!(position(1), Position { line: 1, column: 1 });
    assert_eq!(position(6), Position { line: 2, column: 3 });
    assert_eq!(position(999), Position { line: 3, column: 1 });
}

#[test]
fn bytes_that_are_no_text_have_a_place() {
    let mut sources = Sources::default();
    assert!(sources.add_bytes("good", "é".into()).is_ok());
    let found = sources.add_bytes("bad", b"ab\ncd\xff".to_vec());
    let NotText { span, byte } = found.expect_err("not UTF-8");
    assert_eq!((sources.position(span), byte), (Position { line: 2, column: 3 }, 0xff));
}

//! Names in the cases of Rust.

use super::*;

#[test]
fn names_have_the_case_of_rust() {
    for (name, types, fields) in [
        ("White", "White", "white"),
        ("out_of_cards", "OutOfCards", "out_of_cards"),
        ("OutOfCards", "OutOfCards", "out_of_cards"),
        ("HTTPReply2", "HTTPReply2", "http_reply2"),
        ("role", "Role_", "role"),
        ("self", "Self_", "self"),
        ("End", "End_", "end"),
        ("State", "State", "state"),
        ("Vote(true, -3)", "VoteTrueMinus3", "vote_true_minus_3"),
        ("", "Any", "any"),
        ("1", "Value1", "value_1"),
        ("Straße", "Straße", "straße"),
        ("x²·½", "X", "x"),
        ("StartReceived", "StartReceived", "start_received"),
    ] {
        assert_eq!(
            (type_name(name).as_str(), field_name(name).as_str()),
            (types, fields),
            "{name}"
        );
    }
    assert_eq!(ident("type").to_string(), "r#type");
    assert_eq!(ident("self").to_string(), "self_");
    assert_eq!(ident("gen").to_string(), "r#gen");
    assert_eq!(last_segment("org.example.Move"), "Move");
    assert_eq!(last_segment("(fn [x] (= x 1.5))"), "(fn [x] (= x 1.5))");
}

//! No input makes the parser panic or run away.

use quadrille_component::syntax::parse;
use quadrille_diagnostic::Sources;

use crate::random::Random;

const PIECES: [&str; 44] = [
    "A", "B", "!i.m", "?i.m", "^", "$", "↑", ";", "+", "*", "|", "||", "(", ")", "{", "}", "[",
    "]", ",", ":", "throw", "try", "catch", "!e", "?i.e", "NULL", "types", "vars", "while",
    "switch", "default", "<-", "==", "!=", "=", "/", "//", "/*", "*/", "~", "⁻¹", "&go", "é", "\n",
];

#[test]
fn any_sequence_of_pieces_is_read() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let n_pieces = random.below(60);
        let mut text = String::new();
        for _ in 0..n_pieces {
            text.push_str(PIECES[random.below(PIECES.len() as u32) as usize]);
            if random.below(3) == 0 {
                text.push(' ');
            }
        }
        let mut sources = Sources::default();
        let id = sources.add("fuzz.bp", text.clone());
        let (_, diagnostics) = parse(id, &text);
        crate::rendered(&sources, &diagnostics);
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    for opening in ["(", "?a{", "try{", "~", "!a|{b}|", "while(m==A){", "[", "!a*/{b}"] {
        let text = format!("A {}", opening.repeat(50_000));
        let mut sources = Sources::default();
        let id = sources.add("deep.bp", text.clone());
        let (file, diagnostics) = parse(id, &text);
        assert!(diagnostics.iter().any(quadrille_diagnostic::Diagnostic::is_error), "{opening}");
        assert!(!file.to_string().is_empty());
    }
}

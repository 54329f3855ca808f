//! No input makes the parser panic or run away, nor what follows.

use quadrille_component::automata::{Alphabet, Construction, Throws, TooLarge, build};
use quadrille_component::composition::{ComposeError, Unit, Wiring, compose};
use quadrille_component::intrinsic::intrinsic;
use quadrille_component::lint::{KnownBindings, check, check_choices, check_system};
use quadrille_component::syntax::parse;
use quadrille_diagnostic::Sources;
use quadrille_workshop::texts::pieces;

use crate::trees::Gardener;
use crate::world::World;

const PIECES: [&str; 44] = [
    "A", "B", "!i.m", "?i.m", "^", "$", "↑", ";", "+", "*", "|", "||", "(", ")", "{", "}", "[",
    "]", ",", ":", "throw", "try", "catch", "!e", "?i.e", "NULL", "types", "vars", "while",
    "switch", "default", "<-", "==", "!=", "=", "/", "//", "/*", "*/", "~", "⁻¹", "&go", "é", "\n",
];

#[test]
fn any_sequence_of_pieces_is_read() {
    quadrille_workshop::check(3000, |choices| {
        let text = pieces(choices, &PIECES, 60);
        let mut sources = Sources::default();
        let id = sources.add("fuzz.bp", text.clone());
        let (_, diagnostics) = parse(id, &text);
        crate::rendered(&sources, &diagnostics);
    });
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

/// Whatever could be read is looked over, built and composed without a panic, errors or not.
#[test]
fn any_tree_is_built() {
    quadrille_workshop::check(1500, |choices| {
        let mut gardener = Gardener::new(choices);
        let text = format!(
            "types {{ Mode = {{ IDLE, BUSY }} }}\nX vars {{ Mode m = IDLE }}\n{}\nY\n{}\n",
            gardener.tree(3),
            gardener.tree(3)
        );
        let file = crate::read(&text);
        check(&file, Some(&Throws::default()));
        check_system(&file.components.iter().collect::<Vec<_>>(), &KnownBindings::default());
        for construction in [Construction::Minimal, Construction::Published] {
            let mut world = World::default();
            world.add(&file, None, construction);
            for (unit, component) in world.units.iter().zip(&file.components) {
                check_choices(component, &world.alphabet, &unit.dfa);
            }
            let wiring = Wiring::shared(&world.alphabet, &world.units);
            let (composition, errors) = world.compose(&wiring);
            for path in errors.all() {
                assert_eq!(path.trace.replay(&composition), Ok(()), "{text}");
            }
        }
    });
}

/// Texts that would make something grow without bound end in an error, or are handled.
#[test]
fn nothing_explodes() {
    let nest = |open: &str, inner: &str, close: &str, n: usize| {
        format!("A {}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let texts = [
        nest("(", "!a", "| !b)*", 90),
        nest("?a { !b | ", "!c", " }", 90),
        nest("?i.a { try { !i.b ; ", "throw !e", " } catch { ?i.e : !c } }", 45),
        nest("(", "!a", "|| !b)", 90),
        nest("(", "!a", " |{ a }| !b)", 20),
        nest("(!a + !b) ; (", "!c", ")", 90),
        nest("(!a ; (!a + !b)* + ", "!c", ")*", 90),
    ];
    for text in texts {
        let file = crate::read(&text);
        let component = &file.components[0];
        check(&file, None);
        intrinsic(&component.protocol, None);
        for construction in [Construction::Minimal, Construction::Published] {
            let mut alphabet = Alphabet::default();
            let Ok(dfa) = build(&mut alphabet, &[], component, None, construction) else {
                continue;
            };
            let units = [Unit { name: "A".to_owned(), dfa }];
            drop(compose(&alphabet, &units, &Wiring::all(&alphabet)));
        }
    }
}

#[test]
fn many_combinations_are_refused() {
    let meet = |n: u32| format!("X{n} &go ; !a^ + !b^ ; &go ; !c^ + !c^ ; &go ; !d^ ; !a^\n");
    let text: String = (0..12).map(meet).collect();
    let mut world = World::default();
    world.add(&crate::read(&text), None, Construction::Minimal);
    let composed = compose(&world.alphabet, &world.units, &Wiring::default());
    assert_eq!(composed.err(), Some(ComposeError::TooLarge));

    let parameters = vec!["T x"; 20].join(", ");
    let file = crate::read(&format!("types {{ T = {{ A, B, C }} }}\nX ?i.m({parameters})\n"));
    let mut alphabet = Alphabet::default();
    let built = build(&mut alphabet, &file.types, &file.components[0], None, Construction::Minimal);
    assert_eq!(built, Err(TooLarge));
}

//! Static checks: what is said about single components and about systems.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use quadrille_component::automata::{Alphabet, Construction, Throws, build};
use quadrille_component::codes;
use quadrille_component::lint::{InterfaceLink, KnownBindings, check, check_choices, check_system};
use quadrille_component::syntax::{Component, File, parse};
use quadrille_diagnostic::{Diagnostic, Sources};

/// What comments of a text say about interfaces: `// i.m throws e`, `// X has i`, `// i joins X and Y`.
fn facts(text: &str) -> (Option<Throws>, KnownBindings) {
    let (mut throws, mut knowledge) = (None, KnownBindings::default());
    for line in text.lines().filter_map(|line| line.strip_prefix("// ")) {
        match line.split(' ').collect::<Vec<_>>()[..] {
            [method, "throws", exception] => {
                let throws: &mut Throws = throws.get_or_insert_default();
                throws.methods.entry(method.to_owned()).or_default().push(exception.to_owned());
            }
            [component, "has", interface] => {
                let own = knowledge.interfaces.entry(component.to_owned()).or_default();
                own.insert(interface.to_owned());
            }
            [name, "joins", one, "and", other] => {
                let between = [one, other].map(str::to_owned);
                knowledge.links.push(InterfaceLink { name: name.to_owned(), between });
            }
            _ => {}
        }
    }
    (throws, knowledge)
}

fn diagnostics(text: &str) -> (Sources, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let id = sources.add("in.bp", text);
    let (file, mut diagnostics) = parse(id, text);
    let (throws, knowledge) = facts(text);
    diagnostics.extend(check(&file, throws.as_ref()));
    let components: Vec<&Component> = file.components.iter().collect();
    diagnostics.extend(check_system(&components, &knowledge));
    for component in components {
        let mut alphabet = Alphabet::default();
        let construction = Construction::Minimal;
        let dfa = build(&mut alphabet, &file.types, component, throws.as_ref(), construction);
        diagnostics.extend(check_choices(component, &alphabet, &dfa.expect("small")));
    }
    (sources, diagnostics)
}

#[track_caller]
fn check_text(text: &str, expected: &Expect) {
    let (sources, diagnostics) = diagnostics(text);
    expected.assert_eq(&crate::rendered(&sources, &diagnostics));
}

#[test]
fn precedence() {
    check_text(
        "A !a ; NULL + !b\nB (!c ; NULL) + !d\nC !e ; (NULL + !f)\nD !g + NULL ; !h\nE !i ; NULL\n\
         F ?j { !k ; !l + throw !m }\nG !n ; !o + !p",
        &expect![[r#"
            warning[C005]: an alternative behind `;` without parentheses
             --> in.bp:1:3
              |
            1 | A !a ; NULL + !b
              |   ^^^^^^^^^ `;` binds tighter than `+`: all of this is one alternative
              |
              = help: write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is intended
            warning[C005]: an alternative behind `;` without parentheses
             --> in.bp:4:8
              |
            4 | D !g + NULL ; !h
              |        ^^^^^^^^^ `;` binds tighter than `+`: all of this is one alternative
              |
              = help: write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is intended
            warning[C005]: an alternative behind `;` without parentheses
             --> in.bp:6:8
              |
            6 | F ?j { !k ; !l + throw !m }
              |        ^^^^^^^ `;` binds tighter than `+`: all of this is one alternative
              |
              = help: write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is intended
        "#]],
    );
}

#[test]
fn exceptions() {
    check_text(
        "// A.a throws e\n// A.b throws f\n\
         Client try { !A.a ; try { !A.b } catch { ?A.f : !A.a } } catch { ?A.e, ?A.e : NULL } ; !A.b\n\
         Server ?A.a { throw !g } ; ?A.b { ?A.a { throw !e } ; throw !f } ; !C.c { throw !e }",
        &expect![[r#"
            error[C007]: exception A.e is caught twice in one try
             --> in.bp:3:73
              |
            3 | Client try { !A.a ; try { !A.b } catch { ?A.f : !A.a } } catch { ?A.e, ?A.e : NULL } ; !A.b
              |                                                                   ---   ^^^
              |                                                                   |
              |                                                                   first here
            error[C008]: exception A.f of A.b is not caught
             --> in.bp:3:89
              |
            3 | Client try { !A.a ; try { !A.b } catch { ?A.f : !A.a } } catch { ?A.e, ?A.e : NULL } ; !A.b
              |                                                                                         ^^^
              |
              = help: add `catch { ?A.f : … }` to a `try` around the call
            warning[C009]: exception A.g of A.a is not listed by its interface
             --> in.bp:4:15
              |
            4 | Server ?A.a { throw !g } ; ?A.b { ?A.a { throw !e } ; throw !f } ; !C.c { throw !e }
              |               ^^^^^^^^
              |
              = help: list it there, or correct the name
            error[C006]: throw is not inside the braces of an acceptance
             --> in.bp:4:75
              |
            4 | Server ?A.a { throw !g } ; ?A.b { ?A.a { throw !e } ; throw !f } ; !C.c { throw !e }
              |                                                                           ^^^^^^^^
              |
              = help: an exception answers a call: `?i.m { … throw !e … }`
        "#]],
    );
}

#[test]
fn variables() {
    check_text(
        "types { Mode = { IDLE, BUSY, IDLE } }\n\
         A vars { Mode m = IDEL, Mood k = IDLE, Mode m = BUSY }\n\
         ?i.f(Mode x) { x <- m ; !j.g(x, BUSY, y) } ; n <- IDLE ; while (m == LAZY) { m <- BUSY | !a } ;\n\
         switch (m) { IDLE: { x <- IDLE } IDLE: { NULL } }",
        &expect![[r#"
            error[C004]: the value `IDLE` is declared twice
             --> in.bp:1:30
              |
            1 | types { Mode = { IDLE, BUSY, IDLE } }
              |                  ----        ^^^^
              |                  |
              |                  first here
              |
              = help: rename one of them
            error[C015]: no value `IDEL` is known here
             --> in.bp:2:19
              |
            2 | A vars { Mode m = IDEL, Mood k = IDLE, Mode m = BUSY }
              |                   ^^^^
              |
              = help: did you mean `IDLE`?
            error[C015]: no type `Mood` is known here
             --> in.bp:2:25
              |
            2 | A vars { Mode m = IDEL, Mood k = IDLE, Mode m = BUSY }
              |                         ^^^^
              |
              = help: declare it, or correct the name
            error[C004]: the variable `m` is declared twice
             --> in.bp:2:45
              |
            2 | A vars { Mode m = IDEL, Mood k = IDLE, Mode m = BUSY }
              |               - first here                  ^
              |
              = help: rename one of them
            error[C015]: no variable or value `y` is known here
             --> in.bp:3:39
              |
            3 | ?i.f(Mode x) { x <- m ; !j.g(x, BUSY, y) } ; n <- IDLE ; while (m == LAZY) { m <- BUSY | !a } ;
              |                                       ^
              |
              = help: declare it, or correct the name
            error[C015]: no variable `n` is known here
             --> in.bp:3:46
              |
            3 | ?i.f(Mode x) { x <- m ; !j.g(x, BUSY, y) } ; n <- IDLE ; while (m == LAZY) { m <- BUSY | !a } ;
              |                                              ^
              |
              = help: declare it, or correct the name
            error[C015]: no value `LAZY` is known here
             --> in.bp:3:70
              |
            3 | ?i.f(Mode x) { x <- m ; !j.g(x, BUSY, y) } ; n <- IDLE ; while (m == LAZY) { m <- BUSY | !a } ;
              |                                                                      ^^^^
              |
              = help: declare it, or correct the name
            error[C016]: `m` is changed beside a parallel branch
             --> in.bp:3:78
              |
            3 | ?i.f(Mode x) { x <- m ; !j.g(x, BUSY, y) } ; n <- IDLE ; while (m == LAZY) { m <- BUSY | !a } ;
              |                                                                              ^
              |
              = help: change it before the branches start, or after they are done
            error[C015]: no variable `x` is known here
             --> in.bp:4:22
              |
            4 | switch (m) { IDLE: { x <- IDLE } IDLE: { NULL } }
              |                      ^
              |
              = help: declare it, or correct the name
            error[C004]: the case `IDLE` is declared twice
             --> in.bp:4:34
              |
            4 | switch (m) { IDLE: { x <- IDLE } IDLE: { NULL } }
              |              ---- first here     ^^^^
              |
              = help: rename one of them
        "#]],
    );
}

#[test]
fn choices() {
    check_text(
        "A ?a ; ?b | ?a ; ?c\nB ?d ; !x + (?d | ?e)\nC (?f | ?g)* ; ?f\nD !h | !h\nE ?i ; ?k + ?i ; ?l",
        &expect![[r#"
            warning[C017]: it is left open which branch accepts a^
             --> in.bp:1:4
              |
            1 | A ?a ; ?b | ?a ; ?c
              |    ^         -
              |
              = help: give the branches different methods: `m_1` and `m_2`
            warning[C017]: it is left open which branch accepts d^
             --> in.bp:2:4
              |
            2 | B ?d ; !x + (?d | ?e)
              |    ^          -
              |
              = help: give the branches different methods: `m_1` and `m_2`
            warning[C017]: it is left open which branch accepts f^
             --> in.bp:3:5
              |
            3 | C (?f | ?g)* ; ?f
              |     ^           -
              |
              = help: give the branches different methods: `m_1` and `m_2`
            warning[C017]: it is left open which branch accepts h$
             --> in.bp:4:4
              |
            4 | D !h | !h
              |    ^    -
              |
              = help: give the branches different methods: `m_1` and `m_2`
        "#]],
    );
}

#[test]
fn calls_back() {
    check_text(
        "Front !i.a { ?f.x } ; !i.b ; !i.c^ ; ?i.c$\n\
         Back ?i.a { !f.x } ; ?i.b { try { !f.x } catch { ?f.e : !f.x } } ; ?i.c { !f.x }\n\
         Quiet ?j.a { !g.x }\n\
         Ready !j.a | ?g.x*",
        &expect![[r#"
            warning[C018]: Back calls f.x while it answers i.b
             --> in.bp:2:36
              |
            2 | Back ?i.a { !f.x } ; ?i.b { try { !f.x } catch { ?f.e : !f.x } } ; ?i.c { !f.x }
              |                                    ^^^ Front expects it during i.a only
              |
              = help: let both say the same about the method
            warning[C013]: exception f.e is caught but never thrown
             --> in.bp:2:51
              |
            2 | Back ?i.a { !f.x } ; ?i.b { try { !f.x } catch { ?f.e : !f.x } } ; ?i.c { !f.x }
              |                                                   ^^^
              |
              = help: did you mean `f.x`?
        "#]],
    );
}

#[test]
fn every_code_shows_its_example() {
    for code in codes::ALL {
        let page = code.page();
        let example = page.split("```bp\n").nth(1).and_then(|rest| rest.split("```").next());
        let text = example.unwrap_or_else(|| panic!("{} has no example", code.id));
        let (sources, diagnostics) = diagnostics(text);
        let found: BTreeSet<&str> =
            diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
        assert!(
            found.contains(code.id),
            "{}: {}",
            code.id,
            crate::rendered(&sources, &diagnostics)
        );
    }
}

/// All components of some files, with what is said about them.
pub fn findings(files: &[File], throws: &Throws, knowledge: &KnownBindings) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> =
        files.iter().flat_map(|file| check(file, Some(throws))).collect();
    let components: Vec<&Component> = files.iter().flat_map(|file| &file.components).collect();
    diagnostics.extend(check_system(&components, knowledge));
    diagnostics
}

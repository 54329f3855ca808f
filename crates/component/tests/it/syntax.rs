//! Reading and printing protocols.

use expect_test::{Expect, expect};
use quadrille_component::syntax::parse;
use quadrille_diagnostic::Sources;

/// What is read, printed again, and what is said about it.
fn check(text: &str, expected: &Expect) {
    let mut sources = Sources::default();
    let id = sources.add("in.bp", text);
    let (file, diagnostics) = parse(id, text);
    expected.assert_eq(&format!("{file}{}", crate::rendered(&sources, &diagnostics)));
}

#[test]
fn operators_bind_as_the_manual_says() {
    check(
        "A a <- b ; ?i.m^ + !x$* | NULL || [?a↑, !b↓] /* two\nlines */ + (!c ; !d)* // end\n\
         B ~(?a + !b {})",
        &expect![[r#"
            A
            a <- b ; ?i.m^ + !x$* | NULL || [?a^, !b$] + (!c ; !d)*
            B
            ~(?a + !b)
        "#]],
    );
}

#[test]
fn bodies_exceptions_and_variables() {
    check(
        "types { Mode = { IDLE, BUSY } }\nServer vars { Mode m = IDLE, Mode k = BUSY }\n\
         ?i.m(Mode x) { try { !j.n(m, BUSY) { ?k.back } } catch { ?j.e, ?j.f : throw !g } }* ;\n\
         while (m != BUSY) { m <- k } ; switch (m) { IDLE: { &all.go } default: { null } }\n\
         Client (!a | !b |{ a, i.b }| ?c⁻¹) / { a, c }",
        &expect![[r#"
            types { Mode = { IDLE, BUSY } }
            Server vars { Mode m = IDLE, Mode k = BUSY }
            ?i.m(Mode x) { try { !j.n(m, BUSY) { ?k.back } } catch { ?j.e, ?j.f : throw !g } }* ; while (m != BUSY) { m <- k } ; switch (m) { IDLE: { &all.go } default: { NULL } }
            Client
            ((!a | !b) |{ a, i.b }| ~?c) / { a, c }
        "#]],
    );
}

#[test]
fn every_mistake_is_reported() {
    check(
        "A ?a ; ; !b + ) !c { !d ; }\nB [!x, y$] ?z (throw e)\nC try { !a }\n# D !a.",
        &expect![[r#"
            A
            ?a ; NULL ; !b + NULL
            B
            [!x^, !y$] ; ?z( ) ; throw !e
            C
            try { !a }
            D
            !a
            error[C001]: expected an event or a protocol
             --> in.bp:1:8
              |
            1 | A ?a ; ; !b + ) !c { !d ; }
              |        ^ found `;`
              |
              = help: events are `?i.m`, `!i.m^`, `?i.m$`; nothing is `NULL`
            error[C001]: expected an event or a protocol
             --> in.bp:1:15
              |
            1 | A ?a ; ; !b + ) !c { !d ; }
              |               ^ found `)`
              |
              = help: events are `?i.m`, `!i.m^`, `?i.m$`; nothing is `NULL`
            error[C001]: expected `^` or `$`
             --> in.bp:2:6
              |
            2 | B [!x, y$] ?z (throw e)
              |      ^ found `,`
              |
              = help: an atomic action lists single events: `[?a$, !b^]`
            error[C001]: expected `?` or `!`
             --> in.bp:2:8
              |
            2 | B [!x, y$] ?z (throw e)
              |        ^ found `y`
              |
              = help: an atomic action lists single events: `[?a$, !b^]`
            error[C001]: expected an operator
             --> in.bp:2:12
              |
            2 | B [!x, y$] ?z (throw e)
              |            ^ found `?`
              |
              = help: join events by `;`, `+`, `|` or `||`
            error[C001]: expected a type
             --> in.bp:2:16
              |
            2 | B [!x, y$] ?z (throw e)
              |                ^^^^^ found `throw`
              |
              = help: parameters are written `?i.m(Mode x) { … }`
            error[C001]: expected `!`
             --> in.bp:2:22
              |
            2 | B [!x, y$] ?z (throw e)
              |                      ^ found `e`
              |
              = help: an exception is thrown by `throw !e`
            error[C001]: expected the name of a component
             --> in.bp:2:23
              |
            2 | B [!x, y$] ?z (throw e)
              |                       ^ found `)`
              |
              = help: a file is a sequence of `NAME protocol`
            error[C001]: expected `catch`
             --> in.bp:4:1
              |
            4 | # D !a.
              | ^ this character has no meaning here
              |
              = help: write `try { … } catch { ?i.e : … }`
            error[C001]: expected the name of a component
             --> in.bp:4:7
              |
            4 | # D !a.
              |       ^ this character has no meaning here
              |
              = help: a file is a sequence of `NAME protocol`
        "#]],
    );
    check(
        "A ( !a { !b ; ( !c \nB !d",
        &expect![[r#"
        A
        !a { !b ; !c }
        B
        !d
        error[C001]: expected `)`
         --> in.bp:2:1
          |
        1 | A ( !a { !b ; ( !c 
          |               - opened here
        2 | B !d
          | ^ found `B`
          |
          = help: every bracket that is opened must be closed
    "#]],
    );
    check("", &expect![[r#""#]]);
    check(
        "A",
        &expect![[r#"
        A
        NULL
        error[C001]: expected an event or a protocol
         --> in.bp:1:2
          |
        1 | A
          |  ^ found the end of the text
          |
          = help: events are `?i.m`, `!i.m^`, `?i.m$`; nothing is `NULL`
    "#]],
    );
    check(
        "/* open",
        &expect![[r#"
        error[C001]: expected the name of a component
         --> in.bp:1:1
          |
        1 | /* open
          | ^^ this comment does not end
          |
          = help: a file is a sequence of `NAME protocol`
    "#]],
    );
}

//! Frames of annotated traits.

use std::fmt::Write;

use expect_test::{Expect, expect};
use quadrille_contract::{codes, traits};
use quadrille_diagnostic::Sources;

/// The frames of a Rust text, and what is said about it.
fn check(text: &str, expected: &Expect) {
    let mut sources = Sources::default();
    let source = sources.add("in.rs", text);
    let (components, diagnostics) = traits::frames(&sources, source);
    let mut told = String::new();
    for component in &components {
        writeln!(told, "{component}").expect("text");
        let again = crate::read(&mut Sources::default(), &component.to_string());
        assert_eq!(again.to_string(), format!("{component}\n"));
    }
    expected.assert_eq(&(told + &crate::rendered(&sources, &diagnostics)));
}

#[test]
fn states_calls_and_exceptions() {
    check(
        r#"
//! Two traits, one of them in a module.
mod inner {
    /// A till.
    ///
    /// protocol: starts closed, ends closed or broken
    pub trait Till {
        type Money;
        /// protocol: closed -> open
        fn open(&mut self);
        /// Sells.
        /// protocol: open { try { !Card.charge } catch { ?Card.Busy : NULL } } -> open, throws Refused -> broken
        fn sell(&mut self) -> Result<Self::Money, Refused>;
        /// protocol: open -> closed
        fn close(&mut self);
    }
}
pub trait Plain { fn nothing(&self); }
trait Lamp {
    /** protocol: ready { !Power.on ; !Power.off } -> ready */
    fn blink(&mut self);
    fn is_on(&self) -> bool;
}
"#,
        &expect![[r#"
            Till
            NULL + ?Till.open ; (?Till.sell { try { !Card.charge } catch { ?Card.Busy : NULL } } + ?Till.close ; ?Till.open)* ; (?Till.sell { try { !Card.charge } catch { ?Card.Busy : NULL } ; throw !Refused } + ?Till.close)
            Lamp
            (?Lamp.blink { !Power.on ; !Power.off } + ?Lamp.is_on)*
        "#]],
    );
}

#[test]
fn mistakes_are_shown_where_they_are() {
    check(
        r#"
/// protocol: begins closed
trait A {
    /// protocol: closed to open
    fn open(&mut self);
}
trait B {
    /// protocol: ready { !Card.charge ; ; !Log.sold } -> ready
    fn b(&mut self);
}
"#,
        &expect![[r#"
            error[B002]: the annotation cannot be read
             --> in.rs:2:1
              |
            2 | /// protocol: begins closed
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `protocol: starts STATE, ends STATE or STATE`
            error[B002]: the annotation cannot be read
             --> in.rs:4:5
              |
            4 |     /// protocol: closed to open
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `protocol: STATE { CALLS } -> STATE, throws EXCEPTION -> STATE`
            error[C001]: expected an event or a protocol
             --> in.rs:8:42
              |
            8 |     /// protocol: ready { !Card.charge ; ; !Log.sold } -> ready
              |                                          ^ found `;`
              |
              = help: events are `?i.m`, `!i.m^`, `?i.m$`; nothing is `NULL`
        "#]],
    );
    check(
        "trait A { fn a(&self) }",
        &expect![[r#"
        error[B001]: the Rust text cannot be read
         --> in.rs:1:23
          |
        1 | trait A { fn a(&self) }
          |                       ^ unexpected end of input, expected curly braces or `;`
    "#]],
    );
    check(
        "/// protocol: starts one, ends one\ntrait A {\n/// protocol: one -> two\nfn a(&self);\n}",
        &expect![[r#"
            error[B003]: `A` cannot come to an end
             --> in.rs:2:7
              |
            2 | trait A {
              |       ^ not from state `two`
        "#]],
    );
    check(
        &"(".repeat(100_000),
        &expect![[r#"
        error[B001]: the text is nested too deeply
         --> in.rs:1:121
          |
        1 | (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((...
          |                                                                                                                         ^ here
          |
          = note: the line is cut to fit; the place is its column 301
    "#]],
    );
    check(
        &format!("const A: bool = {}true;", "!".repeat(100_000)),
        &expect![[r#"
        error[B001]: the text is nested too deeply
         --> in.rs:1:121
          |
        1 | !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!...
          |                                                                                                                         ^ here
          |
          = note: the line is cut to fit; the place is its column 317
    "#]],
    );
}

#[test]
fn every_code_shows_its_example() {
    for code in codes::ALL {
        let page = code.page();
        let Some((_, rest)) = page.split_once("```text\n") else { continue };
        let text = rest.split("```").next().expect("the fence is closed");
        let mut sources = Sources::default();
        let source = sources.add("in.rs", text);
        let (_, diagnostics) = traits::frames(&sources, source);
        let ids: Vec<&str> = diagnostics.iter().map(|one| one.code.id).collect();
        assert_eq!(ids, [code.id], "{}", crate::rendered(&sources, &diagnostics));
    }
}

//! Mistakes in architectures, each with its place.

use expect_test::{Expect, expect};

use super::{CLERK, SHOP, shop};
use crate::folder::Folder;

/// What is wrong with the shop after a change.
fn check_change(from: &str, to: &str, expected: &Expect) {
    let text = SHOP.replace(from, to);
    assert_ne!(text, SHOP, "{from}");
    let folder = Folder::new([("shop.arch", text.as_bytes()), ("clerk.bp", CLERK)]);
    folder.check(&["check", "shop.arch"], expected);
}

#[test]
fn unbalanced_braces() {
    check_change(
        "Desk.leave }\n}",
        "Desk.leave\n}",
        &expect![[r#"
        exit 2
        --- stderr
        error[C001]: expected `}`
         --> shop.arch:7:1
          |
        3 | component Client {
          |                  - opened here
        ...
        7 | component Clerk {
          | ^^^^^^^^^ found `component`
          |
          = help: every bracket that is opened must be closed
        see `quadrille explain C001`
    "#]],
    );
}

#[test]
fn an_unknown_interface_in_a_binding() {
    check_change(
        "to clerk.Desk",
        "to clerk.Dsk",
        &expect![[r#"
        exit 2
        --- stderr
        error[S001]: `clerk` has no interface `Dsk`
          --> shop.arch:16:23
           |
        16 |   bind client.Desk to clerk.Dsk
           |                       ^^^^^^^^^
           |
           = help: did you mean `Desk`?
        see `quadrille explain S001`
    "#]],
    );
}

#[test]
fn two_providers() {
    let two = "contains second : Clerk\n  external second.Log\n  bind client.Desk to clerk.Desk\n  \
               bind client.Desk to second.Desk";
    check_change(
        "bind client.Desk to clerk.Desk",
        two,
        &expect![[r#"
        exit 2
        --- stderr
        error[S003]: `client.Desk` would have two providers: `clerk.Desk` and `second.Desk`
          --> shop.arch:19:8
           |
        18 |   bind client.Desk to clerk.Desk
           |        ------------------------- first here
        19 |   bind client.Desk to second.Desk
           |        ^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: leave one of them out
        see `quadrille explain S003`
    "#]],
    );
}

#[test]
fn an_exception_that_is_not_declared() {
    check_change(
        "ask throws Busy",
        "ask",
        &expect![[r#"
        exit 2
        --- stderr
        error[S006]: `Desk` declares no exception `Busy`
         --> shop.arch:5:41
          |
        1 | interface Desk { ask; leave }
          |           ---- declared here
        ...
        5 |   protocol { try { !Desk.ask } catch { ?Desk.Busy : NULL } ; !Desk.leave }
          |                                         ^^^^^^^^^
        error[S006]: `Desk` declares no exception `Busy`
         --> clerk.bp:2:33
          |
        2 | ?Desk.ask { !Log.write + throw !Busy } ; ?Desk.leave
          |                                 ^^^^
          |
         ::: shop.arch:1:11
          |
        1 | interface Desk { ask; leave }
          |           ---- declared here
        see `quadrille explain S006`
    "#]],
    );
}

#[test]
fn a_call_to_nobody() {
    check_change(
        "  subsume clerk.Log to Log\n",
        "",
        &expect![[r#"
            exit 1
            --- stdout
            Shop, horizontal: no error (7 configurations, 7 steps; no reduction, no bounds)
            Shop, vertical: bad activity (5 configurations, 4 steps; no reduction, no bounds)

              1  client → clerk       Desk.ask^
                 clerk → no receiver  clerk.Log.write^

            error[S020]: `clerk` calls `clerk.Log.write`, and no component accepts it
             --> clerk.bp:2:14
              |
            2 | ?Desk.ask { !Log.write + throw !Busy } ; ?Desk.leave
              |              ^^^^^^^^^ `clerk` calls it here
              |
              = note: no other component accepts it at all
            replay: quadrille check shop.arch --composite Shop --compliance vertical --trace-out trace.json
                    quadrille replay shop.arch trace.json
            Town, horizontal: no error (3 configurations, 2 steps; no reduction, no bounds)
            bad activity: 1 of 3 checks found an error
            --- stderr
            warning[S008]: `clerk.Log` is called but not bound
              --> clerk.bp:2:14
               |
             2 | ?Desk.ask { !Log.write + throw !Busy } ; ?Desk.leave
               |              ^^^^^^^^^
               |
              ::: shop.arch:15:12
               |
            15 |   contains clerk : Clerk
               |            ----- in `Shop` it is not bound
               |
               = help: bind it, `subsume` it, or write `external clerk.Log`
            see `quadrille explain S008`
        "#]],
    );
}

#[test]
fn a_composite_that_contains_itself() {
    check_change(
        "contains client : Client",
        "contains client : Client\n  contains town : Town",
        &expect![[r#"
            exit 2
            --- stderr
            error[S007]: `Shop` contains itself
              --> shop.arch:15:12
               |
            15 |   contains town : Town
               |            ^^^^ `Shop` contains `Town`
            ...
            23 |   contains shop : Shop
               |            ---- `Town` contains `Shop`
               |
               = help: take one of the parts out
            see `quadrille explain S007`
        "#]],
    );
}

#[test]
fn a_file_that_is_not_there() {
    check_change(
        "clerk.bp",
        "clark.bp",
        &expect![[r#"
            exit 2
            --- stderr
            error[Q001]: cannot read `clark.bp`
              --> shop.arch:10:15
               |
            10 |   protocol in "clark.bp"
               |               ^^^^^^^^^^
               |
               = note: No such file or directory (os error 2)
               = help: check the path; it is relative to the current folder
            see `quadrille explain Q001`
        "#]],
    );
}

#[test]
fn options_that_do_not_apply() {
    let folder = shop();
    folder.check(
        &["check", "shop.arch", "clerk.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: `shop.arch` holds no components
         |
         = help: several files, --bind, --external, --throws and --construction are for .bp files
        see `quadrille explain Q012`
    "#]],
    );
}

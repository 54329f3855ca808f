//! `lint` of components, and what it finds.

use expect_test::expect;

use super::{CLERK, CLIENT};
use crate::folder::Folder;

#[test]
fn lint_of_components() {
    let folder = Folder::new([
        ("client.bp", b"Client\n!Desk.ask ; NULL + !Desk.leave\n"),
        ("clerk.bp", b"Clerk\n(?Desk.ask ; !Log.a | ?Desk.ask { NULL ; }) + ?Desk.Leave\n"),
        ("fine.bp", CLERK),
        ("shop.arch", SHOP),
    ]);
    folder.check(
        &["lint", "client.bp", "clerk.bp"],
        &expect![[r#"
            exit 1
            --- stdout
            error[C011]: Desk.leave is called and never accepted by Clerk
             --> client.bp:2:21
              |
            2 | !Desk.ask ; NULL + !Desk.leave
              |                     ^^^^^^^^^^
              |
              = help: did you mean `Desk.Leave`?
            warning[C005]: an alternative behind `;` without parentheses
             --> client.bp:2:1
              |
            2 | !Desk.ask ; NULL + !Desk.leave
              | ^^^^^^^^^^^^^^^^ `;` binds tighter than `+`: all of this is one alternative
              |
              = help: write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is intended
            warning[C017]: it is left open which branch accepts Desk.ask^
             --> clerk.bp:2:3
              |
            2 | (?Desk.ask ; !Log.a | ?Desk.ask { NULL ; }) + ?Desk.Leave
              |   ^^^^^^^^             --------
              |
              = help: give the branches different methods: `m_1` and `m_2`
            warning[C003]: `;` with nothing behind it
             --> clerk.bp:2:40
              |
            2 | (?Desk.ask ; !Log.a | ?Desk.ask { NULL ; }) + ?Desk.Leave
              |                                        ^
              |
              = help: `;` separates; leave the last one out
            warning[C014]: `Desk.Leave` is not `Desk.leave`: names are case-sensitive
             --> clerk.bp:2:48
              |
            2 | (?Desk.ask ; !Log.a | ?Desk.ask { NULL ; }) + ?Desk.Leave
              |                                                ^^^^^^^^^^
              |
              = help: spell both alike
            5 findings: 1 error, 4 warnings; see `quadrille explain C011`
        "#]],
    );
    folder.check(
        &["lint", "client.bp", "--format", "json"],
        &expect![[r#"
            exit 0
            --- stdout
            {
              "schema": "quadrille/1",
              "file": "client.bp",
              "allowed": 0,
              "findings": [
                {
                  "level": "warn",
                  "code": "C005",
                  "severity": "warning",
                  "message": "an alternative behind `;` without parentheses",
                  "places": [
                    {
                      "file": "client.bp",
                      "line": 2,
                      "column": 1,
                      "text": "`;` binds tighter than `+`: all of this is one alternative"
                    }
                  ],
                  "notes": [],
                  "help": "write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is intended",
                  "channel": null,
                  "trace": null
                }
              ]
            }
        "#]],
    );
    folder.check(
        &["lint", "fine.bp"],
        &expect![[r#"
        exit 0
        --- stdout
        no findings
    "#]],
    );
    folder.check(
        &["lint", "fine.bp", "--throws", "Desk.ask=Busy"],
        &expect![[r#"
        exit 0
        --- stdout
        no findings
    "#]],
    );
    folder.check(
        &["lint", "client.bp", "--throws", "Desk.ask=Busy"],
        &expect![[r#"
            exit 1
            --- stdout
            error[C008]: exception Desk.Busy of Desk.ask is not caught
             --> client.bp:2:2
              |
            2 | !Desk.ask ; NULL + !Desk.leave
              |  ^^^^^^^^
              |
              = help: add `catch { ?Desk.Busy : … }` to a `try` around the call
            warning[C005]: an alternative behind `;` without parentheses
             --> client.bp:2:1
              |
            2 | !Desk.ask ; NULL + !Desk.leave
              | ^^^^^^^^^^^^^^^^ `;` binds tighter than `+`: all of this is one alternative
              |
              = help: write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is intended
            2 findings: 1 error, 1 warning; see `quadrille explain C008`
        "#]],
    );
    folder.check(&["lint", "shop.arch"], &expect![[r#"
        exit 1
        --- stdout
        error[C011]: Log.flush is called and never accepted by environment
         --> shop.arch:7:70
          |
        7 |   protocol { (?Desk.ask { !Log.write } + ?Desk.leave { !Log.write ; !Log.flush } + ?Back.count)* }
          |                                                                      ^^^^^^^^^
          |
          = help: accept it there, or leave out the call
        warning[C018]: clerk calls Log.write while it answers Desk.leave
         --> shop.arch:7:57
          |
        7 |   protocol { (?Desk.ask { !Log.write } + ?Desk.leave { !Log.write ; !Log.flush } + ?Back.count)* }
          |                                                         ^^^^^^^^^ environment expects it during Desk.ask only
          |
          = help: let both say the same about the method
        warning[C012]: Back.count is accepted on an interface that is not bound to clerk; it never happens
         --> shop.arch:7:85
          |
        7 |   protocol { (?Desk.ask { !Log.write } + ?Desk.leave { !Log.write ; !Log.flush } + ?Back.count)* }
          |                                                                                     ^^^^^^^^^^
        3 findings: 1 error, 2 warnings; see `quadrille explain C011`
    "#]]);
    folder.check(
        &["lint", "shop.arch", "--formula", "true"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: `shop.arch` is no protocol
         |
         = help: formulas are looked at beside protocols only
        see `quadrille explain Q012`
    "#]],
    );
    folder.check(
        &["lint", "none.bp"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q001]: cannot read `none.bp`
             |
             = note: No such file or directory (os error 2)
             = help: check the path; it is relative to the current folder
            see `quadrille explain Q001`
        "#]],
    );
}

/// The clerk writes while it answers `leave`, the frame of the shop only during `ask`; and `count` is
/// on an interface that nobody is bound to.
const SHOP: &[u8] = b"interface Desk { ask; leave; count }
interface Log { write; flush }
component Clerk {
  provides Desk
  provides Back : Desk
  requires Log
  protocol { (?Desk.ask { !Log.write } + ?Desk.leave { !Log.write ; !Log.flush } + ?Back.count)* }
}
component Shop {
  provides Front : Desk
  requires Log
  contains clerk : Clerk
  delegate Front to clerk.Desk
  subsume clerk.Log to Log
  protocol { (?Front.ask { !Log.write } + ?Front.leave)* }
}
";

#[test]
fn an_exception_that_is_not_caught_is_an_error() {
    let folder = Folder::new([
        ("client.bp", CLIENT),
        ("clerk.bp", CLERK),
        ("busy.bp", b"Clerk\n?Desk.ask { throw !Busy + NULL } ; ?Desk.leave\n"),
    ]);
    let throws = ["--throws", "Desk.ask=Busy"];
    let check = |file: &str, expected: &expect_test::Expect| {
        folder.check(&["check", "client.bp", file, throws[0], throws[1]], expected);
    };
    check(
        "clerk.bp",
        &expect![[r#"
        exit 2
        --- stderr
        error[C008]: exception Desk.Busy of Desk.ask is not caught
         --> client.bp:2:2
          |
        2 | !Desk.ask ; !Desk.leave
          |  ^^^^^^^^
          |
          = help: add `catch { ?Desk.Busy : … }` to a `try` around the call
        see `quadrille explain C008`
    "#]],
    );
    check(
        "busy.bp",
        &expect![[r#"
            exit 1
            --- stdout
            2 components: bad activity (5 configurations, 4 steps; no reduction, no bounds)

              1  Client → Clerk       Desk.ask^
                 Clerk → no receiver  Desk.Busy$

            error[S020]: `Clerk` throws `Desk.Busy`, and no component accepts it
             --> busy.bp:2:20
              |
            2 | ?Desk.ask { throw !Busy + NULL } ; ?Desk.leave
              |                    ^^^^ `Clerk` throws it here
              |
              = note: no other component accepts it at all
            replay: quadrille check client.bp busy.bp --throws Desk.ask=Busy --trace-out trace.json
                    quadrille replay client.bp trace.json
            --- stderr
            error[C008]: exception Desk.Busy of Desk.ask is not caught
             --> client.bp:2:2
              |
            2 | !Desk.ask ; !Desk.leave
              |  ^^^^^^^^
              |
              = help: add `catch { ?Desk.Busy : … }` to a `try` around the call
            see `quadrille explain C008`
        "#]],
    );
}

//! Following logs.

use expect_test::{Expect, expect};
use quadrille_contract::{Frame, FrameError, Monitor};
use quadrille_diagnostic::Sources;
use quadrille_protocol::monitor::Event;

const CLERK: &str = "Clerk\n?Desk.open ;\n( ?Desk.ask { try { !Files.look } \
                     catch { ?Files.Lost : throw !Unknown } } )* ;\n?Desk.close\n";

/// What the monitor says first, or what it allows at the end of the log.
fn check(text: &str, log: &str, expected: &Expect) {
    let mut sources = Sources::default();
    let frame = crate::frame(&mut sources, text);
    let mut monitor = Monitor::new(&frame);
    let mut told = String::new();
    for line in log.lines() {
        let said = match Event::parse(&mut sources, "log", line) {
            Ok(event) => monitor.observe(&event),
            Err(diagnostic) => Err(diagnostic),
        };
        if let Err(diagnostic) = said {
            expected.assert_eq(&crate::rendered(&sources, &[*diagnostic]));
            return;
        }
    }
    if let Err(diagnostic) = monitor.finish() {
        told += &crate::rendered(&sources, &[*diagnostic]);
    }
    told += &format!("allowed: {}\n", monitor.allowed().join(" "));
    expected.assert_eq(&told);
}

#[test]
fn a_run_that_keeps_to_the_frame() {
    check(
        CLERK,
        r#"{"event": "exchange", "role": "Client", "message": "Desk.open^", "to": "Clerk"}
{"event": "exchange", "role": "Clerk", "message": "Desk.open$", "to": "Client"}
{"event": "receive", "role": "Clerk", "message": "Desk.ask↑", "from": "Client"}
{"event": "send", "role": "Clerk", "message": "Files.look^", "time": 12}
{"event": "send", "role": "Files", "message": "Files.Lost$", "to": "Clerk"}
{"event": "wait", "for": {"event": "receive", "role": "Client", "message": "Desk.ask$"}}
{"event": "receive", "role": "Clerk", "message": "Files.Lost$"}
{"event": "send", "role": "Clerk", "message": "Desk.Unknown↓"}
{"event": "receive", "role": "Clerk", "message": "Desk.close^"}
{"event": "send", "role": "Clerk", "message": "Desk.close$"}
{"event": "leave", "role": "Clerk"}"#,
        &expect![[r#"
            allowed: 
        "#]],
    );
}

#[test]
fn the_first_deviation() {
    check(
        CLERK,
        r#"{"event": "receive", "role": "Clerk", "message": "Desk.open^"}
{"event": "send", "role": "Clerk", "message": "Desk.open$"}
{"event": "receive", "role": "Clerk", "message": "Desk.ask^"}
{"event": "send", "role": "Clerk", "message": "Desk.ask$"}"#,
        &expect![[r#"
            error[M002]: event 4 of `Clerk` deviates: !Desk.ask$
             --> in.bp:3:22
              |
            3 | ( ?Desk.ask { try { !Files.look } catch { ?Files.Lost : throw !Unknown } } )* ;
              |                      ^^^^^^^^^^ allowed: !Files.look^
        "#]],
    );
}

#[test]
fn a_component_that_ends_too_early() {
    let open = r#"{"event": "receive", "role": "Clerk", "message": "Desk.open^"}"#;
    check(
        CLERK,
        open,
        &expect![[r#"
        warning[M004]: `Clerk` ends after event 1, and its frame does not
         --> in.bp:2:2
          |
        2 | ?Desk.open ;
          |  ^^^^^^^^^ allowed: !Desk.open$
        allowed: !Desk.open$
    "#]],
    );
    let leaves = format!("{open}\n{}", r#"{"event": "leave", "role": "Clerk"}"#);
    check(
        CLERK,
        &leaves,
        &expect![[r#"
            error[M002]: `Clerk` leaves after event 1, and its frame does not end
             --> in.bp:2:2
              |
            2 | ?Desk.open ;
              |  ^^^^^^^^^ allowed: !Desk.open$
        "#]],
    );
}

#[test]
fn lines_that_say_nothing() {
    check(
        CLERK,
        r#"{"event": "receive", "role": "Clerk", "message": "Desk.open"}"#,
        &expect![[r#"
            error[M001]: `Desk.open` is neither a request nor a response
             |
             = help: write `Interface.method^` for a request, `Interface.method$` for a response
        "#]],
    );
    check(
        CLERK,
        r#"{"event": "receive", "role"#,
        &expect![[r#"
        error[M001]: the event cannot be read: EOF while parsing a string
         --> log:1:26
          |
        1 | {"event": "receive", "role
          |                          ^ here
          |
          = help: write one JSON object per line, as in `quadrille explain M001`
    "#]],
    );
}

#[test]
fn arguments_count_where_the_log_has_them() {
    let lamp = "types { Mode = { OFF, ON } }\nLamp ?l.set(Mode m) { switch (m) \
                { ON: { !n.on^ } OFF: { !n.off^ } } }*";
    check(
        lamp,
        r#"{"event": "receive", "role": "Lamp", "message": "l.set^"}"#,
        &expect![[r#"
        warning[M004]: `Lamp` ends after event 1, and its frame does not
         --> in.bp:2:59
          |
        2 | Lamp ?l.set(Mode m) { switch (m) { ON: { !n.on^ } OFF: { !n.off^ } } }*
          |                                           ----            ^^^^^ allowed: !n.off^
          |                                           |
          |                                           allowed: !n.on^
        allowed: !n.off^ !n.on^
    "#]],
    );
    check(
        lamp,
        r#"{"event": "receive", "role": "Lamp", "message": "l.set(ON)^"}
{"event": "send", "role": "Lamp", "message": "n.off^"}"#,
        &expect![[r#"
            error[M002]: event 2 of `Lamp` deviates: !n.off^
             --> in.bp:2:43
              |
            2 | Lamp ?l.set(Mode m) { switch (m) { ON: { !n.on^ } OFF: { !n.off^ } } }*
              |                                           ^^^^ allowed: !n.on^
        "#]],
    );
}

#[test]
fn what_happens_together_has_no_frame() {
    let mut sources = Sources::default();
    for text in ["A [!a^, ?b^]", "A &all.go"] {
        let file = crate::read(&mut sources, text);
        assert_eq!(Frame::new(&[], &file.components[0], None), Err(FrameError::Joint));
    }
}

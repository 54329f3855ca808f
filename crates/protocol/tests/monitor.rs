//! The monitor on logs: what it says at the first deviation, when the system is stuck, and in the end.

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_discourje as dcj;
use quadrille_protocol::monitor::{Event, Monitor, Status};

/// What the monitor says about a log of a protocol.
#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(body: &str, log: &str, expected: Expect) {
    let text = format!("(s/defsession ::p []\n{body})");
    let mut sources = Sources::default();
    let source = sources.add("p.dcj", text.clone());
    let (program, diagnostics) = dcj::load(source, &text);
    assert_eq!(diagnostics, []);
    let model = program.session(&mut sources, "p", &[]).expect("a session");
    let mut monitor = Monitor::new(&model).expect("a start");
    let mut said = None;
    for (number, line) in log.lines().enumerate() {
        let event = Event::parse(&mut sources, &format!("log, line {}", number + 1), line);
        said = match event.and_then(|event| monitor.observe(&event)) {
            Ok(Status::Running) => continue,
            Ok(Status::Stuck(diagnostic)) | Err(diagnostic) => Some(diagnostic),
        };
        break;
    }
    let said = said.map_or_else(|| monitor.finish(), Err);
    let shown = match said {
        Ok(()) => "fine\n".to_owned(),
        Err(diagnostic) => render(&diagnostic, &sources, Style::Plain),
    };
    expected.assert_eq(&shown);
}

const TURNS: &str = "  (s/* (s/cat (s/-->> Ask ::a ::b)\n              (s/-->> Say ::b ::a)))";

#[test]
fn a_log_that_follows_the_protocol() {
    check(
        TURNS,
        r#"{"event": "send", "role": "a", "message": "Ask", "to": "b", "time": 17}
{"event": "receive", "role": "b", "message": "Ask(why)", "from": "a"}
{"event": "send", "role": "b", "message": "Say"}
{"event": "receive", "role": "a", "message": "Say"}"#,
        expect![[r#"
            fine
        "#]],
    );
}

#[test]
fn the_first_deviation_shows_what_was_allowed() {
    check(
        TURNS,
        r#"{"event": "send", "role": "a", "message": "Ask", "to": "b"}
{"event": "send", "role": "b", "message": "Say", "to": "a"}"#,
        expect![[r#"
            error[M002]: action 2 deviates: b sends Say to a
             --> p.dcj:2:15
              |
            2 |   (s/* (s/cat (s/-->> Ask ::a ::b)
              |               ^^^^^^^^^^^^^^^^^^^^ allowed: b receives Ask from a
        "#]],
    );
    check(
        TURNS,
        r#"{"event": "close", "role": "a", "to": "b"}"#,
        expect![[r#"
        error[M002]: action 1 deviates: a closes to b
         --> p.dcj:2:15
          |
        2 |   (s/* (s/cat (s/-->> Ask ::a ::b)
          |               ^^^^^^^^^^^^^^^^^^^^ allowed: a sends Ask to b
          |
          = note: allowed: to end
    "#]],
    );
}

#[test]
fn a_log_that_stops_in_the_middle() {
    check(
        TURNS,
        r#"{"event": "send", "role": "a", "message": "Ask", "to": ["b"]}"#,
        expect![[r#"
            warning[M004]: the log ends after action 1, and the protocol does not
             --> p.dcj:2:15
              |
            2 |   (s/* (s/cat (s/-->> Ask ::a ::b)
              |               ^^^^^^^^^^^^^^^^^^^^ allowed: b receives Ask from a
        "#]],
    );
}

#[test]
fn roles_that_wait_for_each_other() {
    check(
        TURNS,
        r#"{"event": "wait", "for": {"event": "receive", "role": "b", "message": "Ask", "from": "a"}}
{"event": "wait", "for": {"event": "receive", "role": "a", "message": "Say", "from": "b"}}"#,
        expect![[r#"
            error[M003]: the system is stuck at the start
             --> p.dcj:2:15
              |
            2 |   (s/* (s/cat (s/-->> Ask ::a ::b)
              |               ^^^^^^^^^^^^^^^^^^^^ allowed: a sends Ask to b
              |
              = note: allowed: to end
              = note: `a` waits for: a receives Say from b
              = note: `b` waits for: b receives Ask from a
        "#]],
    );
}

#[test]
fn a_role_that_leaves_too_early() {
    check(
        TURNS,
        r#"{"event": "send", "role": "a", "message": "Ask", "to": "b"}
{"event": "leave", "role": "b"}"#,
        expect![[r#"
            error[M003]: the system is stuck after action 1
             --> p.dcj:2:15
              |
            2 |   (s/* (s/cat (s/-->> Ask ::a ::b)
              |               ^^^^^^^^^^^^^^^^^^^^ allowed: b receives Ask from a
              |
              = note: `b` has left
        "#]],
    );
    check(
        TURNS,
        r#"{"event": "leave", "role": "a"}"#,
        expect![[r#"
        fine
    "#]],
    );
}

#[test]
fn lines_that_cannot_be_read() {
    check(
        TURNS,
        "not json",
        expect![[r#"
        error[M001]: the event cannot be read: expected ident
         --> log, line 1:1:2
          |
        1 | not json
          |  ^ here
          |
          = help: write one JSON object per line, as in `quadrille explain M001`
    "#]],
    );
    check(
        TURNS,
        r#"{"event": "shout", "role": "a"}"#,
        expect![[r#"
        error[M001]: the event cannot be read: unknown variant `shout`, expected one of `send`, `receive`, `exchange`, `close`, `local`
         --> log, line 1:1:17
          |
        1 | {"event": "shout", "role": "a"}
          |                 ^ here
          |
          = help: write one JSON object per line, as in `quadrille explain M001`
    "#]],
    );
    check(
        TURNS,
        r#"{"event": "send", "role": "a"}"#,
        expect![[r#"
        error[M001]: the event cannot be read: missing field `message`
         --> log, line 1:1:1
          |
        1 | {"event": "send", "role": "a"}
          | ^ here
          |
          = help: write one JSON object per line, as in `quadrille explain M001`
    "#]],
    );
}

#[test]
fn a_receiver_that_waits_for_an_exchange_does_not_hold_up_the_sender() {
    let exchange = "(s/cat (s/-->> Ask ::a ::c) (s/--> M ::a ::b) (s/--> N ::a ::b))";
    let wait = |message| {
        format!(
            r#"{{"event": "wait", "role": "b", "for": {{"event": "exchange", "role": "a", "message": "{message}", "to": "b"}}}}"#
        )
    };
    let ask = r#"{"event": "send", "role": "a", "message": "Ask", "to": "c"}
{"event": "receive", "role": "c", "message": "Ask", "from": "a"}"#;
    let pass = |message| format!(r#"{{"event": "exchange", "role": "a", "message": "{message}"}}"#);
    let log = [wait("M"), ask.to_owned(), pass("M"), pass("N")].join("\n");
    check(
        exchange,
        &log,
        expect![[r#"
            fine
        "#]],
    );
    check(
        exchange,
        &[ask.to_owned(), wait("N")].join("\n"),
        expect![[r#"
        error[M003]: the system is stuck after action 2
         --> p.dcj:2:29
          |
        2 | (s/cat (s/-->> Ask ::a ::c) (s/--> M ::a ::b) (s/--> N ::a ::b)))
          |                             ^^^^^^^^^^^^^^^^^ allowed: a passes M to b
          |
          = note: `b` waits for: a passes N to b
    "#]],
    );
}

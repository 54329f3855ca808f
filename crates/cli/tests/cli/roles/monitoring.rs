//! `monitor`: logs are followed along a protocol.

use std::io::Write as _;
use std::process::Stdio;

use expect_test::{Expect, expect};

use super::folder;
use crate::folder::{Folder, shown};

/// Runs the monitor on a log.
#[track_caller]
fn monitored(log: &str, expected: &Expect) {
    monitor(&folder(), &["monitor", "shop.quad"], log, expected);
}

/// Runs a monitor on a log.
#[track_caller]
pub fn monitor(folder: &Folder, arguments: &[&str], log: &str, expected: &Expect) {
    let mut command = folder.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("stdin").write_all(log.as_bytes()).expect("a log");
    expected.assert_eq(&shown(&child.wait_with_output().expect("it ends")));
}

#[test]
fn a_log_is_followed() {
    let order = "{\"event\": \"send\", \"role\": \"buyer\", \"message\": \"Order\", \"to\": \"shop\"}\n\
                 {\"event\": \"receive\", \"role\": \"shop\", \"message\": \"Order\"}\n";
    monitored(
        order,
        &expect![[r#"
        exit 3
        --- stdout
        conforms so far: 2 events
        warning[M004]: the log ends after action 2, and the protocol does not
         --> shop.quad:5:47
          |
        5 |     either { Goods from shop to buyer; } or { Bill from shop to buyer; }
          |              -------------------------        ^^^^^^^^^^^^^^^^^^^^^^^^ allowed: shop sends Bill to buyer
          |              |
          |              allowed: shop sends Goods to buyer
    "#]],
    );
    let again = "\n{\"event\": \"send\", \"role\": \"buyer\", \"message\": \"Order\"}\n";
    monitored(
        &format!("{order}{again}"),
        &expect![[r#"
            exit 1
            --- stdout
            error[M002]: action 3 deviates: buyer sends Order to another role
             --> shop.quad:5:47
              |
            5 |     either { Goods from shop to buyer; } or { Bill from shop to buyer; }
              |              -------------------------        ^^^^^^^^^^^^^^^^^^^^^^^^ allowed: shop sends Bill to buyer
              |              |
              |              allowed: shop sends Goods to buyer
              |
              = note: at line 4 of the log
        "#]],
    );
    monitored(
        &format!("{order}{{\"event\": \"send\"}}\n"),
        &expect![[r#"
        exit 2
        --- stderr
        error[M001]: the event cannot be read: missing field `role`
         --> line 3:1:17
          |
        1 | {"event": "send"}
          |                 ^ here
          |
          = help: write one JSON object per line, as in `quadrille explain M001`
        see `quadrille explain M001`
    "#]],
    );
    monitored(
        &format!("{order}{{\"event\": \"leave\", \"role\": \"shop\"}}\n"),
        &expect![[r#"
        exit 1
        --- stdout
        error[M003]: the system is stuck after action 2
         --> shop.quad:5:47
          |
        5 |     either { Goods from shop to buyer; } or { Bill from shop to buyer; }
          |              -------------------------        ^^^^^^^^^^^^^^^^^^^^^^^^ allowed: shop sends Bill to buyer
          |              |
          |              allowed: shop sends Goods to buyer
          |
          = note: `shop` has left
          = note: at line 3 of the log
    "#]],
    );
    let rest = "{\"event\": \"send\", \"role\": \"shop\", \"message\": \"Goods\"}\n\
                {\"event\": \"receive\", \"role\": \"buyer\", \"message\": \"Goods\"}\n\
                {\"event\": \"close\", \"role\": \"buyer\", \"to\": \"shop\"}\n\
                {\"event\": \"close\", \"role\": \"shop\", \"to\": \"buyer\"}\n";
    monitored(
        &format!("{order}{rest}"),
        &expect![[r#"
        exit 0
        --- stdout
        conforms: 6 events, and the protocol may end here
    "#]],
    );
}

#[test]
fn a_monitor_needs_a_protocol() {
    folder().check(
        &["monitor", "door.aut"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q023]: `door.aut` is no protocol
         |
         = help: name a .quad or .dcj file
        see `quadrille explain Q023`
    "#]],
    );
}

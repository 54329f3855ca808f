//! One test per mended item of the review, about places in texts and about memory.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::folder::Folder;

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The part of a report about one code, to the next empty line or finding.
fn about(report: &str, code: &str) -> String {
    let start = report.find(&format!("[{code}]")).unwrap_or_else(|| panic!("{code}: {report}"));
    let rest = &report[start..];
    let end = rest.find("\nwarning").unwrap_or(rest.len());
    rest[..end].to_owned()
}

/// The same message three times, the last two at the beginning of branches.
const AGAIN: &[u8] = b"message A; message B; message C; role a, b;
protocol p {
  A from a to b;
  A from b to a;
  either { A from a to b; B from a to b; } or { A from a to b; C from a to b; }
}
";

#[test]
fn item_26_equal_beginnings_are_shown_in_both_branches() {
    let folder = Folder::new([("again.quad", AGAIN)]);
    let found = about(&text(&folder.run(&["lint", "again.quad"])), "L013");
    assert!(found.contains("--> again.quad:5:12") && !found.contains("\n3 |"), "{found}");
    assert_eq!(found.matches("which branch is this?").count(), 2, "{found}");
}

#[test]
fn item_26_a_choice_of_several_is_shown_where_it_stands() {
    let folder = Folder::new([(
        "choice.quad",
        b"message A; message B; role a, b, c;
protocol p {
  A from a to b;
  B from c to b;
  either { A from a to b; } or { B from c to b; }
}
" as &[u8],
    )]);
    let found = about(&text(&folder.run(&["lint", "choice.quad"])), "L011");
    assert!(found.contains("--> choice.quad:5:12") && !found.contains("\n3 |"), "{found}");
}

#[test]
fn item_26_what_happens_out_of_turn_is_shown_where_its_turn_is() {
    let folder = Folder::new([(
        "turn.quad",
        b"message A; message B; role a, b, c;
protocol p {
  A from a to b;
  B from b to c;
  B from c to b;
  A from a to b;
}
" as &[u8],
    )]);
    let found = about(&text(&folder.run(&["project", "turn.quad"])), "L029");
    assert!(found.contains("6 |   A from a to b;\n  |   ^^^^^^^^^^^^^^ may happen"), "{found}");
}

#[test]
fn item_26_the_monitor_shows_what_was_expected_where_it_stands() {
    let folder = Folder::new([("again.quad", AGAIN)]);
    let mut command = folder.command(&["monitor", "again.quad"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    let events = [("send", "a", "to", "b"), ("receive", "b", "from", "a")].into_iter().chain([
        ("send", "b", "to", "a"),
        ("receive", "a", "from", "b"),
        ("send", "b", "to", "a"),
    ]);
    let mut log = child.stdin.take().expect("a pipe");
    for (event, role, key, other) in events {
        let line =
            format!(r#"{{"event":"{event}","role":"{role}","message":"A","{key}":"{other}"}}"#);
        writeln!(log, "{line}").expect("a line");
    }
    drop(log);
    let found = text(&child.wait_with_output().expect("it ends"));
    assert!(found.contains("--> again.quad:5:12") && !found.contains("\n3 |"), "{found}");
    assert_eq!(found.matches("allowed: a sends A to b").count(), 2, "{found}");
}

#[test]
fn item_29_who_was_involved_is_not_called_uninvolved() {
    let folder = Folder::new([(
        "tell.quad",
        b"message A; message B; role a, b, c, d;
protocol p { A from a to b; B from a to c; B from d to c; }
" as &[u8],
    )]);
    let report = text(&folder.run(&["lint", "tell.quad"]));
    let mut lines = report.lines().filter(|line| line.contains("[L001]"));
    assert!(lines.next().is_some_and(|line| line.contains("from d to c")), "{report}");
    assert_eq!(lines.next(), None, "{report}");
}

/// Runs the command with at most so many megabytes of data.
#[cfg(target_os = "linux")]
fn within(megabytes: usize, folder: &Folder, arguments: &str) -> Output {
    let binary = env!("CARGO_BIN_EXE_quadrille");
    let command = format!("ulimit -d {}; exec {binary} {arguments}", megabytes * 1024);
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(folder.path()).stdin(Stdio::null());
    shell.output().expect("a shell")
}

#[cfg(target_os = "linux")]
#[test]
fn item_12_local_states_and_rules_take_little_memory() {
    use std::fmt::Write as _;
    let (mut chain, mut rules) = ("participant P:".to_owned(), "participant P:".to_owned());
    (0..30_000).for_each(|state| chain += &format!(" s{state}"));
    (0..300).for_each(|state| rules += &format!(" s{state}"));
    for state in 0..30_000 {
        let _ = write!(chain, "\ngo: P s{state} -> s{}", (state + 1) % 30_000);
    }
    for rule in 0..100_000 {
        let _ = write!(rules, "\ngo{rule}: P s{} -> s{}", rule % 300, (rule * 7 + 1) % 300);
    }
    chain.push('\n');
    rules.push('\n');
    let folder = Folder::new([("chain.net", chain.as_bytes()), ("rules.net", rules.as_bytes())]);
    for (file, megabytes) in [("chain.net", 80), ("rules.net", 180)] {
        let output = within(megabytes, &folder, &format!("check {file}"));
        assert_eq!(output.status.code(), Some(0), "{file}: {}", errors(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn item_27_a_wide_state_is_within_the_limits() {
    let folder = Folder::new([(
        "wide.quad",
        b"message A; role a, b;
protocol p { par for i in 0..20000 { A from a to b; } }
" as &[u8],
    )]);
    for (limits, reached) in [("--max-states 100", "100 states"), ("--max-memory 60M", "memory")] {
        let output = within(120, &folder, &format!("check wide.quad {limits}"));
        assert_eq!(output.status.code(), Some(3), "{limits}: {}", errors(&output));
        assert!(text(&output).contains(reached), "{}", text(&output));
    }
}

#[test]
fn item_27_a_call_that_does_nothing_has_a_place() {
    let folder = Folder::new([("self.quad", b"role a, b;\nprotocol p { p(); }\n" as &[u8])]);
    let output = folder.run(&["-q", "check", "self.quad"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let output = folder.run(&["check", "self.quad"]);
    let found = errors(&output);
    assert!(found.contains("`p()` calls itself before any action"), "{found}");
    assert!(found.contains("self.quad:2:10"), "{found}");
}

/// Two messages that are equal, of which one never happens, and a branch that never does.
const IDLE: &[u8] = b"message A; message B; message C; role a, b;
variable x : 0..3 = 1;
protocol p {
  A from a to b;
  if x > 2 {
    B from a to b;
    C from a to b;
  } else {
    B from a to b;
  }
  either { A from a to b; } or when x == 0 { C from b to a; }
}
property starts of p: eventually (a sends A);
";

#[test]
fn item_23_statements_that_never_happen_have_their_places() {
    let folder = Folder::new([("idle.quad", IDLE)]);
    let lines = ["idle.quad:6:5  B from a to b; …", "idle.quad:11:"];
    for command in ["check", "test"] {
        let output = folder.run(&[command, "idle.quad"]);
        assert_eq!(output.status.code(), Some(0), "{}{}", text(&output), errors(&output));
        let shown = text(&output);
        for line in lines {
            assert!(shown.contains(&format!("never happens: {line}")), "{line}: {shown}");
        }
        assert_eq!(shown.matches("never happens").count(), 2, "{shown}");
    }
    let report = text(&folder.run(&["lint", "idle.quad"]));
    assert_eq!(report.matches("[L028]").count(), 2, "{report}");
    let output = folder.run(&["check", "idle.quad", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["never"]["statements"][0]["line"], 6, "{json}");
}

#[test]
fn item_23_rules_that_never_fire_have_their_lines() {
    let folder = Folder::new([(
        "dead.net",
        b"participant P: a b c\ngo: P a -> b\nback: P b -> a\ngo: P c -> a\n" as &[u8],
    )]);
    let shown = text(&folder.run(&["check", "dead.net"]));
    assert!(shown.contains("never taken: go (line 4)\nnever reached: P c (line 1)\n"), "{shown}");
    let output = folder.run(&["check", "dead.net", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let place = &json["never"]["reached"][0]["place"];
    assert_eq!((&place["line"], &place["column"]), (&1.into(), &20.into()), "{json}");
}

#[test]
fn item_23_forms_that_never_happen_have_their_places() {
    let text: &[u8] = b"(s/defrole ::a) (s/defrole ::b)
(s/defsession ::side [] (s/--> String ::b ::a))
(s/defsession ::unused [] (s/--> Long ::a ::a))
(s/defsession ::main [n]
  (s/--> Long ::a ::b)
  (s/if (< n 1)
    (s/cat (s/--> Long ::a ::b) (s/--> Boolean ::a ::b))
    (s/--> Boolean ::b ::a))
  (s/alt
    (s/--> Long ::a ::b)
    (s/cat (s/--> Double ::a ::b) (s/when (= n 0) (::side)))))
";
    let folder = Folder::new([("idle.dcj", text)]);
    let options = ["check", "idle.dcj", "--protocol", "main", "--arg", "1"];
    let shown = text_of(&folder, &options);
    let first = "never happens: idle.dcj:7:5  (s/cat (s/--> Long ::a ::b)";
    let second = "never happens: idle.dcj:11:35  (s/when (= n 0) (::side))";
    assert!(shown.contains(first) && shown.contains(second), "{shown}");
    assert_eq!(shown.matches("never happens").count(), 2, "{shown}");
    // With another argument, the other branch.
    let shown = text_of(&folder, &["check", "idle.dcj", "--protocol", "main", "--arg", "0"]);
    assert!(shown.contains("never happens: idle.dcj:8:5  (s/--> Boolean ::b ::a)"), "{shown}");
    assert_eq!(shown.matches("never happens").count(), 1, "{shown}");
}

fn text_of(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output), errors(&output));
    text(&output)
}

/// The second `pay` of the server is the client's second, the third never happens.
const COMPONENTS: &[u8] = b"Client (!Bank.pay ; !Bank.pay)
Server (?Bank.pay ; (?Bank.pay + ?Bank.refund) ; ?Bank.pay*)
";

#[test]
fn item_23_operands_of_components_that_never_happen_have_their_places() {
    let folder = Folder::new([("shop.bp", COMPONENTS)]);
    for formula in [&[][..], &["--formula", "AG true"]] {
        let shown = text_of(&folder, &[&["check", "shop.bp"], formula].concat());
        for line in ["shop.bp:2:34  ?Bank.refund", "shop.bp:2:50  ?Bank.pay*"] {
            assert!(shown.contains(&format!("never happens: {line}\n")), "{shown}");
        }
        assert_eq!(shown.matches("never happens").count(), 2, "{shown}");
    }
    let output = folder.run(&["check", "shop.bp", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["never"]["statements"][1]["column"], 50, "{json}");
}

#[test]
fn item_23_operands_of_an_architecture_that_never_happen_have_their_places() {
    let system: &[u8] = b"interface Bank { pay; refund }
component Client { requires Bank protocol { !Bank.pay } }
component Server {
  provides Bank
  protocol { ?Bank.pay + ?Bank.refund }
}
component Shop {
  contains client : Client
  contains server : Server
  bind client.Bank to server.Bank
  protocol { NULL }
}
";
    let shown = text_of(&Folder::new([("shop.arch", system)]), &["check", "shop.arch"]);
    assert!(shown.contains("never happens: shop.arch:5:26  ?Bank.refund\n"), "{shown}");
}

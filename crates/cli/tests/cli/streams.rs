//! Output that cannot be written, for every command: a full device, a closed pipe, a place where no file can
//! be made.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::path::Path;
use std::process::Output;

use crate::folder::Folder;

/// Per command, calls that print something.
const PRINTING: [&[&str]; 34] = [
    &["cluster", "local", "--processes", "1", "philosophers.net"],
    &["simulate", "philosophers.net", "--walks", "2", "--depth", "20"],
    &["estimate", "philosophers.net"],
    &["check", "philosophers.net"],
    &["check", "philosophers.net", "--format", "json"],
    &["check", "philosophers.net", "--format", "diagram"],
    &["check", "tickets.bp"],
    &["test", "greet.quad"],
    &["reduce", "tickets.bp"],
    &["substitute", "shop.arch", "Storage", "storage.bp"],
    &["lint", "greet.quad"],
    &["project", "greet.quad"],
    &["generate", "greet.quad"],
    &["monitor", "greet.quad"],
    &["frame", "till.rs"],
    &["double", "till.bp"],
    &["states", "philosophers.net"],
    &["step", "door.aut"],
    &["eval", "lamp.als", "Lamp"],
    &["runs", "kept"],
    &["examine", "lamp", "--exam", "StateSpace"],
    &["draw", "door.aut"],
    &["replay", "philosophers.net", "trace.json"],
    &["compare", "door.aut", "door.aut"],
    &["minimise", "door.aut"],
    &["explain"],
    &["explain", "Q006"],
    &["completions", "bash"],
    &["man"],
    // Bad input is told in JSON, too.
    &["check", "none.net", "--format", "json"],
    &["help"],
    &["check", "--help"],
    &["sim", "--help"],
    &["--version"],
];

/// Calls that write a file, without its name.
const WRITING: [(&[&str], &str); 10] = [
    (&["check", "philosophers.net", "--trace-out"], "t.json"),
    (&["check", "philosophers.net", "--junit"], "t.xml"),
    (&["test", "greet.quad", "--junit"], "t.xml"),
    (&["generate", "greet.quad", "--out"], "t.rs"),
    (&["frame", "till.rs", "--out"], "t.bp"),
    (&["double", "till.bp", "--out"], "t.rs"),
    (&["draw", "door.aut", "-o"], "t.svg"),
    (&["convert", "door.aut", "--out"], "t.net"),
    (&["minimise", "door.aut", "--out"], "t.net"),
    (&["man"], "pages"),
];

fn folder() -> Folder {
    let folder = Folder::with_examples();
    let tickets =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/components/tickets.bp");
    std::fs::copy(tickets, folder.path().join("tickets.bp")).expect("a copy");
    let files = [
        (
            "greet.quad",
            "message Hello; role a, b;\nprotocol p { Hello from a to b; }\nproperty x: F b receives Hello;\n",
        ),
        ("till.bp", "Till\n?Till.open ; ?Till.close\n"),
        (
            "till.rs",
            "/// protocol: starts shut, ends shut\npub trait Till {\n    /// protocol: shut -> shut\n    fn ring(&mut self);\n}\n",
        ),
        (
            "lamp/model.pnml",
            r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="lamp" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="one"><place id="off"><initialMarking><text>1</text></initialMarking></place><place id="on"/><transition id="switch"/><arc id="from" source="off" target="switch"/><arc id="to" source="switch" target="on"/></page></net></pnml>"#,
        ),
        ("lamp.als", "sig Lamp {}\nrun lit { some Lamp } for 2\n"),
        ("storage.bp", "Storage ?Store.put*\n"),
        (
            "shop.arch",
            "interface Store { put }
component Client { requires Store protocol { !Store.put } }
component Storage { provides Store protocol { ?Store.put* } }
component Shop { contains c : Client contains s : Storage bind c.Store to s.Store }\n",
        ),
    ];
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder.run(&["check", "philosophers.net", "--trace-out", "trace.json"]);
    folder.run(&["states", "philosophers.net", "--store", "disk=kept"]);
    folder
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn item_14_a_full_device_gives_2_and_a_message_for_every_command() {
    let folder = folder();
    let help = String::from_utf8_lossy(&folder.run(&["help"]).stdout).into_owned();
    let listed = help.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    for command in listed.filter_map(|line| line.split_whitespace().next()) {
        let is_tried = PRINTING.iter().any(|words| words[0] == command)
            || WRITING.iter().any(|(words, _)| words[0] == command)
            || command.starts_with('-');
        assert!(is_tried, "`{command}` is not tried");
    }
    for arguments in PRINTING {
        let full = File::options().write(true).open("/dev/full").expect("a full device");
        let output = folder.command(arguments).stdout(full).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        let told = errors(&output).contains("cannot write to standard output");
        assert!(told, "{arguments:?}: {}", errors(&output));
    }
}

#[test]
fn item_14_a_closed_pipe_is_no_error_for_any_command() {
    let folder = folder();
    for arguments in PRINTING {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = folder.command(arguments).stdout(writer).output().expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", errors(&output));
        let told = errors(&output).contains("cannot write");
        assert!(!told, "{arguments:?}: {}", errors(&output));
    }
}

#[test]
fn item_14_where_no_file_can_be_made_the_verdict_is_printed() {
    let folder = folder();
    for (arguments, file) in WRITING {
        // No user can make a file there, not even the administrator.
        let path = format!("/proc/{file}");
        let output = folder.run(&[arguments, &[&path]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        let told = errors(&output).contains("cannot write `/proc/")
            || errors(&output).contains("cannot make the folder `/proc/");
        assert!(told, "{arguments:?}: {}", errors(&output));
        if matches!(arguments[0], "check" | "test") {
            let shown = String::from_utf8_lossy(&output.stdout);
            let is_verdict = ["holds", "violated", "deadlock", "passed", "no error"]
                .iter()
                .any(|word| shown.contains(word));
            assert!(is_verdict, "{arguments:?}: {shown}");
        }
    }
}

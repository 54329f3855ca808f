//! Promises about how the command behaves, whatever it is asked.

use std::io::Read as _;
use std::process::Stdio;

use crate::folder::{Folder, shown};

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folder = Folder::with_examples();
    for file in ["philosophers.net", "mailbox.net", "door.aut"] {
        for format in ["text", "json"] {
            let run = || shown(&folder.run(&["check", file, "--format", format]));
            assert_eq!(run(), run());
        }
    }
}

#[test]
fn a_closed_pipe_is_no_reason_to_panic() {
    let folder = Folder::with_examples();
    for arguments in [&["explain"][..], &["check", "mailbox.net"], &["completions", "bash"]] {
        let mut command = folder.command(arguments);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let mut complaints = String::new();
        let mut stderr = child.stderr.take().expect("stderr");
        stderr.read_to_string(&mut complaints).expect("text");
        let code = child.wait().expect("it ends").code();
        assert!(code == Some(0) || code == Some(1), "{arguments:?} gave {code:?}");
        assert_eq!(complaints, "");
    }
}

#[test]
fn a_pipe_gets_no_colour_and_no_progress() {
    let folder = Folder::with_examples();
    let output = folder.run(&["check", "philosophers.net"]);
    assert!(!output.stdout.contains(&0x1b) && output.stderr.is_empty());
}

/// The first block of the README that shows a run of the command is what the command prints.
#[test]
fn the_readme_shows_real_output() {
    let readme = include_str!("../../../../README.md");
    let mut blocks = readme.split("```console\n").skip(1);
    let block = blocks.next().and_then(|rest| rest.split("```").next()).expect("a console block");
    let (command, expected) = block.split_once('\n').expect("a command and its output");
    let words: Vec<&str> =
        command.strip_prefix("$ quadrille ").expect("a prompt").split(' ').collect();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut command = Folder::new([]).command(&words);
    let output = command.current_dir(root).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected.trim_end());
}

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

/// Philosophers enough to keep any machine busy for a while.
#[cfg(unix)]
fn long_model() -> String {
    use std::fmt::Write as _;

    let mut net = String::new();
    for here in 0..18 {
        let next = (here + 1) % 18;
        let _ = write!(
            net,
            "participant P{here}: a b c d\nparticipant F{here}: free taken\n\
             left{here}: P{here} a -> b, F{here} free -> taken\n\
             right{here}: P{here} b -> c, F{next} free -> taken\n\
             down{here}: P{here} c -> d, F{here} -> free\n\
             done{here}: P{here} d -> a, F{next} -> free\n"
        );
    }
    net
}

/// Waits until a process catches interrupts; one that ends before it does so never will.
#[cfg(target_os = "linux")]
fn await_handler(pid: u32) {
    let catches_interrupts = |line: &str| {
        let mask = u64::from_str_radix(line.strip_prefix("SigCgt:")?.trim(), 16).ok()?;
        Some(mask & 1 << (2 - 1) != 0) // SIGINT is signal 2
    };
    loop {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
        assert!(!status.contains("State:\tZ"), "it ended");
        if status.lines().find_map(catches_interrupts) == Some(true) {
            return;
        }
        std::thread::yield_now();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_with_unknown_and_counts() {
    let model = long_model();
    let folder = Folder::new([("long.net", model.as_bytes())]);
    let mut command = folder.command(&["states", "long.net", "--engine", "explicit"]);
    let child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    await_handler(child.id());
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &pid]).status().expect("kill");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("unknown: it was interrupted; run it again"), "{text}");
    assert!(text.contains("\nstates "), "{text}");
}

#[test]
#[cfg(unix)]
fn time_and_memory_bounds_end_with_unknown() {
    let model = long_model();
    let folder = Folder::new([("long.net", model.as_bytes())]);
    for (option, value, phrase) in [
        ("--timeout", "100ms", "the time bound of 0.1 s was reached; raise --timeout"),
        ("--max-memory", "1M", "the memory bound of 1.0 MiB was reached; raise --max-memory"),
    ] {
        // A reduced search finds the deadlock of this model within any bound.
        let check = ["check", "--reduction", "off"];
        let formula = ["--formula", "G F \"left0\"", "--fair", "strong"];
        for arguments in [&["states"][..], &check, &[&check[..], &formula].concat()] {
            let explicit = ["long.net", "--engine", "explicit", option, value];
            let arguments = [arguments, &explicit].concat();
            let output = folder.run(&arguments);
            assert_eq!(output.status.code(), Some(3), "{arguments:?}");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(text.contains(phrase), "{arguments:?}: {text}");
        }
    }
}

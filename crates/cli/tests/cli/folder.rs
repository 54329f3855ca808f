//! Runs the command in a fresh folder with an empty environment and shows everything it did.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::Expect;

/// A fresh folder, gone with the value.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with these files.
    pub fn new<const N: usize>(files: [(&str, &[u8]); N]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        for (name, content) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, content).expect("a file");
        }
        folder
    }

    /// A folder with copies of the examples.
    pub fn with_examples() -> Folder {
        let folder = Folder::new([]);
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        for entry in std::fs::read_dir(examples).expect("examples") {
            let path = entry.expect("an example").path();
            if path.is_dir() {
                continue;
            }
            let name = path.file_name().expect("a name");
            std::fs::copy(&path, folder.path().join(name)).expect("a copy");
        }
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).expect("a file that was written")
    }

    /// The command, not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        command.args(arguments).current_dir(self.path()).env_clear().stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command starts")
    }

    /// Runs the command and compares exit code, stdout and stderr.
    #[track_caller]
    pub fn check(&self, arguments: &[&str], expected: &Expect) {
        expected.assert_eq(&shown(&self.run(arguments)));
    }
}

/// What a run of the command did; times are left out.
pub fn shown(output: &Output) -> String {
    let mut text = match output.status.code() {
        Some(code) => format!("exit {code}\n"),
        None => "killed\n".to_owned(),
    };
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            let content = String::from_utf8_lossy(bytes);
            let _ = write!(text, "--- {name}\n{}", without_times(&content));
        }
    }
    text
}

/// The text with every number after `seconds` or `time=` replaced, and without blanks at line ends.
pub fn without_times(text: &str) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        let mut line = line.trim_end().to_owned();
        for mark in ["\"seconds\": ", "seconds          ", "time=\""] {
            if let Some(at) = line.find(mark) {
                let from = at + mark.len();
                let digits = line[from..].find(|c: char| !c.is_ascii_digit() && !".e-".contains(c));
                let to = digits.map_or(line.len(), |length| from + length);
                line.replace_range(from..to, "…");
            }
        }
        lines.push_str(&line);
        lines.push('\n');
    }
    lines
}

//! Generates the modules of protocols while a crate is built. In `build.rs`:
//!
//! ```no_run
//! quadrille_build::Protocol::new("chess.quad").generate();
//! ```
//!
//! and where the module is wanted:
//!
//! ```text
//! pub mod chess {
//!     include!(concat!(env!("OUT_DIR"), "/chess.rs"));
//! }
//! ```
//!
//! The crate depends on `quadrille-runtime`, and its tests on `quadrille` with the feature `check`, for the test that the
//! module contains. A mistake in the protocol is an error of the build.
//!
//! Reads the protocol and writes the module; everything else is in `quadrille-generate`.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "build scripts read files and the environment, and speak to cargo on stdout"
)]

use std::path::{Path, PathBuf};

use quadrille_diagnostic::{Diagnostic, Sources, Style, render};
use quadrille_engine::unobserved;
use quadrille_generate::{Request, generate, read};

pub use quadrille_generate::Variants;

/// A protocol that is to become a module.
#[derive(Clone, Debug)]
#[must_use = "call `generate` in the end"]
pub struct Protocol {
    path: PathBuf,
    module: Option<String>,
    request: Request,
}

impl Protocol {
    /// The protocol in this file, relative to the crate: `.quad` or `.dcj`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), module: None, request: Request::default() }
    }

    /// Which protocol (session) of the file; otherwise the first of a `.quad` file, or the only one of a `.dcj` file.
    pub fn session(mut self, name: impl Into<String>) -> Self {
        self.request.session.protocol = Some(name.into());
        self
    }

    /// The next argument of the protocol, written as in its language.
    pub fn argument(mut self, value: impl Into<String>) -> Self {
        self.request.session.arguments.push(value.into());
        self
    }

    /// Another value for a parameter of a `.quad` file.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.request.session.parameters.push((name.into(), value.into()));
        self
    }

    /// Which variants the module has; by default the strict one, and the liberal one where it is faithful to the protocol.
    pub fn variants(mut self, variants: Variants) -> Self {
        self.request.wanted.variants = variants;
        self
    }

    /// Generates the liberal variant even if it is not faithful to the protocol.
    pub fn accept_differences(mut self) -> Self {
        self.request.wanted.accept_differences = true;
        self
    }

    /// The capacity of queues that are not bounded by the protocol; otherwise 1.
    pub fn capacity(mut self, capacity: u32) -> Self {
        self.request.wanted.capacity = capacity;
        self
    }

    /// How many states each search may visit; a search that is cut short leaves open what queues must hold.
    pub fn max_states(mut self, states: u64) -> Self {
        self.request.limits.states = Some(states);
        self
    }

    /// The Rust type of a message: `message_type("Move", "crate::board::Move")`.
    pub fn message_type(mut self, message: impl Into<String>, path: impl Into<String>) -> Self {
        self.request.types.push((message.into(), path.into()));
        self
    }

    /// A trait that generated types of messages derive: `serde::Serialize`.
    pub fn derive(mut self, path: impl Into<String>) -> Self {
        self.request.derives.push(path.into());
        self
    }

    /// Lets roles run in different processes: messages derive the traits of `serde`, handles have `connect`. The crate needs
    /// `serde`, and the feature `tcp` of the runtime.
    pub fn tcp(mut self) -> Self {
        self.request.tcp = true;
        self
    }

    /// Leaves out the test of the module, which needs `quadrille`.
    pub fn without_test(mut self) -> Self {
        self.request.test = false;
        self
    }

    /// Leaves out examples of messages, which tests need: types of messages need not be `Clone`, `Debug` and `Default`
    /// then.
    pub fn without_samples(mut self) -> Self {
        self.request.samples = false;
        self
    }

    /// Leaves out the types for states of roles.
    pub fn without_typed(mut self) -> Self {
        self.request.typed = false;
        self
    }

    /// What the crate calls the runtime; otherwise `quadrille_runtime`.
    pub fn runtime(mut self, path: impl Into<String>) -> Self {
        self.request.runtime = path.into();
        self
    }

    /// The name of the written file, without its ending; otherwise that of the protocol.
    pub fn module(mut self, name: impl Into<String>) -> Self {
        self.module = Some(name.into());
        self
    }

    /// Writes the module to `$OUT_DIR`, and tells cargo to rerun the build script when the protocol changes. A mistake ends
    /// the build, with its place in the protocol.
    pub fn generate(self) {
        println!("cargo::rerun-if-changed={}", self.path.display());
        let Some(out) = std::env::var_os("OUT_DIR") else {
            return fail(&["OUT_DIR is not set: `generate` is for build scripts".to_owned()], "");
        };
        match self.generate_to(Path::new(&out)) {
            Ok(written) => {
                for warning in &written.warnings {
                    println!("cargo::warning={warning}");
                }
            }
            Err(failed) => fail(&failed.messages, &failed.shown),
        }
    }

    /// Writes the module to a folder.
    pub fn generate_to(&self, folder: &Path) -> Result<Written, Failed> {
        let mut sources = Sources::default();
        let name = self.path.display().to_string();
        let bytes = std::fs::read(&self.path).map_err(|error| {
            Failed::plain(format!("cannot read `{name}`, relative to the crate: {error}"))
        })?;
        let source =
            read(&mut sources, name, bytes).map_err(|refused| Failed::of(&[refused], &sources))?;
        let made = generate(&mut sources, source, &self.request, &mut unobserved)
            .map_err(|refused| Failed::of(&refused, &sources))?;
        let file = folder.join(format!("{}.rs", self.module.as_ref().unwrap_or(&made.name)));
        // A file that has the text already is left alone, so that nothing is compiled again.
        if std::fs::read_to_string(&file).ok().as_ref() != Some(&made.text) {
            write(&file, &made.text).map_err(|error| {
                Failed::plain(format!("cannot write `{}`: {error}", file.display()))
            })?;
        }
        let warnings = made.warnings.iter().map(|warning| summary(warning, &sources)).collect();
        Ok(Written { file, warnings })
    }
}

/// Writes a file: all of it or nothing.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let part = file.with_extension("rs.part");
    let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}

/// A module that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Where it is.
    pub file: PathBuf,
    /// Warnings, a line each.
    pub warnings: Vec<String>,
}

/// Why no module was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// A line for each mistake.
    pub messages: Vec<String>,
    /// All of them with the places in the protocol.
    pub shown: String,
}

impl Failed {
    fn plain(message: String) -> Self {
        Self { messages: vec![message], shown: String::new() }
    }

    fn of(diagnostics: &[Diagnostic], sources: &Sources) -> Self {
        Self {
            messages: diagnostics.iter().map(|each| summary(each, sources)).collect(),
            shown: diagnostics.iter().map(|each| render(each, sources, Style::Plain)).collect(),
        }
    }
}

/// A diagnostic in one line, as cargo shows it.
fn summary(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let place = diagnostic.labels.first().map(|label| {
        let position = sources.position(label.span);
        format!("{}:{}:{}: ", sources.name(label.span.source), position.line, position.column)
    });
    let message = diagnostic.message.replace('\n', " ");
    format!("{}{message} [{}]", place.unwrap_or_default(), diagnostic.code.id)
}

/// Ends the build.
fn fail(messages: &[String], shown: &str) {
    for message in messages {
        println!("cargo::error={message}");
    }
    eprint!("{shown}");
    std::process::exit(1);
}

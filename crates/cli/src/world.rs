//! Everything outside: files, streams, the environment, the clock, Ctrl-C. The rest of the crate
//! asks here.
#![allow(clippy::disallowed_methods, reason = "this is the one place that may")]

use std::fs::File;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quadrille_diagnostic::{Diagnostic, NotText, SourceId, Sources, Style};

use crate::codes;

/// The outside, as far as the command uses it.
pub(crate) struct World {
    quiet: bool,
    output_style: Style,
    error_style: Style,
    interrupted: Arc<AtomicBool>,
}

/// A moment, for measuring and for time bounds.
#[derive(Clone, Copy)]
pub(crate) struct Moment(Instant);

impl Moment {
    /// How long ago it was.
    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// How long ago it was, in seconds, to a millisecond or three digits.
    pub(crate) fn seconds(self) -> f64 {
        (self.elapsed().as_secs_f64() * 1e6).round() / 1e6
    }
}

/// Whether the name of a file ends in a dot and this.
pub(crate) fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// A figure that the system gives in kilobytes, in bytes.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let figure = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(figure.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

impl World {
    /// Looks around; `quiet` silences everything but results and errors.
    pub(crate) fn new(quiet: bool) -> World {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let style = |is_terminal| {
            if is_terminal && !no_colour { Style::Colour } else { Style::Plain }
        };
        World {
            quiet,
            output_style: style(std::io::stdout().is_terminal()),
            error_style: style(std::io::stderr().is_terminal()),
            interrupted: Arc::default(),
        }
    }

    /// How stdout wants its text.
    pub(crate) fn output_style(&self) -> Style {
        self.output_style
    }

    /// How stderr wants its text.
    pub(crate) fn error_style(&self) -> Style {
        self.error_style
    }

    /// Whether to show progress: somebody is watching and did not ask for silence.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// The present.
    pub(crate) fn now(&self) -> Moment {
        Moment(Instant::now())
    }

    /// Bytes that are left for programs, where the system tells (Linux).
    pub(crate) fn memory_left(&self) -> Option<u64> {
        kilobytes("/proc/meminfo", "MemAvailable:")
    }

    /// Bytes that this process holds, where the system tells (Linux).
    pub(crate) fn memory_held(&self) -> Option<u64> {
        kilobytes("/proc/self/status", "VmRSS:")
    }

    /// Lets the first Ctrl-C be noticed by [`World::is_interrupted`] and the second end everything.
    pub(crate) fn catch_interrupts(&self) {
        let interrupted = Arc::clone(&self.interrupted);
        let caught = ctrlc::set_handler(move || {
            if interrupted.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        // Without a handler, Ctrl-C ends the process at once; nothing is lost but the counts.
        drop(caught);
    }

    /// Whether somebody pressed Ctrl-C.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Prints a result. Whoever closed the pipe has read enough.
    pub(crate) fn print(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    }

    /// Prints an error.
    pub(crate) fn complain(&self, text: &str) {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// Prints a remark, unless silence is wanted.
    pub(crate) fn remark(&self, text: &str) {
        if !self.quiet {
            self.complain(text);
        }
    }

    /// Reads a text file into the sources.
    pub(crate) fn read(&self, path: &Path, sources: &mut Sources) -> Result<SourceId, Diagnostic> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| {
            let why =
                if path.is_dir() { "it is a directory".to_owned() } else { error.to_string() };
            Diagnostic::error(&codes::UNREADABLE, format!("cannot read `{name}`"))
                .note(why)
                .help("check the path; it is relative to the present folder")
        })?;
        sources.add_bytes(name.as_str(), bytes).map_err(|NotText { span, byte }| {
            let place = sources.position(span);
            let message =
                format!("`{name}` is not UTF-8 at line {}, column {}", place.line, place.column);
            Diagnostic::error(&codes::NOT_UTF8, message)
                .at(span, format!("the byte 0x{byte:02x} is not text"))
                .help("convert the file to UTF-8")
        })
    }

    /// The files in a folder and all folders below it, in order; what starts with a dot is hidden.
    pub(crate) fn files_below(&self, folder: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
        let unreadable = |error: std::io::Error| {
            let message = format!("cannot read the folder `{}`", folder.display());
            Diagnostic::error(&codes::UNREADABLE, message).note(error.to_string())
        };
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                entries.push((entry.path(), entry.file_type().map_err(unreadable)?.is_dir()));
            }
        }
        entries.sort();
        let mut files = Vec::new();
        for (path, is_folder) in entries {
            if is_folder {
                files.extend(self.files_below(&path)?);
            } else {
                files.push(path);
            }
        }
        Ok(files)
    }

    /// Whether a path is a folder.
    pub(crate) fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    /// The files that a pattern such as `formulas/*.owl` means, relative to a folder, in order; what
    /// is wrong with the pattern otherwise.
    pub(crate) fn matching(&self, folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
        let folder = glob::Pattern::escape(&folder.to_string_lossy());
        let pattern = Path::new(&folder).join(pattern);
        let found = glob::glob(&pattern.to_string_lossy()).map_err(|error| error.msg.to_owned())?;
        found.map(|path| path.map_err(|error| error.to_string())).collect()
    }

    /// Hands over the lines of stdin as they come, without their ends, until one is enough.
    pub(crate) fn input_lines(
        &self,
        take: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<(), Diagnostic> {
        for line in std::io::stdin().lock().lines() {
            let line = line.map_err(|error| {
                Diagnostic::error(&codes::UNREADABLE, "cannot read stdin").note(error.to_string())
            })?;
            if take(&line).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Writes a file: all of it or nothing.
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), Diagnostic> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let is_device = path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        let attempt = || {
            if is_device {
                return std::fs::write(path, text);
            }
            let mut file = File::create(&part)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&part, path)
        };
        attempt().map_err(|error| {
            let _ = std::fs::remove_file(&part);
            let message = format!("cannot write `{}`", path.display());
            Diagnostic::error(&codes::UNWRITABLE, message)
                .note(error.to_string())
                .help("the folder must exist and be writable")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_how_much_memory_there_is() {
        let world = World::new(true);
        let (held, left) = (world.memory_held(), world.memory_left());
        assert!(held.is_some_and(|bytes| bytes > 100 << 10), "{held:?}");
        assert!(left.is_some_and(|bytes| bytes > 1 << 20), "{left:?}");
        assert_eq!(kilobytes("/proc/self/status", "NoSuchName:"), None);
    }
}

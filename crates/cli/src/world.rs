//! Everything outside: files, streams, the environment, the clock, Ctrl-C. The rest of the crate
//! asks here.
#![allow(clippy::disallowed_methods, reason = "this is the one place that may")]

mod children;

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{BufRead as _, ErrorKind, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quadrille_diagnostic::{Diagnostic, Style};
use quadrille_model::Bound;
use quadrille_query::Files;

use crate::codes;
use crate::exit::Exit;

pub(crate) use children::{Child, Children, Fate};

/// The outside, as far as the command uses it.
pub(crate) struct World {
    quiet: bool,
    output_style: Style,
    error_style: Style,
    interrupted: Arc<AtomicBool>,
    /// Whether Ctrl-C is caught already.
    catches: Cell<bool>,
    /// Why a result could not be printed.
    unprinted: RefCell<Option<std::io::Error>>,
    /// Taken by the command when it has results, or by the guard when a bound was passed before.
    output: Arc<AtomicBool>,
    /// Whether it is the command's.
    has_output: Cell<bool>,
}

/// Tells other threads of Ctrl-C.
pub(crate) struct Stops(Arc<AtomicBool>);

impl Stops {
    /// Whether Ctrl-C was pressed.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How printing results went.
pub(crate) enum Printed {
    /// Everything was printed.
    Everything,
    /// The reader closed the pipe: it had enough.
    Enough,
    /// Something was lost.
    Failed(Box<Diagnostic>),
}

/// A moment, for measuring and for time bounds.
#[derive(Clone, Copy)]
pub(crate) struct Moment(Instant);

impl Moment {
    /// This one.
    pub(crate) fn now() -> Self {
        Self(Instant::now())
    }

    /// How long ago it was.
    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// How long ago it was, in seconds, to a millisecond or three digits.
    pub(crate) fn seconds(self) -> f64 {
        (self.elapsed().as_secs_f64() * 1e6).round() / 1e6
    }
}

/// Columns where stdout is no terminal.
const DEFAULT_WIDTH: usize = 100;

/// Fewer columns are not worth wrapping for.
const MIN_WIDTH: usize = 40;

/// How much later than a time bound a phase ends that does not look at it.
const GRACE: Duration = Duration::from_millis(300);

/// Bytes that the process may hold beside what searches count.
const UNCOUNTED: u64 = 32 << 20;

/// Time between two looks of the guard.
const GUARD_PERIOD: Duration = Duration::from_millis(20);

/// Bytes that this process holds, where the system tells (Linux).
pub(crate) fn memory_held() -> Option<u64> {
    kilobytes("/proc/self/status", "VmRSS:")
}

/// What to say where standard output cannot be written.
pub(crate) fn unwritable(error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(&codes::UNWRITABLE, "cannot write to standard output")
        .note(error.to_string())
        .help("make room, or send the output elsewhere")
}

/// Takes the progress line away where nothing else does.
fn clear_progress() {
    if std::io::stderr().is_terminal() {
        let _ = std::io::stderr().write_all(b"\r\x1b[2K");
    }
}

/// Ends the process with a message, and a document on standard output where one is wanted.
pub(crate) fn end(message: &str, document: Option<&str>, exit: Exit) {
    clear_progress();
    let _ = std::io::stderr().lock().write_all(message.as_bytes());
    if let Some(document) = document {
        let _ = std::io::stdout().lock().write_all(document.as_bytes());
    }
    std::process::exit(exit.code().into());
}

/// Tells how far a search came, to machines.
pub(crate) fn tell(line: &str) {
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
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
            catches: Cell::default(),
            unprinted: RefCell::default(),
            output: Arc::default(),
            has_output: Cell::default(),
        }
    }

    /// Ends the command where it has no results yet and a phase without looks at the bounds goes on after them: a
    /// little later than `time`, a little above `memory`. `end` says so and ends the process.
    pub(crate) fn guard(
        &self,
        time: Option<Duration>,
        memory: Option<u64>,
        end: impl FnOnce(Bound) + Send + 'static,
    ) {
        let (start, output) = (self.now(), Arc::clone(&self.output));
        let base = memory_held().unwrap_or(0);
        let passed = move || {
            let late = time.filter(|&time| start.elapsed() >= time + GRACE);
            let large = memory.filter(|&memory| {
                memory_held().is_some_and(|held| held > base + memory + memory / 8 + UNCOUNTED)
            });
            late.map(|time| Bound::Time(time.as_millis() as u64)).or(large.map(Bound::Memory))
        };
        std::thread::spawn(move || {
            while !output.load(Ordering::Relaxed) {
                if let Some(bound) = passed() {
                    if !output.swap(true, Ordering::Relaxed) {
                        end(bound);
                    }
                    return;
                }
                std::thread::sleep(GUARD_PERIOD);
            }
        });
    }

    /// Takes the output for the command, once; waits for the end where the guard was first.
    fn claim_output(&self) {
        if !self.has_output.replace(true) && self.output.swap(true, Ordering::Relaxed) {
            loop {
                std::thread::park();
            }
        }
    }

    /// How stdout wants its text.
    pub(crate) fn output_style(&self) -> Style {
        self.output_style
    }

    /// How many columns lines on stdout may have.
    pub(crate) fn width(&self) -> usize {
        let terminal = console::Term::stdout();
        let width = terminal.size_checked().filter(|_| terminal.is_term());
        width.map_or(DEFAULT_WIDTH, |(_, columns)| usize::from(columns).max(MIN_WIDTH))
    }

    /// How stderr wants its text.
    pub(crate) fn error_style(&self) -> Style {
        self.error_style
    }

    /// Whether to show progress: stderr is a terminal and `-q` was not given.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// The present.
    pub(crate) fn now(&self) -> Moment {
        Moment::now()
    }

    /// How many threads run at a time.
    pub(crate) fn n_processors(&self) -> usize {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }

    /// Bytes that are left for programs, where the system tells (Linux).
    pub(crate) fn memory_left(&self) -> Option<u64> {
        kilobytes("/proc/meminfo", "MemAvailable:")
    }

    /// Bytes that this process holds, where the system tells (Linux).
    pub(crate) fn memory_held(&self) -> Option<u64> {
        memory_held()
    }

    /// Lets the first Ctrl-C be noticed by [`World::is_interrupted`] and the second end everything.
    pub(crate) fn catch_interrupts(&self) {
        if self.catches.replace(true) {
            return;
        }
        let interrupted = Arc::clone(&self.interrupted);
        let caught = ctrlc::set_handler(move || {
            if interrupted.swap(true, Ordering::Relaxed) {
                clear_progress();
                std::process::exit(130);
            }
        });
        // Without a handler, Ctrl-C ends the process at once; nothing is lost but the counts.
        drop(caught);
    }

    /// Whether Ctrl-C was pressed.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// What tells other threads of Ctrl-C.
    pub(crate) fn stops(&self) -> Stops {
        Stops(Arc::clone(&self.interrupted))
    }

    /// What says when to give up: after a while, or on Ctrl-C.
    pub(crate) fn stop_after(&self, timeout: Option<Duration>) -> Rc<dyn Fn() -> bool> {
        self.catch_interrupts();
        let (start, interrupted) = (self.now(), Arc::clone(&self.interrupted));
        Rc::new(move || {
            interrupted.load(Ordering::Relaxed)
                || timeout.is_some_and(|timeout| start.elapsed() >= timeout)
        })
    }

    /// Prints a result. A failure is remembered, for the exit code.
    pub(crate) fn print(&self, text: &str) {
        self.claim_output();
        let mut stdout = std::io::stdout().lock();
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.unprinted.borrow_mut().get_or_insert(error);
        }
    }

    /// How printing went.
    pub(crate) fn printed(&self) -> Printed {
        match &*self.unprinted.borrow() {
            None => Printed::Everything,
            Some(error) if error.kind() == ErrorKind::BrokenPipe => Printed::Enough,
            Some(error) => Printed::Failed(Box::new(unwritable(error))),
        }
    }

    /// Whether only results and errors are wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
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

    /// The files that a pattern such as `formulas/*.owl` means, relative to a folder, in order; what
    /// is wrong with the pattern otherwise.
    pub(crate) fn matching(&self, folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
        let folder = glob::Pattern::escape(&folder.to_string_lossy());
        let pattern = Path::new(&folder).join(pattern);
        let found = glob::glob(&pattern.to_string_lossy()).map_err(|error| error.msg.to_owned())?;
        found.map(|path| path.map_err(|error| error.to_string())).collect()
    }

    /// The nearest file of this name: in the folder of a path, or in a folder around it.
    pub(crate) fn nearest(&self, path: &Path, name: &str) -> Option<PathBuf> {
        let absolute = std::path::absolute(path).ok()?;
        let here = std::env::current_dir().ok()?;
        let mut candidates = absolute.ancestors().map(|folder| folder.join(name));
        let found = candidates.find(|candidate| candidate.is_file())?;
        Some(found.strip_prefix(here).map_or(found.clone(), Path::to_owned))
    }

    /// Makes a folder, and those it lies in, where there is none.
    pub(crate) fn make_folder(&self, path: &Path) -> Result<(), Diagnostic> {
        std::fs::create_dir_all(path).map_err(|error| {
            let message = format!("cannot make the folder `{}`", path.display());
            Diagnostic::error(&codes::UNWRITABLE, message).note(error.to_string())
        })
    }

    /// Whether there is a folder of this name.
    pub(crate) fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    /// Bytes of the files in a folder and in the folders in it.
    pub(crate) fn size_of(&self, folder: &Path) -> u64 {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let size = |entry: std::fs::DirEntry| match entry.metadata() {
            Ok(found) if found.is_dir() => self.size_of(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        };
        entries.map(size).sum()
    }

    /// The folders in a folder, in order; none where it cannot be read.
    pub(crate) fn folders_in(&self, path: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    }

    /// Whether a person types what is read from stdin.
    pub(crate) fn is_dialogue(&self) -> bool {
        std::io::stdin().is_terminal()
    }

    /// Lets searches go on after a Ctrl-C that ended one.
    pub(crate) fn forget_interrupt(&self) {
        self.interrupted.store(false, Ordering::Relaxed);
    }

    /// Hands over the lines of stdin as they come, without their ends, until one is enough.
    pub(crate) fn input_lines(
        &self,
        take: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<(), Diagnostic> {
        for line in std::io::stdin().lock().lines() {
            let line = line.map_err(|error| {
                Diagnostic::error(&quadrille_query::codes::UNREADABLE, "cannot read stdin")
                    .note(error.to_string())
            })?;
            if take(&line).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Writes a file, all of it or nothing, and says so.
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), Diagnostic> {
        self.claim_output();
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
        let written = attempt().map(|()| self.remark(&format!("wrote {}\n", path.display())));
        written.map_err(|error| {
            let _ = std::fs::remove_file(&part);
            let message = format!("cannot write `{}`", path.display());
            Diagnostic::error(&codes::UNWRITABLE, message)
                .note(error.to_string())
                .help("the folder must exist and be writable")
        })
    }
}

impl Files for World {
    fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| match path.is_dir() {
            true => "it is a directory".to_owned(),
            false => error.to_string(),
        })
    }

    fn below(&self, path: &Path) -> Option<Result<Vec<PathBuf>, String>> {
        path.is_dir().then(|| files_below(path).map_err(|error| error.to_string()))
    }
}

/// The files in a folder and all folders below it, in order; what starts with a dot is hidden.
fn files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            entries.push((entry.path(), entry.file_type()?.is_dir()));
        }
    }
    entries.sort();
    let mut files = Vec::new();
    for (path, is_folder) in entries {
        if is_folder {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests;

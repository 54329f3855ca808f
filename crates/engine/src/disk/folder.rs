//! The files of a search that is kept on disk. The only place of the engine that reads and writes files,
//! and that through [`Files`], so that tests can let every operation fail.
#![allow(
    clippy::disallowed_methods,
    reason = "runs lie in files; ARCHITECTURE.md names this place"
)]

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What went wrong with the files of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
}

const MAKE_ROOM: &str =
    "make room or name another folder, then go on from the last complete level with --resume";
const DELETE: &str = "the search cannot go on from it: delete it with `quadrille runs FOLDER --delete`, and search again";

impl Trouble {
    pub(super) fn new(path: &Path, message: impl Into<String>, help: &'static str) -> Self {
        Self { path: path.to_owned(), message: message.into(), help }
    }

    fn of(path: &Path, doing: &str, error: &std::io::Error) -> Self {
        Self::new(path, format!("cannot {doing}: {error}"), MAKE_ROOM)
    }

    pub(super) fn damaged(path: &Path, what: impl fmt::Display) -> Self {
        Self::new(path, format!("it is damaged: {what}"), DELETE)
    }

    pub(super) fn memory() -> Self {
        Self::new(Path::new("memory"), "a run in memory changed by itself", "test the memory")
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for Trouble {}

/// How many bytes may still be written before the disk is full: for tests.
pub(super) type Room = Option<std::sync::Arc<std::sync::atomic::AtomicI64>>;

/// A folder of a search.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    room: Room,
}

impl Folder {
    /// A folder, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), room: None }
    }

    /// The same on a disk that is full after so many bytes: for tests of what is said then.
    #[must_use]
    pub fn with_room(mut self, n_bytes: i64) -> Self {
        self.room = Some(std::sync::Arc::new(n_bytes.into()));
        self
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes the folder where there is none.
    pub(super) fn make(&self) -> Result<(), Trouble> {
        std::fs::create_dir_all(&self.path)
            .map_err(|error| Trouble::of(&self.path, "make the folder", &error))
    }

    /// The names of the files in it, sorted; none where there is no folder.
    pub(super) fn names(&self) -> Result<Vec<String>, Trouble> {
        let entries = match std::fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Trouble::of(&self.path, "read the folder", &error)),
        };
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// A small file as a whole; `None` where there is none.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Trouble> {
        let path = self.file(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Trouble::of(&path, "read", &error)),
        }
    }

    /// Removes a file that nothing needs any more. That it stays does no harm.
    pub(super) fn remove(&self, name: &str) {
        let _ = std::fs::remove_file(self.file(name));
    }

    /// Removes the folder, if nothing is left in it.
    pub(super) fn remove_itself(&self) {
        let _ = std::fs::remove_dir(&self.path);
    }

    /// Writes a file, all of it or nothing: aside, synced, renamed.
    pub(super) fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), Trouble> {
        let aside = format!("{name}.new");
        let mut file = Appending::create(self, &aside)?;
        file.write(bytes)?;
        file.sync()?;
        let path = self.file(name);
        std::fs::rename(self.file(&aside), &path)
            .map_err(|error| Trouble::of(&path, "rename", &error))?;
        self.sync()
    }

    /// Makes sure that the names in the folder survive a crash.
    fn sync(&self) -> Result<(), Trouble> {
        // Not every system lets folders be opened; there, renaming is all there is.
        match File::open(&self.path) {
            Ok(folder) => {
                let _ = folder.sync_all();
                Ok(())
            }
            Err(_) => Ok(()),
        }
    }
}

/// A file that is written from its beginning to its end.
pub(super) struct Appending {
    path: PathBuf,
    file: File,
    room: Room,
    pub n_bytes: u64,
}

impl Appending {
    pub fn create(folder: &Folder, name: &str) -> Result<Self, Trouble> {
        let path = folder.file(name);
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(|error| Trouble::of(&path, "create", &error))?;
        Ok(Self { path, file, room: folder.room.clone(), n_bytes: 0 })
    }

    /// Goes on behind the first bytes of a file; what follows them is cut off.
    pub fn at(folder: &Folder, name: &str, n_bytes: u64) -> Result<Self, Trouble> {
        let path = folder.file(name);
        let attempt = || {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            file.set_len(n_bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = attempt().map_err(|error| Trouble::of(&path, "open", &error))?;
        Ok(Self { path, file, room: folder.room.clone(), n_bytes })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        let mut written = Ok(());
        if let Some(room) = &self.room {
            let n = bytes.len() as i64;
            let left = room.fetch_sub(n, std::sync::atomic::Ordering::Relaxed);
            if left < n {
                let part = &bytes[..left.max(0) as usize];
                let _ = self.file.write_all(part);
                written = Err(std::io::Error::from(std::io::ErrorKind::StorageFull));
            }
        }
        let written = written.and_then(|()| self.file.write_all(bytes));
        written.map_err(|error| Trouble::of(&self.path, "write", &error))?;
        self.n_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Makes sure that what was written survives a crash.
    pub fn sync(&mut self) -> Result<(), Trouble> {
        self.file.sync_all().map_err(|error| Trouble::of(&self.path, "write", &error))
    }

    /// The same file for reading.
    pub fn finish(self) -> RunFile {
        RunFile { path: self.path, file: Mutex::new(self.file) }
    }
}

/// A file that is read at any place.
#[derive(Debug)]
pub(super) struct RunFile {
    path: PathBuf,
    file: Mutex<File>,
}

impl RunFile {
    /// Opens a file that must have so many bytes.
    pub fn open(folder: &Folder, name: &str, n_bytes: u64) -> Result<Self, Trouble> {
        let path = folder.file(name);
        let attempt = || {
            let file = File::open(&path)?;
            let length = file.metadata()?.len();
            Ok((file, length))
        };
        let (file, length) = attempt().map_err(|error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => Trouble::damaged(&path, "it is missing"),
            _ => Trouble::of(&path, "open", &error),
        })?;
        if length != n_bytes {
            let what = format!("it has {length} bytes, not {n_bytes}");
            return Err(Trouble::damaged(&path, what));
        }
        Ok(Self { path, file: Mutex::new(file) })
    }

    pub fn read(&self, start: u64, bytes: &mut [u8]) -> Result<(), Trouble> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))
            .and_then(|_| file.read_exact(bytes))
            .map_err(|error| Trouble::of(&self.path, "read", &error))
    }

    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What to say where a block is not what was written.
    pub fn damaged(&self, start: u64) -> Trouble {
        Trouble::damaged(&self.path, format!("the block at byte {start} is not what was written"))
    }
}

/// A folder that no other process uses.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Folder {
    /// Keeps others from using the folder, until the lock or the process is gone.
    pub(super) fn lock(&self, name: &str) -> Result<Lock, Trouble> {
        let path = self.file(name);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| Trouble::of(&path, "open", &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(_) => {
                let help = "wait for the other search, end it, or name another folder";
                Err(Trouble::new(&self.path, "another search uses this folder", help))
            }
        }
    }
}

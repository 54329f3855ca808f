//! Where texts come from. This crate reads no file itself: a face hands over its files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quadrille_diagnostic::{Diagnostic, NotText, SourceId, Sources};

use crate::codes::{NOT_UTF8, UNREADABLE};

/// Files as a face sees them: on disk, in an editor, in memory.
pub trait Files {
    /// The bytes of a file, or why they cannot be read.
    fn read(&self, path: &Path) -> Result<Vec<u8>, String>;

    /// The files in a folder and in all folders below it, in order; `None` if the path is no folder.
    fn below(&self, path: &Path) -> Option<Result<Vec<PathBuf>, String>>;
}

/// Files in memory, by path.
#[derive(Clone, Debug, Default)]
pub struct Memory(pub BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    /// Files with these texts.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let file = |(path, text): (&str, &str)| (PathBuf::from(path), text.as_bytes().to_vec());
        Self(files.into_iter().map(file).collect())
    }
}

impl Files for Memory {
    fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        self.0.get(path).cloned().ok_or_else(|| "there is no such file".to_owned())
    }

    fn below(&self, path: &Path) -> Option<Result<Vec<PathBuf>, String>> {
        let inside = |file: &&PathBuf| file.starts_with(path) && *file != path;
        let files: Vec<PathBuf> = self.0.keys().filter(inside).cloned().collect();
        (!files.is_empty()).then_some(Ok(files))
    }
}

/// Reads a text into the sources.
pub fn read_text(
    files: &dyn Files,
    path: &Path,
    sources: &mut Sources,
) -> Result<SourceId, Diagnostic> {
    let name = path.display().to_string();
    let bytes = files.read(path).map_err(|why| {
        Diagnostic::error(&UNREADABLE, format!("cannot read `{name}`"))
            .note(why)
            .help("check the path; it is relative to the current folder")
    })?;
    sources.add_bytes(name.as_str(), bytes).map_err(|NotText { span, byte }| {
        let place = sources.position(span);
        let message =
            format!("`{name}` is not UTF-8 at line {}, column {}", place.line, place.column);
        Diagnostic::error(&NOT_UTF8, message)
            .at(span, format!("the byte 0x{byte:02x} is not text"))
            .help("convert the file to UTF-8")
    })
}

/// The files in a folder and below it; `None` if the path is no folder.
pub fn files_below(files: &dyn Files, path: &Path) -> Option<Result<Vec<PathBuf>, Diagnostic>> {
    Some(files.below(path)?.map_err(|why| {
        let message = format!("cannot read the folder `{}`", path.display());
        Diagnostic::error(&UNREADABLE, message).note(why)
    }))
}

/// Whether the name of a file ends in a dot and this.
pub fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

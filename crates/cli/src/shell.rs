//! Commands as a shell takes them, for the lines that say how to do something again.

use std::path::Path;

/// A word as a shell takes it.
pub(crate) fn word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A path as a shell takes it.
pub(crate) fn path(path: &Path) -> String {
    word(&path.display().to_string())
}

/// Options after a file.
pub(crate) fn options(words: &[String]) -> String {
    words.iter().map(|one| format!(" {}", word(one))).collect()
}

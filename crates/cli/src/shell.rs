//! Commands as a shell takes them, for the lines that say how to do something again.

use std::path::Path;

use crate::arguments::{SessionArguments, Variant};

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

/// A file, and the options that say which behaviour of it is meant.
pub(crate) fn file(file: &Path, session: &SessionArguments) -> String {
    let mut text = path(file);
    let which = &session.protocol;
    if let Some(protocol) = &which.protocol {
        text += &format!(" --protocol {}", word(protocol));
    }
    for argument in &which.arguments {
        text += &format!(" --arg {}", word(argument));
    }
    for (name, value) in &which.parameters {
        text += &format!(" --parameter {}", word(&format!("{name}={value}")));
    }
    if session.variant != Variant::Global {
        text += &format!(" --variant {}", session.variant.word());
    }
    text
}

/// Options after a file.
pub(crate) fn options(words: &[String]) -> String {
    words.iter().map(|one| format!(" {}", word(one))).collect()
}

//! For compilers that take no other crate for `std`: a copy of each crate, whose root names the
//! simulated one itself. What the compiler says and records speaks of the original.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// How copies call the simulated `std`.
pub(crate) const NAME: &str = "quadrille_sim_std";

/// A call of the compiler that compiles a copy.
pub(crate) struct Copy {
    /// What the compiler is called with.
    pub(crate) arguments: Vec<OsString>,
    /// The package, and where its copy is.
    original: PathBuf,
    folder: PathBuf,
    /// Where the compiler lists what it has read, for cargo.
    listing: Option<PathBuf>,
}

/// Copies what a call of the compiler is for; the package lies in `original`, copies below `folder`.
///
/// # Errors
///
/// What stands in the way, in words.
pub(crate) fn make(arguments: &[OsString], original: &Path, folder: &Path) -> Result<Copy, String> {
    let name = after(arguments, "--crate-name").unwrap_or_default();
    let edition = arguments.iter().filter_map(|a| a.to_str()?.strip_prefix("--edition=")).next();
    if edition.is_none_or(|edition| edition == "2015") {
        return Err(format!(
            "{name} is of edition 2015, in which no crate can take the place of std by its own text; \
             --deny {name} leaves it alone"
        ));
    }
    let is_root = |argument: &&OsString| Path::new(argument).extension() == Some(OsStr::new("rs"));
    let root = arguments.iter().find(is_root).ok_or("no source file is named")?;
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let whole = here.join(root);
    let within = whole.strip_prefix(original).map_err(|_| {
        format!("{} lies outside of its package {}", whole.display(), original.display())
    })?;
    let hash = arguments.iter().filter_map(|a| a.to_str()?.strip_prefix("extra-filename=")).next();
    let folder = folder.join(format!("{name}{}", hash.unwrap_or_default()));
    let failed = |error: io::Error| format!("{} cannot be made: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    link(original, &folder, true).map_err(failed)?;
    let text = fs::read_to_string(&whole).map_err(failed)?;
    // Not written into: it may be the original file by another name.
    fs::remove_file(folder.join(within)).map_err(failed)?;
    fs::write(folder.join(within), named(&text)).map_err(failed)?;
    // The package as the compiler would have called it.
    let shown = root.to_str().and_then(|root| root.strip_suffix(within.to_str()?));
    let shown = shown.unwrap_or_default().trim_end_matches('/');
    let mut mapping = OsString::from("--remap-path-prefix=");
    mapping.push(&folder);
    mapping.push("=");
    mapping.push(shown);
    let copied = folder.join(within).into_os_string();
    let mut arguments: Vec<OsString> =
        arguments.iter().map(|a| if a == root { copied.clone() } else { a.clone() }).collect();
    let listing = after(&arguments, "--out-dir")
        .map(|out| Path::new(out).join(format!("{name}{}.d", hash.unwrap_or_default())));
    arguments.push(mapping);
    Ok(Copy { arguments, original: original.to_owned(), folder, listing })
}

impl Copy {
    /// Makes cargo watch the original: the compiler has listed the files of the copy.
    pub(crate) fn list_originals(&self) {
        let Some(listing) = &self.listing else { return };
        let Ok(text) = fs::read_to_string(listing) else { return };
        let (copy, original) = (self.folder.display(), self.original.display());
        let text = text.replace(&copy.to_string(), &original.to_string());
        // If it cannot be written, cargo builds once too often.
        let _ = fs::write(listing, text);
    }
}

/// The argument after a flag.
fn after<'a>(arguments: &'a [OsString], flag: &str) -> Option<&'a str> {
    let position = arguments.iter().position(|argument| argument == flag)?;
    arguments.get(position + 1)?.to_str()
}

/// Gives the files of a package a second name below another folder; packages inside of it and what
/// was built are left out.
fn link(from: &Path, to: &Path, is_root: bool) -> io::Result<()> {
    if !is_root && from.join("Cargo.toml").exists() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            let is_source = entry.file_name() != ".git" && !path.join("CACHEDIR.TAG").exists();
            if is_source {
                link(&path, &copy, false)?;
            }
        } else if fs::hard_link(&path, &copy).is_err() {
            // Another file system.
            fs::copy(&path, &copy)?;
        }
    }
    Ok(())
}

/// The text of a crate's root with the simulated `std` as `std` and `core`. Its lines stay where they
/// are.
pub(crate) fn named(text: &str) -> String {
    let mut named = text.to_owned();
    for word in ["std", "core"] {
        let plain = format!("extern crate {word};");
        let is_there = named.contains(&plain);
        named = named.replace(&plain, &format!("extern crate {NAME} as {word};"));
        named =
            named.replace(&format!("extern crate {word} as "), &format!("extern crate {NAME} as "));
        if !is_there {
            // Without this, `thread_local!` would be that of the real one.
            let macros = if word == "std" { "#[macro_use] " } else { "" };
            named.push_str(&format!("\n#[allow(unused)] {macros}extern crate {NAME} as {word};"));
        }
    }
    named.push('\n');
    named
}

#[cfg(test)]
mod tests;

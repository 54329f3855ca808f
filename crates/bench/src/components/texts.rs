//! Where the systems of components come from: the folder of examples, the texts of the published airport
//! system where they are present, and a generator.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use quadrille_component::syntax::File;
use quadrille_diagnostic::{Diagnostic, Sources};

/// The files of one system, and what they are joined by.
pub(super) struct Texts {
    pub(super) files: Vec<File>,
    /// Methods and interfaces that are bound; every interface that two components mention, if empty.
    pub(super) bound: Vec<String>,
}

impl Texts {
    pub(super) fn of(file: File) -> Self {
        Self { files: vec![file], bound: Vec::new() }
    }

    /// The published sizes leave the firewall out; its events are then free.
    pub(super) fn without_firewall(&self) -> Self {
        let mut files = self.files.clone();
        for file in &mut files {
            file.components.retain(|component| !component.name.text.starts_with("Firewall"));
        }
        let mut bound = self.bound.clone();
        bound.retain(|name| !name.starts_with("IFirewall."));
        Self { files, bound }
    }
}

/// The published system as it was, and after each step of its reduction; where it is present. It binds
/// method by method: some methods of an interface that two components share are the environment's.
pub(super) fn published() -> io::Result<Option<Vec<Texts>>> {
    let root =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/components/airport");
    let root = Path::new(root);
    if !root.is_dir() {
        return Ok(None);
    }
    let table = std::fs::read_to_string(root.join("bindings.tsv"))?;
    let methods = table.lines().skip(1).filter_map(|row| row.split('\t').next());
    let bound: Vec<String> = methods.map(str::to_owned).collect();
    let step = |number: usize| {
        let files = folder(&root.join(format!("step-{number}")))?;
        Ok(Texts { files, bound: bound.clone() })
    };
    Ok(Some((0..super::PUBLISHED.len()).map(step).collect::<io::Result<_>>()?))
}

/// The systems of the folder of examples, by name.
pub(super) fn examples() -> io::Result<Vec<(String, File)>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/components");
    let mut all = Vec::new();
    for path in paths(Path::new(root))? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.push((name, read(&path)?));
    }
    Ok(all)
}

/// Philosophers and forks, as in the example: the last one begins with the other fork.
pub(super) fn philosophers(n: usize) -> io::Result<File> {
    let mut text = String::new();
    for me in 1..=n {
        let (one, other) = if me == n { ('r', 'l') } else { ('l', 'r') };
        let before = if me == 1 { n } else { me - 1 };
        let (left, right) = (format!("l{me}"), format!("r{before}"));
        let asks = |side: &str| format!("( ?{side}.ask^ ; !{side}.grant^ ; ?{side}.put^ )*");
        let gives = |side: &str| format!("!{side}.grant^ ; ?{side}.put^");
        let _ = writeln!(
            text,
            "Philosopher{me} ( !{one}{me}.ask^ ; ?{one}{me}.grant^ ; !{other}{me}.ask^ ; \
             ?{other}{me}.grant^ ; !{one}{me}.put^ ; !{other}{me}.put^ )*"
        );
        let _ = writeln!(
            text,
            "Fork{me} ( {} | {} ) |{{ {left}.grant, {left}.put, {right}.grant, {right}.put }}| \
             ( {} + {} )*",
            asks(&left),
            asks(&right),
            gives(&left),
            gives(&right)
        );
    }
    parsed("philosophers", &text)
}

/// Reads a text without mistakes.
pub(super) fn parsed(name: &str, text: &str) -> io::Result<File> {
    let mut sources = Sources::default();
    let (file, diagnostics) = quadrille_component::parse(sources.add(name, text), text);
    match diagnostics.iter().find(|one| Diagnostic::is_error(one)) {
        Some(mistake) => Err(io::Error::other(format!("{name}: {}", mistake.message))),
        None => Ok(file),
    }
}

fn read(path: &Path) -> io::Result<File> {
    parsed(&path.display().to_string(), &std::fs::read_to_string(path)?)
}

fn folder(path: &Path) -> io::Result<Vec<File>> {
    paths(path)?.iter().map(|path| read(path)).collect()
}

/// The `.bp` files of a folder by name.
fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "bp") {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

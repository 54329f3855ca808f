//! What a folder holds, as a text that is written after every level that matters: which model, how far,
//! what was found, which files. Nothing that it does not name is used.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::folder::{Folder, Trouble};
use super::run::checksum;
use super::shelf::Entry;

/// The name of the file.
pub(super) const MANIFEST: &str = "manifest";
/// The one before it, where a search is shared out: others may not have come as far.
pub(super) const BEFORE: &str = "manifest.before";
/// The file with the contents of interned values.
pub(super) const VALUES: &str = "values.bin";
/// The file that says that a process uses the folder.
pub(super) const LOCK: &str = "lock";
const FORMAT: &str = "quadrille runs 1";
const TORN: &str = "a manifest is written aside and renamed, so this is no crash of quadrille: delete the search with `quadrille runs FOLDER --delete`, and search again";

/// What stands in a manifest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Manifest {
    /// The version that wrote it.
    pub version: String,
    /// What the user called the model.
    pub title: String,
    /// The model, and what is asked, as fingerprints.
    pub model: u64,
    pub questions: u64,
    /// Which partition of how many, where states are shared out among processes.
    pub partition: (usize, usize),
    /// How many manifests were written, this one included.
    pub commit: u64,
    pub n_limbs: usize,
    pub states: u64,
    pub transitions: u64,
    pub deadlocks: u64,
    /// States of each level.
    pub sizes: Vec<u64>,
    /// Whether there is nothing left to do.
    pub is_complete: bool,
    /// What refutes a question: its number, the depth, the limbs of the state.
    pub found: Vec<(usize, u64, Vec<u64>)>,
    /// The number of the next file.
    pub next: u64,
    pub files: Vec<Entry>,
    /// Bytes of the file of values, and their sum.
    pub values: (u64, u64),
}

impl Manifest {
    fn text(&self) -> String {
        let mut text = format!("{FORMAT}\nversion {}\n", self.version);
        let title = self.title.replace('\n', " ");
        let _ = writeln!(text, "title {title}");
        let _ = writeln!(text, "model {:016x}\nquestions {:016x}", self.model, self.questions);
        let (own, all) = self.partition;
        let _ = writeln!(text, "partition {own} {all}\ncommit {}", self.commit);
        let _ = writeln!(text, "limbs {}", self.n_limbs);
        let counts = [self.states, self.transitions, self.deadlocks];
        let _ = writeln!(text, "counts {}", numbers(&counts));
        let _ = writeln!(text, "sizes {}", numbers(&self.sizes));
        let _ = writeln!(text, "complete {}", u8::from(self.is_complete));
        for (question, depth, limbs) in &self.found {
            let _ = writeln!(text, "found {question} {depth} {}", numbers(limbs));
        }
        let _ = writeln!(text, "next {}", self.next);
        for Entry { name, n_bytes, index, check } in &self.files {
            let _ = writeln!(text, "file {name} {n_bytes} {index} {check:016x}");
        }
        let _ = writeln!(text, "values {} {:016x}", self.values.0, self.values.1);
        let sum = checksum(text.as_bytes());
        let _ = writeln!(text, "end {sum:016x}");
        text
    }

    fn read_text(text: &str) -> Option<Self> {
        let body = text.strip_suffix('\n')?;
        let (before, end) = body.rsplit_once('\n')?;
        let sum = u64::from_str_radix(end.strip_prefix("end ")?, 16).ok()?;
        let body = &text[..before.len() + 1];
        if checksum(body.as_bytes()) != sum {
            return None;
        }
        let mut lines = body.lines();
        if lines.next()? != FORMAT {
            return None;
        }
        let mut manifest = Self::default();
        for line in lines {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            manifest.read_line(word, rest)?;
        }
        Some(manifest)
    }

    fn read_line(&mut self, word: &str, rest: &str) -> Option<()> {
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let all = |text: &str| -> Option<Vec<u64>> {
            text.split_whitespace().map(|word| word.parse().ok()).collect()
        };
        match word {
            "version" => rest.clone_into(&mut self.version),
            "title" => rest.clone_into(&mut self.title),
            "model" => self.model = hex(rest)?,
            "questions" => self.questions = hex(rest)?,
            "partition" => match all(rest)?[..] {
                [own, all] => self.partition = (own as usize, all as usize),
                _ => return None,
            },
            "commit" => self.commit = rest.parse().ok()?,
            "limbs" => self.n_limbs = rest.parse().ok()?,
            "counts" => match all(rest)?[..] {
                [states, transitions, deadlocks] => {
                    (self.states, self.transitions, self.deadlocks) =
                        (states, transitions, deadlocks);
                }
                _ => return None,
            },
            "sizes" => self.sizes = all(rest)?,
            "next" => self.next = rest.parse().ok()?,
            "complete" => self.is_complete = rest == "1",
            "found" => match &all(rest)?[..] {
                [question, depth, limbs @ ..] => {
                    self.found.push((*question as usize, *depth, limbs.to_vec()));
                }
                _ => return None,
            },
            "file" => {
                let words: Vec<&str> = rest.split(' ').collect();
                let [name, n_bytes, index, check] = words[..] else { return None };
                self.files.push(Entry {
                    name: name.to_owned(),
                    n_bytes: n_bytes.parse().ok()?,
                    index: index.parse().ok()?,
                    check: hex(check)?,
                });
            }
            "values" => {
                let (length, sum) = rest.split_once(' ')?;
                self.values = (length.parse().ok()?, hex(sum)?);
            }
            _ => return None,
        }
        Some(())
    }

    /// Writes it, all of it or nothing.
    pub fn write(&self, folder: &Folder) -> Result<(), Trouble> {
        folder.replace(MANIFEST, self.text().as_bytes())
    }

    /// Reads that of a folder, if there is one.
    pub fn read(folder: &Folder) -> Result<Option<Self>, Trouble> {
        Self::read_file(folder, MANIFEST)
    }

    /// Reads the one before that, if there is one.
    pub fn read_before(folder: &Folder) -> Result<Option<Self>, Trouble> {
        Self::read_file(folder, BEFORE)
    }

    fn read_file(folder: &Folder, name: &str) -> Result<Option<Self>, Trouble> {
        let Some(bytes) = folder.read(name)? else { return Ok(None) };
        let manifest = std::str::from_utf8(&bytes).ok().and_then(Self::read_text);
        let torn = || {
            let what = "it is damaged: it is not what was written";
            Trouble::new(&folder.file(name), what, TORN)
        };
        manifest.map(Some).ok_or_else(torn)
    }
}

fn numbers(all: &[u64]) -> String {
    let words: Vec<String> = all.iter().map(u64::to_string).collect();
    words.join(" ")
}

/// What a folder of a search holds, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shelf {
    /// The folder.
    pub folder: PathBuf,
    /// What the model was called.
    pub title: String,
    /// The version that wrote it.
    pub version: String,
    /// Which partition of how many.
    pub partition: (usize, usize),
    /// States met.
    pub states: u64,
    /// Transitions of the levels that were expanded.
    pub transitions: u64,
    /// Levels that are complete.
    pub levels: usize,
    /// States of the last of them, which are expanded next.
    pub frontier: u64,
    /// Whether nothing is left to do.
    pub is_complete: bool,
    /// Bytes of the files.
    pub bytes: u64,
    /// How many files there are.
    pub files: usize,
}

/// What a folder holds; `None` if no search is kept there.
pub fn shelf(folder: &Folder) -> Result<Option<Shelf>, Trouble> {
    let Some(manifest) = Manifest::read(folder)? else { return Ok(None) };
    let bytes = manifest.files.iter().map(|file| file.n_bytes).sum::<u64>() + manifest.values.0;
    Ok(Some(Shelf {
        folder: folder.path().to_owned(),
        title: manifest.title,
        version: manifest.version,
        partition: manifest.partition,
        states: manifest.states,
        transitions: manifest.transitions,
        levels: manifest.sizes.len(),
        frontier: manifest.sizes.last().copied().unwrap_or(0),
        is_complete: manifest.is_complete,
        bytes,
        files: manifest.files.len(),
    }))
}

/// Whether a file of this name is one of a search.
pub(super) fn is_ours(name: &str) -> bool {
    let is_run = ["states-", "spill-", "set-"].iter().any(|start| name.starts_with(start));
    let name = name.strip_suffix(".new").unwrap_or(name);
    is_run && name.ends_with(".run") || [MANIFEST, BEFORE, VALUES, LOCK].contains(&name)
}

/// Deletes what searches left in a folder, and the folder if nothing else is in it. Says how many files
/// that were.
pub fn delete(folder: &Folder) -> Result<usize, Trouble> {
    let _lock = folder.lock(LOCK)?;
    let names: Vec<String> = folder.names()?.into_iter().filter(|name| is_ours(name)).collect();
    // Without its manifest nothing is used: it goes first.
    folder.remove(MANIFEST);
    folder.remove(BEFORE);
    names.iter().for_each(|name| folder.remove(name));
    folder.remove_itself();
    Ok(names.len())
}

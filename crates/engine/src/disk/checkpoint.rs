//! A search that can go on after its process died: what is complete is written down, and a manifest
//! names it.

use std::fmt::Write as _;

use quadrille_model::{Counts, Group, Model};

use super::dictionary::Dictionary;
use super::folder::{Appending, Folder, Lock, Trouble};
use super::key::Key;
use super::manifest::{BEFORE, LOCK, MANIFEST, Manifest, VALUES, is_ours};
use super::run::Data;
use super::shelf::{self, Entry, Growing};
use super::visited::{Part, Visited};
use crate::fingerprint::mixed;

/// Bytes of coded states that are not written down before something is.
const PENDING: u64 = if cfg!(test) { 1 << 6 } else { 1 << 18 };
const GO_ON: &str = "go on with it by --resume, or delete it with `quadrille runs FOLDER --delete`";

/// A folder that a search is kept in.
pub(super) struct Disk {
    pub folder: Folder,
    _lock: Lock,
    pub manifest: Manifest,
    /// Files that are complete.
    entries: Vec<Entry>,
    /// The sum of the file of values.
    values: u64,
    n_spilled: usize,
    /// Whether the manifest before the last one stays usable, and files that only it needs.
    keeps_before: bool,
    only_before: Vec<String>,
}

/// What a search in a folder begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Start {
    /// A folder in which there is no search.
    New,
    /// What was written down last, if there is something.
    Last,
    /// The manifest with a number, of the last two; with 0, nothing, whatever there is.
    Commit(u64),
}

/// The numbers of the manifests in a folder, the last first.
pub(super) fn commits(folder: &Folder) -> Result<Vec<u64>, Trouble> {
    let both = [Manifest::read(folder)?, Manifest::read_before(folder)?];
    Ok(both.into_iter().flatten().map(|manifest| manifest.commit).collect())
}

fn used(folder: &Folder) -> Trouble {
    Trouble::new(folder.path(), "a search is kept in this folder already", GO_ON)
}

/// Fails where a search is kept in a folder. What else is wrong with it shows when it is used.
pub fn unused(folder: &Folder) -> Result<(), Trouble> {
    match Manifest::read(folder) {
        Ok(Some(_)) => Err(used(folder)),
        _ => Ok(()),
    }
}

/// What identifies a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// What the user calls the model.
    pub title: String,
    /// What decides what the model is beside its signature: the texts it was read from.
    pub model: u64,
    /// What is asked.
    pub questions: u64,
}

/// What was met before, when a search goes on.
pub(super) struct Before<K> {
    pub visited: Visited<K>,
    pub counts: Counts,
    pub found: Vec<(usize, u64, K)>,
    pub is_complete: bool,
    pub dictionary: Dictionary,
}

/// A sum of a stream of bytes, continued (FNV-1a).
fn sum(bytes: &[u8], before: u64) -> u64 {
    bytes.iter().fold(before, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

const NOTHING: u64 = 0xcbf2_9ce4_8422_2325;

/// A number that says which model this is: the same for equal models in every process.
pub fn model_fingerprint(model: &dyn Model, identity: &Identity) -> u64 {
    struct Sum(u64);
    impl std::fmt::Write for Sum {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 = sum(text.as_bytes(), self.0);
            Ok(())
        }
    }
    let mut text = Sum(mixed(identity.model));
    let signature = model.signature();
    // What decides how it moves. Where something is written in a text does not, nor what is asked of it.
    let _ = write!(text, "{:?}{:?}", signature.slots, signature.guards);
    for group in &signature.groups {
        let Group { guards, guards_complete, reads, effects, actions, .. } = group;
        let _ = write!(text, "{guards:?}{guards_complete}{reads:?}{effects:?}{actions:?}");
    }
    let mut content = Vec::new();
    let _ = model.explorer().each_initial(|state| {
        for (slot, &value) in signature.slot_ids().zip(state) {
            model.content(slot, value, &mut content);
        }
        content.push(0);
    });
    sum(&content, text.0)
}

/// A number that says which bytes these are.
pub fn fingerprint_of(parts: &[&[u8]]) -> u64 {
    parts.iter().fold(NOTHING, |all, part| mixed(sum(part, all) ^ part.len() as u64))
}

/// The manifest with this number, which is the last one from now on.
fn commit_of(folder: &Folder, number: u64) -> Result<Option<Manifest>, Trouble> {
    if let Some(last) = Manifest::read(folder)?.filter(|it| it.commit == number) {
        return Ok(Some(last));
    }
    let before = Manifest::read_before(folder)?.filter(|it| it.commit == number);
    let Some(before) = before else {
        return Err(Trouble::damaged(folder.path(), "a level that others completed is missing"));
    };
    before.write(folder)?;
    Ok(Some(before))
}

impl Disk {
    /// Takes a folder for a search: a new one, or one that goes on.
    pub fn open<K: Key>(
        folder: &Folder,
        model: &dyn Model,
        identity: &Identity,
        partition: Option<(usize, usize)>,
        start: Start,
    ) -> Result<(Self, Option<Before<K>>), Trouble> {
        folder.make()?;
        let lock = folder.lock(LOCK)?;
        let known = match start {
            Start::New | Start::Last => Manifest::read(folder)?,
            Start::Commit(0) => {
                folder.remove(MANIFEST);
                folder.remove(BEFORE);
                None
            }
            Start::Commit(number) => commit_of(folder, number)?,
        };
        if known.is_some() && start == Start::New {
            return Err(used(folder));
        }
        let n_limbs = super::states::States::n_limbs_of(model);
        let own_manifest = Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            title: identity.title.clone(),
            model: model_fingerprint(model, identity),
            questions: identity.questions,
            partition: partition.unwrap_or((0, 1)),
            n_limbs,
            ..Manifest::default()
        };
        let mut disk = Self {
            folder: folder.clone(),
            _lock: lock,
            manifest: own_manifest,
            entries: Vec::new(),
            values: NOTHING,
            n_spilled: 0,
            keeps_before: partition.is_some(),
            only_before: Vec::new(),
        };
        let before = match known {
            Some(known) => Some(disk.go_on(model, known)?),
            None => None,
        };
        disk.tidy()?;
        Ok((disk, before))
    }

    /// Reads what a manifest names.
    fn go_on<K: Key>(&mut self, model: &dyn Model, known: Manifest) -> Result<Before<K>, Trouble> {
        let own = &self.manifest;
        let other = |what: &str, help| Err(Trouble::new(self.folder.path(), what, help));
        let begin = "name another folder, or delete this one with `quadrille runs FOLDER --delete`";
        if known.version != own.version {
            let what = format!("the search was begun by version {} of quadrille", known.version);
            return other(&what, "go on with that version, or delete the search and begin again");
        }
        if known.model != own.model || known.n_limbs != own.n_limbs {
            let what = format!("the search in it is of another model: {}", known.title);
            return other(&what, begin);
        }
        if known.questions != own.questions {
            return other("the search in it was asked something else", begin);
        }
        if known.partition != own.partition {
            let (one, all) = known.partition;
            let what = format!("it holds partition {one} of {all}");
            return other(&what, "resume with as many processes and workers as there were");
        }
        let mut visited = Visited::new();
        for entry in &known.files {
            visited.parts.extend(shelf::open(&self.folder, entry, known.n_limbs)?);
        }
        // What was merged may still lie in a file that is needed for its neighbours: the longer counts.
        let longest_first =
            |part: &Part<K>| (part.levels.start, std::cmp::Reverse(part.levels.end));
        visited.parts.sort_by_key(longest_first);
        let mut n_levels = 0;
        visited.parts.retain(|part| {
            let is_next = part.levels.end > n_levels;
            n_levels = n_levels.max(part.levels.end);
            is_next
        });
        n_levels = 0;
        for Part { levels, run } in &visited.parts {
            let sizes = known.sizes.get(levels.clone()).filter(|_| levels.start == n_levels);
            if sizes.is_none_or(|sizes| sizes.iter().sum::<u64>() != run.n) {
                return Err(Trouble::damaged(self.folder.path(), "levels are missing"));
            }
            n_levels = levels.end;
        }
        if n_levels != known.sizes.len() {
            return Err(Trouble::damaged(self.folder.path(), "levels are missing"));
        }
        (visited.n, visited.sizes) = (known.states, known.sizes.clone());
        let dictionary = self.read_values(model, known.values)?;
        let counts = Counts {
            states: known.states,
            transitions: known.transitions,
            deadlocks: known.deadlocks,
            depth: Some((known.sizes.len() as u64).saturating_sub(1)),
            ..Counts::default()
        };
        let keys = known
            .found
            .iter()
            .map(|(question, depth, limbs)| (*question, *depth, K::of_limbs(limbs)));
        let found = keys.collect();
        let is_complete = known.is_complete;
        self.values = if known.values.0 > 0 { known.values.1 } else { NOTHING };
        self.entries.clone_from(&known.files);
        self.manifest = known;
        Ok(Before { visited, counts, found, is_complete, dictionary })
    }

    fn read_values(
        &self,
        model: &dyn Model,
        (length, expected): (u64, u64),
    ) -> Result<Dictionary, Trouble> {
        if length == 0 {
            return Ok(Dictionary::default());
        }
        let bytes = self.folder.read(VALUES)?.unwrap_or_default();
        let bytes = bytes.get(..length as usize).filter(|bytes| sum(bytes, NOTHING) == expected);
        let dictionary = bytes.and_then(|bytes| Dictionary::read(model, bytes));
        let path = self.folder.file(VALUES);
        dictionary.ok_or_else(|| Trouble::damaged(&path, "it is not what was written"))
    }

    /// Removes files that no manifest names.
    fn tidy(&self) -> Result<(), Trouble> {
        let names = self.folder.names()?;
        let is_used = |name: &String| self.manifest.files.iter().any(|file| file.name == *name);
        let is_run = |name: &&String| is_ours(name) && name.contains(".run");
        names.iter().filter(is_run).filter(|name| !is_used(name)).for_each(|name| {
            self.folder.remove(name);
        });
        Ok(())
    }

    /// A file for what does not fit into memory for a while.
    pub fn spill_name(&mut self) -> String {
        self.n_spilled += 1;
        format!("spill-{}.run", self.n_spilled)
    }

    /// Removes what did not fit into memory, once it was used.
    pub fn remove_spills(&self) {
        (1..=self.n_spilled).for_each(|number| self.folder.remove(&format!("spill-{number}.run")));
    }

    /// A file for states that were met.
    pub fn name(&mut self) -> String {
        self.manifest.next += 1;
        format!("states-{}.run", self.manifest.next)
    }

    /// Notes a file that was completed.
    pub fn note(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Writes down what is complete, if it is worth it or `now`.
    pub fn commit<K: Key>(
        &mut self,
        visited: &mut Visited<K>,
        dictionary: &mut Dictionary,
        counts: &Counts,
        found: &[(usize, u64, K)],
        (is_complete, now): (bool, bool),
    ) -> Result<(), Trouble> {
        let is_open = |part: &&Part<K>| matches!(part.run.data, Data::Memory(_));
        let pending = || visited.parts.iter().filter(is_open);
        let n_pending: u64 = pending().map(|part| part.run.coded() + 8).sum();
        let is_changed = visited.sizes.len() > self.manifest.sizes.len()
            || is_complete != self.manifest.is_complete
            || found.len() != self.manifest.found.len();
        if !is_changed || !now && n_pending < PENDING && self.entries == self.manifest.files {
            return Ok(());
        }
        let n_limbs = self.manifest.n_limbs;
        if n_pending > 0 {
            let name = self.name();
            let entry = shelf::write_parts(&self.folder, name, &mut visited.parts, n_limbs)?;
            self.note(entry);
        }
        let used: Vec<String> = visited.parts.iter().filter_map(|part| part.run.file()).collect();
        let (used, unused) =
            std::mem::take(&mut self.entries).into_iter().partition(|it| used.contains(&it.name));
        self.entries = used;
        let files_before = std::mem::replace(&mut self.manifest.files, self.entries.clone());
        let unused: Vec<Entry> = unused;
        let news = dictionary.news();
        if !news.is_empty() {
            let mut file = Appending::at(&self.folder, VALUES, self.manifest.values.0)?;
            file.write(&news)?;
            file.sync()?;
            self.values = sum(&news, self.values);
            self.manifest.values = (file.n_bytes, self.values);
        }
        self.manifest.states = visited.n;
        self.manifest.transitions = counts.transitions;
        self.manifest.deadlocks = counts.deadlocks;
        self.manifest.sizes.clone_from(&visited.sizes);
        self.manifest.is_complete = is_complete;
        let limbs = |key: &K| {
            let mut limbs = vec![0; n_limbs];
            key.limbs(&mut limbs);
            limbs
        };
        let found = found.iter().map(|(question, depth, key)| (*question, *depth, limbs(key)));
        self.manifest.found = found.collect();
        self.manifest.commit += 1;
        if self.keeps_before
            && let Some(before) = self.folder.read(MANIFEST)?
        {
            self.folder.replace(BEFORE, &before)?;
        }
        self.manifest.write(&self.folder)?;
        let (unused, only_before): (Vec<Entry>, Vec<Entry>) = unused
            .into_iter()
            .partition(|entry| !self.keeps_before || !files_before.contains(entry));
        let only_before = only_before.into_iter().map(|entry| entry.name).collect();
        let forgotten = std::mem::replace(&mut self.only_before, only_before);
        let names = unused.into_iter().map(|entry| entry.name).chain(forgotten);
        names.for_each(|name| self.folder.remove(&name));
        Ok(())
    }

    /// Bytes on the disk.
    pub fn bytes(&self) -> u64 {
        self.manifest.files.iter().map(|file| file.n_bytes).sum::<u64>() + self.manifest.values.0
    }
}

/// A run for what grows: in files of a folder, if there is one.
pub(super) fn growing<K: Key>(disk: Option<&Disk>, name: String) -> Growing<'_, K> {
    Growing::new(disk.map(|disk| &disk.folder), name)
}

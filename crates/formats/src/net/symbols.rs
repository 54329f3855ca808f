//! Names of one kind, in order of declaration, with advice for those that are missing.

use rustc_hash::FxHashMap;

/// A space of names.
#[derive(Clone, Default)]
pub(super) struct Scope {
    names: Vec<String>,
    positions: FxHashMap<String, u32>,
}

/// Names listed in an advice.
const LISTED: usize = 8;
/// Names compared with a misspelt one.
const COMPARED: usize = 1000;
/// Longest name that is compared, in characters.
const LONGEST: usize = 40;

impl Scope {
    /// Declares a name; says where it was declared before, if it was.
    pub(super) fn declare(&mut self, name: &str) -> Result<u32, u32> {
        if let Some(before) = self.find(name) {
            return Err(before);
        }
        let position = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.positions.insert(name.to_owned(), position);
        Ok(position)
    }

    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.positions.get(name).copied()
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// What to write instead of a name that is not here.
    pub(super) fn advice(&self, name: &str, kind: &str) -> String {
        let compared = self.names.iter().take(COMPARED);
        let nearest = compared
            .map(|known| (distance(known, name), known))
            .filter(|(distance, _)| *distance <= name.chars().count() / 3)
            .min_by_key(|(distance, _)| *distance);
        if let Some((_, known)) = nearest {
            return format!("did you mean `{known}`?");
        }
        if self.names.is_empty() {
            return format!("declare it: there is no {kind} yet");
        }
        let listed = self.names[..self.names.len().min(LISTED)].join("`, `");
        let more = if self.names.len() > LISTED { ", …" } else { "" };
        format!("one of `{listed}`{more}")
    }
}

/// The edit distance (Levenshtein 1966), or a large number where a name is long.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(LONGEST + 1).collect();
    if other.len() > LONGEST || one.chars().nth(LONGEST).is_some() {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (position, character) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = position + 1;
        for column in 0..other.len() {
            let replaced = diagonal + usize::from(character != other[column]);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

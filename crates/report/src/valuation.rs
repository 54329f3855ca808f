//! States by name: which slot holds which value, as a person reads it. Keeps the order of slots, in
//! memory and in JSON.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value as it is shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Shown {
    /// A plain number.
    Number(u32),
    /// Anything else: a name, a queue, a term.
    Text(String),
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Number(number) => number.fmt(f),
            Shown::Text(text) => text.fmt(f),
        }
    }
}

/// Slots and their values, in the order of the layout. No slot occurs twice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Valuation(Vec<(String, Shown)>);

impl Valuation {
    /// All slots with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Shown)> {
        self.0.iter().map(|(slot, value)| (slot.as_str(), value))
    }

    /// The value of a slot.
    pub fn get(&self, slot: &str) -> Option<&Shown> {
        self.iter().find(|(name, _)| *name == slot).map(|(_, value)| value)
    }

    /// Gives known slots other values; slots that are not known are left out.
    pub fn update(&mut self, changes: &Valuation) {
        for (slot, value) in &changes.0 {
            if let Some((_, place)) = self.0.iter_mut().find(|(name, _)| name == slot) {
                place.clone_from(value);
            }
        }
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, Shown)> for Valuation {
    fn from_iter<I: IntoIterator<Item = (String, Shown)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl Serialize for Valuation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (slot, value) in &self.0 {
            map.serialize_entry(slot, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Valuation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Valuation;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object from slot names to values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Valuation, A::Error> {
        let mut valuation = Valuation::default();
        while let Some((slot, value)) = map.next_entry::<String, Shown>()? {
            if valuation.get(&slot).is_some() {
                return Err(serde::de::Error::custom(format!("slot `{slot}` occurs twice")));
            }
            valuation.0.push((slot, value));
        }
        Ok(valuation)
    }
}

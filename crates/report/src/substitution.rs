//! JSON about roles that replace each other, described in `docs/json.md`.

use serde::Serialize;

use crate::SCHEMA;
use crate::json::pretty;

/// What `substitute --format json` prints about protocols.
#[derive(Serialize)]
pub struct SubstitutionDocument<'a> {
    schema: &'static str,
    files: [String; 2],
    role: &'a str,
    verdict: &'static str,
    /// What the replacement does before its turn, where it fits with queues only.
    pub earlier: Option<&'a str>,
    /// What it does before something is wrong, or before it is too far ahead to be followed.
    pub run: &'a [String],
    /// What is wrong then.
    pub fault: Option<FaultRecord<'a>>,
}

/// What is wrong with a replacement.
#[derive(Serialize)]
pub struct FaultRecord<'a> {
    /// In a word.
    pub kind: &'static str,
    /// In a sentence.
    pub message: String,
    /// The step that it does and may not, or does not take and must.
    pub step: Option<&'a str>,
    /// What it should do, or does take.
    pub expected: &'a [String],
    /// What it may repeat for ever.
    pub cycle: &'a [String],
}

impl<'a> SubstitutionDocument<'a> {
    /// The document without evidence.
    pub fn new(files: [String; 2], role: &'a str, verdict: &'static str) -> Self {
        Self { schema: SCHEMA, files, role, verdict, earlier: None, run: &[], fault: None }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

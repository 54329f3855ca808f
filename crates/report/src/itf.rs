//! Traces in the Informal Trace Format of Apalache (its ADR 015), which trace viewers of the TLA+
//! world read. The successor of the last state is state `loop`, so a lasso's repeated state is not
//! written twice; the action that leaves a state stands in the state's `#meta`.

use serde_json::{Map, Value as Json, json};

use crate::{Shown, Story};

/// Integers beyond this are not safe as JSON numbers by the format's rules.
const MAX_PLAIN: u32 = i32::MAX as u32;

/// The story in ITF, ending in a newline.
pub fn itf(story: &Story) -> String {
    let slots: Vec<&str> = story.initial.iter().map(|(slot, _)| slot).collect();
    let mut states = story.states();
    if story.loop_start().is_some() {
        states.pop();
    }
    let states: Vec<Json> = states
        .iter()
        .enumerate()
        .map(|(index, state)| {
            let mut meta = json!({ "index": index });
            if let Some(step) = story.steps.get(index) {
                meta["next-action"] = json!(step.action);
            }
            let mut entries = Map::new();
            entries.insert("#meta".to_owned(), meta);
            entries.extend(state.iter().map(|(slot, value)| (slot.to_owned(), itf_value(value))));
            Json::Object(entries)
        })
        .collect();
    let mut document = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "description": story.property,
        },
        "vars": slots,
        "states": states,
    });
    if let Some(from) = story.loop_start() {
        document["loop"] = json!(from);
    }
    format!("{document:#}\n")
}

fn itf_value(value: &Shown) -> Json {
    match value {
        Shown::Number(number) if *number <= MAX_PLAIN => json!(number),
        Shown::Number(number) => json!({ "#bigint": number.to_string() }),
        Shown::Text(text) => json!(text),
    }
}

//! The progress line of a search that other processes make: from what one of them tells machines.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use quadrille_report::show_size;
use serde_json::Value;

use super::course::about;

/// A progress line on standard error.
#[derive(Clone)]
pub(crate) struct Line(ProgressBar);

impl Line {
    /// A line that says nothing yet.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {wide_msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Shows what a line for machines tells.
    pub(crate) fn show(&self, told: &str) {
        if let Some(text) = text(told) {
            self.0.set_message(text);
            self.0.tick();
        }
    }

    /// Takes the line away.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}

/// What a line for machines says, for people; `None` if it is about something else.
fn text(told: &str) -> Option<String> {
    let told: Value = serde_json::from_str(told).ok()?;
    let progress = told.get("progress")?;
    let number = |name: &str| progress.get(name).and_then(Value::as_u64);
    let question = progress.get("question").and_then(Value::as_str).unwrap_or_default();
    let depth = number("level").map(|depth| format!(", depth {depth}")).unwrap_or_default();
    let size = |name: &str, what: &str| {
        number(name).map(|bytes| format!(", {}{what}", show_size(bytes))).unwrap_or_default()
    };
    let left = progress.get("seconds_left").and_then(Value::as_f64);
    let left = left.map(|left| format!(", {}", about(left))).unwrap_or_default();
    let rate = progress.get("rate").and_then(Value::as_f64).unwrap_or_default();
    Some(format!(
        "{}: {} states, {} to expand, {rate:.0}/s{depth}{}{}{left}",
        question.chars().take(40).collect::<String>(),
        number("states")?,
        number("frontier").unwrap_or_default(),
        size("memory", ""),
        size("on_disk", " on disk"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_to_machines_is_shown_to_people() {
        let told = r#"{"schema":"quadrille/1","progress":{"question":"states","seconds":2.0,
            "level":21,"states":7000,"transitions":9000,"frontier":40,"rate":3500.0,
            "memory":2048,"on_disk":null,"seconds_left":100.0}}"#;
        let shown =
            "states: 7000 states, 40 to expand, 3500/s, depth 21, 2.0 KiB, about 2 min left";
        assert_eq!(text(told).as_deref(), Some(shown));
        assert_eq!(text(r#"{"schema":"quadrille/1","workers":[]}"#), None);
        assert_eq!(text("{\"schema\""), None);
    }
}

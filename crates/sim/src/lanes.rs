//! A failing execution as a picture: a lane per task, time downwards, as text and as SVG (`lanes/svg.rs`).

use std::fmt::Write as _;

use crate::failure::{Blocked, Failure, Fault};
use crate::operation::{Action, ObjectId, Operation, POINTER, TaskId};

mod svg;

/// A row of the picture: task, label, place, model time.
type Row = (TaskId, String, String, String);

/// What an operation found, or wrote.
fn found(operation: &Operation) -> String {
    let Operation { action, value, .. } = operation;
    // Whether it is signed is not known; what is below zero is more often meant than what is so great.
    let shown = match *value {
        POINTER => "a pointer".to_owned(),
        value => value.cast_signed().to_string(),
    };
    match action {
        _ if operation.timed_out => " (timed out)".to_owned(),
        Action::Load(_) if operation.is_stale => format!(" = {shown} (overwritten)"),
        Action::Load(_) | Action::Store(_) => format!(" = {shown}"),
        Action::Update(_) if operation.is_stale => format!(", was {shown} (overwritten)"),
        Action::Update(_) => format!(", was {shown}"),
        Action::TryLock | Action::TryLockShared if *value == 0 => ": taken".to_owned(),
        Action::TryReceive if *value == 0 => ": nothing".to_owned(),
        Action::TrySend if *value == 1 => ": full".to_owned(),
        _ => String::new(),
    }
}

impl Failure {
    fn label(&self, operation: &Operation) -> String {
        let word = operation.action.word();
        let about = match operation.action {
            Action::Start | Action::Finish | Action::Sleep | Action::Yield | Action::Event(_) => "",
            _ if operation.object == ObjectId::NONE => "",
            _ => self.objects.get(operation.object.index()).map_or("", String::as_str),
        };
        let about = about.split(" (").next().unwrap_or_default();
        format!("{word} {about}").trim_end().to_owned() + &found(operation)
    }

    fn stuck(&self) -> &[Blocked] {
        match &self.fault {
            Fault::Deadlock { blocked, .. }
            | Fault::Livelock { blocked }
            | Fault::Starvation { blocked, .. } => blocked,
            Fault::CleanUpBlocked(blocked) => std::slice::from_ref(blocked),
            _ => &[],
        }
    }

    fn rows(&self) -> Vec<Row> {
        let place = |place: &std::panic::Location<'_>| format!("{}:{}", place.file(), place.line());
        let mut rows: Vec<_> = self
            .trace
            .iter()
            .map(|o| (o.task, self.label(o), place(o.place), o.time.to_string()))
            .collect();
        for blocked in self.stuck() {
            let object = self.objects.get(blocked.object.index()).map_or("", String::as_str);
            let object = object.split(" (").next().unwrap_or_default();
            let label = format!("waits: {} {object}", blocked.action.word());
            rows.push((blocked.task, label, place(blocked.place), String::new()));
        }
        rows
    }

    /// The execution as text, a column per task.
    #[must_use]
    pub fn lanes(&self) -> String {
        let rows = self.rows();
        let width = |task: usize| {
            let labels = rows.iter().filter(|row| row.0.index() == task);
            let widest = labels.map(|row| row.1.chars().count()).max().unwrap_or(0);
            widest.max(self.tasks[task].chars().count())
        };
        let widths: Vec<usize> = (0..self.tasks.len()).map(width).collect();
        let mut text = String::new();
        for (name, &width) in self.tasks.iter().zip(&widths) {
            let _ = write!(text, "{name:<width$} | ");
        }
        text.push_str("where\n");
        for (task, label, place, time) in &rows {
            for (lane, &width) in widths.iter().enumerate() {
                let label = if lane == task.index() { label.as_str() } else { "" };
                let _ = write!(text, "{label:<width$} | ");
            }
            let time =
                if time == "0 s" || time.is_empty() { String::new() } else { format!(" @{time}") };
            let _ = writeln!(text, "{place}{time}");
        }
        text
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

//! A failing execution as a picture: a lane per task, time downwards, as text and as SVG (`lanes/svg.rs`).

use std::fmt::Write as _;

use crate::failure::{Blocked, Failure, Fault};
use crate::operation::{Action, ObjectId, Operation, POINTER, TaskId};

mod svg;

/// A row of the picture: task, label, place, model time.
type Row = (TaskId, String, String, String);

/// Numbers from here on may be addresses, which differ between equal executions; no system places
/// anything below.
const LEAST_ADDRESS: u64 = 1 << 20;

/// What an operation found, or wrote.
fn found(operation: &Operation) -> String {
    let Operation { action, value, .. } = operation;
    // Whether it is signed is not known; what is below zero is more often meant than what is so great.
    let number = value.cast_signed();
    let shown = match *value {
        POINTER => "a pointer".to_owned(),
        _ if number.unsigned_abs() < LEAST_ADDRESS => number.to_string(),
        _ => "a great number".to_owned(),
    };
    match action {
        Action::Sleep => String::new(),
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
    /// What an operation does to what. Tasks are numbered in the order of spawning, so that the n-th spawn
    /// makes the n-th task.
    fn label(&self, operation: &Operation, n_spawned: &mut usize) -> String {
        let word = operation.action.word();
        let about = match operation.action {
            Action::Spawn => {
                *n_spawned += 1;
                self.tasks.get(*n_spawned).map_or("", String::as_str)
            }
            action => self.about(action, operation.object),
        };
        format!("{word} {about}").trim_end().to_owned() + &found(operation)
    }

    /// The name of what an operation is about, if it is not clear anyhow.
    fn about(&self, action: Action, object: ObjectId) -> &str {
        let name = match action {
            Action::Start
            | Action::Finish
            | Action::Sleep
            | Action::Yield
            | Action::Now
            | Action::Park
            | Action::Event(_) => "",
            _ if object == ObjectId::NONE => "",
            _ => self.objects.get(object.index()).map_or("", String::as_str),
        };
        let name = if action == Action::Join { name.trim_start_matches("thread ") } else { name };
        name.split(" (").next().unwrap_or_default()
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
        // What the standard library does for the program lies in the folder that it was built in.
        let place = |place: &std::panic::Location<'_>| {
            let file = place.file();
            let of_std = file.strip_prefix("/rustc/").and_then(|rest| rest.split_once("/library/"));
            let file = of_std.map_or(file, |(_, below)| below);
            format!("{file}:{}", place.line())
        };
        let mut n_spawned = 0;
        let mut row = |o: &Operation| {
            // Where a task ends, and where the first one begins, is no place of the program.
            let is_ours =
                o.action == Action::Finish || (o.action == Action::Start && o.task == TaskId::MAIN);
            let place = if is_ours { String::new() } else { place(o.place) };
            (o.task, self.label(o, &mut n_spawned), place, o.time.to_string())
        };
        let mut rows: Vec<_> = self.trace.iter().map(&mut row).collect();
        for blocked in self.stuck() {
            let word = match blocked.action {
                Action::Wake => "notification of",
                action => action.word(),
            };
            let label = format!("waits: {word} {}", self.about(blocked.action, blocked.object));
            let label = label.trim_end().to_owned();
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
            let mut line = String::new();
            for (lane, &width) in widths.iter().enumerate() {
                let label = if lane == task.index() { label.as_str() } else { "" };
                let _ = write!(line, "{label:<width$} | ");
            }
            line.push_str(place);
            if time != "0 s" && !time.is_empty() {
                let _ = write!(line, " @{time}");
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

//! Everything after each step of a replay: what each thread does next and where, what it waits for and what it
//! holds, as text or as a line of JSON. Printed while the execution stands still.
#![allow(clippy::print_stdout)] // of a test binary

use quadrille_sim::task::{self, TaskView};
use quadrille_sim::{ModelTime, Observer, Step};

use super::answer::quoted;

/// Shows every step of the execution that begins.
pub(super) fn show(is_json: bool) {
    task::set_observer(Box::new(Snapshots { is_json }));
}

struct Snapshots {
    is_json: bool,
}

impl Observer for Snapshots {
    fn after_step(&mut self, _: &Step) {
        let threads = task::views();
        let [_, _, step] = task::n_steps();
        let (time, is_closed) = (task::now(), task::n_held() == 0);
        let text = if self.is_json {
            json(step, time, is_closed, &threads)
        } else {
            text(step, time, is_closed, &threads)
        };
        println!("{text}");
    }
}

fn text(step: u64, time: ModelTime, is_closed: bool, threads: &[TaskView]) -> String {
    let held = if is_closed { "no lock held" } else { "locks held" };
    let mut text = format!("after step {step}, at {time}, {held}");
    for thread in threads {
        text.push_str(&format!("\n  {}: {}", thread.name, thread.state()));
        if !thread.is_finished {
            text.push_str(&format!(", next {} at {}", thread.next(), thread.place));
        }
        if let Some(until) = thread.deadline {
            text.push_str(&format!(", until {until}"));
        }
        if !thread.holds.is_empty() {
            text.push_str(&format!(", holds {}", thread.holds.join(", ")));
        }
    }
    text
}

fn json(step: u64, time: ModelTime, is_closed: bool, threads: &[TaskView]) -> String {
    let thread = |thread: &TaskView| {
        let holds: Vec<String> = thread.holds.iter().map(|name| quoted(name)).collect();
        format!(
            "{{\"name\":{},\"state\":{},\"next\":{},\"place\":{},\"until_ns\":{},\"holds\":[{}]}}",
            quoted(&thread.name),
            quoted(thread.state()),
            quoted(&thread.next()),
            quoted(&thread.place.to_string()),
            thread.deadline.map_or("null".to_owned(), |time| time.as_nanos().to_string()),
            holds.join(",")
        )
    };
    let threads: Vec<String> = threads.iter().map(thread).collect();
    let grade = if is_closed { "all-closed" } else { "some-open" };
    format!(
        "{{\"schema\":\"quadrille-sim-snapshot/1\",\"step\":{step},\"time_ns\":{},\"grade\":\"{grade}\",\
         \"threads\":[{}]}}",
        time.as_nanos(),
        threads.join(",")
    )
}

//! What is said about a test, as text or as a line of JSON.

use ::std::fmt::Write as _;

use quadrille_sim::coverage::{Coverage, Growth};
use quadrille_sim::{Failure, Fault, Memory, Operation, Place};

use super::settings::Settings;

/// How a test came out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// It passed, and nothing in it was under control: there was nothing to explore.
    NothingControlled,
    Holds,
    Unknown,
    Violated,
    CannotRun,
}

impl Verdict {
    const ALL: [Verdict; 5] = [
        Verdict::NothingControlled,
        Verdict::Holds,
        Verdict::Unknown,
        Verdict::Violated,
        Verdict::CannotRun,
    ];

    pub(super) fn of(number: u64) -> Verdict {
        Verdict::ALL.get(number as usize).copied().unwrap_or(Verdict::NothingControlled)
    }
}

/// How many tests came out in which way.
pub(super) fn summary(verdicts: &[Verdict]) -> String {
    let count = |wanted: Verdict| verdicts.iter().filter(|&&verdict| verdict == wanted).count();
    let holds = count(Verdict::Holds) + count(Verdict::NothingControlled);
    let counted = [
        (count(Verdict::Violated), "violated"),
        (count(Verdict::CannotRun), "cannot run"),
        (count(Verdict::Unknown), "unknown: no failure found, not every order tried"),
        (holds, "hold"),
    ];
    let told = counted.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}"));
    format!("{} tests: {}", verdicts.len(), told.collect::<Vec<_>>().join(", "))
}

/// What is said about a test.
pub(crate) struct Answer {
    pub(super) verdict: Verdict,
    executions: u64,
    /// In brackets behind the verdict.
    remark: String,
    /// On the lines below.
    details: String,
    schedule: Option<String>,
    /// The operations of the execution that failed, as JSON.
    trace: Option<String>,
    pub(super) coverage: Option<Coverage>,
}

impl Answer {
    pub(super) fn new(verdict: Verdict, executions: u64, remark: impl Into<String>) -> Answer {
        let (remark, details) = (remark.into(), String::new());
        let (schedule, trace, coverage) = (None, None, None);
        Answer { verdict, executions, remark, details, schedule, trace, coverage }
    }

    /// Of a test that was ended by a signal.
    pub(crate) fn crash(details: String, schedule: String, executions: u64) -> Answer {
        let mut answer = Answer::new(Verdict::Violated, executions, "");
        (answer.details, answer.schedule) = (details, Some(schedule));
        answer
    }

    /// Of a failure; if it is to be drawn, the picture is written.
    pub(super) fn failed(
        failure: &Failure,
        executions: u64,
        name: &str,
        settings: &Settings,
    ) -> Answer {
        let is_misuse = failure.fault.is_misuse();
        let verdict = if is_misuse { Verdict::CannotRun } else { Verdict::Violated };
        let mut answer = Answer::new(verdict, executions, "");
        answer.details = failure.to_string();
        if is_misuse {
            let fits = !failure.schedule.is_empty() && !matches!(failure.fault, Fault::Diverged(_));
            answer.schedule = fits.then(|| failure.schedule.to_string());
            return answer;
        }
        answer.schedule =
            Some(failure.schedule.to_string()).filter(|_| !failure.schedule.is_empty());
        if settings.is_json {
            answer.trace = Some(trace_json(failure));
        } else if failure.trace.len() <= MAX_DRAWN {
            answer.note(&format!("\n{}", failure.lanes().trim_end()));
        } else {
            let length = failure.trace.len();
            answer.note(&format!(
                "  {length} operations are too many for a picture here: --svg FOLDER draws them, \
                 --format json lists them"
            ));
        }
        if let Some(pictures) = &settings.pictures {
            answer.draw(failure, &format!("{pictures}{}.svg", name.replace("::", ".")));
        }
        answer
    }

    /// Writes a picture of the execution.
    fn draw(&mut self, failure: &Failure, path: &str) {
        let told = match ::std::fs::write(path, failure.svg()) {
            Ok(()) => format!("  picture: {path}"),
            Err(error) => {
                self.verdict = Verdict::CannotRun;
                format!("  the picture {path} cannot be written: {error}")
            }
        };
        self.note(&told);
    }

    /// Adds a line.
    fn note(&mut self, line: &str) {
        if !self.details.is_empty() {
            self.details.push('\n');
        }
        self.details.push_str(line);
    }

    /// Says that executions were not alike, because a lock outlives them.
    pub(super) fn note_leftover(&mut self, place: Place) {
        let says = match self.verdict {
            Verdict::Violated => "the failure may need the executions before it",
            _ => "they did not all begin alike",
        };
        self.note(&format!(
            "  note: the value behind the lock at {place} outlives executions, and each began with what \
             the one before left: {says}; make it inside of the test"
        ));
    }

    pub(crate) fn print(&self, name: &str, is_json: bool, memory: Memory) {
        self.print_as(name, is_json, memory, "cargo quadrille sim");
    }

    /// The same, with how to type a replay: the command and what it needs.
    pub(super) fn print_as(&self, name: &str, is_json: bool, memory: Memory, command: &str) {
        let word = match self.verdict {
            Verdict::NothingControlled | Verdict::Holds => "holds",
            Verdict::Unknown => "unknown",
            Verdict::Violated => "violated",
            Verdict::CannotRun => "cannot run",
        };
        let Answer { executions, remark, details, schedule, trace, coverage, .. } = self;
        if is_json {
            let schedule = schedule.as_deref().map_or("null".to_owned(), quoted);
            println!(
                "{{\"schema\":\"quadrille-sim/1\",\"test\":{},\"verdict\":{},\"executions\":{executions},\
                 \"memory_model\":\"{memory}\",\"remark\":{},\"details\":{},\"schedule\":{schedule}{}{}}}",
                quoted(name),
                quoted(word),
                quoted(remark),
                quoted(details),
                trace.as_ref().map_or(String::new(), |trace| format!(",\"trace\":{trace}")),
                coverage.as_ref().map_or(String::new(), coverage_json)
            );
            return;
        }
        let remark = if remark.is_empty() { String::new() } else { format!(" ({remark})") };
        println!("test {name} ... {word}{remark}");
        if !details.is_empty() {
            println!("{details}");
        }
        if let Some(coverage) = coverage {
            print!("  coverage: {coverage}");
        }
        if let Some(schedule) = schedule {
            println!("  {command} --exact {name} --replay '{schedule}'");
        }
    }
}

/// Visited states as a field of JSON: points of the curve are steps, states, pairs.
fn coverage_json(coverage: &Coverage) -> String {
    let curve = coverage.curve().into_iter();
    let points = curve.map(|Growth { steps, states, pairs }| format!("[{steps},{states},{pairs}]"));
    let Growth { steps, states, pairs } = coverage.growth();
    format!(
        ",\"coverage\":{{\"steps\":{steps},\"states\":{states},\"pairs\":{pairs},\"curve\":[{}]}}",
        points.collect::<Vec<_>>().join(",")
    )
}

/// The operations of an execution, one object each.
fn trace_json(failure: &Failure) -> String {
    let mut json = String::from("[");
    for (index, operation) in failure.trace.iter().enumerate() {
        let Operation { task, action, object, timed_out, value, time, place, .. } = *operation;
        let name = |names: &[String], index: usize| {
            names.get(index).map_or_else(String::new, |n| quoted(n))
        };
        let _ = write!(
            json,
            "{}{{\"thread\":{},\"operation\":{},\"object\":{},\"found\":{value},\"timed_out\":{timed_out},\
             \"time_ns\":{},\"place\":{}}}",
            if index == 0 { "" } else { "," },
            name(&failure.tasks, task.index()),
            quoted(action.word()),
            if object.index() == 0 {
                "null".to_owned()
            } else {
                name(&failure.objects, object.index())
            },
            time.as_nanos(),
            quoted(&format!("{}:{}:{}", place.file(), place.line(), place.column())),
        );
    }
    json.push(']');
    json
}

/// A string of JSON.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            control if u32::from(control) < 0x20 => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Executions with more operations than this are not drawn as text.
const MAX_DRAWN: usize = 60;

//! The examinations of the Model Checking Contest, over the nets that are beside the repository: which
//! share of the agreed answers is found, per kind of question, beside the bars.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use quadrille_diagnostic::Sources;
use quadrille_engine::Progress;
use quadrille_model::Bound;
use quadrille_query::petri::{
    Exam, Found, Row, Settings, Task, examine, expected_answers, read_instance,
};
use quadrille_query::{Files, Watcher};

/// Where the nets are, seen from the root of the repository.
const NETS: &str = "../shared/conformance/petri";

/// Per cent of the questions of a kind that are to be answered.
const BARS: [(&str, usize); 6] = [
    ("state space", 60),
    ("deadlock and reachability", 85),
    ("branching time", 70),
    ("linear time", 80),
    ("upper bounds", 80),
    ("global properties", 80),
];

/// Files on disk.
struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }

    fn below(&self, _: &Path) -> Option<Result<Vec<PathBuf>, String>> {
        None
    }
}

/// Ends a question after its time.
struct Clock {
    begun: Instant,
    each: Duration,
}

impl Watcher for Clock {
    fn begin(&mut self, _: &str) {
        self.begun = Instant::now();
    }

    fn look(&mut self, _: &Progress) -> ControlFlow<Bound> {
        match self.begun.elapsed() >= self.each {
            true => ControlFlow::Break(Bound::Time(self.each.as_millis() as u64)),
            false => ControlFlow::Continue(()),
        }
    }

    fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }
}

/// Asks everything that an answer is expected to, with so many seconds per question (60, or 5), and
/// prints the shares; whether no answer is wrong.
///
/// # Errors
/// Where the nets cannot be read.
pub fn run(quick: bool) -> io::Result<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(NETS);
    let table = std::fs::read_to_string(root.join("expected.tsv"))
        .map_err(|error| io::Error::other(format!("cannot read {NETS}/expected.tsv: {error}")))?;
    let expected = expected_answers(&table);
    let mut names: Vec<&str> = expected.iter().map(|row| row.instance.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let each = Duration::from_secs(if quick { 5 } else { 60 });
    let mut clock = Clock { begun: Instant::now(), each };
    // Per kind of question: right, unknown, wrong.
    let mut tally: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for name in names {
        let mut sources = Sources::default();
        let start = Instant::now();
        let instance = read_instance(&Disk, &mut sources, &root.join(name), &Exam::ALL)
            .map_err(|problems| io::Error::other(format!("{name}: {}", problems[0].message)))?;
        let read = start.elapsed();
        let asked = |task: &&Task| rows(&expected, name, task).next().is_some();
        let tasks: Vec<Task> = instance.tasks.iter().filter(asked).cloned().collect();
        let settings = Settings { seconds: Some(each.as_secs_f64()), ..Settings::default() };
        let mut counts = [0; 3];
        let mut wrong = Vec::new();
        examine(&instance.net, &tasks, &settings, &mut clock, &mut |task, reply| {
            let task = &tasks[task];
            let column = match is_right(&expected, name, task, &reply.found) {
                Some(true) => 0,
                None => 1,
                Some(false) => {
                    wrong.push(format!("{} {} by {:?}", task.exam.word(), task.id, reply.by));
                    2
                }
            };
            counts[column] += 1;
            tally.entry(task.exam.category()).or_default()[column] += 1;
        });
        println!(
            "{name}: {} of {} answered, {} wrong, {:.1} s, read in {:.3} s",
            counts[0],
            tasks.len(),
            counts[2],
            start.elapsed().as_secs_f64(),
            read.as_secs_f64()
        );
        wrong.iter().for_each(|line| println!("  WRONG: {line}"));
    }
    println!("\n| questions | asked | answered | bar | wrong |\n|---|---|---|---|---|");
    for (category, [right, open, wrong]) in &tally {
        let all = right + open + wrong;
        let bar = BARS.iter().find(|(known, _)| known == category).map_or(0, |(_, bar)| *bar);
        println!("| {category} | {all} | {} % | {bar} % | {wrong} |", right * 100 / all.max(1));
    }
    Ok(tally.values().all(|counts| counts[2] == 0))
}

fn rows<'r>(expected: &'r [Row], name: &'r str, task: &'r Task) -> impl Iterator<Item = &'r Row> {
    expected.iter().filter(move |row| {
        row.instance == name
            && row.exam == task.exam.word()
            && (task.id.is_empty() || row.what == task.id)
    })
}

/// Whether an answer is the expected one; `None` where there is none.
fn is_right(expected: &[Row], name: &str, task: &Task, found: &Found) -> Option<bool> {
    let figures = ["states", "transitions", "max-tokens-in-place", "max-tokens-per-marking"];
    let given = |row: &Row| match found {
        Found::Unknown(_) => None,
        Found::Truth(value) => Some(value.to_string()),
        Found::Number(number) => Some(number.to_string()),
        Found::Size(all) => {
            let figure = figures.iter().position(|figure| *figure == row.what)?;
            Some(all[figure].clone())
        }
    };
    let mut right = true;
    for row in rows(expected, name, task) {
        right &= given(row)?.eq_ignore_ascii_case(&row.answer);
    }
    Some(right)
}

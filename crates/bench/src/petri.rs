//! The examinations of the Model Checking Contest, over the nets that are beside the repository: which
//! share of the agreed answers is found, per examination and per kind of question, beside the bars; of
//! questions that are agreed on nowhere, which share is answered, and fits what is agreed otherwise.

mod made;

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use quadrille_diagnostic::Sources;
use quadrille_engine::{Limits, Progress};
use quadrille_model::Bound;
use quadrille_query::petri::{
    Exam, Found, Instance, Row, Settings, Task, examine, expected_answers, read_instance,
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

    fn helper(&self) -> Option<Box<dyn Watcher + Send>> {
        Some(Box::new(Clock { begun: Instant::now(), each: self.each }))
    }
}

/// Bytes that a search may hold.
const MEMORY: u64 = 4 << 30;
/// Seconds that reading may take per megabyte.
const READING: f64 = 1.0;

/// Right answers, open questions, wrong answers.
type Counts = [usize; 3];

/// Asks everything that an answer is expected to, with so many seconds per question, of the nets whose
/// names begin with one of these, or of all, and prints the shares; whether no answer is wrong.
///
/// # Errors
/// Where the nets cannot be read.
pub fn run(seconds: u64, wanted: &[&str]) -> io::Result<bool> {
    let (root, expected) = data()?;
    let each = Duration::from_secs(seconds);
    let (mut agreed, mut made) = (BTreeMap::new(), BTreeMap::new());
    for name in names(&expected, wanted) {
        let (instance, _, _) = read(&root, name)?;
        let asked = |task: &&Task| rows(&expected, name, task).next().is_some();
        let tasks: Vec<Task> = instance.tasks.iter().filter(asked).cloned().collect();
        let right = |task: &Task, found: &Found| is_right(&expected, name, task, found);
        let [agrees, open, wrong] = examined(&instance, &tasks, each, &right, &mut agreed);
        let fits = |task: &Task, found: &Found| made::fits(&expected, name, task, found);
        let own = made::made(&instance.net);
        let [found, left, bad] = examined(&instance, &own, each, &fits, &mut made);
        println!(
            "{name}: {agrees} of {} answered as agreed, {found} of {} of our own, {} wrong",
            agrees + open + wrong,
            found + left + bad,
            wrong + bad
        );
    }
    println!("\nQuestions with agreed answers:");
    let wrong = printed(&agreed);
    println!("\nQuestions of our own, answered and not in contradiction to the agreed answers:");
    Ok(wrong + printed(&made) == 0)
}

/// Reads all nets with their formulas, and prints the seconds per megabyte; whether none takes more than
/// the bar.
///
/// # Errors
/// Where the nets cannot be read.
pub fn run_reading() -> io::Result<bool> {
    let (root, expected) = data()?;
    let (mut slowest, mut bytes, mut seconds) = ((0.0, ""), 0, 0.0);
    let names = names(&expected, &[]);
    for &name in &names {
        // The best of three: what else the machine does is no part of reading.
        let mut best = f64::INFINITY;
        let mut size = 0;
        for _ in 0..3 {
            let (_, took, read) = read(&root, name)?;
            (best, size) = (best.min(took.as_secs_f64()), read);
        }
        let rate = best / (size as f64 / 1e6);
        if rate > slowest.0 {
            slowest = (rate, name);
        }
        bytes += size;
        seconds += best;
    }
    let (rate, name) = slowest;
    println!(
        "reading: {} nets with their formulas, {:.1} MB in {seconds:.2} s; at most {rate:.3} s per MB \
         ({name}), bar {READING} s",
        names.len(),
        bytes as f64 / 1e6
    );
    Ok(rate < READING)
}

/// Where the nets are, and what is agreed on them.
fn data() -> io::Result<(PathBuf, Vec<Row>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(NETS);
    let table = std::fs::read_to_string(root.join("expected.tsv"))
        .map_err(|error| io::Error::other(format!("cannot read {NETS}/expected.tsv: {error}")))?;
    Ok((root, expected_answers(&table)))
}

/// The nets whose names begin with one of these; all where there are none.
fn names<'r>(expected: &'r [Row], wanted: &[&str]) -> Vec<&'r str> {
    let is_wanted = |name: &&str| wanted.is_empty() || wanted.iter().any(|it| name.starts_with(it));
    let mut names: Vec<&str> =
        expected.iter().map(|row| row.instance.as_str()).filter(is_wanted).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A net with its questions, how long reading took, and how many bytes that are.
fn read(root: &Path, name: &str) -> io::Result<(Instance, Duration, u64)> {
    let folder = root.join(name);
    let mut sources = Sources::default();
    let begun = Instant::now();
    let instance = read_instance(&Disk, &mut sources, &folder, &Exam::ALL)
        .map_err(|problems| io::Error::other(format!("{name}: {}", problems[0].message)))?;
    let took = begun.elapsed();
    let mut bytes = 0;
    for file in std::fs::read_dir(&folder)? {
        bytes += file?.metadata()?.len();
    }
    Ok((instance, took, bytes))
}

/// Examines a net; how many questions are answered of how many, and how many answers are wrong.
fn examined(
    instance: &Instance,
    tasks: &[Task],
    each: Duration,
    judged: &dyn Fn(&Task, &Found) -> Option<bool>,
    exams: &mut BTreeMap<Exam, Counts>,
) -> Counts {
    let limits = Limits { memory: Some(MEMORY), ..Limits::default() };
    let settings = Settings { limits, seconds: Some(each.as_secs_f64()), ..Settings::default() };
    let mut clock = Clock { begun: Instant::now(), each };
    let mut counts = [0; 3];
    examine(&instance.net, tasks, &settings, &mut clock, &mut |task, reply| {
        let task = &tasks[task];
        let column = match judged(task, &reply.found) {
            Some(true) => 0,
            None => 1,
            Some(false) => {
                println!("  WRONG: {} {} by {:?}", task.exam.word(), task.id, reply.by);
                2
            }
        };
        counts[column] += 1;
        exams.entry(task.exam).or_default()[column] += 1;
    });
    counts
}

/// Prints the shares, and says how many answers are wrong.
fn printed(exams: &BTreeMap<Exam, Counts>) -> usize {
    let share = |[right, open, wrong]: Counts| {
        let all = right + open + wrong;
        (all, right as f64 * 100.0 / all.max(1) as f64)
    };
    println!("\n| examination | asked | answered | wrong |\n|---|---|---|---|");
    let mut kinds: BTreeMap<&str, Counts> = BTreeMap::new();
    for (exam, counts) in exams {
        let (all, right) = share(*counts);
        println!("| {} | {all} | {right:.1} % | {} |", exam.word(), counts[2]);
        let kind = kinds.entry(exam.category()).or_default();
        kind.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    println!("\n| kind of question | asked | answered | bar | wrong |\n|---|---|---|---|---|");
    for (kind, counts) in &kinds {
        let (all, right) = share(*counts);
        let bar = BARS.iter().find(|(known, _)| known == kind).map_or(0, |(_, bar)| *bar);
        println!("| {kind} | {all} | {right:.1} % | {bar} % | {} |", counts[2]);
    }
    exams.values().map(|counts| counts[2]).sum()
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

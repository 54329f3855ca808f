//! `quadrille examine`: answers folders of the Model Checking Contest, and compares with what is expected.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::petri::{
    Exam, Found, Instance, Reply, Row, Settings, Task, examine, expected_answers, read_instance,
};
use quadrille_query::{codes::UNREADABLE, files_below, read_text};

use crate::Ended;
use crate::arguments::ExamineArguments;
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;

/// The table of expected answers, in a folder or above it.
const EXPECTED: &str = "expected.tsv";

pub(crate) fn run(arguments: &ExamineArguments, world: &World, sources: &mut Sources) -> Ended {
    let folders = folders(&arguments.folder, world)?;
    let expected = match world.nearest(&folders[0], EXPECTED) {
        Some(path) if !arguments.contest => {
            let source = read_text(world, &path, sources).map_err(|it| vec![it])?;
            expected_answers(sources.text(source))
        }
        _ => Vec::new(),
    };
    let exams = match arguments.exam.is_empty() {
        true => Exam::ALL.to_vec(),
        false => named(&arguments.exam)?,
    };
    let mut watcher = Watcher::new(world, &arguments.limits);
    let seconds = arguments.limits.timeout_each.map(|time| time.as_secs_f64());
    let mut settings = Settings { limits: watcher.limits(), seconds, ..Settings::default() };
    for name in &arguments.without {
        if !settings.leave_out(name) {
            let message = format!("the portfolio has no part `{name}`");
            let note = "`quadrille help examine` lists them under --without";
            return Err(Diagnostic::error(&CONTRADICTION, message).note(note).into());
        }
    }
    let mut tally = Tally::default();
    for folder in &folders {
        let instance = read_instance(world, sources, folder, &exams)?;
        crate::report(world, sources, &instance.problems);
        let mut told: Vec<(usize, Reply, f64)> = Vec::new();
        let mut tasks = instance.tasks.clone();
        if arguments.only_expected {
            tasks.retain(|task| has_expected(&expected, &instance.name, task));
        }
        let asked = Instance { tasks, ..instance };
        let start = world.now();
        examine(&asked.net, &asked.tasks, &settings, &mut watcher, &mut |task, reply| {
            told.push((task, reply, start.seconds()));
        });
        watcher.end();
        told.sort_by_key(|(task, ..)| *task);
        let mut text = String::new();
        for (task, reply, seconds) in &told {
            let task = &asked.tasks[*task];
            if arguments.contest {
                contest(&mut text, task, reply);
            } else {
                let row = Judged::new(&expected, &asked.name, task, reply);
                tally.add(task.exam, &row);
                row.write(&mut text, &asked.name, task, reply, *seconds);
            }
        }
        world.print(&text);
    }
    if !arguments.contest {
        world.print(&tally.text());
    }
    Ok(tally.exit(arguments.contest))
}

/// The folders of instances: the one that is named, or those in it.
fn folders(path: &Path, world: &World) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let none = |message: String| {
        let help = "name a folder that holds a `model.pnml`, or a folder of such folders";
        vec![Diagnostic::error(&UNREADABLE, message).help(help)]
    };
    let Some(files) = files_below(world, path) else {
        return Err(none(format!("`{}` is no folder", path.display())));
    };
    let nets = files.map_err(|it| vec![it])?;
    let is_net = |file: &&PathBuf| file.file_name().is_some_and(|name| name == "model.pnml");
    let mut folders: Vec<PathBuf> =
        nets.iter().filter(is_net).filter_map(|file| file.parent().map(Path::to_owned)).collect();
    folders.sort();
    if folders.is_empty() {
        return Err(none(format!("`{}` holds no `model.pnml`", path.display())));
    }
    Ok(folders)
}

fn named(names: &[String]) -> Result<Vec<Exam>, Vec<Diagnostic>> {
    let exam = |name: &String| {
        let found = Exam::ALL.into_iter().find(|exam| exam.word().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let words = Exam::ALL.map(Exam::word);
            let message = format!("there is no examination `{name}`");
            let note = format!("the examinations are {}", words.join(", "));
            vec![Diagnostic::error(&CONTRADICTION, message).note(note)]
        })
    };
    names.iter().map(exam).collect()
}

/// The figures of a state space, as tables of expected answers call them.
const FIGURES: [&str; 4] =
    ["states", "transitions", "max-tokens-in-place", "max-tokens-per-marking"];

fn rows<'r>(
    expected: &'r [Row],
    instance: &'r str,
    task: &'r Task,
) -> impl Iterator<Item = &'r Row> {
    expected.iter().filter(move |row| {
        row.instance == instance
            && row.exam == task.exam.word()
            && (task.id.is_empty() || row.what == task.id)
    })
}

fn has_expected(expected: &[Row], instance: &str, task: &Task) -> bool {
    rows(expected, instance, task).next().is_some()
}

/// An answer beside what is expected.
enum Judged {
    /// It is as expected.
    Right,
    /// There is no answer.
    Open,
    /// Nothing is expected.
    Unchecked,
    /// This was expected.
    Wrong(String),
}

impl Judged {
    fn new(expected: &[Row], instance: &str, task: &Task, reply: &Reply) -> Self {
        let rows: Vec<&Row> = rows(expected, instance, task).collect();
        let one = |answer: &str| match rows.first() {
            None => Judged::Unchecked,
            Some(row) if row.answer.eq_ignore_ascii_case(answer) => Judged::Right,
            Some(row) => Judged::Wrong(row.answer.clone()),
        };
        match &reply.found {
            Found::Unknown(_) => Judged::Open,
            Found::Truth(value) => one(if *value { "TRUE" } else { "FALSE" }),
            Found::Number(number) => one(&number.to_string()),
            Found::Size(figures) => {
                let wrong = rows.iter().find_map(|row| {
                    let at = FIGURES.iter().position(|figure| *figure == row.what)?;
                    let differs = !figures[at].is_empty() && figures[at] != row.answer;
                    differs.then(|| format!("{} {}", row.answer, row.what))
                });
                match (wrong, rows.is_empty()) {
                    (Some(wrong), _) => Judged::Wrong(wrong),
                    (None, true) => Judged::Unchecked,
                    (None, false) => Judged::Right,
                }
            }
        }
    }

    fn write(&self, text: &mut String, instance: &str, task: &Task, reply: &Reply, seconds: f64) {
        let name = if task.id.is_empty() {
            format!("{instance} {}", task.exam.word())
        } else {
            task.id.clone()
        };
        let answer = match &reply.found {
            Found::Truth(value) => value.to_string(),
            Found::Number(number) => number.to_string(),
            Found::Size([states, firings, place, marking]) => format!(
                "{states} markings, {firings} firings, at most {place} tokens in a place, {marking} in a marking"
            ),
            Found::Unknown(why) => format!("unknown ({why})"),
        };
        let remark = match self {
            Judged::Right | Judged::Open => String::new(),
            Judged::Unchecked => ", nothing is expected".to_owned(),
            Judged::Wrong(expected) => format!(", WRONG: expected {expected}"),
        };
        let note = reply.note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
        let by = reply.by.join(" ");
        let _ = writeln!(text, "{name}: {answer}{note}{remark} [{by}] {seconds:.2} s");
    }
}

/// The lines of the contest.
fn contest(text: &mut String, task: &Task, reply: &Reply) {
    let name = if task.id.is_empty() { task.exam.word() } else { &task.id };
    let by = reply.by.join(" ");
    let _ = match &reply.found {
        Found::Truth(value) => {
            let word = if *value { "TRUE" } else { "FALSE" };
            writeln!(text, "FORMULA {name} {word} TECHNIQUES {by}")
        }
        Found::Number(number) => writeln!(text, "FORMULA {name} {number} TECHNIQUES {by}"),
        Found::Size(figures) => {
            let words = ["STATES", "TRANSITIONS", "MAX_TOKEN_IN_PLACE", "MAX_TOKEN_PER_MARKING"];
            for (word, figure) in words.iter().zip(figures).filter(|(_, figure)| !figure.is_empty())
            {
                let _ = writeln!(text, "STATE_SPACE {word} {figure} TECHNIQUES {by}");
            }
            Ok(())
        }
        Found::Unknown(_) if task.id.is_empty() => writeln!(text, "CANNOT_COMPUTE"),
        Found::Unknown(_) => writeln!(text, "FORMULA {name} CANNOT_COMPUTE"),
    };
}

/// How many answers there are, by kind of question.
#[derive(Default)]
struct Tally {
    rows: Vec<(&'static str, [usize; 4])>,
}

impl Tally {
    fn add(&mut self, exam: Exam, judged: &Judged) {
        let category = exam.category();
        let at = self.rows.iter().position(|(known, _)| *known == category);
        let at = at.unwrap_or_else(|| {
            self.rows.push((category, [0; 4]));
            self.rows.len() - 1
        });
        let column = match judged {
            Judged::Right => 0,
            Judged::Unchecked => 1,
            Judged::Open => 2,
            Judged::Wrong(_) => 3,
        };
        self.rows[at].1[column] += 1;
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (category, [right, unchecked, open, wrong]) in &self.rows {
            let all = right + unchecked + open + wrong;
            let share = (right + unchecked) * 100 / all.max(1);
            let _ = writeln!(
                text,
                "{category}: {share} % of {all} answered; {right} as expected, {unchecked} with nothing \
                 expected, {open} unknown, {wrong} wrong"
            );
        }
        text
    }

    fn exit(&self, contest: bool) -> Exit {
        let sum = |column: usize| self.rows.iter().map(|(_, row)| row[column]).sum::<usize>();
        match (sum(3), sum(2)) {
            _ if contest => Exit::Holds,
            (0, 0) => Exit::Holds,
            (0, _) => Exit::Unknown,
            _ => Exit::Violated,
        }
    }
}

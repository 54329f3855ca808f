//! A folder of the contest: a net, files of formulas, answers that are expected.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_petri::{Formula, Net, PlaceId, read_pnml, read_properties};

use super::{Exam, Task, TaskKind};
use crate::files::{Files, read_text};

/// A net with the questions of its folder.
pub struct Instance {
    /// The name of the folder.
    pub name: String,
    /// The net.
    pub net: Net,
    /// What is asked.
    pub tasks: Vec<Task>,
    /// What could not be read of the formulas.
    pub problems: Vec<Diagnostic>,
}

/// Reads the net of a folder and the questions of these examinations.
pub fn read_instance(
    files: &dyn Files,
    sources: &mut Sources,
    folder: &Path,
    exams: &[Exam],
) -> Result<Instance, Vec<Diagnostic>> {
    let source = read_text(files, &folder.join("model.pnml"), sources).map_err(|it| vec![it])?;
    let (net, mut problems) = read_pnml(source, sources.text(source));
    let Some(net) = net else { return Err(problems) };
    let name =
        folder.file_name().map_or(net.id.clone(), |name| name.to_string_lossy().into_owned());
    let mut tasks = Vec::new();
    for &exam in exams {
        if exam.has_file() {
            let path = folder.join(format!("{}.xml", exam.word()));
            if files.read(&path).is_err() {
                continue;
            }
            let source = read_text(files, &path, sources).map_err(|it| vec![it])?;
            let (properties, found) = read_properties(source, sources.text(source), &net);
            problems.extend(found);
            let is_linear = matches!(exam, Exam::LtlCardinality | Exam::LtlFireability);
            tasks.extend(properties.iter().map(|property| {
                let mut task = Task::of(exam, property);
                if let (true, TaskKind::Formula(formula)) = (is_linear, &task.ask) {
                    task.ask = TaskKind::Formula(repeats_dead_marking(formula.clone()));
                }
                task
            }));
        } else {
            tasks.push(Task { exam, id: String::new(), ask: global(exam, &net) });
        }
    }
    Ok(Instance { name, net, tasks, problems })
}

/// A formula of linear time as it is to be read where it could be one of branching time: `all-paths` before
/// a `next` about one marking is the same in both, but for a dead marking, which linear time repeats.
pub(super) fn repeats_dead_marking(formula: Formula) -> Formula {
    let Formula::All(body) = &formula else { return formula };
    let Formula::Next(next) = &**body else { return formula };
    if !next.is_state() {
        return formula;
    }
    let here = Formula::and([Formula::Dead, (**next).clone()]);
    let there = Formula::and([!Formula::Dead, formula.clone()]);
    Formula::or([here, there])
}

/// What an examination without formulas asks.
fn global(exam: Exam, net: &Net) -> TaskKind {
    match exam {
        Exam::ReachabilityDeadlock => {
            TaskKind::Formula(Formula::Some(Box::new(Formula::Finally(Box::new(Formula::Dead)))))
        }
        Exam::OneSafe => {
            let of = |(_, places): (&str, Vec<PlaceId>)| {
                Formula::at_most(places.into_iter().map(|place| (place, 1)).collect(), 1)
            };
            let safe = net.written_places().into_iter().map(of);
            TaskKind::Formula(Formula::All(Box::new(Formula::Globally(Box::new(Formula::and(
                safe,
            ))))))
        }
        Exam::QuasiLiveness => TaskKind::QuasiLive,
        Exam::Liveness => TaskKind::Live,
        Exam::StableMarking => TaskKind::Stable,
        _ => TaskKind::StateSpace,
    }
}

/// An answer that is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The instance.
    pub instance: String,
    /// The examination.
    pub exam: String,
    /// The formula, or the figure; empty where the examination is the question.
    pub what: String,
    /// The answer.
    pub answer: String,
}

/// Reads a table of expected answers: `instance`, `examination`, `formula`, `expected`, between tabs.
pub fn expected_answers(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        let [instance, exam, what, answer] =
            std::array::from_fn(|_| cells.next().unwrap_or_default());
        Row { instance, exam, what, answer }
    };
    text.lines().skip(1).map(row).collect()
}

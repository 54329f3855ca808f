//! `quadrille check`: does the model do what is asked of it?

mod invariant;
mod outputs;
mod temporal;
mod text;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::{Config, Property};
use quadrille_model::{Finding, Model, Verdict};
use quadrille_report::{CheckDocument, Outcome, Story};

use crate::arguments::{CheckArguments, Format};
use crate::exit::Exit;
use crate::formulas::Question;
use crate::input::{load, unrepeatable};
use crate::watch::{Watcher, limits};
use crate::world::World;
use crate::{Ended, formulas};
use temporal::Checker;

/// The name of the property that is checked without a formula.
const NO_DEADLOCK: &str = "no deadlock";

/// What was found about one model.
struct Findings {
    /// One per property that was asked for.
    outcomes: Vec<Outcome>,
    /// What was found about deadlock where that was not asked for.
    deadlock: Option<Outcome>,
}

pub(crate) fn run(arguments: &CheckArguments, world: &World, sources: &mut Sources) -> Ended {
    let trace_files = outputs::trace_files(&arguments.trace_out)?;
    let model = load(&arguments.file, world, sources)?;
    let questions = formulas::read(&arguments.formulas, &*model, world, sources)?;
    let mut watcher = Watcher::new(world, &arguments.limits);
    let findings = check_all(arguments, &questions, &*model, world, &mut watcher)?;
    watcher.end();
    let exit = findings
        .outcomes
        .iter()
        .fold(Exit::Holds, |exit, outcome| exit.and(Exit::of(&outcome.finding.verdict)));
    outputs::write_traces(&trace_files, &findings, world)?;
    outputs::write_junit(arguments, &findings, world)?;
    let file = arguments.file.display().to_string();
    world.print(&match arguments.format {
        Format::Text => text::text(arguments, &findings, world.output_style()),
        Format::Json => {
            let deadlock = findings.deadlock.as_ref();
            CheckDocument::new(&file, exit.word(), &findings.outcomes, deadlock).to_json()
        }
    });
    Ok(exit)
}

fn check_all(
    arguments: &CheckArguments,
    questions: &[Question],
    model: &dyn Model,
    world: &World,
    watcher: &mut Watcher,
) -> Result<Findings, Vec<Diagnostic>> {
    let mut checker = Checker::new(arguments, questions, model)?;
    let mut outcomes = Vec::new();
    let counts = arguments.deadlock || questions.is_empty();
    if counts {
        outcomes.push(check_deadlock(arguments, model, world, watcher)?);
    }
    for question in questions {
        let start = world.now();
        let finding = checker.answer(question, watcher)?;
        outcomes.push(told(finding, model, start.seconds()));
    }
    // What was not asked for comes last: it must not use up the time for what was.
    drop(checker);
    let deadlock =
        if counts { None } else { Some(check_deadlock(arguments, model, world, watcher)?) };
    Ok(Findings { outcomes, deadlock })
}

fn check_deadlock(
    arguments: &CheckArguments,
    model: &dyn Model,
    world: &World,
    watcher: &mut Watcher,
) -> Result<Outcome, Vec<Diagnostic>> {
    let config = Config { order: arguments.order.into(), limits: limits(&arguments.limits) };
    let start = world.now();
    watcher.begin(NO_DEADLOCK);
    let mut look = |progress: &_| watcher.look(progress);
    let found = quadrille_engine::check(model, &[Property::DeadlockFree], config, &mut look);
    let mut found = found.map_err(unrepeatable)?;
    let verdict = found.verdicts.pop().unwrap_or(Verdict::Holds);
    let finding =
        Finding { property: NO_DEADLOCK.to_owned(), verdict, runs: None, counts: found.counts };
    Ok(told(finding, model, start.seconds()))
}

/// A finding with the story of its trace.
fn told(finding: Finding, model: &dyn Model, seconds: f64) -> Outcome {
    let story = match &finding.verdict {
        Verdict::Violated(Some(trace)) => Some(Story::tell(&finding.property, trace, model)),
        Verdict::Violated(None) | Verdict::Holds | Verdict::Unknown(_) => None,
    };
    Outcome { finding, story, seconds }
}

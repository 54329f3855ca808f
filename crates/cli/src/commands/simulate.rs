//! `quadrille simulate`: random walks, where there are too many states to explore.

use std::fmt::Write as _;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::{Found, Simulation};
use quadrille_model::Verdict;
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{Question, Walked};
use quadrille_report::{Outcome, SimulateDocument, bound_advice, bound_phrase, steps_text};

use super::check::outputs::{TraceFile, replayable_in, trace_files, write_story};
use super::check::text::headline;
use crate::arguments::{Format, SimulateArguments};
use crate::exit::{Exit, coloured};
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, formulas, model, shell};

/// Labels of actions that are named; there may be thousands.
const MOST_NAMED: usize = 20;

pub(crate) fn run(arguments: &SimulateArguments, world: &World, sources: &mut Sources) -> Ended {
    let files = trace_files(&arguments.trace_out)?;
    let mut watcher = Watcher::new(world, &arguments.limits);
    let (texts, unreadable) = formulas::texts(&arguments.asked, world, sources);
    let selection = arguments.model.selection();
    let mut subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let runs = arguments.asked.runs.map(Into::into);
    let mut properties =
        formulas::read_asked(&mut subject, (&texts, unreadable), runs, world, sources)?;
    if texts.is_empty() || !arguments.property.is_empty() {
        properties.extend(formulas::declared(&subject, &arguments.property, runs)?);
    }
    let mut again: Vec<Vec<String>> =
        properties.iter().map(|property| property.words.clone()).collect();
    let mut questions: Vec<Question<'_>> = properties.into_iter().map(Question::Property).collect();
    if !arguments.allow_deadlock {
        questions.push(Question::Deadlock);
        again.push(Vec::new());
    }
    if questions.is_empty() {
        let message = "--allow-deadlock leaves nothing to look for";
        return Err(Diagnostic::error(&CONTRADICTION, message).help("ask a formula, too").into());
    }
    let config = Simulation {
        seed: arguments.seed,
        walks: arguments.walks,
        depth: arguments.depth,
        limits: watcher.limits(),
        workers: arguments.workers.number(world),
    };
    let mut walked = subject.simulate(&questions, &config, &mut watcher)?;
    watcher.end();
    let answers = std::mem::take(&mut walked.answers);
    let outcomes: Vec<Outcome> =
        answers.into_iter().map(|answer| Outcome::new(answer, &subject)).collect();
    let exit =
        |exit: Exit, outcome: &Outcome| exit.and(Exit::of(&outcome.answer, arguments.strict));
    let exit = outcomes.iter().fold(Exit::Holds, exit);
    let violated = outcomes.iter().position(|outcome| outcome.story.is_some());
    world.print(&match arguments.output.format {
        Format::Json => {
            let file = arguments.file.display().to_string();
            SimulateDocument::new(&file, exit.word(), &config, &walked, &outcomes).to_json()
        }
        Format::Text => {
            let replay = violated.map(|position| {
                replay(arguments, &files, &subject.selection.words(), &again[position])
            });
            text(arguments, &walked, &outcomes, replay.as_deref(), world)
        }
    });
    if let Some(story) = violated.and_then(|position| outcomes[position].story.as_ref()) {
        write_story(&files, story, world)?;
    } else if !files.is_empty() {
        world.remark("no trace was written: nothing that was asked for is violated by one\n");
    }
    Ok(exit)
}

fn text(
    arguments: &SimulateArguments,
    walked: &Walked,
    outcomes: &[Outcome],
    replay: Option<&str>,
    world: &World,
) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        let exit = Exit::of(&outcome.answer, arguments.strict);
        let (word, name) = headline(outcome);
        let word = coloured(&word, exit, world.output_style());
        match (&outcome.answer.verdict, &outcome.story, &walked.simulated.found) {
            (Verdict::Violated(_), Some(story), Some(found)) => {
                let _ = writeln!(text, "{word}: {name}  ({})", origin(found));
                let _ = writeln!(text, "\n{}", steps_text(story, world.width()));
                let _ = writeln!(text, "  replay: {}\n", replay.unwrap_or_default());
            }
            (Verdict::Unknown(bound), ..) => {
                let _ = writeln!(text, "{word}: {name}");
                let _ = writeln!(text, "  {}; {}", bound_phrase(*bound), bound_advice(*bound));
            }
            _ => {
                let _ = writeln!(text, "{word}: {name}");
            }
        }
    }
    let Walked { simulated, never_taken, n_labels, .. } = walked;
    let (seed, depth) = (arguments.seed, arguments.depth);
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<16} {value}");
    };
    let ended = count(simulated.ended, "walk");
    row("walks", format!("{} (seed {seed}); {ended} came to an end", simulated.walks));
    row(
        "steps",
        format!("{}, at most {} of {depth} in a walk", simulated.steps, simulated.longest),
    );
    row("states seen", simulated.states.to_string());
    row("actions taken", format!("{} of {n_labels}", n_labels - never_taken.len()));
    if !never_taken.is_empty() {
        let named: Vec<&str> = never_taken.iter().take(MOST_NAMED).map(String::as_str).collect();
        let more = match never_taken.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let _ = writeln!(text, "  never taken: {}{more}", named.join(", "));
    }
    text
}

/// Which walk came upon a violation, and what became of its run.
fn origin(found: &Found) -> String {
    let after = count(found.steps, "step");
    let short = count(found.trace.steps.len() as u64, "step");
    let shortest = if found.is_shortest { ", none is shorter" } else { "" };
    format!("walk {} after {after}; shortened to {short}{shortest}", found.walk + 1)
}

/// The commands that show a violation again.
fn replay(
    arguments: &SimulateArguments,
    files: &[TraceFile<'_>],
    selection: &[String],
    again: &[String],
) -> String {
    let file = shell::path(&arguments.file);
    if let Some(path) = replayable_in(files) {
        return format!("quadrille replay {file} {}", shell::path(path));
    }
    let SimulateArguments { seed, walks, depth, .. } = arguments;
    let options = format!("{}{}", shell::options(selection), shell::options(again));
    let allow =
        if again.is_empty() || !arguments.allow_deadlock { "" } else { " --allow-deadlock" };
    format!(
        "quadrille simulate {file}{options}{allow} --seed {seed} --walks {walks} --depth {depth} \
         --trace-out trace.json\n          quadrille replay {file} trace.json"
    )
}

//! `quadrille reduce`: what is left of components if all that cannot make a difference is left out.

use std::fmt::Write as _;

use quadrille_component::composition::{Compatibility, compose};
use quadrille_component::reduction::{ComponentSystem, Rule, reduce};
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{Watcher as _, assemble, composition_errors};
use quadrille_report::{ReduceDocument, ReduceStep};

use crate::arguments::{Format, ReduceArguments};
use crate::exit::Exit;
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, model};

pub(crate) fn run(arguments: &ReduceArguments, world: &World, sources: &mut Sources) -> Ended {
    if !model::holds_components(&arguments.file, world) {
        let message = format!("`{}` holds no components", arguments.file.display());
        let help = "give .bp files, or a folder of them";
        return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
    }
    let selection = arguments.components.selection();
    let (assembly, warnings) = assemble(world, sources, &arguments.file, &selection)?;
    crate::report(world, sources, &warnings);
    let original = assembly.system();
    let reduction = reduce(original.clone(), &Rule::ALL);
    let mut watcher = Watcher::new(world, &arguments.limits);
    let mut steps = Vec::new();
    if arguments.steps {
        steps.push(step("as written", 0, &original, &mut watcher));
        for record in &reduction.steps {
            let (rule, system) = (record.rule.to_string(), reduction.system_after(record));
            steps.push(step(&rule, record.applications, &system, &mut watcher));
        }
    }
    watcher.end();
    let (is_nothing, text) = (reduction.is_nothing(), reduction.system.text());
    world.print(&match arguments.output.format {
        Format::Json => {
            let files = std::iter::once(&arguments.file).chain(&arguments.components.more);
            let files = files.map(|path| path.display().to_string()).collect();
            ReduceDocument::new(files, is_nothing, text, steps).to_json()
        }
        Format::Text => {
            let mut told = table(&steps);
            match text {
                _ if is_nothing => told += "nothing is left: the components fit together\n",
                Some(text) => told += &text,
                None => {
                    let (states, transitions) = reduction.system.size();
                    let states = count(states as u64, "state");
                    let edges = count(transitions as u64, "transition");
                    let _ = writeln!(told, "{states} and {edges} are left; they have no text");
                }
            }
            told
        }
    });
    Ok(Exit::Holds)
}

/// The size of a system and of its composition, as far as that can be explored.
fn step(
    rule: &str,
    applications: usize,
    system: &ComponentSystem,
    watcher: &mut Watcher,
) -> ReduceStep {
    watcher.begin(rule);
    let (states, transitions) = system.size();
    let composition = compose(&system.alphabet, &system.units, &system.wiring).ok();
    let (limits, mut look) = (watcher.limits(), |progress: &_| watcher.look(progress));
    let explored = composition
        .and_then(|composition| composition_errors(&composition, limits, &mut look).ok());
    ReduceStep {
        rule: rule.to_owned(),
        applications,
        states,
        transitions,
        configurations: explored.as_ref().map(|errors| errors.configurations),
        steps: explored.as_ref().map(|errors| errors.steps),
        error: explored.map(|errors| errors.verdict() != Compatibility::NoError),
    }
}

/// One row per step.
fn table(steps: &[ReduceStep]) -> String {
    let mut text = String::new();
    if steps.is_empty() {
        return text;
    }
    let mut row = |cells: [&str; 6]| {
        let [rule, applications, states, transitions, configurations, steps] = cells;
        let _ = writeln!(
            text,
            "{rule:<26}{applications:>13}{states:>9}{transitions:>13}{configurations:>16}{steps:>12}"
        );
    };
    row(["rule", "applications", "states", "transitions", "configurations", "steps"]);
    for step in steps {
        let shown = |number: Option<usize>| number.map_or("?".to_owned(), |n| n.to_string());
        let applications = match step.applications {
            0 => String::new(),
            number => number.to_string(),
        };
        row([
            &step.rule,
            &applications,
            &step.states.to_string(),
            &step.transitions.to_string(),
            &shown(step.configurations),
            &shown(step.steps),
        ]);
    }
    text.push('\n');
    text
}

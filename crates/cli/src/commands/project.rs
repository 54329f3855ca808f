//! `quadrille project`: what each role does on its own, and whether that is what the protocol says.

use std::fmt::Write as _;

use quadrille_diagnostic::{Sources, render};
use quadrille_protocol::project::Global;
use quadrille_query::protocol::{Faithfulness, LiberalReport, Which};
use quadrille_query::{Config, Evidence, Protocol, Question, Subject};
use quadrille_report::{
    NamedState, ProjectDocument, ProjectRecord, ProjectedRole, QueueRecord, Story, bound_advice,
    bound_phrase, queues_text, steps_text,
};

use crate::arguments::{Format, LimitArguments, ProjectArguments};
use crate::exit::Exit;
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, model};

/// What was found about one protocol.
struct Projected {
    record: ProjectRecord,
    exit: Exit,
    text: String,
}

/// Most states of a search where no bound is given: queues may grow for ever in ways that are not
/// recognised.
const MAX_STATES: u64 = 200_000;

pub(crate) fn run(arguments: &ProjectArguments, world: &World, sources: &mut Sources) -> Ended {
    let max_states = arguments.limits.max_states.or(Some(MAX_STATES));
    let limits = LimitArguments { max_states, ..arguments.limits.clone() };
    let mut watcher = Watcher::new(world, &limits);
    let selection = arguments.protocol.selection();
    if !model::language(&arguments.file, world)?.has_protocols() {
        return Err(model::no_protocol(&arguments.file).into());
    }
    let (subjects, warnings) = model::all(&arguments.file, &selection, world, sources)?;
    crate::report(world, sources, &warnings);
    let mut all = Vec::new();
    for subject in &subjects {
        let question = Question::Faithful { queues: arguments.queues.into() };
        let protocol = model::protocol(subject, &arguments.file)?;
        all.extend(project(subject, protocol, question, sources, &mut watcher)?);
    }
    watcher.end();
    world.print(&match arguments.output.format {
        Format::Text => all.iter().map(|found| found.text.as_str()).collect::<String>(),
        Format::Json => {
            let records = all.iter().map(|found| &found.record).collect();
            let sources = &*sources;
            ProjectDocument::new(&arguments.file.display().to_string(), records, sources).to_json()
        }
    });
    Ok(all.iter().fold(Exit::Holds, |exit, found| exit.and(found.exit)))
}

fn project(
    subject: &Subject<'_>,
    protocol: &Protocol,
    question: Question<'_>,
    sources: &Sources,
    watcher: &mut Watcher<'_>,
) -> Result<Vec<Projected>, Stop> {
    let config = Config { limits: watcher.limits(), ..Config::default() };
    let mut all = Vec::new();
    for answer in subject.ask(&[question], &config, watcher) {
        if let Evidence::Liberal(found) = answer?.evidence {
            let (report, global) = *found;
            all.push(record(protocol, &report, &global, sources, watcher));
        }
    }
    Ok(all)
}

fn record(
    protocol: &Protocol,
    report: &LiberalReport,
    global: &Global,
    sources: &Sources,
    watcher: &Watcher<'_>,
) -> Projected {
    let story = match &report.faithfulness {
        Faithfulness::Differs(deviation) => {
            let property = "the liberal form does what the protocol says";
            Some(match deviation.which {
                Which::Added => Story::tell(property, &deviation.trace, &report.liberal),
                Which::Lost => Story::tell(property, &deviation.trace, global),
            })
        }
        _ => None,
    };
    let (verdict, claim, exit) = verdict(&report.faithfulness);
    let mut text = format!("{}: {claim}\n", protocol.title());
    let projection = report.liberal.projection();
    let names = projection.state_names(&protocol.model);
    let roles = projection.locals().iter().map(|local| ProjectedRole {
        role: projection.role(local.role).to_owned(),
        states: local.states.len(),
        names: (0..local.states.len())
            .filter_map(|state| {
                let name = names.get(&(local.role, state))?;
                Some(NamedState { state, name: name.clone() })
            })
            .collect(),
    });
    let roles: Vec<ProjectedRole> = roles.collect();
    let shown = roles.iter().map(|it| format!("{} {}", it.role, count(it.states as u64, "state")));
    let _ = writeln!(text, "  roles   {}", shown.collect::<Vec<_>>().join(", "));
    let named = roles.iter().filter(|role| !role.names.is_empty()).map(|role| {
        let names = role.names.iter().map(|it| format!("{} = {}", it.name, it.state));
        format!("{}: {}", role.role, names.collect::<Vec<_>>().join(", "))
    });
    let named: Vec<String> = named.collect();
    if !named.is_empty() {
        let _ = writeln!(text, "  names   {}", named.join("; "));
    }
    let queues = report.in_flight.queues(&report.liberal);
    if !queues.is_empty() {
        let _ = writeln!(text, "  queues  {}", queues_text(&queues));
    }
    for diagnostic in &report.diagnostics {
        let _ = write!(text, "{}", render(diagnostic, sources, watcher.world().output_style()));
    }
    if let Some(story) = &story {
        let _ = writeln!(text, "\n{}", steps_text(story, watcher.world().width()));
    }
    let record = ProjectRecord {
        protocol: protocol.name.clone(),
        arguments: protocol.arguments.clone(),
        verdict,
        message: claim,
        roles,
        queues: queues.iter().map(QueueRecord::from).collect(),
        findings: report.diagnostics.clone(),
        trace: story,
    };
    Projected { record, exit, text }
}

/// The verdict in a word, in a sentence, and as an exit.
fn verdict(faithfulness: &Faithfulness) -> (&'static str, String, Exit) {
    match faithfulness {
        Faithfulness::Faithful => {
            let claim = "faithful: the liberal form does exactly what the protocol says";
            ("faithful", claim.to_owned(), Exit::Holds)
        }
        Faithfulness::SameRuns(_) => {
            let claim = "same runs: the liberal form has the runs of the protocol, but some choices \
                         fall earlier or later";
            ("same-runs", claim.to_owned(), Exit::Holds)
        }
        Faithfulness::Reordered(_) => {
            let claim = "same up to reordering: the liberal form differs from the protocol in the order \
                         of steps of different roles only";
            ("reordered", claim.to_owned(), Exit::Holds)
        }
        Faithfulness::Differs(deviation) => match deviation.which {
            Which::Added => {
                let claim = "not faithful: the liberal form does more than the protocol says";
                ("added", claim.to_owned(), Exit::Violated)
            }
            Which::Lost => {
                let claim = "not faithful: the liberal form cannot do all that the protocol says";
                ("lost", claim.to_owned(), Exit::Violated)
            }
        },
        Faithfulness::Unknown(bound) => {
            let claim = format!("unknown: {}; {}", bound_phrase(*bound), bound_advice(*bound));
            ("unknown", claim, Exit::Unknown)
        }
    }
}

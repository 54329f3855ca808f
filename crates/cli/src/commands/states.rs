//! `quadrille states`: how large a model is, and where its states are.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::disk::{RunsOutcome, check_runs};
use quadrille_engine::{
    Config, Error, Expansion, Explored, Limits, Order, Stopped, Visitor, explore,
};
use quadrille_model::{Bound, Counts, Flow, StateId, Value};
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{FEW_STATES, Size, Watcher as _, counts_of, unshared, unusable};
use quadrille_report::{StatesDocument, bound_advice, bound_phrase};

use crate::arguments::{By, EngineArgument, Format, StatesArguments};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, model};

pub(crate) fn run(arguments: &StatesArguments, world: &World, sources: &mut Sources) -> Ended {
    arguments.engine.refuse_specifications()?;
    let mut watcher = Watcher::new(world, &arguments.limits);
    let selection = arguments.model.selection();
    let subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let order = match arguments.by {
        Some(By::Depth) => Order::Breadth,
        _ => arguments.order.into(),
    };
    arguments.store.refuse(&[
        (arguments.by.is_some(), "--by"),
        (order == Order::Depth, "--order dfs"),
        (arguments.engine == EngineArgument::Symbolic, "--engine symbolic"),
    ])?;
    let title = arguments.file.display().to_string();
    let runs = arguments.store.runs(&title, &subject.selection, sources, &[])?;
    let start = world.now();
    watcher.begin("states");
    // No search of a net that is not bounded comes to an end.
    let is_endless = subject.grows().is_some() && watcher.limits().states.is_none();
    let within = |limits: Limits| match is_endless {
        true => Limits { states: Some(FEW_STATES), ..limits },
        false => limits,
    };
    let told = |bound: Bound| match bound {
        Bound::States(FEW_STATES) if is_endless => Bound::Infinite,
        bound => bound,
    };
    let limits = within(watcher.limits());
    let file = arguments.file.display().to_string();
    if let Some(runs) = runs {
        watcher.measure(arguments.store.folder());
        let limits = within(watcher.limits());
        let workers = arguments.workers.number(world);
        let config = Config { limits, workers, ..Config::default() };
        let mut look = |progress: &_| watcher.look(progress);
        let counted = check_runs(subject.model(), &[], &runs, &config, &mut look);
        watcher.end();
        let mut counted = counted.map_err(not_counted)?;
        counted.outcome.bound = counted.outcome.bound.map(told);
        world.print(&of_runs(&file, &counted, start.seconds(), arguments.output.format));
        return Ok(if counted.outcome.bound.is_some() { Exit::Unknown } else { Exit::Holds });
    }
    let is_plain = arguments.by.is_none() && order == Order::Breadth;
    let by_sets = |size: &Size, watcher: &mut Watcher<'_>| {
        watcher.end();
        let (counts, seconds) = (counts_of(size), start.seconds());
        world.print(&match arguments.output.format {
            Format::Json => {
                StatesDocument::new(&file, (&counts, Some(size)), None, seconds, &[]).to_json()
            }
            Format::Text => text_of_sets(size, seconds),
        });
        Ok(Exit::Holds)
    };
    let mut few = None;
    match arguments.engine {
        EngineArgument::Symbolic if !is_plain => {
            let message = "--engine symbolic counts neither parts nor depth first";
            let help = "leave --by and --order out, or use --engine explicit";
            return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
        }
        // Sets of ever larger numbers would take all memory first.
        EngineArgument::Symbolic => match subject.grows().map_or_else(
            || subject.count_sets(limits, &mut watcher),
            |_| Ok(Err(Bound::Infinite)),
        )? {
            Ok(size) => return by_sets(&size, &mut watcher),
            Err(bound) => {
                watcher.end();
                let bound = told(bound);
                let (counts, seconds) = (Counts::default(), start.seconds());
                world.print(&match arguments.output.format {
                    Format::Json => {
                        let counts = (&counts, None);
                        StatesDocument::new(&file, counts, Some(bound), seconds, &[]).to_json()
                    }
                    Format::Text => {
                        format!("unknown: {}; {}\n", bound_phrase(bound), bound_advice(bound))
                    }
                });
                return Ok(Exit::Unknown);
            }
        },
        EngineArgument::Auto if is_plain && limits.states.is_none_or(|most| most > FEW_STATES) => {
            few = Some(FEW_STATES);
        }
        EngineArgument::Auto
        | EngineArgument::Explicit
        | EngineArgument::Sat
        | EngineArgument::Both => {}
    }
    let config = Config {
        order,
        limits: Limits { states: few.or(limits.states), ..limits },
        workers: arguments.workers.number(world),
        ..Config::default()
    };
    let mut parts =
        arguments.by.map(|by| Parts { by, counts: BTreeMap::new(), depths: Vec::new() });
    let mut visitors: Vec<&mut dyn Visitor> = Vec::new();
    visitors.extend(parts.as_mut().map(|parts| parts as &mut dyn Visitor));
    let mut look = |progress: &_| watcher.look(progress);
    let mut explored = explore(subject.model(), &config, &mut visitors, &mut look);
    let is_large = |bound: Bound| few.is_some_and(|few| bound == Bound::States(few));
    if matches!(explored.stopped(), Some(Stopped::Bound(bound)) if is_large(*bound)) {
        drop(explored);
        if let Some(size) = subject.try_count_sets(limits, &mut watcher) {
            return by_sets(&size, &mut watcher);
        }
        let mut look = |progress: &_| watcher.look(progress);
        explored = explore(subject.model(), &Config { limits, ..config }, &mut [], &mut look);
    }
    watcher.end();
    let bound = match explored.stopped() {
        None => None,
        Some(Stopped::Bound(bound)) => Some(*bound),
        Some(stopped) => return Err(stopped.clone().into()),
    };
    let (mut counts, seconds) = (explored.counts(), start.seconds());
    if let Some(Bound::States(most)) = bound {
        // The last expansion may have met a few more.
        counts.states = counts.states.min(most);
    }
    let bound = bound.map(told);
    let parts = parts.map(|parts| parts.counts).unwrap_or_default();
    let parts: Vec<(String, u64)> =
        parts.into_iter().map(|(key, n)| (key.to_string(), n)).collect();
    world.print(&match arguments.output.format {
        Format::Json => {
            StatesDocument::new(&file, (&counts, None), bound, seconds, &parts).to_json()
        }
        Format::Text => text(&counts, bound, seconds, &parts),
    });
    Ok(if bound.is_some() { Exit::Unknown } else { Exit::Holds })
}

/// Counts the parts of a model: steps per action or participant, states per depth.
struct Parts {
    by: By,
    counts: BTreeMap<Key, u64>,
    depths: Vec<u32>,
}

/// What is counted together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Depth(u32),
    Name(String),
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Depth(depth) => write!(f, "{depth}"),
            Key::Name(name) => f.write_str(name),
        }
    }
}

impl Visitor for Parts {
    fn needs_states(&self) -> bool {
        self.by == By::Depth
    }

    fn met(&mut self, walk: &Explored<'_>, state: StateId, _: &[Value]) -> Flow {
        let depth = walk.parent(state).map_or(0, |parent| self.depths[parent.index()] + 1);
        self.depths.push(depth);
        *self.counts.entry(Key::Depth(depth)).or_default() += 1;
        ControlFlow::Continue(())
    }

    fn expanded(&mut self, walk: &Explored<'_>, expansion: &Expansion<'_>) -> Flow {
        let model = walk.space().model();
        for edge in expansion.edges.iter().filter(|_| self.by != By::Depth) {
            let action = model.action(edge.action);
            let names = match self.by {
                By::Participant => {
                    let participants = action.interaction.participants().into_iter();
                    participants
                        .map(|&participant| model.participant(participant).to_string())
                        .collect()
                }
                By::Action | By::Depth => vec![action.label],
            };
            for name in names {
                *self.counts.entry(Key::Name(name)).or_default() += 1;
            }
        }
        ControlFlow::Continue(())
    }

    fn bytes(&self) -> usize {
        self.depths.capacity() * size_of::<u32>()
    }
}

/// What to say where states in runs could not be counted.
pub(super) fn not_counted(error: Error) -> Stop {
    match error {
        Error::Store(trouble) => unusable(&trouble).into(),
        Error::Peers(message) => unshared(&message).into(),
        error => quadrille_engine::Stopped::Failed(error).into(),
    }
}

/// What was counted in runs.
pub(super) fn of_runs(file: &str, counted: &RunsOutcome, seconds: f64, format: Format) -> String {
    let RunsOutcome { outcome, stored, on_disk } = counted;
    let (counts, bound) = (outcome.counts, outcome.bound);
    match format {
        Format::Json => StatesDocument::new(file, (&counts, None), bound, seconds, &[])
            .in_runs(*stored, *on_disk)
            .to_json(),
        Format::Text => {
            text(&counts, bound, seconds, &[]) + &text_of_runs(counts.states, *stored, *on_disk)
        }
    }
}

/// What sorted runs take.
fn text_of_runs(states: u64, stored: u64, on_disk: Option<u64>) -> String {
    let place = if on_disk.is_some() { "on disk" } else { "runs" };
    let bytes = on_disk.unwrap_or(stored);
    let each = bytes as f64 / states.max(1) as f64;
    format!("{place:<16} {}, {each:.2} per state\n", quadrille_report::show_size(bytes))
}

/// What was counted by sets of states; no longest shortest path is known then.
fn text_of_sets(size: &Size, seconds: f64) -> String {
    let rows = [
        ("states", size.states.to_string()),
        ("transitions", size.transitions.to_string()),
        ("deadlocks", size.deadlocks.to_string()),
        ("engine", format!("symbolic, {} nodes", size.nodes)),
        ("memory", quadrille_report::show_size(size.bytes)),
        ("seconds", format!("{seconds:.3}")),
    ];
    rows.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "{name:<16} {value}");
        text
    })
}

fn text(counts: &Counts, bound: Option<Bound>, seconds: f64, parts: &[(String, u64)]) -> String {
    let mut text = String::new();
    if let Some(bound) = bound {
        let _ = writeln!(text, "unknown: {}; {}", bound_phrase(bound), bound_advice(bound));
        let _ = writeln!(text, "what was counted until then:");
    }
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<16} {value}");
    };
    row("states", counts.states.to_string());
    row("transitions", counts.transitions.to_string());
    row("deadlocks", counts.deadlocks.to_string());
    row(
        "depth",
        counts.depth.map_or("not known depth-first".to_owned(), |depth| depth.to_string()),
    );
    row("memory", quadrille_report::show_size(counts.bytes));
    row("bytes per state", format!("{:.1}", counts.bytes as f64 / counts.states.max(1) as f64));
    row("seconds", format!("{seconds:.3}"));
    let width = parts.iter().map(|(_, number)| number.to_string().len()).max().unwrap_or(0);
    for (name, number) in parts {
        let _ = writeln!(text, "  {number:>width$}  {name}");
    }
    text
}

//! `quadrille compare`: do two models behave alike?

use std::fmt::Write as _;
use std::path::Path;

use quadrille_diagnostic::Sources;
use quadrille_engine::Space;
use quadrille_engine::equivalence::{
    Bisimulation, Comparison, Difference, Relation, Side, View, Word, compare,
};
use quadrille_model::{Bound, Explicit, Model, StateId, Trace, Value};
use quadrille_report::{
    CompareDocument, DifferenceRecord, Story, bound_advice, bound_phrase, steps_text,
};

use crate::Ended;
use crate::arguments::{CompareArguments, Format, RelationArgument, SessionArguments};
use crate::exit::Exit;
use crate::input::load;
use crate::quantity::count;
use crate::steps::edge;
use crate::watch::Watcher;
use crate::world::World;

/// Labels that are internal unless others are named: what mCRL2 and CADP write.
const INTERNAL: [&str; 2] = ["tau", "i"];

/// A model and everything that can be reached in it.
struct Explored<'m> {
    space: Space<'m>,
    table: Explicit,
}

pub(crate) fn run(arguments: &CompareArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &arguments.limits);
    let session = SessionArguments::default();
    let left = load(&arguments.left, &session, &[], &mut watcher, sources)?;
    let right = load(&arguments.right, &session, &[], &mut watcher, sources)?;
    let start = world.now();
    let both = explore(left.model(), &arguments.left, &mut watcher)
        .and_then(|left| Ok([left, explore(right.model(), &arguments.right, &mut watcher)?]));
    left.sound()?;
    right.sound()?;
    let (comparison, both) = match both {
        Err(bound) => (Comparison::Unknown(bound), None),
        Ok(both) => {
            watcher.begin("comparing");
            let limits = watcher.limits();
            let relation = arguments.relation.into();
            let [left, right] = &both;
            let mut look = |progress: &_| watcher.look(progress);
            let view = view(arguments);
            let found = compare(&left.table, &right.table, relation, &view, limits, &mut look);
            (found, Some(both))
        }
    };
    watcher.end();
    let difference = match (&comparison, &both) {
        (Comparison::Differs(difference), Some(both)) => {
            Some(describe(difference, both, arguments.relation))
        }
        _ => None,
    };
    let (exit, bound) = match comparison {
        Comparison::Holds => (Exit::Holds, None),
        Comparison::Differs(_) => (Exit::Violated, None),
        Comparison::Unknown(bound) => (Exit::Unknown, Some(bound)),
    };
    world.print(&match arguments.format {
        Format::Text => text(arguments, exit, bound, difference.as_ref()),
        Format::Json => {
            let files = [&arguments.left, &arguments.right].map(|path| path.display().to_string());
            let files = [files[0].as_str(), files[1].as_str()];
            let word = arguments.relation.word();
            CompareDocument::new(files, word, exit.word(), bound, difference, start.seconds())
                .to_json()
        }
    });
    Ok(exit)
}

impl From<RelationArgument> for Relation {
    fn from(relation: RelationArgument) -> Self {
        match relation {
            RelationArgument::Strong => Relation::Bisimilar(Bisimulation::Strong),
            RelationArgument::Branching => Relation::Bisimilar(Bisimulation::Branching),
            RelationArgument::Weak => Relation::Bisimilar(Bisimulation::Weak),
            RelationArgument::Traces => Relation::SameTraces,
            RelationArgument::Inclusion => Relation::TracesIncluded,
        }
    }
}

impl RelationArgument {
    fn word(self) -> &'static str {
        match self {
            RelationArgument::Strong => "strong",
            RelationArgument::Branching => "branching",
            RelationArgument::Weak => "weak",
            RelationArgument::Traces => "traces",
            RelationArgument::Inclusion => "inclusion",
        }
    }

    /// The claim about two files.
    fn claim(self, left: &str, right: &str) -> String {
        match self {
            RelationArgument::Strong => format!("{left} and {right} are strongly bisimilar"),
            RelationArgument::Branching => format!("{left} and {right} are branching bisimilar"),
            RelationArgument::Weak => format!("{left} and {right} are weakly bisimilar"),
            RelationArgument::Traces => format!("{left} and {right} have the same traces"),
            RelationArgument::Inclusion => format!("every trace of {left} is one of {right}"),
        }
    }
}

fn view(arguments: &CompareArguments) -> View {
    let internal = if arguments.internal.is_empty() {
        INTERNAL.map(str::to_owned).into()
    } else {
        arguments.internal.iter().cloned().collect()
    };
    View { internal, ..View::default() }
}

fn explore<'m>(
    model: &'m dyn Model,
    path: &Path,
    watcher: &mut Watcher,
) -> Result<Explored<'m>, Bound> {
    watcher.begin(&path.display().to_string());
    let mut space = Space::new(model);
    let limits = watcher.limits();
    let table = space.tabulate(limits, &mut |progress| watcher.look(progress))?;
    Ok(Explored { space, table })
}

fn describe(
    difference: &Difference,
    [left, right]: &[Explored; 2],
    relation: RelationArgument,
) -> DifferenceRecord {
    let name = |side: &Side| match side {
        Side::Left => "left",
        Side::Right => "right",
    };
    match difference {
        Difference::Moves(moves) => DifferenceRecord::Moves { moves: *moves },
        Difference::Formulas { side, formulas } => DifferenceRecord::Formulas {
            side: name(side),
            formulas: formulas.iter().map(ToString::to_string).collect(),
        },
        Difference::Word(Word { side, observations, run }) => {
            let explored = match side {
                Side::Left => left,
                Side::Right => right,
            };
            let property = relation.claim("left", "right");
            let model = explored.space.model();
            let trace = Story::tell(&property, &translate(run, &explored.space), model);
            let observations = observations.iter().map(ToString::to_string).collect();
            DifferenceRecord::Trace { side: name(side), observations, trace }
        }
    }
}

/// From a run of the table to the run of the model it stands for: numbers of states and of actions
/// are the same.
fn translate(run: &Trace, space: &Space) -> Trace {
    let state = |values: &[Value]| StateId::new(values[0]);
    let mut edges = Vec::new();
    let mut from = state(&run.initial);
    for step in &run.steps {
        let to = state(&step.state);
        edges.push(edge(space, from, step.action, to));
        from = to;
    }
    space.trace(state(&run.initial), &edges, run.ending)
}

fn text(
    arguments: &CompareArguments,
    exit: Exit,
    bound: Option<Bound>,
    difference: Option<&DifferenceRecord>,
) -> String {
    let [left, right] = [&arguments.left, &arguments.right].map(|path| path.display().to_string());
    let claim = arguments.relation.claim(&left, &right);
    let mut text = format!("{}: {claim}\n", exit.word());
    if let Some(bound) = bound {
        let _ = writeln!(text, "  {}; {}", bound_phrase(bound), bound_advice(bound));
    }
    let file = |side: &str| if side == "left" { &left } else { &right };
    match difference {
        None => {}
        Some(DifferenceRecord::Moves { moves }) => {
            let moves = count(u64::from(*moves), "move");
            let _ = writeln!(text, "  they differ after {moves}; in words that would be too long");
        }
        Some(DifferenceRecord::Formulas { side, formulas }) => {
            let _ = writeln!(text, "  only {} starts where it", file(side));
            for formula in formulas {
                let _ = writeln!(text, "    {formula}");
            }
        }
        Some(DifferenceRecord::Trace { side, observations, trace }) => {
            let _ = writeln!(text, "  only {} can {}", file(side), observations.join(", "));
            let _ = write!(text, "\n{}", steps_text(trace));
        }
    }
    text
}

//! `quadrille compare`: do two models behave alike?

use std::fmt::Write as _;

use quadrille_diagnostic::Sources;
use quadrille_engine::equivalence::{Bisimulation, Difference, Relation, Side, View, Word};
use quadrille_model::Verdict;
use quadrille_query::{Answer, Config, Evidence, Question, Refused, Selection, Subject};
use quadrille_report::{
    CompareDocument, DifferenceRecord, bound_advice, bound_phrase, bounds_phrase, steps_text,
    story_of,
};

use crate::arguments::{CompareArguments, Format, RelationArgument};
use crate::exit::{Exit, coloured};
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, model};

/// Labels that are internal unless others are named: what mCRL2 and CADP write.
const INTERNAL: [&str; 2] = ["tau", "i"];

pub(crate) fn run(arguments: &CompareArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &arguments.limits);
    let selection = Selection::default();
    let left = model::one(&arguments.left, &selection, &mut watcher, sources)?;
    let right = model::one(&arguments.right, &selection, &mut watcher, sources)?;
    let question = Question::Compare {
        other: &right,
        relation: arguments.relation.into(),
        view: view(&arguments.internal, arguments.divergence),
    };
    let config = Config { limits: watcher.limits(), ..Config::default() };
    let answers = left.ask(&[question], &config, &mut watcher);
    watcher.end();
    let answers: Result<Vec<Answer>, Refused> = answers.into_iter().collect();
    let mut exit = Exit::Holds;
    for answer in answers? {
        exit = exit.and(Exit::of(&answer, false));
        let difference = difference(&answer, [&left, &right], arguments.relation);
        world.print(&match arguments.output.format {
            Format::Text => {
                let word = match exit {
                    Exit::Violated => "different",
                    exit => exit.word(),
                };
                let word = coloured(word, exit, world.output_style());
                text(arguments, &word, &answer, difference.as_ref(), world.width())
            }
            Format::Json => {
                let files = [&arguments.left, &arguments.right];
                let files = files.map(|path| path.display().to_string());
                let files = [files[0].as_str(), files[1].as_str()];
                let word = arguments.relation.word();
                CompareDocument::new(files, word, exit.word(), &answer, difference).to_json()
            }
        });
    }
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

    /// What was found about two files.
    fn claim(self, left: &str, right: &str, verdict: &Verdict) -> String {
        let are = if matches!(verdict, Verdict::Violated(_)) { "are not" } else { "are" };
        let differ = matches!(verdict, Verdict::Violated(_));
        match self {
            RelationArgument::Strong => format!("{left} and {right} {are} strongly bisimilar"),
            RelationArgument::Branching => format!("{left} and {right} {are} branching bisimilar"),
            RelationArgument::Weak => format!("{left} and {right} {are} weakly bisimilar"),
            RelationArgument::Traces if differ => {
                format!("{left} and {right} do not have the same traces")
            }
            RelationArgument::Traces => format!("{left} and {right} have the same traces"),
            RelationArgument::Inclusion if differ => {
                format!("{left} has a trace that {right} has not")
            }
            RelationArgument::Inclusion => format!("every trace of {left} is one of {right}"),
        }
    }
}

/// What is seen from outside.
pub(super) fn view(internal: &[String], divergence: bool) -> View {
    let internal = if internal.is_empty() {
        INTERNAL.map(str::to_owned).into()
    } else {
        internal.iter().cloned().collect()
    };
    View { internal, divergence, ..View::default() }
}

/// Why the two differ, if they do.
fn difference(
    answer: &Answer,
    subjects: [&Subject<'_>; 2],
    relation: RelationArgument,
) -> Option<DifferenceRecord> {
    let Evidence::Difference { difference, run } = &answer.evidence else { return None };
    let side = |side: &Side| match side {
        Side::Left => ("left", subjects[0]),
        Side::Right => ("right", subjects[1]),
    };
    Some(match difference {
        Difference::Moves(moves) => DifferenceRecord::Moves { moves: *moves },
        Difference::Formulas { side: which, formulas } => DifferenceRecord::Formulas {
            side: side(which).0,
            formulas: formulas.iter().map(ToString::to_string).collect(),
        },
        Difference::Word(Word { side: which, observations, .. }) => {
            let (name, subject) = side(which);
            let property = relation.claim("left", "right", &Verdict::Holds);
            let trace = story_of(subject, &property, run.as_ref()?);
            let observations = observations.iter().map(ToString::to_string).collect();
            DifferenceRecord::Trace { side: name, observations, trace }
        }
    })
}

fn text(
    arguments: &CompareArguments,
    word: &str,
    answer: &Answer,
    difference: Option<&DifferenceRecord>,
    width: usize,
) -> String {
    let [left, right] = [&arguments.left, &arguments.right].map(|path| path.display().to_string());
    let claim = arguments.relation.claim(&left, &right, &answer.verdict);
    let scope = bounds_phrase(&answer.assumptions);
    let mut text = format!("{word}: {claim}  ({scope})\n");
    if let Verdict::Unknown(bound) = answer.verdict {
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
            let _ = write!(text, "\n{}", steps_text(trace, width));
        }
    }
    text
}

//! From a story back to a trace: finds the run of a model that a story tells, by names only, so that
//! a trace file outlives a renumbering of the model it came from.

use quadrille_model::{ActionId, Ending, GroupId, Model, Problem, Reading, Step, Trace, Value};

use crate::story::{read, readings};
use crate::{Story, StoryEnding, Valuation};

/// Where a story does not fit a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The model has other slots.
    Slots {
        /// A slot that only one of the two has.
        slot: String,
    },
    /// No initial state is the story's.
    Initial,
    /// The model has no such step at this position.
    Step {
        /// Position in the story's steps, from 0.
        position: usize,
        /// The labels the model offers instead; the story's label among them means that only the
        /// state after it differs.
        offers: Vec<String>,
    },
    /// Every step fits; the end does not.
    Ending,
    /// The model could not compute what follows.
    Problem(Box<Problem>),
}

impl Mismatch {
    /// What does not fit, in a sentence about `story`.
    pub fn describe(&self, story: &Story) -> String {
        match self {
            Mismatch::Slots { slot } => {
                format!("the states of trace and model differ in their slots, first in `{slot}`")
            }
            Mismatch::Problem(problem) => problem.to_string(),
            Mismatch::Initial => "the model does not start in the state the trace starts in".into(),
            Mismatch::Ending => {
                "every step fits, but the model does not end or repeat as the trace says".into()
            }
            Mismatch::Step { position, offers } => {
                let number = position + 1;
                let action = story.steps.get(*position).map_or("", |step| step.action.as_str());
                if offers.iter().any(|offer| offer == action) {
                    return format!(
                        "step {number}, `{action}`, leads to another state in the model"
                    );
                }
                let mut offers: Vec<String> = offers.iter().map(|o| format!("`{o}`")).collect();
                let n_more = offers.len().saturating_sub(MAX_OFFERS);
                offers.truncate(MAX_OFFERS);
                if n_more > 0 {
                    offers.push(format!("{n_more} more"));
                }
                let offers = if offers.is_empty() { "nothing".into() } else { offers.join(", ") };
                format!(
                    "step {number}, `{action}`, is not possible there; the model offers {offers}"
                )
            }
        }
    }
}

/// Actions that a message lists before it says how many more there are.
const MAX_OFFERS: usize = 8;

/// A run under reconstruction: a state and the one it was reached from.
struct Candidate {
    parent: usize,
    step: Step,
}

/// Finds the run of `model` that `story` tells.
///
/// All runs that show the same names are followed at once, since distinct states may print alike.
pub fn retrace(story: &Story, model: &dyn Model) -> Result<Trace, Mismatch> {
    let readings = readings(model);
    let names: Vec<String> = readings.iter().map(|reading| reading.name.clone()).collect();
    same_slots(&names, &story.initial)?;
    let mut state = story.initial.clone();
    let mut starts: Vec<Vec<Value>> = Vec::new();
    let mut explorer = model.explorer();
    let started = explorer.each_initial(|found| {
        if shows(model, &readings, found, &state) && !starts.iter().any(|known| known == found) {
            starts.push(found.to_vec());
        }
    });
    started.map_err(Mismatch::Problem)?;
    if starts.is_empty() {
        return Err(Mismatch::Initial);
    }
    let mut levels: Vec<Vec<Candidate>> = Vec::with_capacity(story.steps.len());
    for (position, step) in story.steps.iter().enumerate() {
        state.update(&step.changes);
        let mut level: Vec<Candidate> = Vec::new();
        let mut offers: Vec<String> = Vec::new();
        let before: Vec<&[Value]> = match levels.last() {
            None => starts.iter().map(Vec::as_slice).collect(),
            Some(level) => level.iter().map(|candidate| candidate.step.state.as_slice()).collect(),
        };
        for (parent, from) in before.into_iter().enumerate() {
            let look = |group: GroupId, action: ActionId, to: &[Value]| {
                let label = model.action(action).label;
                if label == step.action && shows(model, &readings, to, &state) {
                    let found = Step { group, action, state: to.to_vec() };
                    if !level.iter().any(|known| known.step == found) {
                        level.push(Candidate { parent, step: found });
                    }
                }
                offers.push(label);
            };
            explorer.each_successor(from, look).map_err(Mismatch::Problem)?;
        }
        if level.is_empty() {
            offers.sort();
            offers.dedup();
            return Err(Mismatch::Step { position, offers });
        }
        levels.push(level);
    }
    let n_last = levels.last().map_or(starts.len(), Vec::len);
    (0..n_last)
        .map(|last| assemble(story, &starts, &levels, last))
        .find(|trace| trace.replay(model).is_ok())
        .ok_or(Mismatch::Ending)
}

/// The trace that ends in candidate `last` of the last level.
fn assemble(story: &Story, starts: &[Vec<Value>], levels: &[Vec<Candidate>], last: usize) -> Trace {
    let mut at = last;
    let mut steps = Vec::with_capacity(levels.len());
    for level in levels.iter().rev() {
        steps.push(level[at].step.clone());
        at = level[at].parent;
    }
    steps.reverse();
    let ending = match story.ending {
        StoryEnding::Prefix | StoryEnding::Refused { .. } => Ending::Prefix,
        StoryEnding::Stuck { .. } => Ending::Stuck,
        StoryEnding::Finished => Ending::Finished,
        StoryEnding::Loop { from } => Ending::Loop { from },
    };
    Trace { initial: starts[at].clone(), steps, ending }
}

fn same_slots(slots: &[String], told: &Valuation) -> Result<(), Mismatch> {
    let only_told = told.iter().map(|(slot, _)| slot).find(|slot| !slots.iter().any(|s| s == slot));
    let only_here = slots.iter().map(String::as_str).find(|slot| told.get(slot).is_none());
    match only_told.or(only_here) {
        Some(slot) => Err(Mismatch::Slots { slot: slot.to_owned() }),
        None if told.iter().map(|(slot, _)| slot).eq(slots.iter().map(String::as_str)) => Ok(()),
        None => Err(Mismatch::Slots { slot: slots[0].clone() }),
    }
}

/// Whether a state prints as told; the entries are known to be the same, in the same order.
fn shows(model: &dyn Model, readings: &[Reading], state: &[Value], told: &Valuation) -> bool {
    let mut entries = readings.iter().zip(told.iter());
    entries.all(|(reading, (_, value))| read(model, reading, state) == *value)
}

//! Looks at a counterexample a second time, from scratch, before it is shown: its letters
//! violate the formula by the definition of the operators, and its loop is fair. Shares nothing with
//! automata and searches.

use std::collections::BTreeMap;
use std::fmt;

use quadrille_logic::{Formula, Letter};
use quadrille_model::{
    ActionId, Ending, GroupId, Model, Problem, Runs, Step, TaskId, Trace, Value,
};

use super::fairness::FairTasks;
use crate::Error;
use crate::interpretation::Interpretation;

/// Why a run that the model performs is no counterexample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// Runs that end this way do not count.
    WrongEnding,
    /// It satisfies the formula.
    Satisfied,
    /// It is not fair to this task.
    Unfair(TaskId),
    /// One algorithm found that there is one, another that there is none.
    Lost,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::WrongEnding => f.write_str("runs that end this way do not count"),
            Flaw::Satisfied => f.write_str("it satisfies the formula"),
            Flaw::Lost => f.write_str("a second search did not find it"),
            Flaw::Unfair(task) => write!(f, "it is not fair to task {}", task.number()),
        }
    }
}

/// The letters of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// Those of a run that ends.
    Finite(Vec<Letter>),
    /// Those up to a loop, and those of the loop.
    Infinite(Vec<Letter>, Vec<Letter>),
}

impl Word {
    /// Whether a formula holds on the word, by definition.
    pub fn satisfies(&self, formula: &Formula) -> bool {
        match self {
            Word::Finite(letters) => formula.holds_on_word(letters),
            Word::Infinite(stem, cycle) => formula.holds_on_lasso(stem, cycle),
        }
    }
}

/// The word of a run; `None` if runs that end this way do not count.
///
/// The letter of a step has the propositions of the state that it leaves and its action; the state
/// that a run ends in has a letter without action, once in a finite word and for ever otherwise.
pub(super) fn word(
    trace: &Trace,
    model: &dyn Model,
    interpretation: &Interpretation,
    runs: Runs,
) -> Result<Option<Word>, Box<Problem>> {
    let mut explorer = model.explorer();
    let mut letters: Vec<Letter> = Vec::new();
    for (position, step) in trace.steps.iter().enumerate() {
        let state = interpretation.state_letter(&mut *explorer, trace.state(position))?;
        letters.push(state | interpretation.action_letter(model, step.action));
    }
    Ok(match (runs, trace.ending) {
        (Runs::Maximal | Runs::Infinite, Ending::Loop { from }) => {
            let cycle = letters.split_off(from);
            Some(Word::Infinite(letters, cycle))
        }
        (Runs::Maximal, Ending::Stuck | Ending::Finished) => {
            let silence = interpretation.state_letter(&mut *explorer, trace.last())?;
            Some(Word::Infinite(letters, vec![silence]))
        }
        (Runs::Finite, Ending::Finished) => {
            letters.push(interpretation.state_letter(&mut *explorer, trace.last())?);
            Some(Word::Finite(letters))
        }
        _ => None,
    })
}

/// Most steps that are taken to extend a run.
const MOST_STEPS: usize = 1 << 16;

/// A run that begins like the given one, whose end is open, and goes on until it ends or comes back
/// to where it was; always by the first way on. `None` where that takes too long or cannot be computed.
pub(super) fn extended(prefix: &Trace, model: &dyn Model) -> Option<Trace> {
    let mut run = prefix.clone();
    let mut explorer = model.explorer();
    let mut positions: BTreeMap<Vec<Value>, usize> = BTreeMap::new();
    for _ in 0..MOST_STEPS {
        let here = run.last().to_vec();
        if let Some(&from) = positions.get(&here) {
            run.ending = Ending::Loop { from };
            return Some(run);
        }
        positions.insert(here.clone(), run.steps.len());
        let mut next = None;
        let first = |group: GroupId, action: ActionId, state: &[Value]| {
            next.get_or_insert_with(|| Step { group, action, state: state.to_vec() });
        };
        explorer.each_successor(&here, first).ok()?;
        let Some(step) = next else {
            run.ending =
                if explorer.may_end(&here).ok()? { Ending::Finished } else { Ending::Stuck };
            return Some(run);
        };
        run.steps.push(step);
    }
    None
}

/// Whether the loop of a run, if it has one, is fair.
pub(super) fn is_fair(trace: &Trace, model: &dyn Model, fair: &FairTasks) -> Result<(), Error> {
    let Ending::Loop { from } = trace.ending else { return Ok(()) };
    let groups = &model.signature().groups;
    let mut explorer = model.explorer();
    let mut n_enabled = |task: TaskId| -> Result<usize, Error> {
        let own = (0..groups.len()).filter(|&group| groups[group].task == task);
        let own: Vec<GroupId> = own.map(GroupId::from_usize).collect();
        let mut n_enabled = 0;
        for position in from..trace.steps.len() {
            for &group in &own {
                if explorer.is_enabled(group, trace.state(position))? {
                    n_enabled += 1;
                    break;
                }
            }
        }
        Ok(n_enabled)
    };
    let is_taken = |task| trace.steps[from..].iter().any(|s| groups[s.group.index()].task == task);
    for &task in fair.weak().iter().filter(|&&task| !is_taken(task)) {
        if n_enabled(task)? == trace.steps.len() - from {
            return Err(Error::Flawed(Flaw::Unfair(task)));
        }
    }
    for &task in fair.strong().iter().filter(|&&task| !is_taken(task)) {
        if n_enabled(task)? > 0 {
            return Err(Error::Flawed(Flaw::Unfair(task)));
        }
    }
    Ok(())
}

//! Runs of a model as evidence: a start, steps, and how it ends.

use crate::{ActionId, GroupId, Model, Value};

/// A run of a model. Every counterexample is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The state it starts in.
    pub initial: Vec<Value>,
    /// What happens.
    pub steps: Vec<Step>,
    /// How it ends.
    pub ending: Ending,
}

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The group that made it.
    pub group: GroupId,
    /// Its label.
    pub action: ActionId,
    /// The state it leads to.
    pub state: Vec<Value>,
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It is a prefix: what it shows is in its last state or step.
    Prefix,
    /// The last state has no successor and may not end.
    Stuck,
    /// The system finishes in the last state: silence follows.
    Finished,
    /// The last state equals the one before step `from`; the steps from there repeat for ever.
    Loop {
        /// Position in `steps` of the first repeated step.
        from: usize,
    },
}

impl Trace {
    /// The state before step `position`; `steps.len()` gives the last state.
    pub fn state(&self, position: usize) -> &[Value] {
        match position.checked_sub(1) {
            None => &self.initial,
            Some(before) => &self.steps[before].state,
        }
    }

    /// The last state.
    pub fn last(&self) -> &[Value] {
        self.state(self.steps.len())
    }

    /// Runs the trace on a model again and says where it does not fit, if anywhere.
    pub fn replay(&self, model: &dyn Model) -> Result<(), Misfit> {
        let mut starts = false;
        model.initial(&mut |state| starts |= state == self.initial);
        if !starts {
            return Err(Misfit::Initial);
        }
        for (position, step) in self.steps.iter().enumerate() {
            let mut found = false;
            let mut look = |group: GroupId, action: ActionId, state: &[Value]| {
                found |= group == step.group && action == step.action && state == step.state;
            };
            model.expand(self.state(position), &mut look);
            if !found {
                return Err(Misfit::Step(position));
            }
        }
        let ends = match self.ending {
            Ending::Prefix => true,
            Ending::Stuck => !has_successor(model, self.last()) && !model.may_end(self.last()),
            Ending::Finished => model.may_end(self.last()),
            Ending::Loop { from } => from < self.steps.len() && self.state(from) == self.last(),
        };
        if ends { Ok(()) } else { Err(Misfit::Ending) }
    }
}

/// Where a trace does not fit a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// It does not start in an initial state.
    Initial,
    /// The step at this position is not one of the model's.
    Step(usize),
    /// It does not end as it says.
    Ending,
}

fn has_successor(model: &dyn Model, state: &[Value]) -> bool {
    let mut found = false;
    model.expand(state, &mut |_: GroupId, _: ActionId, _: &[Value]| found = true);
    found
}

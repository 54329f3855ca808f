//! Runs of a model as evidence: a start, steps, and how it ends.

use std::ops::ControlFlow;

use crate::{ActionId, Flow, GroupId, Halt, Model, Value};

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
        let mut explorer = model.explorer();
        let mut starts = false;
        let _ = explorer.initial(&mut |state| seek(&mut starts, state == self.initial));
        if !starts {
            return Err(Misfit::Initial);
        }
        for (position, step) in self.steps.iter().enumerate() {
            let mut found = false;
            let _ = explorer.expand(self.state(position), &mut |group, action, state: &[Value]| {
                let is_it = group == step.group && action == step.action && state == step.state;
                seek(&mut found, is_it)
            });
            if !found {
                return Err(Misfit::Step(position));
            }
        }
        let last = self.last();
        let mut goes_on = || {
            let mut found = false;
            let flow = explorer.expand(last, &mut |_, _, _: &[Value]| seek(&mut found, true));
            found || flow.is_break()
        };
        let ends = match self.ending {
            Ending::Prefix => true,
            Ending::Stuck => !goes_on() && explorer.may_end(last) == Ok(false),
            Ending::Finished => explorer.may_end(last) == Ok(true),
            Ending::Loop { from } => from < self.steps.len() && self.state(from) == last,
        };
        if ends { Ok(()) } else { Err(Misfit::Ending) }
    }
}

/// Ends an enumeration when what is looked for was seen.
fn seek(found: &mut bool, is_it: bool) -> Flow {
    *found = is_it;
    if is_it { ControlFlow::Break(Halt::Enough) } else { ControlFlow::Continue(()) }
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

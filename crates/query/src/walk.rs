//! A run that grows by one chosen step at a time: what can happen next, undoing, going along a run that
//! was found. Knows no terminal and no words.

use quadrille_graph::SplitMix;
use quadrille_model::{Ending, Model, Problem, Step, Trace, Value};

/// A run under construction, and what can happen after it. The model is handed over at every call,
/// because reading a formula may change it.
pub struct Walk {
    starts: Vec<Vec<Value>>,
    run: Trace,
    next: Result<Next, Box<Problem>>,
    random: SplitMix,
}

/// What can happen after a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Next {
    /// The steps that are enabled, as the model reports them.
    pub steps: Vec<Step>,
    /// Whether the system may stop.
    pub may_end: bool,
}

impl Walk {
    /// Begins in the first initial state, if there is one; `seed` decides what is chosen at random.
    pub fn new(model: &dyn Model, seed: u64) -> Result<Option<Walk>, Box<Problem>> {
        let mut starts = Vec::new();
        model.explorer().each_initial(|state| starts.push(state.to_vec()))?;
        let Some(first) = starts.first().cloned() else { return Ok(None) };
        let run = Trace { initial: first, steps: Vec::new(), ending: Ending::Prefix };
        let next = next(model, run.last());
        Ok(Some(Walk { starts, run, next, random: SplitMix::new(seed) }))
    }

    /// The initial states.
    pub fn starts(&self) -> &[Vec<Value>] {
        &self.starts
    }

    /// The run so far; its ending says whether the system is stuck or has finished.
    pub fn run(&self) -> Trace {
        let ending = match &self.next {
            Ok(Next { steps, may_end }) if steps.is_empty() => {
                if *may_end {
                    Ending::Finished
                } else {
                    Ending::Stuck
                }
            }
            _ => Ending::Prefix,
        };
        Trace { ending, ..self.run.clone() }
    }

    /// How many steps were taken.
    pub fn n_steps(&self) -> usize {
        self.run.steps.len()
    }

    /// The last step by itself, as a run of one step.
    pub fn last_step(&self) -> Option<Trace> {
        let step = self.run.steps.last()?.clone();
        let before = self.run.state(self.n_steps() - 1).to_vec();
        Some(Trace { initial: before, steps: vec![step], ending: Ending::Prefix })
    }

    /// What can happen next, or why that cannot be computed.
    pub fn next(&self) -> Result<&Next, &Problem> {
        self.next.as_ref().map_err(|problem| &**problem)
    }

    /// Takes one of the steps that can happen next, by its position; whether there is one.
    pub fn take(&mut self, model: &dyn Model, position: usize) -> bool {
        let step = self.next.as_ref().ok().and_then(|next| next.steps.get(position).cloned());
        let taken = step.is_some();
        self.run.steps.extend(step);
        self.look(model);
        taken
    }

    /// Takes a step at random, each with the same probability; whether there was one.
    pub fn take_any(&mut self, model: &dyn Model) -> bool {
        let n_steps = self.next.as_ref().map_or(0, |next| next.steps.len());
        let chosen = self.random.below(n_steps);
        self.take(model, chosen)
    }

    /// Takes back up to so many steps, and says how many.
    pub fn undo(&mut self, model: &dyn Model, n_steps: usize) -> usize {
        let before = self.n_steps();
        self.run.steps.truncate(before.saturating_sub(n_steps));
        self.look(model);
        before - self.n_steps()
    }

    /// Begins again in an initial state, by its position; whether there is one.
    pub fn start(&mut self, model: &dyn Model, position: usize) -> bool {
        let Some(initial) = self.starts.get(position).cloned() else { return false };
        self.follow(model, Trace { initial, steps: Vec::new(), ending: Ending::Prefix });
        true
    }

    /// Goes to the end of a run of the model.
    pub fn follow(&mut self, model: &dyn Model, run: Trace) {
        self.run = Trace { ending: Ending::Prefix, ..run };
        self.look(model);
    }

    fn look(&mut self, model: &dyn Model) {
        self.next = next(model, self.run.last());
    }
}

fn next(model: &dyn Model, state: &[Value]) -> Result<Next, Box<Problem>> {
    let mut explorer = model.explorer();
    let mut steps = Vec::new();
    explorer.each_successor(state, |group, action, state| {
        steps.push(Step { group, action, state: state.to_vec() });
    })?;
    Ok(Next { steps, may_end: explorer.may_end(state)? })
}

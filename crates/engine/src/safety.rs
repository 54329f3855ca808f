//! Deadlock, invariants and forbidden actions: properties that one finite run refutes. Each is a
//! [`Visitor`] that waits for the state or edge which shows it.

use std::ops::ControlFlow;

use quadrille_model::{
    ActionId, Bound, Counts, Ending, Flow, Halt, Model, Problem, StateId, Value, Verdict,
};

use crate::explore::{Config, Expansion, Explored, Visitor, explore};
use crate::limits::Observer;
use crate::space::Edge;
use crate::sweep::{Sift, Sight};
use crate::{Error, Stopped};

/// A condition on state vectors.
pub type StateTest<'a> = dyn Fn(&[Value]) -> Result<bool, Box<Problem>> + 'a;

/// A condition on actions.
pub type ActionTest<'a> = dyn Fn(ActionId) -> bool + 'a;

/// A property that one finite run refutes.
pub enum Property<'a> {
    /// Wherever the system has no next step, it may end.
    DeadlockFree,
    /// Every reachable state satisfies this. To ask whether a state can be reached, demand that
    /// it never is: the counterexample shows the way.
    Always(Box<StateTest<'a>>),
    /// No reachable edge has an action that satisfies this.
    Never(Box<ActionTest<'a>>),
}

/// A property being checked during a walk.
pub struct Safety<'a> {
    property: Property<'a>,
    /// Where it is a condition on states: the same for several threads, which tells those that refute it.
    sift: Option<Box<dyn Sift + 'a>>,
    /// The state that refutes it, and the edge if one does.
    refuted: Option<(StateId, Option<Edge>)>,
}

impl<'a> Safety<'a> {
    /// A property that nothing refutes yet.
    pub fn new(property: Property<'a>) -> Self {
        Self { property, sift: None, refuted: None }
    }

    /// The same, with a condition for several threads that wants exactly those states to be seen that
    /// refute the property.
    pub fn sifted(self, sift: Option<Box<dyn Sift + 'a>>) -> Self {
        Self { sift, ..self }
    }

    /// Whether a refutation was met; [`Safety::verdict`] shows it.
    pub fn is_refuted(&self) -> bool {
        self.refuted.is_some()
    }

    /// The verdict after a walk that this visitor attended.
    pub fn verdict(&self, walk: &Explored<'_>) -> Result<Verdict, Error> {
        let Some((state, edge)) = self.refuted else {
            return walk.stopped().map_or(Ok(Verdict::Holds), |stopped| stopped.clone().verdict());
        };
        let ending = match self.property {
            Property::DeadlockFree => Ending::Stuck,
            Property::Always(_) | Property::Never(_) => Ending::Prefix,
        };
        Ok(Verdict::Violated(Some(walk.trace(state, edge, ending)?)))
    }

    fn refute(&mut self, state: StateId, edge: Option<Edge>) -> Flow {
        self.refuted = Some((state, edge));
        ControlFlow::Break(Halt::Enough)
    }
}

impl Visitor for Safety<'_> {
    fn needs_states(&self) -> bool {
        matches!(self.property, Property::Always(_))
    }

    fn met(&mut self, _: &Explored<'_>, state: StateId, values: &[Value]) -> Flow {
        match &self.property {
            Property::Always(holds) => match holds(values) {
                Ok(true) => ControlFlow::Continue(()),
                Ok(false) => self.refute(state, None),
                Err(problem) => ControlFlow::Break(problem.into()),
            },
            _ => ControlFlow::Continue(()),
        }
    }

    fn expanded(&mut self, _: &Explored<'_>, expansion: &Expansion<'_>) -> Flow {
        match &self.property {
            Property::DeadlockFree if expansion.deadlock => self.refute(expansion.state, None),
            Property::Never(is_wanted) => {
                match expansion.edges.iter().find(|edge| is_wanted(edge.action)) {
                    Some(&edge) => self.refute(expansion.state, Some(edge)),
                    None => ControlFlow::Continue(()),
                }
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn can_sweep(&self) -> bool {
        true
    }

    fn needs_steps(&self) -> bool {
        matches!(self.property, Property::Never(_))
    }

    fn sift(&self) -> Option<&dyn Sift> {
        self.sift.as_deref()
    }

    fn swept(&mut self, sight: Sight<'_>) -> Flow {
        let refutes = match (&self.property, sight) {
            (Property::DeadlockFree, Sight::Deadlock) => true,
            (Property::Always(holds), Sight::State(values)) => !matches!(holds(values), Ok(true)),
            (Property::Never(is_wanted), Sight::Step(_, action)) => is_wanted(action),
            _ => false,
        };
        if refutes { ControlFlow::Break(Halt::Enough) } else { ControlFlow::Continue(()) }
    }
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// One per property, in order.
    pub verdicts: Vec<Verdict>,
    /// What was explored: everything, unless a bound was reached or every property was refuted.
    pub counts: Counts,
    /// The bound that ended the search, if one did.
    pub bound: Option<Bound>,
}

/// Checks properties in one walk of their own that ends when all of them are refuted. Without any,
/// it explores everything for its counts. Where other questions are asked too, use [`explore`].
pub fn check(
    model: &dyn Model,
    properties: Vec<Property<'_>>,
    config: &Config,
    observer: &mut Observer<'_>,
) -> Result<Outcome, Error> {
    let mut all: Vec<Safety<'_>> = properties.into_iter().map(Safety::new).collect();
    let mut visitors: Vec<&mut dyn Visitor> =
        all.iter_mut().map(|safety| safety as &mut dyn Visitor).collect();
    let walk = explore(model, config, &mut visitors, observer);
    let bound = match walk.stopped() {
        None => None,
        Some(Stopped::Bound(bound)) => Some(*bound),
        Some(Stopped::Failed(error)) => return Err(error.clone()),
    };
    let verdicts = all.iter().map(|safety| safety.verdict(&walk)).collect::<Result<_, _>>()?;
    Ok(Outcome { verdicts, counts: walk.counts(), bound })
}

#[cfg(test)]
mod tests;

//! Deadlock, invariants and reachability: properties that one finite run refutes. Looks at each
//! visit of a [`Search`] and turns what it finds into verdicts.

use std::ops::ControlFlow;

use quadrille_model::{ActionId, Bound, Counts, Ending, Model, StateId, Trace, Value, Verdict};

use crate::evidence::{Unrepeatable, replayed};
use crate::limits::{Limits, Observer, Watch};
use crate::search::{Order, Search};
use crate::space::Edge;

/// A condition on state vectors.
pub type StateTest<'a> = dyn Fn(&[Value]) -> bool + 'a;

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

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Which state is expanded next.
    pub order: Order,
    /// When to give up.
    pub limits: Limits,
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

/// Checks properties together, in one search that ends when all of them are refuted. Without any,
/// it explores everything for its counts.
pub fn check(
    model: &dyn Model,
    properties: &[Property<'_>],
    config: Config,
    observer: &mut Observer<'_>,
) -> Result<Outcome, Unrepeatable> {
    let mut watch = Watch::new(config.limits, observer);
    let mut judge = Judge {
        search: Search::new(model, config.order),
        properties,
        refuted: vec![None; properties.len()],
        n_open: properties.len(),
    };
    let bound = judge.run(&mut watch)?;
    let verdicts = judge.refuted.into_iter().map(|trace| match (trace, bound) {
        (Some(trace), _) => Verdict::Violated(Some(trace)),
        (None, Some(bound)) => Verdict::Unknown(bound),
        (None, None) => Verdict::Holds,
    });
    Ok(Outcome { verdicts: verdicts.collect(), counts: judge.search.counts(), bound })
}

/// Properties being checked during a search.
struct Judge<'a, 'm> {
    search: Search<'m>,
    properties: &'a [Property<'a>],
    /// Per property, the trace that refutes it.
    refuted: Vec<Option<Trace>>,
    n_open: usize,
}

impl Judge<'_, '_> {
    /// Searches to the end, or until every property is refuted, or until a bound is reached.
    fn run(&mut self, watch: &mut Watch<'_>) -> Result<Option<Bound>, Unrepeatable> {
        let has = |wanted: fn(&Property) -> bool| self.properties.iter().any(wanted);
        let looks_at_states = has(|property| matches!(property, Property::Always(_)));
        let looks_at_edges = has(|property| matches!(property, Property::Never(_)));
        if looks_at_states {
            for number in 0..self.search.space.n_states() {
                self.look_at_state(StateId::from_usize(number))?;
            }
        }
        while self.n_open > 0 || self.properties.is_empty() {
            let Some(visit) = self.search.step() else { return Ok(None) };
            if visit.stuck {
                self.look_at_deadlock(visit.state)?;
            }
            if looks_at_edges {
                self.look_at_edges(visit.state)?;
            }
            if looks_at_states {
                for number in visit.fresh {
                    self.look_at_state(StateId::new(number))?;
                }
            }
            let n_states = self.search.space.n_states();
            if let ControlFlow::Break(bound) = watch.check(n_states, || self.search.progress()) {
                return Ok(Some(bound));
            }
        }
        Ok(None)
    }

    fn look_at_deadlock(&mut self, state: StateId) -> Result<(), Unrepeatable> {
        for position in 0..self.properties.len() {
            if matches!(self.properties[position], Property::DeadlockFree) {
                self.refute(position, state, None, Ending::Stuck)?;
            }
        }
        Ok(())
    }

    fn look_at_state(&mut self, state: StateId) -> Result<(), Unrepeatable> {
        for position in 0..self.properties.len() {
            let Property::Always(holds) = &self.properties[position] else { continue };
            if self.refuted[position].is_none() && !holds(self.search.space.view(state)) {
                self.refute(position, state, None, Ending::Prefix)?;
            }
        }
        Ok(())
    }

    /// Looks at the edges of the state expanded last.
    fn look_at_edges(&mut self, state: StateId) -> Result<(), Unrepeatable> {
        for position in 0..self.properties.len() {
            let Property::Never(is_wanted) = &self.properties[position] else { continue };
            let mut edges = self.search.space.edges().iter();
            if let Some(&edge) = edges.find(|edge| is_wanted(edge.action)) {
                self.refute(position, state, Some(edge), Ending::Prefix)?;
            }
        }
        Ok(())
    }

    /// Keeps the first trace that refutes a property: to a state, and one step more if given.
    fn refute(
        &mut self,
        position: usize,
        state: StateId,
        last: Option<Edge>,
        ending: Ending,
    ) -> Result<(), Unrepeatable> {
        if self.refuted[position].is_some() {
            return Ok(());
        }
        let (initial, mut edges) = self.search.path(state)?;
        edges.extend(last);
        let trace = self.search.space.trace(initial, &edges, ending);
        self.refuted[position] = Some(replayed(self.search.space.model(), trace)?);
        self.n_open -= 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;

//! Every length of run: all states that can follow each other, found by the solver one after the other,
//! and over them the automaton of what is left of the specification, as sets of promises (Lichtenstein
//! and Pnueli 1985; generalized acceptance by components). For specifications of which facts say at
//! every state what the next one may be, so that there are few states.

mod graph;
mod lasso;
mod shortest;
mod skeleton;

use quadrille_solve::Circuit;

use crate::core::{NodeId, Tense};
use crate::evaluate::{Evaluator, Values};
use crate::induction::{Assumed, assume};
use crate::lower::Lowered;
use crate::scope::Bounds;
use crate::translate::Kept;
use graph::Graph;
use skeleton::Skeleton;

/// What came out.
pub(crate) enum Explored {
    /// No run of any length; how many states and steps there are.
    None(usize, usize),
    /// A run that ends in a loop, and whether no run is shorter.
    Found(Box<Values>, bool),
    /// There are more states or steps than were wanted.
    TooMuch,
    /// Facts leave open what the next state may be, or there are operators that this does not know.
    Unfit,
    /// It was told to stop.
    Stopped,
}

/// Looks for a run among all states, of which there may be so many steps.
pub(crate) fn explore(
    bounds: &Bounds,
    lowered: &Lowered,
    classes: &[Vec<u16>],
    most: usize,
    stop: &dyn Fn() -> bool,
) -> Explored {
    if !bounds.relations.iter().any(|relation| relation.is_var) {
        return Explored::Unfit;
    }
    let mut bounds = bounds.clone();
    let mut assumed = Assumed::default();
    for claim in lowered.facts.iter().chain(&lowered.goal) {
        assume(&bounds.core, claim.formula, &mut assumed);
    }
    // What is said of the first step is no property of a state.
    let (steps, first): (Vec<NodeId>, Vec<NodeId>) =
        assumed.first.iter().partition(|it| bounds.core.tense(**it) == Tense::Temporal);
    assumed.first = first;
    let left = [steps, std::mem::take(&mut assumed.rest)].concat();
    // Facts that say nothing about the next state leave everything open.
    if !assumed.always.iter().any(|formula| bounds.core.tense(*formula) == Tense::Temporal) {
        return Explored::Unfit;
    }
    let (mut circuit, mut kept) = (Circuit::default(), Kept::default());
    let Some(skeleton) = Skeleton::new(&mut bounds, &left, &mut circuit, &mut kept, stop) else {
        return Explored::Unfit;
    };
    let graph = Graph::new(&bounds, &assumed, &skeleton, classes, circuit, kept, most, stop);
    let graph = match graph {
        Ok(graph) => graph,
        Err(explored) => return explored,
    };
    match lasso::find(&graph, &skeleton, stop) {
        lasso::Looked::Stopped => Explored::Stopped,
        lasso::Looked::TooMuch => Explored::TooMuch,
        lasso::Looked::None => Explored::None(graph.n_states(), graph.n_edges()),
        lasso::Looked::Found(states, back_to, is_shortest) => {
            let values = graph.values(&bounds, &states, back_to);
            let mut evaluator = Evaluator::new(&bounds, &values);
            for claim in lowered.facts.iter().chain(&lowered.goal) {
                assert!(
                    evaluator.holds(claim.formula, 0),
                    "a run does not satisfy what it was found for: {:?}",
                    claim.span
                );
            }
            Explored::Found(Box::new(values), is_shortest)
        }
    }
}

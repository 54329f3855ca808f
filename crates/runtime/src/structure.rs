//! A plan whose automata have forks: parallel parts stay small automata of their own, which are started and joined, and
//! are never multiplied.
//!
//! A [`Fork`] leaves a state, starts an automaton for each of its parts, and goes on in another state when all parts have
//! ended. Parts end in states without steps, so that it is never open whether a part goes on or ends. Where a state
//! also has steps of its own, as the head of a loop whose body is parallel, the first step of any part starts them all.

use crate::plan::Plan;

/// Parallel parts of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fork {
    /// The states that it leaves.
    pub at: Vec<u32>,
    /// The first state of each part, at least two. A state belongs to one part.
    pub parts: Vec<u32>,
    /// The state after all of them.
    pub then: u32,
}

/// A plan and the forks of its automata. Without forks it is the plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Structure {
    /// The automata, each with the states of all its parts.
    pub plan: Plan,
    /// The forks of the strict form.
    pub strict: Vec<Fork>,
    /// The forks of the liberal form, by role; empty where it has none.
    pub locals: Vec<Vec<Fork>>,
}

impl From<Plan> for Structure {
    fn from(plan: Plan) -> Self {
        let locals = vec![Vec::new(); plan.locals.len()];
        Self { plan, strict: Vec::new(), locals }
    }
}

//! From a system to its classes: which stages of collapsing and refining each bisimulation takes,
//! and the quotient at the end. Knows no explanations.

use std::ops::ControlFlow;

use quadrille_graph::{Bisimulation, Partition, Refinement};
use quadrille_model::{Bound, StateId};

use super::system::System;
use crate::limits::Watch;

/// The states of a system, sorted into classes of a bisimulation.
pub(super) struct Classified {
    /// The system that was refined: the given one with fewer states that are surely equivalent.
    pub system: System,
    /// Where each given state is in `system`.
    pub place: Vec<StateId>,
    pub refinement: Refinement,
}

/// A system whose states are classes.
pub(super) struct Quotient {
    pub system: System,
    /// The class of each given state.
    pub class_of: Vec<StateId>,
}

/// Finds the classes. Branching and weak bisimulation first make one state of each internal cycle;
/// weak bisimulation, whose signatures are long, starts from the classes of the branching one.
pub(super) fn classify(
    system: &System,
    kind: Bisimulation,
    divergence: bool,
    watch: &mut Watch<'_>,
) -> Result<Classified, Bound> {
    // The given system, the collapsed one, and the edges it is made of.
    watch.allocated(4 * system.bytes())?;
    let (system, place) = match kind {
        Bisimulation::Strong => (system.clone(), system.states().collect()),
        Bisimulation::Branching => system.without_cycles(divergence),
        Bisimulation::Weak => {
            let branching = classify(system, Bisimulation::Branching, divergence, watch)?;
            let branching = branching.quotient(true);
            let (system, order) = branching.system.without_cycles(false);
            let place = branching.class_of.iter().map(|class| order[class.index()]).collect();
            (system, place)
        }
    };
    let (initial, own) = (Partition::coarsest(system.n_states()), 2 * system.bytes());
    let refinement = quadrille_graph::refine(&system, initial, kind, |bytes| {
        watch.allocated(own + bytes).map_or_else(ControlFlow::Break, ControlFlow::Continue)
    })?;
    Ok(Classified { system, place, refinement })
}

impl Classified {
    /// The quotient. `inert` says that internal steps within a class mean nothing.
    pub fn quotient(&self, inert: bool) -> Quotient {
        let partition = &self.refinement.partition;
        let classes: Vec<StateId> =
            partition.classes().iter().map(|&class| StateId::new(class)).collect();
        Quotient {
            system: self.system.image(&classes, partition.n_classes(), !inert),
            class_of: self.place.iter().map(|place| classes[place.index()]).collect(),
        }
    }
}

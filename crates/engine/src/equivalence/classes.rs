//! From a system to its classes: which stages of collapsing and refining each bisimulation takes,
//! and the quotient at the end. Knows no explanations.

use std::convert::Infallible;
use std::ops::ControlFlow;

use quadrille_graph::{Bisimulation, Partition, Refinement};
use quadrille_model::StateId;

use super::system::System;

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
pub(super) fn classify(system: &System, kind: Bisimulation, divergence: bool) -> Classified {
    match kind {
        Bisimulation::Strong => Classified {
            system: system.clone(),
            place: system.states().collect(),
            refinement: refine(system, kind),
        },
        Bisimulation::Branching => {
            let (system, place) = system.without_cycles(divergence);
            let refinement = refine(&system, kind);
            Classified { system, place, refinement }
        }
        Bisimulation::Weak => {
            let branching = classify(system, Bisimulation::Branching, divergence).quotient(true);
            let (system, order) = branching.system.without_cycles(false);
            let refinement = refine(&system, kind);
            let place = branching.class_of.iter().map(|class| order[class.index()]).collect();
            Classified { system, place, refinement }
        }
    }
}

fn refine(system: &System, kind: Bisimulation) -> Refinement {
    let initial = Partition::coarsest(system.n_states());
    let unwatched = |_| ControlFlow::<Infallible>::Continue(());
    let Ok(refinement) = quadrille_graph::refine(system, initial, kind, unwatched);
    refinement
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

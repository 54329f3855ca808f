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
    system: System,
    kind: Bisimulation,
    divergence: bool,
    watch: &mut Watch<'_>,
) -> Result<Classified, Bound> {
    let (system, place) = match kind {
        Bisimulation::Strong => {
            let place = system.states().collect();
            (system, place)
        }
        Bisimulation::Branching => collapsed(&system, divergence, watch)?,
        Bisimulation::Weak => {
            let branching = classify(system, Bisimulation::Branching, divergence, watch)?;
            let branching = branching.quotient(true, watch)?;
            let (system, order) = collapsed(&branching.system, false, watch)?;
            let place = branching.class_of.iter().map(|class| order[class.index()]).collect();
            (system, place)
        }
    };
    let initial = Partition::coarsest(system.n_states());
    let own = system.bytes() + size_of_val::<[StateId]>(&place) + 4 * system.n_states();
    let refinement = quadrille_graph::refine(&system, initial, kind, |bytes| {
        watch.allocated(own + bytes).map_or_else(ControlFlow::Break, ControlFlow::Continue)
    })?;
    Ok(Classified { system, place, refinement })
}

/// The system without internal cycles, and where each state went.
fn collapsed(
    system: &System,
    divergence: bool,
    watch: &mut Watch<'_>,
) -> Result<(System, Vec<StateId>), Bound> {
    let n_images = if divergence { 2 } else { 1 };
    // Of each state, what the search for components keeps, and its component.
    let per_state = 24 * system.n_states();
    watch.allocated(system.bytes() + n_images * system.image_bytes() + per_state)?;
    Ok(system.without_cycles(divergence))
}

impl Classified {
    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.system.bytes() + size_of_val::<[StateId]>(&self.place) + self.refinement.bytes()
    }

    /// The quotient. `inert` says that internal steps within a class mean nothing.
    pub fn quotient(&self, inert: bool, watch: &mut Watch<'_>) -> Result<Quotient, Bound> {
        let classes = 2 * size_of_val::<[StateId]>(&self.place);
        watch.allocated(self.bytes() + self.system.image_bytes() + classes)?;
        let partition = &self.refinement.partition;
        let classes: Vec<StateId> =
            partition.classes().iter().map(|&class| StateId::new(class)).collect();
        Ok(Quotient {
            system: self.system.image(&classes, partition.n_classes(), !inert),
            class_of: self.place.iter().map(|place| classes[place.index()]).collect(),
        })
    }
}

impl Quotient {
    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.system.bytes() + size_of_val::<[StateId]>(&self.class_of)
    }
}
